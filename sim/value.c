// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "sim/value.h"
#include "sim/wide.h"

struct value_quote value_quote(const char *text)
{
	struct value_quote quoted;

	snprintf(quoted.text, sizeof(quoted.text), "'%.*s%s'", VALUE_QUOTE_MAX, text,
		 strlen(text) > VALUE_QUOTE_MAX ? "..." : "");
	return quoted;
}

/* Not isdigit, which asks the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool value_take_number(const char **text, u64 *number)
{
	u64 value = 0;

	if (!is_digit(**text))
		return false;
	for (; is_digit(**text); (*text)++)
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (u64)(**text - '0'), &value))
			return false;
	*number = value;
	return true;
}

int parse_count(const char *text, u64 least, u64 most, u64 *count, struct errmsg *err)
{
	const char *end = text;
	u64 value;

	if (!value_take_number(&end, &value) || *end || value < least || value > most)
		return errmsg_set(err, "%s is not a whole number from %llu to %llu",
				  value_quote(text).text, (unsigned long long)least,
				  (unsigned long long)most);
	*count = value;
	return 0;
}

static const struct {
	const char *name;
	u64 ns;
} units[] = {
	{"h", 3600ull * NSEC_PER_SEC},
	{"m", 60ull * NSEC_PER_SEC},
	{"s", NSEC_PER_SEC},
	{"ms", 1000000},
	{"us", 1000},
	{"ns", 1},
};

static u64 unit_ns(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(units[i].name, name) == 0)
			return units[i].ns;
	return 0;
}

/* As a user would write it: 1500000000 is 1500ms. */
static struct value_quote duration_text(u64 ns)
{
	struct value_quote result = {"0s"};

	for (size_t i = 0; ns && i < ARRAY_SIZE(units); i++) {
		if (ns % units[i].ns)
			continue;
		snprintf(result.text, sizeof(result.text), "%llu%s",
			 (unsigned long long)(ns / units[i].ns), units[i].name);
		break;
	}
	return result;
}

/* The digits of a fraction in nanoseconds. False when they are no whole number of them. */
static bool fraction_ns(const char *digits, u64 unit, u64 *ns)
{
	size_t count = strspn(digits, "0123456789");
	u64 value = 0, scale = 1, rest;

	while (count && digits[count - 1] == '0')
		count--;
	/* The last of so many digits would be worth less than any unit can make whole. */
	if (count > 18)
		return false;
	for (size_t i = 0; i < count; i++) {
		value = value * 10 + (u64)(digits[i] - '0');
		scale *= 10;
	}
	*ns = wide_div(wide_mul(value, unit), scale, &rest).low;
	return rest == 0;
}

static int out_of_range(const char *text, u64 least, u64 most, struct errmsg *err)
{
	return errmsg_set(err, "%s is not a time from %s to %s", value_quote(text).text,
			  duration_text(least).text, duration_text(most).text);
}

static int malformed_duration(const char *text, struct errmsg *err)
{
	return errmsg_set(err,
			  "%s is not a time: a number and ns, us, ms, s, m or h is wanted, as in "
			  "10s or 1.5s",
			  value_quote(text).text);
}

/*
 * Takes a time apart. 0 with the unit's length in *unit and, where there is a point, the digits
 * after it in *fraction; whole digits begin at `text`.
 */
static int split_duration(const char *text, u64 *unit, const char **fraction, struct errmsg *err)
{
	const char *end = text + strspn(text, "0123456789");

	if (end == text)
		return malformed_duration(text, err);
	if (*end == '.') {
		*fraction = end + 1;
		end = *fraction + strspn(*fraction, "0123456789");
		if (end == *fraction)
			return malformed_duration(text, err);
	}
	*unit = unit_ns(end);
	if (strcmp(text, "0") == 0)
		*unit = 1;
	else if (!*end)
		return errmsg_set(err, "%s has no unit: write %.*ss, %.*sms, %.*sus or %.*sns",
				  value_quote(text).text, VALUE_QUOTE_MAX, text, VALUE_QUOTE_MAX,
				  text, VALUE_QUOTE_MAX, text, VALUE_QUOTE_MAX, text);
	return *unit ? 0 : malformed_duration(text, err);
}

int parse_duration(const char *text, u64 least, u64 most, u64 *ns, struct errmsg *err)
{
	const char *fraction = "", *at = text;
	u64 unit = 0, value, rest;

	if (split_duration(text, &unit, &fraction, err))
		return -1;
	if (!fraction_ns(fraction, unit, &rest))
		return errmsg_set(err, "%s is not a whole number of nanoseconds",
				  value_quote(text).text);
	if (!value_take_number(&at, &value) || __builtin_mul_overflow(value, unit, &value) ||
	    __builtin_add_overflow(value, rest, &value) || value < least || value > most)
		return out_of_range(text, least, most, err);
	*ns = value;
	return 0;
}
