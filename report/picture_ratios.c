// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/forest.h"
#include "report/label.h"
#include "report/pair_at.h"
#include "report/pictures.h"

static void add(struct forest *forest, const char *clock, const json_t *contestant)
{
	const char *name = text_at(contestant, "name");
	struct forest_row *row;
	double ratio;

	/*
	 * Beside one that takes thirty times as long the others would look all the same; of whom
	 * it is not known may be one.
	 */
	if (!json_is_boolean(value_at(contestant, "calls_system")) ||
	    true_at(contestant, "calls_system") ||
	    number_at(contestant, "ratio_to_host", &ratio) != NUMBER_THERE ||
	    !(row = forest_add(forest)))
		return;
	if (!pair_at(contestant, "ratio_ci95", row->ci95) || row->ci95[0] >= row->ci95[1]) {
		forest->rows--;
		return;
	}
	row->estimate = ratio;
	snprintf(row->label, sizeof(row->label), "%.24s, %.40s: %.4f", clock,
		 label_short(name ? name : "n/a", 40).text, ratio);
}

static void say(FILE *out, const struct forest *forest)
{
	fputs("Time of a clock read, divided by that of the host's own vDSO; 1 is the same", out);
	for (size_t i = 0; i < forest->rows; i++)
		fprintf(out, "; %s (95 %% interval %.4f to %.4f)", forest->row[i].label,
			forest->row[i].ci95[0], forest->row[i].ci95[1]);
	fputs(". What calls the system, or may, is in the table alone.", out);
	if (forest->left_out)
		fprintf(out, " %zu more are left out.", forest->left_out);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	const json_t *clocks = value_at(subject->files[0]->root, "clocks");
	struct forest forest = {.same = 1, .x_label = "time of a read / the host's own vDSO"};

	for (size_t i = 0; i < json_array_size(clocks); i++) {
		const json_t *clock = json_array_get(clocks, i);
		const json_t *contestants = value_at(clock, "contestants");
		const char *name = text_at(clock, "clock");

		for (size_t k = 0; k < json_array_size(contestants); k++)
			add(&forest, name ? name : "n/a", json_array_get(contestants, k));
	}
	if (!forest.rows) {
		errmsg_set(&sketch->none, "no ratio was measured");
		return;
	}
	fputs("Clock reads against the host's own vDSO: left is faster", sketch->title);
	forest_draw(sketch, &forest);
	say(sketch->description, &forest);
}

const struct picture picture_ratios = {
	.name = "ratios",
	.summary = "time of clock reads against the host's own, with intervals",
	.kind = RESULT_CALIBRATE,
	.draw = draw,
};
