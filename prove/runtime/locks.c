// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C library's locks, as what POSIX promises of them: a word at the beginning of the lock's own
 * object, waited for, changed with acquire and given back with release. Whom a lock prefers makes
 * no difference to what may happen, and so its attributes make none.
 */
#include "prove/runtime/runtime.h"

#define TAKEN	1u
#define WRITING 0x80000000u

static bool is(u64 value, u64 wanted)
{
	return value == wanted;
}

static bool is_without(u64 value, u64 bit)
{
	return !(value & bit);
}

static u64 become_taken(u64 value, u64 unused)
{
	(void)unused;
	return value | TAKEN;
}

static u64 become_writing(u64 value, u64 unused)
{
	(void)unused;
	return value | WRITING;
}

static u64 become_more(u64 value, u64 unused)
{
	(void)unused;
	return value + 1;
}

static void take(void *lock, bool (*wanted)(u64 value, u64 argument), u64 argument,
		 u64 (*change)(u64 value, u64 argument), const void *site)
{
	const struct access access = atomic_access(lock, 4, __ATOMIC_ACQUIRE, site);

	settle();
	host()->calls->await_and_modify(&access, wanted, argument, change);
}

/* 0, or EBUSY. */
static int try_to_take(void *lock, u32 taken, const void *site)
{
	const struct access access = atomic_access(lock, 4, __ATOMIC_ACQUIRE, site);
	u64 found = 0;

	settle();
	return host()->calls->compare(&access, &found, taken, __ATOMIC_RELAXED) ? 0 : 16;
}

static void store(void *lock, u32 value, int order, const void *site)
{
	const struct access access = atomic_access(lock, 4, order, site);

	settle();
	host()->calls->store(&access, value);
}

/* Of locks that let in one at a time. */
#define EXCLUSIVE(type)                                 \
	int pthread_##type##_lock(void *lock);          \
	int pthread_##type##_trylock(void *lock);       \
	int pthread_##type##_unlock(void *lock);        \
	int pthread_##type##_destroy(void *lock);       \
	int pthread_##type##_lock(void *lock)           \
	{                                               \
		take(lock, is, 0, become_taken, SITE);  \
		return 0;                               \
	}                                               \
	int pthread_##type##_trylock(void *lock)        \
	{                                               \
		return try_to_take(lock, TAKEN, SITE);  \
	}                                               \
	int pthread_##type##_unlock(void *lock)         \
	{                                               \
		store(lock, 0, __ATOMIC_RELEASE, SITE); \
		return 0;                               \
	}                                               \
	int pthread_##type##_destroy(void *lock)        \
	{                                               \
		(void)lock;                             \
		return 0;                               \
	}

EXCLUSIVE(mutex)
EXCLUSIVE(spin)

int pthread_mutex_init(void *lock, const void *attributes);
int pthread_spin_init(void *lock, int shared);
int pthread_rwlock_init(void *lock, const void *attributes);
int pthread_rwlock_destroy(void *lock);
int pthread_rwlock_rdlock(void *lock);
int pthread_rwlock_wrlock(void *lock);
int pthread_rwlock_tryrdlock(void *lock);
int pthread_rwlock_trywrlock(void *lock);
int pthread_rwlock_unlock(void *lock);

int pthread_mutex_init(void *lock, const void *attributes)
{
	(void)attributes;
	store(lock, 0, __ATOMIC_RELAXED, SITE);
	return 0;
}

int pthread_spin_init(void *lock, int shared)
{
	(void)shared;
	store(lock, 0, __ATOMIC_RELAXED, SITE);
	return 0;
}

int pthread_rwlock_init(void *lock, const void *attributes)
{
	(void)attributes;
	store(lock, 0, __ATOMIC_RELAXED, SITE);
	return 0;
}

int pthread_rwlock_destroy(void *lock)
{
	(void)lock;
	return 0;
}

int pthread_rwlock_rdlock(void *lock)
{
	take(lock, is_without, WRITING, become_more, SITE);
	return 0;
}

int pthread_rwlock_wrlock(void *lock)
{
	take(lock, is, 0, become_writing, SITE);
	own()->written = lock;
	return 0;
}

int pthread_rwlock_trywrlock(void *lock)
{
	const int busy = try_to_take(lock, WRITING, SITE);

	if (!busy)
		own()->written = lock;
	return busy;
}

/* It lets in a reader beside others: to find the lock changed by them is no reason to fail. */
int pthread_rwlock_tryrdlock(void *lock)
{
	const struct access access = atomic_access(lock, 4, __ATOMIC_ACQUIRE, SITE);
	u64 found = 0;

	settle();
	while (!(found & WRITING))
		if (host()->calls->compare(&access, &found, found + 1, __ATOMIC_RELAXED))
			return 0;
	return 16;
}

int pthread_rwlock_unlock(void *lock)
{
	const struct access access = atomic_access(lock, 4, __ATOMIC_RELEASE, SITE);

	settle();
	if (own()->written == lock) {
		own()->written = NULL;
		host()->calls->store(&access, 0);
	} else {
		host()->calls->modify(&access, ACCESS_SUB, 1);
	}
	return 0;
}

#define NO_ATTRIBUTE(name)          \
	int name(void *attributes); \
	int name(void *attributes)  \
	{                           \
		(void)attributes;   \
		return 0;           \
	}
#define NO_CHOICE(name)                        \
	int name(void *attributes, int value); \
	int name(void *attributes, int value)  \
	{                                      \
		(void)attributes, (void)value; \
		return 0;                      \
	}

NO_ATTRIBUTE(pthread_mutexattr_init)
NO_ATTRIBUTE(pthread_mutexattr_destroy)
NO_CHOICE(pthread_mutexattr_setprotocol)
NO_CHOICE(pthread_mutexattr_setpshared)
NO_ATTRIBUTE(pthread_rwlockattr_init)
NO_ATTRIBUTE(pthread_rwlockattr_destroy)
NO_CHOICE(pthread_rwlockattr_setkind_np)
NO_CHOICE(pthread_rwlockattr_setpshared)
