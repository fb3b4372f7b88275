/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vDSO that the kernel has mapped into this process.
 */
#ifndef MEASURE_HOST_VDSO_H
#define MEASURE_HOST_VDSO_H

#include "sim/vdso_image.h"

/* Its clock_gettime, with 64-bit times; NULL if it has none. Any thread may ask. */
vdso_clock_gettime_fn *host_vdso_clock_gettime(void);

#endif /* MEASURE_HOST_VDSO_H */
