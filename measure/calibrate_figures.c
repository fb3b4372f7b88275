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

/* A contestant whose values were never compared does not agree: nothing is known of it. */
static void fill_no_values(struct calibrate_cell *cell)
{
	const u64 all = cell->tries_void + cell->tries_untold;

	if (cell->no_values.text[0] || cell->tries)
		return;
	if (cell->tries_untold)
		errmsg_set(&cell->no_values, "the host's vDSO told no time in %llu of %llu tries",
			   (unsigned long long)cell->tries_untold, (unsigned long long)all);
	else
		errmsg_set(&cell->no_values, "the kernel's page was updated in each of %llu tries",
			   (unsigned long long)all);
}

static void fill_no_values_at_all(const struct calibrate_config *config,
				  struct calibrate_result *result)
{
	const struct calibrate_cell *system = &result->cell[0][FIELD_SYSTEM];

	if (!result->no_values.text[0] && !calibrate_tries(result, config))
		errmsg_set(&result->no_values, "none could be compared; the system call's: %.400s",
			   system->no_values.text);
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
		for (size_t i = 0; i < result->contestants; i++)
			fill_no_values(&result->cell[clock][i]);
		for (size_t i = 1; i < turns->config->images; i++)
			fill_pair(turns, clock, i, values, values + result->rounds);
	}
	free(values);
	fill_no_values_at_all(turns->config, result);
	return 0;
}

static bool is_beyond(const struct interval *ratio)
{
	return ratio->estimate < CALIBRATE_LOW || ratio->estimate > CALIBRATE_HIGH;
}

