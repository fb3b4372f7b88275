/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must not be done to the test's own process is done in a child of it. There no assertion may
 * be made, since it would carry on with the tests that follow: MUST hands back the line instead.
 */
#ifndef TESTS_UNIT_IN_CHILD_H
#define TESTS_UNIT_IN_CHILD_H

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a function for in_child: 0 is returned where all is well. */
#define MUST(condition)                  \
	do {                             \
		if (!(condition))        \
			return __LINE__; \
	} while (0)

/* What the function returned in a child; the test fails if the child did not get that far. */
static inline int in_child(int (*function)(void *argument), void *argument)
{
	volatile int *result = mmap(NULL, sizeof(*result), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status, value;
	pid_t child;

	assert_ptr_not_equal((void *)(uintptr_t)result, MAP_FAILED);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		*result = function(argument);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (status != 0)
		fail_msg("the child ended with status 0x%x", (unsigned)status);
	value = *result;
	munmap((void *)(uintptr_t)result, sizeof(*result));
	return value;
}

/* The same for a function that has nothing to say but where it went wrong. */
static inline void must_in_child(int (*function)(void *argument), void *argument)
{
	int line = in_child(function, argument);

	if (line)
		fail_msg("in the child line %d was not so", line);
}

#endif /* TESTS_UNIT_IN_CHILD_H */
