/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For a file of tests of which only some must have the machine alone: it runs with --alone those,
 * with --beside the others, which may run beside those of other files, and without an argument all.
 */
#ifndef TESTS_UNIT_BESIDE_H
#define TESTS_UNIT_BESIDE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether main() was asked for these tests, --alone or --beside. */
static inline bool wants_tests(int count, char **arguments, const char *these)
{
	if (count == 1)
		return true;
	if (count == 2 && (!strcmp(arguments[1], "--alone") || !strcmp(arguments[1], "--beside")))
		return strcmp(arguments[1], these) == 0;
	fprintf(stderr, "usage: %s [--alone | --beside]\n", arguments[0]);
	exit(1);
}

#endif /* TESTS_UNIT_BESIDE_H */
