/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An observation as a scenario: a run whose page is updated as the kernel's was.
 */
#ifndef CLI_SCENARIO_SAVE_H
#define CLI_SCENARIO_SAVE_H

#include "measure/observe.h"
#include "sim/errmsg.h"

/*
 * Whether a file of that name could be written, without leaving one behind; for before the
 * observation, so that none is lost to a mistyped path. 0, or -1 with a sentence in *err.
 */
int scenario_save_check(const char *path, struct errmsg *err);

/*
 * Writes the scenario to the file, and over what it held. 0, or -1 with a sentence in *err: no
 * update was seen, so there is none to save, or the file could not be written.
 */
int scenario_save(const char *path, const struct observe_config *config,
		  const struct observe_result *result, struct errmsg *err);

#endif /* CLI_SCENARIO_SAVE_H */
