// SPDX-License-Identifier: GPL-2.0-or-later
/* An acquire holds back what comes after it, and the loads of the data come before. */
#define SECTION_END()		  barrier()
#define SEQUENCE_CHANGED(vc, seq) (smp_load_acquire(&(vc)->seq) != (seq))
#include "readers/path/vdso.c"
