// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Conditions on results that never were: what is one, what each figure is, and when it holds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "report/expect.h"

static struct run_config config;
static struct run_result result;
static struct reader_result each[3];
static struct expect expect;
static struct errmsg err;
static struct vdso_image image;

/* Every figure is another number. */
static struct readers_result readers_of(u64 from)
{
	return (struct readers_result){
		.readers = 2,
		.each = each,
		.total =
			{
				.reads = from * 1000000,
				.odd_waits = from + 1,
				.spins = from + 2,
				.changed = from + 3,
				.off_cpu = from + 4,
				.longest_run = from + 5,
				.checked = from + 6,
				.unchecked = from + 7,
				.caught = from + 8,
				.lost_unjudged = from + 9,
				.fallbacks = from + 10,
				.began_odd = from + 11,
				.sequence_changed = from + 12,
				.off_cpu_gaps = from + 13,
				.torn = from + 14,
				.backwards = from + 15,
				.stale = from + 16,
			},
		.read = {10, (double)from + 20, (double)from + 21, (double)from + 22,
			 (double)from + 23, (double)from + 24},
		.reads_per_second = (double)from + 25,
		.cpu_share = (double)from + 26,
		.work_ns = (double)from + 27,
	};
}

static int setup(void **state)
{
	(void)state;
	memset(&expect, 0, sizeof(expect));
	config = (struct run_config){
		.groups = 2,
		.group = {{.name = "web", .readers = 1}, {.name = "the log = <", .readers = 2}},
	};
	each[0].counts.reads = 50;
	each[1].counts.reads = 100;
	result = (struct run_result){
		.seconds = 601,
		.first_read_ns = 602,
		.forbidden_jumps = 603,
		.writer =
			{
				.updates = 501,
				.missed_ticks = 502,
				.rate_hz = 503,
				.stalls = 504,
				.hold = {10, 0, 505, 506, 0, 507},
				.late = {10, 0, 508, 509, 0, 510},
			},
		.all = readers_of(100),
		.group = {readers_of(200), readers_of(300)},
		.each = each,
	};
	return 0;
}

static const struct expect_condition *add(const char *text)
{
	if (expect_add(&expect, text, &config, &err))
		fail_msg("%s", err.text);
	return &expect.condition[expect.count - 1];
}

static bool held(const char *text)
{
	return expect_find(add(text), &config, &result).held;
}

static void finds(const char *figure, double right)
{
	struct expect_finding finding;
	char text[96];

	snprintf(text, sizeof(text), "%s = %.15g", figure, right);
	finding = expect_find(add(text), &config, &result);
	if (finding.unavailable || fabs(finding.found - right) > 1e-9 || !finding.held)
		fail_msg("%s: %g, %s", text, finding.found, finding.unavailable);
	snprintf(text, sizeof(text), "%s > %.15g", figure, right);
	assert_false(held(text));
}

static void lacks(const char *figure, const char *why)
{
	struct expect_finding finding;
	char text[96];

	/* Whatever is said of it. */
	for (int relation = EXPECT_EQUAL; relation <= EXPECT_MORE_OR_EQUAL; relation++) {
		snprintf(text, sizeof(text), "%s %s 0", figure,
			 expect_relation_name((enum expect_relation)relation));
		finding = expect_find(add(text), &config, &result);
		assert_non_null(finding.unavailable);
		assert_string_equal(finding.unavailable, why);
		assert_false(finding.held);
	}
	expect.count = 0;
}

static void refused(const char *text, const char *because)
{
	const size_t before = expect.count;

	assert_int_equal(expect_add(&expect, text, &config, &err), -1);
	assert_int_equal(expect.count, before);
	if (!strstr(err.text, because))
		fail_msg("\"%s\" without \"%s\"", err.text, because);
}

