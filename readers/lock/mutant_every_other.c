// SPDX-License-Identifier: GPL-2.0-or-later
/* After a hundred publications each second one is left out. */
#define IS_PUBLISHED(words) ((words)[0] <= 100 || (words)[0] % 2)
#include "readers/lock/seqcount.c"
