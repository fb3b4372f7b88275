// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A calibration's text and JSON, of results that are written down.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/calibrate_json.h"
#include "report/calibrate_text.h"
#include "report/status.h"

static struct vdso_image images[2] = {{.name = "old.so"}, {.name = "new.so"}};

static const struct calibrate_config config = {
	.duration_ns = 10ull * NSEC_PER_SEC,
	.cpu = -1,
	.clocks = 2,
	.clock = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW},
	.images = 2,
	.image = {&images[0], &images[1]},
};

static struct calibrate_result result;

static void set_up_contestant(size_t i, enum contestant_kind kind, const char *name)
{
	result.contestant[i].kind = kind;
	strcpy(result.contestant[i].name, name);
	result.contestant[i].code = kind == CONTESTANT_SYSTEM ? 0 : 0x70000 + 1000 * i;
	for (size_t clock = 0; clock < 2; clock++) {
		struct calibrate_cell *cell = &result.cell[clock][i];

		cell->read_ns = 20.0 + (double)(10 * clock + i);
		cell->ratio = (struct interval){1.25, true, 1.125, 1.375};
		cell->tries = 1000;
		cell->code = (struct code){.instructions = 61, .same = true};
	}
}

static void set_up_result(void)
{
	memset(&result, 0, sizeof(result));
	strcpy(result.machine.cpu_model, "Some CPU");
	strcpy(result.machine.kernel, "6.99");
	strcpy(result.machine.architecture, "x86_64");
	result.machine.cpus_online = result.machine.cpus_allowed = 2;
	result.machine.l1d_bytes = 49152;
	result.counter = clocksource_find("monotonic_raw");
	result.counter_hz = NSEC_PER_SEC;
	result.cpu = 1;
	result.seconds = 10.5;
	result.rounds = 12345;
	result.layout = &page_layout_current;
	result.clock_mode = VDSO_CLOCKMODE_TSC;
	result.contestants = FIELD_IMAGES + 2;
	set_up_contestant(FIELD_READER, CONTESTANT_READER, "our reader");
	set_up_contestant(FIELD_IMAGE_HOST, CONTESTANT_IMAGE, "image:host");
	set_up_contestant(FIELD_HOST, CONTESTANT_HOST, "host's vDSO");
	set_up_contestant(FIELD_LIBC, CONTESTANT_LIBC, "glibc");
	set_up_contestant(FIELD_SYSTEM, CONTESTANT_SYSTEM, "system call");
	set_up_contestant(FIELD_IMAGES, CONTESTANT_IMAGE, "image:old.so");
	set_up_contestant(FIELD_IMAGES + 1, CONTESTANT_IMAGE, "image:new.so");
	for (size_t clock = 0; clock < 2; clock++) {
		struct calibrate_cell *host = &result.cell[clock][FIELD_HOST];

		result.pair[clock][1].ratio = (struct interval){0.5, true, 0.25, 0.75};
		result.pair[clock][1].code = (struct code){.instructions = 61, .same = true};
		host->tries = 0;
		errmsg_set(&host->no_values, "the others are compared with it");
	}
}

static char text[16384];

static void print(void)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	assert_int_equal(report_calibrate_head(out, &config, &result), 0);
	assert_int_equal(report_calibrate_remarks(out, &result), 0);
	assert_int_equal(report_calibrate_figures(out, &config, &result), 0);
	fclose(out);
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
	assert_int_equal(report_calibrate_json(out, &config, &result, &err), 0);
	fclose(out);
	root = json_loads(written, 0, NULL);
	free(written);
	assert_non_null(root);
	return root;
}

/* A part of the first clock's contestant number i. */
static json_t *part_of(json_t *root, size_t i, const char *part)
{
	json_t *clock = json_array_get(json_object_get(root, "clocks"), 0);

	return json_object_get(json_array_get(json_object_get(clock, "contestants"), i), part);
}

static json_t *first_pair(json_t *root)
{
	json_t *clock = json_array_get(json_object_get(root, "clocks"), 0);

	return json_array_get(json_object_get(clock, "pairs"), 0);
}

static const char *reason(json_t *root, const char *path)
{
	return json_string_value(json_object_get(json_object_get(root, "unavailable"), path));
}

