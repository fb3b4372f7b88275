// SPDX-License-Identifier: GPL-2.0-or-later
#define RWLOCK_KIND PTHREAD_RWLOCK_PREFER_READER_NP
#include "readers/library/rwlock.h"
