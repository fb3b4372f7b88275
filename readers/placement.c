// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "readers/placement.h"
#include "sim/elf_machine.h"

/* Where the image begins, so that its entry lies there: in the first page that is far enough in. */
static size_t place_image(const struct machine_code *code, u32 offset)
{
	size_t entry = offset % SIM_PAGE_BYTES;

	while (entry < code->entry)
		entry += SIM_PAGE_BYTES;
	return (entry - code->entry) & ~((size_t)code->step - 1);
}

int placement_make(struct placement *placement, const struct machine_code *code, u32 offset,
		   struct errmsg *err)
{
	const size_t begin = place_image(code, offset);
	const size_t bytes = (begin + code->bytes + SIM_PAGE_BYTES - 1) & ~(SIM_PAGE_BYTES - 1ul);
	u8 *pages;

	if (!code->runs_here)
		return errmsg_set(err,
				  "its code is for another machine than " ELF_MACHINE_NAME
				  " with %u bits: it cannot be run here",
				  ELF_MACHINE_BITS);
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return errmsg_set(err, "no memory for a copy of a reader: %s", strerror(errno));
	memcpy(pages + begin, code->image, code->bytes);
	__builtin___clear_cache((char *)pages + begin, (char *)pages + begin + code->bytes);
	if (mprotect(pages, bytes, PROT_READ | PROT_EXEC)) {
		errmsg_set(err, "memory cannot be made executable here: %s", strerror(errno));
		munmap(pages, bytes);
		return -1;
	}
	*placement = (struct placement){
		.pages = pages,
		.bytes = bytes,
		.entry = (reader_fn *)(uintptr_t)(pages + begin + code->entry),
	};
	return 0;
}

void placement_release(struct placement *placement)
{
	if (placement->pages)
		munmap(placement->pages, placement->bytes);
	*placement = (struct placement){.pages = NULL};
}
