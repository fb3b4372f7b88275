// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/build.h"
#include "report/json_report.h"
#include "report/verify_json.h"

#define SCHEMA "contend.verify/1"

struct report {
	const struct verification *verification;
	struct json_report json;
};

static void put(struct report *report, json_t *object, const char *name, json_t *value)
{
	json_report_put(&report->json, object, name, value);
}

static json_t *null_of(struct report *report, const char *list, size_t place, const char *name,
		       const char *reason)
{
	char path[96];

	snprintf(path, sizeof(path), "%s.%zu.%s", list, place, name);
	json_report_unavailable(&report->json, path, reason);
	return json_null();
}

static const char *verdict_word(enum verify_verdict verdict)
{
	static const char *const words[] = {
		[VERIFY_KILLED] = "killed",   [VERIFY_SURVIVED] = "survived",
		[VERIFY_HIDDEN] = "hidden",   [VERIFY_ABSENT] = "absent",
		[VERIFY_UNKNOWN] = "unknown",
	};

	return words[verdict];
}

static json_t *detectors_json(struct report *report, const struct verify_finding *finding)
{
	json_t *list = json_array();

	for (enum verify_detector i = 0; i < VERIFY_DETECTORS; i++)
		if (finding->by[i])
			json_report_append(&report->json, list, text(verify_detector_name(i)));
	return list;
}

static void put_job(struct report *report, json_t *object, const struct verify_job *job)
{
	json_t *writers = json_array();

	for (size_t i = 0; i < VERIFY_MAX_WRITERS && job->writer[i]; i++)
		json_report_append(&report->json, writers, text(job->writer[i]));
	put(report, object, "reader", text(job->reader));
	put(report, object, "writers", writers);
	put(report, object, "payload", text(job->payload == PAYLOAD_STAMP ? "stamp" : "time"));
	put(report, object, "clocksource",
	    text(job->clocksource ? job->clocksource : report->verification->result->counter));
}

/* A count that its reader may not tell. */
static json_t *told(struct report *report, const struct verify_finding *finding, const char *list,
		    size_t place, const char *name, u64 value)
{
	return finding->retries_unavailable[0]
		       ? null_of(report, list, place, name, finding->retries_unavailable)
		       : count(value);
}

static void put_counts(struct report *report, json_t *object, const char *list, size_t place,
		       const struct verify_finding *finding)
{
	put(report, object, "checked", count(finding->checked));
	put(report, object, "unchecked", count(finding->unchecked));
	put(report, object, "torn", count(finding->torn));
	put(report, object, "stale", count(finding->stale));
	put(report, object, "backwards", count(finding->backwards));
	put(report, object, "forbidden_jumps", count(finding->jumps));
	put(report, object, "retries",
	    told(report, finding, list, place, "retries", finding->retries));
	put(report, object, "caught",
	    told(report, finding, list, place, "caught", finding->caught));
	put(report, object, "updates", count(finding->updates));
	put(report, object, "detail", finding->stall[0] ? text(finding->stall) : json_null());
}

/* Why there is no figure of a mutant's death. */
static const char *why_alive(const struct verify_mutant *mutant,
			     const struct verify_finding *finding)
{
	switch (verify_verdict(mutant, finding)) {
	case VERIFY_HIDDEN:
		return mutant->hidden;
	case VERIFY_SURVIVED:
		return "no detector has killed it";
	case VERIFY_ABSENT:
	case VERIFY_UNKNOWN:
	case VERIFY_KILLED:
		break;
	}
	return verify_why_nothing(finding);
}

static json_t *mutant_json(struct report *report, size_t place)
{
	const struct verify_mutant *mutant = &report->verification->config->mutant[place];
	const struct verify_finding *finding = &report->verification->result->mutant[place];
	const enum verify_verdict verdict = verify_verdict(mutant, finding);
	json_t *object = json_object();

	put(report, object, "name", text(mutant->name));
	put(report, object, "kind", text(verify_kind_word(mutant->kind)));
	put(report, object, "killed_by", detectors_json(report, finding));
	put(report, object, "seconds",
	    verdict == VERIFY_KILLED
		    ? number(finding->seconds)
		    : null_of(report, "mutants", place, "seconds", why_alive(mutant, finding)));
	put(report, object, "expected",
	    text(mutant->hidden ? "not on this CPU; see prove" : "killed"));
	put(report, object, "verdict", text(verdict_word(verdict)));
	put(report, object, "tries", json_integer(finding->tries));
	put_job(report, object, &mutant->job);
	put_counts(report, object, "mutants", place, finding);
	return object;
}

