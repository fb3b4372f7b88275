// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/cell.h"
#include "report/gnuplot.h"
#include "report/label.h"
#include "report/pictures.h"

#define WIDE	   20 /* most over least, from where a logarithmic scale shows more */
#define MAX_CURVES 24
#define LINE	   20 /* of the key */

struct curve {
	const json_t *read_ns;
	struct label label;
	double total; /* reads in the histogram */
	double least, most;
};

struct curves {
	struct curve curve[MAX_CURVES];
	size_t count, left_out;
	double total, least, most; /* of all */
	bool coarse;		   /* of one no more than four percentiles are known */
};

static double bucket(const json_t *histogram, size_t i, size_t column)
{
	return json_number_value(json_array_get(json_array_get(histogram, i), column));
}

static const json_t *histogram_of(const struct curve *curve)
{
	const json_t *histogram = value_at(curve->read_ns, "histogram");

	return json_array_size(histogram) ? histogram : NULL;
}

/* As far as is known of it; false: nothing is. */
static bool measure(struct curve *curve)
{
	const json_t *histogram = histogram_of(curve);
	const size_t buckets = json_array_size(histogram);

	for (size_t i = 0; i < buckets; i++)
		curve->total += bucket(histogram, i, 1);
	if (buckets) {
		curve->least = bucket(histogram, 0, 0);
		curve->most = bucket(histogram, buckets - 1, 0);
		return curve->total > 0;
	}
	return number_at(curve->read_ns, "samples", &curve->total) == NUMBER_THERE &&
	       curve->total > 0 &&
	       number_at(curve->read_ns, "p50", &curve->least) == NUMBER_THERE &&
	       number_at(curve->read_ns, "max", &curve->most) == NUMBER_THERE;
}

static void add_curve(struct curves *curves, const struct curve *curve)
{
	if (curves->count == MAX_CURVES) {
		curves->left_out++;
		return;
	}
	if (!curves->count || curve->least < curves->least)
		curves->least = curve->least;
	if (curve->most > curves->most)
		curves->most = curve->most;
	if (curve->total > curves->total)
		curves->total = curve->total;
	curves->coarse |= !histogram_of(curve);
	curves->curve[curves->count++] = *curve;
}

static void add_groups(struct curves *curves, const struct picture_subject *subject, size_t file)
{
	const json_t *groups = value_at(subject->files[file]->root, "groups");
	const size_t count = json_array_size(groups);

	for (size_t i = 0; i < count; i++) {
		const json_t *group = json_array_get(groups, i);
		const char *name = text_at(group, "name");
		struct curve curve = {.read_ns = value_at(group, "read_ns")};

		curve.label = label_of(subject->files, subject->count, file,
				       count > 1 && name ? name : NULL);
		if (measure(&curve))
			add_curve(curves, &curve);
	}
}

/* 1 of so many reads was longer: where the share of reads before lies on the axis. */
static double odds(double before, double total)
{
	return total / (total - before);
}

static void write_histogram(FILE *script, const struct curve *curve, const json_t *histogram)
{
	double before = 0;

	for (size_t i = 0; i < json_array_size(histogram); i++) {
		const double upper = bucket(histogram, i, 0);
		const double behind = before + bucket(histogram, i, 1);

		fprintf(script, "%.10g %.10g\n", odds(before, curve->total), upper);
		fprintf(script, "%.10g %.10g\n",
			behind < curve->total ? odds(behind, curve->total) : curve->total, upper);
		before = behind;
	}
}

static void write_four(FILE *script, const struct curve *curve)
{
	static const struct {
		const char *name;
		double odds;
	} known[] = {{"p50", 2}, {"p99", 100}, {"p99_99", 10000}};
	double value;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (number_at(curve->read_ns, known[i].name, &value) == NUMBER_THERE &&
		    known[i].odds <= curve->total)
			fprintf(script, "%.10g %.10g\n", known[i].odds, value);
	fprintf(script, "%.10g %.10g\n", curve->total, curve->most);
}

