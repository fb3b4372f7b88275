/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remarks: sentences about what a result does not show by itself.
 */
#ifndef MEASURE_REMARKS_H
#define MEASURE_REMARKS_H

/* Enough for a remark on every ratio of the largest calibration. */
#define REMARKS_MAX	 96
#define REMARKS_MAX_TEXT 512

struct remarks {
	int count;
	char text[REMARKS_MAX][REMARKS_MAX_TEXT];
};

/* Adds a sentence, cut to REMARKS_MAX_TEXT - 1 characters; past REMARKS_MAX it is dropped. */
void remark(struct remarks *remarks, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* MEASURE_REMARKS_H */
