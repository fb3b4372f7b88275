// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A race nobody intended, on a page like the one the readers read: one thread writes a field as
 * plain data while another reads it. ThreadSanitizer must report it.
 */
#include <pthread.h>
#include <stdio.h>

#include "sim/page.h"

static struct page_region region;

static void *write_field(void *argument)
{
	for (u64 i = 0; i < 100000; i++)
		page_for_writer(&region)->clock_data[CS_RAW].cycle_last = i;
	return argument;
}

static void *read_field(void *argument)
{
	u64 *sum = argument;

	for (u64 i = 0; i < 100000; i++)
		*sum += page_for_readers(&region)->clock_data[CS_RAW].cycle_last;
	return argument;
}

int main(void)
{
	struct errmsg err;
	pthread_t writer, reader;
	u64 sum = 0;

	if (page_region_map(&region, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	pthread_create(&writer, NULL, write_field, NULL);
	pthread_create(&reader, NULL, read_field, &sum);
	pthread_join(writer, NULL);
	pthread_join(reader, NULL);
	page_region_unmap(&region);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
