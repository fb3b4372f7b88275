// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readers that are an image: what a spec makes of them, and what it is refused for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cmocka.h>

#include "readers/image.h"
#include "readers/kinds.h"
#include "tests/unit/process_maps.h"
#include "tests/unit/sound_images.h"

static char directory[] = "/tmp/contend-test-XXXXXX";
static struct reader reader;
static struct errmsg err;

/* Text for one call of a function. */
static const char *spec_of(const char *file, const char *keys)
{
	static char text[8192];

	snprintf(text, sizeof(text), "image:%s%s", file, keys);
	return text;
}

static void resolve(const char *text)
{
	if (reader_resolve(text, &reader, &err))
		fail_msg("'%s': %s", text, err.text);
	assert_ptr_equal(reader.kind, &reader_image);
	assert_non_null(reader.image);
	/* It is called as what it is. */
	assert_null(reader.counted);
	assert_null(reader.bare);
}

/* A copy of a sound image under this name, below a directory of the test's. */
static const char *copy_as(const char *name)
{
	static char path[4096];
	char command[9000];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	snprintf(command, sizeof(command), "cp '%s' '%s'", image_path("v6.15"), path);
	assert_int_equal(system(command), 0);
	return path;
}

static void test_defaults(void **state)
{
	(void)state;
	resolve(spec_of(image_path("v6.15"), ""));
	assert_int_equal(reader.clock, CLOCK_MONOTONIC);
	assert_int_equal(reader.call, VDSO_CLOCK_GETTIME);
	assert_true(reader.uses_counter);
	assert_false(reader.in_namespace);
	assert_string_equal(reader.path, "image:v6.15.so/monotonic");
	assert_string_equal(reader.variation, "page of v6.15");
	assert_string_equal(reader.image->name, image_path("v6.15"));
	assert_non_null(reader.image->bytes);
	assert_null(reader.image->start);
	reader_release(&reader);
	assert_null(reader.image);
}

static void test_clocks(void **state)
{
	static const struct {
		const char *name;
		clockid_t clock;
		bool uses_counter;
	} clocks[] = {
		{"realtime", CLOCK_REALTIME, true},
		{"monotonic", CLOCK_MONOTONIC, true},
		{"monotonic_raw", CLOCK_MONOTONIC_RAW, true},
		{"boottime", CLOCK_BOOTTIME, true},
		{"tai", CLOCK_TAI, true},
		{"realtime_coarse", CLOCK_REALTIME_COARSE, false},
		{"monotonic_coarse", CLOCK_MONOTONIC_COARSE, false},
	};
	char keys[64], path[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		snprintf(keys, sizeof(keys), ":clock=%s", clocks[i].name);
		snprintf(path, sizeof(path), "image:v5.3.so/%s", clocks[i].name);
		resolve(spec_of(image_path("v5.3"), keys));
		assert_int_equal(reader.clock, clocks[i].clock);
		assert_int_equal(reader.uses_counter, clocks[i].uses_counter);
		assert_string_equal(reader.path, path);
		assert_string_equal(reader.variation, "page of v5.3");
		reader_release(&reader);
	}
}

