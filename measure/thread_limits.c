// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "measure/thread_limits.h"

static const struct {
	int resource;
	const char *name;
	rlim_t unit;
} limits[] = {
	{RLIMIT_NPROC, "ulimit -u", 1},
	{RLIMIT_AS, "ulimit -v", 1024},
	{RLIMIT_DATA, "ulimit -d", 1024},
};

/* 0: "max", or no such file. */
static u64 pids_max_in(const char *directory)
{
	char path[PATH_MAX + 16];
	unsigned long long most = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/pids.max", directory);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%llu", &most) != 1)
		most = 0;
	fclose(file);
	return most;
}

/* Of a directory below `root` and of those between. */
static u64 least_pids_max(char *directory, size_t root)
{
	u64 least = 0;

	for (;;) {
		u64 most = pids_max_in(directory);
		char *slash = strrchr(directory + root, '/');

		if (most && (!least || most < least))
			least = most;
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* Of a line of the list: the pids controller's, of version 1, or version 2's only one. */
static u64 pids_max_of_line(const char *line, const char *mount)
{
	char directory[PATH_MAX];
	const char *controller = strchr(line, ':');
	const char *group = controller ? strchr(controller + 1, ':') : NULL;
	bool old, unified;

	if (!group)
		return 0;
	old = strncmp(controller, ":pids:", strlen(":pids:")) == 0;
	unified = group == controller + 1;
	if (!old && !unified)
		return 0;
	if (snprintf(directory, sizeof(directory), "%s%s%s", mount, old ? "/pids" : "",
		     group + 1) >= (int)sizeof(directory))
		return 0;
	directory[strcspn(directory, "\n")] = '\0';
	return least_pids_max(directory, strlen(mount) + (old ? strlen("/pids") : 0));
}

u64 thread_limits_pids_max(const char *groups, const char *mount)
{
	FILE *file = fopen(groups, "re");
	char line[PATH_MAX];
	u64 least = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		u64 most = pids_max_of_line(line, mount);

		if (most && (!least || most < least))
			least = most;
	}
	fclose(file);
	return least;
}

static void add(struct thread_limits *list, const char *name, u64 most)
{
	size_t length = strlen(list->text);

	snprintf(list->text + length, sizeof(list->text) - length, "%s%s %llu",
		 length ? ", " : "of the limits there are set ", name, (unsigned long long)most);
}

struct thread_limits thread_limits_here(void)
{
	struct thread_limits list = {.text = ""};
	u64 pids_max = thread_limits_pids_max("/proc/self/cgroup", "/sys/fs/cgroup");

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct rlimit limit;

		if (getrlimit((__rlimit_resource_t)limits[i].resource, &limit) == 0 &&
		    limit.rlim_cur != RLIM_INFINITY)
			add(&list, limits[i].name, limit.rlim_cur / limits[i].unit);
	}
	if (pids_max)
		add(&list, "the cgroup's pids.max", pids_max);
	if (!list.text[0])
		snprintf(list.text, sizeof(list.text),
			 "none of ulimit -u, -v, -d and the cgroup's pids.max is set");
	return list;
}
