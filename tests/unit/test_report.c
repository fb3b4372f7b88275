// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text and JSON from results that never were.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "measure/cpu_set.h"
#include "readers/kinds.h"
#include "report/cell.h"
#include "report/invocation.h"
#include "report/json.h"
#include "report/status.h"
#include "report/text.h"
#include "report/writer_cell.h"
#include "tests/unit/choice_of.h"

/* One result, what it was made by, and what came of it. */
struct sample {
	struct run_config config;
	struct run_result result;
	struct expect expect;
	struct reader_result each[2];
	char *text;
	json_t *json;
};

#include "tests/unit/report_sample.h"

static const struct reader_counts counts = {
	.reads = 351204118,
	.odd_waits = 312,
	.changed = 1220,
	.off_cpu = 3280,
	.longest_run = 2,
	.checked = 351204118,
	.caught = 41,
};

static void fill_config(struct run_config *config)
{
	struct errmsg err;

	*config = (struct run_config){
		.groups = 1,
		.writers = 1,
		.writer = {choice_of("tick:hz=1000")},
		.clocksource = clocksource_find("monotonic_raw"),
		.duration_ns = 10000000000,
		.warmup_ns = 200000000,
		.writer_cpu = -1,
		.priority = PRIORITY_AUTO,
		.seed = 1,
	};
	config->group[0] = (struct run_group){.name = "readers", .readers = 1};
	assert_int_equal(reader_resolve("hres", &config->group[0].reader, &err), 0);
}

static void fill_result(struct run_result *result, struct reader_result *each)
{
	*result = (struct run_result){
		.machine = {"Intel Xeon", "6.1.0", "KVM", "x86_64", 2, 2, 32768},
		.seconds = 10,
		.first_read_ns = 1234567,
		.counter_hz = 2100000000,
		.counter_step_ns = 0.476,
		.counter_cost_ns = 14.25,
		.writer =
			{
				.cpu = 1,
				.priority = 50,
				.updates = 10000,
				.rate_hz = 1000,
				.hold = {10000, 70, 61, 180, 900, 4200},
				.late = {10000, 2000, 1000, 14000, 20000, 30000},
				.stall_limit_ns = 1000000,
			},
		.writers = 1,
		.all =
			{
				.readers = 1,
				.each = each,
				.total = counts,
				.read = {351204118, 28.3, 28.1, 31, 210, 12400},
				.reads_per_second = 35120411.8,
				.first_fault_ns = -1,
			},
		.each = each,
	};
	result->each_writer[0] = result->writer;
	for (int i = 0; i < 2; i++)
		each[i] = (struct reader_result){0, 0, 10, counts, result->all.read};
}

static int setup(void **state)
{
	struct sample *sample = calloc(1, sizeof(*sample));

	assert_non_null(sample);
	fill_config(&sample->config);
	fill_result(&sample->result, sample->each);
	sample->result.group[0] = sample->result.all;
	*state = sample;
	return 0;
}

static int write_text(FILE *out, const struct sample *sample)
{
	return report_text(out, &sample->config, &sample->result);
}

static int write_json(FILE *out, const struct sample *sample)
{
	struct errmsg err;

	return report_run_json(out, &sample->config, &sample->result, &sample->expect, &err);
}

static void render(struct sample *sample)
{
	if (sample->config.groups == 1)
		sample->result.group[0] = sample->result.all;
	report_sample_render(sample, write_text, write_json);
}

/* The value at a.b.c, or at a.2.c of an array. */
static json_t *at(const struct sample *sample, const char *path)
{
	json_t *value = sample->json;
	char copy[128], *rest = copy, *name;

	snprintf(copy, sizeof(copy), "%s", path);
	while ((name = strsep(&rest, ".")))
		value = json_is_array(value) ? json_array_get(value, (size_t)atoi(name))
					     : json_object_get(value, name);
	if (!value)
		fail_msg("no %s", path);
	return value;
}

static void json_count(const struct sample *sample, const char *path, u64 expected)
{
	assert_true(json_is_integer(at(sample, path)));
	assert_int_equal(json_integer_value(at(sample, path)), expected);
}

static void json_figure(const struct sample *sample, const char *path, double expected)
{
	assert_true(json_is_real(at(sample, path)));
	assert_true(fabs(json_real_value(at(sample, path)) - expected) <= expected * 1e-9);
}

static void json_says(const struct sample *sample, const char *path, const char *expected)
{
	assert_true(json_is_string(at(sample, path)));
	assert_string_equal(json_string_value(at(sample, path)), expected);
}

/* null, with a reason. */
static void json_lacks(const struct sample *sample, const char *path, const char *reason)
{
	json_t *why = json_object_get(at(sample, "unavailable"), path);

	assert_true(json_is_null(at(sample, path)));
	if (!why)
		fail_msg("no reason for %s", path);
	assert_string_equal(json_string_value(why), reason);
}

static void test_counts(void **state)
{
	(void)state;
	assert_string_equal(cell_count(0).text, "0");
	assert_string_equal(cell_count(999).text, "999");
	assert_string_equal(cell_count(1000).text, "1 000");
	assert_string_equal(cell_count(351204118).text, "351 204 118");
	assert_string_equal(cell_count(UINT64_MAX).text, "18 446 744 073 709 551 615");
}

static void test_lengths(void **state)
{
	(void)state;
	assert_string_equal(cell_ns(0).text, "0.0 ns");
	assert_string_equal(cell_ns(28.06).text, "28.1 ns");
	assert_string_equal(cell_ns(99.94).text, "99.9 ns");
	assert_string_equal(cell_ns(99.96).text, "100 ns");
	assert_string_equal(cell_ns(999.4).text, "999 ns");
	assert_string_equal(cell_ns(999.6).text, "1.0 us");
	assert_string_equal(cell_ns(12400).text, "12.4 us");
	assert_string_equal(cell_ns(999600).text, "1.0 ms");
	assert_string_equal(cell_ns(2.5e9).text, "2.5 s");
	assert_string_equal(cell_ns(5e12).text, "5000 s");
	assert_string_equal(cell_rate(0).text, "0.0 /s");
	assert_string_equal(cell_rate(35120411.8).text, "35.1 M/s");
	assert_string_equal(cell_rate(812345).text, "812 k/s");
	assert_string_equal(cell_duration(10000000000).text, "10 s");
	assert_string_equal(cell_duration(1500000000).text, "1.5 s");
	assert_string_equal(cell_duration(300000000).text, "300 ms");
	assert_string_equal(cell_duration(3600000000000).text, "1 h");
	assert_string_equal(cell_duration(86400000000000).text, "24 h");
	assert_string_equal(cell_duration(5400000000000).text, "90 min");
	assert_string_equal(cell_duration(61000000000).text, "61 s");
	assert_string_equal(cell_duration(1234567891).text, "1.234567891 s");
	assert_string_equal(cell_bytes(65536).text, "64K");
	assert_string_equal(cell_bytes(1536).text, "1536");
	assert_string_equal(cell_bytes(1 << 30).text, "1G");
}

