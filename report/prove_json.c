// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "prove/timeline.h"
#include "report/json_report.h"
#include "report/prove_json.h"

#define SCHEMA "contend.prove/1"

struct report {
	const struct proven *proven;
	struct json_report json;
};

static void put(struct report *report, json_t *object, const char *name, json_t *value)
{
	json_report_put(&report->json, object, name, value);
}

/* null where there is nothing to say, which is no lack. */
static json_t *told(const char *string)
{
	return string[0] ? text(string) : json_null();
}

static json_t *line_number(int line)
{
	return line < 0 ? json_null() : json_integer(line + 1);
}

static json_t *place_json(struct report *report, const void *site)
{
	struct proven_place place;
	json_t *object = json_object();

	report->proven->place(report->proven->context, site, &place);
	put(report, object, "file", told(place.file));
	put(report, object, "line", place.line ? json_integer(place.line) : json_null());
	put(report, object, "text", told(place.text));
	return object;
}

/* Values are words of 64 bits, which JSON's numbers are not. */
static json_t *word_json(u64 word)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)word);
	return text(digits);
}

static json_t *thread_json(const struct report *report, u32 thread)
{
	const u32 writers = (u32)report->proven->writers;
	char name[32];

	snprintf(name, sizeof(name), "%s %u", thread < writers ? "writer" : "reader",
		 thread < writers ? thread + 1 : thread - writers + 1);
	return text(name);
}

static json_t *line_json(struct report *report, enum model model, const struct timeline_line *line)
{
	const struct event *event = line->event;
	const struct memory_cell *cell =
		&report->proven->study->model[model].proof.explored.cell[event->cell];
	const bool fence = event->kind == EVENT_FENCE;
	const bool loads = !fence && event_loads(event), stores = !fence && event_stores(event);
	json_t *object = json_object();

	put(report, object, "thread", thread_json(report, event->thread));
	put(report, object, "number", count(event->pass));
	put(report, object, "does", text(proven_kind(event->kind)));
	put(report, object, "order", text(proven_order(event->order)));
	put(report, object, "at", place_json(report, event->site));
	if (!fence) {
		put(report, object, "offset_bytes", json_integer(cell->offset));
		put(report, object, "bytes", json_integer(cell->bytes));
	}
	if (loads) {
		put(report, object, "loaded", word_json(event->taken));
		put(report, object, "from", line_number(line->from));
		put(report, object, "newer", line_number(line->newer));
		put(report, object, "why",
		    told(proven_why_older(report->proven, model, line->newer).text));
	}
	if (stores)
		put(report, object, "stored", word_json(event->value));
	return object;
}

static json_t *counterexample_json(struct report *report, enum model model)
{
	const struct proof *proof = &report->proven->study->model[model].proof;
	struct timeline *timeline = malloc(sizeof(*timeline));
	json_t *list = json_array();

	if (!timeline) {
		report->json.incomplete = true;
		return list;
	}
	if (proof->verdict == PROOF_BROKEN && proof->fault != PROOF_RACED) {
		timeline_make(&proof->explored.witness, model, (u32)report->proven->writers,
			      proof->reader, proof_last_pass(proof), timeline);
		for (u32 i = 0; i < timeline->lines; i++)
			json_report_append(&report->json, list,
					   line_json(report, model, &timeline->line[i]));
	}
	free(timeline);
	return list;
}

static json_t *bounds_json(struct report *report, const struct proof_bounds *bounds)
{
	json_t *object = json_object();

	put(report, object, "updates", json_integer(bounds->updates));
	put(report, object, "readers", json_integer(bounds->readers));
	put(report, object, "reads", json_integer(bounds->reads));
	put(report, object, "attempts", json_integer(bounds->attempts));
	return object;
}

static json_t *mendings_json(struct report *report, const struct study_model *studied)
{
	json_t *list = json_array();

	for (u32 i = 0; i < studied->mendings; i++)
		json_report_append(&report->json, list,
				   text(proven_mending(report->proven, &studied->mending[i]).text));
	return list;
}

/* What was not explored has no figures. */
static void put_nothing(struct report *report, json_t *object, enum model model, size_t place)
{
	char path[32];

	put(report, object, "model", text(proven_model(model)));
	put(report, object, "verdict", text(proven_verdict(PROOF_INCOMPLETE)));
	put(report, object, "fault", json_null());
	put(report, object, "why_incomplete", text(proven_why_unexplored(report->proven)));
	put(report, object, "executions", json_null());
	put(report, object, "seconds", json_null());
	put(report, object, "bounds", json_null());
	put(report, object, "returned", json_null());
	put(report, object, "counterexample", json_array());
	put(report, object, "mendings", json_array());
	snprintf(path, sizeof(path), "models.%zu", place);
	json_report_unavailable(&report->json, path, proven_why_unexplored(report->proven));
}

static void put_proof(struct report *report, json_t *object, enum model model)
{
	const struct study_model *studied = &report->proven->study->model[model];
	const struct proof *proof = &studied->proof;

	put(report, object, "model", text(proven_model(model)));
	put(report, object, "verdict", text(proven_verdict(proof->verdict)));
	put(report, object, "fault", told(proven_fault(proof->fault, &proof->bounds).text));
	put(report, object, "why_incomplete", told(proven_why_incomplete(proof)));
	put(report, object, "executions", count(proof->executions));
	put(report, object, "seconds", number(proof->seconds));
	put(report, object, "bounds", bounds_json(report, &proof->bounds));
	put(report, object, "returned", told(studied->returned));
	put(report, object, "counterexample", counterexample_json(report, model));
	put(report, object, "mendings", mendings_json(report, studied));
}

