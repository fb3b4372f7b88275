// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/vdso_elf.h"
#include "sim/vdso_image.h"
#include "sim/vdso_probe.h"

/* Kernels have had at most six pages before an image, and none behind it. */
#define PAGES_BEFORE 32
#define PAGES_BEHIND 16

static const char *const call_names[VDSO_CALLS] = {
#if defined(__i386__)
	[VDSO_CLOCK_GETTIME] = "__vdso_clock_gettime64",
#else
	[VDSO_CLOCK_GETTIME] = "__vdso_clock_gettime",
#endif
	[VDSO_GETTIMEOFDAY] = "__vdso_gettimeofday",
	[VDSO_TIME] = "__vdso_time",
	[VDSO_CLOCK_GETRES] = "__vdso_clock_getres",
};

const char *vdso_call_name(enum vdso_call call)
{
	return call_names[call];
}

static size_t whole_pages(size_t bytes)
{
	return (bytes + SIM_PAGE_BYTES - 1) & ~((size_t)SIM_PAGE_BYTES - 1);
}

static int take_bytes(struct vdso_image *image, size_t size, struct errmsg *err)
{
	image->size = whole_pages(size);
	image->bytes = calloc(1, image->size);
	return image->bytes ? 0 : errmsg_set(err, "no memory for the image");
}

/* The length of the mapping that begins here; 0 if there is none. */
static size_t mapped_bytes(uintptr_t start)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long first, end;
	size_t bytes = 0;
	char line[512];

	while (maps && !bytes && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx ", &first, &end) == 2 && first == start)
			bytes = (size_t)(end - first);
	if (maps)
		fclose(maps);
	return bytes;
}

static int read_host(struct vdso_image *image, struct errmsg *err)
{
	uintptr_t start = (uintptr_t)getauxval(AT_SYSINFO_EHDR);
	size_t size = start ? mapped_bytes(start) : 0;

	if (!start)
		return errmsg_set(err, "the kernel has mapped no vDSO into this process");
	if (!size || size > VDSO_ELF_MAX_BYTES)
		return errmsg_set(err, "the size of the host's vDSO cannot be told: "
				       "/proc/self/maps does not have it");
	if (take_bytes(image, size, err))
		return -1;
	memcpy(image->bytes, (const void *)start, size);
	image->patched_by_kernel = true;
	return 0;
}

