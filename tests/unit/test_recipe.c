// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What stands behind the @ of a spec: where it begins, how it is taken apart, what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "readers/recipe.h"
#include "sim/types.h"

static struct recipe recipe;
static struct errmsg err;
static char spec[2048]; /* what is left of it */

static void cut(const char *text)
{
	snprintf(spec, sizeof(spec), "%s", text);
	if (recipe_cut(spec, &recipe, &err))
		fail_msg("'%s' refused: %s", text, err.text);
}

static void check_text(const char *is, const char *wanted)
{
	if (!wanted)
		assert_null(is);
	else if (!is || strcmp(is, wanted) != 0)
		fail_msg("'%s' where '%s' is right", is ? is : "nothing", wanted);
}

/* The definitions with blanks between them. */
static void check(const char *text, const char *left, const char *cc, const char *cflags,
		  const char *defines)
{
	char together[1024] = "";
	size_t used = 0;

	cut(text);
	check_text(spec, left);
	check_text(recipe.cc, cc);
	check_text(recipe.cflags, cflags);
	for (int i = 0; i < recipe.defines; i++)
		used += (size_t)snprintf(together + used, sizeof(together) - used, "%s%s",
					 i ? " " : "", recipe.define[i]);
	check_text(together, defines);
}

static void test_none(void **state)
{
	static const char *const plain[] = {"hres",
					    "hres:clock=tai,layout=v5.3",
					    "",
					    "./my reader.c:clock=tai",
					    "./a@b.c",
					    "./a@b/c@d.c:clock=tai",
					    "@",
					    "hres@",
					    "./user@host",
					    "./x@cc.c",
					    "./@=",
					    "./a@B=c.c"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		check(plain[i], plain[i], NULL, NULL, "");
		assert_false(recipe.given);
	}
}

static void test_each_key(void **state)
{
	(void)state;
	check("hres@cc=clang-16", "hres", "clang-16", NULL, "");
	assert_true(recipe.given);
	check("hres:clock=tai@cflags=-O3 -march=native", "hres:clock=tai", NULL,
	      "-O3 -march=native", "");
	check("./x.c@define=N", "./x.c", NULL, NULL, "N");
	check("./x.c@define=N=1,define=_m2=a b,define=F(a,b)=((a),(b))", "./x.c", NULL, NULL,
	      "N=1 _m2=a b F(a,b)=((a),(b))");
	check("raw@define=X=,cc=/usr/bin/c c,cflags=-O1,define=Y", "raw", "/usr/bin/c c", "-O1",
	      "X= Y");
	check("raw@cflags=-DA=B", "raw", NULL, "-DA=B", "");
}

/* What one recipe left behind must not show in the next. */
static void test_reuse(void **state)
{
	(void)state;
	check("hres@cc=clang,cflags=-O3,define=A", "hres", "clang", "-O3", "A");
	check("hres@define=B", "hres", NULL, NULL, "B");
	check("hres", "hres", NULL, NULL, "");
}

static void test_commas(void **state)
{
	(void)state;
	check("hres@cflags=-Wl,-z,now -O2,cc=gcc", "hres", "gcc", "-Wl,-z,now -O2", "");
	check("hres@cflags=-Wl,-z,max-page-size=64,define=A=1", "hres", NULL,
	      "-Wl,-z,max-page-size=64", "A=1");
	check("hres@cflags=-Wa,foo,define=A=1,define=B", "hres", NULL, "-Wa,foo", "A=1 B");
	check("hres@cflags=-Wl,-z,a", "hres", NULL, "-Wl,-z,a", "");
	check("hres@cflags=-O1,", "hres", NULL, "-O1,", "");
	check("hres@define=A(x,cc=y)=1,cc=gcc", "hres", "gcc", NULL, "A(x,cc=y)=1");
	check("hres@define=A=f((1,2),3),define=B", "hres", NULL, NULL, "A=f((1,2),3) B");
	check("hres@define=A=),define=B", "hres", NULL, NULL, "A=) B");
	check("hres@define=A=(,define=B", "hres", NULL, NULL, "A=(,define=B");
}

