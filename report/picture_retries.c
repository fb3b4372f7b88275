// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/intervals.h"
#include "report/pictures.h"

static const struct {
	const char *name;
	const char *words;
} kinds[] = {{"odd_wait", "odd wait"}, {"changed", "changed"}, {"off_cpu", "off-CPU"}};

/* In that interval, of a million reads; false: there were no reads, or it is not known. */
static bool rate_of(const json_t *interval, size_t kind, double *per_million)
{
	double reads, retries;

	if (number_at(interval, "reads", &reads) != NUMBER_THERE || !(reads > 0) ||
	    number_at(value_at(interval, "retries"), kinds[kind].name, &retries) != NUMBER_THERE)
		return false;
	*per_million = retries * 1e6 / reads;
	return true;
}

static void write_data(FILE *script, const json_t *intervals)
{
	double per_million;

	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		fprintf(script, "$kind%zu << END\n", kind);
		for (size_t i = 0; i < json_array_size(intervals); i++) {
			const json_t *interval = json_array_get(intervals, i);

			if (rate_of(interval, kind, &per_million))
				fprintf(script, "%.10g %.10g\n", interval_middle_s(interval),
					per_million);
		}
		fputs("END\n", script);
	}
}

static bool most_of(const json_t *intervals, size_t kind, double *most)
{
	bool any = false;
	double per_million;

	*most = 0;
	for (size_t i = 0; i < json_array_size(intervals); i++)
		if (rate_of(json_array_get(intervals, i), kind, &per_million)) {
			any = true;
			*most = per_million > *most ? per_million : *most;
		}
	return any;
}

static bool any_known(const json_t *intervals)
{
	double most;

	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		if (most_of(intervals, kind, &most))
			return true;
	return false;
}

static void say(FILE *out, const json_t *intervals)
{
	const char *between = ": at most";
	double most;

	fprintf(out, "Retries per million reads over %zu interval%s, by kind",
		json_array_size(intervals), json_array_size(intervals) == 1 ? "" : "s");
	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		if (most_of(intervals, kind, &most)) {
			fprintf(out, "%s %.3g %s", between, most, kinds[kind].words);
			between = ",";
		}
	fputs(".", out);
}

static void draw(struct sketch *sketch, const struct picture_subject *subject)
{
	const json_t *intervals = intervals_of(subject->files[0], sketch);

	if (!intervals)
		return;
	if (!any_known(intervals)) {
		errmsg_set(&sketch->none, "no interval's retries by kind are known");
		return;
	}
	fputs("Retries over time, by kind", sketch->title);
	write_data(sketch->script, intervals);
	sketch_frame(sketch, "time (s)", "retries per million reads");
	fputs("set yrange [0:*]\nset key bmargin center horizontal height 1\nplot", sketch->script);
	for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		fprintf(sketch->script, "%s $kind%zu using 1:2 with linespoints lw 2",
			kind ? "," : "", kind);
		sketch_series(sketch, kind);
		fprintf(sketch->script, " ps 0.7 title '%s'", kinds[kind].words);
	}
	fputc('\n', sketch->script);
	say(sketch->description, intervals);
}

const struct picture picture_retries = {
	.name = "retries",
	.summary = "retries over time, by kind",
	.kind = RESULT_RUN,
	.draw = draw,
};