static void test_cpus(void **state)
{
	cpu_set_t cpus;

	(void)state;
	CPU_ZERO(&cpus);
	assert_string_equal(cpu_list(&cpus).text, "");
	CPU_SET(0, &cpus);
	CPU_SET(2, &cpus);
	CPU_SET(3, &cpus);
	assert_string_equal(cpu_list(&cpus).text, "0,2-3");
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu += 2)
		CPU_SET(cpu, &cpus);
	assert_true(strlen(cpu_list(&cpus).text) < sizeof(struct cell));
	assert_non_null(strstr(cpu_list(&cpus).text, ",..."));
	CPU_ZERO(&cpus);
	CPU_SET(1023, &cpus);
	assert_string_equal(cpu_list(&cpus).text, "1023");
}

/* The design's sample, to the letter where its rule for digits is the one rule used here. */
static void test_shape(void **state)
{
	struct sample *sample = *state;

	render(sample);
	assert_string_equal(
		sample->text,
		"contend  1 reader, hres/monotonic (unlikely, inlined), writer tick at 1000 Hz, 10 "
		"s\n"
		"machine  Intel Xeon, 2 CPUs, counter monotonic_raw 2100 MHz; writer on CPU 1 "
		"(FIFO 50), reader on CPU 0\n"
		"\n"
		"writer   updates 10 000 (1000.0 Hz)   late p99 14.0 us   hold p50 61.0 ns  p99 "
		"180 "
		"ns  max 4.2 us\n"
		"reads    351 204 118 (35.1 M/s)       mean 28.3 ns  p50 28.1 ns  p99 31.0 ns  "
		"p99.99 210 ns  max 12.4 us\n"
		"retries  4 812  = 13.7 per million reads\n"
		"           odd wait        312      changed      1 220      off-CPU      3 280    "
		"  "
		"longest run 2\n"
		"torn     0 of 351 204 118 checked, 41 mixtures caught by the retry\n"
		"stale    0 of 351 204 118 checked\n"
		"time     0 backwards\n");
}

static void test_remarks(void **state)
{
	struct sample *sample = *state;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(report_remarks(out, &sample->result), 0);
	fflush(out);
	assert_string_equal(text, "");
	remark(&sample->result.remarks, "first");
	remark(&sample->result.remarks, "second of %d", 2);
	assert_int_equal(report_remarks(out, &sample->result), 0);
	fclose(out);
	assert_string_equal(text, "remark   first\nremark   second of 2\n");
	free(text);
	render(sample);
	has_not(sample, "remark");
	assert_int_equal(json_array_size(at(sample, "remarks")), 2);
	json_says(sample, "remarks.1", "second of 2");
}

static void test_json_fields(void **state)
{
	struct sample *sample = *state;

	render(sample);
	json_says(sample, "schema", "contend.run/1");
	json_says(sample, "machine.cpu_model", "Intel Xeon");
	json_says(sample, "machine.hypervisor", "KVM");
	json_count(sample, "machine.l1d_bytes", 32768);
	json_says(sample, "config.reader.name", "hres");
	json_says(sample, "config.reader.clock", "monotonic");
	json_says(sample, "config.payload", "time");
	json_says(sample, "config.work.kind", "none");
	json_count(sample, "config.duration_ns", 10000000000);
	json_says(sample, "counter.name", "monotonic_raw");
	json_count(sample, "counter.frequency_hz", 2100000000);
	json_figure(sample, "counter.cost_ns", 14.25);
	json_count(sample, "writer.updates", 10000);
	json_figure(sample, "writer.hold_ns.p99", 180);
	json_figure(sample, "writer.late_ns.max", 30000);
	json_figure(sample, "first_read_ns", 1234567);
	json_says(sample, "outcome", "complete");
	assert_true(json_is_true(at(sample, "complete")));
	assert_true(json_is_null(at(sample, "readers.first_fault_ns")));
	assert_true(json_is_null(at(sample, "baseline")));
	assert_true(json_is_null(at(sample, "stall")));
	assert_int_equal(json_object_size(at(sample, "unavailable")), 0);
}

static void test_json_histograms(void **state)
{
	struct length_bucket reads[] = {{28, 28, 7}, {400, 415.5, 2}};
	struct length_bucket holds[] = {{61, 61, 10000}};
	struct sample *sample = *state;

	sample->result.all.lengths = (struct lengths){ARRAY_SIZE(reads), reads};
	sample->result.writer.holds = (struct lengths){ARRAY_SIZE(holds), holds};
	render(sample);
	assert_int_equal(json_array_size(at(sample, "readers.read_ns.histogram")), 2);
	json_figure(sample, "readers.read_ns.histogram.0.0", 28);
	json_count(sample, "groups.0.read_ns.histogram.0.1", 7);
	json_figure(sample, "readers.read_ns.histogram.1.0", 415.5);
	json_count(sample, "readers.read_ns.histogram.1.1", 2);
	json_figure(sample, "writer.hold_ns.histogram.0.0", 61);
	assert_true(json_is_null(at(sample, "writers.0.hold_ns.histogram")));
	assert_null(json_object_get(at(sample, "writer.late_ns"), "histogram"));
	assert_null(json_object_get(at(sample, "readers.each.0.read_ns"), "histogram"));
}

