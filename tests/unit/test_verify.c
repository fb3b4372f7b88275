// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The verification itself, on catalogues of the test's own. What it must notice is what would make
 * it worthless: a mutant that is none, and something correct that is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/verification.h"
#include "sim/barrier.h"
#include "tests/unit/in_child.h"

#define SHORT_NS 30000000

static volatile sig_atomic_t stop;
static struct verify_result result;
static struct verify_config config;

/* What only its writer does needs neither a second CPU nor luck. */
static const struct verify_mutant steps = {
	.name = "step-moves-monotonic",
	.kind = VERIFY_WRITER,
	.job = {.reader = "hres", .writer = {"step-moves-monotonic:every=5ms"}},
};
static const struct verify_mutant no_mutant = {
	.name = "tick",
	.kind = VERIFY_WRITER,
	.job = {.reader = "hres", .writer = {"tick:hz=10000"}, .least_ns = SHORT_NS},
};

static int setup(void **state)
{
	(void)state;
	stop = 0;
	memset(&result, 0, sizeof(result));
	config = (struct verify_config){.duration_ns = SHORT_NS};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	verify_result_release(&result);
	return 0;
}

static enum status verify_with(progress_fn *progress, void *context)
{
	const struct verification verification = {&config, &result};
	struct errmsg err;

	if (verify_execute(&config, progress, context, &stop, &result, &err))
		fail_msg("%s", err.text);
	return report_verify_status(&verification);
}

static enum status verify(void)
{
	return verify_with(NULL, NULL);
}

static enum status verify_mutant(const struct verify_mutant *mutant)
{
	config.mutant = mutant;
	config.mutants = 1;
	return verify();
}

static enum status verify_as_correct(const struct verify_job *job)
{
	config.correct = job;
	config.corrects = 1;
	return verify();
}

static bool has_remark(const char *text)
{
	for (int i = 0; i < result.remarks.count; i++)
		if (strstr(result.remarks.text[i], text))
			return true;
	return false;
}

static void test_a_mutant_is_killed(void **state)
{
	(void)state;
	assert_int_equal(verify_mutant(&steps), STATUS_WELL);
	assert_int_equal(result.mutant[0].state, VERIFY_FOUND);
	assert_true(result.mutant[0].by[VERIFY_JUMP]);
	assert_true(result.mutant[0].jumps > 0);
	assert_false(result.mutant[0].by[VERIFY_TORN]);
	assert_false(result.mutant[0].by[VERIFY_STALL]);
	assert_true(result.mutant[0].seconds > 0);
	assert_int_equal(verify_verdict(&steps, &result.mutant[0]), VERIFY_KILLED);
	assert_false(result.interrupted);
}

/* Mutant of a mutant: it is correct, and nobody can kill it. */
static void test_a_mutant_that_is_none_survives(void **state)
{
	(void)state;
	assert_int_equal(verify_mutant(&no_mutant), STATUS_WRONG);
	assert_int_equal(verify_verdict(&no_mutant, &result.mutant[0]), VERIFY_SURVIVED);
	assert_in_range(result.mutant[0].tries, VERIFY_TRIES, VERIFY_MOST_TRIES);
	assert_true(result.mutant[0].checked > 0);
	assert_int_equal(verify_add_up(&config, &result).survived, 1);
}

/* Keeps this process, and what it starts, to the first so many of its CPUs. */
static bool stay_on(int cpus)
{
	cpu_set_t allowed, some;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return false;
	CPU_ZERO(&some);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < cpus; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			CPU_SET(cpu, &some);
	return sched_setaffinity(0, sizeof(some), &some) == 0;
}

/* Until the parent dies, which it may have done before that was asked for. */
static void never_give_way(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		;
	_exit(0);
}

/* Eight of them, of this process's death or the first one's. */
static pid_t take_cpus(void)
{
	const pid_t self = getpid(), first = fork();
	pid_t parent;

	if (first)
		return first;
	parent = getpid();
	for (int others = 0; others < 7; others++)
		if (fork() == 0)
			never_give_way(parent);
	never_give_way(self);
	return 0;
}

