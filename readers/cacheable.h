/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether all that a compilation hangs on is known: then its result may be kept, and taken for that
 * of another one.
 */
#ifndef READERS_CACHEABLE_H
#define READERS_CACHEABLE_H

#include <stdbool.h>

/*
 * `cflags` are the user's, with blanks between them, or NULL; `seen` is the text after the
 * preprocessor, ended by a zero. False if a flag may name a file, a folder of programs, or the
 * machine that it runs on, or if the assembler is told to read a file. Flags that are not known to
 * do none of this count as such. Thread-safe.
 */
bool is_cacheable(const char *cflags, const char *seen);

#endif /* READERS_CACHEABLE_H */
