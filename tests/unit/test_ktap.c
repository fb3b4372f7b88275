// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KTAP, to the letter: of tests that are made up, and of a verification that never was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/ktap.h"
#include "report/verify_ktap.h"
#include "sim/types.h"

/* What is being written. */
struct output {
	char *text;
	size_t size;
	FILE *file;
};

static void begin(struct output *output)
{
	output->file = open_memstream(&output->text, &output->size);
	assert_non_null(output->file);
}

static void is(struct output *output, const char *text)
{
	fclose(output->file);
	assert_string_equal(output->text, text);
	free(output->text);
}

static void test_suites(void **state)
{
	struct output output;
	struct ktap ktap;

	(void)state;
	begin(&output);
	ktap_begin(&ktap, output.file, 3);
	ktap_suite(&ktap, "good", 2);
	ktap_test(&ktap, KTAP_OK, "one", NULL);
	ktap_test(&ktap, KTAP_SKIP, "two", "not here");
	ktap_end_suite(&ktap);
	ktap_suite(&ktap, "bad", 2);
	ktap_note(&ktap, "%d things", 5);
	ktap_test(&ktap, KTAP_NOT_OK, "one", NULL);
	ktap_test(&ktap, KTAP_OK, "two", NULL);
	ktap_end_suite(&ktap);
	ktap_suite(&ktap, "absent", 1);
	ktap_test(&ktap, KTAP_SKIP, "one", "not here");
	ktap_end_suite(&ktap);
	is(&output, "KTAP version 1\n"
		    "1..3\n"
		    "  KTAP version 1\n"
		    "  # Subtest: good\n"
		    "  1..2\n"
		    "  ok 1 one\n"
		    "  ok 2 two # SKIP not here\n"
		    "ok 1 good\n"
		    "  KTAP version 1\n"
		    "  # Subtest: bad\n"
		    "  1..2\n"
		    "  # 5 things\n"
		    "  not ok 1 one\n"
		    "  ok 2 two\n"
		    "not ok 2 bad\n"
		    "  KTAP version 1\n"
		    "  # Subtest: absent\n"
		    "  1..1\n"
		    "  ok 1 one # SKIP not here\n"
		    "ok 3 absent # SKIP none of it can show here\n");
}

/* Names may not hold what begins a comment, and nothing may begin a line of its own. */
static void test_what_does_not_belong_there(void **state)
{
	struct output output;
	struct ktap ktap;

	(void)state;
	begin(&output);
	ktap_begin(&ktap, output.file, 1);
	ktap_suite(&ktap, "a#b", 1);
	ktap_note(&ktap, "two\nlines #1");
	ktap_test(&ktap, KTAP_ERROR, "./x#y\nok 9 z", "it\nbroke");
	ktap_end_suite(&ktap);
	is(&output, "KTAP version 1\n"
		    "1..1\n"
		    "  KTAP version 1\n"
		    "  # Subtest: a_b\n"
		    "  1..1\n"
		    "  # two?lines #1\n"
		    "  not ok 1 ./x_y?ok 9 z # ERROR it?broke\n"
		    "not ok 1 a_b\n");
}

static const struct verify_mutant mutants[] = {
	{.name = "killed", .job = {.reader = "no-retry", .writer = {"storm"}}},
	{.name = "survives", .job = {.reader = "hres", .writer = {"storm"}}},
	{.name = "hidden",
	 .hidden = "it keeps stores in order",
	 .job = {.reader = "hres", .writer = {"storm"}}},
	{.name = "absent", .job = {.reader = "hres", .writer = {"storm"}}},
	{.name = "not-run", .job = {.reader = "hres", .writer = {"storm"}}},
};
static const struct verify_job corrects[] = {
	{.reader = "hres", .writer = {"storm"}},
	{.reader = "latch", .writer = {"storm"}, .payload = PAYLOAD_STAMP},
	{.reader = "raw", .writer = {"storm"}, .clocksource = "pvclock"},
	{.reader = "coarse", .writer = {"storm"}},
	{.reader = "timens", .writer = {"storm"}},
};