/*
 * The same mutant of a mutant, where others have the CPUs: that says nothing of it. How much they
 * leave is the scheduler's, so only what follows from that is asked.
 */
static int without_a_cpu(void *argument)
{
	struct verify_mutant starved = no_mutant;
	const struct verify_finding *finding;
	enum verify_verdict verdict;
	pid_t others;

	(void)argument;
	MUST(stay_on(2));
	others = take_cpus();
	MUST(others > 0);
	starved.job.least_ns = 10 * SHORT_NS;
	MUST(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 9) == 0);
	verify_mutant(&starved);
	kill(others, SIGKILL);
	MUST(waitpid(others, NULL, 0) == others);
	finding = &result.mutant[0];
	verdict = verify_verdict(&starved, finding);
	if (finding->together_seconds * NSEC_PER_SEC < (double)starved.job.least_ns)
		MUST(verdict == VERIFY_UNKNOWN);
	else
		MUST(verdict == VERIFY_UNKNOWN || verdict == VERIFY_SURVIVED);
	if (strstr(finding->why.text, "others had them"))
		MUST(finding->tries == VERIFY_MOST_TRIES);
	return 0;
}

static void test_without_a_cpu_nothing_is_said(void **state)
{
	(void)state;
	must_in_child(without_a_cpu, NULL);
}

/* What is broken, and listed as correct. */
static void test_the_broken_is_accused(void **state)
{
	struct verify_sum sum;

	(void)state;
	assert_int_equal(verify_as_correct(&steps.job), STATUS_WRONG);
	assert_true(result.correct[0].by[VERIFY_JUMP]);
	assert_int_equal(result.correct[0].tries, 1);
	sum = verify_add_up(&config, &result);
	assert_int_equal(sum.accused, 1);
	assert_int_equal(sum.runs, 1);
}

static void test_a_torn_read_is_accused(void **state)
{
	const struct verify_job job = {
		.reader = "half-outside",
		.writer = {"tick:hz=1000000"},
		.payload = PAYLOAD_STAMP,
		.least_ns = 10 * NSEC_PER_SEC, /* it ends at the first */
	};
	cpu_set_t allowed;

	(void)state;
	sched_getaffinity(0, sizeof(allowed), &allowed);
	if (CPU_COUNT(&allowed) < 2)
		skip();
	assert_int_equal(verify_as_correct(&job), STATUS_WRONG);
	assert_true(result.correct[0].by[VERIFY_TORN]);
	assert_true(result.correct[0].torn > 0);
	assert_true(result.correct[0].seconds < 10);
}

static void test_the_correct_is_not_accused(void **state)
{
	struct verify_sum sum;

	(void)state;
	assert_int_equal(verify_as_correct(&no_mutant.job), STATUS_WELL);
	assert_int_equal(result.correct[0].state, VERIFY_SEEN_NOTHING);
	sum = verify_add_up(&config, &result);
	assert_int_equal(sum.runs, 1);
	assert_int_equal(sum.accused, 0);
	assert_int_equal(sum.checked, result.correct[0].checked);
	assert_true(sum.checked > 0);
}

static const struct verify_mutant dies = {
	.name = "stops-odd",
	.kind = VERIFY_WRITER,
	.job = {.reader = "hres", .writer = {"stops-odd:hz=10000"}, .least_ns = 300000000},
	.may_stall = true,
};

static void test_a_stall(void **state)
{
	(void)state;
	assert_int_equal(verify_mutant(&dies), STATUS_WELL);
	assert_true(result.mutant[0].by[VERIFY_STALL]);
	assert_non_null(strstr(result.mutant[0].stall, "odd"));
}

/* A machine that had no time for it has not killed a mutant whose fault is another one. */
static void test_a_stall_of_what_does_not_stall(void **state)
{
	struct verify_mutant other = dies;

	(void)state;
	other.may_stall = false;
	assert_int_equal(verify_mutant(&other), STATUS_USAGE);
	assert_int_equal(verify_verdict(&other, &result.mutant[0]), VERIFY_UNKNOWN);
	assert_false(result.mutant[0].by[VERIFY_STALL]);
	assert_int_equal(result.mutant[0].tries, VERIFY_TRIES);
	assert_non_null(strstr(result.mutant[0].why.text, "odd"));
}