static void test_all_well(void **state)
{
	json_t *root;

	(void)state;
	set_up_result();
	print();
	expect("contend  calibrate 2 clocks by 7 contestants on CPU 1, 10 s\n");
	expect("machine  Some CPU, 2 CPUs, counter monotonic_raw 1000 MHz; kernel 6.99, page of "
	       "v6.15 in mode tsc\n");
	expect(" our reader 0 (0), image:host 1000 (40), host's vDSO 2000 (16), ");
	expect(" medians of 12 345 rounds\n");
	/* The host's ratio to itself says nothing. */
	expect("monotonic            20.00  1.2500    21.00  1.2500            22.00    23.00  "
	       "1.2500");
	expect("\n                     1.1250-1.3750    1.1250-1.3750                     "
	       "1.1250-1.3750");
	expect("\nratio to image:old.so, with its 95 % interval\n"
	       "                      image:new.so\n"
	       "monotonic                   0.5000\n"
	       "                     0.2500-0.7500\n");
	expect("\nsame     image:new.so executes what image:old.so does for monotonic, "
	       "monotonic_raw\n");
	expect("values   0 disagree of 12 000, each held between two of the host's vDSO\n");
	expect_not("n/a");
	expect_not("partial");
	expect_not("\ncode ");
	assert_int_equal(report_calibrate_status(&config, &result), STATUS_WELL);
	root = to_json();
	assert_true(json_real_value(part_of(root, FIELD_IMAGE_HOST, "read_ns")) == 21);
	assert_true(json_real_value(json_array_get(part_of(root, 0, "ratio_ci95"), 1)) == 1.375);
	assert_int_equal(json_object_size(json_object_get(root, "unavailable")), 3);
	assert_string_equal(reason(root, "clocks.1.contestants.2.values"),
			    "the others are compared with it");
	assert_true(json_is_null(part_of(root, FIELD_HOST, "values")));
	assert_true(json_is_false(part_of(root, FIELD_LIBC, "calls_system")));
	assert_true(json_is_true(json_object_get(first_pair(root), "same_code")));
	assert_true(json_is_null(json_object_get(first_pair(root), "difference")));
	assert_string_equal(reason(root, "contestants.4.code_at_byte_of_page"),
			    "it is the kernel's");
	json_decref(root);
}

static void test_disagreement(void **state)
{
	struct calibrate_cell *cell = &result.cell[1][FIELD_LIBC];

	(void)state;
	set_up_result();
	cell->disagreements = 3;
	cell->example = (struct agreement_values){5000000001, 5000000000, 5000000007};
	print();
	expect("values   3 disagree of 12 000, ");
	expect("\n           monotonic_raw, glibc: 3 of 1 000; one was 5.000000000 s, the host's "
	       "5.000000001 and 5.000000007 s\n");
	assert_int_equal(report_calibrate_status(&config, &result), STATUS_WRONG);
	result.interrupted = true;
	assert_int_equal(report_calibrate_status(&config, &result), STATUS_WRONG);
}

static void test_partial(void **state)
{
	json_t *root;

	(void)state;
	set_up_result();
	result.interrupted = true;
	result.seconds = 1.5;
	print();
	expect("\npartial  interrupted after 1.5 s of 10 s; the figures are of that part\n");
	assert_int_equal(report_calibrate_status(&config, &result), STATUS_INTERRUPTED);
	root = to_json();
	assert_true(json_is_false(json_object_get(root, "complete")));
	assert_string_equal(json_string_value(json_object_get(root, "outcome")), "interrupted");
	json_decref(root);
}

/* What calibrate makes of a contestant that cannot be had. */
static void put_out(size_t i, const char *why)
{
	errmsg_set(&result.contestant[i].unavailable, "%s", why);
	result.contestant[i].code = 0;
	for (size_t clock = 0; clock < 2; clock++) {
		struct calibrate_cell *cell = &result.cell[clock][i];

		*cell = (struct calibrate_cell){.read_ns = 0};
		cell->unavailable = cell->no_ratio = cell->code.unavailable = cell->no_values =
			cell->system_unknown = result.contestant[i].unavailable;
	}
}

