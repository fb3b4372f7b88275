// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes small vDSO images that differ in what they consist of, and the one of the running kernel,
 * for the fuzzer to start from, and a list of them in the form that its option -seed_inputs takes.
 *
 *   make_seeds DIRECTORY
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/elf_image.h"
#include "tests/unit/host_image.h"

static const char *directory;
static FILE *list;

static FILE *create(const char *name, char path[static 4096])
{
	FILE *file;

	snprintf(path, 4096, "%s/%s", directory, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static void finish(FILE *file, const char *path)
{
	if (fclose(file) != 0) {
		perror(path);
		exit(1);
	}
}

static void write_seed(const char *name, const void *bytes, size_t size)
{
	char path[4096];
	FILE *file = create(name, path);

	fwrite(bytes, 1, size, file);
	finish(file, path);
	fprintf(list, "%s%s", ftell(list) ? "," : "", path);
}

/* Without sections, so that the segment may be the end of the file, and what ends the segment too.
 */
static void cut(struct elf_image *image, const char *name, size_t size)
{
	image->header.e_shoff = 0;
	image->header.e_shnum = 0;
	image->load.p_filesz = size;
	image->load.p_memsz = size;
	write_seed(name, image, size);
}

/* Entries as older kernels had them: the lengths two bytes earlier, and then the padding or not. */
static void shorten_entry(struct elf_image *image, const char *name, size_t entry_bytes)
{
	u8 *entry = image->alternatives;

	entry[10] = entry[12];
	entry[11] = entry[13];
	entry[12] = (u8)(entry[10] - 2);
	image->section[ELF_IMAGE_ALTERNATIVES].sh_size = entry_bytes;
	write_seed(name, image, sizeof(*image));
}

static void write_small_images(void)
{
	struct elf_image image;

	elf_image_make(&image, 0);
	write_seed("whole", &image, sizeof(image));
	elf_image_make(&image, 0x10000);
	write_seed("base", &image, sizeof(image));
	elf_image_make(&image, 0);
	image.entry[ELF_IMAGE_HASH].d_tag = DT_DEBUG;
	write_seed("gnu-hash", &image, sizeof(image));
	elf_image_make(&image, 0);
	shorten_entry(&image, "entries-12", 12);
	elf_image_make(&image, 0);
	shorten_entry(&image, "entries-13", 13);
	elf_image_make(&image, 0);
	cut(&image, "without-sections", ELF_IMAGE_SEGMENT_BYTES);
	elf_image_make(&image, 0);
	cut(&image, "names-last", ELF_IMAGE_OFFSET(names) + sizeof(image.names));
}

int main(int argc, char **argv)
{
	const u8 *host = NULL;
	size_t size = 0;
	char path[4096];

	if (argc != 2)
		return 1;
	directory = argv[1];
	list = create("list", path);
	write_small_images();
	if (find_host_image(&host, &size))
		write_seed("host", host, size);
	finish(list, path);
	return 0;
}
