// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "cli/json_file.h"
#include "report/status.h"
#include "tests/unit/in_child.h"

#define ROOM 4096

static char directory[] = "/tmp/contend-json-XXXXXX";
static char path[64];
static bool no_streams;

/* In glibc's place: there may be no memory for a stream. */
FILE *fdopen(int descriptor, const char *mode)
{
	FILE *(*real)(int descriptor, const char *mode);

	if (no_streams) {
		errno = ENOMEM;
		return NULL;
	}
	*(void **)&real = dlsym(RTLD_NEXT, "fdopen");
	return real(descriptor, mode);
}

/* And a call that succeeds may leave any errno. */
int close(int descriptor)
{
	long result = syscall(SYS_close, descriptor);

	errno = EBADF;
	return (int)result;
}

static int write_short(FILE *out, const void *result, struct errmsg *err)
{
	(void)err;
	fputs(result, out);
	return 0;
}

/* More than there is room for, and more than a stream buffers. */
static int write_long(FILE *out, const void *result, struct errmsg *err)
{
	(void)result;
	for (int i = 0; i < 16 * ROOM; i++)
		fputc('x', out);
	return fflush(out) ? errmsg_set(err, "%s", strerror(errno)) : 0;
}

static off_t size_of_file(void)
{
	struct stat status;

	return stat(path, &status) ? -1 : status.st_size;
}

static void write_old(void)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs("old", file);
	fclose(file);
}

static int remove_file(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static void test_written(void **state)
{
	struct json_file json;
	struct errmsg err;

	(void)state;
	assert_int_equal(json_file_open(&json, path, &err), 0);
	assert_int_equal(json_file_write(&json, write_short, "result", &err), 0);
	assert_int_equal(size_of_file(), strlen("result"));
}

static void test_no_stream(void **state)
{
	struct json_file json;
	struct errmsg err;
	int failed;

	(void)state;
	for (int was_there = 0; was_there < 2; was_there++) {
		if (was_there)
			write_old();
		no_streams = true;
		failed = json_file_open(&json, path, &err);
		no_streams = false;
		assert_int_equal(failed, -1);
		assert_non_null(strstr(err.text, "cannot write"));
		assert_non_null(strstr(err.text, path));
		assert_non_null(strstr(err.text, strerror(ENOMEM)));
		/* An older result is nobody's to lose here. */
		assert_int_equal(size_of_file(), was_there ? 3 : -1);
	}
}

static int limit_files(void)
{
	const struct rlimit limit = {ROOM, ROOM};

	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &limit);
}

/* Half a result is none, and must not be found where one is looked for. */
static int leaves_no_half(void *was_there)
{
	struct json_file json;
	struct errmsg err;

	MUST(limit_files() == 0);
	MUST(json_file_open(&json, path, &err) == 0);
	MUST(json_file_write(&json, write_long, NULL, &err) == -1);
	MUST(strstr(err.text, strerror(EFBIG)));
	MUST(size_of_file() == (was_there ? 0 : -1));
	return 0;
}

static void test_no_room(void **state)
{
	(void)state;
	must_in_child(leaves_no_half, NULL);
	write_old();
	must_in_child(leaves_no_half, path);
}

/* What did not fit into the stream's buffer comes only when it is closed. */
static int write_late(FILE *out, const void *result, struct errmsg *err)
{
	(void)err;
	setvbuf(out, (void *)(uintptr_t)result, _IOFBF, (size_t)64 * ROOM);
	for (int i = 0; i < 16 * ROOM; i++)
		fputc('x', out);
	return 0;
}

static int leaves_no_half_at_the_end(void *was_there)
{
	static char buffer[64 * ROOM];
	struct json_file json;
	struct errmsg err;

	(void)was_there;
	MUST(limit_files() == 0);
	MUST(json_file_open(&json, path, &err) == 0);
	MUST(json_file_write(&json, write_late, buffer, &err) == -1);
	MUST(size_of_file() == -1);
	return 0;
}

static void test_no_room_at_the_end(void **state)
{
	(void)state;
	must_in_child(leaves_no_half_at_the_end, NULL);
}

/* What was found wrong counts for more than that it could not be written. */
static int status_outweighs(void *argument)
{
	static const int statuses[][2] = {{STATUS_WELL, STATUS_USAGE},
					  {STATUS_WRONG, STATUS_WRONG},
					  {STATUS_INTERRUPTED, STATUS_INTERRUPTED}};
	struct json_file json;
	struct errmsg err;

	(void)argument;
	MUST(limit_files() == 0);
	for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
		MUST(json_file_open(&json, path, &err) == 0);
		MUST(json_file_report(&json, write_long, NULL, statuses[i][0]) == statuses[i][1]);
		MUST(json_file_open(&json, path, &err) == 0);
		MUST(json_file_report(&json, write_short, "", statuses[i][0]) == statuses[i][0]);
	}
	return 0;
}

