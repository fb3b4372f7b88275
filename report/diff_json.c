// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <string.h>

#include "report/diff_json.h"
#include "report/json_report.h"

#define SCHEMA "contend.diff/1"

struct report {
	const struct diff *diff;
	struct json_report json;
};

static void put(struct report *report, json_t *object, const char *name, json_t *value)
{
	json_report_put(&report->json, object, name, value);
}

/* A value of a result, which stays the result's as well. */
static json_t *share(const json_t *value)
{
	return value ? json_incref((json_t *)(uintptr_t)value) : json_null();
}

static json_t *file_json(struct report *report, const struct result_file *file)
{
	json_t *object = json_object();

	put(report, object, "file", text(file->path));
	put(report, object, "schema", share(json_object_get(file->root, "schema")));
	put(report, object, "version", share(json_object_get(file->root, "version")));
	put(report, object, "date", share(json_object_get(file->root, "date")));
	return object;
}

static json_t *differences_json(struct report *report)
{
	const struct diff_differences *differences = &report->diff->differences;
	json_t *list = json_array();

	for (size_t i = 0; i < differences->count; i++) {
		const struct diff_difference *difference = &differences->list[i];
		json_t *object = json_object();

		put(report, object, "path", text(difference->path));
		put(report, object, "old", share(difference->old_value));
		put(report, object, "new", share(difference->new_value));
		put(report, object, "refuses", json_boolean(difference->refuses));
		json_report_append(&report->json, list, object);
	}
	return list;
}

static json_t *interval_json(struct report *report, bool known, double low, double high)
{
	json_t *list;

	if (!known)
		return json_null();
	list = json_array();
	json_report_append(&report->json, list, number(low));
	json_report_append(&report->json, list, number(high));
	return list;
}

static json_t *estimate_json(const struct diff_estimate *estimate)
{
	return estimate->at == NUMBER_THERE ? number(estimate->value) : json_null();
}

static void put_numbers(struct report *report, json_t *object, const struct diff_finding *finding)
{
	const struct diff_estimate *from = &finding->old_one, *to = &finding->new_one;
	const struct diff_change *change = &finding->change;
	const bool known = change->known && change->has_interval;

	put(report, object, "old", estimate_json(from));
	put(report, object, "new", estimate_json(to));
	put(report, object, "old_ci95",
	    interval_json(report, from->at == NUMBER_THERE && from->has_interval, from->low,
			  from->high));
	put(report, object, "new_ci95",
	    interval_json(report, to->at == NUMBER_THERE && to->has_interval, to->low, to->high));
	put(report, object, "change", change->known ? number(change->change) : json_null());
	put(report, object, "change_ci95", interval_json(report, known, change->low, change->high));
}

static void put_words(struct report *report, json_t *object, const struct diff_finding *finding)
{
	put(report, object, "old", share(finding->old_value));
	put(report, object, "new", share(finding->new_value));
	put(report, object, "old_ci95", json_null());
	put(report, object, "new_ci95", json_null());
	put(report, object, "change", json_null());
	put(report, object, "change_ci95", json_null());
}

/* Of what the change is told in; of words, nothing. */
static json_t *change_unit_json(const struct diff_figure *figure)
{
	if (figure->scale == DIFF_WORD)
		return json_null();
	if (figure->scale == DIFF_SHARE)
		return text("percent");
	return text(strcmp(figure->unit, "%") == 0 ? "points" : "count");
}

static json_t *worse_json(const struct diff_figure *figure)
{
	static const char *const words[] = {
		[DIFF_MORE_IS_WORSE] = "more",
		[DIFF_LESS_IS_WORSE] = "less",
	};

	return figure->worse == DIFF_NEITHER ? json_null() : text(words[figure->worse]);
}

static json_t *finding_json(struct report *report, const struct diff_finding *finding)
{
	const struct diff_figure *figure = finding->figure;
	json_t *object = json_object();

	put(report, object, "of", text(finding->of));
	put(report, object, "name", text(figure->name));
	put(report, object, "path", text(finding->path));
	put(report, object, "unit", text(figure->unit));
	put(report, object, "worse", worse_json(figure));
	if (figure->scale == DIFF_WORD)
		put_words(report, object, finding);
	else
		put_numbers(report, object, finding);
	put(report, object, "change_unit", change_unit_json(figure));
	put(report, object, "judgement", text(diff_judgement_name(finding->judgement)));
	put(report, object, "why", finding->why ? text(finding->why) : json_null());
	put(report, object, "fails", json_boolean(finding->fails));
	return object;
}

static json_t *findings_json(struct report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->diff->findings; i++)
		json_report_append(&report->json, list,
				   finding_json(report, &report->diff->finding[i]));
	return list;
}

static json_t *lones_json(struct report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->diff->lones; i++) {
		const struct diff_lone *lone = &report->diff->lone[i];
		json_t *object = json_object();

		put(report, object, "what", text(lone->what));
		put(report, object, "in", text(lone->is_new ? "new" : "old"));
		put(report, object, "fails", json_boolean(lone->fails));
		json_report_append(&report->json, list, object);
	}
	return list;
}

static json_t *remarks_json(struct report *report)
{
	json_t *list = json_array();

	if (report->diff->remark)
		json_report_append(&report->json, list, text(report->diff->remark));
	return list;
}

static json_t *diff_json(struct report *report)
{
	const struct diff *diff = report->diff;
	const bool fails = diff->fail_above_percent >= 0;
	json_t *object = json_object();

	put(report, object, "schema", text(SCHEMA));
	put(report, object, "version", text(CONTEND_VERSION));
	put(report, object, "kind", text(result_kind_name(diff->new_file->kind)));
	put(report, object, "old", file_json(report, diff->old_file));
	put(report, object, "new", file_json(report, diff->new_file));
	put(report, object, "fail_above_percent",
	    fails ? number(diff->fail_above_percent) : json_null());
	put(report, object, "forced", json_boolean(diff->forced));
	put(report, object, "differences", differences_json(report));
	put(report, object, "figures", findings_json(report));
	put(report, object, "only_in_one", lones_json(report));
	put(report, object, "remarks", remarks_json(report));
	put(report, object, "exit_status", json_integer((int)diff_status(diff)));
	return object;
}

int report_diff_json(FILE *out, const struct diff *diff, struct errmsg *err)
{
	struct report report = {diff, json_report_begin()};

	return json_report_end(&report.json, diff_json(&report), out, err);
}
