// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/intervals_json.h"

static json_t *known(bool is_known, json_t *value)
{
	if (is_known)
		return value;
	json_decref(value);
	return json_null();
}

static json_t *retries_json(struct json_report *report, const struct run_interval *interval)
{
	const bool told = interval->retries_known;
	const u64 total = run_interval_retries(interval);
	json_t *object = json_object();

	json_report_put(report, object, "total", known(told, count(total)));
	json_report_put(report, object, "per_million",
			known(told && interval->reads,
			      number(1e6 * (double)total / (double)interval->reads)));
	json_report_put(report, object, "odd_wait", known(told, count(interval->odd_waits)));
	json_report_put(report, object, "changed", known(told, count(interval->changed)));
	json_report_put(report, object, "off_cpu",
			known(told && interval->off_cpu_known, count(interval->off_cpu)));
	return object;
}

static json_t *reads_json(struct json_report *report, const struct run_interval *interval)
{
	json_t *object = json_object();

	json_report_put(report, object, "samples", count(interval->samples));
	json_report_put(report, object, "p50", known(interval->samples, number(interval->p50_ns)));
	json_report_put(report, object, "p99", known(interval->samples, number(interval->p99_ns)));
	return object;
}

static json_t *holds_json(struct json_report *report, const struct run_interval *interval)
{
	json_t *object = json_object();

	json_report_put(report, object, "samples", count(interval->holds));
	json_report_put(report, object, "max",
			known(interval->holds, number(interval->hold_max_ns)));
	return object;
}

static json_t *interval_json(struct json_report *report, const struct run_interval *interval)
{
	const bool lasted = interval->seconds > 0;
	json_t *object = json_object();

	json_report_put(report, object, "start_s", number(interval->start_s));
	json_report_put(report, object, "seconds", number(interval->seconds));
	json_report_put(report, object, "reads", count(interval->reads));
	json_report_put(report, object, "reads_per_second",
			known(lasted, number((double)interval->reads / interval->seconds)));
	json_report_put(report, object, "read_ns", reads_json(report, interval));
	json_report_put(report, object, "retries", retries_json(report, interval));
	json_report_put(report, object, "torn", count(interval->torn));
	json_report_put(report, object, "updates", count(interval->updates));
	json_report_put(report, object, "update_rate_hz",
			known(lasted, number((double)interval->updates / interval->seconds)));
	json_report_put(report, object, "hold_ns", holds_json(report, interval));
	return object;
}

static void say_unavailable(struct json_report *report, const struct run_result *result,
			    const struct run_interval *interval)
{
	if (interval->seconds <= 0) {
		json_report_unavailable(report, "intervals.reads_per_second", "it took no time");
		json_report_unavailable(report, "intervals.update_rate_hz", "it took no time");
	}
	if (!interval->samples)
		json_report_unavailable(report, "intervals.read_ns", "no read was timed in it");
	if (!interval->reads)
		json_report_unavailable(report, "intervals.retries.per_million",
					"there was no read in it");
	if (!interval->holds)
		json_report_unavailable(report, "intervals.hold_ns",
					"no update was measured in it");
	if (!interval->retries_known && result->all.retries_unavailable)
		json_report_unavailable(report, "intervals.retries",
					result->all.retries_unavailable);
	if (!interval->off_cpu_known && result->off_cpu_unavailable)
		json_report_unavailable(report, "intervals.retries.off_cpu",
					result->off_cpu_unavailable);
}

json_t *intervals_json(struct json_report *report, const struct run_result *result)
{
	json_t *list = json_array();

	for (u64 i = 0; i < result->intervals; i++) {
		say_unavailable(report, result, &result->interval[i]);
		json_report_append(report, list, interval_json(report, &result->interval[i]));
	}
	return list;
}
