/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What INT, TERM and HUP do to a command that makes a result.
 *
 * Before there is a result to lose, a signal ends the process at once, with STATUS_INTERRUPTED. The
 * first that comes later is left to the command, which stops and prints what it has; the next one,
 * whichever of the three it is, ends the process at once, too. A signal that whoever started this
 * process chose to ignore stays ignored.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>
#include <stddef.h>

/* From now on. Once in a process, and before any thread is started. */
void signals_handle(void);

#define SIGNALS_MOST_TIDY 4

/*
 * A file to remove when a signal ends the process, since what is in it is no result; one of
 * SIGNALS_MOST_TIDY at most. The path stays the caller's.
 */
void signals_tidy(const char *path);

/* It is no longer to be removed, if it was; NULL: no file was. */
void signals_tidy_not(const char *path);

/*
 * So many columns of the line on standard error are to be erased when a signal ends the process; 0:
 * none.
 */
void signals_erase(size_t columns);

/* From now on there is a result to lose. */
void signals_keep_result(void);

/* To be told of a signal that a run took for its own; one that came since is the next then. */
void signals_stopped(void);

/* Raised by the first signal that came since there is a result. */
extern volatile sig_atomic_t signals_asked_to_stop;

#endif /* CLI_SIGNALS_H */
