/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The second kind of source: a lock. Part of readers/reader.h, which sources include.
 */
#ifndef READERS_LOCK_H
#define READERS_LOCK_H

#include "readers/reader.h"
#include "sim/lock.h"

/* Which of a lock's entries a compilation makes, for whoever compiles it. */
#define READER_READS   0 /* a clock, through the lock: what a clock reader is, too */
#define LOCK_PUBLISHES 1
#define LOCK_FETCHES   2
#ifndef READER_PART
#define READER_PART READER_READS
#endif

/*
 * Ends the source of a lock: LOCK(type, setup, publish, fetch);
 *
 * type: the structure that its shared memory holds. Of up to LOCK_SHARED_BYTES, all zero at first,
 * aligned to a line of the cache. Readers may write to it, too.
 *
 * setup(type *lock): what is to be done to it before anybody uses it. lock_begins_zero does
 * nothing.
 *
 * publish(type *lock, const u64 *words, u32 n): publishes n words, 1 to LOCK_MAX_WORDS, as many as
 * ever. One writer at a time calls it. Where it is half done it may say PUBLISH_MIDDLE(lock): a
 * writer that is to be slow is so there, and without it cannot be.
 *
 * fetch(type *lock, u64 *words, u32 n, struct read_note *note): fills in the n words of one
 * publication, whole. Many readers call it at once, and while somebody publishes. It says
 * NOTE_SPIN(note) while it waits, and NOTE_LOST(note, words, n) of an attempt that it throws away.
 *
 * The last three are static functions. What is said of a clock reader's code holds for theirs: they
 * call nothing outside themselves, and have no variables. Words that race are loaded and stored by
 * PLAIN_LOAD and PLAIN_STORE, or by atomic accesses.
 *
 * A clock is read through a lock so: first the counter, then the words, then what the words make of
 * it. The other way round a reader that is put aside between the two would tell the present by an
 * update long gone.
 */
#define LOCK(type, setup, publish, fetch)                                          \
	_Static_assert(sizeof(type) <= LOCK_SHARED_BYTES,                          \
		       "a lock has " FIGURES(LOCK_SHARED_BYTES) " bytes at most"); \
	LOCK_ENTRY(type, setup, publish, fetch)                                    \
	LOCK_MARK

static inline void lock_begins_zero(void *lock)
{
	(void)lock;
}

#define PUBLISH_MIDDLE(lock) lock_publish_middle(lock)

static inline void lock_publish_middle(void *shared)
{
	const struct lock_page *page = lock_page_of(shared);

	if (unlikely(page->middle))
		page->middle(page->argument);
}

/*
 * COUNTER_BITS is defined where contend prove is to explore a counter's end, by --counter-bits: a
 * lock that begins its counter with COUNTER_FIRST(u32) is then 2^COUNTER_BITS steps before that. It
 * begins with 0 otherwise.
 */
#ifdef COUNTER_BITS
#define COUNTER_FIRST(type) ((type)((type)0 - ((type)1 << COUNTER_BITS)))
#else
#define COUNTER_FIRST(type) ((type)0)
#endif

/* n words by plain accesses, in no order, where something else guards them. */
static inline __attribute__((always_inline)) void lock_store(u64 *shared, const u64 *words, u32 n)
{
	for (u32 i = 0; i < n; i++)
		PLAIN_STORE(shared[i], words[i]);
}

/* gcc unrolls nothing by itself at -O2. */
#if defined(__clang__)
#define LOCK_UNROLL
#else
#define LOCK_UNROLL _Pragma("GCC unroll 16")
#endif

static inline __attribute__((always_inline)) void lock_load(const u64 *shared, u64 *words, u32 n)
{
	LOCK_UNROLL
	for (u32 i = 0; i < n; i++)
		words[i] = PLAIN_LOAD(shared[i]);
}

/* The seconds, and nanoseconds of up to any number, that an update's words make of a counter value.
 */
static inline __attribute__((always_inline)) void lock_time(const u64 *word, u64 cycles, u64 *sec,
							    u64 *nsec)
{
	const u64 delta = cycles - word[LOCK_WORD_CYCLE_LAST];
	const u32 mult = (u32)word[LOCK_WORD_SCALE];
	/* Of a mixture it may be anything. */
	const u32 shift = (word[LOCK_WORD_SCALE] >> 32) & 63;

	*sec = word[LOCK_WORD_SEC];
	*nsec = word[LOCK_WORD_NSEC];
	if (likely(delta <= word[LOCK_WORD_MAX_CYCLES]))
		*nsec = (delta * mult + *nsec) >> shift;
	else if (delta & (1ull << 62)) /* another CPU's counter lags behind: no time has passed */
		*nsec >>= shift;
	else
		*nsec = wide_mul_add_shift(delta & (UINT64_MAX >> 1), mult, *nsec, shift);
}

