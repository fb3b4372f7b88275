// SPDX-License-Identifier: GPL-2.0-or-later
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
