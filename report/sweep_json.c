// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/build.h"
#include "report/job_json.h"
#include "report/json_report.h"
#include "report/sweep_json.h"

/* FNV-1a of 64 bits, by its authors' reference (G. Fowler, L. C. Noll, P. Vo). */
#define FNV_BASIS 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull

struct report {
	const struct swept *swept;
	struct json_report json;
};

static void put(struct report *report, json_t *object, const char *name, json_t *value)
{
	json_report_put(&report->json, object, name, value);
}

static json_t *axis_json(struct json_report *report, const struct sweep_axis *axis)
{
	json_t *list = json_array();

	for (size_t i = 0; i < axis->count; i++)
		json_report_append(report, list, count(axis->value[i]));
	return list;
}

static u64 hash_code(u64 hash, const struct machine_code *code)
{
	for (u32 i = 0; i < code->bytes; i++)
		hash = (hash ^ code->image[i]) * FNV_PRIME;
	return hash;
}

/*
 * Tells one reader's machine code from another, whatever the source is called: both paths, for what
 * is counted is what the counted one tells, and a lock's publisher.
 */
static json_t *code_json(const struct reader *reader)
{
	const u64 paths = hash_code(hash_code(FNV_BASIS, &reader->code), &reader->counted_code);
	char digits[17];

	snprintf(digits, sizeof(digits), "%016llx",
		 (unsigned long long)hash_code(paths, &reader->publish_code));
	return text(digits);
}

static json_t *reader_json(struct json_report *report, const struct reader *reader)
{
	json_t *object = json_object();

	json_report_put(report, object, "name", text(reader->kind->name));
	json_report_put(report, object, "source", reader->file ? text(reader->file) : json_null());
	json_report_put(report, object, "clock", text(clock_name(reader->clock)));
	json_report_put(report, object, "variation", text(reader->variation));
	json_report_put(report, object, "layout", text(reader->layout->name));
	json_report_put(report, object, "in_namespace", json_boolean(reader->in_namespace));
	json_report_put(report, object, "code", code_json(reader));
	return object;
}

static json_t *config_json(struct json_report *report, const struct sweep_config *config)
{
	json_t *object = json_object();
	struct run_config run;

	sweep_configure(config, config->hz.value[0], (u32)config->readers.value[0],
			config->max_time_ns, &run);
	json_report_put(report, object, "hz", axis_json(report, &config->hz));
	json_report_put(report, object, "readers", axis_json(report, &config->readers));
	json_report_put(report, object, "reader", reader_json(report, &config->reader));
	json_report_put(report, object, "writer", text(config->writer.kind->name));
	json_report_put(report, object, "writer_spec", text(config->writer.spec));
	json_report_put(report, object, "hold_ns", count(config->writer.value[WRITER_HOLD]));
	json_report_put(report, object, "clocksource", text(config->clocksource->name));
	json_report_put(report, object, "record_hz",
			config->clocksource->has_record ? count(config->record_hz) : json_null());
	json_report_put(report, object, "work", job_work_json(report, &config->work));
	json_report_put(report, object, "cpus", job_cpus_json(report, &run.group[0]));
	job_put_writer(report, object, &run);
	json_report_put(report, object, "seed", count(config->seed));
	json_report_put(report, object, "retries", count(config->retries));
	json_report_put(report, object, "max_time_ns", count(config->max_time_ns));
	return object;
}

static void put_identity(struct json_report *report, json_t *object,
			 const struct sweep_config *config, const struct machine *machine)
{
	json_report_put(report, object, "version", text(CONTEND_VERSION));
	json_report_put(report, object, "compiler", text(BUILD_COMPILER));
	json_report_put(report, object, "machine", json_report_machine(report, machine));
	json_report_put(report, object, "config", config_json(report, config));
}

json_t *report_sweep_identity(const struct sweep_config *config, const struct machine *machine)
{
	struct json_report report = json_report_begin();
	json_t *object = json_object();

	put_identity(&report, object, config, machine);
	return json_report_finish(&report, object);
}

static json_t *known(bool is_known, double value)
{
	return is_known ? number(value) : json_null();
}

/* What follows from the counts, and from the law. */
static void put_figures(struct report *report, json_t *object, size_t i)
{
	const struct sweep_point *point = &report->swept->result->point[i];
	const struct law_finding *finding = &report->swept->finding[i];
	const bool is_known = finding->known;

	put(report, object, "retries_per_million",
	    known(is_known, swept_per_million(finding->share)));
	put(report, object, "low", known(is_known, swept_per_million(finding->low)));
	put(report, object, "high", known(is_known, swept_per_million(finding->high)));
	put(report, object, "is_bound", json_boolean(sweep_is_bound(report->swept->config, point)));
	put(report, object, "visible_hold_ns",
	    is_known ? number(swept_ns(point, point->waited)) : json_null());
	put(report, object, "visible_read_ns",
	    is_known ? number(swept_ns(point, point->retried - point->waited)) : json_null());
	put(report, object, "law_per_million",
	    known(is_known, swept_per_million(finding->expected)));
	put(report, object, "residual_percent", known(is_known, 100 * finding->residual));
	put(report, object, "breaks_down",
	    is_known ? json_boolean(finding->breaks_down) : json_null());
}

