// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text, JSON and CSV of sweeps that never were, and what a later sweep takes from such JSON.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/sweep_csv.h"
#include "report/sweep_json.h"
#include "report/sweep_resume.h"
#include "report/sweep_text.h"

#define POINTS 6

/* One result, what it was made by, and what came of it. */
struct sample {
	struct sweep_config config;
	struct sweep_result result;
	struct law law;
	struct law_finding finding[POINTS];
	char file[64];
	char *text;
	json_t *json;
};

#include "tests/unit/report_sample.h"

static struct sweep_point point_of(u64 hz, u32 readers, u64 reads, u64 changed, u64 waited)
{
	return (struct sweep_point){
		.hz = hz,
		.readers = readers,
		.state = SWEEP_DONE,
		.runs = 2,
		.seconds = 1.5,
		.updates = hz + hz / 2,
		.rate_hz = (double)hz,
		.reads = reads,
		.retried = changed + waited,
		.waited = waited,
		.off_cpu = 5,
		.read_samples = 1,
		.read_ns = 24.5,
		.hold_samples = 1,
		.hold_ns = 12.25,
	};
}

/* 25 ns of reading and 10 ns of hold, but for the last point. */
static int setup(void **state)
{
	struct sample *sample = calloc(1, sizeof(*sample));
	struct writer_choice writer;
	struct errmsg err;
	int file;

	assert_non_null(sample);
	sample->config = (struct sweep_config){
		.hz = {3, {100, 1000, 1000000}},
		.readers = {2, {1, 64}},
		.clocksource = clocksource_find("monotonic_raw"),
		.writer_cpu = -1,
		.priority = PRIORITY_AUTO,
		.seed = 1,
		.retries = 100,
		.max_time_ns = 8ull * NSEC_PER_SEC,
	};
	assert_int_equal(reader_resolve("hres", &sample->config.reader, &err), 0);
	assert_int_equal(writer_resolve("tick", &writer, &err), 0);
	sample->config.writer = writer;
	assert_int_equal(sweep_result_begin(&sample->config, &sample->result, &err), 0);
	sample->result.machine =
		(struct machine){"Intel Xeon", "6.1.0", "KVM", "x86_64", 2, 2, 32768};
	sample->result.point[0] = point_of(100, 1, 10000000, 25, 10);
	sample->result.point[1] = point_of(100, 64, 400000000, 1000, 400);
	sample->result.point[2] = point_of(1000, 1, 100000000, 2500, 1000);
	sample->result.point[3] = point_of(1000, 64, 100000000, 2500, 1000);
	sample->result.point[4] = point_of(1000000, 1, 1000000, 25000, 10000);
	sample->result.point[5] = point_of(1000000, 64, 1000000, 50000, 20000);
	remark(&sample->result.remarks, "nothing was under control");
	strcpy(sample->file, "/tmp/contend-sweep-XXXXXX");
	file = mkstemp(sample->file);
	assert_true(file >= 0);
	close(file);
	*state = sample;
	return 0;
}

static int end(void **state)
{
	struct sample *sample = *state;

	unlink(sample->file);
	sweep_result_release(&sample->result);
	reader_release(&sample->config.reader);
	return teardown(state);
}

static struct swept swept_of(const struct sample *sample)
{
	return (struct swept){&sample->config, &sample->result, &sample->law, sample->finding};
}

static int write_text(FILE *out, const struct sample *sample)
{
	const struct swept swept = swept_of(sample);

	return report_sweep_head(out, &swept) || report_sweep_figures(out, &swept) ||
	       report_sweep_remarks(out, &sample->result);
}

static int write_json(FILE *out, const struct sample *sample)
{
	const struct swept swept = swept_of(sample);
	struct errmsg err;

	return report_sweep_json(out, &swept, &err);
}

static void render(struct sample *sample)
{
	sweep_law(&sample->result, &sample->law, sample->finding);
	report_sample_render(sample, write_text, write_json);
}

static json_t *member(const struct sample *sample, size_t point, const char *name)
{
	return json_object_get(json_array_get(json_object_get(sample->json, "points"), point),
			       name);
}

static double figure(const struct sample *sample, size_t point, const char *name)
{
	json_t *value = member(sample, point, name);

	if (!json_is_number(value))
		fail_msg("points[%zu].%s is no number", point, name);
	return json_number_value(value);
}

static void assert_near(double value, double right, double error)
{
	if (!(fabs(value - right) <= error))
		fail_msg("%.15g is not near %.15g", value, right);
}

