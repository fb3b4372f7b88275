/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call of a reader, step by step, on a page of its layout that is quiet but for what the walk
 * itself does to it. x86 only; see measure/trace.h for what it takes.
 *
 * A source's code is copied so that its entry begins a cache line, as near as it may be moved; an
 * image's lies where it lies.
 */
#ifndef MEASURE_WALK_H
#define MEASURE_WALK_H

#include "measure/step.h"
#include "readers/readers.h"

enum walk_kind {
	WALK_FAST,  /* nobody updates the page */
	WALK_RETRY, /* it is updated once, after the sequence was loaded first */
	WALK_ODD,   /* the sequence is odd at first, and even once it was loaded */
	WALK_KINDS
};

struct walk {
	size_t count;
	struct step *step; /* the walk's own */
	uintptr_t entry;
	uintptr_t stack;	    /* the stack pointer at the entry */
	uintptr_t page[PAGE_SLOTS]; /* where the code has them; 0: it has none such */
	u32 data_offset;	    /* where in them the data begins */
	u32 looks;		    /* loads of the sequence that guards the clock */
};

/* How a kind is called in output: "fast", "one retry", "odd wait". */
const char *walk_kind_name(enum walk_kind kind);

/*
 * Walks through one read of the clock, which need not be the reader's own. Returns 0, and the
 * caller owns *walk until walk_release; or -1 with a sentence in *err: it cannot be traced here,
 * the call fails, it does not look at the sequence (again). For a process with one thread.
 */
int walk_make(struct walk *walk, const struct reader *reader, clockid_t clock, enum walk_kind kind,
	      struct errmsg *err);
void walk_release(struct walk *walk);

/* Whether the kernel was entered. */
bool walk_calls_system(const struct walk *walk);

/* Whether an access is one of the data page's sequence that guards this clock. */
bool walk_is_look(const struct step_access *access, uintptr_t sequence);

#endif /* MEASURE_WALK_H */
