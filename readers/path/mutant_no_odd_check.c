// SPDX-License-Identifier: GPL-2.0-or-later
#define SEQUENCE_IS_ODD(seq) ((void)(seq), 0)
#include "readers/path/vdso.c"
