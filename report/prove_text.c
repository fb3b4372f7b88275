// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "prove/timeline.h"
#include "report/cell.h"
#include "report/prove_text.h"

/* Columns of a thread in the timeline. */
#define THREAD_WIDTH 34

/* Of the table of weakenings. */
#define LEAST_TO_WIDTH 32
#define NEED_WIDTH     12

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
		fprintf(out, "%-*s", i + 1 < writers + readers ? THREAD_WIDTH : 0, name);
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
	const int width = (int)((columns - event->thread) * THREAD_WIDTH);
	struct proven_place place;
	char text[96];

	proven->place(proven->context, event->site, &place);
	tell_access(event, &studied->proof.explored.cell[event->cell], place.line, text,
		    sizeof(text));
	fprintf(out, "%3u  %*s", number + 1, (int)(event->thread * THREAD_WIDTH), "");
	if (place.text[0])
		fprintf(out, "%-*s %.64s\n", width - 1, text, place.text);
	else
		fprintf(out, "%s\n", text);
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
	timeline_make(&proof->explored.witness, model, (u32)proven->writers, proof->reader,
		      proof_last_pass(proof), &timeline);
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

/* The models that were asked for, a column each; nothing stands behind the last. */
static void print_columns(FILE *out, const struct proven *proven,
			  const char *(*word)(const struct weakening *weakening, enum model model),
			  const struct weakening *weakening)
{
	int gap = 0;

	for (enum model model = 0; model < MODELS; model++) {
		const char *cell = word(weakening, model);

		if (!proven->config->model[model])
			continue;
		fprintf(out, "%*s %s", gap, "", cell);
		gap = NEED_WIDTH - (int)strlen(cell);
	}
	fputc('\n', out);
}

static const char *head_of_column(const struct weakening *weakening, enum model model)
{
	(void)weakening;
	return proven_model(model);
}

static const char *need_of_column(const struct weakening *weakening, enum model model)
{
	return weakening->asked[model] ? proven_need(weakening, model) : "n/a";
}

/* Of the column that says to what: as wide as its longest cell. */
static int to_width(const struct study *study)
{
	size_t width = LEAST_TO_WIDTH;

	for (u32 i = 0; i < study->weakened; i++) {
		const size_t length = strlen(proven_weakening(&study->weakening[i]).text);

		if (length > width)
			width = length;
	}
	return (int)width;
}

static void print_weakening(FILE *out, const struct proven *proven,
			    const struct weakening *weakening)
{
	fprintf(out, "%-24s %-*s", proven_at(proven, weakening->site.site).text,
		to_width(proven->study), proven_weakening(weakening).text);
	print_columns(out, proven, need_of_column, weakening);
}

/* Under the model that stands for machines which may buffer loads. */
static bool is_any_not_needed(const struct study *study)
{
	for (u32 i = 0; i < study->weakened; i++)
		if (study->weakening[i].asked[MODEL_WEAK] &&
		    study->weakening[i].verdict[MODEL_WEAK] == PROOF_HOLDS)
			return true;
	return false;
}

static void print_weakenings(FILE *out, const struct proven *proven)
{
	const struct study *study = proven->study;

	if (!proven->config->weaken || study_is_broken(study))
		return;
	fprintf(out, "\n%-24s %-*s", "weakened", to_width(study), "to");
	print_columns(out, proven, head_of_column, NULL);
	for (u32 i = 0; i < study->weakened; i++)
		print_weakening(out, proven, &study->weakening[i]);
	if (is_any_not_needed(study))
		fprintf(out, "note     no model here has load buffering: what keeps a load before "
			     "a later "
			     "store may be needed on arm64, power or riscv all the same\n");
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