/* What was not noted is not said; bytes that are no UTF-8 are no reason to say nothing. */
static void test_json_invocation(void **state)
{
	char *arguments[] = {(char *)"contend", (char *)"--reader", (char *)"./\xff.c", NULL};
	struct sample *sample = *state;

	render(sample);
	assert_null(json_object_get(sample->json, "command_line"));
	assert_null(json_object_get(sample->json, "date"));
	invocation_note(3, arguments, 951782400);
	render(sample);
	assert_int_equal(json_array_size(at(sample, "command_line")), 3);
	json_says(sample, "command_line.1", "--reader");
	json_says(sample, "command_line.2", "./?.c");
	json_says(sample, "date", "2000-02-29T00:00:00Z");
	invocation_note(0, NULL, 0);
}

/* The sum, the group and the one reader are the same readers here. */
static void test_json_readers(void **state)
{
	static const char *const parts[] = {"readers", "groups.0", "readers.each.0"};
	struct sample *sample = *state;
	char path[64];

	sample->result.all.total.torn = sample->each[0].counts.torn = 7;
	sample->result.all.total.stale = sample->each[0].counts.stale = 9;
	sample->result.all.first_fault_ns = 1500;
	render(sample);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
#define PATH(name) (snprintf(path, sizeof(path), "%s." name, parts[i]), path)
		json_count(sample, PATH("reads"), 351204118);
		json_count(sample, PATH("retries.total"), 4812);
		json_figure(sample, PATH("retries.per_million"), 4812 / 351.204118);
		json_count(sample, PATH("retries.odd_wait"), 312);
		json_count(sample, PATH("retries.changed"), 1220);
		json_count(sample, PATH("retries.off_cpu"), 3280);
		json_count(sample, PATH("retries.longest_run"), 2);
		json_count(sample, PATH("torn"), 7);
		json_count(sample, PATH("stale"), 9);
		json_count(sample, PATH("caught"), 41);
		json_count(sample, PATH("backwards"), 0);
		json_figure(sample, PATH("read_ns.p99_99"), 210);
	}
	json_count(sample, "readers.count", 1);
	json_count(sample, "exit_status", 2);
	json_figure(sample, "readers.first_fault_ns", 1500);
	has(sample, "torn     7 of 351 204 118 checked, 41 mixtures caught by the retry\n"
		    "           first fault after 1.5 us\n"
		    "stale    9 of 351 204 118 checked\n");
}

/* What text rounds and groups must be what JSON says. */
static void test_text_and_json_agree(void **state)
{
	struct sample *sample = *state;
	char line[256];

	render(sample);
	snprintf(line, sizeof(line), "reads    %s (%s)",
		 cell_count((u64)json_integer_value(at(sample, "readers.reads"))).text,
		 cell_rate(json_real_value(at(sample, "readers.reads_per_second"))).text);
	has(sample, line);
	snprintf(line, sizeof(line), "retries  %s  = %.1f per million reads",
		 cell_count((u64)json_integer_value(at(sample, "readers.retries.total"))).text,
		 json_real_value(at(sample, "readers.retries.per_million")));
	has(sample, line);
	snprintf(line, sizeof(line), "hold p50 %s  p99 %s  max %s\n",
		 cell_ns(json_real_value(at(sample, "writer.hold_ns.p50"))).text,
		 cell_ns(json_real_value(at(sample, "writer.hold_ns.p99"))).text,
		 cell_ns(json_real_value(at(sample, "writer.hold_ns.max"))).text);
	has(sample, line);
}

static void test_nothing_measured(void **state)
{
	struct sample *sample = *state;
	struct distribution none = {0};

	sample->result.all.total = sample->each[0].counts = (struct reader_counts){0};
	sample->result.all.read = sample->each[0].read = none;
	sample->result.all.reads_per_second = 0;
	sample->result.writer.updates = 0;
	sample->result.writer.rate_hz = 0;
	sample->result.writer.hold = sample->result.writer.late = none;
	sample->result.each_writer[0] = sample->result.writer;
	sample->result.machine.l1d_bytes = 0;
	render(sample);
	has(sample, "hold n/a: no update was measured\n");
	has(sample, "reads    0 (0.0 /s)               ");
	has(sample, "   n/a: no read was timed\n");
	has(sample, "retries  0  = n/a per million reads: there was none\n");
	has(sample, "torn     n/a: no read was checked, ");
	has_not(sample, "p99");
	json_lacks(sample, "machine.l1d_bytes", "the machine does not say");
	json_lacks(sample, "readers.retries.per_million", "there was no read");
	json_lacks(sample, "readers.fairness.ratio", "there was no read");
	assert_true(json_is_null(at(sample, "readers.read_ns.p50")));
	assert_true(json_is_null(at(sample, "readers.each.0.read_ns.max")));
	assert_true(json_is_null(at(sample, "readers.each.0.retries.per_million")));
	assert_true(json_is_null(at(sample, "writer.hold_ns.p99")));
	assert_non_null(json_object_get(at(sample, "unavailable"), "readers.read_ns"));
	assert_non_null(json_object_get(at(sample, "unavailable"), "writer.hold_ns"));
	assert_non_null(json_object_get(at(sample, "unavailable"), "writer.late_ns"));
	assert_true(json_is_null(at(sample, "writers.0.hold_ns.p99")));
	assert_non_null(json_object_get(at(sample, "unavailable"), "writers.0.hold_ns"));
	assert_non_null(json_object_get(at(sample, "unavailable"), "writers.0.late_ns"));
}

static void test_unavailable(void **state)
{
	struct sample *sample = *state;

	sample->result.off_cpu_unavailable = "no restartable sequences";
	sample->result.backwards_unavailable = "the payload is no time";
	render(sample);
	has(sample, "off-CPU        n/a      longest run 2\n");
	has(sample, "off-CPU n/a, they are among the changed: no restartable sequences\n");
	has(sample, "time     n/a: the payload is no time\n");
	has_not(sample, "0 backwards");
	json_lacks(sample, "readers.retries.off_cpu", "no restartable sequences");
	json_lacks(sample, "readers.backwards", "the payload is no time");
	assert_true(json_is_null(at(sample, "groups.0.retries.off_cpu")));
	assert_true(json_is_null(at(sample, "readers.each.0.backwards")));
}

