/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image of the tests' own in this process, with pages before it for a test to fill. For one
 * thread; what goes wrong fails the test.
 */
#ifndef TESTS_UNIT_IMAGE_HERE_H
#define TESTS_UNIT_IMAGE_HERE_H

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/types.h"
#include "tests/images/layouts.h"

/* More than any image knows of, so that whatever else it touches is found out. */
#define PAGES_BEFORE 16

struct image_here {
	/* The file as it is; the sections are in it only. */
	char *file;
	size_t file_bytes;
	/* The image in memory: read and execute. */
	char *start;
	size_t bytes;
	/* Its pages: read and write; NULL where it has none. */
	char *data;
	char *behind;
	char *pvclock;
};

static inline const ElfW(Ehdr) * image_header(const struct image_here *image)
{
	return (const void *)image->file;
}

static inline const ElfW(Phdr) * image_segments(const struct image_here *image)
{
	return (const void *)(image->file + image_header(image)->e_phoff);
}

/* NULL when there is no such section. */
static inline const ElfW(Shdr) * image_section(const struct image_here *image, const char *name)
{
	const ElfW(Ehdr) *header = image_header(image);
	const ElfW(Shdr) *sections = (const void *)(image->file + header->e_shoff);
	const char *names = image->file + sections[header->e_shstrndx].sh_offset;

	for (int i = 0; i < header->e_shnum; i++)
		if (strcmp(names + sections[i].sh_name, name) == 0)
			return &sections[i];
	return NULL;
}

/* Where a function is in memory; NULL when the image does not offer it. */
static inline void *image_function(const struct image_here *image, const char *name)
{
	const ElfW(Shdr) *dynsym = image_section(image, ".dynsym");
	const ElfW(Sym) *symbols = (const void *)(image->file + dynsym->sh_offset);
	const char *names = image->file + image_section(image, ".dynstr")->sh_offset;

	for (size_t i = 1; i < dynsym->sh_size / sizeof(*symbols); i++)
		if (strcmp(names + symbols[i].st_name, name) == 0)
			return image->start + symbols[i].st_value;
	return NULL;
}

static inline void image_read_file(struct image_here *image, const char *name)
{
	char path[4096];
	struct stat stat;
	int fd;

	snprintf(path, sizeof(path), "%s/%s.so", CONTEND_TEST_IMAGES, name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &stat) != 0)
		fail_msg("cannot read %s", path);
	image->file_bytes = (size_t)stat.st_size;
	image->file = mmap(NULL, image->file_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(image->file, MAP_FAILED);
	close(fd);
}

static inline char *image_page(struct image_here *image, int page)
{
	char *address = image->start + (ptrdiff_t)page * IMAGE_PAGE_BYTES;

	if (page == 0)
		return NULL;
	assert_in_range(-page, 1, PAGES_BEFORE);
	assert_int_equal(mprotect(address, IMAGE_PAGE_BYTES, PROT_READ | PROT_WRITE), 0);
	return address;
}

/* All pages but the image's own are out of bounds. Released by image_unload. */
static inline void image_load(struct image_here *image, const char *name,
			      const struct image_pages *pages)
{
	const ElfW(Phdr) * load;
	char *region;

	image_read_file(image, name);
	load = image_segments(image);
	while (load->p_type != PT_LOAD)
		load++;
	image->bytes = (load->p_memsz + IMAGE_PAGE_BYTES - 1) & ~(size_t)(IMAGE_PAGE_BYTES - 1);
	region = mmap(NULL, PAGES_BEFORE * IMAGE_PAGE_BYTES + image->bytes, PROT_NONE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(region, MAP_FAILED);
	image->start = region + PAGES_BEFORE * IMAGE_PAGE_BYTES;
	mprotect(image->start, image->bytes, PROT_READ | PROT_WRITE);
	memcpy(image->start, image->file + load->p_offset, load->p_filesz);
	mprotect(image->start, image->bytes, PROT_READ | PROT_EXEC);
	image->data = image_page(image, pages->data);
	image->behind = image_page(image, pages->behind);
	image->pvclock = image_page(image, pages->pvclock);
}

static inline void image_unload(struct image_here *image)
{
	munmap(image->start - PAGES_BEFORE * IMAGE_PAGE_BYTES,
	       PAGES_BEFORE * IMAGE_PAGE_BYTES + image->bytes);
	munmap(image->file, image->file_bytes);
}

#endif /* TESTS_UNIT_IMAGE_HERE_H */
