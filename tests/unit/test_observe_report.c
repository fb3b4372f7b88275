// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text and JSON from observations that never were: what an ordinary kernel does not show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/observe_json.h"
#include "report/observe_text.h"

#define CPUS 12

/* One result, what it was made by, and what came of it. */
struct sample {
	struct observe_config config;
	struct observe_result result;
	struct observe_cpu cpus[CPUS];
	char *text;
	json_t *json;
};

#include "tests/unit/report_sample.h"

static int setup(void **state)
{
	struct sample *sample = calloc(1, sizeof(*sample));

	assert_non_null(sample);
	sample->config = (struct observe_config){.duration_ns = 10000000000, .simulate_ns = 1};
	CPU_SET(0, &sample->config.cpus);
	CPU_SET(1, &sample->config.cpus);
	sample->result = (struct observe_result){
		.machine = {"Intel Xeon", "6.1.0", "", "x86_64", 2, 2, 32768},
		.page = {page_layout_find("v5.3"), -4, 128, false},
		.clocksource = clocksource_find("monotonic_raw"),
		.counter_hz = 1000000000,
		.seconds = 8,
		.updates = 2000,
		.seen = 1500,
		.elsewhere = 700,
		.rate_hz = 250,
		.interval = {1400, 4e6, 3.9e6, 4e6, 4.1e6, 12e6},
		.period_ns = 4e6,
		.gaps = 2,
		.longest_gap_ns = 12e6,
		.asleep = {2, 100, 50, 399, 20e6},
		.odd = 10,
		.odd_unmeasured = 1,
		.hold = {9, 310, 200, 300, 500, 501},
		.passed = {690, 170, 100, 170, 180, 400},
		.steering = {true, true, 7, -1.5, 2.25},
		.mode_known = true,
		.clock_mode = VDSO_CLOCKMODE_TSC,
		.second_looks = 1500,
		.look_ns = 20,
		.watched_share = 0.987,
		.interruptions = 4000,
		.off_cpu = 30,
		.longest_interruption_ns = 12e6,
		.cpu_count = 2,
		.cpus = sample->cpus,
		.tick = {.cpu = 0,
			 .seen = 800,
			 .others_seen = 700,
			 .others_elsewhere = 700,
			 .chance = 0},
		.hazard = {250, 25, 300, HOLD_SEEN, 4, 81.25, 7.25, 6.25},
		.simulated = true,
		.run = {.hz = 250,
			.hold_ns = 300,
			.reads = 1000000,
			.met = 80,
			.per_million = 80,
			.per_million_95 = {63.4, 99.6},
			.law_per_million = 85,
			.read_ns = 25,
			.hold_p50_ns = 315,
			.work_ns = 400},
	};
	for (int i = 0; i < CPUS; i++)
		sample->cpus[i] = (struct observe_cpu){i, 4, 800, 700, i == 1 ? 10 : 0};
	*state = sample;
	return 0;
}

static int write_text(FILE *out, const struct sample *sample)
{
	return report_observe_head(out, &sample->config, &sample->result) ||
	       report_observe_figures(out, &sample->result);
}

static int write_json(FILE *out, const struct sample *sample)
{
	struct errmsg err;

	return report_observe_json(out, &sample->config, &sample->result,
				   sample->result.outcome == RUN_COMPLETE ? 0 : 130, &err);
}

static void render(struct sample *sample)
{
	report_sample_render(sample, write_text, write_json);
}

static void is_null(const struct sample *sample, const char *name, const char *why)
{
	json_t *unavailable = json_object_get(sample->json, "unavailable");

	assert_true(json_is_null(json_object_get(sample->json, name)));
	assert_string_equal(json_string_value(json_object_get(unavailable, name)), why);
}

static void test_ordinary(void **state)
{
	struct sample *sample = *state;

	render(sample);
	has(sample, "contend  watching the kernel's page from CPUs 0-1, 10 s\n");
	has(sample,
	    "page     layout v5.3 (kernels 5.3 to about 6.9), 4 pages before the vDSO, data at "
	    "byte 128\n");
	has(sample,
	    "updates  2 000 (250.0 Hz)             interval p50 4.0 ms  p99 4.1 ms  min 3.9 ms  "
	    "max 12.0 ms\n");
	has(sample, "gaps     awake 2 of 1.5 periods or more, the longest 12.0 ms\n");
	has(sample,
	    "asleep 2.0 s: 100 updates (50.0 Hz), at least 399 ticks without one, once none "
	    "for 20.0 ms or more\n");
	has(sample,
	    "odd      10 seen (1.4 % of 700 seen made by another CPU)   for p50 300 ns  p99 500 "
	    "ns  min 200 ns  max 501 ns\n");
	has(sample, "1 of them not measured: the watcher was interrupted\n");
	has(sample, "690 passed between two looks p50 170 ns  max 400 ns apart: held no longer\n");
	has(sample, "tick     on CPU 0: of 800 updates seen from there another CPU made 0, of 700 "
		    "seen from others 700 (by chance: 0)\n");
	has(sample,
	    "clock    mode tsc, no changes of it; the second clock's sequence always agreed\n");
	has(sample, "steering 7 changes of mult, -1.500 to +2.250 ppm against the raw clock's\n");
	has(sample,
	    "watcher  a look every 20.0 ns for 98.7 % of the time; 4 000 interruptions, the "
	    "longest 12.0 ms, 30 off-CPU\n");
	has(sample,
	    "hazard   81.2 per million MONOTONIC reads meet an update on another CPU, 6.2 on "
	    "the tick's own\n");
	has(sample, "250.0 Hz x (read 25.0 ns + hold 300 ns; the median of those seen odd)\n");
	has(sample, "7.2 if those that were not seen odd held for no time\n");
	has(sample, "simulated 80.0 (95 %: 63.4 to 99.6) per million: 80 of 1 000 000 reads met an "
		    "update, at 250 Hz, hold p50 315 ns; by the law 85.0\n");
	has_not(sample, "n/a");
	has_not(sample, "partial");
}

