// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is read out of an argument's file, and every refusal with its line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/argument.h"
#include "sim/types.h"

#define HEAD "[argument]\ntitle = T\n"
#define PAIR "[compare a]\nbaseline = x\nreader = y\n"

static char path[] = "/tmp/contend-argument-XXXXXX";
static struct argument argument;
static struct errmsg err;

static int setup(void **state)
{
	int descriptor = mkstemp(path);

	(void)state;
	return descriptor < 0 ? -1 : close(descriptor);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_bytes(const char *text, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static void read_text(const char *text)
{
	write_bytes(text, strlen(text));
	if (argument_read(path, &argument, &err))
		fail_msg("%s", err.text);
}

/* Of which line, and what the sentence says. */
static void refused_bytes(const char *text, size_t length, int line, const char *because)
{
	char begin[64];

	write_bytes(text, length);
	assert_int_equal(argument_read(path, &argument, &err), -1);
	argument_release(&argument);
	snprintf(begin, sizeof(begin), "%s:%d: ", path, line);
	if (strncmp(err.text, begin, strlen(begin)) != 0 || !strstr(err.text, because))
		fail_msg("\"%s\" is not of line %d, or without \"%s\"", err.text, line, because);
}

static void refused(const char *text, int line, const char *because)
{
	refused_bytes(text, strlen(text), line, because);
}

static void test_whole(void **state)
{
	const struct argument_section *section = argument.section;

	(void)state;
	read_text(
		"; all that there is\n[argument]\ntitle = Some: title\nclaim = one, two\n"
		"claim = three\nby = someone\n\n"
		"[compare the first ]\nreader = hres:clock=tai@cc=gcc,cflags=-O3 -g\n"
		"baseline = hres\nclaim = a\nclaim = b\nclaimed_percent = -2\nhz = 0\n"
		"still = yes\nwork = cache:0.5L1\nduration = 3s\n"
		"[inspect code]\nreader = r1\nreader = r2\ntarget = t1\ntarget = t2\nclaim = c\n");
	assert_string_equal(argument.title, "Some: title");
	assert_int_equal(argument.claim.lines, 2);
	assert_string_equal(argument.claim.line[1], "three");
	assert_int_equal(argument.by.lines, 1);
	assert_int_equal(argument.sections, 2);

	assert_false(section->is_inspection);
	assert_string_equal(section->name, "the first");
	assert_int_equal(section->line, 8);
	assert_int_equal(section->readers, 2);
	assert_string_equal(section->reader[0], "hres");
	assert_string_equal(section->reader[1], "hres:clock=tai@cc=gcc,cflags=-O3 -g");
	assert_int_equal(section->claim.text.lines, 2);
	assert_true(section->claim.has_percent);
	assert_int_equal(section->options, 4);
	assert_string_equal(section->option[0].option->name, "hz");
	assert_string_equal(section->option[0].value, "0");
	assert_string_equal(section->option[1].option->name, "still");
	assert_null(section->option[1].value);
	assert_string_equal(section->option[2].value, "cache:0.5L1");

	section++;
	assert_true(section->is_inspection);
	assert_string_equal(section->name, "code");
	assert_int_equal(section->readers, 2);
	assert_int_equal(section->targets, 2);
	assert_string_equal(section->target[1], "t2");
	assert_false(section->claim.has_percent);
	argument_release(&argument);
}

/* In whatever order, and a flag that is not raised is none. */
static void test_forms(void **state)
{
	(void)state;
	read_text(PAIR "\tstill = no\n" HEAD);
	assert_int_equal(argument.section[0].options, 0);
	argument_release(&argument);
	/* A flag that is lowered leaves room for what comes then. */
	read_text(HEAD PAIR "still = no\nhz = 7\n");
	assert_int_equal(argument.section[0].options, 1);
	assert_string_equal(argument.section[0].option[0].value, "7");
	argument_release(&argument);
	read_text(HEAD "[inspect a]\nreader = x\n");
	assert_int_equal(argument.section[0].targets, 0);
	argument_release(&argument);
}

static void claims(const char *text, double low, double high)
{
	struct claim claim = {.has_percent = false};

	if (argument_parse_claimed(text, &claim, &err))
		fail_msg("%s", err.text);
	assert_true(claim.has_percent);
	assert_float_equal(claim.low_percent, low, 0);
	assert_float_equal(claim.high_percent, high, 0);
}

static void test_claimed(void **state)
{
	static const char *const wrong[] = {
		"",	  "x",	       "2 %",	      "2 3",	  "to 3",    "2 to", "2 to ",
		"3 to 2", "2 to x",    "2 to 3 to 4", "-100",	  "1e9",     "inf",  "nan",
		"-inf",	  "-101 to 3", "2 bis 3",     "2 to 3 %", "-2 to -3"};

	(void)state;
	claims("-2", -2, -2);
	claims("+2.5", 2.5, 2.5);
	claims("0", 0, 0);
	claims("7 to 9", 7, 9);
	claims("-4.8  to\t+4.7", -4.8, 4.7);
	claims("-3 to -2", -3, -2);
	claims("2 to 2", 2, 2);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct claim claim = {.has_percent = false};

		if (!argument_parse_claimed(wrong[i], &claim, &err))
			fail_msg("\"%s\" is taken", wrong[i]);
		assert_false(claim.has_percent);
	}
}

static void test_values_refused(void **state)
{
	(void)state;
	refused(HEAD PAIR "hz = many\n", 6, "hz: ");
	refused(HEAD PAIR "\nduration = 3\n", 7, "duration: ");
	refused(HEAD PAIR "writer = nobody\n", 6, "writer: ");
	refused(HEAD PAIR "writer = tick:hold=x\n", 6, "hold");
	refused(HEAD PAIR "resolution = -1\n", 6, "resolution: ");
	refused(HEAD PAIR "readers = 0\n", 6, "readers: ");
	refused(HEAD PAIR "seed = x\n", 6, "seed: ");
	refused(HEAD PAIR "still = maybe\n", 6, "neither yes nor no");
	refused(HEAD PAIR "claimed_percent = two\n", 6, "claimed_percent: 'two' is neither");
	refused(HEAD PAIR "claim =\n", 6, "there is no value");
	refused(HEAD "[compare a]\nbaseline =\n", 4, "there is no value");
}

static void test_keys_refused(void **state)
{
	(void)state;
	refused("[argument]\nnothing = 1\n", 2, "there are title, claim, by");
	refused(HEAD "[compare a]\ntarget = 1\n", 4, "there are baseline, reader, claim,");
	refused(HEAD "[inspect a]\nhz = 1\n", 4, "there are reader, target, claim");
	/* What becomes of the result, and beginnings of names. */
	refused(HEAD PAIR "json = x\n", 6, "there is no key 'json'");
	refused(HEAD PAIR "quiet = yes\n", 6, "there is no key 'quiet'");
	refused(HEAD PAIR "help = yes\n", 6, "there is no key 'help'");
	refused(HEAD PAIR "null = yes\n", 6, "there is no key 'null'");
	refused(HEAD PAIR "format = text\n", 6, "there is no key 'format'");
	refused(HEAD PAIR "durat = 1s\n", 6, "there is no key 'durat'");
	refused("title = T\n", 1, "belongs to no section");
	refused(HEAD "title = U\n", 3, "title: it stands here already");
	refused(HEAD PAIR "reader = z\n", 6, "reader: it stands here already");
	refused(HEAD PAIR "baseline = z\n", 6, "baseline: it stands here already");
	refused(HEAD PAIR "hz = 1\nhz = 1\n", 7, "hz: it stands here already");
	refused(HEAD PAIR "claimed_percent = 1\nclaimed_percent = 1\n", 7, "stands here already");
}

static void test_sections_refused(void **state)
{
	(void)state;
	refused(HEAD "[run]\n", 3, "there is no section [run]: there are [argument], [compare");
	refused(HEAD "[]\n", 3, "there is no section []");
	refused(HEAD "[argument]\n", 3, "a second [argument]: line 1 has one");
	refused("[argument x]\n", 1, "[argument] has no name");
	refused(HEAD "[compare]\n", 3, "it is [compare NAME]");
	refused(HEAD "[inspect \t]\n", 3, "it is [inspect NAME]");
	refused(HEAD PAIR "[compare a]\n", 6, "a second section named a: line 3 has one");
	refused(HEAD PAIR "[inspect a ]\n", 6, "a second section named a: line 3 has one");
	refused(HEAD "[compare a] x\n", 3, "more than a comment follows");
}

static void test_what_is_missing(void **state)
{
	(void)state;
	refused("", 0, "there was no [argument]");
	refused(PAIR, 3, "there was no [argument]");
	refused(HEAD, 2, "there was no [compare NAME] or");
	refused("\n[argument]\n" PAIR, 2, "[argument] has no title");
	refused(PAIR "[argument]\n", 4, "[argument] has no title");
	refused(HEAD "[compare a]\nreader = y\n" HEAD, 3, "[compare a] has no baseline");
	refused(HEAD "[compare a]\nbaseline = y\n[inspect b]\n", 3, "[compare a] has no reader");
	refused(HEAD "[inspect a]\ntarget = y\n", 3, "[inspect a] has no reader");
}

static void test_lines_refused(void **state)
{
	char text[600] = HEAD "claim = ";

	(void)state;
	refused(HEAD "\nwhat\n", 4, "neither [section] nor key = value");
	refused_bytes("[argument]\nti\0tle\n", 18, 2, "zero byte");
	memset(text + strlen(text), 'x', 400);
	refused(text, 3, "longer than");
}

static void test_no_more_than_there_is_room_for(void **state)
{
	static char text[32768];
	size_t used = (size_t)snprintf(text, sizeof(text), HEAD);

	(void)state;
	for (int i = 0; i <= CLAIM_MAX_LINES; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "by = %d\n", i);
	refused(text, 3 + CLAIM_MAX_LINES, "by: there can be no more than 12");

	used = (size_t)snprintf(text, sizeof(text), HEAD);
	for (int i = 0; i < ARGUMENT_MAX_SECTIONS; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "[inspect %d]\nreader = x\n", i);
	read_text(text);
	assert_int_equal(argument.sections, ARGUMENT_MAX_SECTIONS);
	argument_release(&argument);
	snprintf(text + used, sizeof(text) - used, "[compare more]\n");
	refused(text, 3 + 2 * ARGUMENT_MAX_SECTIONS, "there can be no more than 64");
}

static void test_files(void **state)
{
	(void)state;
	assert_int_equal(argument_read("/nope/x.ini", &argument, &err), -1);
	assert_non_null(strstr(err.text, "No such file or directory"));
	assert_int_equal(argument_read("/", &argument, &err), -1);
	assert_non_null(strstr(err.text, "cannot be read: Is a directory"));
	argument_release(&argument);
}

/* It is one by its section, wherever that stands, and whatever is wrong with it. */
static void test_which_it_is(void **state)
{
	static const struct {
		const char *text;
		bool is_one;
	} texts[] = {
		{HEAD, true},
		{"; x\n[compare a]\nwrong\n  [argument ] ; yes\n", true},
		{"[argument x]\n", true},
		{"[run]\nduration = 1s\n", false},
		{"; [argument]\n[run]\n", false},
		{"[arguments]\n", false},
		{"argument\n", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		write_bytes(texts[i].text, strlen(texts[i].text));
		if (argument_is_one(path) != texts[i].is_one)
			fail_msg("\"%s\"", texts[i].text);
	}
	assert_false(argument_is_one("/nope/x.ini"));
	assert_false(argument_is_one("/"));
	assert_false(argument_is_one("/dev/zero"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_claimed),
		cmocka_unit_test(test_values_refused),
		cmocka_unit_test(test_keys_refused),
		cmocka_unit_test(test_sections_refused),
		cmocka_unit_test(test_what_is_missing),
		cmocka_unit_test(test_lines_refused),
		cmocka_unit_test(test_no_more_than_there_is_room_for),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_which_it_is),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