static void test_no_page(void **state)
{
	json_t *root;

	(void)state;
	set_up_result();
	result.layout = NULL;
	errmsg_set(&result.no_values, "no known layout");
	put_out(FIELD_READER, "no known layout");
	put_out(FIELD_IMAGE_HOST, "no known layout");
	print();
	expect("monotonic                      n/a              n/a            22.00  ");
	expect("n/a      our reader: no known layout\n");
	expect("n/a      image:host: no known layout\n");
	expect("values   n/a: no known layout\n");
	expect_not("page of");
	expect_not("n/a      values of");
	expect_not("n/a      our reader for");
	root = to_json();
	assert_true(json_is_null(json_object_get(root, "page")));
	assert_true(json_is_null(json_object_get(root, "values")));
	assert_true(json_is_null(part_of(root, 0, "read_ns")));
	assert_true(json_is_null(part_of(root, 0, "code")));
	assert_true(json_is_null(part_of(root, 0, "calls_system")));
	for (size_t i = 0; i < 2; i++) {
		static const char *const paths[] = {"page", "values", "clocks.0.contestants.0.code",
						    "clocks.1.contestants.1.ratio_ci95"};

		assert_string_equal(reason(root, paths[2 * i]), "no known layout");
		assert_string_equal(reason(root, paths[2 * i + 1]), "no known layout");
	}
	json_decref(root);
}

static void test_system_and_too_few(void **state)
{
	struct calibrate_cell *cell = &result.cell[0][FIELD_IMAGES];
	json_t *root;

	(void)state;
	set_up_result();
	result.rounds = 2;
	cell->calls_system = true;
	errmsg_set(&cell->unavailable, "it calls the system");
	cell->no_ratio = cell->unavailable;
	result.pair[0][1] = (struct calibrate_pair){.ratio = {.estimate = 0}};
	errmsg_set(&result.pair[0][1].unavailable, "image:old.so: it calls the system");
	result.cell[0][FIELD_READER].ratio.known = false;
	print();
	expect("system   image:old.so does not answer for monotonic: it calls the system\n");
	expect("n/a      intervals: it takes 6 rounds for one\n");
	expect(" system ");
	expect("monotonic                      n/a\nmonotonic_raw               0.5000\n"
	       "                     0.2500-0.7500\n");
	root = to_json();
	assert_true(json_is_true(part_of(root, FIELD_IMAGES, "calls_system")));
	assert_true(json_is_null(part_of(root, FIELD_READER, "ratio_ci95")));
	assert_string_equal(reason(root, "clocks.0.contestants.0.ratio_ci95"), "it takes 6 rounds");
	assert_string_equal(reason(root, "clocks.0.pairs.0.ratio"),
			    "image:old.so: it calls the system");
	json_decref(root);
}

/* One that failed in a child is told of, and so is one that was never compared. */
static void test_unknown(void **state)
{
	struct calibrate_cell *failed = &result.cell[0][FIELD_IMAGES];
	struct calibrate_cell *never = &result.cell[0][FIELD_LIBC];
	json_t *root;

	(void)state;
	set_up_result();
	errmsg_set(&failed->unavailable, "the call was ended by a signal: Bus error");
	failed->no_ratio = failed->code.unavailable = failed->no_values = failed->system_unknown =
		failed->unavailable;
	never->tries = 0;
	errmsg_set(&never->no_values, "the page was updated");
	errmsg_set(&never->system_unknown, "nobody may look");
	errmsg_set(&result.pair[0][1].code.unavailable, "image:old.so: it was ended");
	print();
	expect("\nn/a      image:old.so for monotonic: the call was ended by a signal: Bus "
	       "error\n");
	expect("\nn/a      values of glibc for monotonic: the page was updated\n");
	expect("\nsame     image:new.so executes what image:old.so does for monotonic_raw\n");
	expect_not("values of image:old.so");
	expect_not("values of host");
	expect("values   0 disagree of 11 000, ");
	root = to_json();
	assert_true(json_is_null(part_of(root, FIELD_LIBC, "calls_system")));
	assert_string_equal(reason(root, "clocks.0.contestants.3.calls_system"), "nobody may look");
	assert_string_equal(reason(root, "clocks.0.contestants.3.values"), "the page was updated");
	assert_true(json_is_null(part_of(root, FIELD_LIBC, "values")));
	assert_true(json_is_null(part_of(root, FIELD_IMAGES, "calls_system")));
	assert_true(json_is_null(part_of(root, FIELD_IMAGES, "values")));
	assert_true(json_is_null(json_object_get(first_pair(root), "same_code")));
	assert_string_equal(reason(root, "clocks.0.pairs.0.same_code"),
			    "image:old.so: it was ended");
	json_decref(root);
}

