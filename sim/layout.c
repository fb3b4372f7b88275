// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "sim/layout.h"

#define MEMBER(name, value) .name = (value),

const struct page_layout page_layout_current = {
	.name = "v6.15", .kernels = "6.15 and 6.16", PAGE_LAYOUT_V6_15(MEMBER)};

static const struct page_layout v6_17 = {
	.name = "v6.17", .kernels = "6.17 and later", PAGE_LAYOUT_V6_17(MEMBER)};

static const struct page_layout v6_10 = {
	.name = "v6.10", .kernels = "about 6.10 to 6.14", PAGE_LAYOUT_V6_10(MEMBER)};

static const struct page_layout v5_3 = {
	.name = "v5.3", .kernels = "5.3 to about 6.9", PAGE_LAYOUT_V5_3(MEMBER)};

static const struct page_layout gtod_basemult = {.name = "gtod-basemult",
						 .kernels =
							 "none: proposed in June 2019, not merged",
						 PAGE_LAYOUT_GTOD_BASEMULT(MEMBER)};

static const struct page_layout gtod = {
	.name = "gtod", .kernels = "before 5.3", PAGE_LAYOUT_GTOD(MEMBER)};

static const struct page_layout raw_separate = {
	.name = "raw-separate",
	.kernels = "none: RAW's clock structure on cache lines of its own",
	PAGE_LAYOUT_RAW_SEPARATE(MEMBER)};

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
	if (strcmp(name, "current") == 0)
		return &page_layout_current;
	if (strcmp(name, raw_separate.name) == 0)
		return &raw_separate;
	for (const struct page_layout *const *layout = page_layouts; *layout; layout++)
		if (strcmp((*layout)->name, name) == 0)
			return *layout;
	return NULL;
}
