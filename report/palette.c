// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "report/palette.h"

struct colour {
	const char *name;
	const char *light;
	const char *dark;
};

static const struct colour colours[] = {
	{"paper", PALETTE_PAPER, "#14171c"},   {"ink", PALETTE_INK, "#e6e8eb"},
	{"faint", PALETTE_FAINT, "#3a3f47"},   {"muted", PALETTE_MUTED, "#a3aab5"},
	{"band", PALETTE_BAND, "#252b33"},     {"touched", PALETTE_TOUCHED, "#1f4a75"},
	{"on-dim", PALETTE_ON_DIM, "#e6e8ec"}, {"on-strong", PALETTE_ON_STRONG, "#14171d"},
	{"blue", "#0b62b8", "#6cb2ff"},	       {"orange", "#b55400", "#ffa657"},
	{"green", "#1a7f4b", "#56d39a"},       {"violet", "#8147b8", "#c99cff"},
	{"red", "#c22b3a", "#ff8088"},	       {"teal", "#007a87", "#4fd0de"},
	{"brown", "#7a5b2e", "#d9b47c"},       {"pink", "#b03a86", "#ff9bd2"},
	{"heat-0", "#eef4fb", "#1b2531"},      {"heat-1", "#d3e4f6", "#1f3550"},
	{"heat-2", "#b0cfee", "#254a75"},      {"heat-3", "#86b4e2", "#2c6098"},
	{"heat-4", "#2f6fb0", "#58a0e6"},      {"heat-5", "#1d5490", "#86bdf4"},
	{"heat-6", "#0f3a68", "#b9dbff"},
};

#define FIRST_SERIES 8
#define FIRST_HEAT   (FIRST_SERIES + PALETTE_SERIES)
#define STRONG	     4

const char *palette_series(size_t number)
{
	return colours[FIRST_SERIES + number % PALETTE_SERIES].light;
}

const char *palette_heat(size_t strength)
{
	return colours[FIRST_HEAT + strength].light;
}

const char *palette_on_heat(size_t strength)
{
	return strength < STRONG ? PALETTE_ON_DIM : PALETTE_ON_STRONG;
}

const char *palette_name(u32 rgb)
{
	for (size_t i = 0; i < ARRAY_SIZE(colours); i++)
		if (strtoul(colours[i].light + 1, NULL, 16) == rgb)
			return colours[i].name;
	return NULL;
}

void palette_style(FILE *out)
{
	fputs(":root{color-scheme:light dark", out);
	for (size_t i = 0; i < ARRAY_SIZE(colours); i++)
		fprintf(out, ";--%s:%s", colours[i].name, colours[i].light);
	fputs("}\n@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark", out);
	for (size_t i = 0; i < ARRAY_SIZE(colours); i++)
		fprintf(out, ";--%s:%s", colours[i].name, colours[i].dark);
	fputs("}}\n", out);
	for (size_t i = 0; i < ARRAY_SIZE(colours); i++)
		fprintf(out,
			".line-%1$s{stroke:var(--%1$s)}.fill-%1$s{fill:var(--%1$s)}"
			".ink-%1$s{color:var(--%1$s)}\n",
			colours[i].name);
}
