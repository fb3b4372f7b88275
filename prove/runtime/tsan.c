// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions that compilers call of their thread sanitizer, as gcc 12 and clang 14 to 16 do.
 *
 * A plain or volatile load is announced, and done by the code when the call is back. A store is
 * announced as well, but of a structure that is copied gcc announces the store before the load: so
 * it is told when it has been done, with the next call that is told.
 */
#include "prove/runtime/runtime.h"

#define WHERE_THERE_IS_ONE __attribute__((weak, visibility("hidden")))

void reader(void);
WHERE_THERE_IS_ONE void lock_enlist(void);
WHERE_THERE_IS_ONE void lock_quiesce(void);
WHERE_THERE_IS_ONE void lock_leave(void);

struct prove_head prove_head = {
	.entry = (void *)reader,
	.settle = settle,
	.enlist = lock_enlist,
	.quiesce = lock_quiesce,
	.leave = lock_leave,
};

static u64 peek(const volatile void *address, u32 bytes)
{
	switch (bytes) {
	case 1:
		return *(const volatile u8 *)address;
	case 2:
		return *(const volatile u16 *)address;
	case 4:
		return *(const volatile u32 *)address;
	default:
		return *(const volatile u64 *)address;
	}
}

static void poke(volatile void *address, u32 bytes, u64 value)
{
	switch (bytes) {
	case 1:
		*(volatile u8 *)address = (u8)value;
		break;
	case 2:
		*(volatile u16 *)address = (u16)value;
		break;
	case 4:
		*(volatile u32 *)address = (u32)value;
		break;
	default:
		*(volatile u64 *)address = value;
	}
}

void settle(void)
{
	const struct prove_pending pending = own()->pending;

	own()->pending.bytes = 0;
	for (size_t done = 0; done < pending.bytes;) {
		u8 *at = pending.address + done;
		const struct access access = {
			.address = at,
			.bytes = piece_of((uintptr_t)at, pending.bytes - done),
			.order = __ATOMIC_RELAXED,
			.how = pending.how,
			.site = pending.site,
		};

		done += access.bytes;
		host()->calls->store(&access, peek(at, access.bytes));
	}
}

/* What is neither shared nor the thread's own, is nobody's that is explored. */
static void look_where_stored(const void *address, const void *site)
{
	const u8 *at = address, *frame = __builtin_frame_address(0);
	const bool shared = (size_t)(at - host()->shared) < host()->stored_bytes;
	const bool given = (size_t)(at - host()->given) < host()->given_bytes;

	if (host()->stray && !shared && !given && !(at > frame && at < host()->stack))
		host()->stray(host(), site);
}

u64 plain_load(const void *address, u32 bytes, const void *site)
{
	const struct access access = {
		.address = (void *)(uintptr_t)address,
		.bytes = bytes,
		.order = __ATOMIC_RELAXED,
		.how = ACCESS_PLAIN,
		.site = site,
	};

	return is_shared(address) ? host()->calls->load(&access) : peek(address, bytes);
}

void plain_store(void *address, u32 bytes, u64 value, const void *site)
{
	const struct access access = {
		.address = address,
		.bytes = bytes,
		.order = __ATOMIC_RELAXED,
		.how = ACCESS_PLAIN,
		.site = site,
	};

	look_where_stored(address, site);
	if (is_shared(address))
		host()->calls->store(&access, value);
	else
		poke(address, bytes, value);
}

/*
 * Of a structure that is to be stored its place is filled with these, by which it is seen that that
 * has not been done yet. Only of those which gcc stores whole: of a bit field it keeps the rest.
 */
#define NOT_YET	    0xa5
#define LEAST_WHOLE 8

static bool is_not_yet(const struct prove_pending *pending)
{
	if (pending->bytes < LEAST_WHOLE)
		return false;
	for (size_t i = 0; i < pending->bytes; i++)
		if (peek(pending->address + i, 1) != NOT_YET)
			return false;
	return true;
}

static void announce_load(const void *address, size_t bytes, u8 how, const void *site)
{
	if (!is_shared(address))
		return;
	/* The other half of a copy, whose store is still to come. */
	if (own()->pending.bytes != bytes || !is_not_yet(&own()->pending))
		settle();
	for (size_t done = 0; done < bytes;) {
		u8 *at = (u8 *)(uintptr_t)address + done;
		const struct access access = {
			.address = at,
			.bytes = piece_of((uintptr_t)at, bytes - done),
			.order = __ATOMIC_RELAXED,
			.how = how,
			.site = site,
		};

		done += access.bytes;
		host()->calls->before_load(&access);
	}
}

