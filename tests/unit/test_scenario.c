// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is read out of a scenario, and every refusal with its line.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/scenario.h"
#include "sim/types.h"
#include "writers/choice.h"

static char path[] = "/tmp/contend-scenario-XXXXXX";
static char taken[4096];
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

/* Each takes all but the value "wrong". */
static int take_option(const char *option, const char *value, void *context, struct errmsg *why)
{
	size_t used = strlen(taken);

	assert_ptr_equal(context, taken);
	if (strstr(value, "wrong"))
		return errmsg_set(why, "'%s' is what is wrong", value);
	snprintf(taken + used, sizeof(taken) - used, "%s=%s\n", option, value);
	return 0;
}

static int take_group(const char *name, void *context, struct errmsg *why)
{
	return take_option("group", name, context, why);
}

/* Specs of writers are held against the writers that there are. */
static int take_writer(const char *spec, void *context, struct errmsg *why)
{
	struct writer_choice choice;

	return writer_resolve(spec, &choice, why) ? -1 : take_option("writer", spec, context, why);
}

static int take_condition(const char *text, void *context, struct errmsg *why)
{
	return take_option("expect", text, context, why);
}

static const struct scenario_taker taker = {take_option, take_group, take_writer, take_condition};

static int read_bytes(const char *text, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	*taken = '\0';
	return scenario_read(path, &taker, taken, &err);
}

static void gives(const char *text, const char *right)
{
	if (read_bytes(text, strlen(text)))
		fail_msg("%s", err.text);
	assert_string_equal(taken, right);
}

/* Of which line, and what the sentence says. */
static void refused(const char *text, int line, const char *because)
{
	char begin[64];

	assert_int_equal(read_bytes(text, strlen(text)), -1);
	snprintf(begin, sizeof(begin), "%s:%d: ", path, line);
	if (strncmp(err.text, begin, strlen(begin)) != 0 || !strstr(err.text, because))
		fail_msg("\"%s\" is not of line %d, or without \"%s\"", err.text, line, because);
}

static void test_all_keys(void **state)
{
	(void)state;
	gives("[run]\nduration=1s\nwarmup=0\npayload=stamp\nclocksource=tsc\nseed=2\n"
	      "priority=none\nwriter-cpu=1\n"
	      "[writer]\nkind=tick\nhz=5\nhold=1us\n"
	      "[readers some]\ncount=3\nreader=hres:clock=tai,hint=none\nwork=alu:5\ncpus=0,2-3\n"
	      "[expect]\ntorn = 0\n",
	      "duration=1s\nwarmup=0\npayload=stamp\nclocksource=tsc\nseed=2\npriority=none\n"
	      "writer-cpu=1\n"
	      "writer=tick:hz=5,hold=1us\n"
	      "group=some\n"
	      "readers=3\nreader=hres:clock=tai,hint=none\nwork=alu:5\ncpus=0,2-3\n"
	      "expect=torn = 0\n");
}

static void test_forms(void **state)
{
	(void)state;
	gives("; nothing\n\n# at all\n[run]\n", "");
	gives("[run]\n[readers x]", "group=x\n");
	gives("[readers   x ]\n[expect]\n", "group=x\n");
	gives("\t [run] ; first\n  seed \t=  7   ; and last \n \t warmup=0\r\n",
	      "seed=7\nwarmup=0\n");
	gives("[run ]\nseed: 7", "seed=7\n");
	gives("[readers\tthe second half]\ncount=2\n", "group=the second half\nreaders=2\n");
	/* A key of nothing is a value of nothing, and its option's to refuse. */
	gives("[run]\nseed=\n", "seed=\n");
}

/* What is said of one is told after its name, and not of another. */
static void test_groups(void **state)
{
	char text[1000] = "", right[1000] = "";

	(void)state;
	gives("[readers a]\ncount=2\n[readers b]\n[run]\nseed=1\n[readers c]\ncount=4\nwork=none\n",
	      "group=a\nreaders=2\ngroup=b\nseed=1\ngroup=c\nreaders=4\nwork=none\n");
	for (int i = 0; i < 16; i++) {
		char line[32];

		snprintf(line, sizeof(line), "[readers %d]\n", i);
		strcat(text, line);
		snprintf(line, sizeof(line), "group=%d\n", i);
		strcat(right, line);
	}
	gives(text, right);
	strcat(text, "[readers more]\n");
	refused(text, 17, "no more than 16 sections [readers NAME]");
	refused("[readers a]\n[readers b]\n\n[readers a]\n", 4,
		"a second [readers a]: line 1 has one; each group has a name of its own");
	refused("[readers a]\ncount=1\ncount=2\n", 3, "count: line 2 says it already");
	gives("[readers a]\ncount=1\n[readers b]\ncount=1\n",
	      "group=a\nreaders=1\ngroup=b\nreaders=1\n");
	refused("[run]\n[readers wrong]\n", 2, "[readers wrong]: 'wrong' is what is wrong");
	gives("[readers 1234567890123456789012345678901]\n",
	      "group=1234567890123456789012345678901\n");
	refused("[readers 12345678901234567890123456789012]\n", 1, "no more than 31 characters");
}

