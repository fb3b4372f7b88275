// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/swept.h"

const char *swept_state_name(enum sweep_state state)
{
	static const char *const names[] = {
		[SWEEP_OPEN] = "open",
		[SWEEP_DONE] = "done",
		[SWEEP_STALLED] = "stalled",
		[SWEEP_FAILED] = "failed",
	};

	return names[state];
}

enum status report_sweep_status(const struct sweep_result *result)
{
	bool stalled = false, failed = false, open = false;

	for (size_t i = 0; i < result->points; i++) {
		const struct sweep_point *point = &result->point[i];

		if (sweep_is_wrong(point))
			return STATUS_WRONG;
		stalled |= point->state == SWEEP_STALLED;
		/* Without an update, or a read, nothing was measured however long it took. */
		failed |= point->state == SWEEP_FAILED ||
			  (point->state == SWEEP_DONE && (!point->updates || !point->reads));
		open |= point->state == SWEEP_OPEN;
	}
	if (stalled)
		return STATUS_STALLED;
	if (open)
		return STATUS_INTERRUPTED;
	return failed ? STATUS_USAGE : STATUS_WELL;
}
