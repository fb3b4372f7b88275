// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "prove/timeline.h"
#include "report/cell.h"
#include "report/prove_text.h"

/* Columns of a thread in the timeline. */
#define THREAD_WIDTH 34

static int state_of(FILE *out)
{
	return ferror(out) ? -1 : 0;
}

static void print_head(FILE *out, const struct proven *proven)
{
	const struct proof_bounds *most = &proven->config->most;

	fprintf(out, "prove    reader %s, writer", proven->reader);
	for (size_t i = 0; i < proven->writers; i++)
		fprintf(out, "%s %s", i ? " and" : "", proven->writer[i]);
	fprintf(out, "; up to %u update%s, %u reader%s of %u read%s, %u attempt%s", most->updates,
		most->updates == 1 ? "" : "s", most->readers, most->readers == 1 ? "" : "s",
		most->reads, most->reads == 1 ? "" : "s", most->attempts,
		most->attempts == 1 ? "" : "s");
	if (proven->words)
		fprintf(out, ", %u words", proven->words);
	if (proven->counter_bits)
		fprintf(out, ", counters %u before their end", 1u << proven->counter_bits);
	fputc('\n', out);
}

static void print_model(FILE *out, enum model model, const struct study_model *studied)
{
	const struct proof *proof = &studied->proof;

	fprintf(out, "%-8s %-10s %s execution%s in %s", proven_model(model),
		proof->verdict == PROOF_BROKEN ? "BROKEN" : proven_verdict(proof->verdict),
		cell_count(proof->executions).text, proof->executions == 1 ? "" : "s",
		cell_ns(proof->seconds * NSEC_PER_SEC).text);
	if (proof->verdict == PROOF_BROKEN)
		fprintf(out, ": %s", proven_fault(proof->fault, &proof->bounds).text);
	else if (proof->verdict == PROOF_INCOMPLETE)
		fprintf(out, ": %s", proven_why_incomplete(proof));
	fputc('\n', out);
}

static void print_models(FILE *out, const struct proven *proven)
{
	for (enum model model = 0; model < MODELS; model++)
		if (proven->study->model[model].done)
			print_model(out, model, &proven->study->model[model]);
		else if (proven->config->model[model])
			fprintf(out, "%-8s n/a        %s\n", proven_model(model),
				proven->study->end == STUDY_INTERRUPTED ? "interrupted"
									: "not explored");
}

/* Names of threads, over their columns. */
static void print_threads(FILE *out, const struct proven *proven, u32 readers)
{
	const u32 writers = (u32)proven->writers;
	char name[32];

	fprintf(out, "     ");
	for (u32 i = 0; i < writers + readers; i++) {
		snprintf(name, sizeof(name), "%s %u", i < writers ? "writer" : "reader",
			 i < writers ? i + 1 : i - writers + 1);
		fprintf(out, "%-*s", THREAD_WIDTH, name);
	}
	fputc('\n', out);
}

/* An access, as short as it can be told. */
static void tell_access(const struct event *event, const struct memory_cell *cell, u32 line,
			char *text, size_t size)
{
	const char *order = event->order ? proven_order(event->order) : "";
	const char *gap = event->order ? " " : "";

	switch ((enum event_kind)event->kind) {
	case EVENT_FENCE:
		snprintf(text, size, "%u: %s fence", line, order);
		break;
	case EVENT_LOAD:
		snprintf(text, size, "%u: %s%sload +%u = %" PRIu64, line, order, gap, cell->offset,
			 event->taken);
		break;
	case EVENT_STORE:
		snprintf(text, size, "%u: %s%sstore +%u = %" PRIu64, line, order, gap, cell->offset,
			 event->value);
		break;
	case EVENT_MODIFY:
		snprintf(text, size, "%u: %s%s+%u: %" PRIu64 " to %" PRIu64, line, order, gap,
			 cell->offset, event->taken, event->value);
		break;
	}
}

static void print_line(FILE *out, const struct proven *proven, enum model model,
		       const struct timeline *timeline, u32 number, u32 readers)
{
	const struct study_model *studied = &proven->study->model[model];
	const struct timeline_line *line = &timeline->line[number];
	const struct event *event = line->event;
	const u32 columns = (u32)proven->writers + readers;
	struct proven_place place;
	char text[96];

	proven->place(proven->context, event->site, &place);
	tell_access(event, &studied->proof.explored.cell[event->cell], place.line, text,
		    sizeof(text));
	fprintf(out, "%3u  %*s%-*s", number + 1, (int)(event->thread * THREAD_WIDTH), "",
		(int)((columns - event->thread) * THREAD_WIDTH), text);
	fprintf(out, "%.64s\n", place.text);
	if (event->kind == EVENT_FENCE || !event_loads(event))
		return;
	fprintf(out, "     %*s  ", (int)(event->thread * THREAD_WIDTH), "");
	if (line->from < 0)
		fprintf(out, "took what was there at first");
	else
		fprintf(out, "took %d", line->from + 1);
	if (line->newer >= 0)
		fprintf(out, "; %s", proven_why_older(proven, model, line->newer).text);
	fputc('\n', out);
}

