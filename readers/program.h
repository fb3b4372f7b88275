/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running another program, a compiler, to its end: within a limit, and never longer than the user
 * wants to.
 */
#ifndef READERS_PROGRAM_H
#define READERS_PROGRAM_H

#include <signal.h>

#include "sim/errmsg.h"
#include "sim/types.h"

/*
 * Keeps back the signals by which a user ends a program, unless they are ignored, so that what is
 * under way can be tidied. program_let_signals takes the mask that was, and lets those through that
 * have come. Of the calling thread.
 */
sigset_t program_hold_signals(void);
void program_let_signals(const sigset_t *before);

/*
 * Runs the file in a process group of its own, with the signal mask `mask`. It reads nothing from
 * our input; what it prints goes to our standard error, all of it. When the limit, in seconds, is
 * over, or a signal has come that is held back, the group is killed. 0 if it ended with status 0;
 * or -1 with a sentence in *err. Thread-safe.
 */
int program_run(const char *file, char *const argument[], const sigset_t *mask, u32 limit_s,
		struct errmsg *err);

#endif /* READERS_PROGRAM_H */
