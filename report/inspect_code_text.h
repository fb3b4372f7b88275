/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code as people read it: one path with its source, two next to each other, what was inlined.
 */
#ifndef REPORT_INSPECT_CODE_TEXT_H
#define REPORT_INSPECT_CODE_TEXT_H

#include <stdio.h>

#include "measure/inspect.h"

/* None of these is for two threads with the same `out`. */

/* The fast path, a line for each executed instruction, with the source it comes from. */
void report_inspect_disassembly(FILE *out, const struct inspect_reader *inspected);

/* Both paths, what is the same in both on one line. */
void report_inspect_side_by_side(FILE *out, const struct walk *a, const struct walk *b);

/* Which functions were put into others, and how often. */
void report_inspect_inlinings(FILE *out, const struct functions *functions);

#endif /* REPORT_INSPECT_CODE_TEXT_H */
