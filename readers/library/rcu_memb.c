// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/library/flavour.h"
#include <urcu/urcu-memb.h>

#define RCU(name)   rcu_memb_##name
#define RCU_IS_QSBR 0
#include "readers/library/rcu.h"