/* Who met no update has survived nothing. */
static void test_nothing_to_meet(void **state)
{
	const struct verify_job job = {.reader = "hres", .writer = {"tick:hz=1"}};

	(void)state;
	assert_int_equal(verify_as_correct(&job), STATUS_USAGE);
	assert_int_equal(result.correct[0].state, VERIFY_NO_READ);
	assert_true(result.correct[0].checked > 0);
	assert_int_equal(result.correct[0].updates, 0);
	assert_int_equal(result.correct[0].tries, VERIFY_TRIES);
}

/*
 * The update comes in an interruption of the read, so that one CPU is enough for it to be met; but
 * not under ThreadSanitizer, which does not follow a signal.
 */
static void test_a_crash(void **state)
{
	const struct verify_mutant crashes = {
		.name = "acts-too-early",
		.job = {.reader = "acts-too-early",
			.writer = {CONTEND_TSAN ? "tick:hz=1000000" : "irq:hz=20000"}},
	};

	(void)state;
	assert_int_equal(verify_mutant(&crashes), STATUS_WELL);
	assert_true(result.mutant[0].by[VERIFY_CRASH]);
	assert_non_null(strstr(result.mutant[0].stall, "the run crashed: "));
	for (enum verify_detector i = 0; i < VERIFY_CRASH; i++)
		assert_false(result.mutant[0].by[i]);
}

static void signal_child(int number, bool *sent)
{
	char path[64];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	assert_non_null(file);
	if (fscanf(file, "%d", &child) == 1)
		*sent |= kill(child, number) == 0;
	fclose(file);
}

/* A progress_fn: stops the child once it is there. */
static void freeze(double share_done, double seconds_left, const char *figures, void *context)
{
	(void)figures;
	(void)share_done;
	(void)seconds_left;
	signal_child(SIGSTOP, context);
}

/* A progress_fn: ends it, as the kernel does where memory is short. */
static void end_it(double share_done, double seconds_left, const char *figures, void *context)
{
	(void)figures;
	(void)share_done;
	(void)seconds_left;
	signal_child(SIGKILL, context);
}

