// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the groups of a run share, and what they must not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "measure/groups.h"
#include "sim/publish.h"

static struct run_config config;
static struct run_shared shared;
static struct groups groups;
static struct errmsg err;

static void begin(const char *const *specs)
{
	memset(&config, 0, sizeof(config));
	memset(&shared, 0, sizeof(shared));
	memset(&groups, 0, sizeof(groups));
	config.clocksource = clocksource_find("monotonic_raw");
	shared.config = &config;
	for (; specs[config.groups]; config.groups++)
		if (reader_resolve(specs[config.groups], &config.group[config.groups].reader, &err))
			fail_msg("%s", err.text);
}

static void make(const char *const *specs)
{
	begin(specs);
	if (groups_map(&groups, &shared, &err) || groups_watch(&groups, &shared, 64, &err))
		fail_msg("%s", err.text);
}

static void end(void)
{
	groups_release(&groups);
	for (u32 i = 0; i < config.groups; i++)
		reader_release(&config.group[i].reader);
}

#define MAKE(...) make((const char *const[]){__VA_ARGS__, NULL})

/* Of one layout all read one page; a clock of it has one oracle, whoever reads it. */
static void test_one_page(void **state)
{
	(void)state;
	MAKE("hres", "hres:hint=none", "raw", "timens:clock=monotonic", "hres:clock=tai");
	assert_int_equal(groups.regions, 1);
	assert_int_equal(groups.oracles, 3);
	for (u32 i = 0; i < config.groups; i++) {
		assert_int_equal(shared.group[i].number, i);
		assert_ptr_equal(shared.group[i].config, &config.group[i]);
		assert_ptr_equal(shared.group[i].page, shared.page);
	}
	assert_ptr_equal(shared.group[0].oracle, shared.group[1].oracle);
	assert_ptr_equal(shared.group[0].oracle, shared.group[3].oracle);
	assert_ptr_not_equal(shared.group[0].oracle, shared.group[2].oracle);
	assert_ptr_not_equal(shared.group[0].oracle, shared.group[4].oracle);
	assert_ptr_not_equal(shared.group[2].oracle, shared.group[4].oracle);
	end();
}

/* A namespace's readers are given its page, and what it adds to their clock, and others are not. */
static void test_namespace(void **state)
{
	(void)state;
	MAKE("hres", "timens:clock=monotonic", "timens:clock=tai");
	assert_ptr_equal(shared.group[0].view[TK_VIEW_HOST].page, shared.page);
	assert_ptr_equal(page_behind_namespace(shared.group[1].view[TK_VIEW_HOST].page),
			 shared.page);
	assert_int_equal(shared.group[0].view[TK_VIEW_HOST].offset.tv_sec, 0);
	assert_int_equal(shared.group[1].view[TK_VIEW_HOST].offset.tv_sec, 86400);
	assert_int_equal(shared.group[2].view[TK_VIEW_HOST].offset.tv_sec, 0);
	end();
}

/*
 * Two pages do not tell which of two updates came first: one clock on both of them has two oracles,
 * or the reads of one page would be held against those of the other.
 */
static void test_a_clock_on_two_pages(void **state)
{
	(void)state;
	MAKE("hres", "hres:layout=v5.3", "hres:layout=v5.3,hint=none", "hres:hint=none");
	assert_int_equal(groups.regions, 2);
	assert_int_equal(groups.oracles, 2);
	assert_ptr_not_equal(shared.group[0].page, shared.group[1].page);
	assert_ptr_equal(shared.group[1].page, shared.group[2].page);
	assert_ptr_equal(shared.group[0].page, shared.group[3].page);
	assert_ptr_not_equal(shared.group[0].oracle, shared.group[1].oracle);
	assert_ptr_equal(shared.group[1].oracle, shared.group[2].oracle);
	assert_ptr_equal(shared.group[0].oracle, shared.group[3].oracle);
	assert_ptr_equal(groups.other[0], &groups.region[1]);
	end();
}

/* Every page that was left odd, and no other; the flag says so before. */
static void test_open_pages(void **state)
{
	bool released = false;

	(void)state;
	MAKE("hres", "hres:layout=v5.3", "hres:layout=gtod");
	for (size_t i = 0; i < groups.regions; i++)
		vdso_set_sequences(page_for_writer(&groups.region[i]), groups.region[i].layout, 20);
	assert_int_equal(groups_open_pages(&groups, &released), 0);
	assert_false(released);
	for (size_t i = 1; i < groups.regions; i++)
		vdso_write_begin(page_for_writer(&groups.region[i]), groups.region[i].layout);
	assert_int_equal(groups_open_pages(&groups, &released), 11);
	assert_true(released);
	for (size_t i = 0; i < groups.regions; i++)
		assert_int_equal(vdso_sequence(page_for_writer(&groups.region[i])), i ? 22 : 20);
	end();
}

static void test_a_record_goes_with_one_page(void **state)
{
	static const struct clocksource with_record = {.name = "recorded", .has_record = true};

	(void)state;
	begin((const char *const[]){"hres", "hres:layout=v5.3", NULL});
	config.clocksource = &with_record;
	assert_int_equal(groups_map(&groups, &shared, &err), -1);
	assert_non_null(strstr(err.text, "these groups read 2, as each layout has a page"));
	end();
	begin((const char *const[]){"hres", "raw", NULL});
	config.clocksource = &with_record;
	assert_int_equal(groups_map(&groups, &shared, &err), 0);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_page),
		cmocka_unit_test(test_namespace),
		cmocka_unit_test(test_a_clock_on_two_pages),
		cmocka_unit_test(test_open_pages),
		cmocka_unit_test(test_a_record_goes_with_one_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
