/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader and its writers, from their specs to threads that can be explored. A lock guards words
 * that follow from the update's number; a clock reader reads the kernel's page, whose fields do.
 */
#ifndef PROVE_PROGRAM_H
#define PROVE_PROGRAM_H

#include "prove/proof.h"
#include "readers/lines.h"

#define PROGRAM_MAX_WRITERS 4

struct program; /* malloc'ed */

struct program_setup {
	const char *reader; /* a spec */
	const char *const *writer;
	u32 writers;
	u32 words;	  /* that a lock is given to guard, 2 to LOCK_MAX_WORDS */
	u32 counter_bits; /* counters begin 2 to the power of it before their end, 1 to 31; 0: at 0
			   */
};

/*
 * Compiles what the specs name, and prepares what is shared; the source's code is RUN for that, on
 * its own, in a process of its own first. A lock's counter is its source's affair, by COUNTER_BITS
 * (readers/lock.h). 0, and the
 * caller gives the program back by program_release; or -1 with a sentence in *err: no such reader
 * or writer, it cannot be compiled so, it does what cannot be explored, it crashes or does not end.
 * One program at a time.
 */
int program_make(const struct program_setup *setup, struct program **program, struct errmsg *err);
void program_release(struct program *program);

/* What is to be proven of it; the program must outlive it. */
struct proof_subject program_subject(struct program *program);

bool program_is_lock(const struct program *program);

/*
 * Whose publication is explored in a writer's place, from 0: tick's, for all that publish as it
 * does, whatever they do to time; else its own. A name of the table.
 */
const char *program_writer(const struct program *program, u32 writer);

/* Where in its source a site is; line 0 if that is not known. */
struct lines_place program_place(const struct program *program, const void *site);

#endif /* PROVE_PROGRAM_H */
