// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "measure/cpu_set.h"

struct cpu_list cpu_list(const cpu_set_t *cpus)
{
	struct cpu_list list = {""};
	size_t used = 0;

	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		size_t first = cpu;

		if (!CPU_ISSET(cpu, cpus))
			continue;
		if (used > sizeof(list.text) - 16) {
			strcpy(list.text + used, ",...");
			break;
		}
		while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, cpus))
			cpu++;
		used += (size_t)sprintf(list.text + used, "%s%zu", used ? "," : "", first);
		if (cpu > first)
			used += (size_t)sprintf(list.text + used, "-%zu", cpu);
	}
	return list;
}

int cpu_first_beyond(const cpu_set_t *cpus, const cpu_set_t *others)
{
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, cpus) && !CPU_ISSET((size_t)cpu, others))
			return cpu;
	return -1;
}
