// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever contend has built in, proven: what is correct holds under every model, and each mutant
 * is broken under those that can show its fault, and under no other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "prove/program.h"
#include "readers/readers.h"
#include "tests/unit/cache_folder.h"
#include "writers/writer.h"

#define WORDS	2
#define LIMIT_S 60

static struct errmsg err;
static struct proof proof;

/* Who reads, and who writes; all else is as contend prove has it, if nothing is said. */
struct subject {
	const char *reader;
	const char *writer;
	u32 writers; /* so many of that one */
	u32 updates;
	u32 reads;
};

static struct program *make(const struct subject *subject)
{
	const char *const writer[PROGRAM_MAX_WRITERS] = {subject->writer, subject->writer};
	const struct program_setup setup = {
		.reader = subject->reader,
		.writer = writer,
		.writers = subject->writers,
		.words = WORDS,
	};
	struct program *program;

	if (program_make(&setup, &program, &err))
		fail_msg("%s, %s: %s", subject->reader, subject->writer, err.text);
	return program;
}

/*
 * Second attempts are most of all executions, and variations most of what is compiled: both are the
 * same whoever has compiled the explorer.
 */
#ifdef CONTEND_TEST_ONCE
#define ATTEMPTS   2
#define VARIATIONS true
#else
#define ATTEMPTS   1
#define VARIATIONS false
#endif

static enum proof_verdict prove(struct program *program, const struct subject *subject,
				enum model model)
{
	const struct proof_subject proven = program_subject(program);
	const struct proof_config config = {
		.model = model,
		.most = {.updates = subject->updates,
			 .readers = 1,
			 .reads = subject->reads,
			 .attempts = ATTEMPTS},
		.most_seconds = LIMIT_S,
	};

	if (proof_find(&proven, &config, &proof, &err))
		fail_msg("%s, %s: %s", subject->reader, subject->writer, err.text);
	return proof.verdict;
}

static const char *const model_names[MODELS] = {
	[MODEL_SC] = "sc",
	[MODEL_TSO] = "tso",
	[MODEL_WEAK] = "weak",
};

/* Broken under this model and those that allow more; MODELS: under none. */
static void check(const struct subject *subject, enum model from)
{
	struct program *program = make(subject);

	for (enum model model = 0; model < MODELS; model++) {
		const enum proof_verdict wanted = model >= from ? PROOF_BROKEN : PROOF_HOLDS;
		const enum proof_verdict is = prove(program, subject, model);

		if (is != wanted)
			fail_msg("%s, %s, under %s: %s", subject->reader, subject->writer,
				 model_names[model],
				 is == PROOF_BROKEN  ? "broken"
				 : is == PROOF_HOLDS ? "holds"
						     : "incomplete");
	}
	program_release(program);
}

static void check_reader(const char *reader, enum model from)
{
	const struct subject subject = {reader, "tick", 1, 2, 1};

	check(&subject, from);
}

static void test_correct_readers(void **state)
{
	static const char *const readers[] = {
		"hres",
		"hres:clock=realtime",
		"hres:clock=boottime,hint=none,inline=never",
		"hres:clock=tai,layout=v5.3,callers=2",
		"hres:layout=gtod-basemult",
		"raw",
		"raw:layout=v6.10",
		"coarse",
		"coarse:clock=realtime_coarse",
		"timens",
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
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(readers); i++)
		if (VARIATIONS || !strchr(readers[i], ':'))
			check_reader(readers[i], MODELS);
}

/* Of all kinds that there are somebody knows here what is to come of them. */
static bool is_known(const char *const *known, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(known[i], name) == 0)
			return true;
	return false;
}

static void test_broken_readers(void **state)
{
	static const char *const anywhere[] = {
		"no-retry",	    "no-odd-check",    "sequence-once", "half-outside",
		"late-load",	    "acts-too-early",  "rcu-outside",	"rcu-early-free",
		"latch-wrong-copy", "sequence-halves",
	};
	static const char *const weakly[] = {"no-begin-rmb", "no-end-rmb", "acquire-recheck",
					     "late-fence"};
	/* It takes 128 updates; what comes back is whole, if old; a record that is not explored. */
	static const char *const others[] = {"counter-8-bit", "stops-publishing", "every-other",
					     "keeps-snapshot", "pvclock-version-ignored"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(anywhere); i++)
		check_reader(anywhere[i], MODEL_SC);
	for (size_t i = 0; i < ARRAY_SIZE(weakly); i++)
		check_reader(weakly[i], MODEL_WEAK);
	for (size_t i = 0; reader_kinds[i]; i++) {
		const char *name = reader_kinds[i]->name;

		if (reader_kinds[i]->fault && !is_known(anywhere, ARRAY_SIZE(anywhere), name) &&
		    !is_known(weakly, ARRAY_SIZE(weakly), name) &&
		    !is_known(others, ARRAY_SIZE(others), name))
			fail_msg("%s: nobody says what is to come of it", name);
	}
}