static void test_fairness(void **state)
{
	struct sample *sample = *state;

	render(sample);
	has_not(sample, "fairness");
	sample->result.all.readers = sample->config.group[0].readers = 2;
	sample->each[1].cpu = 1;
	sample->each[1].counts.reads = 175602059;
	render(sample);
	has(sample, "fairness slowest 175 602 059 reads (CPU 1)  fastest 351 204 118 reads (CPU 0)"
		    "  ratio 0.500\n");
	has(sample, "contend  2 readers, ");
	has(sample, "readers on CPUs 0-1\n");
	json_count(sample, "readers.fairness.slowest_reads", 175602059);
	json_count(sample, "readers.fairness.fastest_reads", 351204118);
	json_figure(sample, "readers.fairness.ratio", 0.5);
	assert_int_equal(json_array_size(at(sample, "readers.each")), 2);
}

/* Of a reader that is an image; all that is said of it is its own to tell. */
static struct vdso_image image;

/* The second does other things than the first, which alone is at fault. */
static void be_two_groups(struct sample *sample)
{
	struct run_config *config = &sample->config;
	struct run_result *result = &sample->result;

	config->groups = 2;
	strcpy(config->group[0].name, "web");
	config->group[1] = config->group[0];
	strcpy(config->group[1].name, "the log");
	strcpy(config->group[1].reader.path, "coarse/realtime_coarse");
	config->group[1].reader.clock = CLOCK_REALTIME_COARSE;
	config->group[1].work = (struct work_spec){WORK_ALU, 50};
	sample->each[1].group = 1;
	sample->each[1].cpu = 1;
	sample->each[0].counts.torn = 7;
	result->group[0].total.torn = result->all.total.torn = 7;
	result->all.readers = 2;
	result->group[1] = result->group[0];
	result->group[1].each = &sample->each[1];
	result->group[1].total = (struct reader_counts){.reads = 1000, .changed = 2};
	result->group[1].work_ns = 12;
}

static void test_groups(void **state)
{
	struct sample *sample = *state;

	be_two_groups(sample);
	render(sample);
	has(sample, "contend  2 readers in 2 groups, writer tick at 1000 Hz, 10 s\n");
	has(sample, "\ngroup    web: 1 reader, hres/monotonic (unlikely, inlined), on CPU 0\n"
		    "group    the log: 1 reader, coarse/realtime_coarse (unlikely, inlined), work "
		    "alu:50, on CPU 1\n\nwriter ");
	has(sample, "time     0 backwards\n\ngroup    web\nreads    351 204 118 ");
	has(sample, "\ntorn     7 of 351 204 118 checked");
	has(sample, "time     0 backwards\n\ngroup    the log\nreads    1 000 ");
	has(sample, "work between reads 12.0 ns");
	has(sample, "\nretries  2  = 2000.0 per million reads\n");

	json_count(sample, "config.readers", 2);
	json_lacks(sample, "config.reader", "groups differ in it: each has its own");
	json_lacks(sample, "config.work", "groups differ in it: each has its own");
	json_says(sample, "config.groups.0.name", "web");
	json_says(sample, "config.groups.1.reader.clock", "realtime_coarse");
	json_count(sample, "config.groups.1.work.operations", 50);
	assert_true(json_is_null(at(sample, "config.groups.1.cpus")));
	json_lacks(sample, "readers.path", "groups differ in it: each has its own");
	json_lacks(sample, "readers.work_ns", "groups differ in it: each has its own");
	json_count(sample, "readers.torn", 7);
	json_says(sample, "readers.each.1.group", "the log");
	assert_int_equal(json_array_size(at(sample, "groups")), 2);
	json_says(sample, "groups.0.name", "web");
	json_says(sample, "groups.0.clock", "monotonic");
	json_says(sample, "groups.0.work.kind", "none");
	json_count(sample, "groups.0.torn", 7);
	json_count(sample, "groups.0.cpus.0", 0);
	json_says(sample, "groups.1.path", "coarse/realtime_coarse");
	json_says(sample, "groups.1.reader.name", "hres");
	json_figure(sample, "groups.1.work_ns", 12);
	json_count(sample, "groups.1.torn", 0);
	json_count(sample, "groups.1.reads", 1000);
	json_count(sample, "groups.1.cpus.0", 1);
	json_count(sample, "exit_status", 2);
}

/* What one of them does not tell all together do not, and the other still does. */
static void test_an_image_among_groups(void **state)
{
	struct sample *sample = *state;

	be_two_groups(sample);
	image = (struct vdso_image){.name = "host", .patched_by_kernel = true};
	image.wants.layout = page_layout_find("v6.10");
	sample->config.group[1].reader.image = &image;
	sample->result.group[1].retries_unavailable = "it does not tell";
	sample->result.all.retries_unavailable = "it does not tell";
	sample->result.group[1].total.sequence_changed = 5;
	render(sample);
	has(sample, "retries  n/a: it does not tell\ntorn     7 of");
	has(sample, "odd wait        312");
	has(sample, "sequence changed during 5 reads = 5000.0 per million");
	json_lacks(sample, "readers.caught", "it does not tell");
	assert_true(json_is_null(at(sample, "readers.sequence_changed")));
	json_count(sample, "groups.0.retries.total", 4812);
	assert_true(json_is_null(at(sample, "groups.0.sequence_changed")));
	json_lacks(sample, "groups.1.caught", "it does not tell");
	json_count(sample, "groups.1.sequence_changed", 5);
	json_count(sample, "readers.each.0.caught", 41);
	assert_true(json_is_null(at(sample, "readers.each.1.caught")));
}

static int write_text_expect(FILE *out, const struct sample *sample)
{
	return report_text_expect(out, &sample->expect, &sample->config, &sample->result);
}

static void test_expect(void **state)
{
	static const char *const conditions[] = {"torn = 0", "web.retries_per_million < 50",
						 "the log.retries_per_million < 50",
						 "sequence_changed < 5"};
	struct sample *sample = *state;
	struct errmsg err;

	report_sample_render(sample, write_text_expect, write_json);
	assert_string_equal(sample->text, "");
	assert_int_equal(json_array_size(at(sample, "expect")), 0);
	be_two_groups(sample);
	sample->result.all.total.torn = 0;
	for (size_t i = 0; i < ARRAY_SIZE(conditions); i++)
		assert_int_equal(expect_add(&sample->expect, conditions[i], &sample->config, &err),
				 0);
	report_sample_render(sample, write_text_expect, write_json);
	assert_string_equal(
		sample->text,
		"\nexpect   torn = 0                           found 0: held\n"
		"expect   web.retries_per_million < 50       found 13.7014: held\n"
		"expect   the log.retries_per_million < 50   found 2000: did NOT hold\n"
		"expect   sequence_changed < 5               n/a, because it is counted of an "
		"image's code alone: did NOT hold\n");
	json_says(sample, "expect.0.condition", "torn = 0");
	assert_true(json_is_null(at(sample, "expect.0.group")));
	assert_true(json_is_true(at(sample, "expect.0.held")));
	json_says(sample, "expect.1.group", "web");
	json_says(sample, "expect.1.figure", "retries_per_million");
	json_says(sample, "expect.1.relation", "<");
	json_figure(sample, "expect.1.value", 50);
	json_figure(sample, "expect.1.found", 1e6 * 4812 / 351204118);
	assert_true(json_is_false(at(sample, "expect.2.held")));
	json_lacks(sample, "expect.3.found", "it is counted of an image's code alone");
	assert_true(json_is_false(at(sample, "expect.3.held")));
	json_count(sample, "exit_status", 2);
}

