// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/figure.h"
#include "report/palette.h"
#include "report/pictures.h"

#define ROW_HEIGHT   60
#define FRAME_HEIGHT 130

static const struct {
	const char *path;
	const char *words;
} lengths[] = {
	{"interval_ns", "between two updates"},
	{"odd_ns", "an odd sequence, seen to its end"},
	{"passed_ns", "an update that was looked past"},
};

struct length {
	double samples, min, p50, p99, max;
};

static bool length_at(const json_t *root, size_t which, struct length *length)
{
	const json_t *part = value_at(root, lengths[which].path);

	return number_at(part, "samples", &length->samples) == NUMBER_THERE &&
	       length->samples > 0 && number_at(part, "min", &length->min) == NUMBER_THERE &&
	       number_at(part, "p50", &length->p50) == NUMBER_THERE &&
	       number_at(part, "p99", &length->p99) == NUMBER_THERE &&
	       number_at(part, "max", &length->max) == NUMBER_THERE && length->min > 0;
}

static void write_row(struct sketch *sketch, size_t which, const struct length *length, int row)
{
	fprintf(sketch->script, "%.10g %d %.10g %.10g %.10g\n", length->p50, row, length->min,
		length->max, length->p99);
	fprintf(sketch->description, "; %s: %s to %s, ", lengths[which].words,
		cell_ns(length->min).text, cell_ns(length->max).text);
	fprintf(sketch->description, "half up to %s, 99 %% up to %s, of %s",
		cell_ns(length->p50).text, cell_ns(length->p99).text,
		figure_of(length->samples, FIGURE_COUNT).text);
}

/* How many rows there are. */
static int write_rows(struct sketch *sketch, const json_t *root, double *least, double *most)
{
	struct length length;
	int rows = 0;

	fputs("How long what was seen of the kernel's page took", sketch->description);
	fputs("$lengths << END\n", sketch->script);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		if (!length_at(root, i, &length))
			continue;
		if (!rows || length.min < *least)
			*least = length.min;
		if (!rows || length.max > *most)
			*most = length.max;
		write_row(sketch, i, &length, -rows++);
	}
	fputs("END\n", sketch->script);
	fputs(".", sketch->description);
	return rows;
}

static void write_labels(struct sketch *sketch, const json_t *root)
{
	struct length length;
	int rows = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
		if (length_at(root, i, &length))
			sketch_label(sketch, lengths[i].words,
				     "at graph 0.005, first %.10g left textcolor rgb '%s'",
				     0.33 - rows++, PALETTE_INK);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	const json_t *root = subject->files[0]->root;
	double least = 0, most = 0;
	const int rows = write_rows(sketch, root, &least, &most);

	if (!rows) {
		errmsg_set(&sketch->none, "no update was seen closely enough to tell its length");
		return;
	}
	fputs("The kernel's page: what took how long", sketch->title);
	sketch->height = FRAME_HEIGHT + ROW_HEIGHT * (u32)rows;
	sketch_frame(sketch, "time (ns)", "");
	sketch_log_tics(sketch, "x", least / 2, most * 2);
	write_labels(sketch, root);
	fprintf(sketch->script,
		"unset ytics\nset border 1\nset bars 0.6\nset xrange [%.10g:%.10g]\n"
		"set yrange [%.10g:0.6]\nset key bmargin center horizontal height 1\n"
		"plot $lengths using 1:2:3:4 with xerrorbars pt 7 lw 2 lc rgb '%s' title 'least, "
		"half, most', $lengths using 5:2 with points pt 8 lc rgb '%s' title '99 %%'\n",
		least / 2, most * 2, 0.6 - rows, palette_series(0), palette_series(1));
}

const struct picture picture_observed = {
	.name = "observed",
	.summary = "how long updates of the kernel's page, and the time between them, took",
	.kind = RESULT_OBSERVE,
	.draw = draw,
};
