// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Locks broken on purpose.
 */
#include "readers/lock_source.h"

static const struct spec_key keys[] = {LOCK_CLOCK_KEY, {.name = NULL}};

#define MUTANT(symbol, name_, summary_, fault_, ...)                                        \
	static const struct lock_source symbol##_locks[] = {{__VA_ARGS__}, {.bare = NULL}}; \
	const struct reader_kind symbol = {                                                 \
		.name = name_,                                                              \
		.summary = summary_,                                                        \
		.keys = keys,                                                               \
		.fault = fault_,                                                            \
		.locks = symbol##_locks,                                                    \
	}

LOCK_DECLARE_ALONE(mutant_latch_wrong_copy)
LOCK_DECLARE_ALONE(mutant_late_fence)
LOCK_DECLARE_ALONE(mutant_sequence_halves)
LOCK_DECLARE_ALONE(mutant_counter_8_bit)
LOCK_DECLARE_ALONE(mutant_stops_publishing)
LOCK_DECLARE_ALONE(mutant_every_other)
LOCK_DECLARE_ALONE(mutant_keeps_snapshot)
RCU_DECLARE(mutant_rcu_outside, rcu_memb)
RCU_DECLARE(mutant_rcu_early_free, rcu_memb)

MUTANT(mutant_latch_wrong_copy, "latch-wrong-copy",
       "a latch whose readers take the copy that is being written", "the wrong copy is read",
       LOCK_ALONE(mutant_latch_wrong_copy));
MUTANT(mutant_late_fence, "late-fence",
       "a sequence counter whose writer has its fence after the store that publishes; a strongly "
       "ordered machine does not show it",
       "release fence after the publishing store", LOCK_ALONE(mutant_late_fence));
MUTANT(mutant_sequence_halves, "sequence-halves",
       "a sequence counter that is stored and loaded in two halves", "the sequence is torn in two",
       LOCK_ALONE(mutant_sequence_halves));
MUTANT(mutant_counter_8_bit, "counter-8-bit",
       "a sequence counter of 8 bits, with readers that are held until it has wrapped",
       "the counter wraps while a reader is held", LOCK_ALONE(mutant_counter_8_bit));
MUTANT(mutant_stops_publishing, "stops-publishing",
       "a sequence counter that publishes a hundred updates, and then no more",
       "updates are never published", LOCK_ALONE(mutant_stops_publishing));
MUTANT(mutant_every_other, "every-other", "a sequence counter that leaves out every other update",
       "updates are never published", LOCK_ALONE(mutant_every_other));
MUTANT(mutant_keeps_snapshot, "keeps-snapshot",
       "a sequence counter whose readers keep what they have fetched once",
       "readers return the same old update for ever", LOCK_ALONE(mutant_keeps_snapshot));
MUTANT(mutant_rcu_outside, "rcu-outside", "an RCU reader that copies after its read section",
       "the snapshot is read outside the section", RCU_PATHS(mutant_rcu_outside, rcu_memb));
MUTANT(mutant_rcu_early_free, "rcu-early-free", "RCU whose writer waits for no grace period",
       "a snapshot is freed while readers have it", RCU_PATHS(mutant_rcu_early_free, rcu_memb));
