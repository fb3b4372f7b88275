/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the run-time share. It is compiled on its own, without a sanitizer, and hidden
 * within each object: contend itself may have a sanitizer's functions of the same names.
 */
#ifndef PROVE_RUNTIME_RUNTIME_H
#define PROVE_RUNTIME_RUNTIME_H

#include "prove/calls.h"

#define EXPORTED __attribute__((visibility("default")))
/* The address behind the call, which says where in the source it stands. */
#define SITE __builtin_return_address(0)

extern EXPORTED struct prove_head prove_head;

static inline struct prove_host *host(void)
{
	return prove_head.host;
}

static inline struct prove_own *own(void)
{
	return &host()->own[host()->thread];
}

static inline bool is_shared(const void *address)
{
	return (uintptr_t)address - (uintptr_t)host()->shared < host()->shared_bytes;
}

static inline struct access atomic_access(void *address, u32 bytes, int order, const void *site)
{
	/* Nobody has ever made more of consume than of acquire. */
	const u8 known = (u8)(order == __ATOMIC_CONSUME ? __ATOMIC_ACQUIRE : order & 0xff);

	return (struct access){.address = address,
			       .bytes = bytes,
			       .order = known,
			       .how = ACCESS_ATOMIC,
			       .site = site};
}

/* Tells what a store that was announced has stored. Before every other call of the host's. */
void settle(void);

/* A plain access of up to 8 bytes, wherever it is. */
u64 plain_load(const void *address, u32 bytes, const void *site);
void plain_store(void *address, u32 bytes, u64 value, const void *site);

/* The most bytes, 1, 2, 4 or 8, that lie there aligned. */
static inline u32 piece_of(uintptr_t address, size_t bytes)
{
	u32 piece = 8;

	while (piece > bytes || address % piece)
		piece /= 2;
	return piece;
}

#endif /* PROVE_RUNTIME_RUNTIME_H */
