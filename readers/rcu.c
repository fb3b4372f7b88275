// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/lock_source.h"

static const struct spec_key keys[] = {
	LOCK_CLOCK_KEY,
	{"flavour", "memb|qsbr|bp", "memb",
	 "of liburcu: membarrier; quiescent states, one a block of reads; bulletproof"},
	{.name = NULL},
};

#define NO_RETRIES "an RCU reader has no retries: what it has been led to does not change"

#define FLAVOUR(name)                                                                             \
	{                                                                                         \
		LOCK_PATHS(rcu_##name), .value = #name, .no_retries = NO_RETRIES, .operations = { \
			.publish = lock_rcu_##name##_publish,                                     \
			.enlist = rcu_##name##_enlist,                                            \
			.quiesce = rcu_##name##_quiesce,                                          \
			.leave = rcu_##name##_leave,                                              \
			.destroy = rcu_##name##_destroy,                                          \
		}                                                                                 \
	}
#define DECLARE_FLAVOUR(name)                                                                 \
	LOCK_DECLARE(rcu_##name)                                                              \
	void rcu_##name##_enlist(void), rcu_##name##_quiesce(void), rcu_##name##_leave(void); \
	void rcu_##name##_destroy(void *shared);

DECLARE_FLAVOUR(memb)
DECLARE_FLAVOUR(qsbr)
DECLARE_FLAVOUR(bp)

static const struct lock_source locks[] = {
	FLAVOUR(memb),
	FLAVOUR(qsbr),
	FLAVOUR(bp),
	{.bare = NULL},
};

const struct reader_kind reader_rcu = {
	.name = "rcu",
	.summary = "a lock: a pointer to a snapshot; old ones are freed after a grace period",
	.keys = keys,
	.locks = locks,
	.lock_key = "flavour",
};
