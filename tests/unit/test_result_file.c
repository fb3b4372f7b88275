// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is read of files that are results, and what is said of those that are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/result_file.h"

static char path[] = "/tmp/contend-result-XXXXXX";

static int make_file(void **state)
{
	int file = mkstemp(path);

	(void)state;
	return file < 0 || close(file);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void refuses(const char *text, const char *why)
{
	struct result_file file;
	struct errmsg err;

	write_file(text);
	assert_int_equal(result_file_load(&file, path, &err), -1);
	assert_memory_equal(err.text, path, strlen(path));
	if (!strstr(err.text, why))
		fail_msg("no \"%s\" in: %s", why, err.text);
	assert_null(file.root);
	assert_null(file.path);
}

#define RUN                                                                                 \
	"{\"schema\": \"contend.run/1\", \"machine\": {}, \"config\": {}, \"writer\": {}, " \
	"\"readers\": {\"reads\": 5, \"read_ns\": {\"p50\": null}}, \"groups\": []"

static void test_loaded(void **state)
{
	struct result_file file;
	struct errmsg err;

	(void)state;
	write_file(RUN "}\n");
	assert_int_equal(result_file_load(&file, path, &err), 0);
	assert_string_equal(file.path, path);
	assert_int_equal(file.kind, RESULT_RUN);
	assert_int_equal(file.version, 1);
	assert_non_null(value_at(file.root, "readers.reads"));
	result_file_free(&file);
	assert_null(file.root);
	result_file_free(&file);
}

static void test_standard_input(void **state)
{
	struct result_file file;
	struct errmsg err;

	(void)state;
	write_file("{\"schema\": \"contend.settle/1\", \"comparisons\": [], \"inspections\": []}");
	assert_non_null(freopen(path, "r", stdin));
	assert_int_equal(result_file_load(&file, "-", &err), 0);
	assert_int_equal(file.kind, RESULT_SETTLE);
	assert_string_equal(file.path, "standard input");
	result_file_free(&file);
}

static void test_unreadable(void **state)
{
	struct result_file file;
	struct errmsg err;

	(void)state;
	assert_int_equal(result_file_load(&file, "/nowhere/at/all", &err), -1);
	assert_string_equal(err.text, "/nowhere/at/all: cannot be read: No such file or directory");
	assert_int_equal(result_file_load(&file, "/", &err), -1);
	assert_string_equal(err.text, "/: cannot be read: Is a directory");
}

static void test_no_json(void **state)
{
	(void)state;
	refuses("", "line 1, column 0 is no JSON");
	refuses("{\n  \"schema\" 5}", "line 2, column 12 is no JSON");
	refuses(RUN "} more", "is no JSON");
	refuses("{\"a\": \x1b[31m}", "is no JSON: invalid token near '?'");
	refuses("{\"schema\": \"contend.run/1\", \"schema\": \"contend.run/1\"}", "duplicate");
	refuses("[]", "a JSON array");
}

static void test_other_schemas(void **state)
{
	(void)state;
	refuses("{}", "it has no \"schema\"");
	refuses("{\"schema\": 1}", "it has no \"schema\"");
	refuses("{\"schema\": \"contend.run/2\"}",
		"'contend.run/2': this contend reads contend.run/1");
	refuses("{\"schema\": \"contend.run/18446744073709551617\"}", "this contend reads");
	refuses("{\"schema\": \"contend.runs/1\"}",
		"none of a result that can be read here: run, ");
	refuses("{\"schema\": \"contend.ru/1\"}", "none of a result");
	refuses("{\"schema\": \"contend.run\"}", "none of a result");
	refuses("{\"schema\": \"contend.run/\"}", "none of a result");
	refuses("{\"schema\": \"contend.run/0\"}", "none of a result");
	refuses("{\"schema\": \"contend.run/-1\"}", "none of a result");
	refuses("{\"schema\": \"contend.run/1.5\"}", "none of a result");
	refuses("{\"schema\": \"other.run/1\"}", "none of a result");
}

static void test_parts_missing(void **state)
{
	(void)state;
	refuses("{\"schema\": \"contend.run/1\"}",
		"it is no whole result of contend run: it has no object \"machine\"");
	refuses("{\"schema\": \"contend.prove/1\", \"reader\": 5}",
		"it is no whole result of contend prove: it has no string \"reader\"");
	refuses("{\"schema\": \"contend.inspect/1\", \"machine\": {}, \"readers\": {}}",
		"it has no array \"readers\"");
}

static void test_each_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(result_kind_name(RESULT_RUN), "run");
	for (int kind = 0; kind < RESULT_KINDS; kind++) {
		char text[80];

		snprintf(text, sizeof(text), "{\"schema\": \"contend.%s/2\"}",
			 result_kind_name((enum result_kind)kind));
		refuses(text, "this contend reads");
	}
}

static void test_paths(void **state)
{
	json_t *root = json_loads("{\"a\": {\"b\": [1, {\"c\": 2.5}, null, true]}, \"t\": \"x\"}",
				  0, NULL);
	double value = 7;

	(void)state;
	assert_non_null(root);
	assert_ptr_equal(value_at(root, ""), root);
	assert_int_equal(number_at(root, "a.b.0", &value), NUMBER_THERE);
	assert_true(value >= 1 && value <= 1);
	assert_int_equal(number_at(root, "a.b.1.c", &value), NUMBER_THERE);
	assert_true(value >= 2.5 && value <= 2.5);
	assert_int_equal(number_at(root, "a.b.2", &value), NUMBER_NULL);
	assert_int_equal(number_at(root, "a.b.4", &value), NUMBER_ABSENT);
	assert_int_equal(number_at(root, "a.b.x", &value), NUMBER_ABSENT);
	assert_int_equal(number_at(root, "a.b.1x", &value), NUMBER_ABSENT);
	assert_int_equal(number_at(root, "a.c.d", &value), NUMBER_ABSENT);
	assert_int_equal(number_at(root, "t", &value), NUMBER_ABSENT);
	assert_int_equal(number_at(root, "t.u", &value), NUMBER_ABSENT);
	assert_int_equal(number_at(NULL, "a", &value), NUMBER_ABSENT);
	assert_true(value >= 2.5 && value <= 2.5);
	assert_string_equal(text_at(root, "t"), "x");
	assert_null(text_at(root, "a"));
	assert_true(true_at(root, "a.b.3"));
	assert_false(true_at(root, "a.b.0"));
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded),		cmocka_unit_test(test_standard_input),
		cmocka_unit_test(test_unreadable),	cmocka_unit_test(test_no_json),
		cmocka_unit_test(test_other_schemas),	cmocka_unit_test(test_parts_missing),
		cmocka_unit_test(test_each_has_a_name), cmocka_unit_test(test_paths),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
