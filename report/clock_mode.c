// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/clock_mode.h"

const char *report_clock_mode(s32 clock_mode)
{
	switch (clock_mode) {
	case VDSO_CLOCKMODE_NONE:
		return "none";
	case VDSO_CLOCKMODE_TSC:
		return "tsc";
	case VDSO_CLOCKMODE_PVCLOCK:
		return "pvclock";
	case VDSO_CLOCKMODE_HVCLOCK:
		return "hvclock";
	default:
		return "unknown";
	}
}