static void test_each_figure(void **state)
{
	(void)state;
	finds("reads", 100e6);
	finds("retries_total", 101 + 103 + 104);
	finds("retries_per_million", 308. / 100);
	finds("retries_odd_wait", 101);
	finds("retries_spins", 102);
	finds("retries_changed", 103);
	finds("retries_off_cpu", 104);
	finds("retries_longest_run", 105);
	finds("checked", 106);
	finds("unchecked", 107);
	finds("caught", 108);
	finds("lost_unjudged", 109);
	finds("fallbacks", 110);
	finds("off_cpu_gaps", 113);
	finds("torn", 114);
	finds("time_backwards", 115);
	finds("stale", 116);
	finds("read_mean_ns", 120);
	finds("read_p50_ns", 121);
	finds("read_p99_ns", 122);
	finds("read_p99_99_ns", 123);
	finds("read_max_ns", 124);
	finds("reads_per_second", 125);
	finds("cpu_share", 126);
	finds("fairness_ratio", 0.5);
	expect.count = 0;
	finds("updates", 501);
	finds("missed_ticks", 502);
	finds("rate_hz", 503);
	finds("stalls", 504);
	finds("hold_p50_ns", 505);
	finds("hold_p99_ns", 506);
	finds("hold_max_ns", 507);
	finds("late_p50_ns", 508);
	finds("late_p99_ns", 509);
	finds("late_max_ns", 510);
	finds("seconds", 601);
	finds("first_read_ns", 602);
	finds("forbidden_jumps", 603);
}

/* The last of the table that these tests know of, so that a new one gets a test. */
static void test_no_figure_is_left_out(void **state)
{
	size_t count = 0;

	(void)state;
	while (expect_figures[count].name) {
		assert_non_null(expect_figures[count].summary);
		count++;
	}
	assert_int_equal(count, 41);
}

/* Of a group it is the group's, however that is called. */
static void test_groups(void **state)
{
	(void)state;
	finds("torn", 114);
	finds("web.torn", 214);
	finds("the log = <.torn", 314);
	finds("web.retries_per_million", (201 + 203 + 204) / 200.);
	finds("web.read_p99_ns", 222);
	finds("web.work_ns", 227);
	refused("rag.torn = 0", "there is no group 'rag': there are web, the log = <");
	refused(".torn = 0", "there is no group ''");
	refused("web.updates > 0", "updates is no group's, but the run's: write updates alone");
	refused("web.bogus > 0", "there is no figure 'bogus': contend list figures");
	config.groups = 1;
	refused("rag.torn = 0", "there is no group 'rag': there is web");
}

