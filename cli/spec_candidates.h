/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the spec of a reader, a writer or a clock source may become that was begun: its name, then
 * keys that have not been given, then their values, and behind an @ those of a recipe.
 */
#ifndef CLI_SPEC_CANDIDATES_H
#define CLI_SPEC_CANDIDATES_H

#include "cli/candidates.h"

/* What is broken on purpose is offered once a part of its name is there. */
void spec_candidates_reader(struct candidates *candidates);
void spec_candidates_writer(struct candidates *candidates);
void spec_candidates_clocksource(struct candidates *candidates);

/* host, or a file's name. */
void spec_candidates_image(struct candidates *candidates);

/* Names of clocks, with commas between them. */
void spec_candidates_clocks(struct candidates *candidates);

#endif /* CLI_SPEC_CANDIDATES_H */
