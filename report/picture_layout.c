// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/label.h"
#include "report/palette.h"
#include "report/pictures.h"

#define LINE_BYTES   64
#define MAX_LINES    64
#define MAX_CLOCKS   12
#define ROW_HEIGHT   30
#define FRAME_HEIGHT 225
#define MARK_BYTES   5	/* of a column that tells what a clock touches, in units of the axis */
#define ROOM_BYTES   11 /* of a field, for its number to be legible in it */

struct page {
	const json_t *fields, *clocks;
	bool drawn[MAX_LINES]; /* lines that a field is in that is read, or that hold the ends */
	size_t row[MAX_LINES];
	size_t rows;
};

static const json_t *pages_of(const struct result_file *file)
{
	return value_at(file->root, "pages");
}

static size_t parts(const struct result_file *file)
{
	const size_t pages = json_array_size(pages_of(file));

	return pages ? pages : 1;
}

static const char *part_name(const struct result_file *file, size_t part)
{
	return text_at(json_array_get(pages_of(file), part), "layout");
}

static double field_number(const json_t *fields, size_t i, const char *name)
{
	double value = 0;

	number_at(json_array_get(fields, i), name, &value);
	return value;
}

static bool is_read(const json_t *field)
{
	const char *name = text_at(field, "name");

	return name && !strstr(name, "not read");
}

/* Number of the line; beyond those that are drawn it is their number. */
static size_t line_of(double byte)
{
	return byte >= 0 && byte < LINE_BYTES * MAX_LINES ? (size_t)byte / LINE_BYTES : MAX_LINES;
}

/* Long stretches that nobody reads are left out. */
static void choose_lines(struct page *page)
{
	for (size_t i = 0; i < json_array_size(page->fields); i++) {
		const double at = field_number(page->fields, i, "at_byte");
		const double bytes = field_number(page->fields, i, "bytes");
		const size_t first = line_of(at);
		const size_t last = line_of(at + bytes - 1);

		for (size_t line = first; line <= last && line < MAX_LINES; line++)
			page->drawn[line] |= is_read(json_array_get(page->fields, i)) ||
					     line == first || line == last;
	}
	for (size_t line = 0; line < MAX_LINES; line++)
		if (page->drawn[line])
			page->row[line] = page->rows++;
}

/* What is over a border has a box in each line. */
static void draw_field(struct sketch *sketch, const struct page *page, size_t field)
{
	const double begin = field_number(page->fields, field, "at_byte");
	const double end = begin + field_number(page->fields, field, "bytes");
	const bool read = is_read(json_array_get(page->fields, field));
	char number[24];

	snprintf(number, sizeof(number), "%zu", field + 1);
	for (size_t line = line_of(begin); line < MAX_LINES && (double)line * LINE_BYTES < end;
	     line++) {
		const double start = (double)line * LINE_BYTES;
		const double left = fmax(begin - start, 0);
		const double right = fmin(end - start, LINE_BYTES);
		const double y = -(double)page->row[line];

		if (!page->drawn[line])
			continue;
		sketch_box(sketch, left, y - 0.4, right, y + 0.4,
			   read ? PALETTE_TOUCHED : PALETTE_BAND, true);
		sketch_label(sketch, number,
			     "at %.10g,%.10g center font 'sans-serif,%d' textcolor rgb '%s' "
			     "front",
			     (left + right) / 2, y, right - left < ROOM_BYTES ? 11 : 13,
			     read ? PALETTE_INK : PALETTE_MUTED);
	}
}

static bool touches(const json_t *clock, size_t line)
{
	const json_t *lines = value_at(clock, "page_lines_at_bytes");

	for (size_t i = 0; i < json_array_size(lines); i++)
		if (line_of(json_number_value(json_array_get(lines, i))) == line)
			return true;
	return false;
}

