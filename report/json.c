// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "report/build.h"
#include "report/fairness.h"
#include "report/intervals_json.h"
#include "report/job_json.h"
#include "report/json.h"
#include "report/json_report.h"
#include "report/part.h"
#include "report/status.h"

#define SCHEMA "contend.run/1"

#define TELLS_NOTHING "an image's code tells nothing"
#define GROUPS_DIFFER "groups differ in it: each has its own"

struct report {
	const struct run_config *config;
	const struct run_result *result;
	const struct expect *expect;
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

static json_t *reader_json(struct report *report, const struct reader *reader)
{
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

/* Of the only group; of several each has its own. */
static void put_group_config(struct report *report, json_t *object, const struct run_group *group)
{
	if (group) {
		put(report, object, "reader", reader_json(report, &group->reader));
		put(report, object, "work", job_work_json(&report->json, &group->work));
		put(report, object, "cpus", job_cpus_json(&report->json, group));
		return;
	}
	put(report, object, "reader", json_null());
	put(report, object, "work", json_null());
	put(report, object, "cpus", json_null());
	say_unavailable(report, "config.reader", GROUPS_DIFFER);
	say_unavailable(report, "config.work", GROUPS_DIFFER);
}

static json_t *config_groups_json(struct report *report)
{
	const struct run_config *config = report->config;
	json_t *groups = json_array();

	for (u32 i = 0; i < config->groups; i++) {
		const struct run_group *group = &config->group[i];
		json_t *object = json_object();

		put(report, object, "name", text(group->name));
		put(report, object, "readers", count(group->readers));
		put_group_config(report, object, group);
		append(report, groups, object);
	}
	return groups;
}

static json_t *config_json(struct report *report)
{
	const struct run_config *config = report->config;
	const bool stamp = config->payload == PAYLOAD_STAMP;
	json_t *object = json_object();

	put(report, object, "readers", count(run_readers(config)));
	put(report, object, "hz", job_hz_json(&config->writer[0]));
	put_group_config(report, object, config->groups == 1 ? &config->group[0] : NULL);
	put(report, object, "groups", config_groups_json(report));
	put(report, object, "writer", text(config->writer[0].kind->name));
	put(report, object, "hold_ns", count(config->writer[0].value[WRITER_HOLD]));
	put(report, object, "writers", job_writers_json(&report->json, config));
	put(report, object, "clocksource", text(config->clocksource->name));
	put(report, object, "record_hz",
	    config->clocksource->has_record ? count(config->record_hz) : json_null());
	put(report, object, "duration_ns", count(config->duration_ns));
	put(report, object, "warmup_ns", count(config->warmup_ns));
	job_put_writer(&report->json, object, config);
	put(report, object, "payload", text(stamp ? "stamp" : "time"));
	put(report, object, "seed", count(config->seed));
	put(report, object, "baseline", json_boolean(config->baseline));
	put(report, object, "interval_ns",
	    config->interval_ns ? count(config->interval_ns) : json_null());
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

/* [upper bound in ns, how many], of each bucket that is not empty. */
static json_t *histogram_json(struct report *report, const struct lengths *lengths)
{
	json_t *list;

	if (!lengths->buckets)
		return json_null();
	list = json_array();
	for (u32 i = 0; i < lengths->buckets; i++) {
		json_t *pair = json_array();

		append(report, pair, number(lengths->bucket[i].upper_ns));
		append(report, pair, count(lengths->bucket[i].count));
		append(report, list, pair);
	}
	return list;
}

static json_t *whole_distribution_json(struct report *report, const struct distribution *lengths,
				       const struct lengths *buckets)
{
	json_t *object = distribution_json(report, lengths);

	put(report, object, "histogram", histogram_json(report, buckets));
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
	put(report, object, "hold_ns",
	    whole_distribution_json(report, &writer->hold, &writer->holds));
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
static json_t *retry_count(const struct report_part *part, u64 value)
{
	return part->readers->retries_unavailable ? json_null() : count(value);
}

static json_t *retries_json(struct report *report, const struct report_part *part,
			    const struct reader_counts *counts)
{
	const bool known = !part->readers->retries_unavailable;
	const bool off_cpu_known = known && !report->result->off_cpu_unavailable;
	json_t *object = json_object();

	put(report, object, "total", retry_count(part, reader_retries(counts)));
	put(report, object, "per_million",
	    known && counts->reads ? number(reader_retries_per_million(counts)) : json_null());
	put(report, object, "odd_wait", retry_count(part, counts->odd_waits));
	put(report, object, "spins", retry_count(part, counts->spins));
	put(report, object, "changed", retry_count(part, counts->changed));
	put(report, object, "off_cpu", off_cpu_known ? count(counts->off_cpu) : json_null());
	put(report, object, "longest_run", retry_count(part, counts->longest_run));
	return object;
}

/* What the sum, a group and a single reader of it have in common. */
static void put_counts(struct report *report, json_t *object, const struct report_part *part,
		       const struct reader_counts *counts)
{
	const bool backwards_known = !report->result->backwards_unavailable;

	put(report, object, "reads", count(counts->reads));
	put(report, object, "retries", retries_json(report, part, counts));
	put(report, object, "torn", count(counts->torn));
	put(report, object, "stale", count(counts->stale));
	put(report, object, "caught", retry_count(part, counts->caught));
	put(report, object, "backwards", backwards_known ? count(counts->backwards) : json_null());
	put(report, object, "checked", count(counts->checked));
	put(report, object, "unchecked", count(counts->unchecked));
	put(report, object, "lost_unjudged", retry_count(part, counts->lost_unjudged));
	put(report, object, "fallbacks", count(counts->fallbacks));
	put(report, object, "sequence_changed",
	    part->opaque ? count(counts->sequence_changed) : json_null());
	put(report, object, "began_odd", part->opaque ? count(counts->began_odd) : json_null());
	put(report, object, "off_cpu_gaps", count(counts->off_cpu_gaps));
}

static json_t *fairness_json(struct report *report, const struct readers_result *readers)
{
	struct fairness fairness = report_fairness(readers);
	const u64 fastest = fairness.fastest->counts.reads;
	json_t *object = json_object();

	put(report, object, "slowest_reads", count(fairness.slowest->counts.reads));
	put(report, object, "fastest_reads", count(fastest));
	put(report, object, "ratio", fastest ? number(fairness.ratio) : json_null());
	return object;
}

static void put_part(struct report *report, json_t *object, const struct report_part *part)
{
	const struct readers_result *readers = part->readers;
	const struct run_group *group = part->group;

	put(report, object, "path", group ? text(group->reader.path) : json_null());
	put(report, object, "count", count(readers->readers));
	put(report, object, "reads_per_second", number(readers->reads_per_second));
	put(report, object, "cpu_share", number(readers->cpu_share));
	put(report, object, "read_ns",
	    whole_distribution_json(report, &readers->read, &readers->lengths));
	put(report, object, "work_ns", group ? number(readers->work_ns) : json_null());
	put(report, object, "timer_ns", group ? number(readers->timer_ns) : json_null());
	put_counts(report, object, part, &readers->total);
	put(report, object, "first_fault_ns",
	    readers->first_fault_ns >= 0 ? number(readers->first_fault_ns) : json_null());
	put(report, object, "fairness", fairness_json(report, readers));
}

static json_t *each_json(struct report *report)
{
	const struct readers_result *all = &report->result->all;
	json_t *each = json_array();

	for (u32 i = 0; i < all->readers; i++) {
		const struct reader_result *reader = &all->each[i];
		const struct report_part group =
			report_part_group(report->config, report->result, reader->group);
		json_t *object = json_object();

		put(report, object, "group", text(group.group->name));
		put(report, object, "cpu", json_integer(reader->cpu));
		put(report, object, "seconds", number(reader->seconds));
		put(report, object, "read_ns", distribution_json(report, &reader->read));
		put_counts(report, object, &group, &reader->counts);
		append(report, each, object);
	}
	return each;
}

/* `where`.`name` is null. */
static void say_of(struct report *report, const char *where, const char *name, const char *reason)
{
	char path[96];

	snprintf(path, sizeof(path), "%s.%s", where, name);
	say_unavailable(report, path, reason);
}

/* `where` is what the part is called. Single readers have null where their group has. */
static void say_part_unavailable(struct report *report, const struct report_part *part,
				 const char *where)
{
	const struct readers_result *readers = part->readers;

	if (!part->group) {
		say_of(report, where, "path", GROUPS_DIFFER);
		say_of(report, where, "work_ns", GROUPS_DIFFER);
		say_of(report, where, "timer_ns", GROUPS_DIFFER);
	}
	if (!readers->read.samples)
		say_of(report, where, "read_ns", "no read was timed");
	if (!readers->total.reads) {
		say_of(report, where, "retries.per_million", "there was no read");
		say_of(report, where, "fairness.ratio", "there was no read");
	}
	if (readers->retries_unavailable) {
		say_of(report, where, "retries", readers->retries_unavailable);
		say_of(report, where, "caught", readers->retries_unavailable);
		say_of(report, where, "lost_unjudged", readers->retries_unavailable);
	}
	if (report->result->off_cpu_unavailable)
		say_of(report, where, "retries.off_cpu", report->result->off_cpu_unavailable);
	if (report->result->backwards_unavailable)
		say_of(report, where, "backwards", report->result->backwards_unavailable);
}

static json_t *readers_json(struct report *report)
{
	const struct report_part all = report_part_all(report->config, report->result);
	json_t *object = json_object();

	put_part(report, object, &all);
	put(report, object, "each", each_json(report));
	say_part_unavailable(report, &all, "readers");
	return object;
}

/* The CPUs that they ran on. */
static json_t *place_json(struct report *report, const struct readers_result *readers)
{
	json_t *list = json_array();
	cpu_set_t used;

	CPU_ZERO(&used);
	for (u32 i = 0; i < readers->readers; i++)
		if (readers->each[i].cpu >= 0)
			CPU_SET((size_t)readers->each[i].cpu, &used);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &used))
			append(report, list, count(cpu));
	return list;
}

static json_t *group_json(struct report *report, u32 number_of_group)
{
	const struct report_part part =
		report_part_group(report->config, report->result, number_of_group);
	json_t *object = json_object();
	char where[32];

	put(report, object, "name", text(part.group->name));
	put(report, object, "reader", reader_json(report, &part.group->reader));
	put(report, object, "clock", text(clock_name(part.group->reader.clock)));
	put(report, object, "work", job_work_json(&report->json, &part.group->work));
	put(report, object, "cpus", place_json(report, part.readers));
	put_part(report, object, &part);
	if (report->config->groups > 1) {
		snprintf(where, sizeof(where), "groups.%u", number_of_group);
		say_part_unavailable(report, &part, where);
	}
	return object;
}

static json_t *groups_json(struct report *report)
{
	json_t *groups = json_array();

	for (u32 i = 0; i < report->config->groups; i++)
		append(report, groups, group_json(report, i));
	return groups;
}

static json_t *baseline_json(struct report *report)
{
	const struct baseline_result *baseline = &report->result->baseline;
	const bool host_known = !baseline->unavailable;
	const bool counted_known = !report->config->group[0].reader.image;
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

static json_t *condition_json(struct report *report, size_t index)
{
	const struct expect_condition *condition = &report->expect->condition[index];
	const struct expect_finding finding =
		expect_find(condition, report->config, report->result);
	json_t *object = json_object();
	char where[32];

	put(report, object, "condition", text(expect_text(condition).text));
	put(report, object, "group", *condition->group ? text(condition->group) : json_null());
	put(report, object, "figure", text(condition->figure->name));
	put(report, object, "relation", text(expect_relation_name(condition->relation)));
	put(report, object, "value", number(condition->value));
	put(report, object, "found", finding.unavailable ? json_null() : number(finding.found));
	put(report, object, "held", json_boolean(finding.held));
	if (finding.unavailable) {
		snprintf(where, sizeof(where), "expect.%zu", index);
		say_of(report, where, "found", finding.unavailable);
	}
	return object;
}

static json_t *expect_json(struct report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->expect->count; i++)
		append(report, list, condition_json(report, i));
	return list;
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
	put(report, object, "intervals", intervals_json(&report->json, result));
	put(report, object, "expect", expect_json(report));
	put(report, object, "remarks", json_report_remarks(&report->json, &result->remarks));
	put(report, object, "unavailable", json_incref(report->json.unavailable));
	put(report, object, "complete", json_boolean(result->outcome == RUN_COMPLETE));
	put(report, object, "outcome", outcome_json(result->outcome));
	put(report, object, "stall", stalled ? text(result->stall) : json_null());
	put(report, object, "exit_status",
	    json_integer(expect_status(report->expect, report->config, result)));
	put(report, object, "seconds", number(result->seconds));
	put(report, object, "first_read_ns", number(result->first_read_ns));
	return object;
}

int report_run_json(FILE *out, const struct run_config *config, const struct run_result *result,
		    const struct expect *expect, struct errmsg *err)
{
	struct report report = {config, result, expect, json_report_begin()};

	return json_report_end(&report.json, run_json(&report), out, err);
}
