/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vDSO image that the kernel has mapped into this process, for tests.
 */
#ifndef TESTS_UNIT_HOST_IMAGE_H
#define TESTS_UNIT_HOST_IMAGE_H

#include <stdio.h>
#include <sys/auxv.h>

#include "sim/types.h"

/* False when there is none, as under some emulators. */
static inline bool find_host_image(const u8 **bytes, size_t *size)
{
	unsigned long start, end, vdso = getauxval(AT_SYSINFO_EHDR);
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	bool found = false;

	while (vdso && maps && !found && fgets(line, sizeof(line), maps))
		found = sscanf(line, "%lx-%lx", &start, &end) == 2 && start == vdso;
	if (maps)
		fclose(maps);
	if (!found)
		return false;
	*bytes = (const u8 *)vdso;
	*size = end - start;
	return true;
}

#endif /* TESTS_UNIT_HOST_IMAGE_H */
