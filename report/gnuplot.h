/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gnuplot, which draws all pictures: it is given a script and gives back what it has drawn.
 *
 * What is run is the program `gnuplot` of PATH, without the user's own settings; the script and its
 * complaints go through memory, and no file is written.
 */
#ifndef REPORT_GNUPLOT_H
#define REPORT_GNUPLOT_H

#include <stdio.h>

#include "sim/errmsg.h"

#define GNUPLOT_FAILED 1

/*
 * Runs the script, and puts what gnuplot wrote to its standard output into *output, *length bytes
 * and a zero behind them, to be freed by the caller. 0, or with a sentence in *err GNUPLOT_FAILED:
 * it failed at this script (with its own first complaint), or -1: there is no gnuplot, it did not
 * end within a minute and was killed, or there is no memory. Safe in any thread.
 */
int gnuplot_run(const char *script, char **output, size_t *length, struct errmsg *err);

/*
 * Writes text as a string of a script, or as several with dots between them, which gnuplot takes
 * for one wherever it takes strings: in quotes, within which it takes nothing for a command, in one
 * line and without control characters. To be shown as it is it needs `noenhanced`.
 */
void gnuplot_string(FILE *script, const char *text);

#endif /* REPORT_GNUPLOT_H */
