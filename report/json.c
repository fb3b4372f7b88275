// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "report/build.h"
#include "report/fairness.h"
#include "report/job_json.h"
#include "report/json.h"
#include "report/json_report.h"
#include "report/status.h"

#define SCHEMA "contend.run/1"

#define TELLS_NOTHING "an image's code tells nothing"

struct report {
	const struct run_config *config;
	const struct run_result *result;
	struct json_report json;
};

static void put(struct report *report, json_t *object, const char *name, json_t *value)
{
	json_report_put(&report->json, object, name, value);
}

static void append(struct report *report, json_t *array, json_t *value)
{
	json_report_append(&report->json, array, value);
}

static void say_unavailable(struct report *report, const char *name, const char *reason)
{
	json_report_unavailable(&report->json, name, reason);
}

static json_t *alternatives_json(struct report *report, const struct alternatives *alternatives)
{
	json_t *list = json_array();

	for (size_t i = 0; i < alternatives->count; i++) {
		const struct alternative *entry = &alternatives->list[i];
		json_t *object = json_object();

		put(report, object, "offset_bytes", count(entry->offset));
		put(report, object, "length_bytes", count(entry->bytes));
		put(report, object, "feature", text(entry->feature));
		put(report, object, "applied", json_boolean(entry->applied));
		put(report, object, "why", text(entry->why));
		append(report, list, object);
	}
	return list;
}

static json_t *image_json(struct report *report, const struct vdso_image *image)
{
	const struct vdso_wants *wants;
	json_t *object;

	if (!image)
		return json_null();
	wants = &image->wants;
	object = json_object();
	put(report, object, "name", text(image->name));
	put(report, object, "layout", text(wants->layout->name));
	put(report, object, "time_page", json_integer(wants->time_page));
	put(report, object, "data_offset_bytes", count(wants->data_offset));
	put(report, object, "namespace_page",
	    wants->has_namespace ? json_integer(wants->namespace_page) : json_null());
	put(report, object, "pvclock_page",
	    wants->has_pvclock ? json_integer(wants->pvclock_page) : json_null());
	put(report, object, "patched_by_kernel", json_boolean(image->patched_by_kernel));
	put(report, object, "alternatives", alternatives_json(report, &image->alternatives));
	return object;
}

static json_t *reader_json(struct report *report)
{
	const struct reader *reader = &report->config->reader;
	json_t *object = json_object();

	put(report, object, "name", text(reader->kind->name));
	put(report, object, "source", reader->file ? text(reader->file) : json_null());
	put(report, object, "clock", text(clock_name(reader->clock)));
	put(report, object, "variation", text(reader->variation));
	put(report, object, "in_namespace", json_boolean(reader->in_namespace));
	put(report, object, "image", image_json(report, reader->image));
	put(report, object, "call",
	    reader->image ? text(vdso_call_name(reader->call)) : json_null());
	return object;
}

static json_t *config_json(struct report *report)
{
	const struct run_config *config = report->config;
	const bool stamp = config->payload == PAYLOAD_STAMP;
	json_t *object = json_object();

	put(report, object, "readers", count(config->readers));
	put(report, object, "hz", job_hz_json(&config->writer[0]));
	put(report, object, "reader", reader_json(report));
	put(report, object, "writer", text(config->writer[0].kind->name));
	put(report, object, "hold_ns", count(config->writer[0].value[WRITER_HOLD]));
	put(report, object, "writers", job_writers_json(&report->json, config));
	put(report, object, "clocksource", text(config->clocksource->name));
	put(report, object, "record_hz",
	    config->clocksource->has_record ? count(config->record_hz) : json_null());
	put(report, object, "duration_ns", count(config->duration_ns));
	put(report, object, "warmup_ns", count(config->warmup_ns));
	put(report, object, "cpus", job_cpus_json(&report->json, config));
	job_put_writer(&report->json, object, config);
	put(report, object, "payload", text(stamp ? "stamp" : "time"));
	put(report, object, "work", job_work_json(&report->json, &config->work));
	put(report, object, "seed", count(config->seed));
	put(report, object, "baseline", json_boolean(config->baseline));
	return object;
}

