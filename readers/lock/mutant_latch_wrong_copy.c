// SPDX-License-Identifier: GPL-2.0-or-later
#define COPY_TO_READ(seq) (~(seq)&1)
/* In two lines, so that what is read may come from two moments. */
#define COPY_BEGINS (CACHE_LINE / 2)
#include "readers/lock/latch.c"