static void test_one_that_never_comes_back(void **state)
{
	struct verify_job job = no_mutant.job;
	bool frozen = false;

	(void)state;
	/* Progress is told ten times a second. */
	job.least_ns = 400000000;
	config.correct = &job;
	config.corrects = 1;
	config.grace_ns = 300000000;
	assert_int_equal(verify_with(freeze, &frozen), STATUS_WRONG);
	assert_true(frozen);
	assert_true(result.correct[0].by[VERIFY_STALL]);
	assert_non_null(strstr(result.correct[0].stall, "did not come back"));
	assert_int_equal(result.correct[0].tries, 2);
	/* Nobody is left behind. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* A progress_fn: as above, but those that come after are let go. */
static void freeze_first(double share_done, double seconds_left, const char *figures, void *context)
{
	bool *frozen = context;

	(void)figures;
	(void)share_done;
	(void)seconds_left;
	if (!*frozen)
		signal_child(SIGSTOP, frozen);
}

/* Others had the machine: that is no fault of the job, if it goes well once they let it. */
static void test_one_that_comes_back_the_second_time(void **state)
{
	struct verify_job job = no_mutant.job;
	bool frozen = false;

	(void)state;
	job.least_ns = 200000000;
	config.correct = &job;
	config.corrects = 1;
	config.grace_ns = CONTEND_TSAN ? 20 * NSEC_PER_SEC : 3 * NSEC_PER_SEC;
	assert_int_equal(verify_with(freeze_first, &frozen), STATUS_WELL);
	assert_true(frozen);
	assert_int_equal(result.correct[0].state, VERIFY_SEEN_NOTHING);
	assert_int_equal(result.correct[0].tries, 2);
	assert_non_null(strstr(result.correct[0].stalled, "did not come back"));
	assert_int_equal(verify_add_up(&config, &result).accused, 0);
}

/* It gets stuck each time, and not for want of time. */
static void test_the_stuck_is_accused(void **state)
{
	(void)state;
	assert_int_equal(verify_as_correct(&dies.job), STATUS_WRONG);
	assert_int_equal(result.correct[0].state, VERIFY_FOUND);
	assert_true(result.correct[0].by[VERIFY_STALL]);
	assert_int_equal(result.correct[0].tries, 2);
	assert_non_null(strstr(result.correct[0].stalled, "odd"));
}

/* With a cache of its own for what is compiled. */
static void verify_the_example(enum status *status)
{
	static const struct verify_job job = {.reader = "./readers/example/lock.c",
					      .writer = {"tick:hz=200"},
					      .least_ns = SHORT_NS};
	char directory[] = "/tmp/test_verify.XXXXXX", clear[64];

	assert_non_null(mkdtemp(directory));
	setenv("XDG_CACHE_HOME", directory, 1);
	assert_int_equal(chdir(CONTEND_TEST_TOP), 0);
	*status = verify_as_correct(&job);
	snprintf(clear, sizeof(clear), "rm -rf %s", directory);
	assert_int_equal(system(clear), 0);
	unsetenv("XDG_CACHE_HOME");
}

/*
 * The example's readers try again only if three updates come within a read: of six in all, hardly
 * ever. One that it does happen to is no fault: then it is tried anew.
 */
static void test_who_did_not_meet_the_writer(void **state)
{
	enum status status;
	int times = 0;

	(void)state;
	do {
		verify_result_release(&result);
		verify_the_example(&status);
	} while (result.correct[0].state == VERIFY_SEEN_NOTHING && result.correct[0].met &&
		 ++times < 5);
	assert_int_equal(result.correct[0].state, VERIFY_NOT_MET);
	assert_int_equal(status, STATUS_USAGE);
	assert_true(result.correct[0].checked > 0);
	assert_int_equal(result.correct[0].tries, VERIFY_TRIES);
	assert_int_equal(verify_add_up(&config, &result).failed, 1);
}

/* One of its runs is enough. */
static void test_met_in_another_run(void **state)
{
	const struct verify_job jobs[] = {
		no_mutant.job,
		{.reader = "hres", .writer = {"tick:hz=60"}},
	};

	(void)state;
	config.correct = jobs;
	config.corrects = ARRAY_SIZE(jobs);
	assert_int_equal(verify(), STATUS_WELL);
	assert_true(result.correct[0].met);
	assert_int_equal(result.correct[1].state, VERIFY_SEEN_NOTHING);
}

/* Of who does not tell nothing can be demanded. */
static void test_who_does_not_tell(void **state)
{
	const struct verify_job job = {.reader = "mutex", .writer = {"tick:hz=10000"}};

	(void)state;
	assert_int_equal(verify_as_correct(&job), STATUS_WELL);
	assert_int_equal(result.correct[0].tries, 1);
	assert_non_null(strstr(result.correct[0].retries_unavailable, "does not tell"));
	assert_false(result.correct[0].met);
}

static void test_a_mutant_that_never_comes_back(void **state)
{
	struct verify_mutant mutant = no_mutant;
	bool frozen = false;

	(void)state;
	mutant.job.least_ns = 400000000;
	config.mutant = &mutant;
	config.mutants = 1;
	config.grace_ns = 300000000;
	assert_int_equal(verify_with(freeze, &frozen), STATUS_USAGE);
	assert_true(frozen);
	assert_int_equal(verify_verdict(&mutant, &result.mutant[0]), VERIFY_UNKNOWN);
	assert_non_null(strstr(result.mutant[0].why.text, "did not come back"));
}

/* That is no crash of its own. */
static void test_ended_from_outside(void **state)
{
	struct verify_mutant mutant = no_mutant;
	bool ended = false;

	(void)state;
	mutant.job.least_ns = 60 * NSEC_PER_SEC;
	config.mutant = &mutant;
	config.mutants = 1;
	assert_int_equal(verify_with(end_it, &ended), STATUS_USAGE);
	assert_true(ended);
	assert_int_equal(verify_verdict(&mutant, &result.mutant[0]), VERIFY_UNKNOWN);
	assert_non_null(strstr(result.mutant[0].why.text, "from outside"));
}

static void test_what_the_cpu_hides_is_no_failure(void **state)
{
	struct verify_mutant hidden = no_mutant;

	(void)state;
	hidden.hidden = "it keeps loads in order";
	assert_int_equal(verify_mutant(&hidden), STATUS_WELL);
	assert_int_equal(verify_verdict(&hidden, &result.mutant[0]), VERIFY_HIDDEN);
	assert_int_equal(result.mutant[0].tries, 1);
	assert_int_equal(verify_add_up(&config, &result).hidden, 1);
}

/* But where it does show, it is killed like any other. */
static void test_what_the_cpu_may_hide_is_killed(void **state)
{
	struct verify_mutant hidden = steps;

	(void)state;
	hidden.hidden = "it keeps loads in order";
	assert_int_equal(verify_mutant(&hidden), STATUS_WELL);
	assert_int_equal(verify_verdict(&hidden, &result.mutant[0]), VERIFY_KILLED);
}

static void test_what_the_machine_has_not_is_no_failure(void **state)
{
	const struct verify_mutant mutants[] = {
		{.name = steps.name,
		 .kind = steps.kind,
		 .job = {.reader = steps.job.reader,
			 .writer = {steps.job.writer[0]},
			 .clocksource = "virtual"}},
		steps,
	};
	const struct verify_job jobs[] = {mutants[0].job, no_mutant.job};

	(void)state;
	config = (struct verify_config){.mutant = mutants,
					.mutants = ARRAY_SIZE(mutants),
					.correct = jobs,
					.corrects = ARRAY_SIZE(jobs),
					.duration_ns = SHORT_NS};
	assert_int_equal(verify(), STATUS_WELL);
	assert_false(has_remark("can be run on this machine"));
	assert_int_equal(verify_verdict(&mutants[0], &result.mutant[0]), VERIFY_ABSENT);
	assert_int_equal(result.correct[0].state, VERIFY_NOT_HERE);
	assert_non_null(strstr(result.correct[0].why.text, "virtual"));
	assert_int_equal(verify_add_up(&config, &result).left_out, 1);
}

/* But if there was nothing else, nothing is shown. */
static void test_nothing_that_the_machine_has(void **state)
{
	struct verify_mutant absent = steps;

	(void)state;
	absent.job.clocksource = "virtual";
	assert_int_equal(verify_mutant(&absent), STATUS_USAGE);
	assert_true(has_remark("can be run on this machine"));
	verify_result_release(&result);
	config.mutants = 0;
	assert_int_equal(verify_as_correct(&absent.job), STATUS_USAGE);
	assert_true(has_remark("can be run on this machine"));
}

static void test_what_cannot_be_run(void **state)
{
	struct verify_mutant wrong = steps;

	(void)state;
	wrong.job.reader = "bogus";
	config.correct = &wrong.job;
	config.corrects = 1;
	assert_int_equal(verify_mutant(&wrong), STATUS_USAGE);
	assert_int_equal(verify_verdict(&wrong, &result.mutant[0]), VERIFY_UNKNOWN);
	assert_int_equal(result.mutant[0].state, VERIFY_COULD_NOT);
	assert_non_null(strstr(result.mutant[0].why.text, "bogus"));
	assert_int_equal(result.correct[0].state, VERIFY_COULD_NOT);
}

/* A progress_fn: the user has had enough within the second of two. */
static void interrupt(double share_done, double seconds_left, const char *figures, void *context)
{
	double *share = context;

	(void)seconds_left;
	assert_true(share_done >= *share);
	*share = share_done;
	if (strstr(figures, ", coarse"))
		stop = 1;
}

static void test_interrupted(void **state)
{
	const struct verify_job jobs[] = {
		no_mutant.job,
		{.reader = "coarse", .writer = {"tick"}, .least_ns = 60 * NSEC_PER_SEC},
		no_mutant.job,
	};
	double share = 0;

	(void)state;
	config.correct = jobs;
	config.corrects = ARRAY_SIZE(jobs);
	assert_int_equal(verify_with(interrupt, &share), STATUS_INTERRUPTED);
	assert_true(result.interrupted);
	assert_int_equal(result.correct[0].state, VERIFY_SEEN_NOTHING);
	assert_int_equal(result.correct[1].state, VERIFY_NOT_RUN);
	assert_int_equal(result.correct[2].state, VERIFY_NOT_RUN);
	assert_true(result.seconds < 60);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

/* What was found before counts for more. */
static void test_a_fault_outweighs_an_interruption(void **state)
{
	const struct verify_job jobs[] = {
		steps.job,
		{.reader = "coarse", .writer = {"tick"}, .least_ns = 60 * NSEC_PER_SEC},
	};
	double share = 0;

	(void)state;
	config.correct = jobs;
	config.corrects = ARRAY_SIZE(jobs);
	assert_int_equal(verify_with(interrupt, &share), STATUS_WRONG);
	assert_true(result.interrupted);
}

/* More nanoseconds than 32 bits have. */
static void test_how_long_it_takes(void **state)
{
	struct verify_mutant mutants[20];
	struct verify_job jobs[20];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mutants); i++) {
		mutants[i] = no_mutant;
		mutants[i].job.least_ns = NSEC_PER_SEC;
		jobs[i] = no_mutant.job;
	}
	config = (struct verify_config){.mutant = mutants,
					.mutants = ARRAY_SIZE(mutants),
					.correct = jobs,
					.corrects = ARRAY_SIZE(jobs),
					.duration_ns = 10ull * NSEC_PER_SEC};
	assert_in_range(verify_about_ns(&config) / NSEC_PER_SEC, 20 + 200, 20 + 200 + 20);
	config.corrects = 0;
	assert_in_range(verify_about_ns(&config) / NSEC_PER_SEC, 20, 30);
	config.mutants = 0;
	assert_int_equal(verify_about_ns(&config), 0);
}

