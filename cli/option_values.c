// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cli/argument.h"
#include "cli/option_values.h"
#include "cli/spec_candidates.h"
#include "measure/verify_catalogue.h"
#include "readers/readers.h"
#include "readers/target.h"
#include "report/picture.h"
#include "writers/writer.h"

static void offer_cpus(const struct typed *typed, struct candidates *candidates)
{
	cpu_set_t allowed;

	(void)typed;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			candidates_offer(candidates, "%zu", cpu);
}

static void offer_work(const struct typed *typed, struct candidates *candidates)
{
	(void)typed;
	candidates_offer_choices(candidates, "none|alu:|cache:|cold");
}

static void offer_priority(const struct typed *typed, struct candidates *candidates)
{
	(void)typed;
	candidates_offer(candidates, "none");
}

static void offer_targets(const struct typed *typed, struct candidates *candidates)
{
	const char *comma = strrchr(candidates->begun, ',');

	(void)typed;
	if (comma)
		candidates_go_on(candidates, comma + 1);
	for (const struct target *target = targets; target->name; target++)
		candidates_offer(candidates, "%s", target->name);
}

static void offer_sections(const char *path, struct candidates *candidates)
{
	struct argument *argument = calloc(1, sizeof(*argument));
	struct errmsg err;

	if (argument && !argument_read(path, argument, &err))
		for (size_t i = 0; i < argument->sections; i++)
			candidates_offer(candidates, "%s", argument->section[i].name);
	if (argument)
		argument_release(argument);
	free(argument);
}

static bool is_verified(bool (*takes_part)(const struct verify_job *, const char *),
			const char *kind)
{
	for (size_t i = 0; i < verify_correct_count; i++)
		if (takes_part(&verify_correct[i], kind))
			return true;
	return false;
}

static void offer_verified(const struct typed *typed, struct candidates *candidates)
{
	(void)typed;
	for (size_t i = 0; i < verify_mutant_count; i++)
		candidates_offer(candidates, "%s", verify_mutants[i].name);
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++)
		if (is_verified(verify_job_reads, (*kind)->name))
			candidates_offer(candidates, "%s", (*kind)->name);
	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++)
		if (is_verified(verify_job_writes, (*kind)->name))
			candidates_offer(candidates, "%s", (*kind)->name);
}

/* Sections of the scenarios that are named, or whatever can be verified. */
static void offer_only(const struct typed *typed, struct candidates *candidates)
{
	if (strcmp(typed->command, "verify") == 0)
		offer_verified(typed, candidates);
	else
		for (int i = 0; i < typed->words - 1; i++)
			if (argument_is_one(typed->word[i]))
				offer_sections(typed->word[i], candidates);
}

static void offer_reader(const struct typed *typed, struct candidates *candidates)
{
	(void)typed;
	spec_candidates_reader(candidates);
}

static void offer_writer(const struct typed *typed, struct candidates *candidates)
{
	(void)typed;
	spec_candidates_writer(candidates);
}

static void offer_clocksource(const struct typed *typed, struct candidates *candidates)
{
	(void)typed;
	spec_candidates_clocksource(candidates);
}

static void offer_clocks(const struct typed *typed, struct candidates *candidates)
{
	(void)typed;
	spec_candidates_clocks(candidates);
}

static void offer_image(const struct typed *typed, struct candidates *candidates)
{
	(void)typed;
	spec_candidates_image(candidates);
}

static void offer_plot(const struct typed *typed, struct candidates *candidates)
{
	const struct picture *picture;

	(void)typed;
	candidates_offer(candidates, "list");
	for (size_t i = 0; (picture = picture_number(i)); i++)
		candidates_offer(candidates, "%s", picture->name);
}

/* What the values of options may be that neither are files nor stand in the table of options. */
static const struct {
	const char *option;
	void (*offer)(const struct typed *typed, struct candidates *candidates);
} values[] = {
	{"reader", offer_reader},     {"writer", offer_writer}, {"clocksource", offer_clocksource},
	{"clock", offer_clocks},      {"image", offer_image},	{"work", offer_work},
	{"priority", offer_priority}, {"cpu", offer_cpus},	{"writer-cpu", offer_cpus},
	{"target", offer_targets},    {"only", offer_only},	{"plot", offer_plot},
};

void option_values_offer(const struct argp_option *option, const struct typed *typed,
			 struct candidates *candidates)
{
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		if (strcmp(values[i].option, option->name) == 0) {
			values[i].offer(typed, candidates);
			return;
		}
	}
	if (strchr(option->arg, '|'))
		candidates_offer_choices(candidates, option->arg);
	else if (strcmp(option->arg, "FILE") == 0)
		candidates->files = true;
}
