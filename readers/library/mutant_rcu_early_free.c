// SPDX-License-Identifier: GPL-2.0-or-later
/* Nobody waits for the readers that may still have the old snapshot. */
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <urcu/urcu-memb.h>

#include "readers/library/poison.h"

#define RCU(name)	rcu_early_free_##name
#define RCU_IS_QSBR	0
#define RCU_RETIRE(old) FREE_TOO_EARLY(old)
#include "readers/library/rcu.h"
