// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text and JSON of verifications that never were.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/verify_json.h"
#include "report/verify_text.h"

#define MUTANTS	 3
#define CORRECTS 3

struct sample {
	struct verify_config config;
	struct verify_result result;
	struct verify_finding mutant[MUTANTS];
	struct verify_finding correct[CORRECTS];
	char *text;
	json_t *json;
};

#include "tests/unit/report_sample.h"

static const struct verify_mutant mutants[MUTANTS] = {
	{.name = "no-retry",
	 .kind = VERIFY_READER,
	 .job = {.reader = "no-retry", .writer = {"tick:hz=1000000"}, .payload = PAYLOAD_STAMP}},
	{.name = "suspend-moves-monotonic",
	 .kind = VERIFY_WRITER,
	 .job = {.reader = "hres", .writer = {"suspend-moves-monotonic", "tick"}}},
	{.name = "no-end-rmb",
	 .kind = VERIFY_PROTOCOL,
	 .hidden = "it keeps loads in order",
	 .job = {.reader = "no-end-rmb", .writer = {"storm"}}},
};
static const struct verify_job corrects[CORRECTS] = {
	{.reader = "hres", .writer = {"tick:hz=1000000"}},
	{.reader = "hres:clock=tai", .writer = {"step", "tick"}, .payload = PAYLOAD_STAMP},
	{.reader = "timens", .writer = {"timens"}, .clocksource = "pvclock:hz=5"},
};

static int setup(void **state)
{
	struct sample *sample = calloc(1, sizeof(*sample));

	assert_non_null(sample);
	sample->config = (struct verify_config){.mutant = mutants,
						.mutants = MUTANTS,
						.correct = corrects,
						.corrects = CORRECTS,
						.duration_ns = 250000000};
	sample->result = (struct verify_result){
		.machine = {.cpu_model = "a CPU",
			    .kernel = "6.1",
			    .cpus_online = 4,
			    .cpus_allowed = 2},
		.counter = "tsc",
		.seconds = 12,
		.mutant = sample->mutant,
		.correct = sample->correct,
	};
	for (size_t i = 0; i < MUTANTS; i++)
		sample->mutant[i] = (struct verify_finding){
			.state = VERIFY_FOUND, .seconds = 0.0021, .tries = 1, .checked = 1000};
	sample->mutant[0].by[VERIFY_TORN] = true;
	sample->mutant[0].torn = 7;
	sample->mutant[1].by[VERIFY_BACKWARDS] = sample->mutant[1].by[VERIFY_JUMP] = true;
	sample->mutant[1].seconds = 1.5;
	sample->mutant[1].tries = 2;
	sample->mutant[2].state = VERIFY_SEEN_NOTHING;
	for (size_t i = 0; i < CORRECTS; i++)
		sample->correct[i] = (struct verify_finding){.state = VERIFY_SEEN_NOTHING,
							     .seconds = 0.25,
							     .tries = 1,
							     .checked = 1000000 * (i + 1),
							     .retries = 10,
							     .caught = 3};
	*state = sample;
	return 0;
}

static struct verification of(const struct sample *sample)
{
	return (struct verification){&sample->config, &sample->result};
}

static int write_text(FILE *out, const struct sample *sample)
{
	const struct verification verification = of(sample);

	return report_verify_head(out, &verification) | report_verify_remarks(out, &verification) |
	       report_verify_figures(out, &verification);
}

static int write_json(FILE *out, const struct sample *sample)
{
	const struct verification verification = of(sample);
	struct errmsg err;

	return report_verify_json(out, &verification, &err);
}

static void render(struct sample *sample)
{
	report_sample_render(sample, write_text, write_json);
}

static enum status status_of(const struct sample *sample)
{
	const struct verification verification = of(sample);
	const enum status status = report_verify_status(&verification);

	assert_int_equal(json_integer_value(json_object_get(sample->json, "exit_status")), status);
	return status;
}

static json_t *entry(const struct sample *sample, const char *list, size_t place)
{
	json_t *entry = json_array_get(json_object_get(sample->json, list), place);

	assert_non_null(entry);
	return entry;
}