static void test_verification(void **state)
{
	struct verify_finding mutant[ARRAY_SIZE(mutants)] = {
		{.state = VERIFY_FOUND, .seconds = 0.0021, .tries = 1, .torn = 7},
		{.state = VERIFY_SEEN_NOTHING, .tries = 3, .checked = 1000},
		{.state = VERIFY_SEEN_NOTHING, .tries = 1},
		{.state = VERIFY_NOT_HERE, .why = {"no such counter"}},
		{.state = VERIFY_NOT_RUN},
	};
	struct verify_finding correct[ARRAY_SIZE(corrects)] = {
		{.state = VERIFY_SEEN_NOTHING, .tries = 1},
		{.state = VERIFY_FOUND, .tries = 1, .stale = 2},
		{.state = VERIFY_NOT_HERE, .why = {"no such counter"}},
		{.state = VERIFY_NOT_MET, .tries = 3},
		{.state = VERIFY_NO_READ, .tries = 3},
	};
	const struct verify_config config = {
		mutants, ARRAY_SIZE(mutants), corrects, ARRAY_SIZE(corrects), 250000000, 0};
	const struct verify_result result = {.mutant = mutant, .correct = correct};
	const struct verification verification = {&config, &result};
	struct output output;

	(void)state;
	mutant[0].by[VERIFY_TORN] = correct[1].by[VERIFY_STALE] = true;
	begin(&output);
	assert_int_equal(report_verify_ktap(output.file, &verification), 0);
	is(&output,
	   "KTAP version 1\n"
	   "1..2\n"
	   "  KTAP version 1\n"
	   "  # Subtest: mutants\n"
	   "  1..5\n"
	   "  # killed by torn 7, after 2.1 ms\n"
	   "  ok 1 killed\n"
	   "  # survived 3 tries, 1 000 reads checked\n"
	   "  not ok 2 survives\n"
	   "  ok 3 hidden # SKIP it keeps stores in order\n"
	   "  ok 4 absent # SKIP no such counter\n"
	   "  not ok 5 not-run # ERROR interrupted before its end\n"
	   "not ok 1 mutants\n"
	   "  KTAP version 1\n"
	   "  # Subtest: correct\n"
	   "  1..5\n"
	   "  ok 1 hres under storm, payload time\n"
	   "  # accused: stale 2\n"
	   "  not ok 2 latch under storm, payload stamp\n"
	   "  ok 3 raw under storm, payload time, pvclock # SKIP no such counter\n"
	   "  not ok 4 coarse under storm, payload time # ERROR did not meet the writer: no read "
	   "of any run found the page in an update\n"
	   "  not ok 5 timens under storm, payload time # ERROR no read was checked, or there was "
	   "no update to meet\n"
	   "not ok 2 correct\n");
}

/* A part that was not asked for is no suite. */
static void test_verification_of_one_part(void **state)
{
	struct verify_finding mutant = {.state = VERIFY_SEEN_NOTHING, .tries = 1};
	const struct verify_config config = {&mutants[2], 1, corrects, 0, 250000000, 0};
	const struct verify_result result = {.mutant = &mutant};
	const struct verification verification = {&config, &result};
	struct output output;

	(void)state;
	begin(&output);
	assert_int_equal(report_verify_ktap(output.file, &verification), 0);
	is(&output, "KTAP version 1\n"
		    "1..1\n"
		    "  KTAP version 1\n"
		    "  # Subtest: mutants\n"
		    "  1..1\n"
		    "  ok 1 hidden # SKIP it keeps stores in order\n"
		    "ok 1 mutants # SKIP none of it can show here\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_suites),
		cmocka_unit_test(test_what_does_not_belong_there),
		cmocka_unit_test(test_verification),
		cmocka_unit_test(test_verification_of_one_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
