// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/run_options.h"

/* What befalls a run while it looks around; the share is that of its time. */
struct event {
	bool sleeps; /* until its time is over */
	bool came;
};

static void raise_signal(double share_done, double seconds_left, const char *figures, void *context)
{
	struct event *event = context;
	const struct timespec rest = {1, 0};

	(void)seconds_left;
	(void)figures;
	/* The first call comes before there is a run. */
	if (event->came || share_done <= 0)
		return;
	event->came = true;
	if (event->sleeps)
		nanosleep(&rest, NULL);
	raise(SIGINT);
}

/* Of a run that looks around once at least. */
static enum run_outcome outcome_of(bool sleeps)
{
	char *argv[] = {"run", "--duration", "600ms", "--warmup", "0", NULL};
	struct event event = {.sleeps = sleeps};
	const struct run_hooks hooks = {.progress = raise_signal, .context = &event};
	struct run_options options;
	enum run_outcome outcome;
	struct run_result result;
	struct errmsg err;

	assert_int_equal(run_options_parse(5, argv, &options, &err), 0);
	if (run_execute(&options.config, &hooks, &result, &err))
		fail_msg("%s", err.text);
	/* On a machine that kept it away for all of the time there was nothing to cut off. */
	assert_int_equal(result.signalled, event.came);
	outcome = event.came ? result.outcome : sleeps ? RUN_COMPLETE : RUN_INTERRUPTED;
	run_result_release(&result);
	run_options_release(&options);
	return outcome;
}

static void test_a_signal_cuts_it_short(void **state)
{
	(void)state;
	assert_int_equal(outcome_of(false), RUN_INTERRUPTED);
}

static void test_a_signal_after_all_its_time_does_not(void **state)
{
	(void)state;
	assert_int_equal(outcome_of(true), RUN_COMPLETE);
}

/* So often, on a machine whose others may leave it no time for a retry. */
#define TRIES 20

static struct reader_counts counts_of(const char *writer, const char *work)
{
	char *argv[] = {"run",
			"--duration",
			"300ms",
			"--hz",
			"5000",
			"--writer",
			(char *)(uintptr_t)writer,
			"--work",
			(char *)(uintptr_t)work,
			NULL};
	struct reader_counts counts = {.retried = 0};
	struct run_options options;
	struct run_result result;
	struct errmsg err;

	assert_int_equal(run_options_parse(9, argv, &options, &err), 0);
	for (int i = 0; i < TRIES && counts.retried < 20; i++) {
		if (run_execute(&options.config, NULL, &result, &err))
			fail_msg("%s", err.text);
		counts = result.all.total;
		run_result_release(&result);
	}
	run_options_release(&options);
	return counts;
}

static void assert_counts(const struct reader_counts *counts)
{
	assert_true(counts->waited <= counts->odd_waits);
	assert_true(counts->waited <= counts->retried);
	assert_true(counts->retried - counts->waited <= counts->changed);
}

/*
 * A hold that is a thousand times as long as a read, and readers that begin at any moment: nearly
 * all that met an update began within it, and only waited. Without a pause nearly none does.
 */
static void test_reads_that_only_waited(void **state)
{
	const struct reader_counts at_any = counts_of("tick:hold=20us", "alu:100000");
	const struct reader_counts without_a_pause = counts_of("tick:hold=20us", "none");
	cpu_set_t allowed;

	(void)state;
	assert_counts(&at_any);
	assert_counts(&without_a_pause);
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	if (CPU_COUNT(&allowed) < 2)
		return;
	assert_true(at_any.retried > 0);
	assert_true(4 * at_any.waited > 3 * at_any.retried);
	assert_true(2 * without_a_pause.waited < without_a_pause.retried);
}

/* Of a writer that makes a clock jump every 10 ms, for so long that only the fault can end it. */
static void run_with_jumps(const char *duration, bool until_fault, struct run_result *result)
{
	char *argv[] = {"run", "--writer",   "step-moves-monotonic:every=10ms", "--warmup",
			"0",   "--duration", (char *)(uintptr_t)duration,	NULL};
	struct run_options options;
	struct errmsg err;

	assert_int_equal(run_options_parse(7, argv, &options, &err), 0);
	options.config.until_fault = until_fault;
	if (run_execute(&options.config, NULL, result, &err))
		fail_msg("%s", err.text);
	assert_int_equal(result->outcome, RUN_COMPLETE);
	assert_true(result->forbidden_jumps > 0);
	run_options_release(&options);
}

static void test_a_fault_ends_it(void **state)
{
	struct run_result result;

	(void)state;
	run_with_jumps("10m", true, &result);
	assert_true(result.seconds < 600);
	assert_true(result.fault_seen_ns >= 0);
	run_result_release(&result);
}

static void test_a_fault_does_not_unless_it_is_asked_to(void **state)
{
	struct run_result result;

	(void)state;
	run_with_jumps("100ms", false, &result);
	assert_true(result.seconds >= 0.099);
	assert_true(result.fault_seen_ns < 0);
	run_result_release(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_signal_cuts_it_short),
		cmocka_unit_test(test_a_signal_after_all_its_time_does_not),
		cmocka_unit_test(test_reads_that_only_waited),
		cmocka_unit_test(test_a_fault_ends_it),
		cmocka_unit_test(test_a_fault_does_not_unless_it_is_asked_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