static int on_one_cpu(void *argument)
{
	struct verify_mutant two = steps;
	struct errmsg err;

	(void)argument;
	MUST(stay_on(1));
	two.needs_two_cpus = true;
	config.mutant = &two;
	config.mutants = 1;
	MUST(verify_execute(&config, NULL, NULL, &stop, &result, &err) == -1);
	MUST(strstr(err.text, "one CPU only"));
	MUST(strstr(err.text, "step-moves-monotonic"));
	two.needs_two_cpus = false;
	MUST(verify_execute(&config, NULL, NULL, &stop, &result, &err) == 0);
	MUST(verify_verdict(&two, &result.mutant[0]) == VERIFY_KILLED);
	return 0;
}

static void test_one_cpu(void **state)
{
	(void)state;
	must_in_child(on_one_cpu, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_mutant_is_killed),
		TEST(test_a_mutant_that_is_none_survives),
		TEST(test_without_a_cpu_nothing_is_said),
		TEST(test_the_broken_is_accused),
		TEST(test_a_torn_read_is_accused),
		TEST(test_the_correct_is_not_accused),
		TEST(test_a_stall),
		TEST(test_a_stall_of_what_does_not_stall),
		TEST(test_nothing_to_meet),
		TEST(test_a_crash),
		TEST(test_one_that_never_comes_back),
		TEST(test_one_that_comes_back_the_second_time),
		TEST(test_the_stuck_is_accused),
		TEST(test_who_did_not_meet_the_writer),
		TEST(test_met_in_another_run),
		TEST(test_who_does_not_tell),
		TEST(test_a_mutant_that_never_comes_back),
		TEST(test_ended_from_outside),
		TEST(test_what_the_cpu_hides_is_no_failure),
		TEST(test_what_the_cpu_may_hide_is_killed),
		TEST(test_what_the_machine_has_not_is_no_failure),
		TEST(test_nothing_that_the_machine_has),
		TEST(test_what_cannot_be_run),
		TEST(test_interrupted),
		TEST(test_a_fault_outweighs_an_interruption),
		TEST(test_how_long_it_takes),
		TEST(test_one_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
