// SPDX-License-Identifier: GPL-2.0-or-later
#define SEQUENCE_CHANGED(vc, seq) 0
#include "readers/path/vdso.c"
