/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Figures as people read them. All are safe in any thread and independent of the locale.
 */
#ifndef REPORT_CELL_H
#define REPORT_CELL_H

#include "sim/types.h"

/* Text by value, for use within one call of printf: cell_count(n).text. */
struct cell {
	char text[64];
};

/* Thousands apart: 10 000. */
struct cell cell_count(u64 count);

/* A length in the unit that suits it: 28.1 ns, 210 ns, 4.2 us, 1.5 s. */
struct cell cell_ns(double ns);

/* Per second: 812 /s, 35.1 M/s. */
struct cell cell_rate(double per_second);

/* A length of time as a user would have written it, exactly: 10 s, 300 ms. */
struct cell cell_duration(u64 ns);

/* Bytes in the largest power of 1024 that is exact: 64K. */
struct cell cell_bytes(u64 bytes);

/* How many columns UTF-8 text takes: one a character. */
int cell_columns(const char *text);

#endif /* REPORT_CELL_H */
