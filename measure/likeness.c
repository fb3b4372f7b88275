// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/likeness.h"
#include "measure/renaming.h"

typedef bool same_fn(const struct listing_line *a, const struct listing_line *b);

static size_t first_difference(const struct listing *a, const struct listing *b, same_fn *same)
{
	size_t i = 0;

	while (i < a->count && i < b->count && same(&a->line[i], &b->line[i]))
		i++;
	return i;
}

static bool is_throughout(const struct listing *a, const struct listing *b, size_t first)
{
	return a->count == b->count && first == a->count;
}

static void tell_first(struct likeness *likeness, const struct listing *a, const struct listing *b)
{
	const struct listing *both[2] = {a, b};

	for (int i = 0; i < 2; i++)
		if (likeness->first < both[i]->count)
			likeness->words[i] = listing_words(both[i], likeness->first);
}

static void compare(struct likeness *likeness, const struct listing *a, const struct listing *b,
		    size_t entry)
{
	likeness->count[0] = a->count;
	likeness->count[1] = b->count;
	likeness->first = first_difference(a, b, renaming_same_line);
	likeness->kind = LIKENESS_PLACE;
	if (is_throughout(a, b, likeness->first))
		return;
	likeness->kind = LIKENESS_DIFFERENT;
	likeness->same_shape = is_throughout(a, b, first_difference(a, b, renaming_same_shape));
	if (!likeness->same_shape)
		likeness->first = first_difference(a, b, renaming_same_shape);
	else if (renaming_holds(a, b, entry))
		likeness->kind = LIKENESS_REGISTERS;
	tell_first(likeness, a, b);
}

static bool same_bytes(const struct walk *a, const struct walk *b)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->step[i].bytes != b->step[i].bytes ||
		    a->step[i].address - a->entry != b->step[i].address - b->entry ||
		    memcmp(a->step[i].code, b->step[i].code, a->step[i].bytes) != 0)
			return false;
	return true;
}

void likeness_of_walks(struct likeness *likeness, const struct walk *a, const struct walk *b)
{
	struct listing of_a, of_b;

	*likeness = (struct likeness){.first = 0};
	if (listing_of_walk(&of_a, a, &likeness->unavailable))
		return;
	if (!listing_of_walk(&of_b, b, &likeness->unavailable)) {
		compare(likeness, &of_a, &of_b, 0);
		if (likeness->kind == LIKENESS_PLACE && same_bytes(a, b))
			likeness->kind = LIKENESS_SAME;
		listing_release(&of_b);
	}
	listing_release(&of_a);
}

static size_t entry_line(const struct listing *listing, const struct machine_code *code)
{
	size_t i = 0;

	while (i < listing->count && listing->line[i].found.address < code->entry)
		i++;
	return i;
}

static bool same_constants(const struct machine_code *a, const struct machine_code *b)
{
	return a->text == b->text && memcmp(a->image, b->image, a->text) == 0;
}

static void compare_codes(struct likeness *likeness, const struct listing *of_a,
			  const struct listing *of_b, const struct machine_code *a,
			  const struct machine_code *b)
{
	compare(likeness, of_a, of_b, entry_line(of_a, a));
	if (likeness->kind == LIKENESS_DIFFERENT)
		return;
	if (entry_line(of_a, a) != entry_line(of_b, b) || !same_constants(a, b))
		likeness->kind = LIKENESS_DIFFERENT;
	else if (likeness->kind == LIKENESS_PLACE && a->bytes == b->bytes && a->entry == b->entry &&
		 memcmp(a->image, b->image, a->bytes) == 0)
		likeness->kind = LIKENESS_SAME;
}

void likeness_of_codes(struct likeness *likeness, const struct machine_code *a,
		       const struct machine_code *b)
{
	struct listing of_a, of_b;

	*likeness = (struct likeness){.first = 0};
	if (!a->bytes || !b->bytes) {
		errmsg_set(&likeness->unavailable, "an image's code is more than its read path");
		return;
	}
	if (listing_of_code(&of_a, a, &likeness->unavailable))
		return;
	if (!listing_of_code(&of_b, b, &likeness->unavailable)) {
		compare_codes(likeness, &of_a, &of_b, a, b);
		listing_release(&of_b);
	}
	listing_release(&of_a);
}
