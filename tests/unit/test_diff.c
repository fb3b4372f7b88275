// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Differences between results that never were: how sure each figure is, what becomes of two of
 * them, and what is said of it.
 */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/poisson.h"
#include "report/diff.h"
#include "report/diff_estimate.h"
#include "sim/types.h"

/* Two results and what changed. */
struct sample {
	struct result_file from;
	struct result_file to;
	struct diff diff;
};

static json_t *parse(const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, JSON_DECODE_ANY, &error);

	if (!root)
		fail_msg("%s in %s", error.text, text);
	return root;
}

static void assert_near(double value, double right)
{
	if (!(fabs(value - right) <= 1e-6 * fmax(1, fabs(right))))
		fail_msg("%.10g is not %.10g", value, right);
}

static struct diff_estimate estimate_of(double value, double low, double high)
{
	return (struct diff_estimate){NUMBER_THERE, value, true, low, high};
}

static void test_change_in_points(void **state)
{
	const struct diff_estimate from = estimate_of(100, 90, 110),
				   to = estimate_of(120, 115, 127);
	const struct diff_change change = diff_change_of(DIFF_POINTS, &from, &to);

	(void)state;
	assert_true(change.known && change.has_interval);
	assert_near(change.change, 20);
	assert_near(change.low, 20 - sqrt(25 + 100));
	assert_near(change.high, 20 + sqrt(49 + 100));
}

/* The other way round the ends are the others', inverted. */
static void test_change_in_percent(void **state)
{
	const struct diff_estimate from = estimate_of(100, 80, 125),
				   to = estimate_of(200, 160, 250);
	const struct diff_change there = diff_change_of(DIFF_SHARE, &from, &to);
	const struct diff_change back = diff_change_of(DIFF_SHARE, &to, &from);
	const double wide = sqrt(2) * log(1.25);

	(void)state;
	assert_near(there.change, 100);
	assert_near(there.low, 100 * (2 * exp(-wide) - 1));
	assert_near(there.high, 100 * (2 * exp(wide) - 1));
	assert_near(1 + back.low / 100, 1 / (1 + there.high / 100));
	assert_near(1 + back.high / 100, 1 / (1 + there.low / 100));
}

static void test_change_from_and_to_nothing(void **state)
{
	const struct diff_estimate none = estimate_of(0, 0, 3.69), some = estimate_of(5, 1.6, 11.7);
	struct diff_change change = diff_change_of(DIFF_SHARE, &none, &some);

	(void)state;
	assert_true(isinf(change.change) && isinf(change.high));
	assert_near(change.low, 100 * (1.6 / 3.69 - 1));
	change = diff_change_of(DIFF_SHARE, &some, &none);
	assert_near(change.change, -100);
	assert_near(change.low, -100);
	assert_near(change.high, 100 * (3.69 / 1.6 - 1));
}

static void test_change_of_what_is_exact(void **state)
{
	const struct diff_estimate none = estimate_of(0, 0, 0), two = estimate_of(2, 2, 2);
	struct diff_change change = diff_change_of(DIFF_SHARE, &two, &none);

	(void)state;
	assert_near(change.low, -100);
	assert_near(change.high, -100);
	change = diff_change_of(DIFF_SHARE, &none, &two);
	assert_true(isinf(change.low));
	assert_true(isinf(diff_change_worse(&change, DIFF_MORE_IS_WORSE)));
	change = diff_change_of(DIFF_SHARE, &none, &none);
	assert_near(change.change, 0);
}

static void test_change_that_is_not_known(void **state)
{
	const struct diff_estimate one = estimate_of(1, 1, 1), null = {.at = NUMBER_NULL};
	const struct diff_estimate bare = {.at = NUMBER_THERE, .value = 2};
	struct diff_change change = diff_change_of(DIFF_SHARE, &one, &null);

	(void)state;
	assert_false(change.known);
	change = diff_change_of(DIFF_SHARE, &bare, &one);
	assert_true(change.known);
	assert_false(change.has_interval);
	assert_near(change.change, -50);
	assert_true(diff_change_worse(&change, DIFF_MORE_IS_WORSE) < 0);
}

static struct diff_estimate rate_of(unsigned int count)
{
	const struct poisson_limits limits = poisson_limits(count);

