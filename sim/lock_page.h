/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Publishing an update through whatever guards a page: a lock, or the kernel's sequence counter.
 */
#ifndef SIM_LOCK_PAGE_H
#define SIM_LOCK_PAGE_H

#include "sim/lock.h"
#include "sim/publish.h"

/* How a lock is used, beside by its readers. Constant. */
struct lock_operations {
	lock_publish_fn *publish; /* NULL: it is no lock */
	/*
	 * What a library wants of each thread that reads or publishes; NULL: nothing. enlist once,
	 * before; quiesce outside of any read, before the first and then now and then, or writers
	 * may have to wait; leave once, after.
	 */
	void (*enlist)(void);
	void (*quiesce)(void);
	void (*leave)(void);
	/* Gives back what the shared memory owns, when nobody uses it any more; NULL: nothing. */
	void (*destroy)(void *shared);
};

/*
 * Puts a lock in place of the kernel's data of the region, to be told that clock, one of those that
 * are read with a counter. The operations must outlive the region, whose unmapping destroys the
 * lock. Before anybody uses the region.
 */
void lock_page_begin(struct page_region *region, const struct lock_operations *lock,
		     clockid_t clock);

/* For page_region_unmap. */
void lock_page_end(struct page_region *region);

/*
 * Whether the lock of the region says where the middle of its publication is. Publishes twice, of
 * no clock, so it is for a region that has told nothing yet.
 */
bool lock_page_has_middle(const struct page_region *region);

/* Ends a publication that was left for good, as far as others than the lock's readers can see. */
void lock_page_give_up(struct vdso_time_data *page);

/* Has `middle` called in the middle of each publication; NULL: no longer. By the writer. */
void lock_page_set_middle(struct vdso_time_data *page, void (*middle)(void *argument),
			  void *argument);

/*
 * Update `number` of a clock, through a lock. Inlined: it is part of the hold, as putting the
 * kernel's page together is. `page` is the writer's view of it.
 */
static inline void lock_page_publish(void *page, const struct lock_operations *lock,
				     clockid_t clock, const struct timekeeper *tk, u64 number)
{
	struct lock_page *header = page;
	u64 word[LOCK_CLOCK_WORDS];
	struct vdso_timestamp base;

	WRITE_ONCE(header->seq, (u32)(2 * number - 1));
	timekeeper_base(tk, clock, &base);
	word[LOCK_WORD_NUMBER] = number;
	word[LOCK_WORD_MODE] = (u64)(s64)tk->clock_mode;
	word[LOCK_WORD_CYCLE_LAST] = tk->cycle_last;
	word[LOCK_WORD_MAX_CYCLES] = tk->max_cycles;
	word[LOCK_WORD_SCALE] = tk->mult | (u64)tk->shift << 32;
	word[LOCK_WORD_SEC] = base.sec;
	word[LOCK_WORD_NSEC] = base.nsec;
	if (unlikely(header->clock_mode != tk->clock_mode))
		WRITE_ONCE(header->clock_mode, tk->clock_mode);
	lock->publish(header->shared, word, LOCK_CLOCK_WORDS);
	WRITE_ONCE(header->seq, (u32)(2 * number));
}

/* Update `number` of the region's page, whatever guards it. One thread at a time. */
static inline void page_region_publish(const struct page_region *region,
				       const struct timekeeper *tk, u64 number)
{
	struct vdso_time_data *page = page_for_writer(region);

	if (region->lock)
		lock_page_publish(page, region->lock, region->lock_clock, tk, number);
	else
		update_vsyscall(page, region->layout, tk);
}

#endif /* SIM_LOCK_PAGE_H */
