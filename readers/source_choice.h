/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source that a spec names, and how it is compiled, for whoever does not run it as it stands:
 * for other machines, or to explore it.
 */
#ifndef READERS_SOURCE_CHOICE_H
#define READERS_SOURCE_CHOICE_H

#include "readers/compile.h"
#include "readers/readers.h"
#include "readers/variation.h"

/* Of a spec with a recipe, or with a file's name. */
#define SOURCE_CHOICE_MAX_TEXT (SPEC_MAX_TEXT + RECIPE_MAX_TEXT)

/* Not to be copied: what it holds points into it. */
struct source_choice {
	const struct reader_kind *kind;
	const struct lock_source *lock; /* of a kind that is a lock; else NULL */
	clockid_t clock;
	const struct page_layout *layout; /* of the page that it reads */
	char path[128];			  /* as in struct reader */
	char keys[192];			  /* keys and recipe as they were given */
	struct compile_job job;		  /* its source is NULL for a lock that calls a library */

	struct recipe recipe;
	char name[SOURCE_CHOICE_MAX_TEXT]; /* of a file */
	struct variation_definitions definitions;
	char layout_definition[96];
};

/*
 * Finds it. An image is refused, with what `purpose` says of it: "is not compiled, for no target".
 * 0, or -1 with a sentence in *err, as reader_resolve's. Nothing is compiled.
 */
int source_choose(const char *text, const char *purpose, struct source_choice *choice,
		  struct errmsg *err);

#endif /* READERS_SOURCE_CHOICE_H */