	return estimate_of(count, limits.low, limits.high);
}

/* Of pairs that are the same, how many intervals say that they are not. */
static double share_missed(double mean, double widened)
{
	gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
	const int pairs = 4000;
	int missed = 0;

	assert_non_null(random);
	for (int i = 0; i < pairs; i++) {
		const struct diff_estimate from = rate_of(gsl_ran_poisson(random, mean));
		const struct diff_estimate to = rate_of(gsl_ran_poisson(random, mean));
		const struct diff_change change = diff_change_of(DIFF_SHARE, &from, &to);
		const double middle = change.change;

		missed += middle + widened * (change.low - middle) > 0 ||
			  middle + widened * (change.high - middle) < 0;
	}
	gsl_rng_free(random);
	return (double)missed / pairs;
}

/* 95 % intervals miss 5 %, or somewhat less; ones that are too narrow are noticed. */
static void test_intervals_hold_what_they_promise(void **state)
{
	(void)state;
	assert_in_range((u64)(1e4 * share_missed(30, 1)), 200, 600);
	assert_in_range((u64)(1e4 * share_missed(400, 1)), 350, 600);
	assert_true(share_missed(400, 0.7) > 0.06);
}

static const struct diff_figure rate = {
	.path = "n", .take = diff_take_rate, .beside = {"reads", "n"}};

static struct diff_estimate take(const struct diff_figure *figure, const char *text)
{
	json_t *root = parse(text);
	const struct diff_source source = {root, root};
	struct diff_estimate estimate = {.at = NUMBER_ABSENT};

	figure->take(&source, figure, &estimate);
	json_decref(root);
	return estimate;
}

static void test_rate(void **state)
{
	struct diff_estimate estimate = take(&rate, "{\"n\": 10, \"reads\": 2000000}");

	(void)state;
	assert_int_equal(estimate.at, NUMBER_THERE);
	assert_near(estimate.value, 5);
	assert_near(estimate.low, poisson_limits(10).low / 2);
	assert_near(estimate.high, poisson_limits(10).high / 2);
	assert_int_equal(take(&rate, "{\"n\": 0, \"reads\": 0}").at, NUMBER_NULL);
	assert_int_equal(take(&rate, "{\"n\": null, \"reads\": 5}").at, NUMBER_NULL);
	assert_int_equal(take(&rate, "{\"reads\": 5}").at, NUMBER_ABSENT);
	assert_int_equal(take(&rate, "{\"n\": -5, \"reads\": 5}").at, NUMBER_NULL);
}

/* Six intervals of 100 reads each: counts that scatter more than by chance tell less. */
static struct diff_estimate rate_over(const int counts[6])
{
	char text[512];
	int used = snprintf(text, sizeof(text), "{\"n\": 60, \"reads\": 600, \"intervals\": [");

	for (int i = 0; i < 6; i++)
		used += snprintf(text + used, sizeof(text) - (size_t)used,
				 "%s{\"n\": %d, \"reads\": 100}", i ? ", " : "", counts[i]);
	snprintf(text + used, sizeof(text) - (size_t)used, "]}");
	return take(&rate, text);
}

static void test_rate_that_scatters(void **state)
{
	const int even[] = {10, 10, 10, 10, 10, 10}, uneven[] = {16, 4, 16, 4, 16, 4};
	const struct diff_estimate sure = rate_over(even), unsure = rate_over(uneven);
	const double wider = sqrt(6 * 36 / 10.0 / 5);

	(void)state;
	assert_near(sure.low, poisson_limits(60).low / 600e-6);
	assert_near(unsure.value, sure.value);
	assert_near(unsure.value - unsure.low, wider * (sure.value - sure.low));
	assert_near(unsure.high - unsure.value, wider * (sure.high - sure.value));
}

