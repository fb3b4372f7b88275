/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All outcomes of a sample on a machine of threads that take turns, with a buffer of stores each,
 * or without: x86-TSO as the machine of Owens, Sarkar and Sewell, or sequential consistency. To be
 * included behind cmocka.h.
 */
#ifndef TESTS_UNIT_PROVE_BUFFERS_H
#define TESTS_UNIT_PROVE_BUFFERS_H

#include "tests/unit/item_set.h"
#include "tests/unit/prove_sample.h"

struct buffers {
	u64 memory[SAMPLE_CELLS];
	struct sample_thread thread[SAMPLE_THREADS];
	u64 at[SAMPLE_THREADS];	     /* the thread's next step */
	u64 waiting[SAMPLE_THREADS]; /* stores in its buffer, oldest first */
	struct {
		u64 cell, value;
	} store[SAMPLE_THREADS][SAMPLE_STEPS];
};

struct buffers_search {
	const struct sample *sample;
	bool buffered;
	struct item_set seen; /* machines: what comes of one does not hang on how it came about */
	struct item_set *outcomes;
};

static inline u64 buffers_look(const struct buffers *machine, u32 thread, u32 cell)
{
	for (u64 i = machine->waiting[thread]; i > 0; i--)
		if (machine->store[thread][i - 1].cell == cell)
			return machine->store[thread][i - 1].value;
	return machine->memory[cell];
}

/* Locked instructions and full fences wait for the buffer; the one behind a seq_cst store too. */
static inline bool buffers_must_be_empty(const struct sample_step *step)
{
	return step->kind == SAMPLE_MODIFY || step->kind == SAMPLE_COMPARE ||
	       (step->order == __ATOMIC_SEQ_CST && step->kind != SAMPLE_LOAD);
}

/* The thread's next step; false: it has none, or must wait. */
static inline bool buffers_step(const struct buffers_search *search, struct buffers *machine, u32 i)
{
	const struct sample *sample = search->sample;
	const struct sample_step *step = &sample->step[i][machine->at[i]];
	struct sample_thread *thread = &machine->thread[i];
	u64 old, stored;

	if (machine->at[i] == sample->steps[i])
		return false;
	if (!sample_is_done(step, thread)) {
		machine->at[i]++;
		return true;
	}
	if (buffers_must_be_empty(step) && machine->waiting[i])
		return false;
	thread->done |= 1u << machine->at[i];
	old = buffers_look(machine, i, step->cell);
	stored = sample_stored(sample, step, thread, old);
	if (sample_loads(step))
		thread->reg[machine->at[i]] = old;
	machine->at[i]++;
	if (!sample_may_store(step) || !sample_takes_place(step, old))
		return true;
	if (search->buffered && !buffers_must_be_empty(step)) {
		machine->store[i][machine->waiting[i]].cell = step->cell;
		machine->store[i][machine->waiting[i]++].value = stored;
	} else {
		machine->memory[step->cell] = stored;
	}
	return true;
}

static inline bool buffers_drain(struct buffers *machine, u32 i)
{
	if (!machine->waiting[i])
		return false;
	machine->memory[machine->store[i][0].cell] = machine->store[i][0].value;
	machine->waiting[i]--;
	memmove(&machine->store[i][0], &machine->store[i][1],
		sizeof(machine->store[i]) - sizeof(machine->store[i][0]));
	memset(&machine->store[i][SAMPLE_STEPS - 1], 0, sizeof(machine->store[i][0]));
	return true;
}

static inline void buffers_visit(struct buffers_search *search, const struct buffers *machine)
{
	bool ended = true;

	if (!item_set_add(&search->seen, machine))
		return;
	for (u32 i = 0; i < search->sample->threads; i++) {
		struct buffers next = *machine;

		if (buffers_step(search, &next, i)) {
			ended = false;
			buffers_visit(search, &next);
		}
		next = *machine;
		if (buffers_drain(&next, i)) {
			ended = false;
			buffers_visit(search, &next);
		}
	}
	if (ended) {
		struct sample_outcome outcome = {.last = sample_last(machine->memory)};

		for (u32 i = 0; i < search->sample->threads; i++)
			outcome.told[i] = sample_told(&machine->thread[i]);
		item_set_add(search->outcomes, &outcome);
	}
}

/* Adds them to *outcomes. */
static inline void buffers_outcomes(const struct sample *sample, bool buffered,
				    struct item_set *outcomes)
{
	struct buffers_search search = {
		.sample = sample,
		.buffered = buffered,
		.seen = item_set_of(sizeof(struct buffers)),
		.outcomes = outcomes,
	};
	struct buffers machine;

	memset(&machine, 0, sizeof(machine));
	for (u32 cell = 0; cell < SAMPLE_CELLS; cell++)
		machine.memory[cell] = sample->initial[cell];
	buffers_visit(&search, &machine);
	item_set_free(&search.seen);
}

#endif /* TESTS_UNIT_PROVE_BUFFERS_H */
