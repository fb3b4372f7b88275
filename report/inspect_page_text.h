/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page drawn field by field, with the borders of cache lines and who reads each.
 */
#ifndef REPORT_INSPECT_PAGE_TEXT_H
#define REPORT_INSPECT_PAGE_TEXT_H

#include <stdio.h>

#include "measure/inspect.h"

/* Draws one page. Not for two threads with the same `out`. */
void report_inspect_page(FILE *out, const struct inspect_page *page);

#endif /* REPORT_INSPECT_PAGE_TEXT_H */
