// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cpus.h"
#include "cli/parse.h"
#include "measure/cpu_set.h"

#define ONLINE_LIST "/sys/devices/system/cpu/online"

/* False when the kernel does not say. */
static bool read_online(cpu_set_t *online)
{
	FILE *file = fopen(ONLINE_LIST, "re");
	char line[4096] = "";
	struct errmsg err;
	bool known;

	if (!file)
		return false;
	known = fgets(line, sizeof(line), file);
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return known && parse_cpu_list(line, online, &err) == 0;
}

int cpus_usable(const cpu_set_t *cpus, struct errmsg *err)
{
	cpu_set_t online, allowed;
	int missing;

	if (read_online(&online)) {
		missing = cpu_first_beyond(cpus, &online);
		if (missing >= 0)
			return errmsg_set(err, "CPU %d is not there: online are %s", missing,
					  cpu_list(&online).text);
	}
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return errmsg_set(err, "cannot tell which CPUs are allowed: %s", strerror(errno));
	missing = cpu_first_beyond(cpus, &allowed);
	if (missing >= 0)
		return errmsg_set(err, "CPU %d is not allowed to this process: allowed are %s",
				  missing, cpu_list(&allowed).text);
	return 0;
}

int cpus_parse_one(const char *text, int *cpu, struct errmsg *err)
{
	cpu_set_t wanted;
	u64 value;

	if (parse_count(text, 0, CPU_SETSIZE - 1, &value, err))
		return -1;
	CPU_ZERO(&wanted);
	CPU_SET((size_t)value, &wanted);
	*cpu = (int)value;
	return cpus_usable(&wanted, err);
}
