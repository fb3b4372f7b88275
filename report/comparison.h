/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that a report of a comparison is made of, and what is to be said of each reader, in whatever
 * form.
 */
#ifndef REPORT_COMPARISON_H
#define REPORT_COMPARISON_H

#include "measure/compare.h"
#include "measure/fitness.h"

/* All stays the caller's. */
struct comparison {
	const struct compare_config *config;
	const struct compare_result *result;
	const char *const *spec; /* of each reader, as it was given */
	/* Readers that could not take part, and a sentence for each. */
	size_t refused;
	const char *const *refused_spec;
	const struct errmsg *refusal;
	bool null; /* one reader against itself */
};

/* Whether reader `who` is the baseline's machine code: then they do not differ, by definition. */
bool comparison_same_code(const struct comparison *comparison, size_t who);

/*
 * What to say of reader `who`, 1 or more. Of the same code it is EFFECT_SAME, whatever was
 * measured; of others what the interval says, and EFFECT_UNCLEAR if there is none.
 */
enum effect_verdict comparison_verdict(const struct comparison *comparison, size_t who);

/* Whether there is an effect of reader `who`, 1 or more, and whether an interval of it. */
bool comparison_has_effect(const struct comparison *comparison, size_t who);
bool comparison_has_interval(const struct comparison *comparison, size_t who);

/* Retries of all kinds per million reads; NAN: they were not counted. */
double comparison_retries_per_million(const struct compare_reader *reader);

/* Why there are none; NULL: there are. */
const char *comparison_no_retries(const struct compare_reader *reader);

/* Bytes of instructions of reader `who`; 0: an image's or a library's, which are not known. */
u32 comparison_text_bytes(const struct comparison *comparison, size_t who);

/* "an image's" code, that cannot be moved, or "a library's"; of others "this". */
const char *comparison_whose_code(const struct comparison *comparison, size_t who);

/* What a comparison of a reader with itself says of the machine, in a sentence. */
struct errmsg comparison_fitness(const struct comparison *comparison);

/* How long to go on, in seconds, until there may be another verdict; NAN: not known. */
double comparison_seconds_more(const struct comparison *comparison, size_t who);

#endif /* REPORT_COMPARISON_H */