static void draw_clocks(struct sketch *sketch, const struct page *page)
{
	FILE *script = sketch->script;

	fputs("$touched << END\n", script);
	for (size_t i = 0; i < json_array_size(page->clocks) && i < MAX_CLOCKS; i++)
		for (size_t line = 0; line < MAX_LINES; line++)
			if (page->drawn[line] && touches(json_array_get(page->clocks, i), line))
				fprintf(script, "%.10g %.10g\n",
					LINE_BYTES + MARK_BYTES * ((double)i + 1),
					-(double)page->row[line]);
	fputs("END\n", script);
	for (size_t i = 0; i < json_array_size(page->clocks) && i < MAX_CLOCKS; i++) {
		const char *name = text_at(json_array_get(page->clocks, i), "clock");

		sketch_label(sketch, name ? name : "n/a",
			     "at %.10g,0.65 left rotate by 60 font 'sans-serif,12' textcolor rgb "
			     "'%s'",
			     LINE_BYTES + MARK_BYTES * ((double)i + 0.8), PALETTE_INK);
	}
}

static void write_axes(struct sketch *sketch, const struct page *page)
{
	FILE *script = sketch->script;
	const size_t clocks = json_array_size(page->clocks);

	sketch_frame(sketch, "byte within the cache line (bytes)", "first byte of the line");
	fputs("unset grid\nset border 0\nset nokey\nset tmargin 9\n"
	      "set title offset 0,5.5\n"
	      "set xtics (0, 8, 16, 24, 32, 40, 48, 56, 64) scale 0.5\nset ytics (",
	      script);
	for (size_t line = 0, rows = 0; line < MAX_LINES; line++)
		if (page->drawn[line])
			fprintf(script, "%s'%zu' %.10g", rows++ ? ", " : "", line * LINE_BYTES,
				-(double)page->row[line]);
	fprintf(script, ") scale 0\nset xrange [0:%.10g]\nset yrange [%.10g:0.5]\n",
		LINE_BYTES + MARK_BYTES * ((double)clocks + 1), 0.5 - (double)page->rows);
	fprintf(script, "plot $touched using 1:2 with points pt 7 ps 1 lc rgb '%s'\n",
		palette_series(0));
}

static void say_clock(FILE *out, const json_t *clock)
{
	const char *name = text_at(clock, "clock");
	const json_t *lines = value_at(clock, "page_lines_at_bytes");

	if (json_is_array(lines))
		fprintf(out, "; %s %zu line%s", name ? name : "n/a", json_array_size(lines),
			json_array_size(lines) == 1 ? "" : "s");
	else
		fprintf(out, "; %s n/a", name ? name : "n/a");
}

static void say(struct sketch *sketch, const struct page *page, const json_t *one)
{
	const char *kernels = text_at(one, "kernels");
	FILE *out = sketch->description;

	fprintf(out,
		"The page's fields in cache lines of %d bytes (kernels: %s), and how many lines a "
		"read of each clock touches",
		LINE_BYTES, kernels ? kernels : "n/a");
	for (size_t i = 0; i < json_array_size(page->clocks); i++)
		say_clock(out, json_array_get(page->clocks, i));
	fputs(". The numbers in the boxes are: ", out);
	for (size_t i = 0; i < json_array_size(page->fields); i++) {
		const char *name = text_at(json_array_get(page->fields, i), "name");

		fprintf(out, "%s%zu %s", i ? ", " : "", i + 1, name ? name : "n/a");
	}
	fputs(". Lines of which nothing is read are left out.", out);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	const json_t *one = json_array_get(pages_of(subject->files[0]), subject->part);
	struct page page = {.fields = value_at(one, "fields"), .clocks = value_at(one, "clocks")};
	const char *layout = text_at(one, "layout");

	if (!json_array_size(page.fields)) {
		errmsg_set(&sketch->none,
			   "nothing is known of the page's fields: contend inspect --page tells "
			   "them");
		return;
	}
	choose_lines(&page);
	if (!page.rows) {
		errmsg_set(&sketch->none, "its fields are in no place");
		return;
	}
	fprintf(sketch->title, "Page of %s: lines that each clock touches",
		label_short(layout ? layout : "n/a", 24).text);
	sketch->height = FRAME_HEIGHT + ROW_HEIGHT * (u32)page.rows;
	for (size_t i = 0; i < json_array_size(page.fields); i++)
		draw_field(sketch, &page, i);
	draw_clocks(sketch, &page);
	write_axes(sketch, &page);
	say(sketch, &page, one);
}

const struct picture picture_layout = {
	.name = "layout",
	.summary = "a page's fields, and the cache lines that each clock touches",
	.kind = RESULT_INSPECT,
	.parts = parts,
	.part_name = part_name,
	.draw = draw,
};