static void test_lines_when_needed(void **state)
{
	struct sample *sample = *state;

	sample->config.payload = PAYLOAD_STAMP;
	sample->config.group[0].work = (struct work_spec){WORK_CACHE, 65536};
	sample->result.all.work_ns = 1234;
	sample->result.all.timer_ns = 14;
	sample->result.all.total.fallbacks = 1;
	sample->result.all.total.unchecked = 2000;
	sample->result.all.total.spins = 3000;
	sample->result.all.total.lost_unjudged = 1;
	sample->result.all.total.off_cpu_gaps = 4;
	sample->result.writer.missed_ticks = 5;
	sample->result.writer.stalls = 1;
	sample->result.writer.priority = 0;
	sample->result.machine.cpus_allowed = 1;
	render(sample);
	has(sample, ", payload stamp, work cache:64K, 10 s\n");
	has(sample, "work between reads 1.2 us, not in these figures\n");
	has(sample, "timing each read 14.0 ns, taken out\n");
	has(sample, "1 fallback to the system call");
	has(sample, "2 000 reads unchecked");
	has(sample, "3 000 spins while odd\n");
	has(sample, "1 attempt thrown away unjudged\n");
	has(sample, "4 reads not timed");
	has(sample, "5 ticks without an update of their own\n");
	has(sample, "1 stall: held for 1.0 ms or more\n");
	has(sample, "writer on CPU 1 (not real-time), ");
	has(sample, "2 CPUs (1 allowed), ");
	json_says(sample, "config.payload", "stamp");
	json_count(sample, "config.work.bytes", 65536);
	json_figure(sample, "readers.work_ns", 1234);
	json_count(sample, "readers.fallbacks", 1);
	json_count(sample, "readers.retries.spins", 3000);
	json_count(sample, "writer.missed_ticks", 5);
}

static const struct spec_key every_keys[] = {{"every", NULL, "50ms", ""}, {.name = NULL}};
static const struct spec_key burst_keys[] = {
	{"hz", NULL, "1000", ""}, {"burst", NULL, "0", ""}, {.name = NULL}};
static const struct writer_kind step = {.name = "step", .keys = every_keys};
static const struct writer_kind storm = {.name = "storm", .keys = burst_keys};

static void test_writer_cells(void **state)
{
	const struct writer_choice tick = choice_of("tick:hz=250");
	const struct writer_choice poisson = choice_of("tick:hz=250,arrivals=poisson");
	const struct writer_choice steps = {.kind = &step, .value = {[WRITER_EVERY] = 50000000}};
	const struct writer_choice endless = {.kind = &storm, .hz = 1000};
	const struct writer_choice bursts = {
		.kind = &storm, .hz = 1000, .value = {[WRITER_BURST] = 8}};

	(void)state;
	assert_string_equal(writer_cell(&tick).text, "tick at 250 Hz");
	assert_string_equal(writer_cell(&poisson).text, "tick at 250 Hz on average");
	assert_string_equal(writer_cell(&steps).text, "step every 50 ms");
	assert_string_equal(writer_cell(&endless).text, "storm without pause");
	assert_string_equal(writer_cell(&bursts).text, "storm at 1000 Hz");
	assert_string_equal(updates_cell(&tick).text, "updates at 250 Hz");
	assert_string_equal(updates_cell(&poisson).text, "updates by tick at 250 Hz on average");
	assert_string_equal(updates_cell(&steps).text, "updates by step every 50 ms");
}

static void test_writers_cell(void **state)
{
	struct run_config config = {.writers = 1, .writer = {choice_of("tick:hz=1000")}};

	(void)state;
	assert_string_equal(writers_cell(&config).text, "writer tick at 1000 Hz");
	config.writers = 2;
	config.writer[1] = (struct writer_choice){.kind = &step, .value = {[WRITER_EVERY] = 1000}};
	assert_string_equal(writers_cell(&config).text, "writers tick at 1000 Hz, step every 1 us");
	/* As many as there can be, with the longest of all words, find room. */
	config.writers = WRITER_MAX;
	for (size_t i = 0; i < WRITER_MAX; i++)
		config.writer[i] = choice_of("late-sequence:hz=10000000");
	assert_int_equal(strlen(writers_cell(&config).text),
			 strlen("writers ") + WRITER_MAX * strlen("late-sequence at 10000000 Hz") +
				 (WRITER_MAX - 1) * strlen(", "));
}

