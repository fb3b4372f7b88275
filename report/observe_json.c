// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/build.h"
#include "report/clock_mode.h"
#include "report/json_report.h"
#include "report/observe_json.h"
#include "report/status.h"

#define SCHEMA "contend.observe/1"

struct whole {
	struct json_report report;
	const struct observe_config *config;
	const struct observe_result *result;
	int status; /* that the command ends with */
};

static void put(struct whole *whole, json_t *object, const char *name, json_t *value)
{
	json_report_put(&whole->report, object, name, value);
}

/* A null and the reason for it; `path` is the name from the top. */
static void put_null(struct whole *whole, json_t *object, const char *name, const char *path,
		     const char *why)
{
	put(whole, object, name, json_null());
	json_report_unavailable(&whole->report, path, why);
}

static json_t *config_json(struct whole *whole)
{
	const struct observe_config *config = whole->config;
	json_t *object = json_object();
	json_t *cpus = json_array();

	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &config->cpus))
			json_report_append(&whole->report, cpus, count(cpu));
	put(whole, object, "duration_ns", count(config->duration_ns));
	put(whole, object, "cpus", cpus);
	put(whole, object, "simulate_ns", count(config->simulate_ns));
	return object;
}

static json_t *counter_json(struct whole *whole)
{
	json_t *object = json_object();

	put(whole, object, "name", text(whole->result->clocksource->name));
	put(whole, object, "frequency_hz", count(whole->result->counter_hz));
	return object;
}

static json_t *page_json(struct whole *whole)
{
	const struct observe_page *page = &whole->result->page;
	json_t *object = json_object();

	put(whole, object, "kernels", text(page->layout->kernels));
	put(whole, object, "page", json_integer(page->page));
	put(whole, object, "data_offset_bytes", count(page->data_offset));
	put(whole, object, "in_namespace", json_boolean(page->in_namespace));
	return object;
}

static json_t *lengths_json(struct whole *whole, const struct observe_lengths *lengths,
			    const char *path, const char *why)
{
	const bool known = lengths->samples != 0;
	json_t *object = json_object();

	put(whole, object, "samples", count(lengths->samples));
	put(whole, object, "mean", known ? number(lengths->mean_ns) : json_null());
	put(whole, object, "min", known ? number(lengths->min_ns) : json_null());
	put(whole, object, "p50", known ? number(lengths->p50_ns) : json_null());
	put(whole, object, "p99", known ? number(lengths->p99_ns) : json_null());
	put(whole, object, "max", known ? number(lengths->max_ns) : json_null());
	if (!known)
		json_report_unavailable(&whole->report, path, why);
	return object;
}

static json_t *gaps_json(struct whole *whole)
{
	static const char no_period[] = "no interval was seen, so no period is known";
	const struct observe_result *result = whole->result;
	json_t *object = json_object();

	if (!result->interval.samples)
		put_null(whole, object, "count", "gaps.count", no_period);
	else
		put(whole, object, "count", count(result->gaps));
	if (!result->interval.samples)
		put_null(whole, object, "longest_ns", "gaps.longest_ns", no_period);
	else if (!result->gaps)
		put_null(whole, object, "longest_ns", "gaps.longest_ns", "there was no gap");
	else
		put(whole, object, "longest_ns", number(result->longest_gap_ns));
	return object;
}

static json_t *asleep_json(struct whole *whole)
{
	const struct observe_result *result = whole->result;
	json_t *object;

	if (result->asleep.seconds <= 0) {
		json_report_unavailable(&whole->report, "asleep", "there was no time to sleep");
		return json_null();
	}
	object = json_object();
	put(whole, object, "seconds", number(result->asleep.seconds));
	put(whole, object, "updates", count(result->asleep.updates));
	put(whole, object, "rate_hz", number(result->asleep.rate_hz));
	put(whole, object, "longest_ns", number(result->asleep.longest_ns));
	if (result->period_ns > 0)
		put(whole, object, "ticks_without_update",
		    count(result->asleep.ticks_without_update));
	else
		put_null(whole, object, "ticks_without_update", "asleep.ticks_without_update",
			 "no interval was seen, so no period is known");
	return object;
}

