// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/verify.h"

enum verify_verdict verify_verdict(const struct verify_mutant *mutant,
				   const struct verify_finding *finding)
{
	switch (finding->state) {
	case VERIFY_FOUND:
		return VERIFY_KILLED;
	case VERIFY_NOT_HERE:
		return VERIFY_ABSENT;
	case VERIFY_SEEN_NOTHING:
		return mutant->hidden ? VERIFY_HIDDEN : VERIFY_SURVIVED;
	case VERIFY_NO_READ:
	case VERIFY_NOT_MET:
	case VERIFY_COULD_NOT:
	case VERIFY_NOT_RUN:
		break;
	}
	return VERIFY_UNKNOWN;
}

static void add_mutant(struct verify_sum *sum, const struct verify_mutant *mutant,
		       const struct verify_finding *finding)
{
	const enum verify_verdict verdict = verify_verdict(mutant, finding);

	sum->killed += verdict == VERIFY_KILLED;
	sum->survived += verdict == VERIFY_SURVIVED;
	sum->hidden += verdict == VERIFY_HIDDEN;
	sum->absent += verdict == VERIFY_ABSENT;
	sum->unknown += verdict == VERIFY_UNKNOWN;
	for (size_t i = 0; i < VERIFY_DETECTORS; i++)
		sum->killed_by[i] += finding->by[i];
	if (verdict == VERIFY_KILLED && finding->seconds >= sum->slowest_seconds) {
		sum->slowest_seconds = finding->seconds;
		sum->slowest = mutant->name;
	}
}

static void add_correct(struct verify_sum *sum, const struct verify_finding *finding)
{
	const bool ran = finding->state == VERIFY_FOUND || finding->state == VERIFY_SEEN_NOTHING;

	sum->runs += ran;
	sum->accused += finding->state == VERIFY_FOUND;
	sum->left_out += finding->state == VERIFY_NOT_HERE;
	sum->failed += finding->state == VERIFY_COULD_NOT || finding->state == VERIFY_NO_READ ||
		       finding->state == VERIFY_NOT_MET;
	sum->checked += finding->checked;
	sum->retries += finding->retries;
	sum->caught += finding->caught;
}

const char *verify_shows_nothing(const struct verify_config *config, const struct verify_sum *sum)
{
	if (config->mutants && sum->absent == config->mutants)
		return "no mutant that was asked for can be run on this machine: that anything is "
		       "detected is not shown";
	if (config->corrects && sum->left_out == config->corrects)
		return "nothing of what is correct that was asked for can be run on this machine";
	return NULL;
}

struct verify_sum verify_add_up(const struct verify_config *config,
				const struct verify_result *result)
{
	struct verify_sum sum = {.killed = 0};

	for (size_t i = 0; i < config->mutants; i++)
		add_mutant(&sum, &config->mutant[i], &result->mutant[i]);
	for (size_t i = 0; i < config->corrects; i++)
		add_correct(&sum, &result->correct[i]);
	return sum;
}