/* Of the clock source's record in memory; null if it has none. */
static json_t *record_json(struct report *report)
{
	json_t *object;

	if (!report->config->clocksource->has_record)
		return json_null();
	object = json_object();
	put(report, object, "updates", count(report->result->record_updates));
	put(report, object, "rate_hz", number(report->result->record_rate_hz));
	return object;
}

static json_t *counter_json(struct report *report)
{
	const struct run_result *result = report->result;
	json_t *object = json_object();

	put(report, object, "name", text(report->config->clocksource->name));
	put(report, object, "frequency_hz", count(result->counter_hz));
	put(report, object, "step_ns", number(result->counter_step_ns));
	put(report, object, "cost_ns", number(result->counter_cost_ns));
	put(report, object, "record", record_json(report));
	return object;
}

static json_t *distribution_json(struct report *report, const struct distribution *distribution)
{
	const struct distribution *d = distribution;
	json_t *object = json_object();

	put(report, object, "samples", count(d->samples));
	put(report, object, "mean", d->samples ? number(d->mean_ns) : json_null());
	put(report, object, "p50", d->samples ? number(d->p50_ns) : json_null());
	put(report, object, "p99", d->samples ? number(d->p99_ns) : json_null());
	put(report, object, "p99_99", d->samples ? number(d->p99_99_ns) : json_null());
	put(report, object, "max", d->samples ? number(d->max_ns) : json_null());
	return object;
}

static void explain_length(struct report *report, const char *where, const char *length,
			   const struct distribution *lengths)
{
	char path[64];

	snprintf(path, sizeof(path), "%s.%s", where, length);
	if (!lengths->samples)
		say_unavailable(report, path, "no update was measured");
}

/* What is to stand at `where` in the result. */
static json_t *one_writer_json(struct report *report, const char *where, const char *name,
			       const struct writer_result *writer)
{
	json_t *object = json_object();

	put(report, object, "name", text(name));
	put(report, object, "cpu", json_integer(writer->cpu));
	put(report, object, "priority", json_integer(writer->priority));
	put(report, object, "updates", count(writer->updates));
	put(report, object, "rate_hz", number(writer->rate_hz));
	put(report, object, "missed_ticks", count(writer->missed_ticks));
	put(report, object, "hold_ns", distribution_json(report, &writer->hold));
	put(report, object, "late_ns", distribution_json(report, &writer->late));
	put(report, object, "stalls", count(writer->stalls));
	put(report, object, "stall_limit_ns", number(writer->stall_limit_ns));
	explain_length(report, where, "hold_ns", &writer->hold);
	explain_length(report, where, "late_ns", &writer->late);
	return object;
}

/* All of them together, under the name of the first. */
static json_t *writer_json(struct report *report)
{
	return one_writer_json(report, "writer", report->config->writer[0].kind->name,
			       &report->result->writer);
}

static json_t *writers_json(struct report *report)
{
	const struct run_result *result = report->result;
	json_t *list = json_array();

	for (u32 i = 0; i < result->writers; i++) {
		char where[32];

		snprintf(where, sizeof(where), "writers.%u", i);
		json_report_append(&report->json, list,
				   one_writer_json(report, where,
						   report->config->writer[i].kind->name,
						   &result->each_writer[i]));
	}
	return list;
}

/* Of code that does not tell its retries none is known. */
static json_t *retry_count(const struct report *report, u64 value)
{
	return report->result->retries_unavailable ? json_null() : count(value);
}

static json_t *retries_json(struct report *report, const struct reader_counts *counts)
{
	const bool known = !report->result->retries_unavailable;
	const bool off_cpu_known = known && !report->result->off_cpu_unavailable;
	json_t *object = json_object();

	put(report, object, "total", retry_count(report, reader_retries(counts)));
	put(report, object, "per_million",
	    known && counts->reads ? number(reader_retries_per_million(counts)) : json_null());
	put(report, object, "odd_wait", retry_count(report, counts->odd_waits));
	put(report, object, "spins", retry_count(report, counts->spins));
	put(report, object, "changed", retry_count(report, counts->changed));
	put(report, object, "off_cpu", off_cpu_known ? count(counts->off_cpu) : json_null());
	put(report, object, "longest_run", retry_count(report, counts->longest_run));
	return object;
}

