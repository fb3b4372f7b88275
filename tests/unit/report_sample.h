/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes of a result, as text and as JSON. To be included behind a test's own struct sample,
 * which begins as zeros and has what is owned here: `char *text` and `json_t *json`.
 */
#ifndef TESTS_UNIT_REPORT_SAMPLE_H
#define TESTS_UNIT_REPORT_SAMPLE_H

/* One of a test's own, for render: 0 if it could write the sample to `out`. */
typedef int report_sample_fn(FILE *out, const struct sample *sample);

static inline void report_sample_render(struct sample *sample, report_sample_fn *write_text,
					report_sample_fn *write_json)
{
	char *json = NULL;
	json_error_t error;
	size_t size;
	FILE *out;

	free(sample->text);
	json_decref(sample->json);
	out = open_memstream(&sample->text, &size);
	assert_int_equal(write_text(out, sample), 0);
	fclose(out);
	out = open_memstream(&json, &size);
	assert_int_equal(write_json(out, sample), 0);
	fclose(out);
	sample->json = json_loads(json, JSON_REJECT_DUPLICATES, &error);
	if (!sample->json)
		fail_msg("%s at line %d of\n%s", error.text, error.line, json);
	free(json);
}

static inline int teardown(void **state)
{
	struct sample *sample = *state;

	free(sample->text);
	json_decref(sample->json);
	free(sample);
	return 0;
}

static inline void has(const struct sample *sample, const char *line)
{
	if (!strstr(sample->text, line))
		fail_msg("no \"%s\" in\n%s", line, sample->text);
}

static inline void has_not(const struct sample *sample, const char *word)
{
	if (strstr(sample->text, word))
		fail_msg("\"%s\" in\n%s", word, sample->text);
}

#endif /* TESTS_UNIT_REPORT_SAMPLE_H */
