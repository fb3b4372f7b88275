/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers that are a vDSO image's code, which tells nothing of what it goes through.
 */
#ifndef READERS_IMAGE_H
#define READERS_IMAGE_H

#include "readers/readers.h"

#define READER_IMAGE_PREFIX "image:"

/*
 * Finds the reader that "image:NAME[:key=value,...]" names, and opens the image. What follows the
 * last colon belongs to the name unless it begins like a key. Returns 0, or -1 with a sentence in
 * *err. For a process that has one thread; see vdso_probe.
 */
int reader_resolve_image(const char *text, struct reader *reader, struct errmsg *err);

#endif /* READERS_IMAGE_H */
