// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/barrier.h"
#include "sim/page.h"

#define REGION_BYTES ((size_t)PAGE_SLOTS * SIM_PAGE_BYTES)

int page_region_map(struct page_region *region, struct errmsg *err)
{
	void *readonly = MAP_FAILED;
	void *writable = MAP_FAILED;
	int fd = memfd_create("vvar", MFD_CLOEXEC);
	int cause;

	if (fd >= 0 && ftruncate(fd, (off_t)REGION_BYTES) == 0) {
		writable = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		readonly = CONTEND_TSAN ? writable
					: mmap(NULL, REGION_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	}
	cause = errno;
	if (fd >= 0)
		close(fd);
	if (writable == MAP_FAILED || readonly == MAP_FAILED) {
		if (writable != MAP_FAILED)
			munmap(writable, REGION_BYTES);
		return errmsg_set(err, "cannot map the page: %s", strerror(cause));
	}
	*region = (struct page_region){writable, readonly};
	return 0;
}

void page_region_unmap(struct page_region *region)
{
	if (region->readonly != region->writable)
		munmap((void *)(uintptr_t)region->readonly, REGION_BYTES);
	munmap(region->writable, REGION_BYTES);
	*region = (struct page_region){NULL, NULL};
}

static void *slot_for_writer(const struct page_region *region, enum page_slot slot)
{
	return (char *)region->writable + (size_t)slot * SIM_PAGE_BYTES;
}

static const void *slot_for_readers(const struct page_region *region, enum page_slot slot)
{
	return (const char *)region->readonly + (size_t)slot * SIM_PAGE_BYTES;
}

struct vdso_time_data *page_for_writer(const struct page_region *region)
{
	return slot_for_writer(region, PAGE_DATA);
}

const struct vdso_time_data *page_for_readers(const struct page_region *region)
{
	return slot_for_readers(region, PAGE_DATA);
}

const struct vdso_time_data *page_for_namespace(const struct page_region *region)
{
	return slot_for_readers(region, PAGE_TIMENS);
}

void page_set_namespace(const struct page_region *region,
			const struct timens_offset offset[VDSO_BASES])
{
	struct vdso_time_data *page = slot_for_writer(region, PAGE_TIMENS);

	for (int i = 0; i < CS_BASES; i++) {
		struct vdso_clock *vc = &page->clock_data[i];

		memcpy(vc->offset, offset, sizeof(vc->offset));
		vc->clock_mode = VDSO_CLOCKMODE_TIMENS;
		vc->seq = 1;
	}
}

void page_set_virtual_counter(const struct page_region *region, u64 cycles)
{
	u64 *word = slot_for_writer(region, PAGE_COUNTER);

	WRITE_ONCE(*word, cycles);
}
