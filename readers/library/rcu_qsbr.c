// SPDX-License-Identifier: GPL-2.0-or-later
#include "readers/library/flavour.h"
#include <urcu/urcu-qsbr.h>

#define RCU(name)   rcu_qsbr_##name
#define RCU_IS_QSBR 1
#include "readers/library/rcu.h"