static const char *said(const struct sample *sample, const char *list, size_t place,
			const char *name)
{
	return json_string_value(json_object_get(entry(sample, list, place), name));
}

static const char *why(const struct sample *sample, const char *path)
{
	return json_string_value(
		json_object_get(json_object_get(sample->json, "unavailable"), path));
}

static size_t length_of(const struct sample *sample, const char *list)
{
	return json_array_size(json_object_get(sample->json, list));
}

static void test_all_is_well(void **state)
{
	struct sample *sample = *state;
	json_t *by;

	render(sample);
	assert_int_equal(status_of(sample), STATUS_WELL);
	has(sample, "verify   3 mutants, and 3 runs of what is correct, 250 ms each\n");
	has(sample, "machine  a CPU, 2 CPUs, kernel 6.1, counter tsc\n");
	has(sample, "\nmutant                   kind     torn stale backwards jump stall crash    "
		    "after\n");
	has(sample, "\nno-retry                 reader      x     .         .    .     .     .   "
		    "2.1 ms\n");
	has(sample, "\nsuspend-moves-monotonic  writer      .     .         x    x     .     .    "
		    "1.5 s\n");
	has(sample, "\nno-end-rmb               protocol  not on this CPU; see prove\n");
	has(sample, "\ntries    suspend-moves-monotonic was killed at try 2\n");
	has(sample, "\nkilled   2 of 2 mutants that can show here\n");
	has(sample, "\nslowest  suspend-moves-monotonic, after 1.5 s\n");
	has(sample, "\nby       torn 1, stale 0, backwards 1, jump 1, stall 0, crash 0\n");
	has(sample, "\nhidden   1 that ");
	has(sample, "\naccused  none of 3 runs: 6 000 000 reads checked, 9 mixtures caught\n");
	has_not(sample, "partial");
	by = json_object_get(entry(sample, "mutants", 1), "killed_by");
	assert_int_equal(json_array_size(by), 2);
	assert_string_equal(json_string_value(json_array_get(by, 0)), "backwards");
	assert_string_equal(json_string_value(json_array_get(by, 1)), "jump");
	assert_string_equal(said(sample, "mutants", 2, "verdict"), "hidden");
	assert_string_equal(why(sample, "mutants.2.seconds"), "it keeps loads in order");
	assert_int_equal(length_of(sample, "survived"), 3);
	assert_int_equal(length_of(sample, "accused"), 0);
	assert_string_equal(said(sample, "survived", 2, "clocksource"), "pvclock:hz=5");
}

/* Each kind has one row in each part, whatever its keys; a name may be a reader's and a writer's.
 */
static void test_rows_of_what_is_correct(void **state)
{
	struct sample *sample = *state;

	render(sample);
	has(sample,
	    "\nhres                     reader       2        3 000 000            20     none\n");
	has(sample,
	    "\ntimens                   reader       1        3 000 000            10     none\n");
	has(sample,
	    "\ntick                     writer       2        3 000 000            20     none\n");
	has(sample,
	    "\nstep                     writer       1        2 000 000            10     none\n");
	has(sample,
	    "\ntimens                   writer       1        3 000 000            10     none\n");
}

static void test_a_mutant_that_survives(void **state)
{
	struct sample *sample = *state;

	sample->mutant[0] =
		(struct verify_finding){.state = VERIFY_SEEN_NOTHING, .tries = 3, .checked = 12345};
	render(sample);
	assert_int_equal(status_of(sample), STATUS_WRONG);
	has(sample,
	    "\nno-retry                 reader    SURVIVED 3 tries, 12 345 reads checked\n");
	has(sample, "\nkilled   1 of 2 mutants that can show here\n");
	assert_string_equal(said(sample, "mutants", 0, "verdict"), "survived");
	assert_string_equal(why(sample, "mutants.0.seconds"), "no detector has killed it");
}