static void test_ordinary(void **state)
{
	struct sample *sample = *state;
	json_t *law;

	render(sample);
	has(sample, "contend  sweep of 3 rates x 2 numbers of readers, hres/monotonic (unlikely, "
		    "inlined), writer tick; each point to 100 retries or for 8 s\n");
	has(sample, "machine  Intel Xeon, 2 CPUs, kernel 6.1.0, counter monotonic_raw\n");
	has_not(sample, "partial");
	/* It has 35 of 100 retries: 48.7 are the most. */
	has(sample,
	    "       100       1      100.0   1.5 s        35    < 4.87       2.44 to 4.87   "
	    "10.00   25.00     3.50   ");
	has(sample,
	    "     1 000      64     1000.0   1.5 s     3 500      35.0       33.8 to 36.2   "
	    "10.00   25.00     35.0   ");
	has(sample, " 1 000 000      64  1000000.0   1.5 s    70 000     70000     ");
	has(sample, "   20.00   50.00    35000 +100.0 % !\n");
	has(sample,
	    "law      share of reads that retry = rate x (hold 10.00 ns + read 25.00 ns)\n");
	has(sample, "off-CPU retries are not in it\n");
	has(sample, "as timed there: hold 12.25 ns by the writer, median; read 24.50 ns by "
		    "readers, mean\n");
	has(sample, "residual 0.0 % at the 5 of 6 points at which it holds\n");
	has(sample, "breaks   down at 1 of 6 points\n"
		    "           1 000 000 Hz with 64 readers: +100.0 %\n");
	has(sample, "remark   nothing was under control\n");
	assert_near(figure(sample, 1, "retries_per_million"), 3.5, 1e-9);
	assert_true(figure(sample, 1, "low") < 3.5 && figure(sample, 1, "high") > 3.5);
	assert_true(json_is_true(member(sample, 0, "is_bound")));
	assert_true(json_is_false(member(sample, 1, "is_bound")));
	assert_near(figure(sample, 5, "law_per_million"), 35000, 1e-6);
	assert_near(figure(sample, 5, "residual_percent"), 100, 1e-6);
	assert_true(json_is_true(member(sample, 5, "breaks_down")));
	assert_true(json_is_false(member(sample, 4, "breaks_down")));
	assert_near(figure(sample, 5, "visible_hold_ns"), 20, 1e-9);
	assert_near(figure(sample, 5, "visible_read_ns"), 50, 1e-9);
	law = json_object_get(sample->json, "law");
	assert_near(json_number_value(json_object_get(law, "hold_ns")), 10, 1e-6);
	assert_near(json_number_value(json_object_get(law, "read_ns")), 25, 1e-6);
	assert_int_equal(json_integer_value(json_object_get(law, "points_held")), 5);
	assert_true(json_is_true(json_object_get(sample->json, "complete")));
	assert_int_equal(json_integer_value(json_object_get(sample->json, "exit_status")), 0);
}

static void test_where_it_breaks_down(void **state)
{
	struct sample *sample = *state;

	sample->result.point[0] = point_of(100, 1, 100000000, 250, 200);
	sample->result.point[1] = point_of(100, 64, 100000000, 250, 500);
	render(sample);
	has(sample, "breaks   down at 3 of 6 points\n"
		    "           100 Hz with any number of readers: +28.6 to +114.3 %\n"
		    "           1 000 000 Hz with 64 readers: +100.0 %\n");
}

/* A writer that was put aside explains what a point differs by, and is told. */
static void test_writer_that_fell_behind(void **state)
{
	struct sample *sample = *state;

	sample->result.point[5].rate_hz = 123456;
	render(sample);
	has(sample,
	    "           1 000 000 Hz with 64 readers: +1520.0 %; the writer kept 12 % of that "
	    "rate\n");
	sample->result.point[4].rate_hz = 500000;
	render(sample);
	has(sample, "           1 000 000 Hz with any number of readers: +100.0 to +1520.0 %; the "
		    "writer kept 12 to 50 % of that rate\n");
	sample->result.point[4].rate_hz = 124000;
	render(sample);
	has(sample, "the writer kept 12 % of that rate\n");
}

