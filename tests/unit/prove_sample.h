/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small programs made by chance, and what comes of one. To be included behind cmocka.h.
 */
#ifndef TESTS_UNIT_PROVE_SAMPLE_H
#define TESTS_UNIT_PROVE_SAMPLE_H

#include <inttypes.h>
#include <stdio.h>

#include "prove/access.h"
#include "prove/graph.h"
#include "sim/random.h"

#define SAMPLE_THREADS 3
#define SAMPLE_STEPS   4
#define SAMPLE_CELLS   3
/* Numbers of steps: 0 is for the initial values. */
#define SAMPLE_EVENTS (1 + SAMPLE_THREADS * SAMPLE_STEPS)

enum sample_kind {
	SAMPLE_LOAD,
	SAMPLE_STORE,
	SAMPLE_MODIFY,
	SAMPLE_COMPARE,
	SAMPLE_FENCE,
};

/* One step of a thread; what it loads goes to the register of its own number. */
struct sample_step {
	u8 kind;
	u8 cell;
	u8 order;
	u8 failure_order;
	u8 how; /* enum access_how; if not atomic, the access is announced, and done by the code */
	u8 operation; /* enum access_operation */
	u8 value;     /* stored, desired, or the operand */
	u8 expected;
	u8 uses; /* a register, plus 1, that is added to the value; 0: none */
	u8 asks; /* a register, plus 1: the step is done only if that is `wants`; 0: always */
	u8 wants;
};

struct sample {
	u32 threads;
	u32 bytes; /* of a cell */
	u32 steps[SAMPLE_THREADS];
	u8 initial[SAMPLE_CELLS];
	struct sample_step step[SAMPLE_THREADS][SAMPLE_STEPS];
};

/* The registers of a thread, and a bit for each step that was done. */
struct sample_thread {
	u64 reg[SAMPLE_STEPS];
	u64 done;
};

/* What came of it: what each thread tells, and the last values, low bits of each. */
struct sample_outcome {
	u64 told[SAMPLE_THREADS];
	u64 last;
};

static inline u32 sample_event(u32 thread, u32 step)
{
	return 1 + thread * SAMPLE_STEPS + step;
}

static inline bool sample_loads(const struct sample_step *step)
{
	return step->kind != SAMPLE_STORE && step->kind != SAMPLE_FENCE;
}

static inline bool sample_may_store(const struct sample_step *step)
{
	return step->kind != SAMPLE_LOAD && step->kind != SAMPLE_FENCE;
}

static inline u64 sample_mask(const struct sample *sample)
{
	return UINT64_MAX >> (64 - 8 * sample->bytes);
}

static inline bool sample_is_done(const struct sample_step *step,
				  const struct sample_thread *thread)
{
	return !step->asks || thread->reg[step->asks - 1] == step->wants;
}

static inline u64 sample_value(const struct sample *sample, const struct sample_step *step,
			       const struct sample_thread *thread)
{
	return (step->value + (step->uses ? thread->reg[step->uses - 1] : 0)) & sample_mask(sample);
}

/* What the cell holds after a step that may store; `old` is what it held. */
static inline u64 sample_stored(const struct sample *sample, const struct sample_step *step,
				const struct sample_thread *thread, u64 old)
{
	const u64 value = sample_value(sample, step, thread);
	u64 stored = value;

	if (step->kind == SAMPLE_MODIFY) {
		switch ((enum access_operation)step->operation) {
		case ACCESS_EXCHANGE:
			break;
		case ACCESS_ADD:
			stored = old + value;
			break;
		case ACCESS_SUB:
			stored = old - value;
			break;
		case ACCESS_AND:
			stored = old & value;
			break;
		case ACCESS_OR:
			stored = old | value;
			break;
		case ACCESS_XOR:
			stored = old ^ value;
			break;
		case ACCESS_NAND:
			stored = ~(old & value);
			break;
		}
	}
	return stored & sample_mask(sample);
}

