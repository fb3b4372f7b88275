/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that the build has not made: its source is compiled, and what comes of it is the
 * reader's own, to be given back by reader_release, failed or not.
 */
#ifndef READERS_ON_DEMAND_H
#define READERS_ON_DEMAND_H

#include "readers/compile.h"
#include "readers/readers.h"
#include "readers/recipe.h"

/* Adds a recipe, if one was given, to the name of the reader's variation. */
void on_demand_name(const struct recipe *recipe, struct reader *reader);

/*
 * Compiles all entries of a source, and puts each where it can be called. The job says all but
 * which entry it is of. 0, or -1 with a sentence in *err that names the reader.
 */
int on_demand_compile(struct compile_job *job, struct reader *reader, struct errmsg *err);

/*
 * The same, and has it tried: what a recipe or a source of the user's has made is strange code,
 * which is RUN here, in a process of its own.
 */
int on_demand_make(struct compile_job *job, struct reader *reader, struct errmsg *err);

#endif /* READERS_ON_DEMAND_H */
