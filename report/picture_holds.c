// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/cell.h"
#include "report/intervals.h"
#include "report/pictures.h"

#define WIDE 20 /* most over least, from where a logarithmic scale shows more */

struct range {
	size_t known;
	double least, most;
};

static bool hold_of(const json_t *interval, double *ns)
{
	return number_at(interval, "hold_ns.max", ns) == NUMBER_THERE;
}

static struct range range_of(const json_t *intervals)
{
	struct range range = {.known = 0};
	double ns;

	for (size_t i = 0; i < json_array_size(intervals); i++) {
		if (!hold_of(json_array_get(intervals, i), &ns))
			continue;
		if (!range.known || ns < range.least)
			range.least = ns;
		if (!range.known || ns > range.most)
			range.most = ns;
		range.known++;
	}
	return range;
}

static void write_data(FILE *script, const json_t *intervals)
{
	double ns;

	fputs("$holds << END\n", script);
	for (size_t i = 0; i < json_array_size(intervals); i++)
		if (hold_of(json_array_get(intervals, i), &ns))
			fprintf(script, "%.10g %.10g\n",
				interval_middle_s(json_array_get(intervals, i)), ns);
	fputs("END\n", script);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	const json_t *intervals = intervals_of(subject->files[0], sketch);
	const struct range range = range_of(intervals);

	if (!intervals)
		return;
	if (!range.known) {
		errmsg_set(&sketch->none, "no hold was measured in any interval");
		return;
	}
	fputs("Longest hold, over time", sketch->title);
	write_data(sketch->script, intervals);
	sketch_frame(sketch, "time (s)", "longest hold of each interval (ns)");
	if (range.least > 0 && range.most / range.least > WIDE)
		sketch_log_tics(sketch, "y", range.least / 2, range.most * 2);
	else
		fputs("set yrange [0:*]\n", sketch->script);
	fputs("set nokey\nplot $holds using 1:2 with linespoints lw 2", sketch->script);
	sketch_series(sketch, 0);
	fputs(" ps 0.7\n", sketch->script);
	fprintf(sketch->description,
		"How long the longest update of each interval kept the sequence odd: %s at least, ",
		cell_ns(range.least).text);
	fprintf(sketch->description, "%s at most, in %zu interval%s.", cell_ns(range.most).text,
		range.known, range.known == 1 ? "" : "s");
}

const struct picture picture_holds = {
	.name = "holds",
	.summary = "longest hold over time",
	.kind = RESULT_RUN,
	.draw = draw,
};