/* What the sum, a group and a single reader have in common. */
static void put_counts(struct report *report, json_t *object, const struct reader_counts *counts)
{
	const bool backwards_known = !report->result->backwards_unavailable;
	const bool opaque = report->config->reader.image != NULL;

	put(report, object, "reads", count(counts->reads));
	put(report, object, "retries", retries_json(report, counts));
	put(report, object, "torn", count(counts->torn));
	put(report, object, "caught", retry_count(report, counts->caught));
	put(report, object, "backwards", backwards_known ? count(counts->backwards) : json_null());
	put(report, object, "checked", count(counts->checked));
	put(report, object, "unchecked", count(counts->unchecked));
	put(report, object, "lost_unjudged", retry_count(report, counts->lost_unjudged));
	put(report, object, "fallbacks", count(counts->fallbacks));
	put(report, object, "sequence_changed",
	    opaque ? count(counts->sequence_changed) : json_null());
	put(report, object, "began_odd", opaque ? count(counts->began_odd) : json_null());
	put(report, object, "off_cpu_gaps", count(counts->off_cpu_gaps));
}

static json_t *fairness_json(struct report *report)
{
	struct fairness fairness = report_fairness(report->result);
	const u64 fastest = fairness.fastest->counts.reads;
	json_t *object = json_object();

	put(report, object, "slowest_reads", count(fairness.slowest->counts.reads));
	put(report, object, "fastest_reads", count(fastest));
	put(report, object, "ratio", fastest ? number(fairness.ratio) : json_null());
	return object;
}

static json_t *group_json(struct report *report)
{
	const struct run_result *result = report->result;
	json_t *object = json_object();

	put(report, object, "path", text(report->config->reader.path));
	put(report, object, "count", count(result->readers));
	put(report, object, "reads_per_second", number(result->reads_per_second));
	put(report, object, "cpu_share", number(result->cpu_share));
	put(report, object, "read_ns", distribution_json(report, &result->read));
	put(report, object, "work_ns", number(result->work_ns));
	put(report, object, "timer_ns", number(result->timer_ns));
	put_counts(report, object, &result->total);
	put(report, object, "first_fault_ns",
	    result->first_fault_ns >= 0 ? number(result->first_fault_ns) : json_null());
	put(report, object, "fairness", fairness_json(report));
	return object;
}

static json_t *each_json(struct report *report)
{
	json_t *each = json_array();

	for (u32 i = 0; i < report->result->readers; i++) {
		const struct reader_result *reader = &report->result->each[i];
		json_t *object = json_object();

		put(report, object, "cpu", json_integer(reader->cpu));
		put(report, object, "seconds", number(reader->seconds));
		put(report, object, "read_ns", distribution_json(report, &reader->read));
		put_counts(report, object, &reader->counts);
		append(report, each, object);
	}
	return each;
}

/* Groups and single readers have null in the same places, for the same reasons. */
static void say_readers_unavailable(struct report *report)
{
	const struct run_result *result = report->result;

	if (!result->read.samples)
		say_unavailable(report, "readers.read_ns", "no read was timed");
	if (!result->total.reads) {
		say_unavailable(report, "readers.retries.per_million", "there was no read");
		say_unavailable(report, "readers.fairness.ratio", "there was no read");
	}
	if (result->retries_unavailable) {
		say_unavailable(report, "readers.retries", result->retries_unavailable);
		say_unavailable(report, "readers.caught", result->retries_unavailable);
		say_unavailable(report, "readers.lost_unjudged", result->retries_unavailable);
	}
	if (result->off_cpu_unavailable)
		say_unavailable(report, "readers.retries.off_cpu", result->off_cpu_unavailable);
	if (result->backwards_unavailable)
		say_unavailable(report, "readers.backwards", result->backwards_unavailable);
}

