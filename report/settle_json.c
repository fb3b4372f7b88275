// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/build.h"
#include "report/compare_json.h"
#include "report/json_report.h"
#include "report/settle_json.h"
#include "report/settle_verdict.h"

#define SCHEMA	  "contend.settle/1"
#define NOT_BEGUN "interrupted before its turn"

struct report {
	const struct settlement *settlement;
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

static json_t *list_json(struct report *report, size_t count, const char *const *line)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_report_append(&report->json, list, text(line[i]));
	return list;
}

static json_t *lines_json(struct report *report, const struct claim_text *claim)
{
	return list_json(report, claim->lines, claim->line);
}

static json_t *claimed_json(struct report *report, const struct claim *claim, size_t place)
{
	json_t *list;

	if (!claim->has_percent)
		return null_of(report, "comparisons", place, "claimed_percent",
			       "nothing was claimed in percent");
	list = json_array();
	json_report_append(&report->json, list, number(claim->low_percent));
	json_report_append(&report->json, list, number(claim->high_percent));
	return list;
}

static const char *why_not(const struct settled *settled)
{
	return settled->why.text[0] ? settled->why.text : NOT_BEGUN;
}

static json_t *begin_section(struct report *report, const struct settled *settled)
{
	json_t *object = json_object();

	put(report, object, "name", text(settled->name));
	put(report, object, "line", json_integer(settled->line));
	put(report, object, "claim", lines_json(report, &settled->claim->text));
	put(report, object, "readers", list_json(report, settled->readers, settled->reader));
	return object;
}

static void put_verdict(struct report *report, json_t *object, const struct settled *settled)
{
	const struct settle_measured measured = settle_measured_of(settled->comparison);
	const struct claim *claim = settled->claim;

	put(report, object, "verdict", text(settle_verdict_name(settle_verdict(claim, &measured))));
	put(report, object, "verdict_text",
	    text(settle_verdict_cell(claim, settled->comparison).text));
	/* No memory is no null. */
	put(report, object, "comparison", report_compare_object(settled->comparison));
}

static json_t *comparison_json(struct report *report, const struct settled *settled, size_t place)
{
	static const char *const names[] = {"verdict", "verdict_text", "comparison"};
	json_t *object = begin_section(report, settled);

	put(report, object, "claimed_percent", claimed_json(report, settled->claim, place));
	if (settled->comparison) {
		put_verdict(report, object, settled);
		return object;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		put(report, object, names[i],
		    null_of(report, "comparisons", place, names[i], why_not(settled)));
	return object;
}

static json_t *inspection_json(struct report *report, const struct settled *settled, size_t place)
{
	json_t *object = begin_section(report, settled);

	put(report, object, "targets", list_json(report, settled->targets, settled->target));
	put(report, object, "inspection",
	    settled->inspection
		    ? json_incref(settled->inspection)
		    : null_of(report, "inspections", place, "inspection", why_not(settled)));
	return object;
}

static json_t *sections_json(struct report *report, bool inspections)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->settlement->sections; i++) {
		const struct settled *settled = &report->settlement->section[i];
		const size_t place = json_array_size(list);

		if (settled->is_inspection != inspections)
			continue;
		json_report_append(&report->json, list,
				   inspections ? inspection_json(report, settled, place)
					       : comparison_json(report, settled, place));
	}
	return list;
}

static json_t *settle_json(struct report *report)
{
	const struct settlement *settlement = report->settlement;
	json_t *object = json_object();

	put(report, object, "schema", text(SCHEMA));
	put(report, object, "version", text(CONTEND_VERSION));
	put(report, object, "file", text(settlement->file));
	put(report, object, "title", text(settlement->title));
	put(report, object, "claim", lines_json(report, settlement->claim));
	put(report, object, "by", lines_json(report, settlement->by));
	put(report, object, "comparisons", sections_json(report, false));
	put(report, object, "inspections", sections_json(report, true));
	put(report, object, "unavailable", json_incref(report->json.unavailable));
	put(report, object, "complete", json_boolean(!settlement->interrupted));
	put(report, object, "exit_status", json_integer(report_settle_status(settlement)));
	put(report, object, "seconds", number(settlement->seconds));
	return object;
}

int report_settle_json(FILE *out, const struct settlement *settlement, struct errmsg *err)
{
	struct report report = {settlement, json_report_begin()};

	return json_report_end(&report.json, settle_json(&report), out, err);
}
