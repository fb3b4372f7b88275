// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "measure/cpus.h"
#include "tests/unit/choice_of.h"

static cpu_set_t whole;
static int first = -1, second = -1;
static struct cpu_plan plan;
static struct remarks remarks;
static struct errmsg err;

static cpu_set_t set_of(int one, int other)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)one, &set);
	if (other >= 0)
		CPU_SET((size_t)other, &set);
	return set;
}

static int setup(void **state)
{
	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(whole), &whole), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, &whole))
			continue;
		if (first < 0)
			first = cpu;
		else if (second < 0)
			second = cpu;
	}
	return 0;
}

static int restore(void **state)
{
	(void)state;
	return sched_setaffinity(0, sizeof(whole), &whole);
}

static void allow(int one, int other)
{
	cpu_set_t set = set_of(one, other);

	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static struct run_config job(u32 readers)
{
	return (struct run_config){
		.groups = 1,
		.group = {{.readers = readers}},
		.writers = 1,
		.writer = {choice_of("tick:hz=1000")},
		.writer_cpu = -1,
		.priority = PRIORITY_NONE,
	};
}

static int make_plan(const struct run_config *config)
{
	memset(&remarks, 0, sizeof(remarks));
	memset(&err, 0, sizeof(err));
	return cpus_plan(config, &plan, &remarks, &err);
}

static bool remarked(const char *words)
{
	for (int i = 0; i < remarks.count; i++)
		if (strstr(remarks.text[i], words))
			return true;
	return false;
}

static void test_two_cpus(void **state)
{
	struct run_config config = job(32);

	(void)state;
	if (second < 0)
		skip();
	allow(first, second);
	assert_int_equal(make_plan(&config), 0);
	assert_int_equal(plan.writer_cpu, second);
	assert_true(plan.writer_alone);
	assert_int_equal(plan.reader_cpus, 1);
	for (u32 i = 0; i < 32; i++)
		assert_int_equal(plan.cpu_of_reader[i], first);
	assert_true(remarked("32 readers share 1 CPU"));
	assert_false(remarked("shares CPU"));
}

static void test_one_cpu(void **state)
{
	struct run_config config = job(2);

	(void)state;
	allow(first, -1);
	assert_int_equal(make_plan(&config), 0);
	assert_int_equal(plan.writer_cpu, first);
	assert_false(plan.writer_alone);
	assert_true(remarked("the writer shares CPU"));
	/* Real time on the only CPU is refused if it was asked for, else left. */
	config.priority = 50;
	assert_int_equal(make_plan(&config), -1);
	assert_non_null(strstr(err.text, "--priority"));
	config.priority = PRIORITY_AUTO;
	assert_int_equal(make_plan(&config), 0);
	assert_int_equal(plan.priority, 0);
}

/* Readers that need fewer CPUs than they were given leave the writer one. */
static void test_given_cpus(void **state)
{
	struct run_config config = job(1);

	(void)state;
	if (second < 0)
		skip();
	allow(first, second);
	config.group[0].cpus_given = true;
	config.group[0].cpus = set_of(first, second);
	assert_int_equal(make_plan(&config), 0);
	assert_int_equal(plan.writer_cpu, second);
	assert_int_equal(plan.cpu_of_reader[0], first);
	assert_true(plan.writer_alone);
	assert_int_equal(remarks.count, 0);

	config.writer_cpu = first;
	assert_int_equal(make_plan(&config), 0);
	assert_int_equal(plan.writer_cpu, first);
	assert_int_equal(plan.cpu_of_reader[0], second);
	assert_true(plan.writer_alone);

	/* Two readers take both, and the writer shares the one that was named for it. */
	config.group[0].readers = 2;
	assert_int_equal(make_plan(&config), 0);
	assert_false(plan.writer_alone);
	assert_int_equal(plan.reader_cpus, 2);
	assert_int_not_equal(plan.cpu_of_reader[0], plan.cpu_of_reader[1]);
}

static void test_same_cpu_if_told(void **state)
{
	struct run_config config = job(1);

	(void)state;
	config.group[0].cpus_given = true;
	config.group[0].cpus = set_of(first, -1);
	config.writer_cpu = first;
	assert_int_equal(make_plan(&config), 0);
	assert_false(plan.writer_alone);
	assert_int_equal(plan.cpu_of_reader[0], first);
}

static struct run_config job_of_two(u32 first_readers, u32 second_readers)
{
	struct run_config config = job(first_readers);

	config.groups = 2;
	config.group[1].readers = second_readers;
	return config;
}

/* Groups that leave it to the run share what is left, and a CPU is not taken twice while one is
 * free.
 */
static void test_groups_are_dealt_out_together(void **state)
{
	struct run_config config = job_of_two(3, 2);
	u32 on_first = 0;

	(void)state;
	if (second < 0)
		skip();
	allow(first, second);
	config.writer_cpu = second;
	assert_int_equal(make_plan(&config), 0);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(plan.cpu_of_reader[i], first);
	assert_true(remarked("5 readers share 1 CPU"));

	config.group[0].cpus_given = config.group[1].cpus_given = true;
	config.group[0].cpus = config.group[1].cpus = set_of(first, second);
	config.writer_cpu = -1;
	assert_int_equal(make_plan(&config), 0);
	for (u32 i = 0; i < 5; i++)
		on_first += plan.cpu_of_reader[i] == first;
	assert_in_range(on_first, 2, 3);
	assert_int_equal(plan.reader_cpus, 2);

	config = job_of_two(1, 1);
	config.group[0].cpus_given = config.group[1].cpus_given = true;
	config.group[0].cpus = config.group[1].cpus = set_of(first, second);
	assert_int_equal(make_plan(&config), 0);
	assert_int_not_equal(plan.cpu_of_reader[0], plan.cpu_of_reader[1]);
}

/* The writer goes where no group was put, and who was left free does not go to the writer's. */
static void test_groups_with_and_without_cpus(void **state)
{
	struct run_config config = job_of_two(4, 1);

	(void)state;
	if (second < 0)
		skip();
	allow(first, second);
	config.group[1].cpus_given = true;
	config.group[1].cpus = set_of(second, -1);
	assert_int_equal(make_plan(&config), 0);
	assert_int_equal(plan.writer_cpu, first);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(plan.cpu_of_reader[i], second);
	assert_true(plan.writer_alone);

	config.group[0].cpus_given = true;
	config.group[0].cpus = set_of(first, -1);
	assert_int_equal(make_plan(&config), 0);
	assert_int_equal(plan.writer_cpu, second);
	assert_false(plan.writer_alone);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(plan.cpu_of_reader[i], i < 4 ? first : second);
	config.group[1].cpus = set_of(CPU_SETSIZE - 1, -1);
	assert_int_equal(make_plan(&config), -1);
	assert_non_null(strstr(err.text, "--cpus"));
}

static void test_refused_cpus(void **state)
{
	struct run_config config = job(1);

	(void)state;
	allow(first, -1);
	config.writer_cpu = CPU_SETSIZE - 1;
	assert_int_equal(make_plan(&config), -1);
	assert_non_null(strstr(err.text, "--writer-cpu"));
	config = job(1);
	config.group[0].cpus_given = true;
	config.group[0].cpus = set_of(CPU_SETSIZE - 1, -1);
	assert_int_equal(make_plan(&config), -1);
	assert_non_null(strstr(err.text, "--cpus"));
}

/* Each alone would leave the CPU to others for half of the time; both together do not. */
static void test_writers_that_never_sleep(void **state)
{
	struct run_config config = job(1);

	(void)state;
	if (second < 0)
		skip();
	allow(first, second);
	config.priority = PRIORITY_AUTO;
	config.writer[0] = config.writer[1] = choice_of("tick:hz=8000");
	assert_int_equal(make_plan(&config), 0);
	assert_false(remarked("never sleeps"));
	config.writers = 2;
	assert_int_equal(make_plan(&config), 0);
	assert_true(remarked("at 16000 Hz the writer never sleeps"));
	assert_int_equal(plan.priority, 0);
	/* What makes no updates has no rate of them. */
	config.writer[1] = choice_of("tz:every=10us");
	for (config.writers = 2; config.writers; config.writers--) {
		assert_int_equal(make_plan(&config), 0);
		assert_true(remarked("the writer never sleeps"));
		assert_false(remarked("Hz"));
		config.writer[0] = config.writer[1];
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_two_cpus, restore),
		cmocka_unit_test_teardown(test_one_cpu, restore),
		cmocka_unit_test_teardown(test_given_cpus, restore),
		cmocka_unit_test_teardown(test_same_cpu_if_told, restore),
		cmocka_unit_test_teardown(test_groups_are_dealt_out_together, restore),
		cmocka_unit_test_teardown(test_groups_with_and_without_cpus, restore),
		cmocka_unit_test_teardown(test_refused_cpus, restore),
		cmocka_unit_test_teardown(test_writers_that_never_sleep, restore),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
