/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text within XML or HTML, as part of an element or of an attribute's value.
 */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stdio.h>

/*
 * Writes UTF-8 text so that nothing in it is taken for markup, not even between quotes of an
 * attribute. Control characters that neither XML nor HTML may hold are written as U+FFFD.
 */
void markup_text(FILE *out, const char *text);

#endif /* REPORT_MARKUP_H */