static void test_interrupted(void **state)
{
	struct sample *sample = *state;

	sample->result.interrupted = true;
	sample->result.point[4] = (struct sweep_point){.hz = 1000000, .readers = 1};
	sample->result.point[5] = (struct sweep_point){.hz = 1000000, .readers = 64};
	render(sample);
	has(sample, "partial  interrupted after 4 of 6 points\n");
	has_not(sample, "1 000 000");
	assert_int_equal(json_array_size(json_object_get(sample->json, "points")), 4);
	assert_true(json_is_false(json_object_get(sample->json, "complete")));
	assert_int_equal(json_integer_value(json_object_get(sample->json, "exit_status")), 130);
}

static void make_troubled(struct sample *sample)
{
	struct sweep_point *point = sample->result.point;

	point[1].state = SWEEP_STALLED;
	strcpy(point[1].why, "the page stood still");
	point[2] = (struct sweep_point){
		.hz = 1000, .readers = 1, .state = SWEEP_FAILED, .why = "no memory for it"};
	point[3].updates = 0;
	point[3].rate_hz = 0;
	sample->result.off_cpu_unavailable = "no restartable sequences";
}

static void test_troubled(void **state)
{
	struct sample *sample = *state;
	json_t *unavailable;

	make_troubled(sample);
	sample->result.point[5].torn = 3;
	render(sample);
	has(sample, "       100      64   stalled, see below\n");
	has(sample, "     1 000       1   failed, see below\n");
	has(sample, "     1 000      64   n/a: no update was measured\n");
	has(sample, " 1 000 000      64   3 torn, 0 backwards\n");
	sample->result.point[5].stale = 1200;
	render(sample);
	has(sample, " 1 000 000      64   3 torn, 1 200 stale, 0 backwards\n");
	assert_int_equal(json_integer_value(member(sample, 5, "stale")), 1200);
	has(sample, "stalled  at 100 Hz with 64 readers: the page stood still\n");
	has(sample, "failed   at 1 000 Hz with 1 reader: no memory for it\n");
	has(sample, "off-CPU retries are in it: they cannot be told apart here\n");
	has(sample, "at the 2 of 2 points at which it holds\n");
	has_not(sample, "breaks");
	unavailable = json_object_get(sample->json, "unavailable");
	assert_string_equal(json_string_value(json_object_get(unavailable, "points.1")),
			    "the page stood still");
	assert_string_equal(json_string_value(json_object_get(unavailable, "points.3")),
			    "no update was measured");
	assert_string_equal(json_string_value(json_object_get(unavailable, "points.5")),
			    "a read was found wrong");
	assert_string_equal(json_string_value(json_object_get(unavailable, "points.0.off_cpu")),
			    "no restartable sequences");
	assert_true(json_is_null(member(sample, 5, "low")));
	assert_true(json_is_null(member(sample, 0, "off_cpu")));
	assert_null(member(sample, 0, "why"));
}

/* What was found wrong wins over a stall, that over an interruption, that over a failure. */
static void test_status(void **state)
{
	struct sample *sample = *state;
	struct sweep_point *point = sample->result.point;

	assert_int_equal(report_sweep_status(&sample->result), 0);
	point[0].state = SWEEP_FAILED;
	assert_int_equal(report_sweep_status(&sample->result), 1);
	point[1].state = SWEEP_OPEN;
	assert_int_equal(report_sweep_status(&sample->result), 130);
	point[2].state = SWEEP_STALLED;
	assert_int_equal(report_sweep_status(&sample->result), 3);
	point[3].backwards = 1;
	assert_int_equal(report_sweep_status(&sample->result), 2);
	point[3].backwards = 0;
	point[3].torn = 1;
	assert_int_equal(report_sweep_status(&sample->result), 2);
}

/* What was not timed is no length of 0 in the mean. */
static void test_not_timed(void **state)
{
	struct sample *sample = *state;

	sample->result.point[0].read_samples = 0;
	sample->result.point[0].read_ns = 0;
	for (size_t i = 0; i < POINTS; i++)
		sample->result.point[i].hold_samples = 0;
	render(sample);
	has(sample,
	    "as timed there: hold n/a by the writer, median; read 24.50 ns by readers, mean\n");
}

static void test_no_law(void **state)
{
	struct sample *sample = *state;

	for (size_t i = 0; i < POINTS; i++)
		sample->result.point[i].state = SWEEP_STALLED;
	render(sample);
	has(sample, "law      n/a: no point has reads and updates\n");
	assert_true(json_is_null(json_object_get(sample->json, "law")));
}

static int write_csv(FILE *out, const struct sample *sample)
{
	const struct swept swept = swept_of(sample);
	struct errmsg err;

	return report_sweep_csv(out, &swept, &err);
}

