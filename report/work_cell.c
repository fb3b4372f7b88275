// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "report/work_cell.h"

struct cell work_cell(const struct work_spec *work)
{
	struct cell cell = {"none"};

	switch (work->kind) {
	case WORK_NONE:
		break;
	case WORK_ALU:
		snprintf(cell.text, sizeof(cell.text), "alu:%llu",
			 (unsigned long long)work->amount);
		break;
	case WORK_CACHE:
		snprintf(cell.text, sizeof(cell.text), "cache:%.40s",
			 cell_bytes(work->amount).text);
		break;
	case WORK_COLD:
		snprintf(cell.text, sizeof(cell.text), "cold");
		break;
	}
	return cell;
}
