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

static json_t *place_json(struct report *report, const void *site)
{
	struct proven_place place;
	json_t *object = json_object();

	report->proven->place(report->proven->context, site, &place);
	put(report, object, "file", text(place.file));
	put(report, object, "line", json_integer(place.line));
	put(report, object, "text", text(place.text));
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
	put(report, object, "number", json_integer(event->pass));
	put(report, object, "does", text(proven_kind(event->kind)));
	put(report, object, "order", text(proven_order(event->order)));
	put(report, object, "at", place_json(report, event->site));
	if (!fence) {
		put(report, object, "offset_bytes", json_integer(cell->offset));
		put(report, object, "bytes", json_integer(cell->bytes));
	}
	if (loads) {
		put(report, object, "loaded", word_json(event->taken));
		put(report, object, "from", json_integer(line->from + 1));
		put(report, object, "newer", json_integer(line->newer + 1));
		put(report, object, "why",
		    text(proven_why_older(report->proven, model, line->newer).text));
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
			      timeline);
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

static json_t *model_json(struct report *report, enum model model)
{
	const struct study_model *studied = &report->proven->study->model[model];
	const struct proof *proof = &studied->proof;
	json_t *object = json_object();

	put(report, object, "model", text(proven_model(model)));
	put(report, object, "verdict",
	    text(studied->done ? proven_verdict(proof->verdict) : "incomplete"));
	put(report, object, "fault", text(proven_fault(proof->fault, &proof->bounds).text));
	put(report, object, "executions", count(proof->executions));
	put(report, object, "seconds", number(proof->seconds));
	put(report, object, "bounds", bounds_json(report, &proof->bounds));
	put(report, object, "returned", text(studied->returned));
	put(report, object, "counterexample", counterexample_json(report, model));
	put(report, object, "mendings", mendings_json(report, studied));
	return object;
}

static json_t *models_json(struct report *report)
{
	json_t *list = json_array();

	for (enum model model = 0; model < MODELS; model++)
		if (report->proven->config->model[model])
			json_report_append(&report->json, list, model_json(report, model));
	return list;
}

static json_t *races_json(struct report *report)
{
	const struct study_model *studied = &report->proven->study->model[MODEL_WEAK];
	json_t *list = json_array();

	for (u32 i = 0; studied->done && i < studied->proof.explored.races; i++) {
		const struct explore_race *race = &studied->proof.explored.race[i];
		json_t *pair = json_array();

		json_report_append(&report->json, pair, place_json(report, race->site[0]));
		json_report_append(&report->json, pair, place_json(report, race->site[1]));
		json_report_append(&report->json, list, pair);
	}
	return list;
}

static json_t *weakening_json(struct report *report, const struct weakening *weakening)
{
	json_t *object = json_object();

	put(report, object, "at", place_json(report, weakening->site.site));
	put(report, object, "does", text(proven_kind(weakening->site.kind)));
	put(report, object, "order", text(proven_order(weakening->site.order)));
	put(report, object, "weakened_to",
	    text(weakening->site.kind == EVENT_FENCE && weakening->order == __ATOMIC_RELAXED
			 ? "none"
			 : proven_order(weakening->order)));
	for (enum model model = 0; model < MODELS; model++)
		if (weakening->asked[model])
			put(report, object, proven_model(model),
			    text(weakening->verdict[model] == PROOF_BROKEN  ? "needed"
				 : weakening->verdict[model] == PROOF_HOLDS ? "not needed"
									    : "unclear"));
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

	put(report, object, "words", json_integer(report->proven->words));
	put(report, object, "strict", json_boolean(config->strict));
	put(report, object, "most_seconds", number(config->most_seconds));
	return object;
}

int report_prove_json(FILE *out, const struct proven *proven, struct errmsg *err)
{
	struct report report = {proven, json_report_begin()};
	json_t *root = json_object(), *writers = json_array();

	for (size_t i = 0; i < proven->writers; i++)
		json_report_append(&report.json, writers, text(proven->writer[i]));
	put(&report, root, "schema", text(SCHEMA));
	put(&report, root, "version", text(CONTEND_VERSION));
	put(&report, root, "reader", text(proven->reader));
	put(&report, root, "writer", writers);
	put(&report, root, "config", config_json(&report));
	put(&report, root, "models", models_json(&report));
	put(&report, root, "races", races_json(&report));
	put(&report, root, "weakenings", weakenings_json(&report));
	put(&report, root, "complete", json_boolean(proven->study->end == STUDY_COMPLETE));
	put(&report, root, "why",
	    proven->study->why.text[0] ? text(proven->study->why.text) : json_null());
	put(&report, root, "exit_status", json_integer((int)proven_status(proven)));
	return json_report_end(&report.json, root, out, err);
}