static void test_csv(void **state)
{
	struct sample *sample = *state;

	make_troubled(sample);
	sample->result.point[5].state = SWEEP_OPEN;
	sweep_law(&sample->result, &sample->law, sample->finding);
	report_sample_render(sample, write_csv, write_json);
	has(sample, "hz,readers,state,runs,seconds,updates,rate_hz,reads,retried,waited,off_cpu,");
	has(sample, "\n100,1,done,2,1.5,150,100,10000000,35,10,,0,0,24.5,12.25,3.5,");
	has(sample, ",35000,34634.2723,35368.62724,0,10,25,35000,");
	has(sample,
	    "\n100,64,stalled,2,1.5,150,100,400000000,1400,400,,0,0,24.5,12.25,,,,0,,,,,,0\n");
	has(sample, "\n1000,1,failed,0,0,0,0,0,0,0,,0,0,,,,,,1,,,,,,0\n");
	has_not(sample, "1000000,64");
	for (char *line = sample->text; *line; line = strchr(line, '\n') + 1) {
		int commas = 0;

		for (char *c = line; *c != '\n'; c++)
			commas += *c == ',';
		assert_int_equal(commas, 24);
	}
}

/* Writes the sample's JSON, its last point open, into its file; `change` may alter it. */
static void save(struct sample *sample, void (*change)(json_t *root))
{
	sample->result.point[5] = (struct sweep_point){.hz = 1000000, .readers = 64};
	render(sample);
	if (change)
		change(sample->json);
	assert_int_equal(json_dump_file(sample->json, sample->file, 0), 0);
}

static int resume(struct sample *sample, struct sweep_result *again, struct errmsg *err)
{
	assert_int_equal(sweep_result_begin(&sample->config, again, err), 0);
	again->machine = sample->result.machine;
	return report_sweep_resume(sample->file, &sample->config, again, err);
}

static void test_resume(void **state)
{
	struct sample *sample = *state;
	struct sweep_result again;
	struct errmsg err;

	make_troubled(sample);
	sample->result.point[4].torn = 2;
	sample->result.point[4].stale = 3;
	sample->result.point[4].read_samples = 0;
	save(sample, NULL);
	if (resume(sample, &again, &err) != 4)
		fail_msg("%s", err.text);
	assert_int_equal(again.kept, 4);
	for (size_t i = 0; i < POINTS; i++) {
		const struct sweep_point *was = &sample->result.point[i];
		const struct sweep_point *is = &again.point[i];
		const bool open = i == 2 || i == 5;

		assert_int_equal(is->hz, was->hz);
		assert_int_equal(is->readers, was->readers);
		assert_int_equal(is->state, open ? SWEEP_OPEN : was->state);
		if (open)
			continue;
		assert_string_equal(is->why, was->why);
		assert_int_equal(is->runs, was->runs);
		assert_near(is->seconds, was->seconds, 1e-9);
		assert_int_equal(is->updates, was->updates);
		assert_near(is->rate_hz, was->rate_hz, 1e-6);
		assert_int_equal(is->reads, was->reads);
		assert_int_equal(is->retried, was->retried);
		assert_int_equal(is->waited, was->waited);
		assert_int_equal(is->torn, was->torn);
		assert_int_equal(is->stale, was->stale);
		assert_int_equal(is->backwards, was->backwards);
		assert_int_equal(is->read_samples, was->read_samples);
		assert_near(is->hold_ns, was->hold_ns, 1e-9);
	}
	assert_int_equal(again.remarks.count, 1);
	assert_string_equal(again.remarks.text[0], "nothing was under control");
	sweep_result_release(&again);
}

static void leave_out_stale(json_t *root)
{
	size_t i;
	json_t *point;

	json_array_foreach(json_object_get(root, "points"), i, point)
		assert_int_equal(json_object_del(point, "stale"), 0);
}

/* Of a file of before there was such a count. */
static void test_resume_without_stale(void **state)
{
	struct sample *sample = *state;
	struct sweep_result again;
	struct errmsg err;

	save(sample, leave_out_stale);
	if (resume(sample, &again, &err) <= 0)
		fail_msg("%s", err.text);
	for (size_t i = 0; i < POINTS; i++)
		assert_int_equal(again.point[i].stale, 0);
	sweep_result_release(&again);
}

