// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "prove/object.h"
#include "prove/object_check.h"

/* How far what was made of several lines may be from what was made of one. */
#define MERGED_BYTES 256

/* dlopen wants a file, and no other program is to have a name for it. */
static int open_file(const struct object *object, char path[64], struct errmsg *err)
{
	const int fd = memfd_create("contend", MFD_CLOEXEC);
	size_t written = 0;

	while (fd >= 0 && written < object->elf_bytes) {
		const ssize_t part =
			write(fd, (const char *)object->elf + written, object->elf_bytes - written);

		if (part < 0 && errno != EINTR) {
			close(fd);
			return errmsg_set(err, "no room for the code: %s", strerror(errno));
		}
		written += part > 0 ? (size_t)part : 0;
	}
	if (fd < 0)
		return errmsg_set(err, "no room for the code: %s", strerror(errno));
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static int find_extent(struct object *object, struct errmsg *err)
{
	const struct link_map *map;
	const ElfW(Ehdr) * header;
	const ElfW(Phdr) * segment;

	if (dlinfo(object->handle, RTLD_DI_LINKMAP, &map))
		return errmsg_set(err, "the code has no place: %s", dlerror());
	object->base = (const u8 *)map->l_addr;
	header = (const void *)object->base;
	segment = (const void *)(object->base + header->e_phoff);
	for (int i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD &&
		    segment[i].p_vaddr + segment[i].p_memsz > object->bytes)
			object->bytes = segment[i].p_vaddr + segment[i].p_memsz;
	return 0;
}

static int load(struct object *object, struct errmsg *err)
{
	char path[64];

	object->fd = open_file(object, path, err);
	if (object->fd < 0)
		return -1;
	object->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object->handle)
		return errmsg_set(err, "the code cannot be loaded: %.300s", dlerror());
	object->head = dlsym(object->handle, PROVE_HEAD);
	if (!object->head)
		return errmsg_set(err, "the code has no '" PROVE_HEAD "'");
	return find_extent(object, err);
}

static int open_lines(struct object *object, struct errmsg *err)
{
	const struct machine_code code = {.elf = object->elf, .elf_bytes = object->elf_bytes};

	return lines_open(&object->lines, &code, err);
}

int object_make(struct compile_job *job, struct object *object, struct errmsg *err)
{
	*object = (struct object){.fd = -1};
	job->explored = true;
	job->counted = true;
	if (!compile_elf(job, &object->elf, &object->elf_bytes, err) &&
	    !object_check(object, err) && !load(object, err) && !open_lines(object, err))
		return 0;
	object_release(object);
	return -1;
}

void object_release(struct object *object)
{
	if (object->lines)
		lines_close(object->lines);
	if (object->handle)
		dlclose(object->handle);
	if (object->elf && object->fd >= 0)
		close(object->fd);
	free(object->elf);
	*object = (struct object){.fd = -1};
}

bool object_has(const struct object *object, const void *site)
{
	return (size_t)((const u8 *)site - object->base) < object->bytes;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* What sources include for what they do not want to say themselves. */
static bool is_of_source(const struct lines_place *place)
{
	static const char *const included[] = {"readers/reader.h", "readers/lock.h", "/usr/"};

	for (size_t i = 0; i < ARRAY_SIZE(included); i++)
		if (begins(place->file, included[i]))
			return false;
	return !begins(place->file, "sim/") || strcmp(place->file, "sim/publish.h") == 0;
}

struct lines_place object_place(const struct object *object, const void *site)
{
	/* The call itself is before the address that it comes back to. */
	const u32 call = (u32)((const u8 *)site - object->base) - 1;
	struct lines_place place = lines_find_wanted(object->lines, call, is_of_source);

	/* What a compiler has made of several lines is of line 0: what is before it tells more. */
	for (u32 back = 1; place.file[0] && !place.line && back <= call && back <= MERGED_BYTES;
	     back++)
		place = lines_find_wanted(object->lines, call - back, is_of_source);
	return place;
}
