// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/barrier.h"
#include "sim/layout.h"
#include "sim/lock_page.h"

#define REGION_BYTES ((size_t)PAGE_SLOTS * SIM_PAGE_BYTES)

int page_region_map(struct page_region *region, const struct page_layout *layout, u32 data_offset,
		    struct errmsg *err)
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
	if (writable == MAP_FAILED || readonly == MAP_FAILED) {
		if (writable != MAP_FAILED)
			munmap(writable, REGION_BYTES);
		if (fd >= 0)
			close(fd);
		return errmsg_set(err, "cannot map the page: %s", strerror(cause));
	}
	*region = (struct page_region){.writable = writable,
				       .readonly = readonly,
				       .layout = layout,
				       .data_offset = data_offset,
				       .fd = fd};
	return 0;
}

void page_region_unmap(struct page_region *region)
{
	if (region->lock)
		lock_page_end(region);
	if (region->readonly != region->writable)
		munmap((void *)(uintptr_t)region->readonly, REGION_BYTES);
	munmap(region->writable, REGION_BYTES);
	close(region->fd);
	*region = (struct page_region){.fd = -1};
}

int page_region_show(const struct page_region *region, enum page_slot slot, void *address,
		     struct errmsg *err)
{
	if (mmap(address, SIM_PAGE_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, region->fd,
		 (off_t)slot * SIM_PAGE_BYTES) == address)
		return 0;
	return errmsg_set(err, "cannot map the page: %s", strerror(errno));
}

static void *slot_for_writer(const struct page_region *region, enum page_slot slot)
{
	return (char *)region->writable + (size_t)slot * SIM_PAGE_BYTES;
}

static const void *slot_for_readers(const struct page_region *region, enum page_slot slot)
{
	return (const char *)region->readonly + (size_t)slot * SIM_PAGE_BYTES;
}

static void *data_for_writer(const struct page_region *region, enum page_slot slot)
{
	return (char *)slot_for_writer(region, slot) + region->data_offset;
}

static const void *data_for_readers(const struct page_region *region, enum page_slot slot)
{
	return (const char *)slot_for_readers(region, slot) + region->data_offset;
}

struct vdso_time_data *page_for_writer(const struct page_region *region)
{
	return data_for_writer(region, PAGE_DATA);
}

const struct vdso_time_data *page_for_readers(const struct page_region *region)
{
	return data_for_readers(region, PAGE_DATA);
}

const struct vdso_time_data *page_for_namespace(const struct page_region *region)
{
	return data_for_readers(region, PAGE_TIMENS);
}

static void set_namespace_clock(const struct page_layout *layout, void *page,
				enum vdso_clock_index index,
				const struct timens_offset offset[VDSO_BASES])
{
	void *vc = layout_clock(layout, page, index);

	for (int clock = 0; clock < VDSO_BASES; clock++)
		memcpy((char *)vc + layout->basetime + clock * layout->base_bytes, &offset[clock],
		       sizeof(offset[clock]));
	*layout_u32(vc, offsetof(struct vdso_clock, clock_mode)) = VDSO_CLOCKMODE_TIMENS;
	*layout_u32(vc, offsetof(struct vdso_clock, seq)) = 1;
}

static void set_namespace(const struct page_region *region, enum page_slot slot,
			  const struct timens_offset offset[VDSO_BASES])
{
	if (!region->layout->has_namespace)
		return;
	for (int i = 0; i < CS_BASES; i++)
		set_namespace_clock(region->layout, data_for_writer(region, slot),
				    (enum vdso_clock_index)i, offset);
}

void page_set_namespace(const struct page_region *region,
			const struct timens_offset offset[VDSO_BASES])
{
	set_namespace(region, PAGE_TIMENS, offset);
}

void page_set_other_namespace(const struct page_region *region,
			      const struct timens_offset offset[VDSO_BASES])
{
	set_namespace(region, PAGE_OTHER_TIMENS, offset);
}

void page_set_virtual_counter(const struct page_region *region, u64 cycles)
{
	u64 *word = slot_for_writer(region, PAGE_COUNTER);

	WRITE_ONCE(*word, cycles);
}