static json_t *readers_json(struct report *report)
{
	json_t *object = group_json(report);

	put(report, object, "each", each_json(report));
	say_readers_unavailable(report);
	return object;
}

static json_t *baseline_json(struct report *report)
{
	const struct baseline_result *baseline = &report->result->baseline;
	const bool host_known = !baseline->unavailable;
	const bool counted_known = !report->config->reader.image;
	json_t *object;

	if (!report->config->baseline)
		return json_null();
	if (!baseline->pairs) {
		say_unavailable(report, "baseline", "no block was timed");
		return json_null();
	}
	object = json_object();
	put(report, object, "pairs", count(baseline->pairs));
	put(report, object, "bare_ns", number(baseline->bare_ns));
	put(report, object, "counted_ns",
	    counted_known ? number(baseline->counted_ns) : json_null());
	put(report, object, "counted_to_bare",
	    counted_known ? number(baseline->counted_to_bare) : json_null());
	put(report, object, "run_to_counted",
	    counted_known ? number(baseline->run_to_counted) : json_null());
	if (!counted_known) {
		say_unavailable(report, "baseline.counted_ns", TELLS_NOTHING);
		say_unavailable(report, "baseline.counted_to_bare", TELLS_NOTHING);
		say_unavailable(report, "baseline.run_to_counted", TELLS_NOTHING);
	}
	put(report, object, "host_ns", host_known ? number(baseline->host_ns) : json_null());
	put(report, object, "bare_to_host",
	    host_known ? number(baseline->bare_to_host) : json_null());
	if (!host_known) {
		say_unavailable(report, "baseline.host_ns", baseline->unavailable);
		say_unavailable(report, "baseline.bare_to_host", baseline->unavailable);
	}
	return object;
}

static json_t *groups_json(struct report *report)
{
	json_t *groups = json_array();

	append(report, groups, group_json(report));
	return groups;
}

static json_t *outcome_json(enum run_outcome outcome)
{
	switch (outcome) {
	case RUN_INTERRUPTED:
		return text("interrupted");
	case RUN_STALLED:
		return text("stalled");
	case RUN_COMPLETE:
		break;
	}
	return text("complete");
}

static json_t *run_json(struct report *report)
{
	const struct run_result *result = report->result;
	const bool stalled = result->outcome == RUN_STALLED;
	json_t *object = json_object();

	put(report, object, "schema", text(SCHEMA));
	put(report, object, "version", text(CONTEND_VERSION));
	put(report, object, "compiler", text(BUILD_COMPILER));
	put(report, object, "machine", json_report_machine(&report->json, &result->machine));
	put(report, object, "config", config_json(report));
	put(report, object, "counter", counter_json(report));
	put(report, object, "writer", writer_json(report));
	put(report, object, "writers", writers_json(report));
	put(report, object, "forbidden_jumps", count(report->result->forbidden_jumps));
	put(report, object, "steered_back", count(report->result->steered_back));
	put(report, object, "readers", readers_json(report));
	put(report, object, "groups", groups_json(report));
	put(report, object, "baseline", baseline_json(report));
	put(report, object, "remarks", json_report_remarks(&report->json, &result->remarks));
	put(report, object, "unavailable", json_incref(report->json.unavailable));
	put(report, object, "complete", json_boolean(result->outcome == RUN_COMPLETE));
	put(report, object, "outcome", outcome_json(result->outcome));
	put(report, object, "stall", stalled ? text(result->stall) : json_null());
	put(report, object, "exit_status", json_integer(report_status(result)));
	put(report, object, "seconds", number(result->seconds));
	put(report, object, "first_read_ns", number(result->first_read_ns));
	return object;
}

int report_run_json(FILE *out, const struct run_config *config, const struct run_result *result,
		    struct errmsg *err)
{
	struct report report = {config, result, json_report_begin()};

	return json_report_end(&report.json, run_json(&report), out, err);
}