static void announce_store(void *address, size_t bytes, u8 how, bool whole, const void *site)
{
	look_where_stored(address, site);
	if (!is_shared(address))
		return;
	settle();
	own()->pending = (struct prove_pending){
		.address = address,
		.bytes = bytes,
		.site = site,
		.how = how,
	};
	for (size_t i = 0; whole && bytes >= LEAST_WHOLE && i < bytes; i++)
		poke((u8 *)address + i, 1, NOT_YET);
}

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_read_range(void *address, size_t bytes);
void __tsan_write_range(void *address, size_t bytes);
void __tsan_read_range_pc(void *address, size_t bytes, void *pc);
void __tsan_write_range_pc(void *address, size_t bytes, void *pc);
void __tsan_vptr_read(void **address);
void __tsan_vptr_update(void **address, void *value);
void __tsan_acquire(void *address);
void __tsan_release(void *address);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
	settle();
	host()->calls->enter(caller);
}

void __tsan_func_exit(void)
{
	settle();
	host()->calls->leave();
}

void __tsan_read_range(void *address, size_t bytes)
{
	announce_load(address, bytes, ACCESS_PLAIN, SITE);
}

void __tsan_write_range(void *address, size_t bytes)
{
	announce_store(address, bytes, ACCESS_PLAIN, true, SITE);
}

void __tsan_read_range_pc(void *address, size_t bytes, void *pc)
{
	announce_load(address, bytes, ACCESS_PLAIN, pc);
}

void __tsan_write_range_pc(void *address, size_t bytes, void *pc)
{
	announce_store(address, bytes, ACCESS_PLAIN, true, pc);
}

void __tsan_vptr_read(void **address)
{
	announce_load(address, sizeof(*address), ACCESS_PLAIN, SITE);
}

void __tsan_vptr_update(void **address, void *value)
{
	(void)value;
	announce_store(address, sizeof(*address), ACCESS_PLAIN, false, SITE);
}

/* What a source tells its sanitizer beside is known here by itself. */
void __tsan_acquire(void *address)
{
	(void)address;
}

void __tsan_release(void *address)
{
	(void)address;
}

#define DECLARE_ACCESS(name)               \
	void __tsan_##name(void *address); \
	void __tsan_##name##_pc(void *address, void *pc);

#define LOADS(name, bytes, how)                           \
	DECLARE_ACCESS(name)                              \
	void __tsan_##name(void *address)                 \
	{                                                 \
		announce_load(address, bytes, how, SITE); \
	}                                                 \
	void __tsan_##name##_pc(void *address, void *pc)  \
	{                                                 \
		announce_load(address, bytes, how, pc);   \
	}

#define STORES(name, bytes, how)                                        \
	DECLARE_ACCESS(name)                                            \
	void __tsan_##name(void *address)                               \
	{                                                               \
		announce_store(address, bytes, how, (bytes) > 8, SITE); \
	}                                                               \
	void __tsan_##name##_pc(void *address, void *pc)                \
	{                                                               \
		announce_store(address, bytes, how, (bytes) > 8, pc);   \
	}

