// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/sweep_axis.h"
#include "sim/value.h"

/* Longest number that is looked at: beyond the range of any. */
#define MAX_DIGITS 32

/* The value in the first `length` characters of text. */
static int parse_value(const char *text, size_t length, u64 least, u64 most, u64 *value,
		       struct errmsg *err)
{
	char number[MAX_DIGITS + 1];

	if (length > MAX_DIGITS)
		length = MAX_DIGITS;
	memcpy(number, text, length);
	number[length] = '\0';
	return parse_count(number, least, most, value, err);
}

static int parse_span(const char *text, const char *dots, u64 least, u64 most, size_t points,
		      struct sweep_axis *axis, struct errmsg *err)
{
	const char *end = dots + 2;
	const char *slash = strchr(end, '/');
	u64 first, last, count = points;
	struct sweep_axis span;

	if (parse_value(text, (size_t)(dots - text), least, most, &first, err) ||
	    parse_value(end, slash ? (size_t)(slash - end) : strlen(end), least, most, &last, err))
		return -1;
	if (slash && parse_count(slash + 1, 2, SWEEP_MAX_AXIS, &count, err))
		return -1;
	if (first >= last)
		return errmsg_set(err, "%s: the first number is not smaller than the last",
				  value_quote(text).text);
	sweep_axis_span(&span, first, last, (size_t)count);
	if (slash && span.count < count)
		return errmsg_set(err,
				  "%s: only %zu of those %llu differ as whole numbers; give fewer, "
				  "or a list",
				  value_quote(text).text, span.count, (unsigned long long)count);
	*axis = span;
	return 0;
}

static int add_value(struct sweep_axis *axis, const char *text, u64 value, struct errmsg *err)
{
	for (size_t i = 0; i < axis->count; i++)
		if (axis->value[i] == value)
			return errmsg_set(err, "%s: %llu stands there twice",
					  value_quote(text).text, (unsigned long long)value);
	if (axis->count == SWEEP_MAX_AXIS)
		return errmsg_set(err, "%s: more than %d values", value_quote(text).text,
				  SWEEP_MAX_AXIS);
	axis->value[axis->count++] = value;
	return 0;
}

static int parse_list(const char *text, u64 least, u64 most, struct sweep_axis *axis,
		      struct errmsg *err)
{
	struct sweep_axis list = {.count = 0};
	const char *at = text;
	u64 value;

	for (;;) {
		size_t length = strcspn(at, ",");

		if (parse_value(at, length, least, most, &value, err) ||
		    add_value(&list, text, value, err))
			return -1;
		if (!at[length])
			break;
		at += length + 1;
	}
	*axis = list;
	return 0;
}

int sweep_axis_parse(const char *text, u64 least, u64 most, size_t points, struct sweep_axis *axis,
		     struct errmsg *err)
{
	const char *dots = strstr(text, "..");

	return dots ? parse_span(text, dots, least, most, points, axis, err)
		    : parse_list(text, least, most, axis, err);
}
