/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results of tests as the kernel's own harness and CI farms read them: KTAP version 1, as kernel
 * documentation (dev-tools/ktap) and kunit's parser have it. Suites, and tests within each:
 *
 *   KTAP version 1
 *   1..1
 *     KTAP version 1
 *     # Subtest: SUITE
 *     1..2
 *     ok 1 NAME
 *     # what came of the next one
 *     not ok 2 NAME # ERROR why it could not be told
 *   not ok 1 SUITE
 *
 * There is no way to break off: each test that the plan promises has its line, if only to say that
 * it was not run. Not for two threads with the same stream.
 */
#ifndef REPORT_KTAP_H
#define REPORT_KTAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum ktap_outcome {
	KTAP_OK,
	KTAP_NOT_OK,
	KTAP_SKIP,  /* it cannot show here */
	KTAP_ERROR, /* nothing is known of it, though there should be */
};

struct ktap {
	FILE *out;
	size_t suites; /* that were begun */
	const char *suite;
	size_t tests; /* of the suite, that were told */
	bool failed;  /* one of them */
	bool shown;   /* one of them was not skipped */
};

/* So many suites follow, 1 or more. */
void ktap_begin(struct ktap *ktap, FILE *out, size_t suites);

/* `name` stays the caller's until the suite's end, and so many tests follow. */
void ktap_suite(struct ktap *ktap, const char *name, size_t tests);

/*
 * A line on the test that comes next. What has no place in a line of output, and in names the sign
 * of a comment, is replaced.
 */
void ktap_note(struct ktap *ktap, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `why` is of KTAP_SKIP and KTAP_ERROR; else NULL. */
void ktap_test(struct ktap *ktap, enum ktap_outcome outcome, const char *name, const char *why);

/* A suite failed if one of its tests did or had an error, and is skipped if all were. */
void ktap_end_suite(struct ktap *ktap);

#endif /* REPORT_KTAP_H */
