/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that does a comparison.
 */
#ifndef MEASURE_COMPARE_CHILD_H
#define MEASURE_COMPARE_CHILD_H

#include "measure/compare_area.h"

/*
 * Compares until area->stop is raised or there is no more room, and ends the process: with status 0
 * when all threads have ended. What it finds is in *area, which it shares with its parent.
 */
_Noreturn void compare_child(const struct compare_config *config, struct compare_area *area);

#endif /* MEASURE_COMPARE_CHILD_H */
