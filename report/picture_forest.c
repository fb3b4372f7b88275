// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "report/forest.h"
#include "report/label.h"
#include "report/pair_at.h"
#include "report/pictures.h"

static const char *verdict_of(const json_t *result)
{
	const char *verdict = text_at(result, "verdict");

	if (true_at(result, "same_code"))
		return "same code";
	return verdict ? verdict : "n/a";
}

static void add(struct forest *forest, const json_t *result)
{
	const char *reader = text_at(result, "reader");
	struct forest_row *row = forest_add(forest);

	if (!row)
		return;
	number_at(result, "effect_percent", &row->estimate);
	pair_at(result, "ci95_percent", row->ci95);
	pair_at(result, "ci99_percent", row->ci99);
	row->dots = value_at(result, "placement_effects_percent");
	if (isfinite(row->estimate))
		snprintf(row->label, sizeof(row->label), "%.44s: %+.2g %%, %.12s",
			 label_short(reader ? reader : "n/a", 44).text, row->estimate,
			 verdict_of(result));
	else
		snprintf(row->label, sizeof(row->label), "%.44s: n/a",
			 label_short(reader ? reader : "n/a", 44).text);
}

static void say_one(FILE *out, const struct forest_row *row)
{
	fprintf(out, "; %s", row->label);
	if (isfinite(row->ci95[0]))
		fprintf(out, " (95 %% interval %+.3g to %+.3g %%)", row->ci95[0], row->ci95[1]);
}

static void say(FILE *out, const struct forest *forest, const char *baseline)
{
	bool dots = false;

	fprintf(out, "Time of a read against %s; less is faster", baseline);
	for (size_t i = 0; i < forest->rows; i++) {
		say_one(out, &forest->row[i]);
		dots |= json_array_size(forest->row[i].dots) > 0;
	}
	fputs(". ", out);
	if (dots)
		fputs("Dots are single placements of the code. ", out);
	if (forest->band > 0)
		fprintf(out, "Differences within the shade, %g %%, do not matter.", forest->band);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	const json_t *root = subject->files[0]->root;
	const json_t *results = value_at(root, "results");
	const char *baseline = text_at(root, "baseline.reader");
	struct forest forest = {.x_label = "time of a read against the baseline (%)"};
	bool any = false;

	number_at(root, "config.resolution_percent", &forest.band);
	for (size_t i = 0; i < json_array_size(results); i++)
		add(&forest, json_array_get(results, i));
	for (size_t i = 0; i < forest.rows; i++)
		any |= isfinite(forest.row[i].estimate);
	if (!any) {
		errmsg_set(&sketch->none, "no reader was measured against the baseline");
		return;
	}
	fprintf(sketch->title, "Against %s: left is faster",
		label_short(baseline ? baseline : "the baseline", 44).text);
	forest_draw(sketch, &forest);
	say(sketch->description, &forest, baseline ? baseline : "the baseline");
}

const struct picture picture_forest = {
	.name = "forest",
	.summary = "each reader's effect against the baseline, with its intervals",
	.kind = RESULT_COMPARE,
	.draw = draw,
};
