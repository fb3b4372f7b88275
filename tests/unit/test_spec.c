// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sim/spec.h"
#include "sim/types.h"

static const struct spec_key writer_keys[] = {
	{"hold", NULL, "0", "how long"},
	{"pace", "steady|poisson|burst", "steady", "when"},
	{"cpu", "same|other", "other", "where"},
	{.name = NULL},
};

static const struct spec_key no_keys[] = {{.name = NULL}};

static struct spec spec;
static struct errmsg err;

static void parse(const char *text)
{
	if (spec_parse(text, &spec, &err))
		fail_msg("'%s' refused: %s", text, err.text);
}

static void check_pair(int i, const char *key, const char *value)
{
	assert_true(i < spec.pairs);
	assert_string_equal(spec.pair[i].key, key);
	assert_string_equal(spec.pair[i].value, value);
}

static void test_name_only(void **state)
{
	(void)state;
	parse("tick");
	assert_string_equal(spec.name, "tick");
	assert_int_equal(spec.pairs, 0);
	parse("./my-reader.c");
	assert_string_equal(spec.name, "./my-reader.c");
	assert_int_equal(spec.pairs, 0);
}

static void test_pairs(void **state)
{
	(void)state;
	parse("tick:hold=50");
	assert_string_equal(spec.name, "tick");
	assert_int_equal(spec.pairs, 1);
	check_pair(0, "hold", "50");
	parse("t:hold=50,pace=burst,c=s");
	assert_string_equal(spec.name, "t");
	assert_int_equal(spec.pairs, 3);
	check_pair(0, "hold", "50");
	check_pair(1, "pace", "burst");
	check_pair(2, "c", "s");
}

/* Only the first colon and the first equals sign of a pair divide. */
static void test_dividers_in_values(void **state)
{
	(void)state;
	parse("image:flags=-DX=1,file=a:b");
	assert_string_equal(spec.name, "image");
	assert_int_equal(spec.pairs, 2);
	check_pair(0, "flags", "-DX=1");
	check_pair(1, "file", "a:b");
}

/* What one parse left behind must not show in the next. */
static void test_reuse(void **state)
{
	(void)state;
	parse("tick:hold=50,pace=burst");
	parse("tick:hold=7");
	assert_int_equal(spec.pairs, 1);
	check_pair(0, "hold", "7");
	parse("tick");
	assert_int_equal(spec.pairs, 0);
}

static void test_text_is_copied(void **state)
{
	char text[] = "tick:hold=50";

	(void)state;
	parse(text);
	memset(text, 'x', sizeof(text) - 1);
	assert_string_equal(spec.name, "tick");
	check_pair(0, "hold", "50");
}

static void check_sentence(const char *first, const char *second)
{
	assert_true(strlen(err.text) < sizeof(err.text));
	if (!strstr(err.text, first))
		fail_msg("\"%s\" does not name %s", err.text, first);
	if (!strstr(err.text, second))
		fail_msg("\"%s\" does not name %s", err.text, second);
}

static void check_refused(const char *text, const char *first, const char *second)
{
	memset(&err, 0, sizeof(err));
	if (spec_parse(text, &spec, &err) != -1)
		fail_msg("'%s' accepted", text);
	check_sentence(first, second);
}

static void test_malformed(void **state)
{
	static const struct {
		const char *text;
		const char *names;
	} wrong[] = {
		{"", "'' has no name"},
		{":", "':' has no name"},
		{":hold=5", "':hold=5' has no name"},
		{"tick:", "'' is not key=value"},
		{"tick:hold", "'hold' is not key=value"},
		{"tick:hold=", "'hold=' is not key=value"},
		{"tick:=5", "'=5' is not key=value"},
		{"tick:=", "'=' is not key=value"},
		{"tick:hold=5,", "'' is not key=value"},
		{"tick:,hold=5", "'' is not key=value"},
		{"tick:hold=5,,pace=burst", "'' is not key=value"},
		{"tick:hold=5,pace", "'pace' is not key=value"},
		{"tick:hold=5,pace=", "'pace=' is not key=value"},
		{"tick:hold=5,=burst", "'=burst' is not key=value"},
		{"tick::hold=", "':hold=' is not key=value"},
		{"tick:hold=5,hold=6", "key 'hold' stands twice"},
		{"tick:hold=5,pace=burst,hold=5", "key 'hold' stands twice"},
	};
	char quoted[SPEC_MAX_TEXT + 2];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(quoted, sizeof(quoted), "'%s'", wrong[i].text);
		check_refused(wrong[i].text, quoted, wrong[i].names);
	}
}

static void test_longest_text(void **state)
{
	char text[SPEC_MAX_TEXT + 1] = "tick:hold=";
	size_t used = strlen(text);

	(void)state;
	memset(text + used, '7', sizeof(text) - used);
	text[SPEC_MAX_TEXT - 1] = '\0';
	parse(text);
	check_pair(0, "hold", text + used);
	text[SPEC_MAX_TEXT - 1] = '7';
	text[SPEC_MAX_TEXT] = '\0';
	check_refused(text, "'tick:hold=777", "longer than 255 characters");
}

