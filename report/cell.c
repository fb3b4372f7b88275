// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "report/cell.h"

struct cell cell_count(u64 count)
{
	struct cell cell;
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	char *out = cell.text;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*out++ = ' ';
		*out++ = digits[i];
	}
	*out = '\0';
	return cell;
}

/*
 * A value in the first of `units`, each `step` times the one before, in which fewer than four
 * digits stand before the point. The limits are those of rounding: 999.6 is 1.0 of the next.
 */
static struct cell scaled(double value, double step, const char *const *units)
{
	struct cell cell;

	while (value >= step - 0.5 && units[1]) {
		value /= step;
		units++;
	}
	snprintf(cell.text, sizeof(cell.text), "%.*f %s", value < 99.95 ? 1 : 0, value, *units);
	return cell;
}

struct cell cell_ns(double ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s", NULL};

	return scaled(ns, 1000, units);
}

struct cell cell_rate(double per_second)
{
	static const char *const units[] = {"/s", "k/s", "M/s", "G/s", NULL};

	return scaled(per_second, 1000, units);
}

struct cell cell_duration(u64 ns)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	const u64 hour = 3600ull * NSEC_PER_SEC, minute = 60ull * NSEC_PER_SEC;
	size_t unit = 0;
	u64 each = 1;
	struct cell cell;

	if (ns >= minute && ns % minute == 0) {
		const bool hours = ns % hour == 0;

		snprintf(cell.text, sizeof(cell.text), "%llu %s",
			 (unsigned long long)(ns / (hours ? hour : minute)), hours ? "h" : "min");
		return cell;
	}
	while (unit + 1 < ARRAY_SIZE(units) && ns >= each * 1000) {
		each *= 1000;
		unit++;
	}
	snprintf(cell.text, sizeof(cell.text), "%.12g %s", (double)ns / (double)each, units[unit]);
	return cell;
}

struct cell cell_bytes(u64 bytes)
{
	static const char *const suffixes[] = {"", "K", "M", "G"};
	size_t power = 0;
	struct cell cell;

	while (bytes && bytes % 1024 == 0 && power + 1 < ARRAY_SIZE(suffixes)) {
		bytes /= 1024;
		power++;
	}
	snprintf(cell.text, sizeof(cell.text), "%llu%s", (unsigned long long)bytes,
		 suffixes[power]);
	return cell;
}

int cell_columns(const char *text)
{
	int columns = 0;

	for (; *text; text++)
		columns += (*text & 0xc0) != 0x80;
	return columns;
}
