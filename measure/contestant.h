/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways to the time that calibrate holds against each other, and what a block of reads by one
 * of them takes.
 */
#ifndef MEASURE_CONTESTANT_H
#define MEASURE_CONTESTANT_H

#include "measure/trace.h"
#include "readers/readers.h"
#include "sim/errmsg.h"
#include "sim/vdso_image.h"

enum contestant_kind {
	CONTESTANT_READER, /* our reader on our page */
	CONTESTANT_IMAGE,  /* a vDSO image's code on our page */
	CONTESTANT_HOST,   /* the kernel's vDSO on the kernel's page */
	CONTESTANT_LIBC,   /* the C library's clock_gettime */
	CONTESTANT_SYSTEM, /* the system call */
};

/* Constant once it is set up. */
struct contestant {
	enum contestant_kind kind;
	char name[64];
	struct errmsg unavailable; /* why it cannot be called; empty: it can */
	/* Ours has `read` and `page`, every other but the system call has `call`. */
	reader_fn *read;
	const struct vdso_time_data *page;
	const struct page_layout *layout; /* of the page of ours that it reads; NULL: of none */
	vdso_clock_gettime_fn *call;
};

/* Whether it reads a page of ours, so that what it says follows from what we publish. */
bool contestant_reads_our_page(const struct contestant *contestant);

/* The function that it calls; NULL for the system call. */
void *contestant_code(const struct contestant *contestant);

/* One read. Returns 0, or what the contestant returned instead. */
int contestant_read(const struct contestant *contestant, clockid_t clock, struct timespec *ts);

/*
 * Times a block of `reads` reads, after a few that are not timed. Returns what each took, the loop
 * around it included, in cycles of the counter of this clock mode, which reads no page.
 */
double contestant_time(const struct contestant *contestant, clockid_t clock, u32 reads,
		       s32 clock_mode);

/* How a read is called; *note and *ts are filled by it. Not for the system call. */
struct trace_call contestant_trace_call(const struct contestant *contestant, clockid_t clock,
					struct timespec *ts, struct read_note *note);

#endif /* MEASURE_CONTESTANT_H */
