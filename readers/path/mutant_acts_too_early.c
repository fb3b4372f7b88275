// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * It makes use of what it read before it has looked whether it may, and what comes of a mixture is
 * anybody's guess: a pointer to nowhere, a division by zero. Here it is the end of the process.
 */
#define SEQUENCE_CHANGED(vc, seq) (READ_ONCE((vc)->seq) != (seq) && (__builtin_trap(), 1))
#include "readers/path/vdso.c"
