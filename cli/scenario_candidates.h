/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the name of a scenario that was begun may become.
 */
#ifndef CLI_SCENARIO_CANDIDATES_H
#define CLI_SCENARIO_CANDIDATES_H

#include "cli/candidates.h"

/*
 * Offers files whose name ends with .ini, where the word says; and, if it names no folder, those
 * that contend brings along, by their path, though without `all` only if something has been typed.
 * What a shell would want quoted is left out.
 */
void scenario_candidates(const struct candidates *candidates, bool all);

#endif /* CLI_SCENARIO_CANDIDATES_H */