static void test_none_met(void **state)
{
	struct sample *sample = *state;

	sample->result.run.met = 0;
	sample->result.run.per_million = 0;
	sample->result.run.per_million_95.high = 3.69;
	render(sample);
	has(sample, "simulated less than 3.69 per million: 0 of 1 000 000 reads");
}

static void test_no_run(void **state)
{
	struct sample *sample = *state;

	sample->result.run = (struct hazard_run){.why = "no such luck"};
	render(sample);
	has(sample, "simulated n/a: no such luck\n");
	is_null(sample, "simulated", "no such luck");
	sample->result.simulated = false;
	render(sample);
	has_not(sample, "simulated");
	is_null(sample, "simulated", "it was interrupted before");
	sample->config.simulate_ns = 0;
	render(sample);
	is_null(sample, "simulated", "it was not asked for");
}

/* A run that stalled has figures, and a reason to doubt them. */
static void test_stalled_run(void **state)
{
	struct sample *sample = *state;

	strcpy(sample->result.run.why, "the run stalled: nobody knows why");
	render(sample);
	has(sample, "simulated 80.0 ");
	has(sample, "           the run stalled: nobody knows why\n");
}

static void test_nothing_known(void **state)
{
	struct sample *sample = *state;
	struct observe_result *result = &sample->result;

	result->updates = result->seen = result->elsewhere = result->odd = 0;
	result->odd_unmeasured = 0;
	result->interval = result->hold = result->passed = (struct observe_lengths){0};
	result->period_ns = 0;
	result->asleep.seconds = 0;
	result->mode_known = result->steering.known = false;
	result->second_looks = 0;
	result->off_cpu_unavailable = "no rseq";
	result->tick = (struct tick_cpu){.cpu = -1, .why = "nobody saw"};
	result->hazard_unavailable = "no update was seen";
	result->simulated = false;
	result->outcome = RUN_INTERRUPTED;
	render(sample);
	has(sample, "partial  interrupted after watching for 8.0 s;");
	has(sample, "interval n/a: ");
	has(sample, "gaps     awake n/a: ");
	has(sample, "asleep n/a: ");
	has(sample, "odd      n/a: ");
	has(sample, "tick     on which CPU cannot be told: nobody saw\n");
	has(sample, "clock    n/a: ");
	has(sample, "off-CPU n/a: no rseq\n");
	has(sample, "hazard   n/a: no update was seen\n");
	is_null(sample, "tick_cpu", "nobody saw");
	is_null(sample, "tick_evidence", "nobody saw");
	is_null(sample, "hazard_per_million", "no update was seen");
	is_null(sample, "simulated", "no update was seen");
	is_null(sample, "asleep", "there was no time to sleep");
	is_null(sample, "clock_mode", "no update was seen whole");
	is_null(sample, "steering", "no mult was seen");
	assert_int_equal(json_integer_value(json_object_get(sample->json, "exit_status")), 130);
}

static void test_odd_ones_out(void **state)
{
	struct sample *sample = *state;
	struct observe_result *result = &sample->result;

	result->page.in_namespace = true;
	result->page.page = 2;
	result->machine.cpus_allowed = 1;
	result->gaps = 0;
	result->clock_mode = VDSO_CLOCKMODE_NONE;
	result->mode_changes = 1;
	result->second_apart = 3;
	result->steering.changes = 0;
	result->steering.against_raw = false;
	result->hazard.hold_source = HOLD_PASSED;
	render(sample);
	has(sample, "2 pages behind the vDSO, data at byte 128, behind a time namespace's\n");
	has(sample, "2 CPUs (1 allowed), kernel");
	has(sample, "gaps     awake none of 1.5 periods or more\n");
	has(sample,
	    "clock    mode none, 1 change of it; the second clock's sequence DISAGREED 3 times "
	    "of 1 500\n");
	has(sample, "steering no change of mult, +2.250 ppm against the first one\n");
	has(sample, "none was seen odd: assumed, ");
	result->second_looks = 0;
	result->hazard.hold_source = HOLD_UNSEEN;
	render(sample);
	has(sample, "; no second clock in this layout\n");
	has(sample, "no update of another CPU was seen: assumed");
}

/* Of many, only those where there was something to see; the others are in the JSON. */
static void test_many_cpus(void **state)
{
	struct sample *sample = *state;

	sample->result.cpu_count = CPUS;
	render(sample);
	has(sample,
	    "CPU 1   watched 4.0 s    seen      800   made by another CPU      700   odd     10\n");
	has(sample, "11 CPUs more, on which none was seen odd: see --json\n");
	has_not(sample, "CPU 7 ");
	assert_int_equal(json_array_size(json_object_get(sample->json, "cpus")), CPUS);
}

int main(void)
{
#define RENDERED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		RENDERED(test_ordinary),      RENDERED(test_none_met),
		RENDERED(test_no_run),	      RENDERED(test_stalled_run),
		RENDERED(test_nothing_known), RENDERED(test_odd_ones_out),
		RENDERED(test_many_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
