/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What contend is and what commands it has, as text.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

/* Prints it to standard output, with the options of run. Returns an exit status. */
int help_print(void);

#endif /* CLI_HELP_H */
