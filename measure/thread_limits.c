// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "measure/thread_limits.h"

#define OWN_GROUPS   "/proc/self/cgroup"
#define GROUPS_MOUNT "/sys/fs/cgroup"
#define UNLIMITED    (1ull << 62)
/* What a reader takes that has run: half of it the kernel's, for the thread. Measured, x86-64. */
#define BYTES_PER_READER (50u * 1024)

static const struct {
	int resource;
	const char *name;
	rlim_t unit;
} limits[] = {
	{RLIMIT_NPROC, "ulimit -u", 1},
	{RLIMIT_AS, "ulimit -v", 1024},
	{RLIMIT_DATA, "ulimit -d", 1024},
};

/* A limit of cgroups, and where each version has it. */
struct group_limit {
	const char *old_directory; /* and the controller's name */
	const char *old_file;
	const char *file;
};

static const struct group_limit pids = {"pids", "pids.max", "pids.max"};
static const struct group_limit memory = {"memory", "memory.limit_in_bytes", "memory.max"};

/* 0: "max" or what version 1 says for it, or no such file. */
static u64 limit_in(const char *directory, const char *name)
{
	char path[PATH_MAX + 32];
	unsigned long long most = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%llu", &most) != 1 || most > UNLIMITED)
		most = 0;
	fclose(file);
	return most;
}

/* Of a directory below `root` and of those between. */
static u64 least_limit(char *directory, size_t root, const char *name)
{
	u64 least = 0;

	for (;;) {
		u64 most = limit_in(directory, name);
		char *slash = strrchr(directory + root, '/');

		if (most && (!least || most < least))
			least = most;
		if (!slash)
			return least;
		*slash = '\0';
	}
}

/* Of a line of the list: the controller's of version 1, or version 2's only one. */
static u64 limit_of_line(const struct group_limit *limit, const char *line, const char *mount)
{
	const size_t name = strlen(limit->old_directory);
	const char *controller = strchr(line, ':');
	const char *group = controller ? strchr(controller + 1, ':') : NULL;
	char directory[PATH_MAX];
	bool old, unified;

	if (!group)
		return 0;
	old = (size_t)(group - controller - 1) == name &&
	      strncmp(controller + 1, limit->old_directory, name) == 0;
	unified = group == controller + 1;
	if (!old && !unified)
		return 0;
	if (snprintf(directory, sizeof(directory), "%s%s%s%s", mount, old ? "/" : "",
		     old ? limit->old_directory : "", group + 1) >= (int)sizeof(directory))
		return 0;
	directory[strcspn(directory, "\n")] = '\0';
	return least_limit(directory, strlen(mount) + (old ? name + 1 : 0),
			   old ? limit->old_file : limit->file);
}

static u64 group_limit(const struct group_limit *limit, const char *groups, const char *mount)
{
	FILE *file = fopen(groups, "re");
	char line[PATH_MAX];
	u64 least = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		u64 most = limit_of_line(limit, line, mount);

		if (most && (!least || most < least))
			least = most;
	}
	fclose(file);
	return least;
}

u64 thread_limits_pids_max(const char *groups, const char *mount)
{
	return group_limit(&pids, groups, mount);
}

u64 thread_limits_memory_max(const char *groups, const char *mount)
{
	return group_limit(&memory, groups, mount);
}

static bool can_swap(void)
{
	struct sysinfo info;

	return sysinfo(&info) == 0 && info.totalswap;
}

int thread_limits_check_memory(u32 readers, struct errmsg *err)
{
	const u64 most = thread_limits_memory_max(OWN_GROUPS, GROUPS_MOUNT);
	const u64 needed = (u64)readers * BYTES_PER_READER;

	if (!most || needed <= most || can_swap())
		return 0;
	return errmsg_set(err,
			  "--readers: %u readers need %llu MiB or more, and the cgroup's memory "
			  "is limited to %llu MiB: beyond it the kernel kills",
			  readers, (unsigned long long)(needed >> 20),
			  (unsigned long long)(most >> 20));
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
	u64 pids_max = thread_limits_pids_max(OWN_GROUPS, GROUPS_MOUNT);

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
