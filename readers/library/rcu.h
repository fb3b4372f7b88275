/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read-copy-update by liburcu: readers follow a pointer to a snapshot that nobody changes, and an
 * old one is freed when no reader can have it any more. Included once, by the file of each flavour,
 * which has included liburcu's header with URCU_API_MAP, and says
 *   RCU(name)	    the symbol of that name; undefined: the flavour's functions for threads are
 *		    those of another file
 *   RCU_IS_QSBR    1: a thread is in a read section whenever it is online
 * Mutants define one of the steps for themselves, and have the flavour's functions: by them a
 *thread is known that is to enlist with each library once.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "readers/reader.h"

struct snapshot {
	struct rcu_head head;
	struct rcu *rcu;
	u64 word[LOCK_MAX_WORDS];
};

struct rcu {
	struct snapshot *now;
	/* Old snapshots that are not freed yet. Readers do not look. */
	u64 waiting __attribute__((aligned(CACHE_LINE)));
	u64 sections; /* no more than a place that they are ordered by; see below */
	u64 held;     /* number of the snapshot that a reader was last held with; of mutants only */
};

/*
 * ThreadSanitizer does not see into liburcu: what a read section, a grace period and a callback
 * promise, it is told. Whoever acquires comes after all who released.
 */
#if CONTEND_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define ORDER_BEFORE(address) __tsan_release(address)
#define ORDER_AFTER(address)  __tsan_acquire(address)
#define FOLLOW(pointer)	      __atomic_load_n(&(pointer), __ATOMIC_ACQUIRE)
#else
#define ORDER_BEFORE(address) ((void)(address))
#define ORDER_AFTER(address)  ((void)(address))
#define FOLLOW(pointer)	      rcu_dereference(pointer)
#endif

#if RCU_IS_QSBR

static inline bool is_online(void)
{
	return rcu_read_ongoing();
}

static inline void go_online(void)
{
	rcu_thread_online();
}

static inline void go_offline(void)
{
	rcu_thread_offline();
}

#else

/* A thread is in a read section only where it says so. */
static inline bool is_online(void)
{
	return true;
}

static inline void go_online(void)
{
}

static inline void go_offline(void)
{
}

#endif

/* Beyond these the publisher waits: grace periods do not keep up with it. */
#define MOST_WAITING (1u << 16)

#ifndef RCU_RETIRE
#define RCU_RETIRE(old) call_rcu(&(old)->head, retire)
#endif

/* Nobody is left who may have it. */
static inline void retire(struct rcu_head *head)
{
	struct snapshot *old = caa_container_of(head, struct snapshot, head);
	struct rcu *lock;

	ORDER_AFTER(head);
	lock = old->rcu;
	ORDER_AFTER(&lock->sections);
	free(old);
	__atomic_fetch_sub(&lock->waiting, 1, __ATOMIC_RELEASE);
}

static struct snapshot *new_snapshot(struct rcu *lock, const u64 *words, u32 n)
{
	struct snapshot *snapshot = malloc(sizeof(*snapshot));

	if (!snapshot)
		abort();
	snapshot->rcu = lock;
	for (u32 i = 0; i < n; i++)
		snapshot->word[i] = words[i];
	return snapshot;
}

/* Until there are no more than so many. */
static void wait_for_grace_periods(const struct rcu *lock, u64 most)
{
	const struct timespec while_at_it = {.tv_nsec = 1000000};

	while (__atomic_load_n(&lock->waiting, __ATOMIC_ACQUIRE) > most)
		nanosleep(&while_at_it, NULL);
}

/* To retire takes a thread that is online, and to wait one that is not. */
static void publish(struct rcu *lock, const u64 *words, u32 n)
{
	struct snapshot *snapshot = new_snapshot(lock, words, n), *old = lock->now;
	const bool was_online = is_online();

	PUBLISH_MIDDLE(lock);
	__atomic_store_n(&lock->now, snapshot, __ATOMIC_RELEASE);
	if (!old)
		return;
	__atomic_fetch_add(&lock->waiting, 1, __ATOMIC_RELAXED);
	if (!was_online)
		go_online();
	ORDER_BEFORE(&old->head);
	RCU_RETIRE(old);
	go_offline();
	wait_for_grace_periods(lock, MOST_WAITING);
	if (was_online)
		go_online();
}

static inline void copy(u64 *words, const struct snapshot *snapshot, u32 n)
{
	LOCK_UNROLL
	for (u32 i = 0; i < n; i++)
		words[i] = snapshot->word[i];
}

#ifndef RCU_SECTION_ENDS
#define RCU_SECTION_ENDS(lock, snapshot)
#endif

static inline void fetch(struct rcu *lock, u64 *words, u32 n, struct read_note *note)
{
	const struct snapshot *snapshot;

	(void)note;
	rcu_read_lock();
	snapshot = FOLLOW(lock->now);
	RCU_SECTION_ENDS(lock, snapshot);
	copy(words, snapshot, n);
	ORDER_BEFORE(&lock->sections);
	rcu_read_unlock();
}

/*
 * The thread that frees is made here, by whoever prepares: made by a writer it would have its
 * priority and its CPU. It is to take no signals, nor to be counted on for any.
 */
static void setup(struct rcu *lock)
{
	sigset_t all, before;

	(void)lock;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	get_default_call_rcu_data();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

LOCK(struct rcu, setup, publish, fetch);

/* Explored, each object has them for itself, by names that the run-time there knows. */
#if CONTEND_PROVE
#undef RCU
#define RCU(name) lock_##name
#endif

#if (READER_PART == LOCK_PUBLISHES && defined(RCU)) || CONTEND_PROVE

void RCU(enlist)(void);
void RCU(quiesce)(void);
void RCU(leave)(void);
void RCU(destroy)(void *shared);

void RCU(enlist)(void)
{
	rcu_register_thread();
	go_offline();
}

void RCU(quiesce)(void)
{
#if RCU_IS_QSBR
	if (is_online())
		rcu_quiescent_state();
	else
		rcu_thread_online();
#endif
}

void RCU(leave)(void)
{
	rcu_unregister_thread();
}

void RCU(destroy)(void *shared)
{
	struct rcu *lock = shared;

	wait_for_grace_periods(lock, 0);
	free(lock->now);
}

#endif
