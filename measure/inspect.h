/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that `contend inspect` finds out about readers, their differences, and pages.
 */
#ifndef MEASURE_INSPECT_H
#define MEASURE_INSPECT_H

#include "measure/likeness.h"
#include "measure/machine.h"
#include "measure/path.h"
#include "measure/static_code.h"

#define INSPECT_MAX_READERS 8
#define INSPECT_MAX_TARGETS 6
#define INSPECT_MAX_PAGES   8
#define INSPECT_CLOCKS	    7

/* The clocks of a page, in the kernel's order of its ids. */
extern const clockid_t inspect_clocks[INSPECT_CLOCKS];

/* One reader, as it is called here. */
struct inspect_reader {
	const struct reader *reader;
	struct errmsg no_functions; /* why nothing is known of its functions; empty: it is */
	struct functions functions;
	const struct function *entry; /* NULL: nobody says how large it is */
	struct walk walk[WALK_KINDS]; /* without steps if there is no such path */
	struct path_figures path[WALK_KINDS];
	/* Its fast path for each of inspect_clocks; unavailable too if that calls the system. */
	struct path_figures clock[INSPECT_CLOCKS];
};

/*
 * Fills in what can be found out, the rest with reasons. The reader must outlive *result, which
 * inspect_reader_release gives back. For a process with one thread.
 */
void inspect_reader(struct inspect_reader *result, const struct reader *reader);
void inspect_reader_release(struct inspect_reader *result);

struct inspect_difference {
	struct likeness path; /* of the fast paths */
	struct likeness text; /* of all of the code */
};

void inspect_difference(struct inspect_difference *result, const struct inspect_reader *a,
			const struct inspect_reader *b);

/* A page, and which of its lines reads of each clock touch. */
struct inspect_page {
	const struct page_layout *layout;
	u32 data_offset;
	char reader[320]; /* whose reads they are */
	struct path_figures clock[INSPECT_CLOCKS];
};

/* By our own reader of that layout. 0, or -1 with a sentence in *err: there is none. */
int inspect_page_of_layout(struct inspect_page *result, const struct page_layout *layout,
			   struct errmsg *err);
void inspect_page_of_reader(struct inspect_page *result, const struct inspect_reader *reader);

/* A reader as a compiler makes it for another machine. */
struct inspect_target {
	const char *target;
	char reader[320];
	char compiler[96];
	struct static_code code;
};

/* A reader that cannot be looked at, here or for a machine. */
struct inspect_refusal {
	const char *reader; /* as it was given */
	struct errmsg why;
};

/* All of a command. */
struct inspect_result {
	struct machine machine;
	size_t readers;
	struct inspect_reader reader[INSPECT_MAX_READERS];
	bool has_difference; /* of the first two */
	struct inspect_difference difference;
	size_t pages;
	struct inspect_page page[INSPECT_MAX_PAGES];
	size_t targets; /* those of a machine next to each other, the readers in their order */
	struct inspect_target target[INSPECT_MAX_TARGETS * INSPECT_MAX_READERS];
	size_t refused;
	struct inspect_refusal refusal[INSPECT_MAX_TARGETS * INSPECT_MAX_READERS];
};

#endif /* MEASURE_INSPECT_H */