/* A clock that a contestant's page does not tell; and what images are, whatever they are called. */
static void test_one_clock_and_full_names(void **state)
{
	struct calibrate_cell *cell = &result.cell[1][FIELD_IMAGES];
	json_t *root, *list;

	(void)state;
	set_up_result();
	strcpy(result.contestant[FIELD_IMAGES].name, "image:(1)...d.so");
	errmsg_set(&cell->unavailable, "its page does not tell it");
	cell->no_ratio = cell->unavailable;
	print();
	expect("n/a      image:(1)...d.so for monotonic_raw: its page does not tell it\n");
	expect_not("for monotonic:");
	root = to_json();
	list = json_object_get(root, "contestants");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(list, FIELD_IMAGES), "image")),
		"old.so");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(list, FIELD_IMAGE_HOST), "image")),
		"host");
	assert_null(json_object_get(json_array_get(list, FIELD_HOST), "image"));
	json_decref(root);
}

/* Shown where the ratio is remarkable, once for all clocks that have the same. */
static void test_code(void **state)
{
	const struct code differs = {
		.instructions = 2,
		.first_difference = 1,
		.line = {{"mov ecx, 2"}},
		.other_line = {{"mov ecx, 3"}, {"ret"}},
		.surpluses = 1,
		.surplus = {{"ret", -1}},
	};
	json_t *root, *difference;

	(void)state;
	set_up_result();
	for (size_t clock = 0; clock < 2; clock++) {
		result.cell[clock][FIELD_READER].code = differs;
		result.cell[clock][FIELD_LIBC].code = differs;
	}
	print();
	expect("\ncode     monotonic, monotonic_raw: the first instructions that differ, from "
	       "number 2 on\n"
	       "           our reader                                host's vDSO\n"
	       "           mov ecx, 2                                mov ecx, 3\n"
	       "                                                     ret\n");
	expect("\n           glibc                                     host's vDSO\n");
	assert_null(strstr(strstr(strstr(text, "\ncode ") + 1, "\ncode ") + 1, "\ncode "));
	root = to_json();
	difference = json_object_get(part_of(root, FIELD_LIBC, "code"), "difference");
	assert_int_equal(json_integer_value(json_object_get(difference, "from_instruction")), 2);
	assert_int_equal(json_array_size(json_object_get(difference, "lines")), 1);
	assert_int_equal(json_array_size(json_object_get(difference, "host_lines")), 2);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(difference, "more_than_host"), "ret")),
			 -1);
	json_decref(root);
	result.cell[1][FIELD_READER].code.first_difference = 0;
	print();
	expect("\ncode     monotonic: ");
	expect("\ncode     monotonic_raw: ");
	for (size_t clock = 0; clock < 2; clock++)
		result.cell[clock][FIELD_READER].ratio.estimate =
			result.cell[clock][FIELD_LIBC].ratio.estimate = 1.01;
	print();
	expect_not("\ncode ");
	/* What two images differ by is shown whatever it costs. */
	result.pair[0][1].ratio.estimate = 1.001;
	result.pair[0][1].code = differs;
	print();
	expect("\ncode     monotonic: the first instructions that differ, from number 2 on\n"
	       "           image:new.so                              image:old.so\n"
	       "           mov ecx, 2                                mov ecx, 3\n");
	expect("\nsame     image:new.so executes what image:old.so does for monotonic_raw\n");
	root = to_json();
	assert_true(json_is_false(json_object_get(first_pair(root), "same_code")));
	difference = json_object_get(first_pair(root), "difference");
	assert_int_equal(json_array_size(json_object_get(difference, "first_lines")), 2);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(difference, "more_than_first"), "ret")),
			 -1);
	json_decref(root);
}

static void test_full_device(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	struct errmsg err;

	(void)state;
	if (!full)
		skip();
	set_up_result();
	setbuf(full, NULL);
	assert_int_equal(report_calibrate_head(full, &config, &result), -1);
	assert_int_equal(report_calibrate_json(full, &config, &result, &err), -1);
	assert_non_null(strstr(err.text, "No space"));
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_well),
		cmocka_unit_test(test_disagreement),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_no_page),
		cmocka_unit_test(test_system_and_too_few),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_one_clock_and_full_names),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_full_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