static json_t *mutants_json(struct report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->verification->config->mutants; i++)
		json_report_append(&report->json, list, mutant_json(report, i));
	return list;
}

static json_t *correct_json(struct report *report, size_t which, const char *list, size_t place)
{
	const struct verify_finding *finding = &report->verification->result->correct[which];
	json_t *object = json_object();

	put_job(report, object, &report->verification->config->correct[which]);
	put(report, object, "seconds", number(finding->seconds));
	put(report, object, "tries", json_integer(finding->tries));
	put_counts(report, object, list, place, finding);
	if (finding->stalled[0])
		put(report, object, "stalled", text(finding->stalled));
	if (finding->state == VERIFY_FOUND)
		put(report, object, "by", detectors_json(report, finding));
	return object;
}

static json_t *corrects_json(struct report *report, const char *name, enum verify_state state)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->verification->config->corrects; i++)
		if (report->verification->result->correct[i].state == state)
			json_report_append(&report->json, list,
					   correct_json(report, i, name, json_array_size(list)));
	return list;
}

static json_t *left_out_json(struct report *report)
{
	const struct verify_config *config = report->verification->config;
	json_t *list = json_array();

	for (size_t i = 0; i < config->corrects; i++) {
		const struct verify_finding *finding = &report->verification->result->correct[i];
		json_t *object;

		if (finding->state == VERIFY_FOUND || finding->state == VERIFY_SEEN_NOTHING)
			continue;
		object = json_object();
		put_job(report, object, &config->correct[i]);
		put(report, object, "reason", text(verify_why_nothing(finding)));
		put(report, object, "not_here", json_boolean(finding->state == VERIFY_NOT_HERE));
		json_report_append(&report->json, list, object);
	}
	return list;
}

static json_t *killed_by_json(struct report *report)
{
	const struct verify_sum sum =
		verify_add_up(report->verification->config, report->verification->result);
	json_t *object = json_object();

	for (enum verify_detector i = 0; i < VERIFY_DETECTORS; i++)
		put(report, object, verify_detector_name(i),
		    json_integer((json_int_t)sum.killed_by[i]));
	return object;
}

static json_t *config_json(struct report *report)
{
	const struct verify_config *config = report->verification->config;
	json_t *object = json_object(), *readers = json_array();

	for (size_t i = 0; i < config->readers; i++)
		json_report_append(&report->json, readers, text(config->reader[i]));
	put(report, object, "readers", readers);
	put(report, object, "duration_ns", count(config->duration_ns));
	put(report, object, "tries", json_integer(VERIFY_TRIES));
	put(report, object, "most_tries", json_integer(VERIFY_MOST_TRIES));
	return object;
}

static json_t *verify_json(struct report *report)
{
	const struct verify_result *result = report->verification->result;
	json_t *object = json_object();

	put(report, object, "schema", text(SCHEMA));
	put(report, object, "version", text(CONTEND_VERSION));
	put(report, object, "machine", json_report_machine(&report->json, &result->machine));
	put(report, object, "counter", text(result->counter));
	put(report, object, "config", config_json(report));
	put(report, object, "mutants", mutants_json(report));
	put(report, object, "detectors", killed_by_json(report));
	put(report, object, "accused", corrects_json(report, "accused", VERIFY_FOUND));
	put(report, object, "survived", corrects_json(report, "survived", VERIFY_SEEN_NOTHING));
	put(report, object, "left_out", left_out_json(report));
	put(report, object, "remarks", json_report_remarks(&report->json, &result->remarks));
	put(report, object, "unavailable", json_incref(report->json.unavailable));
	put(report, object, "complete", json_boolean(!result->interrupted));
	put(report, object, "exit_status",
	    json_integer(report_verify_status(report->verification)));
	put(report, object, "seconds", number(result->seconds));
	return object;
}

int report_verify_json(FILE *out, const struct verification *verification, struct errmsg *err)
{
	struct report report = {verification, json_report_begin()};

	return json_report_end(&report.json, verify_json(&report), out, err);
}
