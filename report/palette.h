/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The colours of all pictures, each for light paper and for dark, told apart by the light one: that
 * is what a picture is drawn with, and by it the style of the dark one finds its lines.
 */
#ifndef REPORT_PALETTE_H
#define REPORT_PALETTE_H

#include <stdio.h>

#include "sim/types.h"

#define PALETTE_HEATS  7
#define PALETTE_SERIES 8

/* What is drawn with each, as "#rrggbb", for a script of gnuplot. */
#define PALETTE_PAPER	  "#ffffff"
#define PALETTE_INK	  "#1a1c1f"
#define PALETTE_FAINT	  "#d5d8dc" /* grids */
#define PALETTE_MUTED	  "#5b616a" /* what is beside the point, and text of it */
#define PALETTE_BAND	  "#e9edf2" /* shades behind something */
#define PALETTE_TOUCHED	  "#bcd9f7" /* a field that is read */
#define PALETTE_ON_DIM	  "#1a1c20" /* text on the weaker half of heats */
#define PALETTE_ON_STRONG "#fffffe" /* and on the stronger */

/* Of curves that lie over one another, by their number; after the last comes the first again. */
const char *palette_series(size_t number);

/* From the least, 0, to the most, PALETTE_HEATS - 1. */
const char *palette_heat(size_t strength);

/* What text on that heat is drawn with. */
const char *palette_on_heat(size_t strength);

/*
 * Name of the colour with this light value, for classes of the style; NULL: it is none of these.
 * `rgb` is 0xrrggbb.
 */
const char *palette_name(u32 rgb);

/*
 * Writes the style that gives each class `line-NAME` its stroke, `fill-NAME` its fill and
 * `ink-NAME` its colour, by custom properties `--NAME`, dark on a screen that asks for dark.
 */
void palette_style(FILE *out);

#endif /* REPORT_PALETTE_H */