/* Why the point has nulls; `place` is its place in the list. */
static void say_unavailable(struct report *report, size_t i, size_t place)
{
	const struct sweep_result *result = report->swept->result;
	const struct sweep_point *point = &result->point[i];
	const struct law_finding *finding = &report->swept->finding[i];
	const bool wrong = sweep_is_wrong(point);
	char path[64];

	snprintf(path, sizeof(path), "points.%zu", place);
	if (!finding->known)
		json_report_unavailable(&report->json, path,
					*point->why ? point->why
					: wrong	    ? "a read was found wrong"
						    : "no update was measured");
	else if (isnan(finding->residual))
		json_report_unavailable(&report->json, path, "by the law there is nothing");
	else if (!point->read_samples || !point->hold_samples)
		json_report_unavailable(&report->json, path, "none was timed");
	snprintf(path, sizeof(path), "points.%zu.off_cpu", place);
	if (result->off_cpu_unavailable)
		json_report_unavailable(&report->json, path, result->off_cpu_unavailable);
}

static json_t *point_json(struct report *report, size_t i)
{
	const struct sweep_result *result = report->swept->result;
	const struct sweep_point *point = &result->point[i];
	json_t *object = json_object();

	put(report, object, "hz", count(point->hz));
	put(report, object, "readers", count(point->readers));
	put(report, object, "state", text(swept_state_name(point->state)));
	if (*point->why)
		put(report, object, "why", text(point->why));
	put(report, object, "runs", count(point->runs));
	put(report, object, "seconds", number(point->seconds));
	put(report, object, "updates", count(point->updates));
	put(report, object, "rate_hz", number(point->rate_hz));
	put(report, object, "reads", count(point->reads));
	put(report, object, "retried", count(point->retried));
	put(report, object, "waited", count(point->waited));
	put(report, object, "off_cpu",
	    result->off_cpu_unavailable ? json_null() : count(point->off_cpu));
	put(report, object, "torn", count(point->torn));
	put(report, object, "backwards", count(point->backwards));
	put(report, object, "read_ns", known(point->read_samples, point->read_ns));
	put(report, object, "hold_ns", known(point->hold_samples, point->hold_ns));
	put_figures(report, object, i);
	/* Last, as in CSV, where the columns of before keep their places. */
	put(report, object, "stale", count(point->stale));
	return object;
}

static json_t *points_json(struct report *report)
{
	const struct sweep_result *result = report->swept->result;
	json_t *list = json_array();

	for (size_t i = 0; i < result->points; i++) {
		if (result->point[i].state == SWEEP_OPEN)
			continue;
		say_unavailable(report, i, json_array_size(list));
		json_report_append(&report->json, list, point_json(report, i));
	}
	return list;
}

static void put_constant(struct report *report, json_t *object, const char *name,
			 const char *interval_name, const struct law_constant *constant)
{
	json_t *interval = json_array();

	json_report_append(&report->json, interval, number(constant->low_ns));
	json_report_append(&report->json, interval, number(constant->high_ns));
	put(report, object, name, number(constant->ns));
	put(report, object, interval_name, interval);
}

static json_t *law_json(struct report *report)
{
	const struct law *law = report->swept->law;
	json_t *object;

	if (!law->known) {
		json_report_unavailable(&report->json, "law", "no point has reads and updates");
		return json_null();
	}
	object = json_object();
	put_constant(report, object, "hold_ns", "hold_ci95_ns", &law->hold);
	put_constant(report, object, "read_ns", "read_ci95_ns", &law->read);
	put(report, object, "residual", number(law->residual));
	put(report, object, "points", count(law->points));
	put(report, object, "points_held", count(law->held));
	return object;
}

static bool is_complete(const struct sweep_result *result)
{
	for (size_t i = 0; i < result->points; i++)
		if (result->point[i].state == SWEEP_OPEN)
			return false;
	return true;
}

int report_sweep_json(FILE *out, const struct swept *swept, struct errmsg *err)
{
	struct report report = {swept, json_report_begin()};
	const struct sweep_result *result = swept->result;
	json_t *root = json_object();

	put(&report, root, "schema", text(SWEEP_SCHEMA));
	put_identity(&report.json, root, swept->config, &result->machine);
	put(&report, root, "seconds", number(result->seconds));
	put(&report, root, "points_kept", count(result->kept));
	put(&report, root, "points", points_json(&report));
	put(&report, root, "law", law_json(&report));
	put(&report, root, "remarks", json_report_remarks(&report.json, &result->remarks));
	put(&report, root, "unavailable", json_incref(report.json.unavailable));
	put(&report, root, "complete", json_boolean(is_complete(result)));
	put(&report, root, "exit_status", count((u64)report_sweep_status(result)));
	return json_report_end(&report.json, root, out, err);
}