/* As they stand, but for comments and blanks at their ends; and after all else, wherever they are.
 */
static void test_conditions(void **state)
{
	char text[4000] = "[expect]\n";

	(void)state;
	gives("[expect]\ntorn=0\na < 5\n\n\tb.c <= 1.5  ; of course\n; not this\n# nor this\nd >= "
	      "1;2\n"
	      "[readers b]\ncount=2\n[run]\nseed=1\n",
	      "group=b\nreaders=2\nseed=1\n"
	      "expect=torn=0\nexpect=a < 5\nexpect=b.c <= 1.5\nexpect=d >= 1;2\n");
	gives("[expect]\nx: y\n[run]\nseed: 1\r\n", "seed=1\nexpect=x: y\n");
	gives("[expect]\na > 1\na > 1\n", "expect=a > 1\nexpect=a > 1\n");
	gives("[expect] ; what is\na > 1\r\n", "expect=a > 1\n");
	refused("[expect]\n\na > 1\nb > wrong\n[run]\nseed=1\n", 4, "'b > wrong' is what is wrong");
	refused("[expect]\n[run]\n[expect]\n", 3, "a second [expect]: line 1 has one");
	refused("[expect x]\n", 1, "[expect] has no name");
	/* What is wrong before has its line, too, though conditions are taken last. */
	refused("[expect]\nwrong\n[run]\nseed=wrong\n", 4, "seed: 'wrong'");
	refused("[expect]\na > 1\n[run]\nnonsense\n", 4, "neither [section] nor key = value");
	for (int i = 0; i < 64; i++)
		strcat(text, "reads > 0\n");
	assert_int_equal(read_bytes(text, strlen(text)), 0);
	strcat(text, "reads > 0\n");
	refused(text, 66, "no more than 64 conditions");
	snprintf(text, sizeof(text), "[expect]\n%0150d\n", 0);
	refused(text, 2, "no more than 95 characters");
}

/* However the lines are ordered. */
static void test_writer(void **state)
{
	(void)state;
	gives("[writer]\n", "writer=tick\n");
	gives("[writer]\nhz=7\n[run]\nseed=1\n", "writer=tick:hz=7\nseed=1\n");
	gives("[writer]\nby=2s\nevery=1ms\nkind=step\n", "writer=step:by=2s,every=1ms\n");
	gives("[writer]\nkind=step\n[writer]\nhz=5\n[writer]\nkind=step\n",
	      "writer=step\nwriter=tick:hz=5\nwriter=step\n");
}

/* Of any length; a line that says something is not. */
static void test_long_lines(void **state)
{
	char text[2000] = ";";

	(void)state;
	memset(text + 1, 'x', 1500);
	strcat(text, "\n[run]\nseed=7\n");
	gives(text, "seed=7\n");
	memset(text, ' ', 1500);
	strcpy(text + 1500, "[run]\nseed=7\n");
	gives(text, "seed=7\n");
	strcpy(text, "[run]\nseed=");
	memset(text + 11, '1', 1500);
	text[1511] = '\0';
	refused(text, 2, "longer than");
	memset(text, 'k', 60);
	strcpy(text + 60, "=1\n");
	memmove(text + 6, text, 64);
	memcpy(text, "[run]\n", 6);
	refused(text, 2, "no more than 48 characters");
	memset(text + 1, 'r', 60);
	strcpy(text + 61, "]\n");
	*text = '[';
	refused(text, 1, "no more than 48 characters");
}