static void write_data(FILE *script, const struct curves *curves)
{
	for (size_t i = 0; i < curves->count; i++) {
		const struct curve *curve = &curves->curve[i];
		const json_t *histogram = histogram_of(curve);

		fprintf(script, "$reads%zu << END\n", i);
		if (histogram)
			write_histogram(script, curve, histogram);
		else
			write_four(script, curve);
		fputs("END\n", script);
	}
}

static void write_tics(FILE *script, double total)
{
	const int decades = (int)ceil(log10(total));
	const int step = decades > 7 ? 2 : 1;

	fprintf(script, "set logscale x\nset xrange [1:%.10g]\nset xtics ('0' 1, '50' 2",
		total > 10 ? total : 10);
	for (int i = 1; i <= decades; i++)
		if (i <= 2 || (decades - i) % step == 0)
			fprintf(script, ", '%.*f' 1e%d", i < 2 ? 0 : i - 2, 100 - pow(10, 2 - i),
				i);
	fputs(")\n", script);
}

static void write_axes(struct sketch *sketch, const struct curves *curves)
{
	FILE *script = sketch->script;

	sketch_frame(sketch, "share of reads that took no longer (%)", "time per read (ns)");
	write_tics(script, curves->total);
	if (curves->least > 0 && curves->most / curves->least > WIDE) {
		sketch_log_tics(sketch, "y", curves->least / 2, curves->most * 2);
		fprintf(script, "set yrange [%.10g:%.10g]\n", curves->least / 1.5,
			curves->most * 1.5);
	} else {
		fprintf(script, "set yrange [0:%.10g]\n",
			curves->most > 0 ? curves->most * 1.1 : 1);
	}
	fputs("set key bmargin left vertical maxcols 1 Left reverse height 1\n", script);
}

static void write_plots(struct sketch *sketch, const struct curves *curves)
{
	for (size_t i = 0; i < curves->count; i++) {
		fprintf(sketch->script, "%s $reads%zu using 1:2 with %s lw 2", i ? "," : "plot", i,
			histogram_of(&curves->curve[i]) ? "lines" : "linespoints");
		sketch_series(sketch, i);
		fputs(" title ", sketch->script);
		gnuplot_string(sketch->script, curves->curve[i].label.text);
	}
	fputc('\n', sketch->script);
}

static void say_one(FILE *out, const struct curve *curve)
{
	static const struct {
		const char *name, *words;
	} figures[] = {{"p50", "half of the reads took up to"},
		       {"p99", "99 % up to"},
		       {"p99_99", "99.99 % up to"},
		       {"max", "the longest"}};
	const char *between = ": ";
	double value;

	fputs(curve->label.text, out);
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++)
		if (number_at(curve->read_ns, figures[i].name, &value) == NUMBER_THERE) {
			fprintf(out, "%s%s %s", between, figures[i].words, cell_ns(value).text);
			between = ", ";
		}
	fputs(". ", out);
}

static void say(FILE *out, const struct curves *curves)
{
	fputs("How long reads took, by the share of reads that took no longer. ", out);
	for (size_t i = 0; i < curves->count; i++)
		say_one(out, &curves->curve[i]);
	if (curves->coarse)
		fputs("Where points are drawn, the result is of an older contend, and no more of "
		      "it "
		      "is known. ",
		      out);
	if (curves->left_out)
		fprintf(out, "%zu more are left out. ", curves->left_out);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	struct curves curves = {.count = 0};

	for (size_t i = 0; i < subject->count; i++)
		add_groups(&curves, subject, i);
	if (!curves.count) {
		errmsg_set(&sketch->none, "no length of a read was measured");
		return;
	}
	sketch->height += (u32)curves.count * LINE;
	fputs("Time per read, by percentile", sketch->title);
	write_data(sketch->script, &curves);
	write_axes(sketch, &curves);
	write_plots(sketch, &curves);
	say(sketch->description, &curves);
}

const struct picture picture_percentiles = {
	.name = "percentiles",
	.summary = "time per read by percentile, runs laid over one another",
	.kind = RESULT_RUN,
	.of_several = true,
	.draw = draw,
};
