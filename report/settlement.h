/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An argument, and what was measured of it: all that a report of that is made of.
 */
#ifndef REPORT_SETTLEMENT_H
#define REPORT_SETTLEMENT_H

#include <jansson.h>

#include "report/claim.h"
#include "report/comparison.h"
#include "report/status.h"
#include "sim/errmsg.h"

/* One section of the file: readers are compared, or their code is looked at. */
struct settled {
	const char *name;
	int line; /* where in the file it begins */
	const struct claim *claim;
	/* Of a comparison: the two as they are given. Else all readers, and for which machines. */
	bool is_inspection;
	const char *const *reader;
	size_t readers;
	const char *const *target;
	size_t targets;
	/*
	 * At most one of these; neither: `why` says it, or the time has not come yet. An inspection
	 * with a `why` lacks some of its readers.
	 */
	const struct comparison *comparison;
	json_t *inspection;
	struct errmsg why;
};

/* All stays the caller's. */
struct settlement {
	const char *file;
	const char *title;
	const struct claim_text *claim;
	const struct claim_text *by;
	size_t sections;
	struct settled *section;
	bool interrupted;
	double seconds;
};

/* Two readers were compared, or looked at, to the end or not. */
static inline bool settled_has_result(const struct settled *settled)
{
	return settled->comparison || settled->inspection;
}

/*
 * The exit status of all: code that broke wins over an interruption, and that over what could not
 * be done. No verdict has a part in it.
 */
enum status report_settle_status(const struct settlement *settlement);

#endif /* REPORT_SETTLEMENT_H */
