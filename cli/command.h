/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The subcommands: each parses its own arguments, does its work and returns the exit status.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

/* argv[0] is not looked at. What goes wrong is said in one line on standard error. */
int command_run(int argc, char **argv);
int command_observe(int argc, char **argv);
int command_list(int argc, char **argv);
int command_calibrate(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_inspect(int argc, char **argv);
int command_settle(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_verify(int argc, char **argv);
int command_prove(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_report(int argc, char **argv);

#endif /* CLI_COMMAND_H */
