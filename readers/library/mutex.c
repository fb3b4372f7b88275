// SPDX-License-Identifier: GPL-2.0-or-later
#define EXCLUSIVE	      pthread_mutex_t
#define EXCLUSIVE_SETUP(lock) pthread_mutex_init(lock, NULL)
#define EXCLUSIVE_TAKE(lock)  pthread_mutex_lock(lock)
#define EXCLUSIVE_GIVE(lock)  pthread_mutex_unlock(lock)
#include "readers/library/exclusive.h"
