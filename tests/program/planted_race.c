// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A race nobody intended, on a page like the one the readers read: one thread writes a field as
 * plain data, another reads it, and nothing orders the two. ThreadSanitizer must report it.
 *
 * The reader waits for the writer by a relaxed flag, which orders nothing, so that the two accesses
 * never meet: where they do, the sanitizer's own bookkeeping may lose one.
 */
#include <pthread.h>
#include <stdio.h>

#include "sim/barrier.h"
#include "sim/layout.h"
#include "sim/page.h"

static struct page_region region;
static bool written;

static void *write_field(void *argument)
{
	page_for_writer(&region)->clock_data[CS_RAW].cycle_last = 42;
	__atomic_store_n(&written, true, __ATOMIC_RELAXED);
	return argument;
}

static void *read_field(void *argument)
{
	u64 *value = argument;

	while (!__atomic_load_n(&written, __ATOMIC_RELAXED))
		cpu_relax();
	*value = page_for_readers(&region)->clock_data[CS_RAW].cycle_last;
	return argument;
}

int main(void)
{
	struct errmsg err;
	pthread_t writer, reader;
	u64 value = 0;

	if (page_region_map(&region, &page_layout_current, 0, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	pthread_create(&reader, NULL, read_field, &value);
	pthread_create(&writer, NULL, write_field, NULL);
	pthread_join(writer, NULL);
	pthread_join(reader, NULL);
	page_region_unmap(&region);
	printf("%llu\n", (unsigned long long)value);
	return 0;
}
