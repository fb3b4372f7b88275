// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/exchange.h"

#define PAGES 3 /* the namespace's, the data, the counter: as page_behind_namespace has it */

/* MONOTONIC and BOOTTIME have offsets in a time namespace, and their raw and coarse kin. */
#define OFFSETS(...)                                                                        \
	{                                                                                   \
		[CLOCK_MONOTONIC] = {__VA_ARGS__}, [CLOCK_MONOTONIC_RAW] = {__VA_ARGS__},   \
		[CLOCK_MONOTONIC_COARSE] = {__VA_ARGS__}, [CLOCK_BOOTTIME] = {__VA_ARGS__}, \
	}

static const struct timens_offset offsets[VDSO_BASES] = OFFSETS(86400, 123456789);
static const struct timens_offset other_offsets[VDSO_BASES] = OFFSETS(7200, 987654321);

bool exchange_is_wanted(const struct run_config *config)
{
	for (u32 i = 0; i < config->writers; i++)
		if (config->writer[i].kind->exchanges)
			return true;
	return false;
}

static struct group_view view_of(const void *page, const struct timens_offset *offset)
{
	return (struct group_view){
		.page = page,
		.offset = {.tv_sec = (time_t)offset->sec, .tv_nsec = (long)offset->nsec},
	};
}

static int map_other(struct exchange *exchange, const struct page_region *region,
		     struct errmsg *err)
{
	char *pages = mmap(NULL, (size_t)PAGES * SIM_PAGE_BYTES, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		return errmsg_set(err, "cannot map a namespace's page: %s", strerror(errno));
	exchange->other = pages;
	page_set_other_namespace(region, other_offsets);
	if (page_region_show(region, PAGE_OTHER_TIMENS, pages, err) ||
	    page_region_show(region, PAGE_DATA, pages + SIM_PAGE_BYTES, err) ||
	    page_region_show(region, PAGE_COUNTER, pages + (size_t)2 * SIM_PAGE_BYTES, err))
		return -1;
	return 0;
}

int exchange_views(struct exchange *exchange, const struct page_region *region,
		   struct group_shared *group, struct errmsg *err)
{
	static const struct timens_offset none;
	const clockid_t clock = group->config->reader.clock;

	group->view[TK_VIEW_HOST] = view_of(reader_page(&group->config->reader, region), &none);
	if (reader_is_lock(&group->config->reader))
		return 0;
	page_set_namespace(region, offsets);
	group->view[TK_VIEW_NAMESPACE] = view_of(page_for_namespace(region), &offsets[clock]);
	if (group->config->reader.in_namespace)
		group->view[TK_VIEW_HOST] = group->view[TK_VIEW_NAMESPACE];
	if (!exchange)
		return 0;
	if (!exchange->other && map_other(exchange, region, err))
		return -1;
	group->view[TK_VIEW_OTHER_NAMESPACE] =
		view_of((const char *)exchange->other + region->data_offset, &other_offsets[clock]);
	return 0;
}

void exchange_release(struct exchange *exchange)
{
	if (exchange->other)
		munmap(exchange->other, (size_t)PAGES * SIM_PAGE_BYTES);
	exchange->other = NULL;
}
