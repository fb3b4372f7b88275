// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/build.h"
#include "report/compare_json.h"
#include "report/job_json.h"
#include "report/json_report.h"
#include "report/status.h"

#define SCHEMA "contend.compare/1"

struct report {
	const struct comparison *comparison;
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

/* A reader's null, and why: `who` is 0 for the baseline, and then the place in results, from 1. */
static json_t *null_of(struct report *report, size_t who, const char *name, const char *reason)
{
	char path[96];

	if (who)
		snprintf(path, sizeof(path), "results.%zu.%s", who - 1, name);
	else
		snprintf(path, sizeof(path), "baseline.%s", name);
	json_report_unavailable(&report->json, path, reason);
	return json_null();
}

static json_t *cpus_json(struct report *report)
{
	const struct compare_result *result = report->comparison->result;
	json_t *list = json_array();

	for (u32 i = 0; i < result->threads; i++)
		append(report, list, json_integer(result->cpu[i]));
	return list;
}

static json_t *config_json(struct report *report)
{
	const struct compare_config *config = report->comparison->config;
	const struct run_config *run = &config->run;
	json_t *object = json_object();

	put(report, object, "threads", count(run->group[0].readers));
	put(report, object, "hz", config->has_writer ? job_hz_json(&run->writer[0]) : count(0));
	put(report, object, "writer",
	    config->has_writer ? text(run->writer[0].kind->name) : json_null());
	put(report, object, "hold_ns", count(run->writer[0].value[WRITER_HOLD]));
	put(report, object, "work", job_work_json(&report->json, &run->group[0].work));
	put(report, object, "cpus", job_cpus_json(&report->json, &run->group[0]));
	job_put_writer(&report->json, object, run);
	put(report, object, "clocksource", text(run->clocksource->name));
	put(report, object, "duration_ns", count(config->duration_ns));
	put(report, object, "precision_percent",
	    config->precision_percent > 0 ? number(config->precision_percent) : json_null());
	put(report, object, "resolution_percent", number(config->resolution_percent));
	put(report, object, "still", json_boolean(config->placement_still));
	put(report, object, "null", json_boolean(report->comparison->null));
	put(report, object, "seed", count(run->seed));
	return object;
}

static json_t *counter_json(struct report *report)
{
	const struct compare_result *result = report->comparison->result;
	json_t *object = json_object();

	put(report, object, "name", text(report->comparison->config->run.clocksource->name));
	put(report, object, "frequency_hz", count(result->counter_hz));
	put(report, object, "step_ns", number(result->counter_step_ns));
	return object;
}

static json_t *writer_json(struct report *report)
{
	const struct compare_result *result = report->comparison->result;
	json_t *object;

	if (!report->comparison->config->has_writer)
		return json_null();
	object = json_object();
	put(report, object, "cpu", json_integer(result->writer_cpu));
	put(report, object, "priority", json_integer(result->writer_priority));
	return object;
}

static json_t *retries_json(struct report *report, size_t who)
{
	const struct compare_result *result = report->comparison->result;
	const struct compare_reader *reader = &result->reader[who];
	const char *why = comparison_no_retries(reader);
	json_t *object;

	if (why)
		return null_of(report, who, "retries", why);
	object = json_object();
	put(report, object, "reads", count(reader->reads));
	put(report, object, "total", count(reader->odd_waits + reader->changed + reader->off_cpu));
	put(report, object, "per_million", number(comparison_retries_per_million(reader)));
	put(report, object, "odd_wait", count(reader->odd_waits));
	put(report, object, "changed", count(reader->changed));
	put(report, object, "off_cpu",
	    result->off_cpu_unavailable
		    ? null_of(report, who, "retries.off_cpu", result->off_cpu_unavailable)
		    : count(reader->off_cpu));
	return object;
}

static json_t *counters_json(struct report *report, size_t who)
{
	static const char *const names[HW_COUNTERS] = {
		[HW_CYCLES] = "cycles_per_read",
		[HW_INSTRUCTIONS] = "instructions_per_read",
		[HW_BRANCH_MISSES] = "branch_misses_per_read",
		[HW_L1D_MISSES] = "l1d_misses_per_read",
	};
	const struct compare_result *result = report->comparison->result;
	const struct compare_reader *reader = &result->reader[who];
	json_t *object = json_object();

	for (size_t i = 0; i < HW_COUNTERS; i++) {
		const char *why = result->hw_unavailable[i].text;
		char path[64];

		snprintf(path, sizeof(path), "counters.%s", names[i]);
		put(report, object, names[i],
		    isfinite(reader->hw_per_read[i])
			    ? number(reader->hw_per_read[i])
			    : null_of(report, who, path, *why ? why : "no block was counted"));
	}
	return object;
}

static json_t *text_bytes_json(struct report *report, size_t who)
{
	const char *no_code = reader_no_code(report->comparison->config->reader[who]);

	return no_code ? null_of(report, who, "text_bytes", no_code)
		       : count(comparison_text_bytes(report->comparison, who));
}

static json_t *compiler_json(struct report *report, size_t who)
{
	const struct reader *reader = report->comparison->config->reader[who];

	const char *why = reader->image		   ? "it is an image"
			  : reader_no_code(reader) ? "it is the one that built contend"
						   : "the compiler does not say";

	if (!reader_no_code(reader) && reader->code.compiler[0])
		return text(reader->code.compiler);
	return null_of(report, who, "compiler", why);
}

static json_t *path_json(struct report *report, size_t who, const char *name, u32 figure)
{
	const struct path_figures *path = &report->comparison->result->reader[who].path;

	return path->unavailable.text[0] ? null_of(report, who, name, path->unavailable.text)
					 : count(figure);
}

/* What there is of the baseline, too. */
static json_t *reader_json(struct report *report, size_t who)
{
	const struct comparison *comparison = report->comparison;
	const struct compare_reader *reader = &comparison->result->reader[who];
	json_t *object = json_object();

	put(report, object, "reader", text(comparison->spec[who]));
	put(report, object, "path", text(comparison->config->reader[who]->path));
	put(report, object, "compiler", compiler_json(report, who));
	put(report, object, "read_ns",
	    comparison->result->visits ? number(reader->read_ns)
				       : null_of(report, who, "read_ns", "no visit was finished"));
	put(report, object, "retries", retries_json(report, who));
	put(report, object, "counters", counters_json(report, who));
	put(report, object, "placement_still", json_boolean(reader->placement_still));
	put(report, object, "text_bytes", text_bytes_json(report, who));
	put(report, object, "taken_branches",
	    path_json(report, who, "taken_branches", reader->path.branches_taken));
	put(report, object, "instructions",
	    path_json(report, who, "instructions", reader->path.instructions));
	return object;
}

static const char *verdict_name(enum effect_verdict verdict)
{
	switch (verdict) {
	case EFFECT_FASTER:
		return "faster";
	case EFFECT_SLOWER:
		return "slower";
	case EFFECT_SAME:
		return "same";
	case EFFECT_UNCLEAR:
		break;
	}
	return "unclear";
}

/* Why there is no effect, or no interval of it. */
static const char *no_interval(const struct report *report, size_t who)
{
	const struct compare_reader *reader = &report->comparison->result->reader[who];

	if (reader->unavailable.text[0])
		return reader->unavailable.text;
	return reader->effect.placement_still ? "there were too few visits"
					      : "there were too few placements";
}

static json_t *interval_json(struct report *report, size_t who, const char *name,
			     const struct mean_interval *interval)
{
	json_t *list;

	if (!comparison_has_interval(report->comparison, who))
		return null_of(report, who, name, no_interval(report, who));
	list = json_array();
	append(report, list, number(interval->low));
	append(report, list, number(interval->high));
	return list;
}

static json_t *effect_json(struct report *report, size_t who, const char *name, double value,
			   const char *why_not)
{
	if (!comparison_has_effect(report->comparison, who))
		return null_of(report, who, name, no_interval(report, who));
	return isfinite(value) ? number(value) : null_of(report, who, name, why_not);
}

static json_t *placements_json(struct report *report, size_t who)
{
	const struct compare_reader *reader = &report->comparison->result->reader[who];
	json_t *list = json_array();

	for (size_t i = 0; i < reader->placements_kept; i++)
		append(report, list, number(reader->placement_percent[i]));
	return list;
}

static void put_effect(struct report *report, json_t *object, size_t who)
{
	const struct effect *effect = &report->comparison->result->reader[who].effect;
	const struct effect_figure *percent = &effect->percent, *ns = &effect->ns;

	put(report, object, "effect_percent",
	    effect_json(report, who, "effect_percent", percent->estimate, "it is not finite"));
	put(report, object, "ci95_percent",
	    interval_json(report, who, "ci95_percent", &percent->ci95));
	put(report, object, "ci99_percent",
	    interval_json(report, who, "ci99_percent", &percent->ci99));
	put(report, object, "effect_ns",
	    effect_json(report, who, "effect_ns", ns->estimate, "it is not finite"));
	put(report, object, "ci95_ns", interval_json(report, who, "ci95_ns", &ns->ci95));
	put(report, object, "ci99_ns", interval_json(report, who, "ci99_ns", &ns->ci99));
	put(report, object, "placement_sd_percent",
	    effect_json(report, who, "placement_sd_percent", effect->placement_sd_percent,
			effect->placement_still ? "there was one placement"
						: "there were too few placements"));
	put(report, object, "visit_sd_percent",
	    effect_json(report, who, "visit_sd_percent", effect->visit_sd_percent,
			"there were too few visits"));
	put(report, object, "units", count(effect->units));
	put(report, object, "placements_disturbed", count(effect->disturbed));
	put(report, object, "placement_effects_percent", placements_json(report, who));
}

static json_t *precision_json(struct report *report, size_t who)
{
	const struct comparison *comparison = report->comparison;

	if (comparison->config->precision_percent > 0)
		return json_boolean(!comparison->result->reader[who].imprecise);
	return null_of(report, who, "precision_reached", "it was not asked for: --precision");
}

static json_t *same_code_json(struct report *report, size_t who)
{
	const struct compare_config *config = report->comparison->config;

	if (config->reader[0]->image || config->reader[who]->image)
		return null_of(report, who, "same_code",
			       "where the code of an image ends is not known");
	if (reader_no_code(config->reader[0]) || reader_no_code(config->reader[who]))
		return null_of(report, who, "same_code", "the code of a library is not looked at");
	return json_boolean(comparison_same_code(report->comparison, who));
}

static json_t *result_json(struct report *report, size_t who)
{
	const struct comparison *comparison = report->comparison;
	const struct effect_conclusion *conclusion = &comparison->result->reader[who].conclusion;
	const enum effect_verdict verdict = comparison_verdict(comparison, who);
	const double more_s = comparison_seconds_more(comparison, who);
	json_t *object = reader_json(report, who);

	put_effect(report, object, who);
	put(report, object, "precision_reached", precision_json(report, who));
	put(report, object, "same_code", same_code_json(report, who));
	put(report, object, "verdict", text(verdict_name(verdict)));
	put(report, object, "no_larger_percent",
	    verdict != EFFECT_SAME
		    ? null_of(report, who, "no_larger_percent", "the verdict is another one")
	    : comparison_same_code(comparison, who) ? number(0)
						    : number(conclusion->no_larger_percent));
	put(report, object, "needed_seconds",
	    isfinite(more_s) ? number(comparison->result->seconds + more_s)
			     : null_of(report, who, "needed_seconds",
				       verdict == EFFECT_UNCLEAR ? "it is not known"
								 : "there is a verdict"));
	return object;
}

static json_t *results_json(struct report *report)
{
	json_t *list = json_array();

	for (size_t who = 1; who < report->comparison->config->readers; who++)
		append(report, list, result_json(report, who));
	return list;
}

static json_t *refused_json(struct report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->comparison->refused; i++) {
		json_t *object = json_object();

		put(report, object, "reader", text(report->comparison->refused_spec[i]));
		put(report, object, "reason", text(report->comparison->refusal[i].text));
		append(report, list, object);
	}
	return list;
}