static json_t *cpus_json(struct whole *whole)
{
	const struct observe_result *result = whole->result;
	json_t *list = json_array();

	for (int i = 0; i < result->cpu_count; i++) {
		const struct observe_cpu *cpu = &result->cpus[i];
		json_t *object = json_object();

		put(whole, object, "cpu", json_integer(cpu->cpu));
		put(whole, object, "watched_seconds", number(cpu->watched_seconds));
		put(whole, object, "seen", count(cpu->seen));
		put(whole, object, "made_elsewhere", count(cpu->elsewhere));
		put(whole, object, "odd_seen", count(cpu->odd));
		json_report_append(&whole->report, list, object);
	}
	return list;
}

static void put_tick(struct whole *whole, json_t *object)
{
	const struct tick_cpu *tick = &whole->result->tick;
	json_t *evidence;

	if (tick->cpu < 0) {
		put_null(whole, object, "tick_cpu", "tick_cpu", tick->why);
		put_null(whole, object, "tick_evidence", "tick_evidence", tick->why);
		return;
	}
	evidence = json_object();
	put(whole, object, "tick_cpu", json_integer(tick->cpu));
	put(whole, evidence, "seen", count(tick->seen));
	put(whole, evidence, "made_elsewhere", count(tick->elsewhere));
	put(whole, evidence, "others_seen", count(tick->others_seen));
	put(whole, evidence, "others_made_elsewhere", count(tick->others_elsewhere));
	put(whole, evidence, "chance", number(tick->chance));
	put(whole, object, "tick_evidence", evidence);
}

static void put_clock(struct whole *whole, json_t *object)
{
	const struct observe_result *result = whole->result;

	if (result->mode_known)
		put(whole, object, "clock_mode", text(report_clock_mode(result->clock_mode)));
	else
		put_null(whole, object, "clock_mode", "clock_mode", "no update was seen whole");
	put(whole, object, "clock_mode_changes", count(result->mode_changes));
}

static json_t *second_json(struct whole *whole)
{
	const struct observe_result *result = whole->result;
	json_t *object;

	if (!result->second_looks) {
		json_report_unavailable(&whole->report, "second_clock",
					"this layout has no second clock, or none was seen");
		return json_null();
	}
	object = json_object();
	put(whole, object, "looks", count(result->second_looks));
	put(whole, object, "disagreed", count(result->second_apart));
	return object;
}

static json_t *steering_json(struct whole *whole)
{
	const struct observe_result *result = whole->result;
	json_t *object;

	if (!result->steering.known) {
		json_report_unavailable(&whole->report, "steering", "no mult was seen");
		return json_null();
	}
	object = json_object();
	put(whole, object, "changes", count(result->steering.changes));
	put(whole, object, "least_ppm", number(result->steering.least_ppm));
	put(whole, object, "most_ppm", number(result->steering.most_ppm));
	put(whole, object, "against",
	    text(result->steering.against_raw ? "raw clock" : "first mult"));
	return object;
}

static json_t *watcher_json(struct whole *whole)
{
	const struct observe_result *result = whole->result;
	json_t *object = json_object();

	put(whole, object, "look_ns", number(result->look_ns));
	put(whole, object, "watched_share", number(result->watched_share));
	put(whole, object, "interruptions", count(result->interruptions));
	put(whole, object, "longest_interruption_ns", number(result->longest_interruption_ns));
	if (result->off_cpu_unavailable)
		put_null(whole, object, "off_cpu", "watcher.off_cpu", result->off_cpu_unavailable);
	else
		put(whole, object, "off_cpu", count(result->off_cpu));
	return object;
}

static const char *hold_source(enum hold_source source)
{
	switch (source) {
	case HOLD_SEEN:
		return "seen";
	case HOLD_PASSED:
		return "passed";
	case HOLD_UNSEEN:
		break;
	}
	return "assumed";
}

static void put_hazard(struct whole *whole, json_t *object)
{
	const char *unavailable = whole->result->hazard_unavailable;
	const struct hazard *hazard = &whole->result->hazard;
	json_t *parts;

	if (unavailable) {
		put_null(whole, object, "hazard_per_million", "hazard_per_million", unavailable);
		put_null(whole, object, "hazard", "hazard", unavailable);
		return;
	}
	parts = json_object();
	put(whole, object, "hazard_per_million", number(hazard->per_million));
	put(whole, parts, "read_ns", number(hazard->read_ns));
	put(whole, parts, "hold_ns", number(hazard->hold_ns));
	put(whole, parts, "hold_source", text(hold_source(hazard->hold_source)));
	put(whole, parts, "least_per_million", number(hazard->least));
	put(whole, parts, "tick_cpu_per_million", number(hazard->tick_cpu));
	put(whole, object, "hazard", parts);
}

