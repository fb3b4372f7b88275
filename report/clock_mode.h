/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clock modes of a kernel's page by name.
 */
#ifndef REPORT_CLOCK_MODE_H
#define REPORT_CLOCK_MODE_H

#include "sim/page.h"

/* none, tsc, pvclock, hvclock, or "unknown"; those of kernels on x86. Safe in any thread. */
const char *report_clock_mode(s32 clock_mode);

#endif /* REPORT_CLOCK_MODE_H */