static void test_relations(void **state)
{
	static const struct {
		const char *relation;
		bool held[3]; /* against one less, the same, one more */
	} cases[] = {
		{"=", {false, true, false}}, {"<", {false, false, true}},
		{"<=", {false, true, true}}, {">", {true, false, false}},
		{">=", {true, true, false}},
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		for (int more = -1; more <= 1; more++) {
			snprintf(text, sizeof(text), "torn %s %d", cases[i].relation, 114 + more);
			assert_int_equal(held(text), cases[i].held[more + 1]);
		}
	/* Between two counts. */
	assert_true(held("torn<114.5"));
	assert_false(held("torn>114.5"));
	assert_false(held("torn=114.5"));
}

static void test_forms(void **state)
{
	(void)state;
	assert_string_equal(expect_text(add("torn=0")).text, "torn = 0");
	assert_string_equal(expect_text(add("web.torn  <=\t0.50")).text, "web.torn <= 0.5");
	assert_string_equal(expect_text(add("reads>1e6")).text, "reads > 1000000");
	refused("",
		"is no condition: it is FIGURE or GROUP.FIGURE, one of = < <= > >=, and a number");
	refused("torn", "'torn' is no condition");
	refused("torn 0", "is no condition");
	refused("torn =", "is no condition");
	refused("= 0", "is no condition");
	refused("torn: 0", "is no condition");
	refused("torn == 0", "'==' is none of = < <= > >=");
	refused("torn != 0", "'!=' is none of");
	refused("torn => 0", "'=>' is none of");
	refused("torn <> 0", "'<>' is none of");
	refused("Torn = 0", "there is no figure 'Torn'");
	refused("readers.torn = 0", "there is no group 'readers'");
	refused("torn = -1", "'-1' is no number from 0 to 9007199254740992");
	refused("torn = 1 000", "'1 000' is no number");
	refused("torn = 0x10", "is no number");
	refused("torn = inf", "is no number");
	refused("torn = nan", "is no number");
	refused("torn = 1e400", "is no number");
	refused("torn = .", "is no number");
	refused("torn = 5 %", "is no number");
	refused("torn = 50ns", "'50ns' is no number");
}

static void test_room(void **state)
{
	(void)state;
	for (int i = 0; i < EXPECT_MAX; i++)
		add("torn = 0");
	refused("torn = 0", "no more than 64");
}

/* What could not be measured did not hold, and the reason is the report's. */
static void test_unavailable(void **state)
{
	(void)state;
	lacks("work_ns", "each group has its own");
	lacks("sequence_changed", "it is counted of an image's code alone");
	lacks("web.began_odd", "it is counted of an image's code alone");
	config.group[0].reader.image = &image;
	result.group[0].retries_unavailable = result.all.retries_unavailable = "it does not tell";
	lacks("retries_per_million", "it does not tell");
	lacks("web.retries_total", "it does not tell");
	lacks("web.retries_off_cpu", "it does not tell");
	lacks("caught", "it does not tell");
	lacks("sequence_changed", "it is counted of an image's code alone");
	finds("web.sequence_changed", 212);
	finds("web.began_odd", 211);
	finds("the log = <.retries_changed", 303);
	expect.count = 0;
	result.off_cpu_unavailable = "no restartable sequences";
	lacks("the log = <.retries_off_cpu", "no restartable sequences");
	result.backwards_unavailable = "a stamp is no time";
	lacks("time_backwards", "a stamp is no time");
	result.writer.hold.samples = result.writer.late.samples = 0;
	lacks("hold_p50_ns", "no update was measured");
	lacks("late_max_ns", "no update was measured");
}

static void test_no_reads(void **state)
{
	(void)state;
	result.all.total.reads = result.all.total.checked = result.all.read.samples = 0;
	each[0].counts.reads = each[1].counts.reads = 0;
	lacks("torn", "no read was checked");
	lacks("stale", "no read was checked");
	lacks("time_backwards", "no read was checked");
	lacks("retries_per_million", "there was no read");
	lacks("read_p50_ns", "no read was timed");
	lacks("fairness_ratio", "there was no read");
	finds("reads", 0);
}

static void test_status(void **state)
{
	(void)state;
	result.all.total.torn = result.all.total.stale = result.all.total.backwards = 0;
	/* Jumps that nobody may make are wrong whatever was expected. */
	assert_int_equal(expect_status(&expect, &config, &result), STATUS_WRONG);
	result.forbidden_jumps = 0;
	assert_int_equal(expect_status(&expect, &config, &result), STATUS_WELL);
	add("torn = 0");
	assert_int_equal(expect_status(&expect, &config, &result), STATUS_WELL);
	add("updates > 1000");
	assert_int_equal(expect_status(&expect, &config, &result), STATUS_WRONG);
	/* What was cut short says nothing of what it would have come to. */
	result.outcome = RUN_INTERRUPTED;
	assert_int_equal(expect_status(&expect, &config, &result), STATUS_INTERRUPTED);
	result.outcome = RUN_STALLED;
	assert_int_equal(expect_status(&expect, &config, &result), STATUS_STALLED);
	result.all.total.torn = 1;
	assert_int_equal(expect_status(&expect, &config, &result), STATUS_WRONG);
	result.outcome = RUN_COMPLETE;
	result.all.total.torn = result.all.total.reads = 0;
	assert_int_equal(expect_status(&expect, &config, &result), STATUS_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_figure, setup),
		cmocka_unit_test_setup(test_no_figure_is_left_out, setup),
		cmocka_unit_test_setup(test_groups, setup),
		cmocka_unit_test_setup(test_relations, setup),
		cmocka_unit_test_setup(test_forms, setup),
		cmocka_unit_test_setup(test_room, setup),
		cmocka_unit_test_setup(test_unavailable, setup),
		cmocka_unit_test_setup(test_no_reads, setup),
		cmocka_unit_test_setup(test_status, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