/* A sentence that quotes the longest text twice must still end. */
static void test_longest_culprit(void **state)
{
	char text[SPEC_MAX_TEXT] = "t:";

	(void)state;
	memset(text + 2, 'k', sizeof(text) - 3);
	check_refused(text, "'t:kkkk", "'kkkk");
}

static void test_most_keys(void **state)
{
	char text[SPEC_MAX_TEXT] = "tick:k0=0";

	(void)state;
	for (int i = 1; i < SPEC_MAX_PAIRS; i++) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, ",k%d=%d", i, i);
	}
	parse(text);
	assert_int_equal(spec.pairs, SPEC_MAX_PAIRS);
	check_pair(SPEC_MAX_PAIRS - 1, "k15", "15");
	strcat(text, ",last=1");
	check_refused(text, text, "more than 16 keys");
}

static void check_wrong_for(const char *text, const struct spec_key *keys, const char *first,
			    const char *second)
{
	parse(text);
	memset(&err, 0, sizeof(err));
	if (spec_check(&spec, keys, "writer", &err) != -1)
		fail_msg("'%s' accepted", text);
	check_sentence(first, second);
}

static void test_check(void **state)
{
	static const char *const right[] = {"tick", "tick:hold=anything", "tick:pace=steady",
					    "tick:pace=poisson,cpu=same",
					    "tick:cpu=other,pace=burst,hold=9"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++) {
		parse(right[i]);
		if (spec_check(&spec, writer_keys, "writer", &err))
			fail_msg("'%s' refused: %s", right[i], err.text);
	}
	parse("tick");
	assert_int_equal(spec_check(&spec, no_keys, "writer", &err), 0);
}

static void test_unknown_key(void **state)
{
	(void)state;
	check_wrong_for("tick:hols=5", writer_keys, "writer 'tick' has no key 'hols'",
			"it has hold, pace, cpu");
	check_wrong_for("tick:hold=5,hol=5", writer_keys, "no key 'hol'", "hold, pace, cpu");
	check_wrong_for("tick:holds=5", writer_keys, "no key 'holds'", "hold, pace, cpu");
	check_wrong_for("tick: hold=5", writer_keys, "no key ' hold'", "hold, pace, cpu");
	check_wrong_for("idle:hold=5", no_keys, "writer 'idle' has no key 'hold'", "it has none");
}

/* More names than fit into the sentence: it is cut, and nothing behind it is written to. */
static void test_unknown_among_many(void **state)
{
	static char names[40][12];
	static struct spec_key keys[ARRAY_SIZE(names) + 1];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(names[i], sizeof(names[i]), "long-key-%02zu", i);
		keys[i].name = names[i];
	}
	check_wrong_for("tick:hold=5", keys, "no key 'hold'", "it has long-key-00, long-key-01");
}

static void test_wrong_choice(void **state)
{
	(void)state;
	check_wrong_for("tick:pace=quick", writer_keys, "writer 'tick': pace=quick",
			"not one of steady|poisson|burst");
	check_wrong_for("tick:hold=5,cpu=Same", writer_keys, "cpu=Same", "same|other");
	check_wrong_for("tick:pace=steady|poisson", writer_keys, "pace=steady|poisson",
			"not one of steady|poisson|burst");
}

static void test_is_choice(void **state)
{
	static const char *const right[] = {"one", "two", "three"};
	static const char *const wrong[] = {"",	    "o",      "on",   "ones",	 "tw",
					    "thre", "threes", "hree", "One",	 "four",
					    "|",    "one|",   "|two", "one|two", "two|three"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(right); i++)
		if (!spec_is_choice(right[i], "one|two|three"))
			fail_msg("'%s' refused", right[i]);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		if (spec_is_choice(wrong[i], "one|two|three"))
			fail_msg("'%s' accepted", wrong[i]);
	assert_true(spec_is_choice("only", "only"));
	assert_false(spec_is_choice("onl", "only"));
	/* One choice may begin like another. */
	assert_true(spec_is_choice("in", "inline|in"));
	assert_true(spec_is_choice("inline", "in|inline"));
}

static void test_value(void **state)
{
	(void)state;
	parse("tick:pace=burst");
	assert_string_equal(spec_value(&spec, writer_keys, "pace"), "burst");
	assert_string_equal(spec_value(&spec, writer_keys, "hold"), "0");
	assert_string_equal(spec_value(&spec, writer_keys, "cpu"), "other");
	parse("tick:cpu=same,hold=12");
	assert_string_equal(spec_value(&spec, writer_keys, "pace"), "steady");
	assert_string_equal(spec_value(&spec, writer_keys, "hold"), "12");
	assert_string_equal(spec_value(&spec, writer_keys, "cpu"), "same");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name_only),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_dividers_in_values),
		cmocka_unit_test(test_reuse),
		cmocka_unit_test(test_text_is_copied),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_longest_text),
		cmocka_unit_test(test_longest_culprit),
		cmocka_unit_test(test_most_keys),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_unknown_key),
		cmocka_unit_test(test_unknown_among_many),
		cmocka_unit_test(test_wrong_choice),
		cmocka_unit_test(test_is_choice),
		cmocka_unit_test(test_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
