// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/settlement.h"

enum status report_settle_status(const struct settlement *settlement)
{
	enum status status = settlement->interrupted ? STATUS_INTERRUPTED : STATUS_WELL;

	for (size_t i = 0; i < settlement->sections; i++) {
		const struct settled *settled = &settlement->section[i];
		const enum status one =
			settled->comparison ? report_compare_status(settled->comparison)
			: settled->inspection && !settled->why.text[0] ? STATUS_WELL
								       : STATUS_USAGE;

		if (one == STATUS_STALLED || status == STATUS_WELL)
			status = one;
	}
	return status;
}
