// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>

#include "report/palette.h"
#include "report/pictures.h"
#include "report/swept_at.h"

struct range {
	double hz[2];
	double share[2];
};

static void widen(double range[2], double value)
{
	if (!(value > 0))
		return;
	if (!(range[0] > 0) || value < range[0])
		range[0] = value;
	if (value > range[1])
		range[1] = value;
}

static struct range range_of(const json_t *points)
{
	struct range range = {{0, 0}, {0, 0}};
	struct swept_point point;

	for (size_t i = 0; i < json_array_size(points); i++)
		if (swept_point_at(points, i, &point)) {
			widen(range.hz, point.rate_hz);
			widen(range.share, point.per_million);
			widen(range.share, point.high);
			widen(range.share, point.low);
			widen(range.share, point.law);
		}
	return range;
}

/* What has none but an upper end stands there. */
static void write_readers(FILE *script, const json_t *points, size_t number, double readers,
			  double floor)
{
	struct swept_point point;

	fprintf(script, "$readers%zu << END\n", number);
	for (size_t i = 0; i < json_array_size(points); i++)
		if (swept_point_at(points, i, &point) && fabs(point.readers - readers) < 0.5 &&
		    point.per_million > 0)
			fprintf(script, "%.10g %.10g %.10g %.10g\n", point.rate_hz,
				point.per_million, point.low > floor ? point.low : floor,
				point.high);
	fprintf(script, "END\n$bounds%zu << END\n", number);
	for (size_t i = 0; i < json_array_size(points); i++)
		if (swept_point_at(points, i, &point) && fabs(point.readers - readers) < 0.5 &&
		    !(point.per_million > 0) && point.high > 0)
			fprintf(script, "%.10g %.10g\n", point.rate_hz, point.high);
	fputs("END\n", script);
}

static void write_law(FILE *script, const json_t *root, const struct range *range)
{
	double hold, read;

	if (number_at(root, "law.hold_ns", &hold) != NUMBER_THERE ||
	    number_at(root, "law.read_ns", &read) != NUMBER_THERE)
		return;
	/* Share = rate x (hold + length of a read); ns and a million leave a thousandth. */
	fprintf(script, ", [%.10g:%.10g] x * %.10g lw 2 lc rgb '%s' dt (10,5) title 'law'",
		range->hz[0], range->hz[1], (hold + read) / 1000, PALETTE_INK);
}

static void write_plots(struct sketch *sketch, const json_t *root, const struct range *range,
			const struct swept_axis *readers)
{
	FILE *script = sketch->script;

	fputs("set key bmargin center horizontal height 1 maxcols 4\nset bars 0.5\nplot", script);
	for (size_t i = 0; i < readers->count; i++) {
		fprintf(script, "%s $readers%zu using 1:2:3:4 with yerrorbars lw 1.5", i ? "," : "",
			i);
		sketch_points(sketch, i);
		fprintf(script,
			" title '%g reader%s', $readers%zu using 1:2 smooth unique with lines lw "
			"1.5",
			readers->value[i], readers->value[i] > 1 ? "s" : "", i);
		sketch_series(sketch, i);
		fprintf(script,
			" notitle, $bounds%zu using 1:2 with points lc rgb '%s' pt 11 "
			"notitle",
			i, palette_series(i));
	}
	write_law(script, root, range);
	fputc('\n', script);
}

static void say(FILE *out, const json_t *root, const struct range *range, size_t readers)
{
	double hold, read, residual;

	fprintf(out,
		"Reads that retry, of a million, at %g to %g updates per second, for %zu number%s "
		"of readers: from %.3g to %.3g. ",
		range->hz[0], range->hz[1], readers, readers == 1 ? "" : "s", range->share[0],
		range->share[1]);
	if (number_at(root, "law.hold_ns", &hold) == NUMBER_THERE &&
	    number_at(root, "law.read_ns", &read) == NUMBER_THERE)
		fprintf(out,
			"The law, share = rate x (hold visible to readers + length of a read), "
			"fits with %.3g ns and %.3g ns. ",
			hold, read);
	if (number_at(root, "law.residual", &residual) == NUMBER_THERE)
		fprintf(out, "What it leaves unexplained is %.2g %%. ", residual * 100);
	fputs("Bars are 95 % intervals; a triangle is the upper end where no read retried.", out);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	const json_t *root = subject->files[0]->root;
	const json_t *points = value_at(root, "points");
	const struct range range = range_of(points);
	const struct swept_axis readers = swept_axis_of(points, "readers");

	if (!(range.hz[0] > 0) || !(range.share[0] > 0)) {
		errmsg_set(&sketch->none, "no point was measured");
		return;
	}
	fputs("Reads that retry, by rate of updates", sketch->title);
	sketch->height += 30 + 20 * (u32)(readers.count / 4);
	for (size_t i = 0; i < readers.count; i++)
		write_readers(sketch->script, points, i, readers.value[i], range.share[0] / 2);
	sketch_frame(sketch, "updates per second (Hz)", "reads that retry, per million");
	sketch_log_tics(sketch, "x", range.hz[0] / 2, range.hz[1] * 2);
	sketch_log_tics(sketch, "y", range.share[0] / 2, range.share[1] * 2);
	fprintf(sketch->script, "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\n",
		range.hz[0] / 1.5, range.hz[1] * 1.5, range.share[0] / 1.7, range.share[1] * 1.7);
	write_plots(sketch, root, &range, &readers);
	say(sketch->description, root, &range, readers.count);
}

const struct picture picture_curves = {
	.name = "curves",
	.summary = "share of reads that retry over the rate, for each number of readers",
	.kind = RESULT_SWEEP,
	.draw = draw,
};
