// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "sim/lock_page.h"

void lock_page_begin(struct page_region *region, const struct lock_operations *lock,
		     clockid_t clock)
{
	struct lock_page *page = (struct lock_page *)page_for_writer(region);

	memset(page, 0, sizeof(*page));
	page->clock_mode = VDSO_CLOCKMODE_NONE;
	lock->publish(page->shared, NULL, 0);
	region->lock = lock;
	region->lock_clock = clock;
}

void lock_page_end(struct page_region *region)
{
	struct lock_page *page = (struct lock_page *)page_for_writer(region);

	if (region->lock->destroy)
		region->lock->destroy(page->shared);
	region->lock = NULL;
}

void lock_page_set_middle(struct vdso_time_data *page, void (*middle)(void *argument),
			  void *argument)
{
	struct lock_page *header = (struct lock_page *)page;

	header->argument = argument;
	header->middle = middle;
}

void lock_page_give_up(struct vdso_time_data *page)
{
	struct lock_page *header = (struct lock_page *)page;

	WRITE_ONCE(header->seq, header->seq + 1);
}

static void count(void *argument)
{
	++*(u32 *)argument;
}

bool lock_page_has_middle(const struct page_region *region)
{
	struct vdso_time_data *page = page_for_writer(region);
	struct lock_page *header = (struct lock_page *)page;
	const u64 nothing[LOCK_CLOCK_WORDS] = {0};
	u32 times = 0;

	lock_page_set_middle(page, count, &times);
	for (int i = 0; i < 2; i++)
		region->lock->publish(header->shared, nothing, LOCK_CLOCK_WORDS);
	lock_page_set_middle(page, NULL, NULL);
	return times == 2;
}
