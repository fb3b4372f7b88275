// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/lock_source.h"

static const struct spec_key keys[] = {
	LOCK_CLOCK_KEY,
	{"flavour", "memb|qsbr|bp", "memb",
	 "of liburcu: membarrier; quiescent states, one a block of reads; bulletproof"},
	{.name = NULL},
};

#define FLAVOUR(name)                                             \
	{                                                         \
		RCU_PATHS(rcu_##name, rcu_##name), .value = #name \
	}

RCU_DECLARE(rcu_memb, rcu_memb)
RCU_DECLARE(rcu_qsbr, rcu_qsbr)
RCU_DECLARE(rcu_bp, rcu_bp)

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
