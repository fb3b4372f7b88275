// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "readers/same_code.h"

static bool same_bytes(const struct machine_code *a, const struct machine_code *b)
{
	return a->bytes && a->bytes == b->bytes && a->text == b->text && a->entry == b->entry &&
	       memcmp(a->image, b->image, a->bytes) == 0;
}

bool readers_same_code(const struct reader *a, const struct reader *b)
{
	return !a->image && !b->image && same_bytes(&a->code, &b->code) && a->clock == b->clock &&
	       a->in_namespace == b->in_namespace && a->layout == b->layout &&
	       a->data_offset == b->data_offset;
}
