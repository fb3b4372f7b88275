/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stamp payload: a timekeeper whose every field follows from the number of the update, so
 * that one field of another update shows in what a reader returns.
 */
#ifndef SIM_STAMP_H
#define SIM_STAMP_H

#include "sim/timekeeper.h"

/*
 * A stamp made for a counter value that lies this far ahead stands still: until then, months from
 * now, a reader finds that no time has passed, whatever its counter says.
 */
#define STAMP_AHEAD (1ull << 55)

/*
 * Fills *tk for update `number` at counter value `cycles`. Two successive numbers share no
 * second, nanosecond, mult or shift, in any clock. cycle_last lies before `cycles`, or at it, by an
 * amount that follows from the number. The clock mode is left as it is. The timekeeper must not be
 * advanced afterwards.
 *
 * Whatever the number is, REALTIME and TAI lie before July 2017, and clocks that count from a start
 * have counted for 15 years: no host's clock is near, so that its time in a stamp's place shows.
 */
void timekeeper_stamp(struct timekeeper *tk, u64 number, u64 cycles);

#endif /* SIM_STAMP_H */
