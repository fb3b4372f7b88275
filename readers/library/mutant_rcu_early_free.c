// SPDX-License-Identifier: GPL-2.0-or-later
/* Nobody waits for the readers that may still have the old snapshot. */
#include "readers/library/flavour.h"
#include <urcu/urcu-memb.h>

#include "readers/library/poison.h"

#define RCU_IS_QSBR	0
#define RCU_RETIRE(old) FREE_TOO_EARLY(old)
#include "readers/library/rcu.h"
