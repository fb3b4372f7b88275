/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an image looks for what: the layouts of the page, and where the pages lie.
 *
 * Source: the project's design table, once more and not by way of sim/layout.c, which
 * tests/unit/test_images.c holds against this. All of it is folded into the image's code.
 */
#ifndef TESTS_IMAGES_LAYOUTS_H
#define TESTS_IMAGES_LAYOUTS_H

#include <stdbool.h>

/* Offsets in bytes; 0 for what a layout has not, since the sequence is the first in all of them. */
struct image_layout {
	unsigned int mode;
	unsigned int cycle_last;
	unsigned int max_cycles;
	unsigned int mult, shift; /* from the structure, or from the base if mult_in_base */
	unsigned int basetime;
	unsigned int base_stride; /* in a base: sec at 0, nsec at 8 */
	unsigned int raw;	  /* of the structure that MONOTONIC_RAW is in */
	unsigned int tz;	  /* minuteswest, dsttime; 8 behind it the resolution */
	bool mult_in_base;
	bool has_raw;
	bool has_namespaces;
};

/* clang-format off */
#define LAYOUT_GTOD \
	{.mode = 4, .cycle_last = 8, .mult = 24, .shift = 28, \
	 .basetime = 32, .base_stride = 16, .tz = 224}
#define LAYOUT_GTOD_BASEMULT \
	{.mode = 4, .cycle_last = 8, .mult = 16, .shift = 20, .mult_in_base = true, \
	 .basetime = 24, .base_stride = 24, .raw = 0, .has_raw = true, .tz = 312}
/* Up to 5.5. */
#define LAYOUT_V5_3_NO_NAMESPACE \
	{.mode = 4, .cycle_last = 8, .mult = 24, .shift = 28, \
	 .basetime = 32, .base_stride = 16, .raw = 240, .has_raw = true, .tz = 224}
#define LAYOUT_V5_3 \
	{.mode = 4, .cycle_last = 8, .mult = 24, .shift = 28, \
	 .basetime = 32, .base_stride = 16, .raw = 240, .has_raw = true, .tz = 224, \
	 .has_namespaces = true}
#define LAYOUT_V6_10 \
	{.mode = 4, .cycle_last = 8, .max_cycles = 16, .mult = 32, .shift = 36, \
	 .basetime = 40, .base_stride = 16, .raw = 248, .has_raw = true, .tz = 232, \
	 .has_namespaces = true}
#define LAYOUT_V6_15 \
	{.mode = 4, .cycle_last = 8, .max_cycles = 16, .mult = 32, .shift = 36, \
	 .basetime = 40, .base_stride = 16, .raw = 232, .has_raw = true, .tz = 464, \
	 .has_namespaces = true}
/* Eight more clocks lie between the two and the time zone. */
#define LAYOUT_V6_17 \
	{.mode = 4, .cycle_last = 8, .max_cycles = 16, .mult = 32, .shift = 36, \
	 .basetime = 40, .base_stride = 16, .raw = 232, .has_raw = true, .tz = 2320, \
	 .has_namespaces = true}
/* No kernel has had this. */
#define LAYOUT_UNKNOWN \
	{.mode = 4, .cycle_last = 16, .max_cycles = 24, .mult = 36, .shift = 32, \
	 .basetime = 56, .base_stride = 24, .raw = 376, .has_raw = true, .tz = 752, \
	 .has_namespaces = true}
/* clang-format on */

/* Pages from the image's start, all of them before it; 0 for one that the image does not know. */
struct image_pages {
	int data;
	int behind; /* where the data is seen by a process in a time namespace */
	int pvclock;
	unsigned int data_offset; /* of the data in its page, and behind */
};

/* clang-format off */
/* Before 5.6: data, pvclock, hvclock. */
#define PAGES_THREE  {.data = -3, .pvclock = -2, .data_offset = 128}
/* From 5.6 on: data, pvclock, hvclock, timens. */
#define PAGES_FOUR   {.data = -4, .pvclock = -3, .behind = -1, .data_offset = 128}
/* The same four in another order: data, timens, pvclock, hvclock. */
#define PAGES_SPLIT  {.data = -4, .behind = -3, .pvclock = -2, .data_offset = 128}
/* From 6.15 on: time, timens, rng, arch, pvclock, hvclock. */
#define PAGES_SIX    {.data = -6, .behind = -5, .pvclock = -2, .data_offset = 0}
/* clang-format on */

#define IMAGE_PAGE_BYTES 4096

#endif /* TESTS_IMAGES_LAYOUTS_H */