static void print_counterexample(FILE *out, const struct proven *proven, enum model model)
{
	/* Large, and one thread's. */
	static struct timeline timeline;
	const struct study_model *studied = &proven->study->model[model];
	const struct proof *proof = &studied->proof;

	fprintf(out, "\nUnder %s: %s.\n\n", proven_model(model),
		proven_fault(proof->fault, &proof->bounds).text);
	timeline_make(&proof->explored.witness, model, (u32)proven->writers, &timeline);
	print_threads(out, proven, proof->bounds.readers);
	for (u32 i = 0; i < timeline.lines; i++)
		print_line(out, proven, model, &timeline, i, proof->bounds.readers);
	if (proof->fault == PROOF_CRASHED)
		fprintf(out, "\n%s %u crashed then: %s.\n",
			proof->reader < proven->writers ? "Writer" : "Reader",
			proof->reader < proven->writers ? proof->reader + 1
							: proof->reader - (u32)proven->writers + 1,
			studied->returned);
	else if (studied->returned[0])
		fprintf(out, "\nRead %u of reader %u returned %s.\n", proof->read + 1,
			proof->reader - (u32)proven->writers + 1, studied->returned);
	for (u32 i = 0; i < studied->mendings; i++)
		fprintf(out, "%s %s.\n",
			i ? "Or" : "Cause:", proven_mending(proven, &studied->mending[i]).text);
	if (!studied->mendings && proof->fault != PROOF_CRASHED)
		fprintf(out, "No single fence or ordering mends it.\n");
}

static void print_race(FILE *out, const struct proven *proven, const struct explore_race *race)
{
	fprintf(out, "race     %s at %s, %s at %s\n", proven_kind(race->kind[0]),
		proven_at(proven, race->site[0]).text, proven_kind(race->kind[1]),
		proven_at(proven, race->site[1]).text);
}

/* Of what a compiler has made several times, once. */
static bool is_told(const struct proven *proven, const struct explore_result *explored, u32 at)
{
	for (u32 i = 0; i < at; i++) {
		u32 same = 0;

		for (u32 side = 0; side < 2; side++)
			same += strcmp(proven_at(proven, explored->race[i].site[side]).text,
				       proven_at(proven, explored->race[at].site[side]).text) == 0;
		if (same == 2)
			return true;
	}
	return false;
}

static void print_races(FILE *out, const struct proven *proven)
{
	const struct explore_result *explored = &proven->study->model[MODEL_WEAK].proof.explored;

	for (u32 i = 0; proven->study->model[MODEL_WEAK].done && i < explored->races; i++)
		if (!is_told(proven, explored, i))
			print_race(out, proven, &explored->race[i]);
}

static void print_weakening(FILE *out, const struct proven *proven,
			    const struct weakening *weakening)
{
	fprintf(out, "%-24s %-32s", proven_at(proven, weakening->site.site).text,
		proven_weakening(weakening).text);
	for (enum model model = 0; model < MODELS; model++)
		if (proven->config->model[model])
			fprintf(out, " %-12s",
				weakening->asked[model] ? proven_need(weakening, model) : "n/a");
	fputc('\n', out);
}

static void print_weakenings(FILE *out, const struct proven *proven)
{
	const struct study *study = proven->study;

	if (!proven->config->weaken || study_is_broken(study))
		return;
	fprintf(out, "\n%-24s %-32s", "weakened", "to");
	for (enum model model = 0; model < MODELS; model++)
		if (proven->config->model[model])
			fprintf(out, " %-12s", proven_model(model));
	fputc('\n', out);
	for (u32 i = 0; i < study->weakened; i++)
		print_weakening(out, proven, &study->weakening[i]);
	if (study->end == STUDY_COMPLETE && !study->weakenings)
		fprintf(out, "nothing orders anything here: all is relaxed\n");
}

int report_prove(FILE *out, const struct proven *proven)
{
	print_head(out, proven);
	print_models(out, proven);
	print_races(out, proven);
	for (enum model model = 0; model < MODELS; model++)
		if (proven->study->model[model].done &&
		    proven->study->model[model].proof.verdict == PROOF_BROKEN &&
		    proven->study->model[model].proof.fault != PROOF_RACED) {
			print_counterexample(out, proven, model);
			break;
		}
	print_weakenings(out, proven);
	return state_of(out);
}

int report_prove_remarks(FILE *out, const struct proven *proven)
{
	struct remarks remarks = {.count = 0};

	proven_remarks(proven, &remarks);
	for (int i = 0; i < remarks.count; i++)
		fprintf(out, "remark   %s\n", remarks.text[i]);
	return state_of(out);
}
