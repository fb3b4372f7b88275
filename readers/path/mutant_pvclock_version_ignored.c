// SPDX-License-Identifier: GPL-2.0-or-later
#define PVCLOCK_CHANGED(record, before) ((void)(record), (void)(before), 0)
#include "readers/path/vdso.c"
