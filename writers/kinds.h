/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of writers: a line for each kind, which is defined in the file of its name; correct
 * ones first, then the mutants.
 */
#ifndef WRITERS_KINDS_H
#define WRITERS_KINDS_H

#include "writers/writer.h"

#define WRITER_MIN_HZ	   1
#define WRITER_MAX_HZ	   10000000
#define WRITER_MAX_HOLD_NS 1000000

/* clang-format off */
#define WRITER_KINDS(row)                                                                          \
	row(writer_tick)                                                                           \
	row(writer_irq)                                                                            \
	row(writer_ntp)                                                                            \
	row(writer_step)                                                                           \
	row(writer_leap)                                                                           \
	row(writer_suspend)                                                                        \
	row(writer_clocksource)                                                                    \
	row(writer_timens)                                                                         \
	row(writer_storm)                                                                          \
	row(writer_stall)                                                                          \
	row(writer_tz)                                                                             \
	row(mutant_never_odd)                                                                      \
	row(mutant_early_end)                                                                      \
	row(mutant_late_sequence)                                                                  \
	row(mutant_stops_odd)                                                          \
	row(mutant_store_early)                                                        \
	row(mutant_store_late)                                                         \
	row(mutant_raw_not_raised)                                                     \
	row(mutant_no_lock)                                                            \
	row(mutant_no_begin_wmb)                                                       \
	row(mutant_no_end_wmb)                                                         \
	row(mutant_release_late)                                                       \
	row(mutant_step_moves_monotonic)                                               \
	row(mutant_leap_moves_tai)                                                     \
	row(mutant_suspend_moves_monotonic)                                            \
	row(mutant_counter_loses_time)                                                 

#define DECLARE_KIND(kind) extern const struct writer_kind kind;
WRITER_KINDS(DECLARE_KIND)
/* clang-format on */

/* Keys that several kinds have. */
/* clang-format off */
#define WRITER_KEY_HZ {"hz", NULL, "1000", "updates per second, 1 to 10000000"}
#define WRITER_KEY_EVERY(every) {"every", NULL, every, "how often, 1us to 1h, as in 50ms"}
/* clang-format on */

#endif /* WRITERS_KINDS_H */