/* Of --null; else null. */
static json_t *fitness_json(struct report *report)
{
	const struct comparison *comparison = report->comparison;
	struct fitness fitness;
	json_t *object;

	if (!comparison->null || !comparison_has_interval(comparison, 1)) {
		json_report_unavailable(&report->json, "fitness",
					comparison->null ? no_interval(report, 1)
							 : "it was not asked for: --null");
		return json_null();
	}
	fitness = fitness_of(&comparison->result->reader[1].effect,
			     comparison->config->resolution_percent);
	object = json_object();
	put(report, object, "fit", json_boolean(fitness.fit));
	put(report, object, "holds_zero", json_boolean(fitness.holds_zero));
	put(report, object, "half_width_percent", number(fitness.half_width_percent));
	put(report, object, "finest_percent", number(fitness.finest_percent));
	put(report, object, "text", text(fitness.text));
	return object;
}

static const char *outcome_name(enum compare_outcome outcome)
{
	switch (outcome) {
	case COMPARE_COMPLETE:
		return "complete";
	case COMPARE_INTERRUPTED:
		return "interrupted";
	case COMPARE_BROKEN:
		break;
	}
	return "broken";
}

static void put_how(struct report *report, json_t *object)
{
	const struct compare_result *result = report->comparison->result;

	put(report, object, "cpus", cpus_json(report));
	put(report, object, "writer", writer_json(report));
	put(report, object, "block_ns",
	    result->block_ns > 0 ? number(result->block_ns) : json_null());
	if (!(result->block_ns > 0))
		json_report_unavailable(&report->json, "block_ns", "none was timed");
	put(report, object, "visits", count(result->visits));
	put(report, object, "placements", count(result->placements));
	put(report, object, "work_ns", number(result->work_ns));
}

