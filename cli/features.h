/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of contend can be had on this machine, and what cannot, and why.
 */
#ifndef CLI_FEATURES_H
#define CLI_FEATURES_H

/*
 * Prints a line for each feature to standard output: yes and what it is for, or no, why, and what
 * goes without it. Asks the kernel and looks into PATH, and starts no program; takes about a
 * millisecond. One thread only: it makes a child process.
 */
void features_print(void);

#endif /* CLI_FEATURES_H */