/* Together under the name of the first, and each for itself. */
static void test_two_writers(void **state)
{
	struct sample *sample = *state;

	sample->config.writers = sample->result.writers = 2;
	sample->config.writer[0] = choice_of("tick:hz=1000,hold=2us");
	sample->config.writer[1] = (struct writer_choice){
		.kind = &step, .spec = "step:every=1ms", .value = {[WRITER_EVERY] = 1000000}};
	sample->result.each_writer[0].updates = 9000;
	sample->result.each_writer[1] = (struct writer_result){
		.cpu = 1,
		.updates = 1000,
		.rate_hz = 100,
		.missed_ticks = 3,
		.hold = {1000, 80, 75, 190, 950, 4100},
		.late = {1000, 2100, 1100, 14500, 21000, 31000},
		.stalls = 2,
		.stall_limit_ns = 500000,
	};
	sample->result.forbidden_jumps = 4;
	sample->result.steered_back = 5;
	render(sample);
	has(sample, ", writers tick at 1000 Hz, step every 1 ms, 10 s\n");
	json_says(sample, "config.writer", "tick");
	json_count(sample, "config.hz", 1000);
	json_count(sample, "config.hold_ns", 2000);
	assert_int_equal(json_array_size(at(sample, "config.writers")), 2);
	json_says(sample, "config.writers.0.name", "tick");
	json_says(sample, "config.writers.0.spec", "tick:hz=1000,hold=2us");
	json_count(sample, "config.writers.0.hz", 1000);
	json_says(sample, "config.writers.1.name", "step");
	json_says(sample, "config.writers.1.spec", "step:every=1ms");
	assert_true(json_is_null(at(sample, "config.writers.1.hz")));
	json_says(sample, "writer.name", "tick");
	json_count(sample, "writer.updates", 10000);
	assert_int_equal(json_array_size(at(sample, "writers")), 2);
	json_says(sample, "writers.0.name", "tick");
	json_count(sample, "writers.0.updates", 9000);
	json_figure(sample, "writers.0.hold_ns.p99", 180);
	json_says(sample, "writers.1.name", "step");
	json_count(sample, "writers.1.updates", 1000);
	json_count(sample, "writers.1.missed_ticks", 3);
	json_count(sample, "writers.1.stalls", 2);
	json_figure(sample, "writers.1.rate_hz", 100);
	json_figure(sample, "writers.1.hold_ns.max", 4100);
	json_figure(sample, "writers.1.late_ns.p50", 1100);
	json_figure(sample, "writers.1.stall_limit_ns", 500000);
	json_count(sample, "forbidden_jumps", 4);
	json_count(sample, "steered_back", 5);
}

/* A first writer without a rate has none in the old place either. */
static void test_writer_without_a_rate(void **state)
{
	struct sample *sample = *state;

	sample->config.writer[0] = (struct writer_choice){
		.kind = &step, .spec = "step", .value = {[WRITER_EVERY] = 50000000}};
	render(sample);
	has(sample, ", writer step every 50 ms, 10 s\n");
	assert_true(json_is_null(at(sample, "config.hz")));
	json_says(sample, "config.writers.0.spec", "step");
}

static void test_baseline(void **state)
{
	struct sample *sample = *state;

	sample->config.baseline = true;
	sample->result.baseline = (struct baseline_result){
		.pairs = 400,
		.host_ns = 27.9,
		.bare_ns = 28.1,
		.counted_ns = 28.2,
		.bare_to_host = 1.0072,
		.counted_to_bare = 1.0036,
		.run_to_counted = 1.25,
	};
	render(sample);
	has(sample,
	    "baseline bare 28.1 ns  counted 28.2 ns  host's vDSO 27.9 ns a read, medians of "
	    "400 blocks each\n");
	has(sample, "counted / bare 1.0036      run / counted 1.2500      bare / host 1.0072\n");
	json_count(sample, "baseline.pairs", 400);
	json_figure(sample, "baseline.bare_to_host", 1.0072);
	json_figure(sample, "baseline.run_to_counted", 1.25);
	sample->result.baseline.unavailable = "there is no vDSO";
	render(sample);
	has(sample, "bare / host n/a: there is no vDSO\n");
	has_not(sample, "host's vDSO 27.9");
	json_lacks(sample, "baseline.host_ns", "there is no vDSO");
	json_lacks(sample, "baseline.bare_to_host", "there is no vDSO");
	sample->result.baseline = (struct baseline_result){0};
	render(sample);
	has(sample, "baseline n/a: no block was timed\n");
	json_lacks(sample, "baseline", "no block was timed");
}

static void add_alternative(const char *feature, u32 offset, bool applied)
{
	struct alternative *entry = &image.alternatives.list[image.alternatives.count++];

	*entry = (struct alternative){.offset = offset, .bytes = 5, .applied = applied};
	snprintf(entry->feature, sizeof(entry->feature), "%s", feature);
	entry->why = applied ? "the processor has it" : "a later entry was put there";
}

static void be_image(struct sample *sample)
{
	struct reader *reader = &sample->config.group[0].reader;

	image = (struct vdso_image){.name = "/some/where/vdso64.so"};
	image.wants = (struct vdso_wants){
		.layout = page_layout_find("v6.10"),
		.time_page = -4,
		.data_offset = 128,
		.has_namespace = true,
		.namespace_page = -1,
		.has_pvclock = true,
		.pvclock_page = -3,
	};
	add_alternative("lfence_rdtsc", 0x1a0, false);
	add_alternative("rdtscp", 0x1a0, true);
	add_alternative("rdtscp", 0x234, true);
	add_alternative("rdpid", 0x300, true);
	*reader = (struct reader){
		.kind = &reader_image,
		.clock = CLOCK_MONOTONIC,
		.uses_counter = true,
		.image = &image,
		.call = VDSO_CLOCK_GETTIME,
		.path = "image:vdso64.so/monotonic",
		.variation = "page of v6.10",
	};
	sample->result.all.retries_unavailable = "it does not tell";
	sample->result.all.timer_ns = 17;
	sample->result.all.total = sample->each[0].counts = (struct reader_counts){
		.reads = 620544,
		.checked = 1585152,
		.sequence_changed = 29,
		.began_odd = 1234,
	};
}

static void test_image(void **state)
{
	struct sample *sample = *state;

	be_image(sample);
	render(sample);
	has(sample,
	    "contend  1 reader, image:vdso64.so/monotonic (page of v6.10), writer tick at ");
	has(sample,
	    "\nimage    page as of kernels about 6.10 to 6.14 (v6.10), at byte 128 of page -4 of "
	    "the image's; in a time namespace page -1 too; pvclock in page -3\n"
	    "           alternatives rdtscp at 0x1a0, 0x234; rdpid at 0x300\n");
	has(sample,
	    "\nretries  n/a: it does not tell\n"
	    "           sequence changed during 29 reads = 46.7 per million      began on odd "
	    "1 234\n");
	has(sample, "\ntorn     0 of 1 585 152 checked, mixtures caught by the retry n/a\n");
	has(sample, "\n           timing each read 17.0 ns, taken out\n");
	has_not(sample, "odd wait");
	has_not(sample, "longest run");
	has_not(sample, "unjudged");
}