static void test_the_accused(void **state)
{
	struct sample *sample = *state;

	sample->correct[1].state = VERIFY_FOUND;
	sample->correct[1].by[VERIFY_TORN] = sample->correct[1].by[VERIFY_STALL] = true;
	sample->correct[1].torn = 1234;
	strcpy(sample->correct[1].stall, "the writer is stuck");
	render(sample);
	assert_int_equal(status_of(sample), STATUS_WRONG);
	has(sample, "\naccused  hres:clock=tai under step and tick, payload stamp: torn 1 234, "
		    "stall the writer is stuck\n");
	has_not(sample, "accused  none");
	has(sample,
	    "\nhres                     reader       2        3 000 000            20        1\n");
	assert_int_equal(length_of(sample, "accused"), 1);
	assert_int_equal(length_of(sample, "survived"), 2);
	assert_string_equal(said(sample, "accused", 0, "detail"), "the writer is stuck");
	assert_int_equal(json_array_size(json_object_get(entry(sample, "accused", 0), "by")), 2);
}

static void test_what_the_machine_has_not(void **state)
{
	struct sample *sample = *state;

	sample->mutant[1] = (struct verify_finding){.state = VERIFY_NOT_HERE, .tries = 1};
	errmsg_set(&sample->mutant[1].why, "no such counter");
	sample->correct[2] = (struct verify_finding){.state = VERIFY_NOT_HERE, .tries = 1};
	errmsg_set(&sample->correct[2].why, "no such counter");
	render(sample);
	assert_int_equal(status_of(sample), STATUS_WELL);
	has(sample, "\nsuspend-moves-monotonic  writer    not on this machine\n");
	has(sample, "\nn/a      suspend-moves-monotonic: no such counter\n");
	has(sample,
	    "\ntimens                   reader       0                0             0      n/a\n");
	assert_string_equal(said(sample, "left_out", 0, "reason"), "no such counter");
	assert_true(json_is_true(json_object_get(entry(sample, "left_out", 0), "not_here")));
	assert_string_equal(why(sample, "mutants.1.seconds"), "no such counter");
}

/* An errand for nothing is no success. */
static void test_nothing_is_here(void **state)
{
	struct sample *sample = *state;

	for (size_t i = 0; i < MUTANTS; i++)
		sample->mutant[i] = (struct verify_finding){.state = VERIFY_NOT_HERE, .tries = 1};
	render(sample);
	assert_int_equal(status_of(sample), STATUS_USAGE);
	sample->mutant[1].state = VERIFY_FOUND;
	render(sample);
	assert_int_equal(status_of(sample), STATUS_WELL);
	for (size_t i = 0; i < CORRECTS; i++)
		sample->correct[i] = (struct verify_finding){.state = VERIFY_NOT_HERE, .tries = 1};
	render(sample);
	assert_int_equal(status_of(sample), STATUS_USAGE);
	sample->correct[2].state = VERIFY_SEEN_NOTHING;
	render(sample);
	assert_int_equal(status_of(sample), STATUS_WELL);
	/* Who asks for one kind alone gets that one. */
	sample->config.mutants = 0;
	render(sample);
	assert_int_equal(status_of(sample), STATUS_WELL);
}

/* Each with its reason, however many have the same. */
static void test_all_that_is_absent_is_told(void **state)
{
	struct sample *sample = *state;

	for (size_t i = 0; i < 2; i++) {
		sample->correct[i] = (struct verify_finding){.state = VERIFY_NOT_HERE, .tries = 1};
		errmsg_set(&sample->correct[i].why, "it does not fit");
	}
	render(sample);
	has(sample, "\nabsent   hres under tick:hz=1000000, payload time: it does not fit\n");
	has(sample,
	    "\nabsent   hres:clock=tai under step and tick, payload stamp: it does not fit\n");
}

