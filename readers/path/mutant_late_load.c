// SPDX-License-Identifier: GPL-2.0-or-later
/* What a compiler may make of a missing barrier: a load that leaves the section. */
#define SECTION_LATE(from, seconds) ((seconds) = READ_ONCE((from)->time.sec))
#include "readers/path/vdso.c"
