/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every report in JSON is made of. Each report is one object with an entry `unavailable`, in
 * which stands the reason for each null.
 */
#ifndef REPORT_JSON_REPORT_H
#define REPORT_JSON_REPORT_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "measure/machine.h"
#include "measure/remarks.h"
#include "sim/errmsg.h"
#include "sim/types.h"

struct json_report {
	json_t *unavailable; /* name to reason */
	bool incomplete;     /* there was not the memory for all of it */
};

struct json_report json_report_begin(void);

/*
 * The report's one object, of which it takes the reference and gives one back, and what
 * json_report_begin took is given back. NULL: there was not the memory for all of it.
 */
json_t *json_report_finish(struct json_report *report, json_t *root);

/*
 * Writes such an object, of which it takes the reference; NULL, too. As json_report_end. It says of
 * itself by which command line it was made and when that was, if it is known; see
 * report/invocation.h.
 */
int json_report_write(json_t *root, FILE *out, struct errmsg *err);

/*
 * Writes the report's one object, of which it takes the reference, flushes `out`, and gives back
 * what json_report_begin took. Returns 0, or -1 with a sentence in *err: no memory, or out could
 * not be written. Not for two threads with the same `out`.
 */
int json_report_end(struct json_report *report, json_t *root, FILE *out, struct errmsg *err);

/* Both take the reference to `value`. */
void json_report_put(struct json_report *report, json_t *object, const char *name, json_t *value);
void json_report_append(struct json_report *report, json_t *array, json_t *value);

void json_report_unavailable(struct json_report *report, const char *name, const char *reason);

/* What all reports say of the machine, and what was remarked. */
json_t *json_report_machine(struct json_report *report, const struct machine *machine);
json_t *json_report_remarks(struct json_report *report, const struct remarks *remarks);

/* What the kernel or the user wrote need not be UTF-8, which JSON requires. */
json_t *json_report_text(const char *string);

static inline json_t *text(const char *string)
{
	return json_report_text(string);
}

/* JSON has signed integers only. */
static inline json_t *count(u64 value)
{
	return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* JSON has neither infinity nor NaN. */
static inline json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

#endif /* REPORT_JSON_REPORT_H */