static void test_at_signs(void **state)
{
	(void)state;
	check("./a@b/c@d.c:clock=tai@cc=gcc", "./a@b/c@d.c:clock=tai", "gcc", NULL, "");
	check("./a@x=1.c@cc=gcc", "./a@x=1.c", "gcc", NULL, "");
	check("hres@cflags=-Wl,@file", "hres", NULL, "-Wl,@file", "");
	check("hres@cflags=@flags -O2,cc=c@c", "hres", "c@c", "@flags -O2", "");
	check("hres@define=A=x@cc=y", "hres", NULL, NULL, "A=x@cc=y");
}

static void check_refused(const char *text, const char *first, const char *second)
{
	memset(&err, 0, sizeof(err));
	snprintf(spec, sizeof(spec), "%s", text);
	if (recipe_cut(spec, &recipe, &err) != -1)
		fail_msg("'%.100s' accepted", text);
	if (!strstr(err.text, first) || !strstr(err.text, second))
		fail_msg("\"%s\" does not name %s and %s", err.text, first, second);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text;
		const char *first, *second;
	} wrong[] = {
		{"hres@bogus=1", "@bogus=1", "cc=, cflags=, define="},
		{"./a@x=1.c", "@x=1.c", "cc=, cflags=, define="},
		{"hres@cc=gcc,bogus=1", "@bogus=1", "no such key"},
		{"hres@cc=gcc,bogus", "@bogus", "no such key"},
		{"hres@cc=gcc,", "@:", "no such key"},
		{"hres@cc=gcc,,define=A", "@,define=A", "no such key"},
		{"hres@cflags=-O3,defines=A", "@defines=A", "no such key"},
		{"hres@define=A=1,2", "@2", "no such key"},
		{"hres@cc=", "@cc=", "no value"},
		{"hres@cc=,cflags=-O1", "@cc=", "no value"},
		{"hres@cflags=", "@cflags=", "no value"},
		{"hres@define=", "@define=", "no value"},
		{"hres@cc=gcc,cc=clang", "@cc=", "twice"},
		{"hres@cflags=-O1,cc=gcc,cflags=-O2", "@cflags=", "twice"},
		{"hres@define==1", "@define==1", "NAME=VALUE"},
		{"hres@define=1A", "@define=1A", "NAME=VALUE"},
		{"hres@define=-DA", "@define=-DA", "NAME=VALUE"},
		{"hres@define=A B=1", "@define=A B=1", "NAME=VALUE"},
		{"hres@define=A-B", "@define=A-B", "NAME=VALUE"},
		{"hres@define=READER_NAME=x", "READER_NAME", "by contend"},
		{"hres@define=READER_COUNTED", "READER_COUNTED", "by contend"},
		{"hres@define=READER_COUNTED(x)=1", "READER_COUNTED", "by contend"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		check_refused(wrong[i].text, wrong[i].first, wrong[i].second);
	check("hres@define=READER_NAMES=1", "hres", NULL, NULL, "READER_NAMES=1");
}

static void test_longest(void **state)
{
	char text[RECIPE_MAX_TEXT + 16] = "hres@cflags=";
	const size_t used = strlen(text), most = strlen("hres@") + RECIPE_MAX_TEXT - 1;

	(void)state;
	memset(text + used, 'f', most - used);
	text[most] = '\0';
	cut(text);
	assert_string_equal(recipe.cflags, text + used);
	text[most] = 'f';
	text[most + 1] = '\0';
	check_refused(text, "@cflags=fff", "longer than 511");
}

static void test_most_defines(void **state)
{
	char text[512] = "hres@define=A0";

	(void)state;
	for (int i = 1; i < RECIPE_MAX_DEFINES; i++) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, ",define=A%d=%d", i, i);
	}
	cut(text);
	assert_int_equal(recipe.defines, RECIPE_MAX_DEFINES);
	check_text(recipe.define[RECIPE_MAX_DEFINES - 1], "A15=15");
	strcat(text, ",define=B");
	check_refused(text, "@define", "more than 16");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	 cmocka_unit_test(test_each_key),
		cmocka_unit_test(test_reuse),	 cmocka_unit_test(test_commas),
		cmocka_unit_test(test_at_signs), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_longest),	 cmocka_unit_test(test_most_defines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