bool calibrate_is_remarkable(const struct calibrate_result *result, size_t clock, size_t contestant)
{
	const struct calibrate_cell *cell = &result->cell[clock][contestant];

	return contestant != FIELD_HOST && contestant != FIELD_SYSTEM && !cell->no_ratio.text[0] &&
	       is_beyond(&cell->ratio);
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

/* A contestant held against another, on one clock. */
struct rivalry {
	const char *name;
	const char *other; /* whose time and instructions these are a part of: "the host's" */
	bool remarkable;
	double ratio;
	const char *code_unknown;
	const struct code *code;
	size_t other_instructions;
};

static struct rivalry against_host(const struct calibrate_result *result, size_t clock,
				   size_t contestant)
{
	const struct calibrate_cell *cells = result->cell[clock];

	return (struct rivalry){
		.name = result->contestant[contestant].name,
		.other = "the host's",
		.remarkable = calibrate_is_remarkable(result, clock, contestant),
		.ratio = cells[contestant].ratio.estimate,
		.code_unknown = code_unknown(cells, contestant),
		.code = &cells[contestant].code,
		.other_instructions = cells[FIELD_HOST].code.instructions,
	};
}

static struct rivalry against_first_image(const struct calibrate_result *result, size_t clock,
					  size_t contestant)
{
	const struct calibrate_pair *pair = &result->pair[clock][contestant - FIELD_IMAGES];

	return (struct rivalry){
		.name = result->contestant[contestant].name,
		.other = "the first image's",
		.remarkable = !pair->unavailable.text[0] && is_beyond(&pair->ratio),
		.ratio = pair->ratio.estimate,
		.code_unknown = pair->code.unavailable.text,
		.code = &pair->code,
		.other_instructions = result->cell[clock][FIELD_IMAGES].code.instructions,
	};
}

typedef struct rivalry rivalry_fn(const struct calibrate_result *result, size_t clock,
				  size_t contestant);

static void describe_difference(const struct rivalry *rivalry, char *text, size_t size)
{
	const struct code *code = rivalry->code;
	size_t used;

	if (rivalry->code_unknown[0]) {
		snprintf(text, size, "their code could not be compared: %.200s",
			 rivalry->code_unknown);
		return;
	}
	if (code->same) {
		snprintf(
			text, size,
			"both execute the same %zu instructions, so it is where they lie, or noise",
			code->instructions);
		return;
	}
	used = (size_t)snprintf(text, size, "it executes %zu instructions to %s %zu",
				code->instructions, rivalry->other, rivalry->other_instructions);
	for (size_t i = 0; i < code->surpluses && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%+d %s", i ? ", " : ": ",
					 code->surplus[i].more, code->surplus[i].mnemonic);
}

/* A reason and the ratios that it is the reason for. With two names they fit into a remark. */
struct ratios_remark {
	char why[256];
	char ratios[128];
	size_t used;
};

static bool add_ratio(struct ratios_remark *group, double ratio, clockid_t clock)
{
	char text[64];
	const int length = snprintf(text, sizeof(text), "%s%.3f (%s)", group->used ? ", " : "",
				    ratio, clock_name(clock));

	if (group->used + (size_t)length >= sizeof(group->ratios))
		return false;
	strcpy(group->ratios + group->used, text);
	group->used += (size_t)length;
	return true;
}

/* Ratios with the same reason go together, as many as fit; `first` is the first of them. */
static void collect_ratios(const struct calibrate_config *config,
			   const struct calibrate_result *result, rivalry_fn *of, size_t contestant,
			   size_t first, struct ratios_remark *group, bool *taken)
{
	struct rivalry rivalry = of(result, first, contestant);
	char why[sizeof(group->why)];

	describe_difference(&rivalry, group->why, sizeof(group->why));
	group->used = 0;
	for (size_t clock = first; clock < config->clocks; clock++) {
		rivalry = of(result, clock, contestant);
		if (taken[clock] || !rivalry.remarkable)
			continue;
		describe_difference(&rivalry, why, sizeof(why));
		if (strcmp(why, group->why) == 0)
			taken[clock] = add_ratio(group, rivalry.ratio, config->clock[clock]);
	}
}

static void remark_contestant(const struct calibrate_config *config,
			      struct calibrate_result *result, rivalry_fn *of, size_t contestant)
{
	bool taken[CALIBRATE_CLOCKS] = {false};
	struct ratios_remark group;

	for (size_t clock = 0; clock < config->clocks; clock++) {
		const struct rivalry rivalry = of(result, clock, contestant);

		if (taken[clock] || !rivalry.remarkable)
			continue;
		collect_ratios(config, result, of, contestant, clock, &group, taken);
		remark(&result->remarks, "%s takes %s of %s time: %s", rivalry.name, group.ratios,
		       rivalry.other, group.why);
	}
}

void calibrate_remark_ratios(const struct calibrate_config *config, struct calibrate_result *result)
{
	for (size_t i = 0; i < result->contestants; i++)
		remark_contestant(config, result, against_host, i);
	for (size_t i = FIELD_IMAGES + 1; i < result->contestants; i++)
		remark_contestant(config, result, against_first_image, i);
}

/* The first clock on which it was timed, though it may have called the system; or -1. */
static int first_unknown(const struct calibrate_config *config,
			 const struct calibrate_result *result, size_t contestant)
{
	for (size_t clock = 0; clock < config->clocks; clock++) {
		const struct calibrate_cell *cell = &result->cell[clock][contestant];

		if (cell->system_unknown.text[0] && !cell->unavailable.text[0])
			return (int)clock;
	}
	return -1;
}

void calibrate_remark_unknown(const struct calibrate_config *config,
			      struct calibrate_result *result)
{
	const char *why = NULL;
	char names[200] = "";

	for (size_t i = 0; i < result->contestants; i++) {
		const int clock = first_unknown(config, result, i);
		const size_t used = strlen(names);

		if (clock < 0)
			continue;
		snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
			 result->contestant[i].name);
		if (!why)
			why = result->cell[clock][i].system_unknown.text;
	}
	if (why)
		remark(&result->remarks,
		       "figures may be of calls of the system, for whether it is called could not "
		       "be seen of %s: %.200s",
		       names, why);
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