#define ACCESSES(bytes)                                               \
	LOADS(read##bytes, bytes, ACCESS_PLAIN)                       \
	STORES(write##bytes, bytes, ACCESS_PLAIN)                     \
	LOADS(volatile_read##bytes, bytes, ACCESS_VOLATILE)           \
	STORES(volatile_write##bytes, bytes, ACCESS_VOLATILE)         \
	LOADS(unaligned_read##bytes, bytes, ACCESS_PLAIN)             \
	STORES(unaligned_write##bytes, bytes, ACCESS_PLAIN)           \
	LOADS(unaligned_volatile_read##bytes, bytes, ACCESS_VOLATILE) \
	STORES(unaligned_volatile_write##bytes, bytes, ACCESS_VOLATILE)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

#define ATOMIC_LOAD(bits, type)                                                           \
	type __tsan_atomic##bits##_load(const volatile type *address, int order);         \
	type __tsan_atomic##bits##_load(const volatile type *address, int order)          \
	{                                                                                 \
		const struct access access =                                              \
			atomic_access((void *)(uintptr_t)address, bits / 8, order, SITE); \
                                                                                          \
		settle();                                                                 \
		return (type)host()->calls->load(&access);                                \
	}

#define ATOMIC_STORE(bits, type)                                                          \
	void __tsan_atomic##bits##_store(volatile type *address, type value, int order);  \
	void __tsan_atomic##bits##_store(volatile type *address, type value, int order)   \
	{                                                                                 \
		const struct access access =                                              \
			atomic_access((void *)(uintptr_t)address, bits / 8, order, SITE); \
                                                                                          \
		settle();                                                                 \
		look_where_stored(access.address, SITE);                                  \
		host()->calls->store(&access, value);                                     \
	}

#define ATOMIC_MODIFY(bits, type, name, operation)                                          \
	type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order); \
	type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order)  \
	{                                                                                   \
		const struct access access =                                                \
			atomic_access((void *)(uintptr_t)address, bits / 8, order, SITE);   \
                                                                                            \
		settle();                                                                   \
		look_where_stored(access.address, SITE);                                    \
		return (type)host()->calls->modify(&access, operation, operand);            \
	}

#define ATOMIC_COMPARE(bits, type, name)                                                       \
	int __tsan_atomic##bits##_##name(volatile type *address, type *expected, type desired, \
					 int order, int failure);                              \
	int __tsan_atomic##bits##_##name(volatile type *address, type *expected, type desired, \
					 int order, int failure)                               \
	{                                                                                      \
		const struct access access =                                                   \
			atomic_access((void *)(uintptr_t)address, bits / 8, order, SITE);      \
		u64 found = *expected;                                                         \
		bool done;                                                                     \
                                                                                               \
		settle();                                                                      \
		look_where_stored(access.address, SITE);                                       \
		done = host()->calls->compare(&access, &found, desired, (u8)failure);          \
		*expected = (type)found;                                                       \
		return done;                                                                   \
	}

#define ATOMIC_COMPARE_VALUE(bits, type)                                                       \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, \
							type desired, int order, int failure); \
	type __tsan_atomic##bits##_compare_exchange_val(volatile type *address, type expected, \
							type desired, int order, int failure)  \
	{                                                                                      \
		const struct access access =                                                   \
			atomic_access((void *)(uintptr_t)address, bits / 8, order, SITE);      \
		u64 found = expected;                                                          \
                                                                                               \
		settle();                                                                      \
		look_where_stored(access.address, SITE);                                       \
		host()->calls->compare(&access, &found, desired, (u8)failure);                 \
		return (type)found;                                                            \
	}

#define ATOMICS(bits, type)                                  \
	ATOMIC_LOAD(bits, type)                              \
	ATOMIC_STORE(bits, type)                             \
	ATOMIC_MODIFY(bits, type, exchange, ACCESS_EXCHANGE) \
	ATOMIC_MODIFY(bits, type, fetch_add, ACCESS_ADD)     \
	ATOMIC_MODIFY(bits, type, fetch_sub, ACCESS_SUB)     \
	ATOMIC_MODIFY(bits, type, fetch_and, ACCESS_AND)     \
	ATOMIC_MODIFY(bits, type, fetch_or, ACCESS_OR)       \
	ATOMIC_MODIFY(bits, type, fetch_xor, ACCESS_XOR)     \
	ATOMIC_MODIFY(bits, type, fetch_nand, ACCESS_NAND)   \
	ATOMIC_COMPARE(bits, type, compare_exchange_strong)  \
	ATOMIC_COMPARE(bits, type, compare_exchange_weak)    \
	ATOMIC_COMPARE_VALUE(bits, type)

ATOMICS(8, u8)
ATOMICS(16, u16)
ATOMICS(32, u32)
ATOMICS(64, u64)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
	settle();
	if (order != __ATOMIC_RELAXED)
		host()->calls->fence((u8)(order == __ATOMIC_CONSUME ? __ATOMIC_ACQUIRE : order),
				     SITE);
}

/* The compiler alone is held back by it, and has been. */
void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}

static void copy_piece(u8 *to, const u8 *from, u32 piece, const void *site)
{
	plain_store(to, piece, plain_load(from, piece, site), site);
}

/* Piece by piece, from the lowest address up. */
static void copy_up(u8 *to, const u8 *from, size_t bytes, const void *site)
{
	settle();
	for (size_t done = 0; done < bytes;) {
		const u32 piece =
			piece_of(((uintptr_t)to + done) | ((uintptr_t)from + done), bytes - done);

		copy_piece(to + done, from + done, piece, site);
		done += piece;
	}
}

static void copy_down(u8 *to, const u8 *from, size_t bytes, const void *site)
{
	settle();
	while (bytes) {
		const u32 piece =
			piece_of(((uintptr_t)to + bytes) | ((uintptr_t)from + bytes), bytes);

		bytes -= piece;
		copy_piece(to + bytes, from + bytes, piece, site);
	}
}

static void fill(u8 *to, int byte, size_t bytes, const void *site)
{
	const u64 value = (u8)byte * 0x0101010101010101ull;

	settle();
	for (size_t done = 0; done < bytes;) {
		const u32 piece = piece_of((uintptr_t)to + done, bytes - done);

		plain_store(to + done, piece,
			    piece == 8 ? value : value & ((1ull << 8 * piece) - 1), site);
		done += piece;
	}
}

#define COPIES(prefix)                                                   \
	void *prefix##memcpy(void *to, const void *from, size_t bytes);  \
	void *prefix##memmove(void *to, const void *from, size_t bytes); \
	void *prefix##memset(void *to, int byte, size_t bytes);          \
	void *prefix##memcpy(void *to, const void *from, size_t bytes)   \
	{                                                                \
		copy_up(to, from, bytes, SITE);                          \
		return to;                                               \
	}                                                                \
	void *prefix##memmove(void *to, const void *from, size_t bytes)  \
	{                                                                \
		if ((uintptr_t)to > (uintptr_t)from)                     \
			copy_down(to, from, bytes, SITE);                \
		else                                                     \
			copy_up(to, from, bytes, SITE);                  \
		return to;                                               \
	}                                                                \
	void *prefix##memset(void *to, int byte, size_t bytes)           \
	{                                                                \
		fill(to, byte, bytes, SITE);                             \
		return to;                                               \
	}

COPIES()
COPIES(__tsan_)
