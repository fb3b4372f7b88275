/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What contend inspect has found out, as people read it.
 */
#ifndef REPORT_INSPECT_TEXT_H
#define REPORT_INSPECT_TEXT_H

#include <stdio.h>

#include "measure/inspect.h"

/*
 * Prints all of it, with the traced paths if `disassembly`. Returns 0, or -1 if `out` could not be
 * written. Not for two threads with the same `out`.
 */
int report_inspect(FILE *out, const struct inspect_result *result, bool disassembly);

/* In words, as in "the same but for registers". */
const char *report_likeness(const struct likeness *likeness);

#endif /* REPORT_INSPECT_TEXT_H */