static void test_visible(void **state)
{
	const struct diff_figure visible = {
		.path = "n", .take = diff_take_visible, .beside = {"reads", NULL, "rate"}};
	/* 20000 of a million at 1 MHz: 20 ns. */
	struct diff_estimate estimate =
		take(&visible, "{\"n\": 20000, \"reads\": 1000000, \"rate\": 1000000}");
	const double high = poisson_limits(20000).high / 20000 - 1;

	(void)state;
	assert_near(estimate.value, 20);
	assert_near(estimate.high, 20 + 20 * sqrt(high * high + 0.1959964 * 0.1959964));
	estimate = take(&visible, "{\"n\": 0, \"reads\": 1000000, \"rate\": 1000000}");
	assert_near(estimate.value, 0);
	assert_near(estimate.high, poisson_limits(0).high / 1000);
	assert_int_equal(take(&visible, "{\"n\": 5, \"reads\": 5, \"rate\": 0}").at, NUMBER_NULL);
}

static void test_scattered(void **state)
{
	const struct diff_figure visible = {
		.path = "v", .take = diff_take_scattered, .beside = {"low", "high", "r"}};
	struct diff_estimate estimate =
		take(&visible, "{\"v\": 20, \"r\": 100, \"low\": 85, \"high\": 120}");

	(void)state;
	assert_near(estimate.low, 20 - 20 * sqrt(0.15 * 0.15 + 0.1959964 * 0.1959964));
	assert_near(estimate.high, 20 + 20 * sqrt(0.2 * 0.2 + 0.1959964 * 0.1959964));
	assert_false(take(&visible, "{\"v\": 20, \"r\": 0, \"low\": 0, \"high\": 1}").has_interval);
}

#define LENGTHS "[[10, 4000], [20, 4000], [30, 1000], [40, 1000]]"

static void test_quantile(void **state)
{
	const struct diff_figure median = {
		.path = "p", .take = diff_take_quantile, .beside = {"h", NULL}, .quantile = 0.5};
	struct diff_figure edge = median;
	struct diff_estimate estimate =
		take(&median, "{\"p\": 20, \"h\": " LENGTHS ", \"counter\": {\"step_ns\": 2}}");

	(void)state;
	assert_near(estimate.low, 20 - 2);
	assert_near(estimate.high, 20 + 2);
	/* 4000 of 10000 are 10 at most: 0.4 is between two buckets, and either may be it. */
	edge.quantile = 0.4;
	estimate = take(&edge, "{\"p\": 10, \"h\": " LENGTHS "}");
	assert_near(estimate.low, 10);
	assert_near(estimate.high, 20);
	/* And 4050 are not surely more than 4000. */
	edge.quantile = 0.405;
	estimate = take(&edge, "{\"p\": 20, \"h\": " LENGTHS "}");
	assert_near(estimate.low, 10);
	assert_near(estimate.high, 20);
	estimate = take(&median, "{\"p\": 20}");
	assert_int_equal(estimate.at, NUMBER_THERE);
	assert_false(estimate.has_interval);
}

static void test_mean(void **state)
{
	const struct diff_figure mean = {
		.path = "readers.mean", .take = diff_take_mean, .beside = {"h", "each"}};
	struct diff_estimate estimate =
		take(&mean, "{\"readers\": {\"mean\": 19}, \"h\": " LENGTHS "}");
	const double error =
		1.959964 * sqrt((4000 * 81 + 4000 + 1000 * 121 + 1000 * 441) / 9999.0 / 1e4);

	(void)state;
	assert_near(estimate.low, 19 - error);
	assert_near(estimate.high, 19 + error);
	estimate = take(&mean, "{\"readers\": {\"mean\": 19}, \"h\": " LENGTHS
			       ", \"each\": [{\"mean\": 15}, {\"mean\": null}, {}]}");
	assert_near(estimate.low, 15);
	assert_near(estimate.high, 19 + error);
	assert_false(take(&mean, "{\"readers\": {\"mean\": 19}}").has_interval);
}

static void test_batches(void **state)
{
	const struct diff_figure batches = {
		.path = "r", .take = diff_take_batches, .beside = {NULL, "r"}};
	struct diff_estimate estimate = take(
		&batches, "{\"r\": 5, \"intervals\": [{\"r\": 3}, {\"r\": 4}, {\"r\": 6}, {\"r\": "
			  "5}, {\"r\": 7}, {\"r\": 5.5}]}");

	(void)state;
	assert_true(estimate.has_interval);
	assert_near(estimate.low, 3);
	assert_near(estimate.high, 7);
	estimate = take(&batches, "{\"r\": 5, \"intervals\": [{\"r\": 3}, {\"r\": 4}]}");
	assert_near(estimate.value, 5);
	assert_false(estimate.has_interval);
}

