// SPDX-License-Identifier: GPL-2.0-or-later
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "measure/thread_limits.h"
#include "tests/unit/in_child.h"

static char directory[] = "/tmp/contend-limits-XXXXXX";

struct path {
	char text[128];
};

static struct path in_directory(const char *name)
{
	struct path path;

	snprintf(path.text, sizeof(path.text), "%s/%s", directory, name);
	return path;
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(in_directory(name).text, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static u64 pids_max(const char *groups)
{
	write_file("groups", groups);
	return thread_limits_pids_max(in_directory("groups").text, directory);
}

static void test_cgroups(void **state)
{
	(void)state;
	assert_int_equal(thread_limits_pids_max("/nope", directory), 0);
	assert_int_equal(pids_max(""), 0);
	assert_int_equal(pids_max("nonsense\n"), 0);
	assert_int_equal(pids_max("0::/\n"), 0);
	write_file("a/b/pids.max", "max\n");
	assert_int_equal(pids_max("0::/a/b\n"), 0);
	/* A limit holds for all that is below. */
	write_file("a/pids.max", "70\n");
	assert_int_equal(pids_max("0::/a/b\n"), 70);
	write_file("a/b/pids.max", "90\n");
	assert_int_equal(pids_max("0::/a/b\n"), 70);
	write_file("a/b/pids.max", "60\n");
	assert_int_equal(pids_max("0::/a/b\n"), 60);
	assert_int_equal(pids_max("0::/a\n"), 70);
	/* In a container the process's own cgroup is all there is. */
	write_file("pids.max", "50\n");
	assert_int_equal(pids_max("0::/\n"), 50);
	assert_int_equal(pids_max("0::/a/b\n"), 50);
	/* Version 1: every controller has its own. */
	write_file("pids/c/pids.max", "40\n");
	assert_int_equal(pids_max("9:cpu,cpuacct:/a\n8:pids:/c\n"), 40);
	assert_int_equal(pids_max("9:cpu,cpuacct:/a\n8:pids:/\n"), 0);
	assert_int_equal(pids_max("9:pids:/c\n0::/a\n"), 40);
}

static u64 memory_max(const char *groups)
{
	write_file("groups", groups);
	return thread_limits_memory_max(in_directory("groups").text, directory);
}

static void test_memory_of_cgroups(void **state)
{
	(void)state;
	assert_int_equal(memory_max("0::/a/b\n"), 0);
	write_file("a/memory.max", "max\n");
	assert_int_equal(memory_max("0::/a/b\n"), 0);
	write_file("a/memory.max", "70000\n");
	assert_int_equal(memory_max("0::/a/b\n"), 70000);
	/* Version 1 has another file, and a number for none. */
	write_file("memory/c/memory.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal(memory_max("4:memory:/c\n"), 0);
	write_file("memory/c/memory.limit_in_bytes", "40000\n");
	write_file("memory/c/memory.max", "1\n");
	assert_int_equal(memory_max("5:cpu:/c\n4:memory:/c\n"), 40000);
	assert_int_equal(memory_max("4:memory2:/c\n3:mem:/c\n"), 0);
}

static int names_limits(void *argument)
{
	const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	const struct rlimit number = {12345, 12345};
	/* So much that nobody meets it. */
	const struct rlimit bytes = {1ull << 46, RLIM_INFINITY};

	(void)argument;
	MUST(setrlimit(RLIMIT_DATA, &none) == 0 && setrlimit(RLIMIT_AS, &none) == 0);
	MUST(setrlimit(RLIMIT_NPROC, &number) == 0);
	MUST(strstr(thread_limits_here().text, "there are set ulimit -u 12345"));
	MUST(!strstr(thread_limits_here().text, "ulimit -v"));
	MUST(!strstr(thread_limits_here().text, "ulimit -d"));
	MUST(setrlimit(RLIMIT_DATA, &bytes) == 0);
	MUST(strstr(thread_limits_here().text, ", ulimit -d 68719476736"));
	return 0;
}

static void test_limits(void **state)
{
	struct rlimit hard;

	(void)state;
	getrlimit(RLIMIT_DATA, &hard);
	if (hard.rlim_max != RLIM_INFINITY)
		skip();
	getrlimit(RLIMIT_AS, &hard);
	if (hard.rlim_max != RLIM_INFINITY)
		skip();
	getrlimit(RLIMIT_NPROC, &hard);
	if (hard.rlim_max < 12345)
		skip();
	must_in_child(names_limits, NULL);
}

static int make_tree(void **state)
{
	static const char *const names[] = {"a", "a/b", "pids", "pids/c", "memory", "memory/c"};

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (mkdir(in_directory(names[i]).text, 0700))
			return -1;
	return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static int remove_tree(void **state)
{
	(void)state;
	return nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cgroups),
		cmocka_unit_test(test_memory_of_cgroups),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
