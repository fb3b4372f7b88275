/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's own vDSO code, run on pages of ours.
 *
 * An image is the one that the kernel has mapped into this process, or a file (vdso64.so of a
 * kernel's build). A copy of its code is mapped elsewhere, where the pages that it reads are ours.
 * Where it wants them and how it takes them to be laid out is found by calling it, in a child
 * process; see sim/vdso_probe.h.
 *
 * AN IMAGE IS CODE, AND IT IS RUN, with all the rights of this process. No memory of it is ever
 * writable and executable at once.
 *
 * Calls on one image are for one thread at a time; its functions may be called by any number once
 * it is attached. x86 only: elsewhere vdso_image_open says so.
 */
#ifndef SIM_VDSO_IMAGE_H
#define SIM_VDSO_IMAGE_H

#include <sys/time.h>
#include <time.h>

#include "sim/alternatives.h"
#include "sim/errmsg.h"
#include "sim/layout.h"
#include "sim/page.h"

/* What is called in an image. */
enum vdso_call {
	VDSO_CLOCK_GETTIME, /* of a 32-bit image: clock_gettime64 */
	VDSO_GETTIMEOFDAY,
	VDSO_TIME,
	VDSO_CLOCK_GETRES,
	VDSO_CALLS
};

/* What they are. Of a 32-bit image all but the first have 32-bit seconds, as longs are. */
struct vdso_old_timespec {
	long tv_sec;
	long tv_nsec;
};
struct vdso_old_timeval {
	long tv_sec;
	long tv_usec;
};
typedef int vdso_clock_gettime_fn(clockid_t clock, struct timespec *ts);
typedef int vdso_gettimeofday_fn(struct vdso_old_timeval *tv, struct timezone *tz);
typedef long vdso_time_fn(long *seconds);
typedef int vdso_clock_getres_fn(clockid_t clock, struct vdso_old_timespec *res);

/*
 * Where its code wants what it reads. Pages are counted from the page in which the image begins,
 * most of them backwards.
 */
struct vdso_wants {
	const struct page_layout *layout;
	s32 time_page;	 /* what it reads first */
	u32 data_offset; /* of the data in that page */
	bool has_namespace;
	s32 namespace_page; /* read when the time page is a namespace's: the data stands here */
	bool has_pvclock;
	s32 pvclock_page; /* read in VDSO_CLOCKMODE_PVCLOCK */
};

struct vdso_image {
	char name[256]; /* "host", or the file's as it was given */
	u8 *bytes;	/* the image, its alternatives applied; whole pages */
	size_t size;
	s64 function[VDSO_CALLS]; /* offsets in it; -1: it has none */
	bool patched_by_kernel;	  /* it is the host's, so its alternatives were applied before */
	struct alternatives alternatives;
	struct vdso_wants wants;
	char *reserved; /* the address space around its place; NULL: it has none yet */
	char *start;	/* its first byte there */
};

/*
 * Opens the image called `name`: "host", or a file. Its pages are looked for in a child process,
 * for at most ten seconds. Returns 0, and the caller owns *image until vdso_image_close; or -1
 * with a sentence in *err: not to be read, no image for this machine, no clock_gettime, code that
 * crashes, hangs, or takes its page to be laid out as no known kernel's is.
 */
int vdso_image_open(struct vdso_image *image, const char *name, struct errmsg *err);
void vdso_image_close(struct vdso_image *image);

/*
 * Gives the code a place of its own, readable and executable, with nothing around it, if it has
 * none yet. For vdso_image_open and those who want to see what code does without its pages. 0, or
 * -1 with a sentence in *err.
 */
int vdso_image_place(struct vdso_image *image, struct errmsg *err);

/*
 * Places the code, if it has no place yet, and shows it the pages of `region`, which must be laid
 * out as image->wants says, in place of any others; in_namespace: as a process in a time namespace
 * has them. They stay shown, whatever becomes of the region. Returns 0, or -1 with a sentence in
 * *err: no memory, or the image knows no namespaces.
 */
int vdso_image_attach(struct vdso_image *image, const struct page_region *region, bool in_namespace,
		      struct errmsg *err);

/* Where a function of a placed image can be called, as its type; NULL if the image has none. */
void *vdso_image_function(const struct vdso_image *image, enum vdso_call call);

/* A page of a placed image's surroundings, by the count of struct vdso_wants. */
void *vdso_image_page(const struct vdso_image *image, s32 page);

/* The number of the page that holds this address; false if it is none of the surroundings'. */
bool vdso_image_page_of(const struct vdso_image *image, const void *address, s32 *page);

/* A function's name in images, as in "__vdso_clock_gettime". */
const char *vdso_call_name(enum vdso_call call);

#endif /* SIM_VDSO_IMAGE_H */