static json_t *models_json(struct report *report)
{
	json_t *list = json_array();

	for (enum model model = 0; model < MODELS; model++) {
		json_t *object;

		if (!report->proven->config->model[model])
			continue;
		object = json_object();
		if (report->proven->study->model[model].done)
			put_proof(report, object, model);
		else
			put_nothing(report, object, model, json_array_size(list));
		json_report_append(&report->json, list, object);
	}
	return list;
}

static json_t *side_json(struct report *report, const struct explore_race *race, u32 side)
{
	json_t *object = json_object();

	put(report, object, "does", text(proven_kind(race->kind[side])));
	put(report, object, "at", place_json(report, race->site[side]));
	return object;
}

static json_t *races_json(struct report *report)
{
	const struct study_model *studied = &report->proven->study->model[MODEL_WEAK];
	json_t *list = json_array();

	for (u32 i = 0; studied->done && i < studied->proof.explored.races; i++) {
		const struct explore_race *race = &studied->proof.explored.race[i];
		json_t *pair = json_array();

		for (u32 side = 0; side < 2; side++)
			json_report_append(&report->json, pair, side_json(report, race, side));
		json_report_append(&report->json, list, pair);
	}
	return list;
}

static json_t *needs_json(struct report *report, const struct weakening *weakening)
{
	json_t *list = json_array();

	for (enum model model = 0; model < MODELS; model++) {
		json_t *object;

		if (!weakening->asked[model])
			continue;
		object = json_object();
		put(report, object, "model", text(proven_model(model)));
		put(report, object, "verdict", text(proven_need(weakening, model)));
		json_report_append(&report->json, list, object);
	}
	return list;
}

static json_t *weakening_json(struct report *report, const struct weakening *weakening)
{
	const bool none =
		weakening->site.kind == EVENT_FENCE && weakening->order == __ATOMIC_RELAXED;
	json_t *object = json_object();

	put(report, object, "at", place_json(report, weakening->site.site));
	put(report, object, "does", text(proven_kind(weakening->site.kind)));
	put(report, object, "order", text(proven_order(weakening->site.order)));
	put(report, object, "weakened_to", text(none ? "none" : proven_order(weakening->order)));
	put(report, object, "models", needs_json(report, weakening));
	return object;
}

static json_t *weakenings_json(struct report *report)
{
	const struct study *study = report->proven->study;
	json_t *list = json_array();

	for (u32 i = 0; i < study->weakened; i++)
		json_report_append(&report->json, list,
				   weakening_json(report, &study->weakening[i]));
	return list;
}

static json_t *config_json(struct report *report)
{
	const struct study_config *config = report->proven->config;
	json_t *object = bounds_json(report, &config->most);

	put(report, object, "counter_bits", json_integer(report->proven->counter_bits));
	put(report, object, "words",
	    report->proven->words ? json_integer(report->proven->words) : json_null());
	put(report, object, "strict", json_boolean(config->strict));
	put(report, object, "weaken", json_boolean(config->weaken));
	put(report, object, "limit_ns", count((u64)(config->most_seconds * NSEC_PER_SEC)));
	return object;
}

static json_t *names_json(struct report *report, const char *const *name)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->proven->writers; i++)
		json_report_append(&report->json, list, text(name[i]));
	return list;
}

/* Under weak all that is unordered races; other models are not asked. */
static void put_races(struct report *report, json_t *root)
{
	const struct proven *proven = report->proven;

	if (!proven->study->model[MODEL_WEAK].done)
		json_report_unavailable(
			&report->json, "races",
			proven->config->model[MODEL_WEAK]
				? proven_why_unexplored(proven)
				: "they are told under weak, which was not asked for");
	put(report, root, "races",
	    proven->study->model[MODEL_WEAK].done ? races_json(report) : json_null());
}

static json_t *prove_json(struct report *report)
{
	const struct proven *proven = report->proven;
	struct remarks remarks = {.count = 0};
	json_t *root = json_object();

	proven_remarks(proven, &remarks);
	put(report, root, "schema", text(SCHEMA));
	put(report, root, "version", text(CONTEND_VERSION));
	put(report, root, "reader", text(proven->reader));
	put(report, root, "writer", names_json(report, proven->writer));
	put(report, root, "explored_writer", names_json(report, proven->explored));
	put(report, root, "config", config_json(report));
	put(report, root, "models", models_json(report));
	put_races(report, root);
	put(report, root, "weakenings", weakenings_json(report));
	put(report, root, "remarks", json_report_remarks(&report->json, &remarks));
	put(report, root, "unavailable", json_incref(report->json.unavailable));
	put(report, root, "complete", json_boolean(proven->study->end == STUDY_COMPLETE));
	put(report, root, "exit_status", json_integer((int)proven_status(proven)));
	return root;
}

int report_prove_json(FILE *out, const struct proven *proven, struct errmsg *err)
{
	struct report report = {proven, json_report_begin()};

	return json_report_end(&report.json, prove_json(&report), out, err);
}
