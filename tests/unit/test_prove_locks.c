// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each built-in lock, as it is compiled to be explored, by either compiler: what one thread
 * publishes another fetches; and what stands in for the libraries that locks call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "prove/object.h"
#include "readers/source_choice.h"
#include "sim/lock.h"
#include "tests/unit/cache_folder.h"
#include "tests/unit/told_calls.h"

#define WORDS		 3
#define UPDATES		 4
#define WRITER		 0
#define READER		 1
#define NEEDED_RCU_BLOCK 152

typedef void fetch_fn(void *shared, u64 *words, u32 n, struct read_note *note);

static struct errmsg err;

/* Both entries of a lock. */
static struct {
	struct object publish;
	struct object fetch;
} lock;

/* For 32 bits clang has no thread sanitizer. */
#if __SIZEOF_POINTER__ < 8
static const char *const compilers[] = {"gcc"};
#else
static const char *const compilers[] = {"gcc", "clang"};
#endif

static bool is_there(const char *cc)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", cc);
	return system(command) == 0;
}

/* The first half of the memory is the lock's page. */
static struct lock_page *page(void)
{
	return (struct lock_page *)(void *)told_memory;
}

static void make(const char *spec, const char *cc)
{
	struct source_choice choice;
	char text[128];

	snprintf(text, sizeof(text), "%s@cc=%s", spec, cc);
	if (source_choose(text, "is no lock", &choice, &err))
		fail_msg("%s: %s", text, err.text);
	if (!choice.job.source)
		choice.job.source = choice.lock->library;
	choice.job.part = "LOCK_PUBLISHES";
	if (object_make(&choice.job, &lock.publish, &err))
		fail_msg("%s: %s", text, err.text);
	choice.job.part = "LOCK_FETCHES";
	if (object_make(&choice.job, &lock.fetch, &err))
		fail_msg("%s: %s", text, err.text);
	assert_true(lock.publish.is_lock && lock.fetch.is_lock);
	told_begin();
	lock.publish.head->host = lock.fetch.head->host = &told_host;
}

static void release(void)
{
	object_release(&lock.publish);
	object_release(&lock.fetch);
}

static void call_hook(void (*hook)(void))
{
	if (hook)
		hook();
}

static u64 word(u64 number, u32 i)
{
	return i ? number * 1000 + i : number;
}

static void publish(u32 thread, u64 number)
{
	lock_publish_fn *const entry = (lock_publish_fn *)(uintptr_t)lock.publish.head->entry;
	u64 words[WORDS];

	for (u32 i = 0; i < WORDS; i++)
		words[i] = word(number, i);
	told_host.thread = thread;
	entry(page()->shared, words, WORDS);
	lock.publish.head->settle();
}

/* Makes it ready, and publishes 0. */
static void prepare(void)
{
	lock_publish_fn *const entry = (lock_publish_fn *)(uintptr_t)lock.publish.head->entry;

	told_host.thread = PROVE_PREPARER;
	call_hook(lock.publish.head->enlist);
	entry(page()->shared, NULL, 0);
	publish(PROVE_PREPARER, 0);
	call_hook(lock.publish.head->leave);
}

static void fetch(u64 *words)
{
	fetch_fn *const entry = (fetch_fn *)(uintptr_t)lock.fetch.head->entry;
	struct read_note note;

	memset(&note, 0, sizeof(note));
	told_host.thread = READER;
	call_hook(lock.fetch.head->quiesce);
	entry(page()->shared, words, WORDS, &note);
	lock.fetch.head->settle();
}

static void check_in_turn(const char *spec)
{
	u64 words[WORDS];

	prepare();
	told_host.thread = WRITER;
	call_hook(lock.publish.head->enlist);
	told_host.thread = READER;
	call_hook(lock.fetch.head->enlist);
	for (u64 number = 0; number <= UPDATES; number++) {
		if (number)
			publish(WRITER, number);
		told_forget();
		fetch(words);
		for (u32 i = 0; i < WORDS; i++)
			if (words[i] != word(number, i))
				fail_msg("%s: word %u of update %llu is %llu: %s", spec, i,
					 (unsigned long long)number, (unsigned long long)words[i],
					 told);
		if (!told_accesses)
			fail_msg("%s: nothing was told", spec);
		told_host.thread = READER;
		if (lock.fetch.head->leave && number < UPDATES) {
			call_hook(lock.fetch.head->leave);
			call_hook(lock.fetch.head->enlist);
		}
	}
	assert_false(told_waits_in_vain);
	assert_int_equal(told_entered, 0);
}

/*
 * Who compiled the test is nothing to code that is compiled while it runs: all configurations but
 * one ask each lock of one compiler only, where both are there.
 */
static bool is_asked_here(size_t compiler, size_t spec)
{
#ifdef CONTEND_TEST_ONCE
	(void)compiler;
	(void)spec;
	return true;
#else
	const size_t wanted = spec % ARRAY_SIZE(compilers);

	return compiler == wanted || !is_there(compilers[wanted]);
#endif
}

static void test_in_turn(void **state)
{
	static const char *const specs[] = {
		"seqcount",
		"latch",
		"c11",
		"c11:form=rmw",
		"c11:form=seqcst",
		"rcu",
		"rcu:flavour=qsbr",
		"rcu:flavour=bp",
		"rwlock",
		"rwlock:prefer=writers",
		"mutex",
		"spinlock",
		"late-fence",
		"sequence-halves",
		"counter-8-bit",
		"rcu-outside",
		"rcu-early-free",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++)
		for (size_t j = 0; is_there(compilers[i]) && j < ARRAY_SIZE(specs); j++) {
			if (!is_asked_here(i, j))
				continue;
			make(specs[j], compilers[i]);
			check_in_turn(specs[j]);
			release();
		}
}

