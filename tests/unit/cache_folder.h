/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder of the test's own, where what it has compiled is kept: for a group's setup and teardown.
 */
#ifndef TESTS_UNIT_CACHE_FOLDER_H
#define TESTS_UNIT_CACHE_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

static char directory[] = "/tmp/contend-test-XXXXXX";

static inline int begin_cache_folder(void **state)
{
	(void)state;
	return mkdtemp(directory) && setenv("XDG_CACHE_HOME", directory, 1) == 0 ? 0 : -1;
}

static inline int end_cache_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	return system(command);
}

#endif /* TESTS_UNIT_CACHE_FOLDER_H */
