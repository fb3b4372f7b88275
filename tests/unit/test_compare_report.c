// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison's text, its table for a commit message, and its JSON, of results that are written
 * down.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "readers/same_code.h"
#include "report/compare_commit.h"
#include "report/compare_json.h"
#include "report/compare_text.h"
#include "report/status.h"
#include "tests/unit/choice_of.h"

static const u8 code[3][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 9}};
static struct vdso_image image;

static struct reader readers[COMPARE_MAX_READERS];
static struct compare_config config;
static struct compare_result result;
static const char *spec[COMPARE_MAX_READERS];
static const char *refused_spec[1] = {"./broken.c"};
static const struct errmsg refusal[1] = {{"it is broken"}};
static struct comparison comparison;

static void set_up_reader(size_t who, const char *name, const u8 *bytes)
{
	readers[who] = (struct reader){
		.clock = CLOCK_MONOTONIC,
		.layout = &page_layout_current,
		.code = {.image = bytes, .bytes = 8, .text = 2, .entry = 4, .compiler = "gcc 99"},
	};
	strcpy(readers[who].path, "hres/monotonic");
	config.reader[who] = &readers[who];
	spec[who] = name;
	result.reader[who] = (struct compare_reader){
		.read_ns = 20 + (double)who,
		.reads = 2000000,
		.odd_waits = 10,
		.changed = 20,
		.off_cpu = 30 + 2 * who,
		.path = {.instructions = 57 + 4 * (u32)who, .branches_taken = 1 + (u32)who},
	};
	for (size_t i = 0; i < HW_COUNTERS; i++)
		result.reader[who].hw_per_read[i] = NAN;
}

static void set_up_effect(size_t who, double percent, double half)
{
	struct effect *effect = &result.reader[who].effect;

	*effect = (struct effect){
		.visits = 400,
		.units = 200,
		.known = true,
		.percent = {percent,
			    {percent - half, percent + half},
			    {percent - 2 * half, percent + 2 * half}},
		.ns = {percent / 5,
		       {(percent - half) / 5, (percent + half) / 5},
		       {(percent - 2 * half) / 5, (percent + 2 * half) / 5}},
		.placement_sd_percent = 0.25,
		.visit_sd_percent = 0.5,
	};
	result.reader[who].conclusion =
		effect_conclude(effect, config.resolution_percent, result.seconds);
}

static void set_up(void)
{
	memset(&config, 0, sizeof(config));
	memset(&result, 0, sizeof(result));
	config.readers = 2;
	config.run = (struct run_config){.groups = 1,
					 .group = {{.readers = 2}},
					 .writers = 1,
					 .writer = {choice_of("tick:hz=1000")},
					 .clocksource = clocksource_find("monotonic_raw"),
					 .seed = 1};
	config.has_writer = true;
	config.duration_ns = 10ull * NSEC_PER_SEC;
	config.resolution_percent = 0.5;
	strcpy(result.machine.cpu_model, "Some CPU");
	strcpy(result.machine.kernel, "6.99");
	strcpy(result.machine.architecture, "x86_64");
	strcpy(result.machine.hypervisor, "KVM");
	result.machine.cpus_online = result.machine.cpus_allowed = 4;
	result.machine.l1d_bytes = 49152;
	result.seconds = 10;
	result.counter_hz = NSEC_PER_SEC;
	result.writer_cpu = 3;
	result.writer_priority = 50;
	result.threads = 2;
	result.cpu[1] = 1;
	result.block_ns = 25000;
	result.visits = 400;
	result.placements = 200;
	for (size_t i = 0; i < HW_COUNTERS; i++)
		errmsg_set(&result.hw_unavailable[i], "no hardware counters: none were made");
	set_up_reader(0, "hres:hint=none", code[0]);
	set_up_reader(1, "hres", code[1]);
	set_up_effect(1, 1.5, 0.25);
	comparison = (struct comparison){
		.config = &config,
		.result = &result,
		.spec = spec,
		.refused_spec = refused_spec,
		.refusal = refusal,
	};
}

static char text[16384];

static void print(void)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	assert_int_equal(report_compare_head(out, &comparison), 0);
	assert_int_equal(report_compare_remarks(out, &comparison), 0);
	assert_int_equal(report_compare_figures(out, &comparison), 0);
	fclose(out);
}