static void make(struct sample *sample, enum result_kind kind, const char *from, const char *to,
		 double fail_above_percent)
{
	struct errmsg err;

	*sample = (struct sample){
		.from = {.path = NULL, .kind = kind, .version = 1, .root = parse(from)},
		.to = {.path = NULL, .kind = kind, .version = 1, .root = parse(to)},
	};
	if (diff_make(&sample->from, &sample->to, fail_above_percent, &sample->diff, &err))
		fail_msg("%s", err.text);
}

static void release(struct sample *sample)
{
	diff_release(&sample->diff);
	result_file_free(&sample->from);
	result_file_free(&sample->to);
}

/* By its path, or its name where that is one of two. */
static const struct diff_finding *finding_of(const struct sample *sample, const char *path)
{
	for (size_t i = 0; i < sample->diff.findings; i++)
		if (strcmp(sample->diff.finding[i].path, path) == 0 ||
		    strcmp(sample->diff.finding[i].figure->name, path) == 0)
			return &sample->diff.finding[i];
	fail_msg("there is no %s", path);
	return NULL;
}

/* What comes of one figure. */
static void judged(enum result_kind kind, const char *path, const char *from, const char *to,
		   double fail_above_percent, enum diff_judgement judgement, bool fails)
{
	struct sample sample;
	const struct diff_finding *finding;

	make(&sample, kind, from, to, fail_above_percent);
	finding = finding_of(&sample, path);
	if (finding->judgement != judgement || finding->fails != fails)
		fail_msg("%s from %s to %s is %s%s", path, from, to,
			 diff_judgement_name(finding->judgement), finding->fails ? ", fails" : "");
	assert_int_equal(diff_status(&sample.diff), fails ? STATUS_WRONG : STATUS_WELL);
	release(&sample);
}

#define VISIBLE_READ "visible read"
#define RETRIES(changed)                                                          \
	"{\"readers\": {\"reads\": 1000000, \"retries\": {\"changed\": " #changed \
	", \"off_cpu\": " #changed "}}, \"writer\": {\"rate_hz\": 1000}}"

static void test_rates_are_judged(void **state)
{
	const char *rate_alone = "readers.retries.off_cpu";

	(void)state;
	judged(RESULT_RUN, rate_alone, RETRIES(1000), RETRIES(1020), 0, DIFF_NOISE, false);
	judged(RESULT_RUN, rate_alone, RETRIES(1000), RETRIES(2000), -1, DIFF_CHANGED, false);
	judged(RESULT_RUN, VISIBLE_READ, RETRIES(1000), RETRIES(1000), 0, DIFF_SAME, false);
	judged(RESULT_RUN, VISIBLE_READ, RETRIES(1000), RETRIES(1200), 0, DIFF_NOISE, false);
	judged(RESULT_RUN, VISIBLE_READ, RETRIES(1000), RETRIES(1600), -1, DIFF_WORSE, false);
	judged(RESULT_RUN, VISIBLE_READ, RETRIES(1000), RETRIES(1600), 5, DIFF_WORSE, true);
	/* By 60 %, but surely by no more than 20. */
	judged(RESULT_RUN, VISIBLE_READ, RETRIES(1000), RETRIES(1600), 20, DIFF_WORSE, false);
	judged(RESULT_RUN, VISIBLE_READ, RETRIES(1600), RETRIES(1000), 0, DIFF_BETTER, false);
	judged(RESULT_RUN, VISIBLE_READ, RETRIES(0), RETRIES(100), 1000, DIFF_WORSE, true);
	judged(RESULT_RUN, VISIBLE_READ, RETRIES(null), RETRIES(100), 0, DIFF_UNKNOWN, false);
}

#define TORN(n) "{\"readers\": {\"torn\": " #n "}}"

