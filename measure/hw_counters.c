// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/hw_counters.h"

#define L1D_READ_MISSES                                                    \
	(PERF_COUNT_HW_CACHE_L1D | (u64)PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 (u64)PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

const struct hw_event hw_events[HW_COUNTERS] = {
	[HW_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	[HW_INSTRUCTIONS] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	[HW_BRANCH_MISSES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	[HW_L1D_MISSES] = {PERF_TYPE_HW_CACHE, L1D_READ_MISSES},
};

/* As PERF_FORMAT_GROUP and the two times make it: perf_event_open(2). */
struct group {
	u64 count;
	u64 enabled_ns;
	u64 running_ns;
	u64 value[HW_COUNTERS];
};

static int open_event(const struct hw_event *event, int leader)
{
	struct perf_event_attr attr = {
		.type = event->type,
		.size = sizeof(attr),
		.config = event->config,
		.disabled = leader < 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

int hw_counters_open(struct hw_counters *counters, const struct hw_event *events, size_t count,
		     struct errmsg *err)
{
	counters->waited_ns = 0;
	for (size_t i = 0; i < HW_COUNTERS; i++) {
		counters->fd[i] = -1;
		counters->cause[i] = ENOENT;
	}
	for (size_t i = 0; i < count && i < HW_COUNTERS; i++) {
		counters->fd[i] = open_event(&events[i], i ? counters->fd[0] : -1);
		counters->cause[i] = counters->fd[i] < 0 ? errno : 0;
		if (counters->fd[0] < 0)
			break;
	}
	if (counters->fd[0] >= 0)
		return 0;
	for (size_t i = 1; i < HW_COUNTERS; i++)
		counters->cause[i] = counters->cause[0];
	return errmsg_set(err, "no hardware counters: %s (%s)",
			  hw_counters_reason(counters->cause[0]), strerror(counters->cause[0]));
}

void hw_counters_close(struct hw_counters *counters)
{
	for (size_t i = 0; i < HW_COUNTERS; i++) {
		if (counters->fd[i] >= 0)
			close(counters->fd[i]);
		counters->fd[i] = -1;
	}
}

void hw_counters_begin(struct hw_counters *counters)
{
	ioctl(counters->fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	ioctl(counters->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

bool hw_counters_end(struct hw_counters *counters, u64 values[HW_COUNTERS])
{
	struct group group = {.count = 0};
	size_t at = 0;
	u64 waited_ns;
	bool counted;

	ioctl(counters->fd[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	memset(values, 0, HW_COUNTERS * sizeof(*values));
	if (read(counters->fd[0], &group, sizeof(group)) < (ssize_t)(4 * sizeof(u64)))
		return false;
	for (size_t i = 0; i < HW_COUNTERS; i++)
		if (counters->fd[i] >= 0 && at < group.count)
			values[i] = group.value[at++];
	waited_ns = group.enabled_ns - group.running_ns;
	counted = waited_ns == counters->waited_ns;
	counters->waited_ns = waited_ns;
	return counted;
}

const char *hw_counters_reason(int cause)
{
	switch (cause) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case EINVAL:
		return "the CPU, or its hypervisor, offers none";
	case EACCES:
	case EPERM:
		return "forbidden by kernel.perf_event_paranoid or by a sandbox";
	case ENOSYS:
		return "the kernel was built without them, or a sandbox hides them";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	case ENODATA:
		return "they can be opened but stand still";
	default:
		return "perf_event_open failed";
	}
}

int hw_counters_try(void)
{
	struct hw_counters counters;
	u64 values[HW_COUNTERS];
	struct errmsg err;
	bool counted;

	if (hw_counters_open(&counters, hw_events, 1, &err))
		return counters.cause[0];
	hw_counters_begin(&counters);
	counted = hw_counters_end(&counters, values);
	hw_counters_close(&counters);
	return counted && values[HW_CYCLES] ? 0 : ENODATA;
}
