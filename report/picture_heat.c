// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/palette.h"
#include "report/pictures.h"
#include "report/swept_at.h"

#define ROW_HEIGHT   36
#define FRAME_HEIGHT 130
#define ROOMY	     9 /* columns up to which a cell has room for its figure */

struct heat {
	const json_t *points;
	struct swept_axis hz, readers;
	double least, most; /* of the logarithm of what is above 0 */
	bool any;
};

static void measure(struct heat *heat)
{
	struct swept_point point;

	for (size_t i = 0; i < json_array_size(heat->points); i++) {
		if (!swept_point_at(heat->points, i, &point) || !(point.per_million > 0))
			continue;
		if (!heat->any || log(point.per_million) < heat->least)
			heat->least = log(point.per_million);
		if (!heat->any || log(point.per_million) > heat->most)
			heat->most = log(point.per_million);
		heat->any = true;
	}
}

static size_t strength_of(const struct heat *heat, double per_million)
{
	const double span = heat->most - heat->least;

	if (!(per_million > 0) || !(span > 0))
		return 0;
	return (size_t)((log(per_million) - heat->least) / span * (PALETTE_HEATS - 1) + 0.5);
}

static size_t place_of(const struct swept_axis *axis, double value)
{
	size_t at = 0;

	while (at + 1 < axis->count && fabs(axis->value[at] - value) >= 0.5)
		at++;
	return at;
}

static void write_figure(struct sketch *sketch, const struct heat *heat, double per_million,
			 double x, double y)
{
	char figure[24];

	if (heat->hz.count > ROOMY)
		return;
	snprintf(figure, sizeof(figure), per_million < 999.5 ? "%.3g" : "%.0f", per_million);
	if (per_million >= 99999.5)
		snprintf(figure, sizeof(figure), "%.1e", per_million);
	sketch_label(sketch, figure, "at %.10g,%.10g center textcolor rgb '%s' front", x, y,
		     palette_on_heat(strength_of(heat, per_million)));
}

static void write_cells(struct sketch *sketch, const struct heat *heat)
{
	struct swept_point point;

	for (size_t i = 0; i < json_array_size(heat->points); i++) {
		double x, y;

		if (!swept_point_at(heat->points, i, &point))
			continue;
		x = (double)place_of(&heat->hz, point.hz);
		y = (double)place_of(&heat->readers, point.readers);
		sketch_box(sketch, x - 0.48, y - 0.46, x + 0.48, y + 0.46,
			   palette_heat(strength_of(heat, point.per_million)), false);
		write_figure(sketch, heat, point.per_million, x, y);
	}
}

static void write_tics(FILE *script, const char *axis, const struct swept_axis *values)
{
	const size_t step = values->count / 12 + 1;

	fprintf(script, "set %stics (", axis);
	for (size_t i = 0; i < values->count; i += step) {
		const double value = values->value[i];

		if (value >= 1e6)
			fprintf(script, "%s'%.3g M' %zu", i ? ", " : "", value / 1e6, i);
		else if (value >= 1e3)
			fprintf(script, "%s'%.3g k' %zu", i ? ", " : "", value / 1e3, i);
		else
			fprintf(script, "%s'%.3g' %zu", i ? ", " : "", value, i);
	}
	fprintf(script, ") scale 0\nset %srange [-0.5:%.10g]\n", axis, (double)values->count - 0.5);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	const json_t *points = value_at(subject->files[0]->root, "points");
	struct heat heat = {.points = points,
			    .hz = swept_axis_of(points, "hz"),
			    .readers = swept_axis_of(points, "readers")};

	measure(&heat);
	if (!heat.any) {
		errmsg_set(&sketch->none, "no point was measured at which a read retried");
		return;
	}
	sketch->height = FRAME_HEIGHT + ROW_HEIGHT * (u32)heat.readers.count;
	fputs("Reads that retry, per million", sketch->title);
	sketch_frame(sketch, "updates per second (Hz)", "readers (count)");
	fputs("unset grid\nset border 0\nset nokey\n", sketch->script);
	write_tics(sketch->script, "x", &heat.hz);
	write_tics(sketch->script, "y", &heat.readers);
	write_cells(sketch, &heat);
	fputs("plot NaN\n", sketch->script);
	fprintf(sketch->description,
		"Reads that retry, of a million, for each rate of updates and number of readers, "
		"darker or brighter with more, each step the same factor: from %.3g to %.3g.",
		exp(heat.least), exp(heat.most));
	if (heat.hz.count > ROOMY)
		fputs(" The figures are in the table.", sketch->description);
}

const struct picture picture_heat = {
	.name = "heat",
	.summary = "share of reads that retry, rate by readers",
	.kind = RESULT_SWEEP,
	.draw = draw,
};
