/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of readers: a line for each kind, which is defined in the file of its name; correct
 * ones first, then the mutants.
 */
#ifndef READERS_KINDS_H
#define READERS_KINDS_H

#include "readers/readers.h"

#define CLOCK_CHOICES \
	"realtime|monotonic|monotonic_raw|realtime_coarse|monotonic_coarse|boottime|tai"

/* clang-format off */
#if SIM_HAS_PVCLOCK
#define READER_KINDS_OF_PVCLOCK(row) row(mutant_pvclock_version_ignored)
#else
#define READER_KINDS_OF_PVCLOCK(row)
#endif

#define READER_KINDS(row)                                                                          \
	row(reader_hres)                                                                           \
	row(reader_raw)                                                                            \
	row(reader_coarse)                                                                         \
	row(reader_timens)                                                                         \
	row(reader_seqcount)                                                                       \
	row(reader_latch)                                                                          \
	row(reader_c11)                                                                            \
	row(reader_rcu)                                                                            \
	row(reader_rwlock)                                                                         \
	row(reader_mutex)                                                                          \
	row(reader_spinlock)                                                                       \
	row(reader_file)                                                                           \
	row(reader_image)                                                                          \
	row(mutant_no_retry)                                                                       \
	row(mutant_no_odd_check)                                                                   \
	row(mutant_sequence_once)                                                                  \
	row(mutant_half_outside)                                                                   \
	row(mutant_late_load)                                                          \
	row(mutant_no_begin_rmb)                                                       \
	row(mutant_no_end_rmb)                                                         \
	row(mutant_acquire_recheck)                                                    \
	row(mutant_acts_too_early)                                                     \
	row(mutant_latch_wrong_copy)                                                               \
	row(mutant_late_fence)                                                                     \
	row(mutant_sequence_halves)                                                                \
	row(mutant_counter_8_bit)                                                                  \
	row(mutant_stops_publishing)                                                               \
	row(mutant_every_other)                                                                    \
	row(mutant_keeps_snapshot)                                                                 \
	row(mutant_rcu_outside)                                                                    \
	row(mutant_rcu_early_free)                                                                 \
	READER_KINDS_OF_PVCLOCK(row)

#define DECLARE_KIND(kind) extern const struct reader_kind kind;
READER_KINDS(DECLARE_KIND)
/* clang-format on */

#endif /* READERS_KINDS_H */