static void test_what_is_not_told_is_null(void **state)
{
	struct sample *sample = *state;

	strcpy(sample->mutant[1].retries_unavailable, "it keeps silent");
	strcpy(sample->correct[2].retries_unavailable, "so does this");
	sample->correct[0].state = VERIFY_NOT_HERE;
	render(sample);
	assert_true(json_is_integer(json_object_get(entry(sample, "mutants", 0), "retries")));
	assert_true(json_is_null(json_object_get(entry(sample, "mutants", 1), "retries")));
	assert_true(json_is_null(json_object_get(entry(sample, "mutants", 1), "caught")));
	assert_string_equal(why(sample, "mutants.1.retries"), "it keeps silent");
	assert_string_equal(why(sample, "mutants.1.caught"), "it keeps silent");
	/* By the place in the list that it is in. */
	assert_true(json_is_null(json_object_get(entry(sample, "survived", 1), "retries")));
	assert_string_equal(why(sample, "survived.1.retries"), "so does this");
}

static void test_well_at_second_try(void **state)
{
	struct sample *sample = *state;

	sample->correct[0].tries = 2;
	strcpy(sample->correct[0].stalled, "the writer was kept");
	render(sample);
	assert_int_equal(status_of(sample), STATUS_WELL);
	has(sample,
	    "\ntries    hres under tick:hz=1000000, payload time, well at try 2: the writer "
	    "was kept\n");
	assert_string_equal(said(sample, "survived", 0, "stalled"), "the writer was kept");
	assert_null(json_object_get(entry(sample, "survived", 1), "stalled"));
}

static void test_who_did_not_meet_the_writer(void **state)
{
	struct sample *sample = *state;

	sample->correct[0] =
		(struct verify_finding){.state = VERIFY_NOT_MET, .tries = 3, .checked = 1000};
	render(sample);
	assert_int_equal(status_of(sample), STATUS_USAGE);
	has(sample, "\nn/a      hres under tick:hz=1000000, payload time: did not meet the writer");
	assert_non_null(strstr(said(sample, "left_out", 0, "reason"), "did not meet the writer"));
	assert_true(json_is_false(json_object_get(entry(sample, "left_out", 0), "not_here")));
}

static void test_what_says_nothing(void **state)
{
	struct sample *sample = *state;

	sample->correct[0] = (struct verify_finding){.state = VERIFY_NO_READ, .tries = 3};
	render(sample);
	assert_int_equal(status_of(sample), STATUS_USAGE);
	has(sample,
	    "\nn/a      hres under tick:hz=1000000, payload time: no read was checked, or there "
	    "was no update to meet\n");
	assert_non_null(strstr(said(sample, "left_out", 0, "reason"), "no read was checked"));
	sample->correct[0].state = VERIFY_SEEN_NOTHING;
	sample->mutant[0] = (struct verify_finding){.state = VERIFY_COULD_NOT, .tries = 1};
	errmsg_set(&sample->mutant[0].why, "no memory");
	render(sample);
	assert_int_equal(status_of(sample), STATUS_USAGE);
	has(sample, "\nn/a      no-retry: no memory\n");
}

static void test_interrupted(void **state)
{
	struct sample *sample = *state;

	sample->result.interrupted = true;
	sample->mutant[2] = sample->correct[2] = (struct verify_finding){.state = VERIFY_NOT_RUN};
	render(sample);
	assert_int_equal(status_of(sample), STATUS_INTERRUPTED);
	has(sample, "\nno-end-rmb               protocol  n/a: interrupted\n");
	has(sample, "\npartial  interrupted after 12.0 s: what was not run says nothing\n");
	has(sample, "\naccused  none of 2 runs: ");
	assert_true(json_is_false(json_object_get(sample->json, "complete")));
	assert_string_equal(said(sample, "left_out", 0, "reason"), "interrupted before its end");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_is_well),
		TEST(test_rows_of_what_is_correct),
		TEST(test_a_mutant_that_survives),
		TEST(test_the_accused),
		TEST(test_what_the_machine_has_not),
		TEST(test_nothing_is_here),
		TEST(test_all_that_is_absent_is_told),
		TEST(test_what_is_not_told_is_null),
		TEST(test_well_at_second_try),
		TEST(test_who_did_not_meet_the_writer),
		TEST(test_what_says_nothing),
		TEST(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
