// SPDX-License-Identifier: GPL-2.0-or-later
/* What has been stored by then, the fence does not hold back. */
#define GO_EVEN(lock)        \
	do {                 \
		go_on(lock); \
		smp_wmb();   \
	} while (0)
#include "readers/lock/seqcount.c"
