/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What compilers make of readers for other machines, as people read it.
 */
#ifndef REPORT_INSPECT_TARGET_TEXT_H
#define REPORT_INSPECT_TARGET_TEXT_H

#include <stdio.h>

#include "measure/inspect.h"

/* For each machine all readers, and what each takes more than the first. */
void report_inspect_targets(FILE *out, const struct inspect_result *result);

#endif /* REPORT_INSPECT_TARGET_TEXT_H */