static void test_image_in_few_words(void **state)
{
	struct sample *sample = *state;

	be_image(sample);
	image.wants.has_namespace = image.wants.has_pvclock = false;
	image.alternatives.count = 1;
	sample->result.all.total.reads = sample->result.all.total.sequence_changed = 1;
	render(sample);
	has(sample,
	    "at byte 128 of page -4 of the image's\n           alternatives none applied\n");
	has(sample, "sequence changed during 1 read = 1000000.0 per million      began");
	image.patched_by_kernel = true;
	image.alternatives.count = 0;
	sample->result.all.total = (struct reader_counts){.reads = 0};
	render(sample);
	has(sample, "\n           alternatives as the kernel applied them\n");
	has(sample, "sequence changed during 0 reads      began on odd 0\n");
	has(sample, "\ntorn     n/a: no read was checked, mixtures caught by the retry n/a\n");
	assert_true(json_is_true(at(sample, "config.reader.image.patched_by_kernel")));
	assert_true(json_is_null(at(sample, "config.reader.image.namespace_page")));
	assert_true(json_is_null(at(sample, "config.reader.image.pvclock_page")));
	assert_int_equal(json_array_size(at(sample, "config.reader.image.alternatives")), 0);
}

static void test_image_in_json(void **state)
{
	static const char *const parts[] = {"readers", "groups.0", "readers.each.0"};
	static const char *const untold[] = {
		"retries.total",   "retries.per_million", "retries.odd_wait",	 "retries.spins",
		"retries.changed", "retries.off_cpu",	  "retries.longest_run", "caught",
		"lost_unjudged"};
	struct sample *sample = *state;
	char path[64];

	be_image(sample);
	render(sample);
	json_says(sample, "config.reader.name", "image");
	json_says(sample, "config.reader.call", vdso_call_name(VDSO_CLOCK_GETTIME));
	json_says(sample, "config.reader.image.name", "/some/where/vdso64.so");
	json_says(sample, "config.reader.image.layout", "v6.10");
	json_count(sample, "config.reader.image.time_page", (u64)-4);
	json_count(sample, "config.reader.image.data_offset_bytes", 128);
	json_count(sample, "config.reader.image.namespace_page", (u64)-1);
	json_count(sample, "config.reader.image.pvclock_page", (u64)-3);
	assert_true(json_is_false(at(sample, "config.reader.image.patched_by_kernel")));
	assert_int_equal(json_array_size(at(sample, "config.reader.image.alternatives")), 4);
	json_count(sample, "config.reader.image.alternatives.0.offset_bytes", 0x1a0);
	json_count(sample, "config.reader.image.alternatives.0.length_bytes", 5);
	json_says(sample, "config.reader.image.alternatives.0.feature", "lfence_rdtsc");
	json_says(sample, "config.reader.image.alternatives.0.why", "a later entry was put there");
	assert_true(json_is_false(at(sample, "config.reader.image.alternatives.0.applied")));
	assert_true(json_is_true(at(sample, "config.reader.image.alternatives.3.applied")));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(untold); j++) {
			snprintf(path, sizeof(path), "%s.%s", parts[i], untold[j]);
			assert_true(json_is_null(at(sample, path)));
		}
		snprintf(path, sizeof(path), "%s.sequence_changed", parts[i]);
		json_count(sample, path, 29);
		snprintf(path, sizeof(path), "%s.began_odd", parts[i]);
		json_count(sample, path, 1234);
	}
	json_lacks(sample, "readers.caught", "it does not tell");
	json_lacks(sample, "readers.lost_unjudged", "it does not tell");
	assert_string_equal(
		json_string_value(json_object_get(at(sample, "unavailable"), "readers.retries")),
		"it does not tell");
}

/* What nobody asked of a reader that is no image. */
static void test_no_image(void **state)
{
	struct sample *sample = *state;

	render(sample);
	has_not(sample, "image");
	has_not(sample, "alternatives");
	assert_true(json_is_null(at(sample, "config.reader.image")));
	assert_true(json_is_null(at(sample, "config.reader.call")));
	assert_true(json_is_null(at(sample, "readers.sequence_changed")));
	assert_true(json_is_null(at(sample, "readers.each.0.began_odd")));
	json_count(sample, "readers.lost_unjudged", 0);
}

static void test_image_baseline(void **state)
{
	static const char *const untold[] = {"baseline.counted_ns", "baseline.counted_to_bare",
					     "baseline.run_to_counted"};
	struct sample *sample = *state;

	be_image(sample);
	sample->config.baseline = true;
	sample->result.baseline = (struct baseline_result){
		.pairs = 400, .host_ns = 27.9, .bare_ns = 28.1, .bare_to_host = 1.0072};
	render(sample);
	has(sample,
	    "baseline bare 28.1 ns  host's vDSO 27.9 ns a read, medians of 400 blocks each\n"
	    "           counted n/a: an image's code tells nothing      bare / host 1.0072\n");
	for (size_t i = 0; i < ARRAY_SIZE(untold); i++)
		json_lacks(sample, untold[i], "an image's code tells nothing");
	json_figure(sample, "baseline.bare_to_host", 1.0072);
	sample->result.baseline.unavailable = "another function";
	render(sample);
	has(sample, "tells nothing      bare / host n/a: another function\n");
	json_lacks(sample, "baseline.host_ns", "another function");
}

/* Nothing but what was measured, and no figure that is none. */
static void test_image_without_a_read(void **state)
{
	struct sample *sample = *state;
	char path[2] = {(char)0xe9, 0};

	be_image(sample);
	strcat(image.name, path);
	sample->config.baseline = true;
	sample->each[0].counts = sample->result.all.total = (struct reader_counts){.fallbacks = 7};
	sample->each[0].read = sample->result.all.read = (struct distribution){0};
	sample->result.all.reads_per_second = 0;
	sample->result.off_cpu_unavailable = sample->result.backwards_unavailable = "for a reason";
	render(sample);
	has_not(sample, "nan");
	has_not(sample, "inf");
	has(sample, "\ntime     n/a: for a reason\n");
	has(sample, "\nbaseline n/a: no block was timed\n");
	has(sample, "\n           7 fallbacks to the system call, not among the reads\n");
	assert_true(json_is_null(at(sample, "readers.read_ns.p50")));
	json_says(sample, "config.reader.image.name", "/some/where/vdso64.so?");
	json_count(sample, "exit_status", 1);
}

