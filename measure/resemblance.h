/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether what was measured one after the other hangs together.
 */
#ifndef MEASURE_RESEMBLANCE_H
#define MEASURE_RESEMBLANCE_H

#include <stdbool.h>
#include <stddef.h>

#define RESEMBLANCE_MAX 96

/*
 * Whether neighbours among n values (2 to RESEMBLANCE_MAX) in the order of their measurement are
 * more alike than chance makes them: the correlation of the ranks of each and the next. Says yes of
 * independent values one time in three, which costs a wider interval; missing real resemblance
 * would cost a wrong one. Safe in any thread.
 */
bool neighbours_resemble(const double *values, size_t n);

#endif /* MEASURE_RESEMBLANCE_H */