static void print_commit(void)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	assert_int_equal(report_compare_commit(out, &comparison), 0);
	fclose(out);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		assert_true(strcspn(line, "\n") <= 75);
		assert_true(*line == '\n' || strncmp(line, "    ", 4) == 0);
	}
}

static void expect(const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in\n%s", part, text);
}

static void expect_not(const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in\n%s", part, text);
}

static json_t *to_json(void)
{
	struct errmsg err;
	char *written = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&written, &size);
	json_t *root;

	assert_non_null(out);
	assert_int_equal(report_compare_json(out, &comparison, &err), 0);
	fclose(out);
	root = json_loads(written, 0, NULL);
	free(written);
	assert_non_null(root);
	return root;
}

static json_t *part_of(json_t *root, size_t i, const char *part)
{
	return json_object_get(json_array_get(json_object_get(root, "results"), i), part);
}

static const char *reason(json_t *root, const char *path)
{
	return json_string_value(json_object_get(json_object_get(root, "unavailable"), path));
}

static void test_slower(void **state)
{
	json_t *root, *baseline;

	(void)state;
	set_up();
	print();
	expect("contend  compare 2 readers in 2 threads, writer tick at 1000 Hz, 10 s\n");
	expect("machine  Some CPU, 4 CPUs, kernel 6.99, counter monotonic_raw 1000 MHz; writer on "
	       "CPU 3 (FIFO 50), readers on CPUs 0-1\n");
	expect("method   blocks of 25.0 us of each reader, in random order; 400 visits of 200 "
	       "placements of their code, two each\n");
	expect("\nhres:hint=none      20.000\n"
	       "hres                21.000       +1.50 %        +1.25 to +1.75        +1.00 to "
	       "+2.00   slower\n");
	expect("\nhres:hint=none                         30.0           6            57            "
	       "   1\n"
	       "hres               0.250 %             31.0           6            61              "
	       " 2\n");
	expect("  code bytes  instructions  taken branches\n");
	expect("\nn/a      no hardware counters: none were made\n");
	expect_not("partial");
	expect_not("cycles/read");
	assert_int_equal(report_compare_status(&comparison), STATUS_WELL);
	root = to_json();
	baseline = json_object_get(root, "baseline");
	assert_string_equal(json_string_value(json_object_get(baseline, "reader")),
			    "hres:hint=none");
	assert_string_equal(json_string_value(part_of(root, 0, "verdict")), "slower");
	assert_true(json_real_value(part_of(root, 0, "effect_percent")) == 1.5);
	assert_true(json_real_value(json_array_get(part_of(root, 0, "ci95_percent"), 0)) == 1.25);
	assert_true(json_real_value(json_array_get(part_of(root, 0, "ci99_percent"), 1)) == 2);
	assert_true(json_is_false(part_of(root, 0, "same_code")));
	assert_int_equal(json_integer_value(part_of(root, 0, "text_bytes")), 6);
	assert_int_equal(json_integer_value(json_object_get(part_of(root, 0, "retries"), "total")),
			 62);
	assert_string_equal(reason(root, "baseline.counters.cycles_per_read"),
			    "no hardware counters: none were made");
	json_decref(root);
}

