/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An oracle of MONOTONIC that was told of stamps, more than it remembers.
 */
#ifndef TESTS_UNIT_TOLD_ORACLE_H
#define TESTS_UNIT_TOLD_ORACLE_H

#include "sim/oracle.h"
#include "tests/unit/updates.h"

#define UPDATES 200
/* What the shortest memory holds. */
#define CAPACITY 64

static struct timekeeper told[UPDATES + 1];
static struct oracle *oracle;

static inline void begin_oracle(void)
{
	struct errmsg err;

	make_stamps(told, UPDATES, VDSO_CLOCKMODE_TSC);
	oracle = oracle_create(CLOCK_MONOTONIC, CAPACITY, false, &err);
	assert_non_null(oracle);
}

static inline int end_oracle(void **state)
{
	(void)state;
	oracle_destroy(oracle);
	return 0;
}

/* What a read of update `number` returns at a counter value. */
static inline u64 value_of(u64 number, u64 cycles)
{
	const struct oracle_update update = oracle_describe(CLOCK_MONOTONIC, number, &told[number]);

	return oracle_nanoseconds(&update, cycles);
}

#endif /* TESTS_UNIT_TOLD_ORACLE_H */