/* Whether a step that may store does, of what it found. */
static inline bool sample_takes_place(const struct sample_step *step, u64 old)
{
	return step->kind != SAMPLE_COMPARE || old == step->expected;
}

static inline u64 sample_told(const struct sample_thread *thread)
{
	u64 told = thread->done << 48;

	for (u32 i = 0; i < SAMPLE_STEPS; i++)
		told |= (thread->reg[i] & 0xfff) << 12 * i;
	return told;
}

static inline u64 sample_last(const u64 value[SAMPLE_CELLS])
{
	u64 last = 0;

	for (u32 i = 0; i < SAMPLE_CELLS; i++)
		last |= (value[i] & 0xffff) << 16 * i;
	return last;
}

static inline bool is_acquire_order(u8 order)
{
	return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}

static inline bool is_release_order(u8 order)
{
	return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* ---- making one ---- */

#define ONE_OF(random, ...)                                     \
	({                                                      \
		static const u8 these[] = {__VA_ARGS__};        \
		these[random_below(random, ARRAY_SIZE(these))]; \
	})

static inline u8 sample_order(u64 *random, enum sample_kind kind)
{
	switch (kind) {
	case SAMPLE_LOAD:
		return ONE_OF(random, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE,
			      __ATOMIC_ACQUIRE, __ATOMIC_CONSUME, __ATOMIC_SEQ_CST,
			      __ATOMIC_SEQ_CST);
	case SAMPLE_STORE:
		return ONE_OF(random, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __ATOMIC_RELEASE,
			      __ATOMIC_RELEASE, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	case SAMPLE_FENCE:
		return ONE_OF(random, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL,
			      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	default:
		return ONE_OF(random, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE,
			      __ATOMIC_RELEASE, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST);
	}
}

static inline void make_step(u64 *random, struct sample_step *step, u32 number, u32 cells)
{
	*step = (struct sample_step){
		.kind = ONE_OF(random, SAMPLE_LOAD, SAMPLE_LOAD, SAMPLE_LOAD, SAMPLE_LOAD,
			       SAMPLE_STORE, SAMPLE_STORE, SAMPLE_STORE, SAMPLE_STORE,
			       SAMPLE_MODIFY, SAMPLE_COMPARE, SAMPLE_FENCE, SAMPLE_FENCE),
		.cell = (u8)random_below(random, cells),
		.value = (u8)(1 + random_below(random, 3)),
		.expected = (u8)random_below(random, 3),
		.operation = (u8)random_below(random, ACCESS_NAND + 1),
	};
	step->order = sample_order(random, step->kind);
	step->failure_order = ONE_OF(random, __ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_SEQ_CST);
	if ((step->kind == SAMPLE_LOAD || step->kind == SAMPLE_STORE) &&
	    step->order == __ATOMIC_RELAXED)
		step->how = ONE_OF(random, ACCESS_ATOMIC, ACCESS_VOLATILE, ACCESS_PLAIN);
	if (number && random_below(random, 4) == 0)
		step->uses = (u8)(1 + random_below(random, number));
	if (number && random_below(random, 5) == 0) {
		step->asks = (u8)(1 + random_below(random, number));
		step->wants = (u8)random_below(random, 3);
	}
}

/* One like all others of the sample: `order` for both kinds of access, if it is not acq_rel. */
static inline struct sample_step make_like(u64 *random, u8 order, u8 cell, u8 value)
{
	struct sample_step step = {
		.kind = ONE_OF(random, SAMPLE_LOAD, SAMPLE_STORE),
		.cell = cell,
		.order = order,
		.value = value,
	};

	if (order == __ATOMIC_ACQ_REL)
		step.order = step.kind == SAMPLE_LOAD ? __ATOMIC_ACQUIRE : __ATOMIC_RELEASE;
	return step;
}

/*
 * Threads as in litmus shapes: loads and stores alike, each of another cell than the one before,
 * with fences between or without. Much of what seq_cst forbids shows in such alone. A step that is
 * not like the others is left in now and then.
 */
static inline void make_alike(u64 *random, struct sample *sample, u32 cells)
{
	const u8 order = ONE_OF(random, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __ATOMIC_ACQ_REL,
				__ATOMIC_SEQ_CST);
	const u8 fence = ONE_OF(random, __ATOMIC_ACQ_REL, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);

	for (u32 i = 0; i < sample->threads; i++) {
		u8 cell = (u8)random_below(random, cells);

		for (u32 n = 0; n < sample->steps[i]; n++) {
			struct sample_step *step = &sample->step[i][n];

			if (random_below(random, 16) == 0)
				continue;
			if (n % 2 && order != __ATOMIC_SEQ_CST) {
				*step = (struct sample_step){.kind = SAMPLE_FENCE, .order = fence};
				continue;
			}
			cell = (u8)((cell + 1 + random_below(random, cells - 1)) % cells);
			*step = make_like(random, order, cell, step->value);
		}
	}
}

/* How many ways there are, at most, to say what each load takes and how the stores stand. */
static inline double sample_candidates(const struct sample *sample)
{
	u32 loads[SAMPLE_CELLS] = {0}, stores[SAMPLE_CELLS] = {0};
	double count = 1;

	for (u32 i = 0; i < sample->threads; i++)
		for (u32 n = 0; n < sample->steps[i]; n++) {
			loads[sample->step[i][n].cell] += sample_loads(&sample->step[i][n]);
			stores[sample->step[i][n].cell] += sample_may_store(&sample->step[i][n]);
		}
	for (u32 cell = 0; cell < SAMPLE_CELLS; cell++) {
		for (u32 i = 0; i < loads[cell]; i++)
			count *= 1 + stores[cell];
		for (u32 i = 2; i <= stores[cell]; i++)
			count *= i;
	}
	return count;
}

/* No seq_cst in it: a view machine knows no order of all such. */
static inline void weaken_sample(struct sample *sample)
{
	for (u32 i = 0; i < sample->threads; i++)
		for (u32 n = 0; n < sample->steps[i]; n++) {
			struct sample_step *step = &sample->step[i][n];
			const u8 order = step->kind == SAMPLE_LOAD    ? __ATOMIC_ACQUIRE
					 : step->kind == SAMPLE_STORE ? __ATOMIC_RELEASE
								      : __ATOMIC_ACQ_REL;

			if (step->order == __ATOMIC_SEQ_CST)
				step->order = order;
			if (step->failure_order == __ATOMIC_SEQ_CST)
				step->failure_order = __ATOMIC_ACQUIRE;
		}
}

static inline void make_sample(u64 *random, struct sample *sample, bool seq_cst, double limit)
{
	do {
		const u32 cells = 2 + (random_below(random, 3) == 0);

		*sample = (struct sample){
			.threads = 2 + (u32)random_below(random, 2),
			.bytes = ONE_OF(random, 1, 2, 4, 8),
		};
		for (u32 cell = 0; cell < SAMPLE_CELLS; cell++)
			sample->initial[cell] = random_below(random, 4) == 0;
		for (u32 i = 0; i < sample->threads; i++) {
			/* Not often a single one: little comes of that. */
			sample->steps[i] = 1 + (u32)random_below(random, SAMPLE_STEPS);
			if (sample->steps[i] == 1)
				sample->steps[i] = 1 + (u32)random_below(random, SAMPLE_STEPS);
			for (u32 n = 0; n < sample->steps[i]; n++)
				make_step(random, &sample->step[i][n], n, cells);
		}
		if (random_below(random, 3) == 0)
			make_alike(random, sample, cells);
	} while (sample_candidates(sample) > limit);
	if (!seq_cst)
		weaken_sample(sample);
}

/* Without one of its steps; what later ones did with its register they do no more. */
static inline struct sample sample_without(const struct sample *sample, u32 thread, u32 number)
{
	struct sample less = *sample;

	less.steps[thread]--;
	for (u32 n = number; n < less.steps[thread]; n++) {
		struct sample_step *step = &less.step[thread][n];

		*step = sample->step[thread][n + 1];
		step->uses =
			(u8)(step->uses == number + 1 ? 0 : step->uses - (step->uses > number));
		step->asks =
			(u8)(step->asks == number + 1 ? 0 : step->asks - (step->asks > number));
	}
	return less;
}

/* ---- telling it ---- */

static inline void print_step(const struct sample_step *step, u32 number)
{
	static const char *const order[] = {
		[__ATOMIC_RELAXED] = "relaxed", [__ATOMIC_CONSUME] = "consume",
		[__ATOMIC_ACQUIRE] = "acquire", [__ATOMIC_RELEASE] = "release",
		[__ATOMIC_ACQ_REL] = "acq_rel", [__ATOMIC_SEQ_CST] = "seq_cst"};
	static const char *const how[] = {"", "volatile ", "plain "};
	static const char *const operation[] = {"exchange", "add", "sub", "and",
						"or",	    "xor", "nand"};
	const char cell = (char)('x' + step->cell);
	char value[32];

	fprintf(stderr, "    ");
	if (step->asks)
		fprintf(stderr, "if (r%d == %d) ", step->asks - 1, step->wants);
	if (step->uses)
		snprintf(value, sizeof(value), "%d + r%d", step->value, step->uses - 1);
	else
		snprintf(value, sizeof(value), "%d", step->value);
	switch ((enum sample_kind)step->kind) {
	case SAMPLE_LOAD:
		fprintf(stderr, "r%u = %sload(%c, %s)\n", number, how[step->how], cell,
			order[step->order]);
		break;
	case SAMPLE_STORE:
		fprintf(stderr, "%sstore(%c, %s, %s)\n", how[step->how], cell, value,
			order[step->order]);
		break;
	case SAMPLE_MODIFY:
		fprintf(stderr, "r%u = %s(%c, %s, %s)\n", number, operation[step->operation], cell,
			value, order[step->order]);
		break;
	case SAMPLE_COMPARE:
		fprintf(stderr, "r%u = compare(%c, %d, %s, %s, %s)\n", number, cell, step->expected,
			value, order[step->order], order[step->failure_order]);
		break;
	case SAMPLE_FENCE:
		fprintf(stderr, "fence(%s)\n", order[step->order]);
		break;
	}
}

static inline void print_sample(const struct sample *sample)
{
	fprintf(stderr, "  cells of %u bytes, at first x=%d y=%d z=%d\n", sample->bytes,
		sample->initial[0], sample->initial[1], sample->initial[2]);
	for (u32 i = 0; i < sample->threads; i++) {
		fprintf(stderr, "  thread %u\n", i);
		for (u32 n = 0; n < sample->steps[i]; n++)
			print_step(&sample->step[i][n], n);
	}
}

static inline void print_outcome(const struct sample *sample, const struct sample_outcome *outcome)
{
	for (u32 i = 0; i < sample->threads; i++) {
		fprintf(stderr, " thread %u:", i);
		for (u32 n = 0; n < sample->steps[i]; n++)
			if (outcome->told[i] >> 48 >> n & 1 && sample_loads(&sample->step[i][n]))
				fprintf(stderr, " r%u=%" PRIu64, n,
					(u64)(outcome->told[i] >> 12 * n & 0xfff));
	}
	fprintf(stderr, "; last");
	for (u32 cell = 0; cell < SAMPLE_CELLS; cell++)
		fprintf(stderr, " %c=%" PRIu64, (char)('x' + cell),
			(u64)(outcome->last >> 16 * cell & 0xffff));
	fprintf(stderr, "\n");
}

#endif /* TESTS_UNIT_PROVE_SAMPLE_H */
