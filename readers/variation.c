// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "readers/variation.h"
#include "sim/layout.h"

const struct variation *variation_find(const struct spec *spec, const struct spec_key *keys)
{
	const struct page_layout *layout = page_layout_find(spec_value(spec, keys, "layout"));

	for (int i = 0; i < variation_count; i++) {
		const struct variation *v = &variations[i];

		if (!strcmp(v->layout, layout->name) &&
		    !strcmp(v->hint, spec_value(spec, keys, "hint")) &&
		    !strcmp(v->retry, spec_value(spec, keys, "retry")) &&
		    !strcmp(v->inlining, spec_value(spec, keys, "inline")) &&
		    !strcmp(v->callers, spec_value(spec, keys, "callers")))
			return v;
	}
	return NULL;
}

void variation_define_layout(const struct page_layout *layout, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "READER_LAYOUT=PAGE_LAYOUT_");

	for (const char *c = layout->name; *c && used + 1 < size; c++)
		text[used++] = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
	text[used] = '\0';
}

/* As a macro that stands before a parenthesis: nothing, or the name of the hint. */
static const char *hint_of(const struct spec *spec, const struct spec_key *keys, const char *key)
{
	const char *hint = spec_value(spec, keys, key);

	return strcmp(hint, "none") == 0 ? "" : hint;
}

int variation_define(const struct spec *spec, const struct spec_key *keys,
		     struct variation_definitions *result)
{
	const char *inlining = spec_value(spec, keys, "inline");
	const size_t size = sizeof(result->store[0]);

	variation_define_layout(page_layout_find(spec_value(spec, keys, "layout")),
				result->store[0], size);
	snprintf(result->store[1], size, "HINT_BEGIN=%s", hint_of(spec, keys, "hint"));
	snprintf(result->store[2], size, "HINT_RETRY=%s", hint_of(spec, keys, "retry"));
	snprintf(result->store[3], size, "READER_INLINE=static%s",
		 strcmp(inlining, "always") == 0  ? " inline __attribute__((always_inline))"
		 : strcmp(inlining, "never") == 0 ? " __attribute__((noinline))"
						  : "");
	snprintf(result->store[4], size, "READER_CALLERS=%s", spec_value(spec, keys, "callers"));
	for (int i = 0; i < (int)ARRAY_SIZE(result->define); i++)
		result->define[i] = result->store[i];
	return (int)ARRAY_SIZE(result->define);
}
