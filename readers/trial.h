/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first call of code that nobody has called before, in a child process.
 */
#ifndef READERS_TRIAL_H
#define READERS_TRIAL_H

#include "readers/readers.h"

/*
 * Calls both paths of a reader on a quiet page of its layout, some times, and finds out whether the
 * counted one tells what it used: reader->tells. Returns 0, or -1 with a sentence in *err: it
 * crashes, it does not return, it fails. One thread at a time.
 */
int trial_run(struct reader *reader, struct errmsg *err);

#endif /* READERS_TRIAL_H */
