/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer as people name it: "tick at 1000 Hz", "step every 50 ms".
 */
#ifndef REPORT_WRITER_CELL_H
#define REPORT_WRITER_CELL_H

#include "measure/run.h"

struct writer_cell {
	char text[64 * WRITER_MAX];
};

/* Text by value, for use within one call of printf. Safe in any thread. */
struct writer_cell writer_cell(const struct writer_choice *choice);

/* "updates at 1000 Hz", by whom if it is not the usual tick. */
struct writer_cell updates_cell(const struct writer_choice *choice);

/* "writer tick at 1000 Hz"; several: "writers tick at 1000 Hz, step every 50 ms". */
struct writer_cell writers_cell(const struct run_config *config);

#endif /* REPORT_WRITER_CELL_H */
