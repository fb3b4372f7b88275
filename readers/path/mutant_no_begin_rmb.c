// SPDX-License-Identifier: GPL-2.0-or-later
/* The compiler is held back, the CPU is not. */
#define SECTION_BEGIN() barrier()
#include "readers/path/vdso.c"
