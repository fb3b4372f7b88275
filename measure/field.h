/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The field of a calibration: its contestants, and the pages of ours that some of them read.
 */
#ifndef MEASURE_FIELD_H
#define MEASURE_FIELD_H

#include "measure/contestant.h"
#include "measure/mirror.h"

#define FIELD_MAX_IMAGES 4
#define FIELD_NAME_BYTES sizeof(((struct contestant *)NULL)->name)

/* In the order of the columns; images that are given stand behind. */
enum field_column {
	FIELD_READER,
	FIELD_IMAGE_HOST,
	FIELD_HOST,
	FIELD_LIBC,
	FIELD_SYSTEM,
	FIELD_IMAGES,
	FIELD_MAX = FIELD_IMAGES + FIELD_MAX_IMAGES
};

struct field {
	struct vdso_image host_image;
	bool has_host_image;
	struct mirror mirror;
	bool has_mirror;
	struct errmsg no_mirror; /* why there is none */
	size_t count;		 /* of contestants */
	struct contestant contestant[FIELD_MAX];
};

/*
 * Sets the field up, with these images, which stay the caller's and are placed and attached. Images
 * of different names are contestants of different names, each as short as that allows. A
 * contestant that cannot be had says why; but without a given image there is no field: -1 with a
 * sentence in *err. For a process that has one thread. Ended by field_close, if it was set up.
 * *field must not be moved.
 */
int field_open(struct field *field, struct vdso_image *const *images, size_t count,
	       struct errmsg *err);
void field_close(struct field *field);

/*
 * Whether what a contestant's page says of this clock can be held against the host: 0, or -1 with a
 * sentence in *err when the kernel's page says nothing of it, and the contestant's has no way to
 * say that.
 */
int field_tells(const struct field *field, size_t contestant, clockid_t clock, struct errmsg *err);

/* One read of a contestant that can be called: 0, or -1 with a sentence in *err if it has an error.
 */
int field_try(const struct field *field, size_t contestant, clockid_t clock, struct errmsg *err);

/*
 * Whether a contestant that reads a page of ours calls the system for this clock all the same: it
 * does if it knows the host's time while our pages say another. Nobody does who returns no time,
 * nor if the system returns none.
 */
bool field_falls_back(struct field *field, size_t contestant, clockid_t clock);

#endif /* MEASURE_FIELD_H */