static json_t *run_json(struct whole *whole, const struct hazard_run *run)
{
	json_t *object = json_object();
	json_t *interval = json_array();

	json_report_append(&whole->report, interval, number(run->per_million_95.low));
	json_report_append(&whole->report, interval, number(run->per_million_95.high));
	put(whole, object, "hz", count(run->hz));
	put(whole, object, "hold_ns", count(run->hold_ns));
	put(whole, object, "reads", count(run->reads));
	put(whole, object, "reads_met", count(run->met));
	put(whole, object, "per_million", number(run->per_million));
	put(whole, object, "ci95_per_million", interval);
	put(whole, object, "law_per_million", number(run->law_per_million));
	put(whole, object, "read_ns", number(run->read_ns));
	put(whole, object, "hold_p50_ns", number(run->hold_p50_ns));
	put(whole, object, "work_ns", number(run->work_ns));
	return object;
}

static void put_run(struct whole *whole, json_t *object)
{
	const struct observe_result *result = whole->result;
	const char *why = NULL;

	if (!whole->config->simulate_ns)
		why = "it was not asked for";
	else if (result->hazard_unavailable)
		why = result->hazard_unavailable;
	else if (!result->simulated)
		why = "it was interrupted before";
	else if (!result->run.reads)
		why = result->run.why;
	if (why)
		put_null(whole, object, "simulated", "simulated", why);
	else
		put(whole, object, "simulated", run_json(whole, &result->run));
}

static void put_updates(struct whole *whole, json_t *object)
{
	const struct observe_result *result = whole->result;

	put(whole, object, "seconds", number(result->seconds));
	put(whole, object, "updates", count(result->updates));
	put(whole, object, "rate_hz", number(result->rate_hz));
	put(whole, object, "seen", count(result->seen));
	put(whole, object, "made_elsewhere", count(result->elsewhere));
	put(whole, object, "interval_ns",
	    lengths_json(whole, &result->interval, "interval_ns",
			 "no two updates in a row were seen"));
	put(whole, object, "gaps", gaps_json(whole));
	put(whole, object, "asleep", asleep_json(whole));
	put(whole, object, "odd_seen", count(result->odd));
	put(whole, object, "odd_unmeasured", count(result->odd_unmeasured));
	put(whole, object, "odd_ns",
	    lengths_json(whole, &result->hold, "odd_ns", "none was seen whole while odd"));
	put(whole, object, "passed_ns",
	    lengths_json(whole, &result->passed, "passed_ns",
			 "none passed undisturbed without being seen odd"));
}

static json_t *observe_json(struct whole *whole)
{
	const struct observe_result *result = whole->result;
	const bool complete = result->outcome == RUN_COMPLETE;
	json_t *object = json_object();

	put(whole, object, "schema", text(SCHEMA));
	put(whole, object, "version", text(CONTEND_VERSION));
	put(whole, object, "compiler", text(BUILD_COMPILER));
	put(whole, object, "machine", json_report_machine(&whole->report, &result->machine));
	put(whole, object, "config", config_json(whole));
	put(whole, object, "counter", counter_json(whole));
	put(whole, object, "layout", text(result->page.layout->name));
	put(whole, object, "page", page_json(whole));
	put_updates(whole, object);
	put_tick(whole, object);
	put(whole, object, "cpus", cpus_json(whole));
	put_clock(whole, object);
	put(whole, object, "second_clock", second_json(whole));
	put(whole, object, "steering", steering_json(whole));
	put(whole, object, "watcher", watcher_json(whole));
	put_hazard(whole, object);
	put_run(whole, object);
	put(whole, object, "remarks", json_report_remarks(&whole->report, &result->remarks));
	put(whole, object, "unavailable", json_incref(whole->report.unavailable));
	put(whole, object, "complete", json_boolean(complete));
	put(whole, object, "exit_status", json_integer(whole->status));
	return object;
}

int report_observe_json(FILE *out, const struct observe_config *config,
			const struct observe_result *result, int status, struct errmsg *err)
{
	struct whole whole = {json_report_begin(), config, result, status};

	return json_report_end(&whole.report, observe_json(&whole), out, err);
}
