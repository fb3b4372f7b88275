// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/forest.h"
#include "report/gnuplot.h"
#include "report/palette.h"

#define ROW_HEIGHT	      46
#define FRAME_HEIGHT	      180
#define MARGIN		      0.06 /* of the span */
#define LABEL_UP	      0.30 /* of a row, from its middle */
#define BAR_DOWN	      0.14
#define CLAIM_DOWN	      0.36
#define LINE_UP		      0.12
#define LINE_DOWN	      0.45
#define OUT_OF_ALL_PROPORTION 1e12
#define DOT_SPREAD	      0.08
#define MAX_DOTS	      80 /* of a row: more are not told apart, and make the picture large */

struct span {
	double least, most;
};

struct forest_row *forest_add(struct forest *forest)
{
	struct forest_row *row = &forest->row[forest->rows];

	if (forest->rows == FOREST_MAX_ROWS) {
		forest->left_out++;
		return NULL;
	}
	*row = (struct forest_row){
		.estimate = NAN, .ci95 = {NAN, NAN}, .ci99 = {NAN, NAN}, .claimed = {NAN, NAN}};
	forest->rows++;
	return row;
}

static void widen(struct span *span, double value)
{
	if (!(fabs(value) < OUT_OF_ALL_PROPORTION))
		return;
	span->least = fmin(span->least, value);
	span->most = fmax(span->most, value);
}

static void widen_by_row(struct span *span, const struct forest_row *row)
{
	widen(span, row->estimate);
	for (size_t i = 0; i < 2; i++) {
		widen(span, row->ci95[i]);
		widen(span, row->ci99[i]);
		widen(span, row->claimed[i]);
	}
	for (size_t i = 0; i < json_array_size(row->dots); i++)
		widen(span, json_number_value(json_array_get(row->dots, i)));
}

/* "No difference" is always within. */
static struct span span_of(const struct forest *forest)
{
	struct span span = {forest->same, forest->same};
	double margin;

	for (size_t i = 0; i < forest->rows; i++)
		widen_by_row(&span, &forest->row[i]);
	margin = (span.most - span.least) * MARGIN;
	if (!(margin > 0))
		margin = forest->band > 0 ? forest->band : 1;
	return (struct span){span.least - margin, span.most + margin};
}

/* From the top down. */
static double middle_of(const struct forest *forest, size_t row)
{
	return (double)(forest->rows - row);
}

static void write_rows(FILE *script, const struct forest *forest)
{
	fputs("$rows << END\n", script);
	for (size_t i = 0; i < forest->rows; i++) {
		const struct forest_row *row = &forest->row[i];

		if (isfinite(row->estimate))
			fprintf(script, "%.10g %.10g %.10g %.10g %.10g %.10g\n", row->estimate,
				middle_of(forest, i) - BAR_DOWN, row->ci95[0], row->ci95[1],
				row->ci99[0], row->ci99[1]);
	}
	fputs("END\n", script);
}

static bool write_claims(FILE *script, const struct forest *forest)
{
	bool any = false;

	fputs("$claims << END\n", script);
	for (size_t i = 0; i < forest->rows; i++) {
		const struct forest_row *row = &forest->row[i];

		if (!isfinite(row->claimed[0]))
			continue;
		fprintf(script, "%.10g %.10g %.10g %.10g\n",
			(row->claimed[0] + row->claimed[1]) / 2, middle_of(forest, i) - CLAIM_DOWN,
			row->claimed[0], row->claimed[1]);
		any = true;
	}
	fputs("END\n", script);
	return any;
}

/* Above and below the bar by turns, so that those which are nearly the same do not hide each other.
 */
static void write_dots_of(FILE *script, const struct forest_row *row, double middle)
{
	const size_t count = json_array_size(row->dots);
	const size_t step = count / MAX_DOTS + 1;

	for (size_t i = 0; i < count; i += step)
		fprintf(script, "%.10g %.10g\n", json_number_value(json_array_get(row->dots, i)),
			middle - BAR_DOWN + DOT_SPREAD * ((double)(i / step % 5) - 2) / 2);
}

static bool write_dots(FILE *script, const struct forest *forest)
{
	bool any = false;

	fputs("$dots << END\n", script);
	for (size_t i = 0; i < forest->rows; i++) {
		write_dots_of(script, &forest->row[i], middle_of(forest, i));
		any |= json_array_size(forest->row[i].dots) > 0;
	}
	fputs("END\n", script);
	return any;
}

/* The line of no difference does not go through the labels. */
static void write_band(struct sketch *sketch, const struct forest *forest, const struct span *span)
{
	const double left = fmax(forest->same - forest->band, span->least);
	const double right = fmin(forest->same + forest->band, span->most);

	if (forest->band > 0 && right > left)
		sketch_box(sketch, left, 0.4, right, (double)forest->rows + 0.6, PALETTE_BAND,
			   false);
	for (size_t i = 0; i < forest->rows; i++)
		fprintf(sketch->script,
			"set arrow from %.10g,%.10g to %.10g,%.10g nohead lc rgb '" PALETTE_INK
			"' lw 1 dt (4,4) back\n",
			forest->same, middle_of(forest, i) - LINE_DOWN, forest->same,
			middle_of(forest, i) + LINE_UP);
}

static void write_labels(struct sketch *sketch, const struct forest *forest)
{
	for (size_t i = 0; i < forest->rows; i++)
		sketch_label(sketch, forest->row[i].label,
			     "at graph 0.005, first %.10g left textcolor rgb '%s' front",
			     middle_of(forest, i) + LABEL_UP, PALETTE_INK);
}

static void write_plots(FILE *script, bool dots, bool claims)
{
	fputs("set key bmargin center horizontal height 1 maxcols 4\nplot", script);
	if (dots)
		fprintf(script,
			" $dots using 1:2 with points pt 6 ps 0.5 lc rgb '%s' title "
			"'one placement',",
			PALETTE_MUTED);
	if (claims)
		fprintf(script,
			" $claims using 1:2:3:4 with xerrorbars pt 13 ps 0.9 lw 2 lc rgb '%s' "
			"title 'claimed',",
			palette_series(1));
	fprintf(script,
		" $rows using 1:2:5:6 with xerrorbars pt 7 ps 0.1 lw 1 lc rgb '%1$s' title '99 %%',"
		" $rows using 1:2:3:4 with xerrorbars pt 7 ps 1 lw 3 lc rgb '%1$s' title '95 %%'\n",
		palette_series(0));
}

void forest_draw(struct sketch *sketch, const struct forest *forest)
{
	const struct span span = span_of(forest);
	FILE *script = sketch->script;
	bool dots, claims;

	sketch->height = FRAME_HEIGHT + ROW_HEIGHT * (u32)forest->rows;
	sketch_frame(sketch, forest->x_label, "");
	write_rows(script, forest);
	dots = write_dots(script, forest);
	claims = write_claims(script, forest);
	write_band(sketch, forest, &span);
	write_labels(sketch, forest);
	fprintf(script,
		"unset ytics\nset border 1\nset bars 0.6\nset xtics autofreq\n"
		"set xrange [%.10g:%.10g]\nset yrange [0.4:%.10g]\n",
		span.least, span.most, (double)forest->rows + 0.6);
	write_plots(script, dots, claims);
}
