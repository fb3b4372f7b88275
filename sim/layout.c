// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "sim/layout.h"

/* What follows the clocks in kernels that have eight auxiliary clocks. */
#define AUX_CLOCKS 8

#define CURRENT_CLOCK                                                                           \
	.cycle_last = offsetof(struct vdso_clock, cycle_last),                                  \
	.max_cycles = offsetof(struct vdso_clock, max_cycles),                                  \
	.mask = offsetof(struct vdso_clock, mask), .mult = offsetof(struct vdso_clock, mult),   \
	.shift = offsetof(struct vdso_clock, shift),                                            \
	.basetime = offsetof(struct vdso_clock, basetime),                                      \
	.base_bytes = sizeof(struct vdso_timestamp), .base_mult = LAYOUT_ABSENT,                \
	.base_shift = LAYOUT_ABSENT, .clock_bytes = sizeof(struct vdso_clock), .has_raw = true, \
	.data_offset = 0, .has_namespace = true

/* Before max_cycles came, with sixteen bytes a base. */
#define CLOCK_WITHOUT_MAX_CYCLES                                                                   \
	.cycle_last = 8, .max_cycles = LAYOUT_ABSENT, .mask = 16, .mult = 24, .shift = 28,         \
	.basetime = 32, .base_bytes = 16, .base_mult = LAYOUT_ABSENT, .base_shift = LAYOUT_ABSENT, \
	.tz = 224, .data_offset = 128

const struct page_layout page_layout_current = {
	.name = "v6.15",
	.kernels = "6.15 and 6.16",
	CURRENT_CLOCK,
	.tz = offsetof(struct vdso_time_data, tz_minuteswest),
	.hrtimer_res = offsetof(struct vdso_time_data, hrtimer_res),
};

static const struct page_layout v6_17 = {
	.name = "v6.17",
	.kernels = "6.17 and later",
	CURRENT_CLOCK,
	.tz = (CS_BASES + AUX_CLOCKS) * sizeof(struct vdso_clock),
	.hrtimer_res = (CS_BASES + AUX_CLOCKS) * sizeof(struct vdso_clock) + 8,
};

static const struct page_layout v6_10 = {
	.name = "v6.10",
	.kernels = "about 6.10 to 6.14",
	.cycle_last = 8,
	.max_cycles = 16,
	.mask = 24,
	.mult = 32,
	.shift = 36,
	.basetime = 40,
	.base_bytes = 16,
	.base_mult = LAYOUT_ABSENT,
	.base_shift = LAYOUT_ABSENT,
	.clock_bytes = 248,
	.has_raw = true,
	.tz = 232,
	.hrtimer_res = 240,
	.data_offset = 128,
	.has_namespace = true,
};

static const struct page_layout v5_3 = {
	.name = "v5.3",
	.kernels = "5.3 to about 6.9",
	CLOCK_WITHOUT_MAX_CYCLES,
	.clock_bytes = 240,
	.has_raw = true,
	.hrtimer_res = 232,
	.has_namespace = true,
};

static const struct page_layout gtod_basemult = {
	.name = "gtod-basemult",
	.kernels = "none: proposed in June 2019, not merged",
	.cycle_last = 8,
	.max_cycles = LAYOUT_ABSENT,
	.mask = 16,
	.mult = LAYOUT_ABSENT,
	.shift = LAYOUT_ABSENT,
	.basetime = 24,
	.base_bytes = 24,
	.base_mult = 16,
	.base_shift = 20,
	.clock_bytes = LAYOUT_ABSENT,
	.has_raw = true,
	.tz = 312,
	.hrtimer_res = LAYOUT_ABSENT,
	.data_offset = 128,
	.has_namespace = false,
};

static const struct page_layout gtod = {
	.name = "gtod",
	.kernels = "before 5.3",
	CLOCK_WITHOUT_MAX_CYCLES,
	.clock_bytes = LAYOUT_ABSENT,
	.has_raw = false,
	.hrtimer_res = LAYOUT_ABSENT,
	.has_namespace = false,
};

const struct page_layout *const page_layouts[] = {
	&v6_17,
	&page_layout_current,
	&v6_10,
	&v5_3,
	&gtod_basemult,
	/* Last: where RAW's structure is empty, later code answers as that of this one does. */
	&gtod,
	NULL,
};

const struct page_layout *page_layout_find(const char *name)
{
	for (const struct page_layout *const *layout = page_layouts; *layout; layout++)
		if (strcmp((*layout)->name, name) == 0)
			return *layout;
	return NULL;
}
