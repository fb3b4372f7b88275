/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sentence about what went wrong, handed up to whoever talks to the user.
 */
#ifndef SIM_ERRMSG_H
#define SIM_ERRMSG_H

struct errmsg {
	char text[512];
};

/* Formats into *err, cutting what does not fit, and returns -1, so that a caller can return it. */
int errmsg_set(struct errmsg *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* SIM_ERRMSG_H */