static void test_calls(void **state)
{
	static const struct {
		const char *keys;
		enum vdso_call call;
		clockid_t clock;
		bool uses_counter;
		const char *path;
	} calls[] = {
		{":call=clock_gettime", VDSO_CLOCK_GETTIME, CLOCK_MONOTONIC, true,
		 "image:v6.10.so/monotonic"},
		{":call=gettimeofday", VDSO_GETTIMEOFDAY, CLOCK_REALTIME, true,
		 "image:v6.10.so/realtime gettimeofday"},
		{":call=gettimeofday,clock=realtime", VDSO_GETTIMEOFDAY, CLOCK_REALTIME, true,
		 "image:v6.10.so/realtime gettimeofday"},
		{":call=time", VDSO_TIME, CLOCK_REALTIME, false, "image:v6.10.so/realtime time"},
		{":clock=realtime,call=time", VDSO_TIME, CLOCK_REALTIME, false,
		 "image:v6.10.so/realtime time"},
		{":call=clock_getres", VDSO_CLOCK_GETRES, CLOCK_MONOTONIC, false,
		 "image:v6.10.so/monotonic clock_getres"},
		{":call=clock_getres,clock=tai", VDSO_CLOCK_GETRES, CLOCK_TAI, false,
		 "image:v6.10.so/tai clock_getres"},
		{":call=clock_getres,clock=realtime_coarse", VDSO_CLOCK_GETRES,
		 CLOCK_REALTIME_COARSE, false, "image:v6.10.so/realtime_coarse clock_getres"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		resolve(spec_of(image_path("v6.10"), calls[i].keys));
		assert_int_equal(reader.call, calls[i].call);
		assert_int_equal(reader.clock, calls[i].clock);
		assert_int_equal(reader.uses_counter, calls[i].uses_counter);
		assert_string_equal(reader.path, calls[i].path);
		reader_release(&reader);
	}
}

static void test_namespace(void **state)
{
	(void)state;
	resolve(spec_of(image_path("v6.17"), ":namespace=yes,clock=boottime"));
	assert_true(reader.in_namespace);
	assert_string_equal(reader.variation, "page of v6.17, in a time namespace");
	reader_release(&reader);
	resolve(spec_of(image_path("gtod"), ":namespace=no"));
	assert_false(reader.in_namespace);
	reader_release(&reader);
}

static void test_host(void **state)
{
	(void)state;
	if (!getauxval(AT_SYSINFO_EHDR))
		skip();
	resolve("image:host:clock=realtime");
	assert_string_equal(reader.image->name, "host");
	assert_string_equal(reader.path, "image:host/realtime");
	assert_true(reader.image->patched_by_kernel);
	reader_release(&reader);
}

/* What follows the last colon is the name's, unless it begins like a key. */
static void test_colons_in_names(void **state)
{
	static const char *const names[] = {"a:b.so",	   "a:clock", "a::b",	 ":",
					    "a:Clock=tai", "a:1=2",   "a:=tai",	 "a:clock tai",
					    "a:clock-x=y", "a=b,c=d", "a:k=v:b", "host"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *path = copy_as(names[i]);

		resolve(spec_of(path, ""));
		assert_string_equal(reader.image->name, path);
		assert_int_equal(reader.clock, CLOCK_MONOTONIC);
		reader_release(&reader);
		resolve(spec_of(path, ":clock=tai,namespace=yes"));
		assert_string_equal(reader.image->name, path);
		assert_int_equal(reader.clock, CLOCK_TAI);
		assert_true(reader.in_namespace);
		reader_release(&reader);
	}
}

/* The path names the file without where it lies, and as much of it as there is room for. */
static void test_long_names(void **state)
{
	char name[251], path[128];

	(void)state;
	memset(name, 'n', sizeof(name));
	name[200] = '\0';
	resolve(spec_of(copy_as(name), ":call=clock_getres,clock=monotonic_coarse"));
	snprintf(path, sizeof(path), "image:%.80s/monotonic_coarse clock_getres", name);
	assert_string_equal(reader.path, path);
	reader_release(&reader);
}

/* A spec of a file whose path is made as long as this. */
static const char *spec_of_length(size_t length, const char *keys)
{
	static char file[1000];
	const char *path = copy_as("image.so");
	size_t directory_bytes = strlen(directory), tail = strlen("image.so");

	assert_true(length < sizeof(file));
	memset(file, '/', length);
	memcpy(file, path, directory_bytes);
	memcpy(file + length - tail, "image.so", tail + 1);
	return spec_of(file, keys);
}

static void refuse(const char *text, const char *culprit, const char *remedy)
{
	memset(&err, 0, sizeof(err));
	if (reader_resolve(text, &reader, &err) != -1)
		fail_msg("'%s' accepted", text);
	if (!strstr(err.text, culprit) || !strstr(err.text, remedy) || strchr(err.text, '\n'))
		fail_msg("'%s': \"%s\" says nothing of %s and %s", text, err.text, culprit, remedy);
	/* There is nothing to release, and it may be released. */
	assert_null(reader.image);
	reader_release(&reader);
}

static void test_length_of_names(void **state)
{
	(void)state;
	resolve(spec_of_length(255, ""));
	reader_release(&reader);
	resolve(spec_of_length(255, ":clock=tai"));
	assert_int_equal(strlen(reader.image->name), 255);
	reader_release(&reader);
	refuse(spec_of_length(256, ""), "an image is wanted", "at most 255 characters");
	refuse(spec_of_length(256, ":clock=tai"), "an image is wanted", "at most 255 characters");
	refuse(spec_of_length(900, ""), "an image is wanted", "at most 255 characters");
}

/* No key has a value of that length, but whoever has made it must be told what is wrong with it. */
static void test_length_of_keys(void **state)
{
	const size_t most = 250;
	char keys[1000];

	(void)state;
	memset(keys, 'x', sizeof(keys));
	memcpy(keys, ":clock=", strlen(":clock="));
	keys[most] = '\0';
	refuse(spec_of(image_path("v6.15"), keys), "clock=xxx", "realtime|monotonic");
	keys[most] = 'x';
	keys[most + 1] = '\0';
	refuse(spec_of(image_path("v6.15"), keys), "the keys of image:", "longer than 250 ");
	keys[most + 1] = 'x';
	keys[900] = '\0';
	refuse(spec_of(image_path("v6.15"), keys), "the keys of image:", "longer than 250 ");
}

/* The file, if it is not given, is that of a sound image. */
static const struct {
	const char *image;
	const char *keys;
	const char *culprit;
	const char *remedy;
} wrong[] = {
	{"v6.15", ":speed=9", "reader 'image' has no key 'speed'", "it has clock, call, namespace"},
	{"v6.15", ":clock=utc", "clock=utc", "realtime|monotonic|"},
	{"v6.15", ":clock=tai,clock=tai", "'clock'", "twice"},
	{"v6.15", ":clock=", "'clock='", "key=value"},
	{"v6.15", ":clock=tai,", "''", "key=value"},
	{"v6.15", ":clock=tai,call", "'call'", "key=value"},
	{"v6.15", ":call=getcpu", "call=getcpu", "clock_gettime|gettimeofday|time|clock_getres"},
	{"v6.15", ":namespace=maybe", "namespace=maybe", "no|yes"},
	{"v6.15", ":call=time,clock=tai", "call=time has no clock=tai", "realtime"},
	{"v6.15", ":call=gettimeofday,clock=monotonic", "call=gettimeofday has no clock=monotonic",
	 "realtime"},
	{"v6.15", ":call=time,clock=realtime_coarse", "call=time has no clock=realtime_coarse",
	 "realtime"},
	{"gtod", ":call=clock_getres", "gtod.so: it has no __vdso_clock_getres", ""},
	{"gtod", ":namespace=yes", "gtod.so: its code knows no time namespaces", ""},
	{"v5.3-no-namespace", ":namespace=yes", "its code knows no time namespaces", ""},
	{"no-symbol", "", "no-symbol.so: it has no __vdso_clock_gettime", ""},
	{"no-symbol", ":call=gettimeofday", "it has no __vdso_clock_gettime", ""},
	{"nonexistent", ":clock=tai", "nonexistent.so: No such file", ""},
	{"v6.15", ":", "v6.15.so:: No such file", ""},
	{"v6.15", ":clock", "v6.15.so:clock: No such file", ""},
	{"crashes", "", "crashed: Illegal instruction", ""},
};

static void test_refuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		refuse(spec_of(image_path(wrong[i].image), wrong[i].keys), wrong[i].culprit,
		       wrong[i].remedy);
	refuse("image:", "'image:'", "image:host or image:FILE");
	refuse("image::clock=tai", "'image::clock=tai'", "image:host or image:FILE");
	refuse("image", "of what?", "image:host or image:FILE");
}

