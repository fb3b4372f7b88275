// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/turns.h"
#include "sim/random.h"

/*
 * Long against a reading of the counter, short against a time slice and what else disturbs. Longer
 * only where there would be too many rounds to keep.
 */
#define BLOCK_NS   23000 /* and up to an eighth more */
#define MAX_ROUNDS (1u << 18)

#define MIN_READS 16u
#define MAX_READS (1u << 24)
/* Blocks that tell how long a read takes; a quarter as long as those that count. */
#define TRIALS 9
/* Rounds that a ratio is told from while others are still to come. */
#define RECENT 101

static size_t cells(const struct turns *turns)
{
	return turns->config->clocks * turns->result->contestants;
}

static float *cycles_of(const struct turns *turns, size_t round, size_t clock, size_t contestant)
{
	return turns->cycles + round * cells(turns) + clock * turns->result->contestants +
	       contestant;
}

static bool takes_part(const struct turns *turns, size_t clock, size_t contestant)
{
	return !turns->result->cell[clock][contestant].unavailable.text[0];
}

static size_t cells_taking_part(const struct turns *turns)
{
	size_t count = 0;

	for (size_t clock = 0; clock < turns->config->clocks; clock++)
		for (size_t i = 0; i < turns->result->contestants; i++)
			count += takes_part(turns, clock, i);
	return count;
}

static double time_block(const struct turns *turns, size_t clock, size_t contestant, u32 reads)
{
	return contestant_time(&turns->field->contestant[contestant], turns->config->clock[clock],
			       reads, turns->clock_mode);
}

/* As many reads as take a quarter of a block, so that a counter of large steps sees them. */
static u32 find_trial_reads(const struct turns *turns, size_t clock, size_t contestant,
			    double block)
{
	u32 reads = MIN_READS;

	while (reads < MAX_READS / 8 &&
	       time_block(turns, clock, contestant, reads) * reads < block / 4)
		reads *= 2;
	return reads;
}

/* The least of some trials is the one that nothing disturbed. */
static u32 find_reads(const struct turns *turns, size_t clock, size_t contestant, double block_ns)
{
	const double block = block_ns * (double)turns->result->counter_hz / NSEC_PER_SEC;
	const u32 trial_reads = find_trial_reads(turns, clock, contestant, block);
	double least = time_block(turns, clock, contestant, trial_reads);
	double reads;

	for (int i = 1; i < TRIALS; i++) {
		double cycles = time_block(turns, clock, contestant, trial_reads);

		least = cycles < least ? cycles : least;
	}
	reads = least > 0 ? block / least : trial_reads;
	if (reads < MIN_READS)
		return MIN_READS;
	return reads > MAX_READS ? MAX_READS : (u32)reads;
}

int turns_prepare(struct turns *turns, struct errmsg *err)
{
	const double duration_ns = (double)turns->config->duration_ns;
	const double blocks = (double)cells_taking_part(turns);
	double block_ns = BLOCK_NS;
	void *memory;

	if (blocks == 0)
		return errmsg_set(err, "there is nobody whose reads could be timed");
	/* A quarter more than there should be, as blocks may come out shorter. */
	turns->max_rounds = (size_t)(duration_ns / (BLOCK_NS * blocks) * 1.25) + 1;
	if (turns->max_rounds > MAX_ROUNDS) {
		turns->max_rounds = MAX_ROUNDS;
		block_ns = duration_ns / blocks / MAX_ROUNDS * 1.25;
	}
	memory = mmap(NULL, turns->max_rounds * cells(turns) * sizeof(*turns->cycles),
		      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED)
		return errmsg_set(err, "no memory for %zu rounds: %s", turns->max_rounds,
				  strerror(errno));
	turns->cycles = memory;
	for (size_t clock = 0; clock < turns->config->clocks; clock++)
		for (size_t i = 0; i < turns->result->contestants; i++)
			if (takes_part(turns, clock, i))
				turns->reads[clock][i] = find_reads(turns, clock, i, block_ns);
	return 0;
}

