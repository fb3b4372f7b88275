/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How work that takes its time tells how it is going.
 */
#ifndef MEASURE_PROGRESS_H
#define MEASURE_PROGRESS_H

/*
 * `share_done` is 0 to 1, or a little beyond. `figures` says in a few words what has been found so
 * far; "": nothing yet. It is the teller's, and gone after the call.
 */
typedef void progress_fn(double share_done, double seconds_left, const char *figures,
			 void *context);

#endif /* MEASURE_PROGRESS_H */
