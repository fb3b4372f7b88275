/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The check by which everything that an untrusted file says of itself is held against its size.
 */
#ifndef SIM_BOUNDS_H
#define SIM_BOUNDS_H

#include "sim/types.h"

/* Whether `bytes` bytes from `offset` on end at `limit` or before, for any values of the three. */
static inline bool lies_within(u64 offset, u64 bytes, u64 limit)
{
	return offset <= limit && bytes <= limit - offset;
}

#endif /* SIM_BOUNDS_H */