static void test_wrong_keys_open_nothing(void **state)
{
	(void)state;
	/* What is wrong with the keys is said whatever the file is. */
	refuse("image:/nonexistent:clock=utc", "clock=utc", "realtime|monotonic|");
	refuse("image:/nonexistent:call=time,clock=tai", "has no clock=tai", "");
}

static void test_gives_all_back(void **state)
{
	static struct process_maps before, after;
	int files = process_open_files(), times = 0;

	(void)state;
	/* What is lost is lost each time; what an allocator keeps for itself, now and then. */
	do {
		assert_true(times++ < 10);
		assert_true(process_maps_read(&before));
		for (size_t j = 0; j < ARRAY_SIZE(wrong); j++)
			refuse(spec_of(image_path(wrong[j].image), wrong[j].keys), "", "");
		resolve(spec_of(image_path("v6.15"), ":clock=tai"));
		reader_release(&reader);
		reader_release(&reader);
		assert_int_equal(process_open_files(), files);
		assert_true(process_maps_read(&after));
	} while (before.count != after.count);
}

static void test_nothing_is_a_reader(void **state)
{
	struct reader none;

	(void)state;
	memset(&none, 0, sizeof(none));
	reader_release(&none);
	reader_release(&none);
	assert_int_equal(reader_resolve("hres", &reader, &err), 0);
	assert_null(reader.image);
	reader_release(&reader);
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_namespace),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_colons_in_names),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_length_of_names),
		cmocka_unit_test(test_length_of_keys),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_wrong_keys_open_nothing),
		cmocka_unit_test(test_gives_all_back),
		cmocka_unit_test(test_nothing_is_a_reader),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