static void test_writers(void **state)
{
	static const struct {
		const char *reader, *writer;
		enum model from;
	} writers[] = {
		{"hres", "ntp", MODELS},
		{"hres", "storm", MODELS},
		{"hres", "step", MODELS},
		{"hres", "leap", MODELS},
		{"hres", "never-odd", MODEL_SC},
		{"hres", "early-end", MODEL_SC},
		{"hres", "late-sequence", MODEL_SC},
		{"hres", "store-early", MODEL_SC},
		{"hres", "store-late", MODEL_SC},
		{"raw", "raw-not-raised", MODEL_SC},
		/* Others do not look at that sequence. */
		{"hres", "raw-not-raised", MODELS},
		{"hres", "no-lock", MODELS},
		{"hres", "no-begin-wmb", MODEL_WEAK},
		{"hres", "no-end-wmb", MODEL_WEAK},
		{"hres", "release-late", MODEL_WEAK},
		{"coarse", "release-late", MODEL_WEAK},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++) {
		const struct subject subject = {writers[i].reader, writers[i].writer, 1, 1, 1};

		check(&subject, writers[i].from);
	}
}

/* Two of them, and two reads: what the second reads may not be older. */
static void test_two_writers(void **state)
{
	static const struct {
		const char *reader, *writer;
		enum model from;
	} writers[] = {
		{"seqcount", "tick", MODELS},	  {"seqcount", "no-lock", MODEL_SC},
		{"mutex", "no-lock", MODELS},	  {"spinlock", "no-lock", MODELS},
		{"c11:form=rmw", "tick", MODELS}, {"coarse", "tick", MODELS},
		{"coarse", "no-lock", MODEL_SC},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++) {
		const struct subject subject = {writers[i].reader, writers[i].writer, 2, 1, 2};

		check(&subject, writers[i].from);
	}
}

static void check_refused(const char *reader, const char *writer, const char *why)
{
	const struct program_setup setup = {
		.reader = reader,
		.writer = &writer,
		.writers = 1,
		.words = WORDS,
	};
	struct program *program;

	if (program_make(&setup, &program, &err) == 0)
		fail_msg("%s, %s was not refused", reader, writer);
	if (!strstr(err.text, why))
		fail_msg("%s, %s: \"%s\" does not say \"%s\"", reader, writer, err.text, why);
}

static void test_refused(void **state)
{
	static const char *const other_writers[] = {"irq",   "suspend", "clocksource", "timens",
						    "stall", "tz",	"stops-odd"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(other_writers); i++)
		check_refused("hres", other_writers[i], other_writers[i]);
	check_refused("seqcount", "never-odd", "never-odd");
	check_refused("image:host", "tick", "image");
	check_refused("nobody", "tick", "nobody");
	check_refused("hres", "nobody", "nobody");
	check_refused("pvclock-version-ignored", "tick", "pvclock");
}

/* Sources of a user's that are not what they should be. */
static void check_source(const char *text, const char *why)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/source.c", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	check_refused(path, "tick", why);
}

#define LOCK_SOURCE(publishing, fetching)                                                   \
	"#include <stdlib.h>\n#include \"readers/reader.h\"\n"                              \
	"struct mine { u64 word[LOCK_MAX_WORDS]; };\n"                                      \
	"static void publish(struct mine *lock, const u64 *words, u32 n)\n"                 \
	"{ " publishing " }\n"                                                              \
	"static void fetch(struct mine *lock, u64 *words, u32 n, struct read_note *note)\n" \
	"{ " fetching " (void)note; }\n"                                                    \
	"LOCK(struct mine, lock_begins_zero, publish, fetch);\n"

#define STORES "lock_store(lock->word, words, n);"
#define LOADS  "lock_load(lock->word, words, n);"

static void test_refused_sources(void **state)
{
	(void)state;
	check_source(LOCK_SOURCE("lock->word[0] = (u64)malloc(n); " STORES, LOADS), "allocates");
	check_source(LOCK_SOURCE("for (;;) __asm__ volatile(\"\"); " STORES, LOADS),
		     "does not end");
	check_source(LOCK_SOURCE("__builtin_trap(); " STORES, LOADS), "crashes");
	check_source("#error no source\n", "");
}

/* The one that is not above reproach, and the one that is. */
static void test_source_of_the_users(void **state)
{
	char path[64];
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s/bare.c", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(LOCK_SOURCE(STORES, LOADS), file);
	fclose(file);
	check_reader(path, MODEL_SC);
}

/* What came back is told in words, and each access has a place in a source. */
static void test_told(void **state)
{
	static const struct subject subject = {"late-fence", "tick", 1, 1, 1};
	struct program *program = make(&subject);
	bool published = false, fetched = false;

	(void)state;
	assert_int_equal(prove(program, &subject, MODEL_WEAK), PROOF_BROKEN);
	assert_true(program_is_lock(program));
	for (u32 i = 0; i < proof.explored.sites; i++) {
		const struct lines_place place =
			program_place(program, proof.explored.site[i].site);
		char text[128];

		assert_string_equal(place.file, "readers/lock/seqcount.c");
		lines_text(&place, text, sizeof(text));
		published |= strstr(text, "lock_store(lock->word, words, n / 2)") != NULL;
		fetched |= strstr(text, "lock_load(lock->word, words, n)") != NULL;
	}
	assert_true(published && fetched);
	program_release(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_correct_readers),
		cmocka_unit_test(test_broken_readers),
		cmocka_unit_test(test_writers),
		cmocka_unit_test(test_two_writers),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_refused_sources),
		cmocka_unit_test(test_source_of_the_users),
		cmocka_unit_test(test_told),
	};

	return cmocka_run_group_tests(tests, begin_cache_folder, end_cache_folder);
}