static inline __attribute__((always_inline)) void lock_set_time(struct timespec *ts,
								const u64 *word, u64 cycles)
{
	u64 sec, nsec;

	lock_time(word, cycles, &sec, &nsec);
	while (nsec >= NSEC_PER_SEC) {
		/* Keeps the compiler from making a division of it. */
		__asm__("" : "+rm"(nsec));
		nsec -= NSEC_PER_SEC;
		sec++;
	}
	ts->tv_sec = (time_t)sec;
	ts->tv_nsec = (long)nsec;
}

#if READER_COUNTED

/* The attempt is thrown away; what it would have told. */
#define NOTE_LOST(note, words, n) note_lost(note, words, n)

static inline void note_lost(struct read_note *note, const u64 *words, u32 n)
{
	u64 sec = 0, nsec = 0;

	if (n == LOCK_CLOCK_WORDS) {
		NOTE_USED_SEQ(note, (u32)(2 * words[LOCK_WORD_NUMBER]));
		lock_time(words, note->cycles, &sec, &nsec);
	}
	note_changed(note, sec, nsec, note->seq);
}

#else

#define NOTE_LOST(note, words, n) ((void)(note))

#endif

#if READER_PART == LOCK_PUBLISHES

#define LOCK_ENTRY(type, setup, publish, fetch)                \
	lock_publish_fn READER_NAME;                           \
	u32 READER_NAME(void *shared, const u64 *words, u32 n) \
	{                                                      \
		(void)fetch;                                   \
		if (likely(n))                                 \
			publish((type *)shared, words, n);     \
		else if (shared)                               \
			setup((type *)shared);                 \
		return sizeof(type);                           \
	}

#elif READER_PART == LOCK_FETCHES

/*
 * Is never called. A variable that one part of a lock stores and another loads is there to be seen
 * only where both are: each by itself would be compiled without.
 */
#define LOCK_WHOLE(type, setup, publish)                                                          \
	__attribute__((used)) static void contend_other_part(type *lock, const u64 *words, u32 n) \
	{                                                                                         \
		setup(lock);                                                                      \
		publish(lock, words, n);                                                          \
	}

/* What readers of other words than a clock's call. */
#define LOCK_ENTRY(type, setup, publish, fetch)                                    \
	LOCK_WHOLE(type, setup, publish)                                           \
	void READER_NAME(void *shared, u64 *words, u32 n, struct read_note *note); \
	void READER_NAME(void *shared, u64 *words, u32 n, struct read_note *note)  \
	{                                                                          \
		fetch((type *)shared, words, n, note);                             \
	}

#else

/* The mode is a hint: if the words tell another one, the counter was another one's, too. */
#define LOCK_ENTRY(type, setup, publish, fetch)                                     \
	CLOCK_READER(page, clock, ts, note)                                         \
	{                                                                           \
		struct lock_page *const lock = (struct lock_page *)(uintptr_t)page; \
		s32 mode = READ_ONCE(lock->clock_mode);                             \
		u64 word[LOCK_CLOCK_WORDS], cycles;                                 \
                                                                                    \
		(void)setup, (void)publish;                                         \
		for (;;) {                                                          \
			cycles = counter_read(mode, page);                          \
			NOTE_USED_CYCLES(note, cycles);                             \
			smp_rmb();                                                  \
			fetch((type *)lock->shared, word, LOCK_CLOCK_WORDS, note);  \
			if (likely((s32)word[LOCK_WORD_MODE] == mode))              \
				break;                                              \
			mode = (s32)word[LOCK_WORD_MODE];                           \
		}                                                                   \
		if (unlikely(!counter_is_readable(cycles))) {                       \
			NOTE_FALLBACK(note);                                        \
			return (int)clock_gettime_syscall(clock, ts);               \
		}                                                                   \
		NOTE_USED_SEQ(note, (u32)(2 * word[LOCK_WORD_NUMBER]));             \
		lock_set_time(ts, word, cycles);                                    \
		return 0;                                                           \
	}

#endif

/*
 * A name by which whoever compiles the source sees what it is, which has no place in the code. Its
 * end is a declaration that wants the semicolon behind LOCK.
 */
#define LOCK_MARK                        \
	__asm__(".set contend_lock, 1"); \
	struct lock_page

#endif /* READERS_LOCK_H */
