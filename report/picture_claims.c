// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/forest.h"
#include "report/label.h"
#include "report/pair_at.h"
#include "report/pictures.h"

static void add(struct forest *forest, const json_t *comparison)
{
	const char *name = text_at(comparison, "name");
	const char *verdict = text_at(comparison, "verdict_text");
	const json_t *result = value_at(comparison, "comparison.results.0");
	struct forest_row *row = forest_add(forest);

	if (!row)
		return;
	number_at(result, "effect_percent", &row->estimate);
	pair_at(result, "ci95_percent", row->ci95);
	pair_at(result, "ci99_percent", row->ci99);
	pair_at(comparison, "claimed_percent", row->claimed);
	row->dots = value_at(result, "placement_effects_percent");
	snprintf(row->label, sizeof(row->label), "%.34s: %.56s",
		 label_short(name ? name : "n/a", 30).text,
		 label_short(verdict ? verdict : "n/a", 56).text);
}

static void say(FILE *out, const struct forest *forest)
{
	fputs("What was claimed of the time of a read, next to what is measured here; less is "
	      "faster",
	      out);
	for (size_t i = 0; i < forest->rows; i++) {
		const struct forest_row *row = &forest->row[i];

		fprintf(out, "; %s", row->label);
		if (isfinite(row->claimed[0]))
			fprintf(out, ", claimed %+g to %+g %%", row->claimed[0], row->claimed[1]);
		if (isfinite(row->ci95[0]))
			fprintf(out, ", measured %+.3g %% (95 %% interval %+.3g to %+.3g %%)",
				row->estimate, row->ci95[0], row->ci95[1]);
	}
	fputs(".", out);
	if (forest->left_out)
		fprintf(out, " %zu more are left out.", forest->left_out);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	const json_t *comparisons = value_at(subject->files[0]->root, "comparisons");
	struct forest forest = {.x_label = "time of a read against the baseline (%)"};
	bool any = false;

	for (size_t i = 0; i < json_array_size(comparisons); i++)
		add(&forest, json_array_get(comparisons, i));
	for (size_t i = 0; i < forest.rows; i++)
		any |= isfinite(forest.row[i].estimate);
	if (!any) {
		errmsg_set(&sketch->none, "no claim was measured here");
		return;
	}
	fputs("Claimed and measured: left is faster", sketch->title);
	forest_draw(sketch, &forest);
	say(sketch->description, &forest);
}

const struct picture picture_claims = {
	.name = "claims",
	.summary = "what was claimed, next to what is measured",
	.kind = RESULT_SETTLE,
	.draw = draw,
};