static void test_faults_always_fail(void **state)
{
	(void)state;
	judged(RESULT_RUN, "readers.torn", TORN(0), TORN(0), -1, DIFF_SAME, false);
	judged(RESULT_RUN, "readers.torn", TORN(0), TORN(1), -1, DIFF_WORSE, true);
	judged(RESULT_RUN, "readers.torn", TORN(3), TORN(4), -1, DIFF_WORSE, true);
	judged(RESULT_RUN, "readers.torn", TORN(4), TORN(0), -1, DIFF_BETTER, false);
}

#define MODEL(verdict) "{\"models\": [{\"model\": \"weak\", \"verdict\": \"" verdict "\"}]}"

static void test_verdicts(void **state)
{
	const char *path = "models.0.verdict";

	(void)state;
	judged(RESULT_PROVE, path, MODEL("holds"), MODEL("holds"), 0, DIFF_SAME, false);
	judged(RESULT_PROVE, path, MODEL("holds"), MODEL("broken"), -1, DIFF_WORSE, true);
	judged(RESULT_PROVE, path, MODEL("holds"), MODEL("incomplete"), -1, DIFF_WORSE, false);
	judged(RESULT_PROVE, path, MODEL("holds"), MODEL("incomplete"), 0, DIFF_WORSE, true);
	judged(RESULT_PROVE, path, MODEL("broken"), MODEL("holds"), 0, DIFF_BETTER, false);
	judged(RESULT_PROVE, path, MODEL("holds"), MODEL("sleeps"), 0, DIFF_CHANGED, false);
}

#define EFFECT(effect, low, high)                                                                \
	"{\"results\": [{\"reader\": \"r\", \"effect_percent\": " #effect ", \"ci95_percent\": " \
	"[" #low ", " #high "]}]}"

static void test_effects_are_judged(void **state)
{
	const char *path = "results.0.effect_percent";

	(void)state;
	judged(RESULT_COMPARE, path, EFFECT(-2, -2.1, -1.9), EFFECT(-1, -1.1, -0.9), 0.5,
	       DIFF_WORSE, true);
	judged(RESULT_COMPARE, path, EFFECT(-2, -2.1, -1.9), EFFECT(-1, -1.1, -0.9), 1, DIFF_WORSE,
	       false);
	judged(RESULT_COMPARE, path, EFFECT(-1, -2, 0), EFFECT(-0.5, -1.5, 0.5), 0, DIFF_NOISE,
	       false);
	judged(RESULT_COMPARE, path, EFFECT(1, 0.9, 1.1), EFFECT(-1, -1.1, -0.9), 0, DIFF_BETTER,
	       false);
}

static void test_without_an_interval_nothing_is_judged(void **state)
{
	const char *from = "{\"readers\": {\"read_ns\": {\"max\": 10}}}";
	const char *to = "{\"readers\": {\"read_ns\": {\"max\": 100}}}";

	(void)state;
	judged(RESULT_RUN, "readers.read_ns.max", from, to, 0, DIFF_UNKNOWN, false);
}

static void test_counts_of_code_are_exact(void **state)
{
	const char *path = "readers.0.paths.fast.instructions";
	const char *from = "{\"readers\": [{\"paths\": {\"fast\": {\"instructions\": 100}}}]}";
	const char *to = "{\"readers\": [{\"paths\": {\"fast\": {\"instructions\": 101}}}]}";

	(void)state;
	judged(RESULT_INSPECT, path, from, to, 0, DIFF_WORSE, true);
	judged(RESULT_INSPECT, path, from, to, 1.1, DIFF_WORSE, false);
	judged(RESULT_INSPECT, path, to, from, 0, DIFF_BETTER, false);
}

static void test_elements_are_matched_by_their_keys(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample, RESULT_SWEEP,
	     "{\"points\": [{\"hz\": 1, \"readers\": 1, \"torn\": 0}, {\"hz\": 2, \"readers\": 1, "
	     "\"torn\": 1}, {\"hz\": 3, \"readers\": 1, \"torn\": 0}]}",
	     "{\"points\": [{\"hz\": 2, \"readers\": 1, \"torn\": 1}, {\"hz\": 1, \"readers\": 1, "
	     "\"torn\": 0}, {\"hz\": 1, \"readers\": 2, \"torn\": 7}]}",
	     -1);
	assert_int_equal(sample.diff.findings, 2);
	assert_int_equal(finding_of(&sample, "points.0.torn")->judgement, DIFF_SAME);
	assert_int_equal(finding_of(&sample, "points.1.torn")->judgement, DIFF_SAME);
	assert_string_equal(sample.diff.finding[0].of, "point 2 Hz, 1 readers");
	assert_int_equal(sample.diff.lones, 2);
	assert_string_equal(sample.diff.lone[0].what, "point 1 Hz, 2 readers");
	assert_true(sample.diff.lone[0].is_new);
	assert_string_equal(sample.diff.lone[1].what, "point 3 Hz, 1 readers");
	assert_false(sample.diff.lone[1].is_new);
	assert_int_equal(diff_status(&sample.diff), STATUS_WELL);
	release(&sample);
}

