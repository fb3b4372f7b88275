/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All outcomes of a sample on a machine of messages and views: each cell has a history of messages;
 * each thread knows, of each cell, up to which message it has seen; a message carries what its
 * sender handed on. It is weak without seq_cst, which the sample may not have. Source: the view
 * machines of Kang, Hur, Lahav, Vafeiadis and Dreyer (2017), without promises. To be included
 * behind cmocka.h.
 */
#ifndef TESTS_UNIT_PROVE_VIEWS_H
#define TESTS_UNIT_PROVE_VIEWS_H

#include "tests/unit/item_set.h"
#include "tests/unit/prove_sample.h"

/* Of each cell a message, by the number of the step that sent it; 0: the initial one. */
struct view {
	u8 of[8];
};

struct views {
	struct sample_thread thread[SAMPLE_THREADS];
	u64 value[SAMPLE_EVENTS]; /* of each message; the initial ones are the sample's */
	struct view carried[SAMPLE_EVENTS];
	struct view seen[SAMPLE_THREADS];
	struct view acquired[SAMPLE_THREADS]; /* seen, once there is an acquire fence */
	struct view released[SAMPLE_THREADS]; /* seen at the last release fence */
	u8 at[8];			      /* each thread's next step */
	u8 count[8]; /* of each cell's messages, the initial one included */
	u8 history[SAMPLE_CELLS][16];
	u8 bound[16]; /* by message: nothing comes between it and the one before */
};

struct views_search {
	const struct sample *sample;
	struct item_set seen; /* machines */
	struct item_set *outcomes;
};

static inline u32 views_place(const struct views *machine, u32 cell, u8 message)
{
	u32 place = 0;

	while (machine->history[cell][place] != message)
		place++;
	return place;
}

static inline void views_join(const struct views *machine, struct view *view,
			      const struct view *other)
{
	for (u32 cell = 0; cell < SAMPLE_CELLS; cell++)
		if (views_place(machine, cell, other->of[cell]) >
		    views_place(machine, cell, view->of[cell]))
			view->of[cell] = other->of[cell];
}

static inline void views_visit(struct views_search *search, const struct views *machine);

/* Takes the message at `place`, and knows then what came with it. */
static inline u64 views_take(const struct views_search *search, struct views *machine, u32 i,
			     u32 cell, u32 place, u8 order)
{
	const u8 message = machine->history[cell][place];
	struct view told = machine->carried[message];

	told.of[cell] = message;
	machine->seen[i].of[cell] = message;
	views_join(machine, &machine->acquired[i], &told);
	if (is_acquire_order(order))
		views_join(machine, &machine->seen[i], &told);
	return message ? machine->value[message] : search->sample->initial[cell];
}

/* Sends a message that stands behind the one at `place`. */
static inline void views_send(struct views *machine, u32 i, u32 cell, u32 place, u64 value,
			      u8 order, const struct view *found)
{
	const u8 message = (u8)sample_event(i, machine->at[i]);
	u8 *history = machine->history[cell];

	memmove(&history[place + 2], &history[place + 1], machine->count[cell]++ - place - 1);
	history[place + 1] = message;
	machine->value[message] = value;
	machine->seen[i].of[cell] = message;
	views_join(machine, &machine->acquired[i], &machine->seen[i]);
	machine->carried[message] =
		is_release_order(order) ? machine->seen[i] : machine->released[i];
	machine->carried[message].of[cell] = message;
	machine->bound[message] = found != NULL;
	if (found)
		views_join(machine, &machine->carried[message], found);
}

static inline bool views_may_stand_behind(const struct views *machine, u32 cell, u32 place)
{
	return place + 1 == machine->count[cell] ||
	       !machine->bound[machine->history[cell][place + 1]];
}

/* The access of the cell by thread `i` that takes, or stands behind, the message at `place`. */
static inline void views_access(struct views_search *search, const struct views *machine, u32 i,
				u32 place)
{
	const struct sample *sample = search->sample;
	const u8 at = machine->at[i];
	const struct sample_step *step = &sample->step[i][at];
	struct views next = *machine;
	struct sample_thread *thread = &next.thread[i];
	const struct view found = machine->carried[machine->history[step->cell][place]];
	const u8 message = machine->history[step->cell][place];
	const u64 old = message ? machine->value[message] : sample->initial[step->cell];
	const bool stores = sample_may_store(step) && sample_takes_place(step, old);

	if (stores && !views_may_stand_behind(machine, step->cell, place))
		return;
	thread->done |= 1u << at;
	if (sample_loads(step))
		thread->reg[at] =
			views_take(search, &next, i, step->cell, place,
				   step->kind == SAMPLE_COMPARE && !stores ? step->failure_order
									   : step->order);
	if (stores)
		views_send(&next, i, step->cell, place, sample_stored(sample, step, thread, old),
			   step->order, sample_loads(step) ? &found : NULL);
	next.at[i]++;
	views_visit(search, &next);
}

static inline void views_fence(struct views *machine, u32 i, u8 order)
{
	if (is_acquire_order(order))
		machine->seen[i] = machine->acquired[i];
	if (is_release_order(order))
		machine->released[i] = machine->seen[i];
}

static inline void views_step(struct views_search *search, const struct views *machine, u32 i)
{
	const struct sample_step *step = &search->sample->step[i][machine->at[i]];
	struct views next = *machine;

	if (!sample_is_done(step, &machine->thread[i]) || step->kind == SAMPLE_FENCE) {
		if (sample_is_done(step, &machine->thread[i])) {
			views_fence(&next, i, step->order);
			next.thread[i].done |= 1u << machine->at[i];
		}
		next.at[i]++;
		views_visit(search, &next);
		return;
	}
	for (u32 place = views_place(machine, step->cell, machine->seen[i].of[step->cell]);
	     place < machine->count[step->cell]; place++)
		views_access(search, machine, i, place);
}

static inline void views_end(struct views_search *search, const struct views *machine)
{
	struct sample_outcome outcome = {.last = 0};
	u64 last[SAMPLE_CELLS];

	for (u32 i = 0; i < search->sample->threads; i++)
		outcome.told[i] = sample_told(&machine->thread[i]);
	for (u32 cell = 0; cell < SAMPLE_CELLS; cell++) {
		const u8 message = machine->history[cell][machine->count[cell] - 1];

		last[cell] = message ? machine->value[message] : search->sample->initial[cell];
	}
	outcome.last = sample_last(last);
	item_set_add(search->outcomes, &outcome);
}

static inline void views_visit(struct views_search *search, const struct views *machine)
{
	bool ended = true;

	if (!item_set_add(&search->seen, machine))
		return;
	for (u32 i = 0; i < search->sample->threads; i++)
		if (machine->at[i] < search->sample->steps[i]) {
			ended = false;
			views_step(search, machine, i);
		}
	if (ended)
		views_end(search, machine);
}

/* Adds them to *outcomes. */
static inline void views_outcomes(const struct sample *sample, struct item_set *outcomes)
{
	struct views_search search = {
		.sample = sample,
		.seen = item_set_of(sizeof(struct views)),
		.outcomes = outcomes,
	};
	struct views machine;

	memset(&machine, 0, sizeof(machine));
	memset(machine.count, 1, SAMPLE_CELLS);
	views_visit(&search, &machine);
	item_set_free(&search.seen);
}

#endif /* TESTS_UNIT_PROVE_VIEWS_H */
