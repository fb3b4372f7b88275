// SPDX-License-Identifier: GPL-2.0-or-later
/* The kind whose name says no more than "writer" prefers readers all the same. */
#define RWLOCK_KIND PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP
#include "readers/library/rwlock.h"
