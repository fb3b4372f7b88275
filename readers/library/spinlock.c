// SPDX-License-Identifier: GPL-2.0-or-later
#define EXCLUSIVE	      pthread_spinlock_t
#define EXCLUSIVE_SETUP(lock) pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE)
#define EXCLUSIVE_TAKE(lock)  pthread_spin_lock(lock)
#define EXCLUSIVE_GIVE(lock)  pthread_spin_unlock(lock)
#include "readers/library/exclusive.h"