/* The same reader may be there twice. */
static void test_twins_are_matched_in_their_order(void **state)
{
	struct sample sample;

	(void)state;
	make(&sample, RESULT_COMPARE,
	     "{\"results\": [{\"reader\": \"a\", \"instructions\": 1}, {\"reader\": \"a\", "
	     "\"instructions\": 2}]}",
	     "{\"results\": [{\"reader\": \"a\", \"instructions\": 1}, {\"reader\": \"a\", "
	     "\"instructions\": 2}, {\"reader\": \"a\", \"instructions\": 3}]}",
	     -1);
	assert_int_equal(finding_of(&sample, "results.0.instructions")->judgement, DIFF_SAME);
	assert_int_equal(finding_of(&sample, "results.1.instructions")->judgement, DIFF_SAME);
	assert_int_equal(sample.diff.lones, 1);
	release(&sample);
}

static void test_who_is_newly_accused_fails(void **state)
{
	const char *one = "{\"accused\": [{\"reader\": \"a\", \"writers\": [\"w\"]}]}";
	const char *other = "{\"accused\": [{\"reader\": \"b\", \"writers\": [\"w\"]}]}";
	struct sample sample;

	(void)state;
	make(&sample, RESULT_VERIFY, one, other, -1);
	assert_int_equal(sample.diff.lones, 2);
	assert_true(sample.diff.lone[0].is_new && sample.diff.lone[0].fails);
	assert_false(sample.diff.lone[1].fails);
	assert_int_equal(diff_status(&sample.diff), STATUS_WRONG);
	release(&sample);
}

/* What differs, one path after the other, with a ! before one that refuses. */
static void differs(const char *from, const char *to, const char *paths)
{
	struct sample sample;
	char found[400] = "";
	size_t used = 0, refusals = 0;

	make(&sample, RESULT_RUN, from, to, -1);
	for (size_t i = 0; i < sample.diff.differences.count; i++) {
		const struct diff_difference *difference = &sample.diff.differences.list[i];

		used += (size_t)snprintf(found + used, sizeof(found) - used, "%s%s%s", i ? " " : "",
					 difference->refuses ? "!" : "", difference->path);
		refusals += difference->refuses;
	}
	assert_string_equal(found, paths);
	assert_int_equal(diff_refusals(&sample.diff), refusals);
	release(&sample);
}

static void test_conditions(void **state)
{
	(void)state;
	differs("{}", "{}", "");
	differs("{\"config\": {\"payload\": \"time\"}}", "{\"config\": {\"payload\": \"stamp\"}}",
		"!config.payload");
	differs("{\"config\": {\"seed\": 1}}", "{\"config\": {\"seed\": 2}}", "config.seed");
	differs("{\"machine\": {\"cpu_model\": \"a\", \"kernel\": \"1\", \"hypervisor\": null}}",
		"{\"machine\": {\"cpu_model\": \"b\", \"kernel\": \"2\", \"hypervisor\": \"KVM\"}}",
		"!machine.cpu_model !machine.hypervisor machine.kernel");
	differs("{\"config\": {\"groups\": [{\"readers\": 1, \"reader\": {\"name\": \"a\"}}]}}",
		"{\"config\": {\"groups\": [{\"readers\": 2, \"reader\": {\"name\": \"b\"}}]}}",
		"!config.groups.0.readers !config.groups.0.reader.name");
	differs("{\"config\": {\"groups\": [{\"readers\": 1}]}}",
		"{\"config\": {\"groups\": [{\"readers\": 1}, {\"readers\": 1}]}}",
		"!config.groups");
}

