// SPDX-License-Identifier: GPL-2.0-or-later
/* After a hundred publications there are no more. */
#define IS_PUBLISHED(words) ((words)[0] <= 100)
#include "readers/lock/seqcount.c"