static json_t *compare_json(struct report *report)
{
	const struct comparison *comparison = report->comparison;
	const struct compare_result *result = comparison->result;
	const bool broken = result->outcome == COMPARE_BROKEN;
	json_t *object = json_object();

	put(report, object, "schema", text(SCHEMA));
	put(report, object, "version", text(CONTEND_VERSION));
	put(report, object, "compiler", text(BUILD_COMPILER));
	put(report, object, "machine", json_report_machine(&report->json, &result->machine));
	put(report, object, "config", config_json(report));
	put(report, object, "counter", counter_json(report));
	put_how(report, object);
	put(report, object, "baseline", reader_json(report, 0));
	put(report, object, "results", results_json(report));
	put(report, object, "refused", refused_json(report));
	put(report, object, "fitness", fitness_json(report));
	put(report, object, "remarks", json_report_remarks(&report->json, &result->remarks));
	put(report, object, "unavailable", json_incref(report->json.unavailable));
	put(report, object, "complete", json_boolean(result->outcome == COMPARE_COMPLETE));
	put(report, object, "outcome", text(outcome_name(result->outcome)));
	put(report, object, "broken", broken ? text(result->broken) : json_null());
	put(report, object, "exit_status", json_integer(report_compare_status(comparison)));
	put(report, object, "seconds", number(result->seconds));
	return object;
}

json_t *report_compare_object(const struct comparison *comparison)
{
	struct report report = {comparison, json_report_begin()};

	return json_report_finish(&report.json, compare_json(&report));
}

int report_compare_json(FILE *out, const struct comparison *comparison, struct errmsg *err)
{
	return json_report_write(report_compare_object(comparison), out, err);
}
