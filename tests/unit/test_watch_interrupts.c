// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/watch.h"
#include "sim/publish.h"
#include "writers/kinds.h"

/* The counter is moved by hand and counts nanoseconds, so no test waits. */
#define LOOK_NS 200000000ull
#define SECOND	1000000000ull
#define READERS 500

static struct reader_thread *readers[READERS];
static const struct writers nobody;

/* Seconds of watched time without an update until the watch cries, or 1000 if it does not. */
static u64 cries_after(const struct writer_kind *kind)
{
	struct page_region region;
	struct run_config config = {
		.groups = 1,
		.group = {{.readers = READERS}},
		.writers = 1,
		.writer = {{.kind = kind, .hz = 1000}},
		.clocksource = clocksource_find("virtual"),
	};
	struct run_shared shared = {.config = &config, .counter_hz = NSEC_PER_SEC};
	struct watch watch;
	struct errmsg err;
	char sentence[256];
	u64 found = 1000;

	assert_int_equal(page_region_map(&region, &page_layout_current, 0, &err), 0);
	shared.page = page_for_readers(&region);
	page_set_virtual_counter(&region, SECOND);
	vdso_set_sequences(page_for_writer(&region), &page_layout_current, 20);
	assert_int_equal(watch_begin(&watch, &shared, readers, &nobody, true, &err), 0);
	for (u64 looks = 1; looks <= 5000 && found == 1000; looks++) {
		page_set_virtual_counter(&region, SECOND + looks * LOOK_NS);
		readers[0]->blocks++;
		if (watch_look(&watch, sentence, sizeof(sentence)))
			found = looks * LOOK_NS / SECOND;
	}
	watch_end(&watch);
	page_region_unmap(&region);
	return found;
}

/* It waits until the reader whose turn it is has got the CPU that it shares with all others. */
static void test_who_interrupts_many_readers_is_given_time(void **state)
{
	(void)state;
	assert_in_range(cries_after(&writer_tick), 1, CONTEND_TSAN ? 20 : 4);
	assert_in_range(cries_after(&writer_irq), CONTEND_TSAN ? 13 : 6, CONTEND_TSAN ? 30 : 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_interrupts_many_readers_is_given_time),
	};
	int failed;

	for (int i = 0; i < READERS; i++) {
		readers[i] = aligned_alloc(CACHE_LINE, sizeof(*readers[i]));
		memset(readers[i], 0, sizeof(*readers[i]));
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	for (int i = 0; i < READERS; i++)
		free(readers[i]);
	return failed;
}
