// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/calibrate_figures.h"

static void fill_cell(const struct turns *turns, size_t clock, size_t contestant, double *values,
		      double *scratch)
{
	struct calibrate_result *result = turns->result;
	struct calibrate_cell *cell = &result->cell[clock][contestant];
	const struct calibrate_cell *host = &result->cell[clock][FIELD_HOST];

	if (!cell->unavailable.text[0]) {
		turns_collect(turns, clock, contestant, values);
		cell->read_ns = interval_of_median(values, result->rounds, scratch).estimate *
				NSEC_PER_SEC / (double)result->counter_hz;
	}
	if (cell->unavailable.text[0]) {
		cell->no_ratio = cell->unavailable;
	} else if (host->unavailable.text[0]) {
		errmsg_set(&cell->no_ratio, "the host's vDSO: %s", host->unavailable.text);
	} else {
		turns_collect_ratios(turns, clock, contestant, FIELD_HOST, values);
		cell->ratio = interval_of_median(values, result->rounds, scratch);
	}
}

static void fill_pair(const struct turns *turns, size_t clock, size_t image, double *values,
		      double *scratch)
{
	struct calibrate_result *result = turns->result;
	struct calibrate_pair *pair = &result->pair[clock][image];
	const struct calibrate_cell *cells = result->cell[clock];
	const size_t one = FIELD_IMAGES + image, other = FIELD_IMAGES;
	const size_t missing = cells[one].unavailable.text[0] ? one : other;

	if (cells[missing].unavailable.text[0]) {
		errmsg_set(&pair->unavailable, "%s: %s", result->contestant[missing].name,
			   cells[missing].unavailable.text);
		return;
	}
	turns_collect_ratios(turns, clock, one, other, values);
	pair->ratio = interval_of_median(values, result->rounds, scratch);
}

int calibrate_fill_figures(const struct turns *turns, struct errmsg *err)
{
	struct calibrate_result *result = turns->result;
	double *values = calloc(2 * result->rounds, sizeof(*values));

	if (!values)
		return errmsg_set(err, "no memory for the figures of %zu rounds", result->rounds);
	for (size_t clock = 0; clock < turns->config->clocks; clock++) {
		for (size_t i = 0; i < result->contestants; i++)
			fill_cell(turns, clock, i, values, values + result->rounds);
		for (size_t i = 1; i < turns->config->images; i++)
			fill_pair(turns, clock, i, values, values + result->rounds);
	}
	free(values);
	return 0;
}

bool calibrate_is_remarkable(const struct calibrate_result *result, size_t clock, size_t contestant)
{
	const struct calibrate_cell *cell = &result->cell[clock][contestant];

	return contestant <= FIELD_IMAGE_HOST && !cell->no_ratio.text[0] &&
	       (cell->ratio.estimate < CALIBRATE_LOW || cell->ratio.estimate > CALIBRATE_HIGH);
}

/* Why nothing is known of how two codes differ; empty if it is. */
static const char *code_unknown(const struct calibrate_cell *cells, size_t contestant)
{
	const char *why = cells[contestant].code.unavailable.text;

	return why[0] ? why : cells[FIELD_HOST].code.unavailable.text;
}

bool calibrate_knows_difference(const struct calibrate_result *result, size_t clock,
				size_t contestant)
{
	const struct calibrate_cell *cells = result->cell[clock];

	return !code_unknown(cells, contestant)[0] && !cells[contestant].code.same;
}

static void describe_difference(const struct calibrate_cell *cells, size_t contestant, char *text,
				size_t size)
{
	const struct code *code = &cells[contestant].code;
	size_t used;

	if (code_unknown(cells, contestant)[0]) {
		snprintf(text, size, "their code could not be compared: %.80s",
			 code_unknown(cells, contestant));
		return;
	}
	if (code->same) {
		snprintf(
			text, size,
			"both execute the same %zu instructions, so it is where they lie, or noise",
			code->instructions);
		return;
	}
	used = (size_t)snprintf(text, size, "it executes %zu instructions to the host's %zu",
				code->instructions, cells[FIELD_HOST].code.instructions);
	for (size_t i = 0; i < code->surpluses && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%+d %s", i ? ", " : ": ",
					 code->surplus[i].more, code->surplus[i].mnemonic);
}

/* A reason and the ratios that it is the reason for. */
struct ratios_remark {
	char why[128];
	char ratios[200];
	size_t used;
};

/* Ratios with the same reason go together; `first` is the first of them. */
static void collect_ratios(const struct calibrate_config *config,
			   const struct calibrate_result *result, size_t contestant, size_t first,
			   struct ratios_remark *group, bool *taken)
{
	char why[sizeof(group->why)];

	describe_difference(result->cell[first], contestant, group->why, sizeof(group->why));
	group->used = 0;
	for (size_t clock = first; clock < config->clocks; clock++) {
		if (taken[clock] || !calibrate_is_remarkable(result, clock, contestant))
			continue;
		describe_difference(result->cell[clock], contestant, why, sizeof(why));
		if (strcmp(why, group->why) != 0 || group->used >= sizeof(group->ratios))
			continue;
		group->used += (size_t)snprintf(group->ratios + group->used,
						sizeof(group->ratios) - group->used, "%s%.3f (%s)",
						group->used ? ", " : "",
						result->cell[clock][contestant].ratio.estimate,
						clock_name(config->clock[clock]));
		taken[clock] = true;
	}
}

void calibrate_remark_ratios(const struct calibrate_config *config, struct calibrate_result *result)
{
	struct ratios_remark group;

	for (size_t i = 0; i < result->contestants; i++) {
		bool taken[CALIBRATE_CLOCKS] = {false};

		for (size_t clock = 0; clock < config->clocks; clock++) {
			if (taken[clock] || !calibrate_is_remarkable(result, clock, i))
				continue;
			collect_ratios(config, result, i, clock, &group, taken);
			remark(&result->remarks, "%s takes %s of the host's time: %s",
			       result->contestant[i].name, group.ratios, group.why);
		}
	}
}

u64 calibrate_tries(const struct calibrate_result *result, const struct calibrate_config *config)
{
	u64 tries = 0;

	for (size_t clock = 0; clock < config->clocks; clock++)
		for (size_t i = 0; i < result->contestants; i++)
			tries += result->cell[clock][i].tries;
	return tries;
}

u64 calibrate_disagreements(const struct calibrate_result *result,
			    const struct calibrate_config *config)
{
	u64 disagreements = 0;

	for (size_t clock = 0; clock < config->clocks; clock++)
		for (size_t i = 0; i < result->contestants; i++)
			disagreements += result->cell[clock][i].disagreements;
	return disagreements;
}
