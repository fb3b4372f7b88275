// SPDX-License-Identifier: GPL-2.0-or-later
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <urcu/urcu-qsbr.h>

#define RCU(name)   rcu_qsbr_##name
#define RCU_IS_QSBR 1
#include "readers/library/rcu.h"
