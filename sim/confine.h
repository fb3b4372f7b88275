/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeping a process that calls strange code from doing more than a read path does: it may ask the
 * system for the time, deal with signals and with a timer, and end.
 */
#ifndef SIM_CONFINE_H
#define SIM_CONFINE_H

#include <stdbool.h>

/*
 * From now on, in the calling thread and whatever it starts, for ever: any other system call raises
 * SIGSYS with si_code SYS_SECCOMP and is not made. No file, memory, process or socket can be had.
 * False: this kernel, machine or build (a sanitizer's, whose run-time makes calls of its own) has
 * no way to, and nothing is changed but that new privileges cannot be had.
 */
bool confine_to_clocks(void);

#endif /* SIM_CONFINE_H */