/* An older version did not tell it. */
static void test_what_only_one_tells_is_no_difference(void **state)
{
	(void)state;
	differs("{\"machine\": {\"cpu_model\": \"a\"}}",
		"{\"machine\": {\"cpu_model\": \"a\", \"socket\": 1}, \"compiler\": \"gcc\"}", "");
	differs("{\"machine\": {\"cpu_model\": \"a\", \"socket\": 1}, \"compiler\": \"gcc\"}",
		"{\"machine\": {\"cpu_model\": \"a\"}}", "");
}

static void test_lengths_may_differ_somewhat(void **state)
{
	(void)state;
	differs("{\"config\": {\"duration_ns\": 100}}", "{\"config\": {\"duration_ns\": 200}}",
		"config.duration_ns");
	differs("{\"config\": {\"duration_ns\": 100}}", "{\"config\": {\"duration_ns\": 201}}",
		"!config.duration_ns");
	differs("{\"config\": {\"duration_ns\": 201}}", "{\"config\": {\"duration_ns\": 100}}",
		"!config.duration_ns");
}

static void test_versions(void **state)
{
	(void)state;
	differs("{\"version\": \"0.1.0\"}", "{\"version\": \"0.1.3\"}", "version");
	differs("{\"version\": \"0.1.0\"}", "{\"version\": \"0.2.0\"}", "!version");
	differs("{\"version\": \"0.1.0\"}", "{\"version\": \"0.10.0\"}", "!version");
	differs("{\"version\": \"1.1.0\"}", "{\"version\": \"1.2.0\"}", "version");
	differs("{\"version\": \"1.1.0\"}", "{\"version\": \"2.0.0\"}", "!version");
	differs("{\"version\": \"1.1.0\"}", "{\"version\": \"10.1.0\"}", "!version");
}

static void test_interrupted(void **state)
{
	(void)state;
	differs("{\"complete\": true}", "{\"complete\": false}", "!complete");
	differs("{\"complete\": false, \"outcome\": \"interrupted\"}",
		"{\"complete\": false, \"outcome\": \"interrupted\"}", "!complete");
	/* That is a figure. */
	differs("{\"complete\": true, \"outcome\": \"complete\"}",
		"{\"complete\": false, \"outcome\": \"stalled\"}", "");
	judged(RESULT_RUN, "outcome", "{\"outcome\": \"complete\"}", "{\"outcome\": \"stalled\"}",
	       -1, DIFF_WORSE, true);
}

static void test_other_kinds(void **state)
{
	struct result_file run = {.path = (char *)(uintptr_t) "a", .kind = RESULT_RUN};
	struct result_file sweep = {.path = (char *)(uintptr_t) "b", .kind = RESULT_SWEEP};
	struct errmsg err;
	struct diff diff;

	(void)state;
	assert_int_equal(diff_make(&run, &sweep, -1, &diff, &err), -1);
	assert_string_equal(err.text, "a is of contend run, b of contend sweep: a difference is "
				      "between two of the same");
	diff_release(&diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_change_in_points),
		cmocka_unit_test(test_change_in_percent),
		cmocka_unit_test(test_change_from_and_to_nothing),
		cmocka_unit_test(test_change_of_what_is_exact),
		cmocka_unit_test(test_change_that_is_not_known),
		cmocka_unit_test(test_intervals_hold_what_they_promise),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_rate_that_scatters),
		cmocka_unit_test(test_visible),
		cmocka_unit_test(test_scattered),
		cmocka_unit_test(test_quantile),
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_rates_are_judged),
		cmocka_unit_test(test_faults_always_fail),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_effects_are_judged),
		cmocka_unit_test(test_without_an_interval_nothing_is_judged),
		cmocka_unit_test(test_counts_of_code_are_exact),
		cmocka_unit_test(test_elements_are_matched_by_their_keys),
		cmocka_unit_test(test_twins_are_matched_in_their_order),
		cmocka_unit_test(test_who_is_newly_accused_fails),
		cmocka_unit_test(test_conditions),
		cmocka_unit_test(test_what_only_one_tells_is_no_difference),
		cmocka_unit_test(test_lengths_may_differ_somewhat),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_other_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
