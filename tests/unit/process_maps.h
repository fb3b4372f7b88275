/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process has mapped and open, by its own /proc, looked at without allocating anything.
 */
#ifndef TESTS_UNIT_PROCESS_MAPS_H
#define TESTS_UNIT_PROCESS_MAPS_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/types.h"

#define MAPS_MAX 4096

struct mapping {
	u64 start, end;
	char access[5]; /* as in "r-xp" */
};

struct process_maps {
	size_t count;
	struct mapping list[MAPS_MAX];
};

/* False when it cannot be read, or there are too many. */
static inline bool process_maps_read(struct process_maps *maps)
{
	static char text[1 << 20];
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got;

	while (fd >= 0 && (got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += (size_t)got;
	if (fd >= 0)
		close(fd);
	text[length] = '\0';
	maps->count = 0;
	for (char *line = text; *line && maps->count < MAPS_MAX; line = strchr(line, '\n') + 1) {
		struct mapping *mapping = &maps->list[maps->count++];
		unsigned long long start, end;

		if (sscanf(line, "%llx-%llx %4s", &start, &end, mapping->access) != 3)
			return false;
		mapping->start = start;
		mapping->end = end;
	}
	return maps->count > 0 && maps->count < MAPS_MAX;
}

/* The access to a byte; "    " where nothing is mapped. */
static inline const char *process_maps_access(const struct process_maps *maps, const void *address)
{
	for (size_t i = 0; i < maps->count; i++)
		if ((uintptr_t)address >= maps->list[i].start &&
		    (uintptr_t)address < maps->list[i].end)
			return maps->list[i].access;
	return "    ";
}

/* Whether no memory can be both written and executed. */
static inline bool process_maps_none_writable_and_executable(const struct process_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		if (strchr(maps->list[i].access, 'w') && strchr(maps->list[i].access, 'x'))
			return false;
	return true;
}

/* Descriptors that are open, of the first 4096. */
static inline int process_open_files(void)
{
	int open_files = 0;

	for (int fd = 0; fd < 4096; fd++)
		open_files += fcntl(fd, F_GETFD) >= 0;
	return open_files;
}

#endif /* TESTS_UNIT_PROCESS_MAPS_H */
