// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader follows the pointer outside of its section, and old snapshots outlive no grace period.
 * So that both come together, the reader is held once in a while, as if it were preempted.
 */
#include "readers/library/flavour.h"
#include <urcu/urcu-memb.h>

#include "readers/library/poison.h"

#define RCU_IS_QSBR 0
#define RCU_RETIRE(old)              \
	do {                         \
		synchronize_rcu();   \
		FREE_TOO_EARLY(old); \
	} while (0)
#define RCU_SECTION_ENDS(lock, snapshot)                           \
	do {                                                       \
		const bool held = is_time_to_hold(lock, snapshot); \
                                                                   \
		rcu_read_unlock();                                 \
		if (held)                                          \
			be_held(lock, snapshot);                   \
		rcu_read_lock();                                   \
	} while (0)

struct rcu;
struct snapshot;

static bool is_time_to_hold(struct rcu *lock, const struct snapshot *snapshot);
static void be_held(const struct rcu *lock, const struct snapshot *snapshot);

#include "readers/library/rcu.h"

#define HELD_EVERY 64
/* Some milliseconds at most to see the next publication, and then some grace periods. */
#define MOST_SPINS (1u << 16)
#define MORE_SPINS (1u << 11)

/* Once with a snapshot: there may be no next publication, and every read would await it. */
static inline bool is_time_to_hold(struct rcu *lock, const struct snapshot *snapshot)
{
	const u64 number = snapshot->word[LOCK_WORD_NUMBER];

	if (likely(number % HELD_EVERY != HELD_EVERY / 2) || READ_ONCE(lock->held) == number)
		return false;
	WRITE_ONCE(lock->held, number);
	return true;
}

static inline void be_held(const struct rcu *lock, const struct snapshot *snapshot)
{
	for (u32 i = 0; i < MOST_SPINS && READ_ONCE(lock->now) == snapshot; i++)
		cpu_relax();
	for (u32 i = 0; i < MORE_SPINS; i++)
		cpu_relax();
}
