// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/sysinfo.h>

#include "cli/cpus.h"
#include "cli/job.h"
#include "cli/parse.h"
#include "report/cell.h"

int job_parse_priority(const char *text, int *priority, struct errmsg *err)
{
	u64 value;

	if (strcmp(text, "none") == 0)
		value = PRIORITY_NONE;
	else if (parse_count(text, 1, 99, &value, err))
		return errmsg_set(err, "'%.60s' is neither a whole number from 1 to 99 nor none",
				  text);
	*priority = (int)value;
	return 0;
}

int job_parse_clocksource(const char *text, struct run_config *config, struct errmsg *err)
{
	struct clocksource_choice choice;
	const char *why = "it is for tests only";

	if (clocksource_resolve(text, &choice, err))
		return -1;
	if (!choice.clocksource->selectable || !choice.clocksource->usable(&why))
		return errmsg_set(err, "'%s' cannot be used here: %s", choice.clocksource->name,
				  why);
	config->clocksource = choice.clocksource;
	config->record_hz = choice.hz;
	return 0;
}

int job_parse_cpus(const char *text, struct run_group *group, struct errmsg *err)
{
	if (parse_cpu_list(text, &group->cpus, err))
		return -1;
	group->cpus_given = true;
	return cpus_usable(&group->cpus, err);
}

/* The code of an image reads the kernel's counters, and no others. */
int job_check_counter(const struct reader *reader, const struct clocksource *cs, struct errmsg *err)
{
	const struct vdso_image *image = reader->image;
	s32 mode = cs->clock_mode;

	if (!image || mode == VDSO_CLOCKMODE_TSC ||
	    (mode == VDSO_CLOCKMODE_PVCLOCK && image->wants.has_pvclock))
		return 0;
	return errmsg_set(err, "--clocksource: the code of image:%s cannot read %s: there %s tsc%s",
			  image->name, cs->name, image->wants.has_pvclock ? "are" : "is",
			  image->wants.has_pvclock ? " and pvclock" : "");
}

/* A machine that has begun to kill processes for want of memory does not measure anything. */
int job_check_memory(const struct run_config *config, struct errmsg *err)
{
	struct sysinfo host;
	u64 total, left;

	if (sysinfo(&host))
		return 0;
	left = total = (u64)host.totalram * host.mem_unit;
	for (u32 i = 0; i < config->groups; i++) {
		const struct run_group *group = &config->group[i];

		if (group->work.kind != WORK_CACHE)
			continue;
		if (group->work.amount > left / group->readers)
			return errmsg_set(err,
					  "--work: cache:%s for each of %u readers is more memory "
					  "than the %lluM %s",
					  cell_bytes(group->work.amount).text, group->readers,
					  (unsigned long long)(left >> 20),
					  left < total ? "that other groups leave of this machine's"
						       : "of this machine");
		left -= group->work.amount * group->readers;
	}
	return 0;
}
