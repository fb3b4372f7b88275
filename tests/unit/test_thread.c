// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/thread.h"

/* Which this machine does not have, so that it is as if it had been taken away. */
#define NO_CPU (CPU_SETSIZE - 1)

static cpu_set_t allowed;

static int first_allowed(void)
{
	int cpu = 0;

	while (!CPU_ISSET((size_t)cpu, &allowed))
		cpu++;
	return cpu;
}

struct visit {
	int cpu;
	bool strayed; /* told of that CPU */
	bool strayed_from_another;
};

static void *visit(void *argument)
{
	struct visit *here = argument;

	here->strayed = thread_strayed(here->cpu);
	here->strayed_from_another = thread_strayed(here->cpu + 1);
	return NULL;
}

static void test_it_runs_where_it_is_put(void **state)
{
	struct visit here = {.cpu = first_allowed(), .strayed = true};
	pthread_t thread;

	(void)state;
	assert_int_equal(thread_start(&thread, here.cpu, 0, visit, &here), 0);
	pthread_join(thread, NULL);
	assert_false(here.strayed);
	assert_true(here.strayed_from_another);
}

static void test_a_cpu_that_is_gone_is_named(void **state)
{
	pthread_t thread;
	struct visit here;
	int cause;

	(void)state;
	if (sysconf(_SC_NPROCESSORS_CONF) > NO_CPU)
		skip();
	cause = thread_start(&thread, NO_CPU, 0, visit, &here);
	assert_int_equal(cause, EINVAL);
	assert_string_equal(thread_why(cause, NO_CPU).text,
			    "this process may not use CPU 1023 any more, or it is offline");
}

static void test_other_causes_are_told_with_limits(void **state)
{
	const struct thread_why why = thread_why(EAGAIN, 0);

	(void)state;
	assert_non_null(strstr(why.text, "Resource temporarily unavailable; "));
	assert_non_null(strstr(why.text, "ulimit -u"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_runs_where_it_is_put),
		cmocka_unit_test(test_a_cpu_that_is_gone_is_named),
		cmocka_unit_test(test_other_causes_are_told_with_limits),
	};

	sched_getaffinity(0, sizeof(allowed), &allowed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
