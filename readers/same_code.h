/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether two readers are one and the same to the processor.
 */
#ifndef READERS_SAME_CODE_H
#define READERS_SAME_CODE_H

#include "readers/readers.h"

/*
 * Whether the bare paths of both are the same bytes, entered at the same one, and are given the
 * same: clock, and kind and layout of page. Then nothing but placement can tell them apart. False
 * of images' code, of which nobody knows where it ends. Safe in any thread.
 */
bool readers_same_code(const struct reader *a, const struct reader *b);

#endif /* READERS_SAME_CODE_H */
