/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Manual pages of section 1, by roff's man macros (man(7)), of what --help tells: NAME, SYNOPSIS,
 * DESCRIPTION, OPTIONS and EXIT STATUS. The build adds what is written by hand; see man/page.
 *
 * All of it goes to standard output.
 */
#ifndef CLI_MAN_H
#define CLI_MAN_H

#include <argp.h>

#include "cli/command.h"

/* The page of contend itself, which lists the commands. Returns an exit status. */
int man_print_whole(void);

/* The beginning of a command's page; man_tell, a usage_teller, prints the rest. */
void man_begin(const struct command *command);
void man_tell(const struct argp *argp, const char *name);

#endif /* CLI_MAN_H */
