/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether two codes compute the same, each instruction of one doing in other registers what that of
 * the other does.
 *
 * Both are followed at once, with a table of which register of the one holds what which of the
 * other holds. At the entry each holds what its namesake does; what an instruction reads must
 * correspond, and what it writes does from then on. Where ways meet, what both say counts. In the
 * end results, and the registers that a caller keeps things in, must be their namesakes again.
 * Saved registers are taken to come back as they went.
 */
#ifndef MEASURE_RENAMING_H
#define MEASURE_RENAMING_H

#include "measure/listing.h"

/* Whether two lines do the same to operands of the same sizes, whichever registers they name. */
bool renaming_same_shape(const struct listing_line *a, const struct listing_line *b);

/* The same, and they name the same registers. */
bool renaming_same_line(const struct listing_line *a, const struct listing_line *b);

/*
 * Whether registers correspond throughout two listings, whose lines have the same shapes; that of
 * a code begins at line `entry`. False also if there is no memory to find out.
 */
bool renaming_holds(const struct listing *a, const struct listing *b, size_t entry);

#endif /* MEASURE_RENAMING_H */
