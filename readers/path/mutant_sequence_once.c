// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The sequence counts only once, after the data: the recheck waits until it is even. It is still
 * read at the begin, but only to tell the oracle where to look.
 */
#define SEQUENCE_IS_ODD(seq)	  ((void)(seq), 0)
#define SEQUENCE_CHANGED(vc, seq) ((void)(seq), READ_ONCE((vc)->seq) & 1)
#include "readers/path/vdso.c"
