// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "report/figure.h"
#include "report/json_path.h"
#include "report/pair_at.h"

#define NS_PER_S  1e9
#define COUNT_END 1e18 /* JSON counts no further */

static const struct cell none = {"n/a"};

static struct cell formatted(const char *format, double value)
{
	struct cell cell;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(cell.text, sizeof(cell.text), format, value);
#pragma GCC diagnostic pop
	return cell;
}

struct cell figure_of(double value, enum figure_unit unit)
{
	static const char *const formats[] = {
		[FIGURE_EXACT_NS] = "%.5g ns", [FIGURE_HZ] = "%.6g Hz",
		[FIGURE_PER_MILLION] = "%.3g", [FIGURE_EFFECT] = "%+.3g %%",
		[FIGURE_PERCENT] = "%.3g %%",  [FIGURE_RATIO] = "%.4f",
		[FIGURE_PLAIN] = "%.6g",
	};

	switch (unit) {
	case FIGURE_COUNT:
		return value >= 0 && value < COUNT_END ? cell_count((u64)value)
						       : formatted("%.3g", value);
	case FIGURE_NS:
		return cell_ns(value);
	case FIGURE_SECONDS:
		return cell_ns(value * NS_PER_S);
	case FIGURE_RATE:
		return cell_rate(value);
	default:
		return formatted(formats[unit], value);
	}
}

struct cell figure_at(const json_t *root, const char *path, enum figure_unit unit)
{
	double value;

	return number_at(root, path, &value) == NUMBER_THERE ? figure_of(value, unit) : none;
}

struct cell figure_pair_at(const json_t *root, const char *path, enum figure_unit unit)
{
	struct cell cell;
	double pair[2];

	if (!pair_at(root, path, pair))
		return none;
	snprintf(cell.text, sizeof(cell.text), "%.28s to %.28s", figure_of(pair[0], unit).text,
		 figure_of(pair[1], unit).text);
	return cell;
}

const char *words_at(const json_t *root, const char *path)
{
	const char *text = text_at(root, path);

	return text ? text : none.text;
}

const char *words_in(const json_t *list, size_t place)
{
	const char *text = json_string_value(json_array_get(list, place));

	return text ? text : none.text;
}

struct words words_of(const json_t *list)
{
	struct words words = {"none"};
	size_t used = 0;

	for (size_t i = 0; i < json_array_size(list) && used < sizeof(words.text); i++)
		used += (size_t)snprintf(words.text + used, sizeof(words.text) - used, "%s%s",
					 i ? ", " : "", words_in(list, i));
	return words;
}

const char *yes_no_at(const json_t *root, const char *path)
{
	if (!json_is_boolean(value_at(root, path)))
		return none.text;
	return true_at(root, path) ? "yes" : "no";
}

const char *plural(const json_t *root, const char *path)
{
	double value;

	return number_at(root, path, &value) == NUMBER_THERE && value > 0.5 && value < 1.5 ? ""
											   : "s";
}
