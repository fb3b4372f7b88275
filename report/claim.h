/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What somebody said of the difference between two readers.
 */
#ifndef REPORT_CLAIM_H
#define REPORT_CLAIM_H

#include <stdbool.h>
#include <stddef.h>

#define CLAIM_MAX_LINES 12

/* Lines of text; they stay whose they are. */
struct claim_text {
	size_t lines;
	const char *line[CLAIM_MAX_LINES];
};

struct claim {
	struct claim_text text;
	bool has_percent;
	/* From low to high; of a read's time, as an effect is: negative is faster. */
	double low_percent;
	double high_percent;
};

#endif /* REPORT_CLAIM_H */