static void test_status(void **state)
{
	(void)state;
	must_in_child(status_outweighs, NULL);
}

static void assert_file(const char *content)
{
	char found[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	(void)!fread(found, 1, sizeof(found) - 1, file);
	fclose(file);
	assert_string_equal(found, content);
}

/* Each takes the place of all of the one before, shorter or longer, and so does the last. */
static void test_kept(void **state)
{
	struct json_file json;
	struct errmsg err;

	(void)state;
	write_old();
	assert_int_equal(json_file_open(&json, path, &err), 0);
	assert_int_equal(json_file_keep(&json, write_short, "the first", &err), 0);
	assert_file("the first");
	assert_int_equal(json_file_keep(&json, write_short, "second", &err), 0);
	assert_file("second");
	assert_int_equal(json_file_keep(&json, write_short, "the third one", &err), 0);
	assert_file("the third one");
	assert_int_equal(json_file_write(&json, write_short, "last", &err), 0);
	assert_file("last");
}

static void test_nothing_to_keep_in(void **state)
{
	struct json_file json;
	struct errmsg err;

	(void)state;
	assert_int_equal(json_file_open(&json, NULL, &err), 0);
	assert_int_equal(json_file_keep(&json, write_short, "result", &err), 0);
	assert_int_equal(json_file_open(&json, "-", &err), 0);
	assert_int_equal(json_file_keep(&json, write_short, "result", &err), 0);
	/* It would be there twice. */
	assert_int_equal(json_file_open(&json, "/dev/null", &err), 0);
	assert_int_equal(json_file_keep(&json, write_long, NULL, &err), 0);
	json_file_abandon(&json);
}

static int keeps_no_more_than_there_is_room_for(void *argument)
{
	struct json_file json;
	struct errmsg err;

	(void)argument;
	MUST(limit_files() == 0);
	MUST(json_file_open_for(&json, "--csv", path, &err) == 0);
	MUST(json_file_keep(&json, write_long, NULL, &err) == -1);
	MUST(strncmp(err.text, "--csv: cannot write", 19) == 0);
	MUST(json_file_write(&json, write_long, NULL, &err) == -1);
	MUST(size_of_file() == -1);
	return 0;
}

/* What took hours is not lost for what came last. */
static int leaves_what_was_kept(void *argument)
{
	struct json_file json;
	struct errmsg err;

	(void)argument;
	MUST(limit_files() == 0);
	MUST(json_file_open(&json, path, &err) == 0);
	MUST(json_file_keep(&json, write_short, "the first", &err) == 0);
	MUST(json_file_keep(&json, write_long, NULL, &err) == -1);
	MUST(strstr(err.text, strerror(EFBIG)));
	MUST(size_of_file() == (off_t)strlen("the first"));
	MUST(json_file_write(&json, write_long, NULL, &err) == -1);
	MUST(strstr(err.text, strerror(EFBIG)));
	return 0;
}

static void test_no_room_to_add(void **state)
{
	(void)state;
	must_in_child(leaves_what_was_kept, NULL);
	assert_file("the first");
}

static void test_no_room_to_keep(void **state)
{
	(void)state;
	must_in_child(keeps_no_more_than_there_is_room_for, NULL);
}

static void test_abandoned(void **state)
{
	struct json_file json;
	struct errmsg err;

	(void)state;
	assert_int_equal(json_file_open(&json, path, &err), 0);
	assert_int_equal(size_of_file(), 0);
	json_file_abandon(&json);
	assert_int_equal(size_of_file(), -1);
	write_old();
	assert_int_equal(json_file_open(&json, path, &err), 0);
	json_file_abandon(&json);
	assert_int_equal(size_of_file(), strlen("old"));
}

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/result.json", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_written, remove_file),
		cmocka_unit_test_teardown(test_no_stream, remove_file),
		cmocka_unit_test_teardown(test_no_room, remove_file),
		cmocka_unit_test_teardown(test_no_room_at_the_end, remove_file),
		cmocka_unit_test_teardown(test_status, remove_file),
		cmocka_unit_test_teardown(test_kept, remove_file),
		cmocka_unit_test_teardown(test_nothing_to_keep_in, remove_file),
		cmocka_unit_test_teardown(test_no_room_to_keep, remove_file),
		cmocka_unit_test_teardown(test_no_room_to_add, remove_file),
		cmocka_unit_test_teardown(test_abandoned, remove_file),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
