// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "report/gnuplot.h"
#include "report/palette.h"
#include "report/picture.h"
#include "report/pictures.h"
#include "report/svg.h"

#define FONT_SIZE 14
#define PNG_SCALE 2

static const struct picture *const pictures[] = {
	&picture_percentiles, &picture_retries,	 &picture_holds,  &picture_forest, &picture_curves,
	&picture_heat,	      &picture_observed, &picture_ratios, &picture_layout, &picture_claims,
};

const struct picture *picture_number(size_t number)
{
	return number < ARRAY_SIZE(pictures) ? pictures[number] : NULL;
}

/* Strings of results are no commands of gnuplot's, nor of fonts: noenhanced. */
static void write_head(FILE *script, const struct sketch *sketch, enum picture_format format)
{
	const u32 scale = format == PICTURE_PNG ? PNG_SCALE : 1;

	fputs("set encoding utf8\nset terminal ", script);
	if (format == PICTURE_PNG)
		/* Whose points are three quarters of what SVG takes for pixels. */
		fprintf(script, "pngcairo size %u,%u fontscale %g linewidth %u pointscale %u",
			scale * SKETCH_WIDTH, scale * sketch->height, 0.75 * scale, scale, scale);
	else
		fprintf(script, "svg size %u,%u dynamic", SKETCH_WIDTH, sketch->height);
	fprintf(script, " noenhanced font 'sans-serif,%d' background '%s'\nset title ", FONT_SIZE,
		PALETTE_PAPER);
	gnuplot_string(script, sketch->title_text);
	fputs(" textcolor rgb '" PALETTE_INK "'\n", script);
}

static int run(struct picture_made *made, enum picture_format format, struct errmsg *err)
{
	char *text = NULL;
	size_t length;
	FILE *script = open_memstream(&text, &length);
	int failed;

	if (!script)
		return errmsg_set(err, "no memory for a picture");
	write_head(script, &made->sketch, format);
	fputs(made->sketch.script_text, script);
	failed = fclose(script) ? errmsg_set(err, "no memory for a picture")
				: gnuplot_run(text, &made->drawn, &made->length, err);
	free(text);
	return failed;
}

int picture_make(const struct picture *picture, const struct picture_subject *subject,
		 enum picture_format format, struct picture_made *made, struct errmsg *err)
{
	*made = (struct picture_made){.drawn = NULL};
	if (sketch_begin(&made->sketch, err))
		return -1;
	picture->draw(&made->sketch, subject);
	if (sketch_end(&made->sketch, err))
		return -1;
	return *made->sketch.none.text ? 0 : run(made, format, err);
}

void picture_release(struct picture_made *made)
{
	sketch_release(&made->sketch);
	free(made->drawn);
	*made = (struct picture_made){.drawn = NULL};
}

void picture_write(FILE *out, const struct picture_made *made, enum picture_format format,
		   const char *name)
{
	const struct svg svg = {
		.drawn = made->drawn,
		.name = name,
		.title = made->sketch.title_text,
		.description = made->sketch.description_text,
		.width = SKETCH_WIDTH,
		.height = made->sketch.height,
		.alone = format == PICTURE_SVG,
	};

	if (format == PICTURE_PNG)
		fwrite(made->drawn, 1, made->length, out);
	else
		svg_write(out, &svg);
}
