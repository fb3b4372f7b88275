// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The catalogue of what is verified, held against the tables of readers and writers: whatever is
 * added there, and forgotten here, makes this fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/verify_catalogue.h"
#include "measure/writers.h"
#include "sim/barrier.h"

static const struct reader_kind *reader_named(const char *name)
{
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++)
		if (strcmp((*kind)->name, name) == 0)
			return *kind;
	return NULL;
}

static const struct writer_kind *writer_named(const char *name)
{
	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++)
		if (strcmp((*kind)->name, name) == 0)
			return *kind;
	return NULL;
}

static bool is_listed(const char *name, bool writer)
{
	bool listed = false;

	for (size_t i = 0; i < verify_mutant_count; i++)
		listed |= strcmp(verify_mutants[i].name, name) == 0 &&
			  (verify_mutants[i].kind == VERIFY_WRITER) == writer;
	return listed;
}

static void test_every_mutant_is_listed(void **state)
{
	(void)state;
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++) {
		if (is_listed((*kind)->name, false) != ((*kind)->fault != NULL))
			fail_msg("reader %s: among the mutants?", (*kind)->name);
	}
	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++) {
		if (is_listed((*kind)->name, true) != ((*kind)->fault != NULL))
			fail_msg("writer %s: among the mutants?", (*kind)->name);
	}
}

/* By its name one is chosen, and told in the matrix, which has so much room. */
static void test_no_two_mutants_have_one_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < verify_mutant_count; i++) {
		assert_true(strlen(verify_mutants[i].name) <= 24);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(verify_mutants[i].name, verify_mutants[j].name);
	}
}

static void test_the_kind_of_a_mutant(void **state)
{
	const struct verify_mutant plain = {.name = "no-retry"},
				   other = {.name = "no-retry/coarse"};
	char name[64];

	(void)state;
	verify_mutant_kind(&plain, name, sizeof(name));
	assert_string_equal(name, "no-retry");
	verify_mutant_kind(&other, name, sizeof(name));
	assert_string_equal(name, "no-retry");
}

/* It is what is run, and beside it stands nothing else that is broken. */
static void test_a_mutant_is_in_its_job(void **state)
{
	(void)state;
	for (size_t i = 0; i < verify_mutant_count; i++) {
		const struct verify_mutant *mutant = &verify_mutants[i];
		const bool writes = mutant->kind == VERIFY_WRITER;
		char name[64], kind[64];

		verify_mutant_kind(mutant, kind, sizeof(kind));
		if (!(writes ? verify_job_writes : verify_job_reads)(&mutant->job, kind))
			fail_msg("%s is not in its own job", mutant->name);
		verify_kind_name(mutant->job.reader, name, sizeof(name));
		assert_non_null(reader_named(name));
		assert_int_equal(reader_named(name)->fault != NULL, !writes);
		for (size_t j = 0; j < VERIFY_MAX_WRITERS && mutant->job.writer[j]; j++) {
			verify_kind_name(mutant->job.writer[j], name, sizeof(name));
			assert_non_null(writer_named(name));
			assert_int_equal(writer_named(name)->fault != NULL,
					 writes && strcmp(name, kind) == 0);
		}
	}
}

/* A reader of one's own is known by all of its spec, and is to survive what correct ones do. */
static void test_jobs_of_ones_own(void **state)
{
	static const char *const spec[] = {"./mine.c:clock=tai", "mutex"};
	struct verify_job job[VERIFY_MAX_OWN_JOBS];
	char name[64];

	(void)state;
	for (size_t lock = 0; lock < 2; lock++) {
		const size_t jobs = verify_own_jobs(spec[lock], lock, job);
		bool payload[2] = {false, false};

		for (size_t i = 0; i < jobs; i++) {
			assert_true(verify_job_reads(&job[i], spec[lock]));
			assert_false(verify_job_reads(&job[i], "./mine.c"));
			verify_reader_name(&job[i], name, sizeof(name));
			assert_string_equal(name, spec[lock]);
			payload[job[i].payload == PAYLOAD_STAMP] = true;
			for (size_t j = 0; j < VERIFY_MAX_WRITERS && job[i].writer[j]; j++) {
				verify_kind_name(job[i].writer[j], name, sizeof(name));
				assert_non_null(writer_named(name));
				assert_null(writer_named(name)->fault);
			}
		}
		assert_true(payload[0] && payload[1]);
	}
}

static bool has_same_load(const struct verify_job *one, const struct verify_job *other)
{
	for (size_t i = 0; i < VERIFY_MAX_WRITERS; i++)
		if (strcmp(one->writer[i] ? one->writer[i] : "",
			   other->writer[i] ? other->writer[i] : "") != 0)
			return false;
	return one->payload == other->payload;
}

static void check_loads(const char *name, bool lock)
{
	struct verify_job own[VERIFY_MAX_OWN_JOBS];
	const size_t jobs = verify_own_jobs("./mine.c", lock, own);
	size_t compared = 0;

	for (size_t i = 0; i < verify_correct_count; i++) {
		bool found = false;

		if (!verify_job_reads(&verify_correct[i], name))
			continue;
		for (size_t j = 0; j < jobs; j++)
			found |= has_same_load(&own[j], &verify_correct[i]);
		if (!found)
			fail_msg("%s has a load that one's own has not: %s", name,
				 verify_correct[i].writer[0]);
		compared++;
	}
	assert_true(compared > 0);
}

