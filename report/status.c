// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/calibrate_figures.h"
#include "report/status.h"

enum status report_status(const struct run_result *result)
{
	if (reader_faults(&result->all.total) || result->forbidden_jumps)
		return STATUS_WRONG;
	switch (result->outcome) {
	case RUN_STALLED:
		return STATUS_STALLED;
	case RUN_INTERRUPTED:
		return STATUS_INTERRUPTED;
	case RUN_COMPLETE:
		break;
	}
	return result->all.total.reads ? STATUS_WELL : STATUS_USAGE;
}

enum status report_calibrate_status(const struct calibrate_config *config,
				    const struct calibrate_result *result)
{
	if (calibrate_disagreements(result, config))
		return STATUS_WRONG;
	return result->interrupted ? STATUS_INTERRUPTED : STATUS_WELL;
}

enum status report_compare_status(const struct comparison *comparison)
{
	switch (comparison->result->outcome) {
	case COMPARE_BROKEN:
		return STATUS_STALLED;
	case COMPARE_INTERRUPTED:
		return STATUS_INTERRUPTED;
	case COMPARE_COMPLETE:
		break;
	}
	return comparison->refused || !comparison->result->visits ? STATUS_USAGE : STATUS_WELL;
}
