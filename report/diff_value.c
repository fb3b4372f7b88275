// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff_value.h"

const char *diff_word_of(const json_t *value)
{
	if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	return json_string_value(value);
}

struct diff_words diff_words_of(const json_t *value)
{
	const char *plain = json_is_null(value) ? "none" : diff_word_of(value);
	char *dump = NULL;
	struct diff_words words;

	if (!plain && value)
		plain = dump =
			json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(10));
	if (!plain)
		plain = "nothing";
	if (strlen(plain) < sizeof(words.text))
		snprintf(words.text, sizeof(words.text), "%s", plain);
	else
		snprintf(words.text, sizeof(words.text), "%.*s...", (int)sizeof(words.text) - 4,
			 plain);
	free(dump);
	return words;
}