static void test_sections(void **state)
{
	(void)state;
	refused("seed=1\n", 1, "'seed' belongs to no section: one of [run], [writer],");
	refused("\n\n[runs]\n", 3,
		"no section [runs]: there are [run], [writer], [readers NAME] and [expect]");
	refused("[]\n", 1, "no section []");
	refused("[Run]\n", 1, "no section [Run]");
	refused("[run]\nseed=1\n\n[run]\nwarmup=0\n", 4, "a second [run]: line 1 has one");
	refused("[run]\n[run]\n", 2, "a second [run]: line 1");
	refused("[writer]\n[writer]\n[writer]\n[writer]\n[writer]\n[writer]\n[writer]\n[writer]\n"
		"[writer]\n",
		9, "there can be no more than 8 sections [writer]");
	refused("[readers]\ncount=1\n", 1, "[readers] has no name: it is [readers NAME]");
	refused("[run fast]\n", 1, "[run fast]: [run] has no name");
	refused("[run] seed=1\n", 1, "more than a comment follows");
	refused("[run\n", 1, "the ] of [section] is missing");
	refused("[run\nseed=1\n", 1, "the ] of [section] is missing");
	refused("", 1, "there is no section in it");
	refused("; nothing\n\n", 2, "there is no section in it");
}

static void test_keys(void **state)
{
	(void)state;
	refused("[run]\nhz=5\n", 2,
		"[run] has no key 'hz': there are duration, warmup, payload, "
		"clocksource, seed, priority, writer-cpu");
	refused("[readers x]\nreaders=5\n", 2,
		"no key 'readers': there are count, reader, work, cpus");
	refused("[run]\nSeed=5\n", 2, "no key 'Seed'");
	refused("[run]\nseed=1\nwarmup=0\nseed=1\n", 4, "seed: line 2 says it already");
	refused("[writer]\nhold=1us\nhold=1us\n", 3, "hold: line 2 says it already");
	refused("[run]\nnonsense\n", 2, "neither [section] nor key = value");
	refused("[run]\nseed=1\n\n nonsense \n", 4, "neither [section] nor key = value");
}

/* The option's own sentence, at the line of the key that it is about. */
static void test_values(void **state)
{
	(void)state;
	refused("[run]\nseed=1\nduration=wrong\nwarmup=wrong\n", 3,
		"duration: 'wrong' is what is wrong");
	refused("[readers x]\ncount=wrong\n", 2, "count: 'wrong' is");
	refused("[writer]\nkind=wrong\nhold=1\n", 2, "kind: there is no writer 'wrong'");
	refused("[writer]\nkind=storm\nhz=5\nburst=wrong\n", 4,
		"burst: writer 'storm': burst: 'wrong'");
	refused("[writer]\nkind=storm\nhz=5\n", 3, "hz: writer 'storm': hz: a storm without end");
	refused("[writer]\nnohz=1ms\narrivals=poisson\n", 3,
		"arrivals: writer 'tick': nohz: only a periodic tick");
	refused("[writer]\narrivals=poisson\nhz=100\n\nnohz=1ms\nkind=tick\nhold=1us\n", 5,
		"nohz: writer 'tick': nohz: only a periodic tick");
	refused("[writer]\nhz=1\n\nhold=wrong\nkind=tick\n[run]\n", 4, "hold: 'wrong' is");
	refused("[writer]\na=1\n", 2, "writer 'tick' has no key 'a'");
	refused("[writer]\nhz=wrong\n", 2, "hz: 'wrong' is");
	refused("[run]\n[writer]\nhold=1,hz=5\n", 3, "hold: '1,hz=5' is no single value");
	refused("[writer]\nkind=tick:hold=1us\n", 2, "kind: 'tick:hold=1us' is no single name");
}

static void test_no_text(void **state)
{
	static const char zero[] = "[run]\nse\0ed=1\n";
	char begin[64];

	(void)state;
	assert_int_equal(read_bytes(zero, sizeof(zero) - 1), -1);
	snprintf(begin, sizeof(begin), "%s:2: a zero byte", path);
	assert_non_null(strstr(err.text, begin));
}

static void test_no_file(void **state)
{
	(void)state;
	assert_int_equal(scenario_read("/nope/x.ini", &taker, taken, &err), -1);
	assert_string_equal(err.text, "the scenario '/nope/x.ini' cannot be read: No such file or "
				      "directory");
	assert_int_equal(scenario_read("/", &taker, taken, &err), -1);
	assert_non_null(strstr(err.text, "Is a directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_keys), cmocka_unit_test(test_forms),
		cmocka_unit_test(test_groups),	 cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_writer),	 cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_sections), cmocka_unit_test(test_keys),
		cmocka_unit_test(test_values),	 cmocka_unit_test(test_no_text),
		cmocka_unit_test(test_no_file),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