/* null is no count of 0, nor are off-CPU retries then kept out of the law. */
static void test_resume_without_off_cpu(void **state)
{
	struct sample *sample = *state;
	struct sweep_result again;
	struct errmsg err;

	sample->result.off_cpu_unavailable = "no such event";
	save(sample, NULL);
	assert_true(resume(sample, &again, &err) > 0);
	assert_non_null(again.off_cpu_unavailable);
	sweep_result_release(&again);
	sample->result.off_cpu_unavailable = NULL;
	save(sample, NULL);
	assert_true(resume(sample, &again, &err) > 0);
	assert_null(again.off_cpu_unavailable);
	sweep_result_release(&again);
}

static void refused(struct sample *sample, const char *why)
{
	struct sweep_result again;
	struct errmsg err = {.text = ""};

	assert_int_equal(resume(sample, &again, &err), -1);
	if (!strstr(err.text, why) || !strstr(err.text, sample->file))
		fail_msg("no \"%s\" in\n%s", why, err.text);
	assert_int_equal(again.kept, 0);
	for (size_t i = 0; i < POINTS; i++)
		assert_int_equal(again.point[i].state, SWEEP_OPEN);
	sweep_result_release(&again);
}

static void test_resume_of_another_configuration(void **state)
{
	struct sample *sample = *state;
	struct sweep_config before = sample->config;

	save(sample, NULL);
	sample->config.hz.value[1] = 1001;
	refused(sample, "another config.hz: [100,1000,1000000] there, [100,1001,1000000] here; "
			"remove it, or name another file");
	sample->config = before;
	sample->config.writer.value[WRITER_HOLD] = 300;
	refused(sample, "another config.hold_ns: 0 there, 300 here");
	sample->config = before;
	sample->config.work = (struct work_spec){WORK_ALU, 600};
	refused(sample, "another config.work");
	sample->config = before;
	sample->config.writer_cpu = 1;
	refused(sample, "another config.writer_cpu: null there, 1 here");
	sample->config = before;
	sample->config.retries = 200;
	refused(sample, "another config.retries: 100 there, 200 here");
	sample->config = before;
	sample->config.cpus_given = true;
	refused(sample, "another config.cpus: null there, [] here");
	sample->config = before;
}

static void test_resume_of_another_reader(void **state)
{
	struct sample *sample = *state;
	const struct reader before = sample->config.reader;
	struct machine_code code = before.code;
	u8 *image = malloc(code.bytes);

	assert_non_null(image);
	save(sample, NULL);
	strcpy(sample->config.reader.variation, "likely, inlined");
	refused(sample, "another config.reader.variation: \"unlikely, inlined\" there, \"likely, "
			"inlined\" here");
	sample->config.reader = before;
	memcpy(image, code.image, code.bytes);
	image[code.bytes - 1] ^= 1;
	sample->config.reader.code.image = image;
	refused(sample, "another config.reader.code");
	sample->config.reader = before;
	free(image);
}

/* Of a lock that was compiled on demand: what publishes, or tells, is no part of the bare path. */
static void test_resume_of_other_entries(void **state)
{
	struct sample *sample = *state;
	struct reader *reader = &sample->config.reader;
	struct machine_code *const entries[] = {&reader->counted_code, &reader->publish_code};

	save(sample, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
		*entries[i] = reader->code;
		refused(sample, "another config.reader.code");
		*entries[i] = (struct machine_code){.elf = NULL};
	}
}

static void test_resume_of_another_machine(void **state)
{
	struct sample *sample = *state;

	save(sample, NULL);
	strcpy(sample->result.machine.kernel, "6.2.0");
	refused(sample, "another machine.kernel: \"6.1.0\" there, \"6.2.0\" here");
	strcpy(sample->result.machine.kernel, "6.1.0");
	sample->result.machine.cpus_allowed = 1;
	refused(sample, "another machine.cpus_allowed: 2 there, 1 here");
}

static void older(json_t *root)
{
	json_object_set_new(root, "version", json_string("0.0.1"));
}

static void without_config(json_t *root)
{
	json_object_del(root, "config");
}

static json_t *second(json_t *root)
{
	return json_array_get(json_object_get(root, "points"), 1);
}

static void without_reads(json_t *root)
{
	json_object_del(second(root), "reads");
}

static void negative(json_t *root)
{
	json_object_set_new(second(root), "updates", json_integer(-1));
}

static void too_many(json_t *root)
{
	json_object_set_new(second(root), "waited", json_integer(1401));
}