static void test_verdicts(void **state)
{
	static const struct {
		double percent, half;
		const char *words, *name;
	} cases[] = {
		{-1.5, 0.25, "   faster\n", "faster"},
		{0.125, 0.25, "   no difference larger than 0.38 %\n", "same"},
		{0.25, 0.5, "   cannot tell yet: about 30 s more\n", "unclear"},
		{0.25, 8, "   cannot tell yet: about 170 min more\n", "unclear"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *root;

		set_up();
		set_up_effect(1, cases[i].percent, cases[i].half);
		print();
		expect(cases[i].words);
		root = to_json();
		assert_string_equal(json_string_value(part_of(root, 0, "verdict")), cases[i].name);
		assert_int_equal(json_is_null(part_of(root, 0, "no_larger_percent")), i != 1);
		assert_int_equal(json_is_null(part_of(root, 0, "needed_seconds")), i < 2);
		json_decref(root);
	}
}

/* Whatever was measured, which is shown all the same. */
static void test_same_code(void **state)
{
	json_t *root;

	(void)state;
	set_up();
	set_up_reader(1, "hres", code[0]);
	set_up_effect(1, 1.5, 0.25);
	print();
	expect("+1.25 to +1.75        +1.00 to +2.00   same: same code\n");
	root = to_json();
	assert_string_equal(json_string_value(part_of(root, 0, "verdict")), "same");
	assert_true(json_is_true(part_of(root, 0, "same_code")));
	assert_true(json_real_value(part_of(root, 0, "no_larger_percent")) == 0);
	json_decref(root);
}

/* Each of these makes another reader of it. */
static void test_not_the_same_code(void **state)
{
	(void)state;
	set_up();
	for (int i = 0; i < 8; i++) {
		set_up_reader(1, "hres", code[0]);
		assert_true(readers_same_code(&readers[0], &readers[1]));
		if (i == 0)
			readers[1].code.image = code[1];
		if (i == 1)
			readers[1].code.bytes = 7;
		if (i == 2)
			readers[1].code.entry = 2;
		if (i == 3)
			readers[1].clock = CLOCK_REALTIME;
		if (i == 4)
			readers[1].in_namespace = true;
		if (i == 5)
			readers[1].layout = NULL;
		if (i == 6)
			readers[1].data_offset = 128;
		if (i == 7)
			readers[1].image = &image;
		assert_false(readers_same_code(&readers[0], &readers[1]));
	}
}

static void test_image(void **state)
{
	json_t *root;

	(void)state;
	set_up();
	set_up_reader(1, "image:host", NULL);
	set_up_effect(1, 1.5, 0.25);
	readers[1].code = (struct machine_code){.image = NULL};
	readers[1].image = &image;
	result.reader[1].placement_still = true;
	result.reader[1].retries_unavailable = "it tells nothing";
	print();
	expect("\nimage:host         0.250 %              n/a         n/a            61            "
	       "   2\n");
	expect("\nstill    image:host: an image's code cannot be moved");
	expect("\nn/a      image:host, retries: it tells nothing\n");
	root = to_json();
	assert_true(json_is_null(part_of(root, 0, "same_code")));
	assert_true(json_is_null(part_of(root, 0, "text_bytes")));
	assert_true(json_is_null(part_of(root, 0, "retries")));
	assert_string_equal(reason(root, "results.0.retries"), "it tells nothing");
	json_decref(root);
	print_commit();
	expect("30.0 -> n/a retries per");
	expect("unknown, it is an image (after)\n");
}

static void test_path(void **state)
{
	json_t *root, *one;

	(void)state;
	set_up();
	root = to_json();
	one = json_array_get(json_object_get(root, "results"), 0);
	assert_int_equal(json_integer_value(json_object_get(one, "instructions")), 61);
	assert_int_equal(json_integer_value(json_object_get(one, "taken_branches")), 2);
	json_decref(root);

	errmsg_set(&result.reader[1].path.unavailable, "nobody may trace here");
	print();
	expect("           6           n/a             n/a\n");
	expect("\nn/a      hres, instructions and branches: nobody may trace here\n");
	root = to_json();
	one = json_array_get(json_object_get(root, "results"), 0);
	assert_true(json_is_null(json_object_get(one, "taken_branches")));
	assert_true(json_is_null(json_object_get(one, "instructions")));
	json_decref(root);
}

static void test_hardware(void **state)
{
	json_t *root;

	(void)state;
	set_up();
	for (size_t i = 0; i < HW_L1D_MISSES; i++) {
		result.hw_unavailable[i].text[0] = '\0';
		for (size_t who = 0; who < 2; who++)
			result.reader[who].hw_per_read[i] = 60 + (double)(10 * who + i);
	}
	print();
	expect("    cycles/read  instructions/read  branch misses     L1d misses\n");
	expect("           60.0               61.0        62.0000            n/a\n");
	expect("           70.0               71.0        72.0000            n/a\n");
	expect("\nn/a      L1d misses: no hardware counters: none were made\n");
	root = to_json();
	assert_true(json_real_value(json_object_get(part_of(root, 0, "counters"),
						    "instructions_per_read")) == 71);
	assert_true(
		json_is_null(json_object_get(part_of(root, 0, "counters"), "l1d_misses_per_read")));
	json_decref(root);
}

static void test_endings(void **state)
{
	json_t *root;

	(void)state;
	set_up();
	comparison.refused = 1;
	assert_int_equal(report_compare_status(&comparison), STATUS_USAGE);
	print();
	expect("\nrefused  ./broken.c\n");
	result.outcome = COMPARE_INTERRUPTED;
	assert_int_equal(report_compare_status(&comparison), STATUS_INTERRUPTED);
	print();
	expect("\npartial  interrupted after 10.0 s of 10 s; the figures are of that part\n");
	result.outcome = COMPARE_BROKEN;
	strcpy(result.broken, "x.c crashes");
	assert_int_equal(report_compare_status(&comparison), STATUS_STALLED);
	print();
	expect("\nbroken   x.c crashes\npartial  the figures are of the 10.0 s before that\n");
	root = to_json();
	assert_true(json_is_false(json_object_get(root, "complete")));
	assert_string_equal(json_string_value(json_object_get(root, "outcome")), "broken");
	assert_string_equal(json_string_value(json_object_get(root, "broken")), "x.c crashes");
	json_decref(root);
}

static void test_nothing_known(void **state)
{
	json_t *root;

	(void)state;
	set_up();
	result.visits = result.placements = 0;
	result.block_ns = 0;
	for (size_t who = 0; who < 2; who++)
		result.reader[who] = (struct compare_reader){.hw_per_read = {NAN, NAN, NAN, NAN}};
	errmsg_set(&result.reader[1].unavailable, "it ended too soon");
	assert_int_equal(report_compare_status(&comparison), STATUS_USAGE);
	print();
	expect("\nhres:hint=none         n/a\n");
	expect("n/a   cannot tell: no interval\n");
	expect("\nn/a      hres, difference: it ended too soon\n");
	expect("\nn/a      hres, retries: no counted read was made\n");
	root = to_json();
	assert_true(json_is_null(part_of(root, 0, "ci95_percent")));
	assert_string_equal(reason(root, "results.0.ci95_percent"), "it ended too soon");
	assert_string_equal(reason(root, "results.0.read_ns"), "no visit was finished");
	assert_string_equal(json_string_value(part_of(root, 0, "verdict")), "unclear");
	json_decref(root);
	print_commit();
}

static void test_null(void **state)
{
	json_t *root;

	(void)state;
	set_up();
	set_up_reader(1, spec[0], code[0]);
	set_up_effect(1, 1.5, 0.25);
	comparison.null = true;
	print();
	expect("contend  compare hres:hint=none with itself in 2 threads, ");
	expect("\nmachine  not fit to tell differences of 0.5 %, only of 1.8 % and more: ");
	assert_int_equal(report_compare_status(&comparison), STATUS_WELL);
	root = to_json();
	assert_true(json_is_false(json_object_get(json_object_get(root, "fitness"), "fit")));
	json_decref(root);
}

static void test_still_and_work(void **state)
{
	(void)state;
	set_up();
	config.placement_still = true;
	config.has_writer = false;
	config.run.group[0].work = (struct work_spec){WORK_CACHE, 16384};
	config.precision_percent = 0.1;
	result.placements = 0;
	result.work_ns = 87.5;
	print();
	expect(", no writer, work cache:16K, to +- 0.1 % in 10 s at most\n");
	expect(" visits of one placement of their code\n");
	expect("\nstill    no code was moved: ");
	expect("\nwork between reads takes 87.5 ns and is not in these figures\n");
	print_commit();
	expect("no updates, work cache:16K");
}

static void test_commit(void **state)
{
	(void)state;
	set_up();
	print_commit();
	assert_string_equal(
		text,
		"    ns/read    before     after   difference        95 % interval\n"
		"    after      20.000    21.000      +1.50 %       +1.25 to +1.75\n"
		"\n"
		"    after:     slower; 30.0 -> 31.0 retries per million reads, 6 -> 6 bytes\n"
		"               of code\n"
		"\n"
		"    before:    hres:hint=none\n"
		"    after:     hres\n"
		"    method:    contend compare " CONTEND_VERSION
		": 10 s, blocks of 25.0 us of each in\n"
		"               random order, 2 threads, updates at 1000 Hz; 400 visits of\n"
		"               200 placements of the code, two each\n"
		"    CPU:       Some CPU, 4 CPUs, a guest of KVM\n"
		"    kernel:    6.99\n"
		"    compiler:  gcc 99\n");
}

/* A word that fits no line is broken anywhere, and nothing of it is lost. */
static void test_commit_of_long_names(void **state)
{
	static char name[201];
	size_t found = 0;

	(void)state;
	set_up();
	memset(name, 'x', 200);
	config.readers = 3;
	set_up_reader(2, name, code[1]);
	set_up_effect(2, -123.25, 1000);
	strcpy(readers[2].code.compiler, "clang 99");
	print_commit();
	for (const char *at = text; *at; at++)
		found += *at == 'x';
	assert_true(found >= 200);
	expect("    after 2    20.000    22.000       -123 %        -1123 to +877\n");
	expect("    compiler:  gcc 99 (before)\n"
	       "               gcc 99 (after 1)\n"
	       "               clang 99 (after 2)\n");
	expect("intervals");
	/* In text it has a line of its own. */
	print();
	expect("x\n                    22.000");
}

/* A figure too wide for its column moves the others, and is not cut. */
static u32 publish_nothing(void *shared, const u64 *words, u32 n)
{
	(void)shared;
	(void)words;
	(void)n;
	return 0;
}

/* It claims no placements for an image, nor for a library, and says what --null asks. */
static void test_commit_of_an_image_and_of_null(void **state)
{
	(void)state;
	set_up();
	readers[0].image = &image;
	result.reader[0].placement_still = true;
	print_commit();
	expect("\n    still:     before: an image's code cannot be moved, so it stayed in one\n");
	assert_null(strstr(text, "fitness:"));

	set_up();
	readers[0].code = (struct machine_code){.image = NULL};
	readers[0].lock.publish = publish_nothing;
	result.reader[0].placement_still = true;
	print_commit();
	expect("\n    still:     before: a library's code cannot be moved, so it stayed in\n");

	set_up();
	set_up_reader(1, spec[0], code[0]);
	set_up_effect(1, 1.5, 0.25);
	comparison.null = true;
	print_commit();
	expect("\n    fitness:   not fit to tell differences of 0.5 %, only of 1.8 % and\n");
	assert_null(strstr(text, "still:"));
}

/* A text without figures says of no time that they are of it; one with wide intervals, which. */
static void test_broken_at_once_and_imprecise(void **state)
{
	json_t *root, *one;

	(void)state;
	set_up();
	result.outcome = COMPARE_BROKEN;
	strcpy(result.broken, "it hangs");
	result.visits = result.placements = 0;
	result.seconds = 0;
	print();
	expect("\nbroken   it hangs\npartial  there are no figures: nothing was compared");

	set_up();
	for (int i = 0; i < 2; i++) {
		result.reader[1].imprecise = i;
		config.precision_percent = 0.1;
		root = to_json();
		one = json_array_get(json_object_get(root, "results"), 0);
		assert_true(json_is_boolean(json_object_get(one, "precision_reached")));
		assert_int_equal(json_is_true(json_object_get(one, "precision_reached")), !i);
		json_decref(root);
	}
}

/* A character is a column, however many bytes it has. */
static void test_names_of_many_bytes(void **state)
{
	(void)state;
	set_up();
	spec[1] = "./\303\244\303\266\303\274.c";
	print();
	expect("\n./\303\244\303\266\303\274.c             21.000 ");
	expect("\nhres:hint=none      20.000\n");
}

static void test_commit_of_large_figures(void **state)
{
	(void)state;
	set_up();
	result.reader[0].read_ns = 123456.789;
	result.reader[1].read_ns = 98765432.123;
	set_up_effect(1, 1234567, 123456);
	print_commit();
	expect(" 123456.789 98765432.123   +1234567 % +1111111 to +1358023\n");
}

static void test_full_device(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct errmsg err;

	(void)state;
	if (!full)
		skip();
	set_up();
	setbuf(full, NULL);
	assert_int_equal(report_compare_head(full, &comparison), -1);
	assert_int_equal(report_compare_commit(full, &comparison), -1);
	assert_int_equal(report_compare_json(full, &comparison, &err), -1);
	assert_non_null(strstr(err.text, "No space"));
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slower),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_same_code),
		cmocka_unit_test(test_not_the_same_code),
		cmocka_unit_test(test_image),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_hardware),
		cmocka_unit_test(test_endings),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_still_and_work),
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_commit_of_long_names),
		cmocka_unit_test(test_commit_of_an_image_and_of_null),
		cmocka_unit_test(test_broken_at_once_and_imprecise),
		cmocka_unit_test(test_names_of_many_bytes),
		cmocka_unit_test(test_commit_of_large_figures),
		cmocka_unit_test(test_full_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