void turns_release(struct turns *turns)
{
	munmap(turns->cycles, turns->max_rounds * cells(turns) * sizeof(*turns->cycles));
}

static size_t draw_order(struct turns *turns, size_t clock, size_t order[FIELD_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < turns->result->contestants; i++) {
		size_t at;

		if (!takes_part(turns, clock, i))
			continue;
		at = (size_t)random_below(&turns->random, ++count);
		order[count - 1] = order[at];
		order[at] = i;
	}
	return count;
}

/*
 * A counter may move in steps of many cycles, so that blocks of one length would nearly all measure
 * the same, and a median could only be that. Of blocks of many lengths it is as fine as theirs.
 */
static u32 draw_reads(struct turns *turns, size_t clock, size_t contestant)
{
	const u32 reads = turns->reads[clock][contestant];

	return reads + (u32)random_below(&turns->random, reads / 8 + 1);
}

static void compare_value(struct turns *turns, size_t clock, size_t contestant)
{
	struct calibrate_cell *cell = &turns->result->cell[clock][contestant];
	const struct contestant *contestants = turns->field->contestant;
	struct agreement_values values;

	switch (agreement_try(&turns->field->mirror, &contestants[FIELD_HOST],
			      &contestants[contestant], turns->config->clock[clock], &values)) {
	case AGREEMENT_NO:
		cell->example = values;
		cell->disagreements++;
		__attribute__((fallthrough));
	case AGREEMENT_YES:
		cell->tries++;
		break;
	case AGREEMENT_VOID:
		cell->tries_void++;
		break;
	case AGREEMENT_NONE:
		cell->tries_untold++;
		break;
	}
}

static void compare_values(struct turns *turns, size_t clock)
{
	struct errmsg err;

	if (turns->result->no_values.text[0])
		return;
	for (size_t i = 0; i < turns->result->contestants; i++) {
		if (turns->result->cell[clock][i].no_values.text[0])
			continue;
		/* What could not be copied shows as void. */
		mirror_refresh(&turns->field->mirror, &err);
		compare_value(turns, clock, i);
	}
}

static void take_turn(struct turns *turns, size_t clock)
{
	size_t order[FIELD_MAX];
	size_t count = draw_order(turns, clock, order);
	struct errmsg err;

	/* A copy that is a little old takes as long to read as a new one. */
	if (turns->field->has_mirror)
		mirror_refresh(&turns->field->mirror, &err);
	for (size_t i = 0; i < count; i++)
		*cycles_of(turns, turns->result->rounds, clock, order[i]) = (float)time_block(
			turns, clock, order[i], draw_reads(turns, clock, order[i]));
	compare_values(turns, clock);
}

void turns_take(struct turns *turns)
{
	for (size_t clock = 0; clock < turns->config->clocks; clock++)
		take_turn(turns, clock);
	turns->result->rounds++;
}

static int by_size(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

double turns_recent_ratio(const struct turns *turns, size_t clock, size_t contestant,
			  size_t against)
{
	const size_t rounds = turns->result->rounds;
	const size_t count = rounds < RECENT ? rounds : RECENT;
	double ratios[RECENT];

	if (!count || !takes_part(turns, clock, contestant) || !takes_part(turns, clock, against))
		return NAN;
	for (size_t i = 0; i < count; i++)
		ratios[i] = (double)*cycles_of(turns, rounds - 1 - i, clock, contestant) /
			    (double)*cycles_of(turns, rounds - 1 - i, clock, against);
	qsort(ratios, count, sizeof(*ratios), by_size);
	return ratios[count / 2];
}

void turns_collect(const struct turns *turns, size_t clock, size_t contestant, double *cycles)
{
	for (size_t i = 0; i < turns->result->rounds; i++)
		cycles[i] = *cycles_of(turns, i, clock, contestant);
}

void turns_collect_ratios(const struct turns *turns, size_t clock, size_t contestant,
			  size_t against, double *ratios)
{
	for (size_t i = 0; i < turns->result->rounds; i++)
		ratios[i] = (double)*cycles_of(turns, i, clock, contestant) /
			    (double)*cycles_of(turns, i, clock, against);
}
