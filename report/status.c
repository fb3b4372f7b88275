// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/status.h"

enum status report_status(const struct run_result *result)
{
	if (result->total.torn || result->total.backwards)
		return STATUS_WRONG;
	switch (result->outcome) {
	case RUN_STALLED:
		return STATUS_STALLED;
	case RUN_INTERRUPTED:
		return STATUS_INTERRUPTED;
	case RUN_COMPLETE:
		break;
	}
	return result->total.reads ? STATUS_WELL : STATUS_USAGE;
}