static void test_image_calls(void **state)
{
	static const char *const names[VDSO_CALLS] = {
		[VDSO_GETTIMEOFDAY] = "__vdso_gettimeofday",
		[VDSO_TIME] = "__vdso_time",
		[VDSO_CLOCK_GETRES] = "__vdso_clock_getres",
	};
	struct sample *sample = *state;

	for (int call = VDSO_CLOCK_GETTIME + 1; call < VDSO_CALLS; call++) {
		be_image(sample);
		sample->config.group[0].reader.call = (enum vdso_call)call;
		render(sample);
		json_says(sample, "config.reader.call", names[call]);
	}
}

static void test_interrupted(void **state)
{
	struct sample *sample = *state;

	sample->result.outcome = RUN_INTERRUPTED;
	sample->result.seconds = 0.42;
	render(sample);
	has(sample, "partial  interrupted after 420 ms of 10 s; ");
	json_says(sample, "outcome", "interrupted");
	assert_true(json_is_false(at(sample, "complete")));
	json_count(sample, "exit_status", 130);
	assert_true(json_is_null(at(sample, "stall")));
}

static void test_stalled(void **state)
{
	struct sample *sample = *state;

	sample->result.outcome = RUN_STALLED;
	strcpy(sample->result.stall, "the writer is stuck on CPU 1");
	render(sample);
	has(sample, "stalled  the writer is stuck on CPU 1\n");
	has(sample, "partial  ");
	json_says(sample, "outcome", "stalled");
	json_says(sample, "stall", "the writer is stuck on CPU 1");
	assert_true(json_is_false(at(sample, "complete")));
	json_count(sample, "exit_status", 3);
}

static enum status status_of(enum run_outcome outcome, u64 torn, u64 backwards)
{
	const struct run_result result = {
		.outcome = outcome,
		.all = {.total = {.reads = 10, .torn = torn, .backwards = backwards}},
	};

	return report_status(&result);
}

static enum status status_of_stale(enum run_outcome outcome)
{
	const struct run_result result = {
		.outcome = outcome,
		.all = {.total = {.reads = 10, .stale = 1}},
	};

	return report_status(&result);
}

static enum status status_of_nothing(enum run_outcome outcome)
{
	const struct run_result result = {.outcome = outcome};

	return report_status(&result);
}

static void test_status(void **state)
{
	(void)state;
	assert_int_equal(status_of(RUN_COMPLETE, 0, 0), 0);
	assert_int_equal(status_of_nothing(RUN_COMPLETE), 1);
	assert_int_equal(status_of_nothing(RUN_INTERRUPTED), 130);
	assert_int_equal(status_of_nothing(RUN_STALLED), 3);
	assert_int_equal(status_of(RUN_COMPLETE, 1, 0), 2);
	assert_int_equal(status_of(RUN_COMPLETE, 0, 1), 2);
	assert_int_equal(status_of(RUN_STALLED, 0, 0), 3);
	assert_int_equal(status_of(RUN_STALLED, 1, 0), 2);
	assert_int_equal(status_of_stale(RUN_COMPLETE), 2);
	assert_int_equal(status_of_stale(RUN_STALLED), 2);
	assert_int_equal(status_of_stale(RUN_INTERRUPTED), 2);
	assert_int_equal(status_of(RUN_INTERRUPTED, 0, 0), 130);
	assert_int_equal(status_of(RUN_INTERRUPTED, 0, 1), 2);
}

/* JSON can hold neither; a result must not be lost for it. */
static void test_json_cannot_hold(void **state)
{
	struct sample *sample = *state;

	strcpy(sample->result.machine.cpu_model, "caf\xe9");
	remark(&sample->result.remarks, "broken \xff\xfe");
	sample->result.all.read.p50_ns = NAN;
	sample->result.all.reads_per_second = INFINITY;
	sample->result.all.total.reads = UINT64_MAX;
	render(sample);
	json_says(sample, "machine.cpu_model", "caf?");
	json_says(sample, "remarks.0", "broken ??");
	assert_true(json_is_null(at(sample, "readers.read_ns.p50")));
	assert_true(json_is_null(at(sample, "readers.reads_per_second")));
	json_count(sample, "readers.reads", INT64_MAX);
}

static void test_disk_full(void **state)
{
	struct sample *sample = *state;
	FILE *full = fopen("/dev/full", "w");
	struct errmsg err = {""};

	assert_non_null(full);
	assert_int_equal(
		report_run_json(full, &sample->config, &sample->result, &sample->expect, &err), -1);
	assert_string_equal(err.text, "No space left on device");
	fclose(full);
	full = fopen("/dev/full", "w");
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(report_text(full, &sample->config, &sample->result), -1);
	fclose(full);
}

#define WITH_SAMPLE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_cpus),
		WITH_SAMPLE(test_shape),
		WITH_SAMPLE(test_remarks),
		WITH_SAMPLE(test_json_fields),
		WITH_SAMPLE(test_json_histograms),
		WITH_SAMPLE(test_json_invocation),
		WITH_SAMPLE(test_json_readers),
		WITH_SAMPLE(test_text_and_json_agree),
		WITH_SAMPLE(test_nothing_measured),
		WITH_SAMPLE(test_unavailable),
		WITH_SAMPLE(test_fairness),
		WITH_SAMPLE(test_groups),
		WITH_SAMPLE(test_an_image_among_groups),
		WITH_SAMPLE(test_expect),
		WITH_SAMPLE(test_lines_when_needed),
		cmocka_unit_test(test_writer_cells),
		cmocka_unit_test(test_writers_cell),
		WITH_SAMPLE(test_two_writers),
		WITH_SAMPLE(test_writer_without_a_rate),
		WITH_SAMPLE(test_baseline),
		WITH_SAMPLE(test_image),
		WITH_SAMPLE(test_image_in_few_words),
		WITH_SAMPLE(test_image_in_json),
		WITH_SAMPLE(test_no_image),
		WITH_SAMPLE(test_image_baseline),
		WITH_SAMPLE(test_image_without_a_read),
		WITH_SAMPLE(test_image_calls),
		WITH_SAMPLE(test_interrupted),
		WITH_SAMPLE(test_stalled),
		cmocka_unit_test(test_status),
		WITH_SAMPLE(test_json_cannot_hold),
		WITH_SAMPLE(test_disk_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
