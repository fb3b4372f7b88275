/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A value of a result in a few words. Safe in any thread.
 */
#ifndef REPORT_DIFF_VALUE_H
#define REPORT_DIFF_VALUE_H

#include <jansson.h>

struct diff_words {
	char text[96];
};

/* A string as it is, null as none, NULL as nothing, all else as JSON has it; cut short if long. */
struct diff_words diff_words_of(const json_t *value);

/* A string, or of a boolean "true" or "false"; NULL: it is neither. The value's own. */
const char *diff_word_of(const json_t *value);

#endif /* REPORT_DIFF_VALUE_H */
