// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What readers/library/rcu.h calls of liburcu and of the C library, for what they promise:
 * liburcu's own code asks the system for what it does. Linked to sources of ours alone.
 *
 * A thread's counter is odd while it is in a section. Whoever waits for a grace period waits for
 * each other thread that is, until its counter is another one. Fences stand as they must: either
 * the reader sees what was published before the grace period, or it is waited for; and what a
 * reader did in its section comes before what follows the grace period.
 */
#include "prove/runtime/runtime.h"

struct rcu_head;

/* What a reader finds that still reads a block that was freed. */
#define POISON 0x7b7b7b7b7b7b7b7bull

static bool is_not(u64 value, u64 other)
{
	return value != other;
}

static void fence(const void *site)
{
	host()->calls->fence(__ATOMIC_SEQ_CST, site);
}

static void count(int order, const void *site)
{
	const struct access access =
		atomic_access(&host()->rcu_counter[host()->thread], 4, order, site);

	host()->calls->store(&access, ++own()->rcu_count);
}

static void enter_section(const void *site)
{
	count(__ATOMIC_RELAXED, site);
	fence(site);
}

static void leave_section(const void *site)
{
	count(__ATOMIC_RELEASE, site);
}

static void wait_for(u32 thread, const void *site)
{
	struct access access =
		atomic_access(&host()->rcu_counter[thread], 4, __ATOMIC_ACQUIRE, site);
	const u64 found = host()->calls->load(&access);

	if (found & 1)
		host()->calls->await(&access, is_not, found);
}

static void wait_for_readers(const void *site)
{
	const bool was_online = own()->rcu_is_online;

	settle();
	/* It would wait for itself, and others that wait for it. */
	if (was_online)
		leave_section(site);
	fence(site);
	for (u32 thread = 0; thread < PROVE_MAX_THREADS; thread++)
		if (thread != host()->thread && is_shared(&host()->rcu_counter[thread]))
			wait_for(thread, site);
	if (was_online)
		enter_section(site);
}

static void nest(const void *site)
{
	settle();
	if (own()->rcu_nesting++ == 0)
		enter_section(site);
}

static void unnest(const void *site)
{
	settle();
	if (--own()->rcu_nesting == 0)
		leave_section(site);
}

/* The flavours whose threads say where their sections are. */
#define FLAVOUR(flavour)                               \
	void urcu_##flavour##_read_lock(void);         \
	void urcu_##flavour##_read_unlock(void);       \
	int urcu_##flavour##_read_ongoing(void);       \
	void urcu_##flavour##_register_thread(void);   \
	void urcu_##flavour##_unregister_thread(void); \
	void urcu_##flavour##_read_lock(void)          \
	{                                              \
		nest(SITE);                            \
	}                                              \
	void urcu_##flavour##_read_unlock(void)        \
	{                                              \
		unnest(SITE);                          \
	}                                              \
	int urcu_##flavour##_read_ongoing(void)        \
	{                                              \
		return own()->rcu_nesting != 0;        \
	}                                              \
	void urcu_##flavour##_register_thread(void)    \
	{                                              \
	}                                              \
	void urcu_##flavour##_unregister_thread(void)  \
	{                                              \
	}

FLAVOUR(memb)
FLAVOUR(bp)

void urcu_qsbr_read_lock(void);
void urcu_qsbr_read_unlock(void);
int urcu_qsbr_read_ongoing(void);
void urcu_qsbr_register_thread(void);
void urcu_qsbr_unregister_thread(void);
void urcu_qsbr_thread_online(void);
void urcu_qsbr_thread_offline(void);
void urcu_qsbr_quiescent_state(void);

void urcu_qsbr_read_lock(void)
{
}

void urcu_qsbr_read_unlock(void)
{
}

int urcu_qsbr_read_ongoing(void)
{
	return own()->rcu_is_online;
}

void urcu_qsbr_thread_online(void)
{
	settle();
	if (!own()->rcu_is_online)
		enter_section(SITE);
	own()->rcu_is_online = true;
}

void urcu_qsbr_thread_offline(void)
{
	settle();
	if (own()->rcu_is_online)
		leave_section(SITE);
	own()->rcu_is_online = false;
}

void urcu_qsbr_register_thread(void)
{
	urcu_qsbr_thread_online();
}

void urcu_qsbr_unregister_thread(void)
{
	urcu_qsbr_thread_offline();
}

void urcu_qsbr_quiescent_state(void)
{
	settle();
	leave_section(SITE);
	enter_section(SITE);
}

/* Who frees is the writer itself, when its grace period is over: sooner than any other would. */
#define GRACE_PERIODS(flavour)                                                    \
	void urcu_##flavour##_synchronize_rcu(void);                              \
	void urcu_##flavour##_call_rcu(struct rcu_head *head,                     \
				       void (*function)(struct rcu_head * head)); \
	void *urcu_##flavour##_get_default_call_rcu_data(void);                   \
	void urcu_##flavour##_synchronize_rcu(void)                               \
	{                                                                         \
		wait_for_readers(SITE);                                           \
	}                                                                         \
	void urcu_##flavour##_call_rcu(struct rcu_head *head,                     \
				       void (*function)(struct rcu_head * head))  \
	{                                                                         \
		wait_for_readers(SITE);                                           \
		function(head);                                                   \
	}                                                                         \
	void *urcu_##flavour##_get_default_call_rcu_data(void)                    \
	{                                                                         \
		return NULL;                                                      \
	}

GRACE_PERIODS(memb)
GRACE_PERIODS(bp)
GRACE_PERIODS(qsbr)

#define ALIGNMENT 16

/* What is freed is never given away again. */
void *malloc(size_t bytes);
void free(void *address);
void abort(void) __attribute__((noreturn));
int sigfillset(void *set);
int pthread_sigmask(int how, const void *set, void *before);
int nanosleep(const void *time, void *left);
/* The same where the C library has times of 64 bits beside others. */
int __nanosleep64(const void *time, void *left);

static void note_block(void *address, u32 bytes)
{
	struct prove_host *at = host();

	for (u32 i = 0; i < at->blocks; i++)
		if (at->block[i].address == address) {
			at->block[i].bytes = bytes;
			return;
		}
	if (at->blocks == PROVE_MOST_BLOCKS)
		__builtin_trap();
	at->block[at->blocks++] = (struct prove_block){address, bytes};
}

void *malloc(size_t bytes)
{
	const size_t whole = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	u8 *address = host()->arena + (size_t)host()->thread * host()->part_bytes + own()->used;

	if (whole > host()->part_bytes - own()->used)
		return NULL;
	own()->used += (u32)whole;
	note_block(address, (u32)whole);
	return address;
}

void free(void *address)
{
	const struct prove_host *at = host();

	settle();
	for (u32 i = 0; i < at->blocks; i++)
		if (at->block[i].address == address)
			for (u32 done = 0; done < at->block[i].bytes; done += 8)
				plain_store((u8 *)address + done, 8, POISON, SITE);
}

void abort(void)
{
	__builtin_trap();
}

int sigfillset(void *set)
{
	(void)set;
	return 0;
}

int pthread_sigmask(int how, const void *set, void *before)
{
	(void)how, (void)set, (void)before;
	return 0;
}

int nanosleep(const void *time, void *left)
{
	(void)time, (void)left;
	return 0;
}

int __nanosleep64(const void *time, void *left)
{
	return nanosleep(time, left);
}