/* Whatever a correct lock of the tables is run by, one's own is, too. */
static void test_locks_of_ones_own_have_all_loads(void **state)
{
	(void)state;
	check_loads("seqcount", true);
}

static bool is_run(const char *name, bool writer, enum payload payload)
{
	for (size_t i = 0; i < verify_correct_count; i++)
		if (verify_correct[i].payload == payload &&
		    (writer ? verify_job_writes : verify_job_reads)(&verify_correct[i], name))
			return true;
	return false;
}

/* A source of the user's is in no catalogue. */
static void test_whatever_is_correct_is_run_with_each_payload(void **state)
{
	(void)state;
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++) {
		const bool wanted = !(*kind)->fault && !strchr((*kind)->name, '/');

		if (is_run((*kind)->name, false, PAYLOAD_TIME) != wanted ||
		    is_run((*kind)->name, false, PAYLOAD_STAMP) != wanted)
			fail_msg("reader %s: in the runs of what is correct?", (*kind)->name);
	}
	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++) {
		const bool wanted = !(*kind)->fault;

		if (is_run((*kind)->name, true, PAYLOAD_TIME) != wanted ||
		    is_run((*kind)->name, true, PAYLOAD_STAMP) !=
			    (wanted && !(*kind)->changes_time))
			fail_msg("writer %s: in the runs of what is correct?", (*kind)->name);
	}
}

/* All but what hangs on the machine: an image, and a counter that it has not. */
static void check_job(const struct verify_job *job)
{
	struct run_config *config = calloc(1, sizeof(*config));
	struct clocksource_choice counter = {.clocksource = clocksource_default()};
	struct errmsg err;

	assert_non_null(config);
	config->groups = 1;
	config->payload = job->payload;
	if (job->clocksource && clocksource_resolve(job->clocksource, &counter, &err))
		fail_msg("%s", err.text);
	config->clocksource = counter.clocksource;
	for (size_t i = 0; i < VERIFY_MAX_WRITERS && job->writer[i]; i++)
		if (writer_resolve(job->writer[i], &config->writer[config->writers++], &err))
			fail_msg("%s", err.text);
	assert_true(config->writers > 0);
	if (!verify_job_reads(job, "image")) {
		if (reader_resolve(job->reader, &config->group[0].reader, &err))
			fail_msg("%s", err.text);
		/*
		 * One changes to what time is made of where there is no better counter, and one
		 * cannot be run under ThreadSanitizer.
		 */
		if (strcmp(counter.clocksource->name, "monotonic_raw") != 0 &&
		    !(CONTEND_TSAN && writers_interrupt(config)) && writers_check(config, &err))
			fail_msg("%s under %s: %s", job->reader, job->writer[0], err.text);
		reader_release(&config->group[0].reader);
	}
	free(config);
}

static void test_every_job_can_be_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < verify_mutant_count; i++)
		check_job(&verify_mutants[i].job);
	for (size_t i = 0; i < verify_correct_count; i++)
		check_job(&verify_correct[i]);
}

static bool is_same(const struct verify_job *one, const struct verify_job *other)
{
	return strcmp(one->reader, other->reader) == 0 && has_same_load(one, other) &&
	       strcmp(one->clocksource ? one->clocksource : "",
		      other->clocksource ? other->clocksource : "") == 0;
}

static void test_nothing_is_run_twice(void **state)
{
	(void)state;
	for (size_t i = 0; i < verify_correct_count; i++)
		for (size_t j = 0; j < i; j++)
			if (is_same(&verify_correct[i], &verify_correct[j]))
				fail_msg("%s under %s: twice", verify_correct[i].reader,
					 verify_correct[i].writer[0]);
}

static void test_names_of_kinds(void **state)
{
	const struct verify_job job = {
		.reader = "hres:clock=tai@cflags=-O3",
		.writer = {"tick", "stall:hz=5"},
	};
	char name[16], cut[4];

	(void)state;
	verify_kind_name(job.reader, name, sizeof(name));
	assert_string_equal(name, "hres");
	verify_kind_name(job.reader, cut, sizeof(cut));
	assert_string_equal(cut, "hre");
	verify_kind_name("coarse@cc=gcc", name, sizeof(name));
	assert_string_equal(name, "coarse");
	assert_true(verify_job_reads(&job, "hres"));
	assert_true(verify_job_writes(&job, "tick"));
	assert_true(verify_job_writes(&job, "stall"));
	for (size_t i = 0; i < 4; i++) {
		static const char *const others[] = {"hre", "hres:clock", "sta", ""};

		assert_false(verify_job_reads(&job, others[i]));
		assert_false(verify_job_writes(&job, others[i]));
	}
	assert_false(verify_job_reads(&job, "tick"));
	assert_false(verify_job_writes(&job, "hres"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_mutant_is_listed),
		cmocka_unit_test(test_no_two_mutants_have_one_name),
		cmocka_unit_test(test_the_kind_of_a_mutant),
		cmocka_unit_test(test_a_mutant_is_in_its_job),
		cmocka_unit_test(test_jobs_of_ones_own),
		cmocka_unit_test(test_locks_of_ones_own_have_all_loads),
		cmocka_unit_test(test_whatever_is_correct_is_run_with_each_payload),
		cmocka_unit_test(test_every_job_can_be_named),
		cmocka_unit_test(test_nothing_is_run_twice),
		cmocka_unit_test(test_names_of_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