static void twice(json_t *root)
{
	json_object_set_new(second(root), "readers", json_integer(1));
}

static void elsewhere(json_t *root)
{
	json_object_set_new(second(root), "hz", json_integer(101));
}

static void unheard_of(json_t *root)
{
	json_object_set_new(second(root), "state", json_string("fine"));
}

static void as_open(json_t *root)
{
	json_object_set_new(second(root), "state", json_string("open"));
}

static void no_object(json_t *root)
{
	json_array_set_new(json_object_get(root, "points"), 1, json_null());
}

static void test_resume_of_what_cannot_be(void **state)
{
	static void (*const changes[])(json_t * root) = {
		without_reads, negative, too_many, twice, elsewhere, unheard_of, as_open, no_object,
	};
	struct sample *sample = *state;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		save(sample, changes[i]);
		refused(sample, "whose points[1] cannot be right");
	}
	save(sample, older);
	refused(sample, "another version: \"0.0.1\" there, ");
	save(sample, without_config);
	refused(sample, "another config.hz: nothing there, [");
}

static void complete(json_t *root)
{
	json_object_set_new(root, "complete", json_true());
}

static void of_a_run(json_t *root)
{
	json_object_set_new(root, "schema", json_string("contend.run/1"));
}

static void of_another_grid(json_t *root)
{
	complete(root);
	json_array_append_new(json_object_get(json_object_get(root, "config"), "readers"),
			      json_integer(4096));
}

static void without_end(json_t *root)
{
	json_object_del(root, "complete");
}

static void nothing_to_go_on_with(struct sample *sample)
{
	struct sweep_result again;
	struct errmsg err;

	assert_int_equal(resume(sample, &again, &err), 0);
	assert_int_equal(again.kept, 0);
	assert_int_equal(again.remarks.count, 0);
	sweep_result_release(&again);
}

static void test_nothing_to_resume(void **state)
{
	struct sample *sample = *state;
	FILE *file;

	nothing_to_go_on_with(sample);
	save(sample, complete);
	nothing_to_go_on_with(sample);
	strcpy(sample->result.machine.kernel, "6.2.0");
	nothing_to_go_on_with(sample);
	file = fopen(sample->file, "w");
	fclose(file);
	nothing_to_go_on_with(sample);
	unlink(sample->file);
	nothing_to_go_on_with(sample);
}

/* What others have put there stays. */
static void test_no_file_for_it(void **state)
{
	struct sample *sample = *state;
	FILE *file;

	save(sample, of_another_grid);
	refused(sample, "it holds a sweep with another config.readers: [");
	save(sample, of_a_run);
	refused(sample, "it holds something that is no sweep; remove it");
	save(sample, without_end);
	refused(sample, "it holds something that is no sweep");
	file = fopen(sample->file, "w");
	fputs("{\"schema\": \"contend.sweep/1\", \"complete\": false", file);
	fclose(file);
	refused(sample, "it holds something that is no sweep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ordinary, setup, end),
		cmocka_unit_test_setup_teardown(test_where_it_breaks_down, setup, end),
		cmocka_unit_test_setup_teardown(test_writer_that_fell_behind, setup, end),
		cmocka_unit_test_setup_teardown(test_interrupted, setup, end),
		cmocka_unit_test_setup_teardown(test_troubled, setup, end),
		cmocka_unit_test_setup_teardown(test_status, setup, end),
		cmocka_unit_test_setup_teardown(test_not_timed, setup, end),
		cmocka_unit_test_setup_teardown(test_no_law, setup, end),
		cmocka_unit_test_setup_teardown(test_csv, setup, end),
		cmocka_unit_test_setup_teardown(test_resume, setup, end),
		cmocka_unit_test_setup_teardown(test_resume_of_another_configuration, setup, end),
		cmocka_unit_test_setup_teardown(test_resume_of_another_reader, setup, end),
		cmocka_unit_test_setup_teardown(test_resume_without_stale, setup, end),
		cmocka_unit_test_setup_teardown(test_resume_without_off_cpu, setup, end),
		cmocka_unit_test_setup_teardown(test_resume_of_other_entries, setup, end),
		cmocka_unit_test_setup_teardown(test_resume_of_another_machine, setup, end),
		cmocka_unit_test_setup_teardown(test_resume_of_what_cannot_be, setup, end),
		cmocka_unit_test_setup_teardown(test_nothing_to_resume, setup, end),
		cmocka_unit_test_setup_teardown(test_no_file_for_it, setup, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
