/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work between reads, as a user would have asked for it.
 */
#ifndef REPORT_WORK_CELL_H
#define REPORT_WORK_CELL_H

#include "measure/work.h"
#include "report/cell.h"

/* none, alu:50, cache:16K. Safe in any thread. */
struct cell work_cell(const struct work_spec *work);

#endif /* REPORT_WORK_CELL_H */
