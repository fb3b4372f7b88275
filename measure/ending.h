/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signals by which whoever started this process ends it early.
 */
#ifndef MEASURE_ENDING_H
#define MEASURE_ENDING_H

#include <signal.h>

/*
 * INT, TERM and HUP, but for those that are ignored now: blocked, they would be kept for
 * sigtimedwait(), and who started this process, by nohup for instance, wants it to go on. Any
 * thread.
 */
sigset_t ending_signals(void);

#endif /* MEASURE_ENDING_H */
