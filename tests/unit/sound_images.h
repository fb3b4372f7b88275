/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tests' own images by the loader: where they are, and what must be found of those that are
 * sound. What they want is written down once more, see tests/images/CMakeLists.txt.
 */
#ifndef TESTS_UNIT_SOUND_IMAGES_H
#define TESTS_UNIT_SOUND_IMAGES_H

#include <stdio.h>
#include <string.h>

#include "sim/vdso_image.h"

struct sound_image {
	const char *name;
	const char *layout;
	u32 data_offset;
	s32 time_page;
	s32 namespace_page; /* 0: it knows none */
	s32 pvclock_page;
	bool has_alternatives;
	bool has_getres;
};

static const struct sound_image sound_images[] = {
	{"gtod", "gtod", 128, -3, 0, -2, true, false},
	{"gtod-fence", "gtod", 128, -3, 0, -2, true, false},
	{"gtod-basemult", "gtod-basemult", 128, -3, 0, -2, true, false},
	{"v5.3", "v5.3", 128, -4, -1, -3, true, true},
	{"v5.3-no-namespace", "v5.3", 128, -3, 0, -2, true, true},
	{"v5.3-entries-12", "v5.3", 128, -4, -1, -3, true, true},
	{"v5.3-entries-14", "v5.3", 128, -4, -1, -3, true, true},
	{"v5.3-reads-base-first", "v5.3", 128, -4, -1, -3, true, true},
	{"v6.10", "v6.10", 128, -4, -1, -3, true, true},
	{"v6.10-split", "v6.10", 128, -4, -3, -2, true, true},
	{"v6.15", "v6.15", 0, -6, -5, -2, true, true},
	{"v6.15-rdtscp", "v6.15", 0, -6, -5, -2, false, true},
	{"v6.17", "v6.17", 0, -6, -5, -2, true, true},
};

/* The file of one of the images, for one call of a function. */
static inline const char *image_path(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s.so", CONTEND_TEST_IMAGES, name);
	return path;
}

/* Opened by path, whatever its length: closed by vdso_image_close. */
static inline void open_image(struct vdso_image *image, const char *name)
{
	struct errmsg err;

	if (vdso_image_open(image, image_path(name), &err))
		fail_msg("%s", err.text);
}

static inline void open_sound(struct vdso_image *image, const struct sound_image *sound)
{
	open_image(image, sound->name);
	if (strcmp(image->wants.layout->name, sound->layout) != 0)
		fail_msg("%s is taken for %s", sound->name, image->wants.layout->name);
}

#endif /* TESTS_UNIT_SOUND_IMAGES_H */