/* A fault that needs no other thread shows here, too. */
static void test_wrong_copy(void **state)
{
	u64 words[WORDS];

	(void)state;
	make("latch-wrong-copy", "gcc");
	prepare();
	publish(WRITER, 1);
	told_forget();
	fetch(words);
	/* Both copies are whole when nobody writes: so it is told by where it was loaded. */
	assert_int_equal(words[0], 1);
	assert_non_null(strstr(told, "look8 plain +416"));
	release();
	make("latch", "gcc");
	prepare();
	publish(WRITER, 1);
	told_forget();
	fetch(words);
	assert_non_null(strstr(told, "look8 plain +192"));
	assert_null(strstr(told, "look8 plain +320"));
	release();
}

/* While one has it, nobody else would get it; and what was done under it is given with it. */
static void check_exclusive(const char *spec, const char *take, const char *give)
{
	u64 words[WORDS];

	make(spec, "gcc");
	prepare();
	told_forget();
	publish(WRITER, 1);
	if (strncmp(told, take, strlen(take)) != 0 ||
	    strcmp(told + strlen(told) - strlen(give), give) != 0)
		fail_msg("%s: %s", spec, told);
	/* As if another one had it. */
	page()->shared[0] = 1;
	told_forget();
	publish(WRITER, 2);
	assert_true(told_waits_in_vain);
	page()->shared[0] = 0;
	told_forget();
	fetch(words);
	assert_false(told_waits_in_vain);
	assert_int_equal(told_waits, 1);
	release();
}

static void test_exclusive(void **state)
{
	(void)state;
	check_exclusive("mutex", "take4 acquire +128 =1", "store4 release +128 =0");
	check_exclusive("spinlock", "take4 acquire +128 =1", "store4 release +128 =0");
	check_exclusive("rwlock", "take4 acquire +128 =2147483648", "store4 release +128 =0");
}

/* Readers get in beside each other, and not beside a writer. */
static void test_readers_share(void **state)
{
	u64 words[WORDS];

	(void)state;
	make("rwlock", "gcc");
	prepare();
	page()->shared[0] = 2;
	told_forget();
	fetch(words);
	assert_false(told_waits_in_vain);
	assert_int_equal(page()->shared[0], 2);
	assert_non_null(strstr(told, "take4 acquire +128 =3"));
	assert_non_null(strstr(told, "sub4 release +128 =1"));
	page()->shared[3] = 0x80;
	told_forget();
	fetch(words);
	assert_true(told_waits_in_vain);
	release();
}

/* A reader that is in its section is waited for, and only then the old block is spoilt. */
static void check_grace_period(const char *spec, bool waits)
{
	make(spec, "gcc");
	prepare();
	told_host.thread = WRITER;
	call_hook(lock.publish.head->enlist);
	told_forget();
	publish(WRITER, 1);
	assert_false(told_waits_in_vain);
	assert_int_equal(told_waits, 0);
	told_host.rcu_counter[READER] = 1;
	told_forget();
	publish(WRITER, 2);
	if (told_waits_in_vain != waits)
		fail_msg("%s: %s", spec, told);
	release();
}

static void test_grace_period(void **state)
{
	(void)state;
	check_grace_period("rcu", true);
	check_grace_period("rcu:flavour=qsbr", true);
	check_grace_period("rcu:flavour=bp", true);
}

/* What was freed is spoilt: all of a snapshot's words. */
static void test_freed(void **state)
{
	const u64 *snapshot;

	(void)state;
	/* Where pointers are shorter a snapshot is laid out in another way. */
	if (sizeof(void *) < 8)
		skip();
	make("rcu", "gcc");
	prepare();
	snapshot = *(const u64 **)(void *)page()->shared;
	assert_int_equal(snapshot[3], 0);
	assert_int_equal(snapshot[4], word(0, 1));
	publish(WRITER, 1);
	assert_ptr_not_equal(snapshot, *(const u64 **)(void *)page()->shared);
	for (u32 i = 0; i < NEEDED_RCU_BLOCK / 8; i++)
		assert_true(snapshot[i] == 0x7b7b7b7b7b7b7b7bull);
	release();
}

/* The orders that a section needs. */
static void test_section(void **state)
{
	u64 words[WORDS];

	(void)state;
	make("rcu", "gcc");
	prepare();
	told_forget();
	fetch(words);
	assert_non_null(strstr(
		told, sizeof(void *) < 8 ? "store4 relaxed +16388 =1, fence seq_cst, load4 acquire"
					 : "store4 relaxed +16388 =1, fence seq_cst, load8 "
					   "acquire"));
	assert_string_equal(told + strlen(told) - strlen("store4 release +16388 =2"),
			    "store4 release +16388 =2");
	release();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_turn),	     cmocka_unit_test(test_wrong_copy),
		cmocka_unit_test(test_exclusive),    cmocka_unit_test(test_readers_share),
		cmocka_unit_test(test_grace_period), cmocka_unit_test(test_freed),
		cmocka_unit_test(test_section),
	};

	return cmocka_run_group_tests(tests, begin_cache_folder, end_cache_folder);
}
