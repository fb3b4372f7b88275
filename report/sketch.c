// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "report/sketch.h"
#include "report/gnuplot.h"
#include "report/palette.h"

#define USUAL_HEIGHT 360
#define FEW_DECADES  3
#define LEAST_POWER  (-9)
#define MOST_POWER   15

int sketch_begin(struct sketch *sketch, struct errmsg *err)
{
	*sketch = (struct sketch){.height = USUAL_HEIGHT};
	sketch->script = open_memstream(&sketch->script_text, &sketch->size[0]);
	sketch->title = open_memstream(&sketch->title_text, &sketch->size[1]);
	sketch->description = open_memstream(&sketch->description_text, &sketch->size[2]);
	if (sketch->script && sketch->title && sketch->description)
		return 0;
	return errmsg_set(err, "no memory for a picture");
}

static int close_stream(FILE **stream)
{
	const int failed = *stream ? fclose(*stream) : 0;

	*stream = NULL;
	return failed;
}

int sketch_end(struct sketch *sketch, struct errmsg *err)
{
	int failed = close_stream(&sketch->script);

	failed |= close_stream(&sketch->title);
	failed |= close_stream(&sketch->description);
	return failed ? errmsg_set(err, "no memory for a picture") : 0;
}

void sketch_release(struct sketch *sketch)
{
	struct errmsg err;

	sketch_end(sketch, &err);
	free(sketch->script_text);
	free(sketch->title_text);
	free(sketch->description_text);
	*sketch = (struct sketch){.height = 0};
}

void sketch_frame(struct sketch *sketch, const char *x_label, const char *y_label)
{
	FILE *script = sketch->script;

	fputs("set grid lc rgb '" PALETTE_FAINT "' lw 1 dt 1\n"
	      "set border 3 lc rgb '" PALETTE_MUTED "'\n"
	      "set tics out scale 0.6 nomirror textcolor rgb '" PALETTE_INK "'\n"
	      "set key textcolor rgb '" PALETTE_INK "' samplen 3\n",
	      script);
	fputs("set xlabel ", script);
	gnuplot_string(script, x_label);
	fputs(" offset 0,0.4 textcolor rgb '" PALETTE_INK "'\nset ylabel ", script);
	gnuplot_string(script, y_label);
	fputs(" textcolor rgb '" PALETTE_INK "'\n", script);
}

void sketch_points(struct sketch *sketch, size_t number)
{
	static const int points[PALETTE_SERIES] = {7, 5, 9, 13, 6, 4, 8, 12};

	fprintf(sketch->script, " lc rgb '%s' pt %d", palette_series(number),
		points[number % PALETTE_SERIES]);
}

void sketch_series(struct sketch *sketch, size_t number)
{
	static const char *const dashes[PALETTE_SERIES] = {
		"solid",  "(8,4)",     "(2,3)",		 "(10,4,2,4)",
		"(16,4)", "(5,2,5,6)", "(12,3,2,3,2,3)", "(3,7)",
	};

	sketch_points(sketch, number);
	fprintf(sketch->script, " dt %s", dashes[number % PALETTE_SERIES]);
}

void sketch_label(struct sketch *sketch, const char *text, const char *place, ...)
{
	va_list arguments;

	fputs("set label ", sketch->script);
	gnuplot_string(sketch->script, text);
	fputc(' ', sketch->script);
	va_start(arguments, place);
	vfprintf(sketch->script, place, arguments);
	va_end(arguments);
	fputc('\n', sketch->script);
}

void sketch_box(struct sketch *sketch, double left, double bottom, double right, double top,
		const char *colour, bool outlined)
{
	fprintf(sketch->script,
		"set object rectangle from %.10g,%.10g to %.10g,%.10g fillcolor rgb '%s' "
		"fillstyle solid 1 ",
		left, bottom, right, top, colour);
	fputs(outlined ? "border lc rgb '" PALETTE_MUTED "' behind\n" : "noborder behind\n",
	      sketch->script);
}

static void write_power(FILE *script, double value)
{
	static const char *const units[] = {"n", "u", "m", "", " k", " M", " G", " T"};
	int thousands = (int)floor(log10(value) / 3 + 1e-9);

	if (value < 1) {
		fprintf(script, "'%g' %.10g", value, value);
		return;
	}
	if (thousands > 4)
		thousands = 4;
	fprintf(script, "'%g%s' %.10g", value / pow(1000, thousands), units[thousands + 3], value);
}

void sketch_log_tics(struct sketch *sketch, const char *axis, double least, double most)
{
	static const double steps[] = {1, 2, 5};
	const bool few = log10(most / least) < FEW_DECADES;
	const char *between = "";

	fprintf(sketch->script, "set %stics (", axis);
	for (int power = LEAST_POWER; power <= MOST_POWER; power++)
		for (size_t i = 0; i < (few ? ARRAY_SIZE(steps) : 1); i++) {
			const double value = steps[i] * pow(10, power);

			if (value < least * 0.999 || value > most * 1.001)
				continue;
			fputs(between, sketch->script);
			write_power(sketch->script, value);
			between = ", ";
		}
	fprintf(sketch->script, ")\nset logscale %s\n", axis);
}
