// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "readers/same_code.h"
#include "report/comparison.h"

bool comparison_same_code(const struct comparison *comparison, size_t who)
{
	return readers_same_code(comparison->config->reader[0], comparison->config->reader[who]);
}

bool comparison_has_effect(const struct comparison *comparison, size_t who)
{
	return !comparison->result->reader[who].unavailable.text[0];
}

bool comparison_has_interval(const struct comparison *comparison, size_t who)
{
	return comparison_has_effect(comparison, who) &&
	       comparison->result->reader[who].effect.known;
}

enum effect_verdict comparison_verdict(const struct comparison *comparison, size_t who)
{
	if (comparison_same_code(comparison, who))
		return EFFECT_SAME;
	if (!comparison_has_interval(comparison, who))
		return EFFECT_UNCLEAR;
	return comparison->result->reader[who].conclusion.verdict;
}

double comparison_retries_per_million(const struct compare_reader *reader)
{
	if (comparison_no_retries(reader))
		return NAN;
	return 1e6 * (double)(reader->odd_waits + reader->changed + reader->off_cpu) /
	       (double)reader->reads;
}

const char *comparison_no_retries(const struct compare_reader *reader)
{
	if (reader->retries_unavailable)
		return reader->retries_unavailable;
	return reader->reads ? NULL : "no counted read was made";
}

u32 comparison_text_bytes(const struct comparison *comparison, size_t who)
{
	const struct reader *reader = comparison->config->reader[who];

	return reader->image ? 0 : machine_code_text_bytes(&reader->code);
}

double comparison_seconds_more(const struct comparison *comparison, size_t who)
{
	const struct effect_conclusion *conclusion = &comparison->result->reader[who].conclusion;

	if (comparison_verdict(comparison, who) != EFFECT_UNCLEAR ||
	    !comparison_has_interval(comparison, who))
		return NAN;
	return fmax(conclusion->needed_s - comparison->result->seconds, 1);
}

const char *comparison_whose_code(const struct comparison *comparison, size_t who)
{
	const struct reader *reader = comparison->config->reader[who];

	if (reader->image)
		return "an image's";
	return reader_no_code(reader) ? "a library's" : "this";
}

struct errmsg comparison_fitness(const struct comparison *comparison)
{
	const struct compare_reader *reader = &comparison->result->reader[1];
	struct errmsg line;

	if (comparison_has_effect(comparison, 1))
		errmsg_set(
			&line, "%s",
			fitness_of(&reader->effect, comparison->config->resolution_percent).text);
	else
		errmsg_set(&line, "not known to be fit: %s", reader->unavailable.text);
	return line;
}