/* All of an open file, of which fstat has said how long it is. */
static int read_whole(struct vdso_image *image, int fd, size_t size, struct errmsg *err)
{
	size_t done = 0;

	if (take_bytes(image, size, err))
		return -1;
	while (done < size) {
		ssize_t got = read(fd, image->bytes + done, size - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return errmsg_set(err, "%s",
					  got ? strerror(errno) : "it became shorter while read");
		done += (size_t)got;
	}
	return 0;
}

static int read_file(struct vdso_image *image, size_t *size, struct errmsg *err)
{
	/* Opening a pipe that nobody writes to must not hang. */
	int fd = open(image->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat file;
	int failed;

	if (fd < 0)
		return errmsg_set(err, "%s", strerror(errno));
	if (fstat(fd, &file)) {
		failed = errmsg_set(err, "%s", strerror(errno));
	} else if (!S_ISREG(file.st_mode)) {
		failed = errmsg_set(err, "not a regular file");
	} else if (file.st_size > VDSO_ELF_MAX_BYTES) {
		failed = errmsg_set(err, "%lld bytes are more than any vDSO has: not a vDSO image",
				    (long long)file.st_size);
	} else {
		*size = (size_t)file.st_size;
		failed = read_whole(image, fd, *size, err);
	}
	close(fd);
	return failed;
}

static int parse(struct vdso_image *image, size_t size, struct errmsg *err)
{
	struct vdso_elf elf;
	struct cpu_id cpu;

	if (vdso_elf_parse(image->bytes, size, &elf, err))
		return -1;
	for (int call = 0; call < VDSO_CALLS; call++)
		image->function[call] = vdso_elf_function(&elf, call_names[call]);
	if (image->function[VDSO_CLOCK_GETTIME] < 0)
		return errmsg_set(err, "it has no %s", call_names[VDSO_CLOCK_GETTIME]);
	if (image->patched_by_kernel)
		return 0;
	cpu_id_read(&cpu);
	return alternatives_apply(&elf, &cpu, image->bytes, &image->alternatives, err);
}

static int open_image(struct vdso_image *image, struct errmsg *err)
{
	size_t size = 0;

	if (strcmp(image->name, "host") == 0) {
		if (read_host(image, err))
			return -1;
		size = image->size;
	} else if (read_file(image, &size, err)) {
		return -1;
	}
	if (parse(image, size, err))
		return -1;
	return vdso_probe(image, &image->wants, err);
}

int vdso_image_open(struct vdso_image *image, const char *name, struct errmsg *err)
{
	struct errmsg why;

	*image = (struct vdso_image){.bytes = NULL};
#if !defined(__x86_64__) && !defined(__i386__)
	return errmsg_set(err, "image:%s: vDSO images can be run on x86 only", name);
#endif
	if (strlen(name) >= sizeof(image->name))
		return errmsg_set(err, "image: the name of a file may have %zu characters",
				  sizeof(image->name) - 1);
	snprintf(image->name, sizeof(image->name), "%s", name);
	if (!open_image(image, &why))
		return 0;
	vdso_image_close(image);
	return errmsg_set(err, "image:%s: %s", name, why.text);
}

static size_t reserved_bytes(const struct vdso_image *image)
{
	return (size_t)(PAGES_BEFORE + PAGES_BEHIND) * SIM_PAGE_BYTES + image->size;
}

static void take_place_away(struct vdso_image *image)
{
	if (image->reserved)
		munmap(image->reserved, reserved_bytes(image));
	image->reserved = image->start = NULL;
}

void vdso_image_close(struct vdso_image *image)
{
	take_place_away(image);
	free(image->bytes);
	image->bytes = NULL;
}

/* What nobody can touch. `address` is NULL, or a page of the place that is to be one of these. */
static void *map_nothing(void *address, size_t bytes)
{
	return mmap(address, bytes, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED : 0), -1, 0);
}

int vdso_image_place(struct vdso_image *image, struct errmsg *err)
{
	void *reserved;

	if (image->start)
		return 0;
	reserved = map_nothing(NULL, reserved_bytes(image));
	if (reserved == MAP_FAILED)
		return errmsg_set(err, "no address space for the image: %s", strerror(errno));
	image->reserved = reserved;
	image->start = image->reserved + (size_t)PAGES_BEFORE * SIM_PAGE_BYTES;
	if (mprotect(image->start, image->size, PROT_READ | PROT_WRITE) == 0) {
		memcpy(image->start, image->bytes, image->size);
		if (mprotect(image->start, image->size, PROT_READ | PROT_EXEC) == 0)
			return 0;
	}
	errmsg_set(err, "the image cannot be made executable: %s", strerror(errno));
	take_place_away(image);
	return -1;
}

static int show(const struct vdso_image *image, const struct page_region *region,
		enum page_slot slot, s32 page, struct errmsg *err)
{
	return page_region_show(region, slot, vdso_image_page(image, page), err);
}

/* What an earlier region showed there is nobody's. */
static int hide(const struct vdso_image *image, s32 page, struct errmsg *err)
{
	if (map_nothing(vdso_image_page(image, page), SIM_PAGE_BYTES) != MAP_FAILED)
		return 0;
	return errmsg_set(err, "cannot unmap the page: %s", strerror(errno));
}

int vdso_image_attach(struct vdso_image *image, const struct page_region *region, bool in_namespace,
		      struct errmsg *err)
{
	const struct vdso_wants *wants = &image->wants;
	int failed;

	if (in_namespace && !wants->has_namespace)
		return errmsg_set(err, "image:%s: its code knows no time namespaces", image->name);
	failed = vdso_image_place(image, err) ||
		 show(image, region, in_namespace ? PAGE_TIMENS : PAGE_DATA, wants->time_page, err);
	if (!failed && in_namespace)
		failed = show(image, region, PAGE_DATA, wants->namespace_page, err);
	else if (!failed && wants->has_namespace)
		failed = hide(image, wants->namespace_page, err);
	if (!failed && wants->has_pvclock)
		failed = show(image, region, PAGE_COUNTER, wants->pvclock_page, err);
	return failed ? -1 : 0;
}

void *vdso_image_function(const struct vdso_image *image, enum vdso_call call)
{
	return image->function[call] < 0 ? NULL : image->start + image->function[call];
}

void *vdso_image_page(const struct vdso_image *image, s32 page)
{
	return image->start + (ptrdiff_t)page * (ptrdiff_t)SIM_PAGE_BYTES;
}

bool vdso_image_page_of(const struct vdso_image *image, const void *address, s32 *page)
{
	uintptr_t first = (uintptr_t)image->reserved;
	uintptr_t at = (uintptr_t)address;

	if (at < first || at - first >= reserved_bytes(image))
		return false;
	*page = (s32)((at - first) / SIM_PAGE_BYTES) - PAGES_BEFORE;
	return true;
}
