// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/expect.h"
#include "report/fairness.h"
#include "sim/value.h"

/* More than this a double does not hold to the last digit. */
#define MOST_NUMBER 9007199254740992.0

static u64 count_at(const void *from, size_t offset)
{
	return *(const u64 *)(const void *)((const char *)from + offset);
}

static const char *figure_of(const struct distribution *lengths, size_t offset, const char *none,
			     double *value)
{
	*value = *(const double *)(const void *)((const char *)lengths + offset);
	return lengths->samples ? NULL : none;
}

static const char *find_count(const struct report_part *part, size_t offset, double *value)
{
	*value = (double)count_at(&part->readers->total, offset);
	return NULL;
}

static const char *find_fault(const struct report_part *part, size_t offset, double *value)
{
	*value = (double)count_at(&part->readers->total, offset);
	return part->readers->total.checked ? NULL : "no read was checked";
}

static const char *find_backwards(const struct report_part *part, size_t offset, double *value)
{
	const char *none = find_fault(part, offset, value);

	return part->result->backwards_unavailable ? part->result->backwards_unavailable : none;
}

static const char *find_retry(const struct report_part *part, size_t offset, double *value)
{
	*value = (double)count_at(&part->readers->total, offset);
	return part->readers->retries_unavailable;
}

static const char *find_off_cpu(const struct report_part *part, size_t offset, double *value)
{
	const char *none = find_retry(part, offset, value);

	return none ? none : part->result->off_cpu_unavailable;
}

static const char *find_retries(const struct report_part *part, size_t offset, double *value)
{
	(void)offset;
	*value = (double)reader_retries(&part->readers->total);
	return part->readers->retries_unavailable;
}

static const char *find_per_million(const struct report_part *part, size_t offset, double *value)
{
	(void)offset;
	*value = reader_retries_per_million(&part->readers->total);
	if (part->readers->retries_unavailable)
		return part->readers->retries_unavailable;
	return part->readers->total.reads ? NULL : "there was no read";
}

static const char *find_seen(const struct report_part *part, size_t offset, double *value)
{
	*value = (double)count_at(&part->readers->total, offset);
	return part->opaque ? NULL : "it is counted of an image's code alone";
}

static const char *find_read(const struct report_part *part, size_t offset, double *value)
{
	return figure_of(&part->readers->read, offset, "no read was timed", value);
}

static const char *find_of_readers(const struct report_part *part, size_t offset, double *value)
{
	*value = *(const double *)(const void *)((const char *)part->readers + offset);
	return NULL;
}

static const char *find_work(const struct report_part *part, size_t offset, double *value)
{
	find_of_readers(part, offset, value);
	return part->group ? NULL : "each group has its own";
}

static const char *find_fairness(const struct report_part *part, size_t offset, double *value)
{
	const struct fairness fairness = report_fairness(part->readers);

	(void)offset;
	*value = fairness.ratio;
	return fairness.fastest->counts.reads ? NULL : "there was no read";
}

static const char *find_of_writer(const struct report_part *part, size_t offset, double *value)
{
	*value = (double)count_at(&part->result->writer, offset);
	return NULL;
}

static const char *find_rate(const struct report_part *part, size_t offset, double *value)
{
	(void)offset;
	*value = part->result->writer.rate_hz;
	return NULL;
}

static const char *find_hold(const struct report_part *part, size_t offset, double *value)
{
	return figure_of(&part->result->writer.hold, offset, "no update was measured", value);
}

static const char *find_late(const struct report_part *part, size_t offset, double *value)
{
	return figure_of(&part->result->writer.late, offset, "no update was measured", value);
}

static const char *find_jumps(const struct report_part *part, size_t offset, double *value)
{
	(void)offset;
	*value = (double)part->result->forbidden_jumps;
	return part->result->backwards_unavailable;
}

static const char *find_of_run(const struct report_part *part, size_t offset, double *value)
{
	*value = *(const double *)(const void *)((const char *)part->result + offset);
	return NULL;
}

#define COUNT(name)   offsetof(struct reader_counts, name)
#define LENGTH(name)  offsetof(struct distribution, name)
#define READERS(name) offsetof(struct readers_result, name)
#define WRITER(name)  offsetof(struct writer_result, name)
#define RUN(name)     offsetof(struct run_result, name)

#define PART(name, find, offset, summary)         \
	{                                         \
		name, summary, true, find, offset \
	}
#define WHOLE(name, find, offset, summary)         \
	{                                          \
		name, summary, false, find, offset \
	}

/* Named as in JSON, where a figure's unit comes last. */
/* clang-format off */
const struct expect_figure expect_figures[] = {
	PART("torn", find_fault, COUNT(torn), "reads that returned a mixture of two updates"),
	PART("stale", find_fault, COUNT(stale), "reads of one update that had been replaced before they began"),
	PART("time_backwards", find_backwards, COUNT(backwards), "reads after which time had run backwards"),
	PART("reads", find_count, COUNT(reads), "values returned from the page while measured"),
	PART("reads_per_second", find_of_readers, READERS(reads_per_second), "of all together"),
	PART("read_mean_ns", find_read, LENGTH(mean_ns), "length of a read, mean"),
	PART("read_p50_ns", find_read, LENGTH(p50_ns), "half are not longer"),
	PART("read_p99_ns", find_read, LENGTH(p99_ns), "99 % are not longer"),
	PART("read_p99_99_ns", find_read, LENGTH(p99_99_ns), "99.99 % are not longer"),
	PART("read_max_ns", find_read, LENGTH(max_ns), "the longest"),
	PART("retries_total", find_retries, 0, "odd waits, changed and off-CPU retries"),
	PART("retries_per_million", find_per_million, 0, "the same per million reads"),
	PART("retries_odd_wait", find_retry, COUNT(odd_waits), "attempts that found the sequence odd"),
	PART("retries_spins", find_retry, COUNT(spins), "pauses in them"),
	PART("retries_changed", find_retry, COUNT(changed), "attempts thrown away while the reader was running"),
	PART("retries_off_cpu", find_off_cpu, COUNT(off_cpu), "attempts thrown away while it was not"),
	PART("retries_longest_run", find_retry, COUNT(longest_run), "most retries of one read"),
	PART("caught", find_retry, COUNT(caught), "attempts thrown away that were mixtures"),
	PART("lost_unjudged", find_retry, COUNT(lost_unjudged), "attempts thrown away that the oracle did not see"),
	PART("checked", find_count, COUNT(checked), "reads that the oracle judged, warm-up included"),
	PART("unchecked", find_count, COUNT(unchecked), "reads whose update the oracle had forgotten"),
	PART("fallbacks", find_count, COUNT(fallbacks), "system calls instead of reads"),
	PART("off_cpu_gaps", find_count, COUNT(off_cpu_gaps), "reads not timed, since the reader was descheduled"),
	PART("sequence_changed", find_seen, COUNT(sequence_changed), "an image's reads during which the sequence changed"),
	PART("began_odd", find_seen, COUNT(began_odd), "an image's reads that began while it was odd"),
	PART("fairness_ratio", find_fairness, 0, "reads of the slowest reader to those of the fastest, 0 to 1"),
	PART("cpu_share", find_of_readers, READERS(cpu_share), "of their CPUs that the readers got, 0 to 1"),
	PART("work_ns", find_work, READERS(work_ns), "of a piece of work between two reads"),
	WHOLE("updates", find_of_writer, WRITER(updates), "made by the writer while measured"),
	WHOLE("rate_hz", find_rate, 0, "updates per second"),
	WHOLE("missed_ticks", find_of_writer, WRITER(missed_ticks), "deadlines without an update of their own"),
	WHOLE("stalls", find_of_writer, WRITER(stalls), "updates within which the writer was stopped"),
	WHOLE("hold_p50_ns", find_hold, LENGTH(p50_ns), "how long an update kept the sequence odd; half no longer"),
	WHOLE("hold_p99_ns", find_hold, LENGTH(p99_ns), "99 % no longer"),
	WHOLE("hold_max_ns", find_hold, LENGTH(max_ns), "the longest"),
	WHOLE("late_p50_ns", find_late, LENGTH(p50_ns), "how long after its deadline an update began; half no longer"),
	WHOLE("late_p99_ns", find_late, LENGTH(p99_ns), "99 % no longer"),
	WHOLE("late_max_ns", find_late, LENGTH(max_ns), "the longest"),
	WHOLE("forbidden_jumps", find_jumps, 0, "updates that made the clock jump though nobody may"),
	WHOLE("seconds", find_of_run, RUN(seconds), "measured, warm-up left out"),
	WHOLE("first_read_ns", find_of_run, RUN(first_read_ns), "from the call until the first reader could read"),
	{.name = NULL},
};
/* clang-format on */

static const char *const relations[] = {
	[EXPECT_EQUAL] = "=", [EXPECT_LESS] = "<",	     [EXPECT_LESS_OR_EQUAL] = "<=",
	[EXPECT_MORE] = ">",  [EXPECT_MORE_OR_EQUAL] = ">=",
};

const char *expect_relation_name(enum expect_relation relation)
{
	return relations[relation];
}

/* Three words, of which the first is the longest and may hold blanks. */
struct words {
	char name[EXPECT_MAX_TEXT];
	char relation[8];
	char number[EXPECT_MAX_TEXT];
};

static int not_a_condition(const char *text, struct errmsg *err)
{
	return errmsg_set(err,
			  "%s is no condition: it is FIGURE or GROUP.FIGURE, one of = < <= > >=, "
			  "and a number",
			  value_quote(text).text);
}

/* At the last relation, for a group may be called anything. */
static int split(const char *text, struct words *words, struct errmsg *err)
{
	static const char signs[] = "=<>!";
	const char *end = text + strlen(text), *begin;
	size_t length;

	while (end > text && !strchr(signs, end[-1]))
		end--;
	begin = end;
	while (begin > text && strchr(signs, begin[-1]))
		begin--;
	if (begin == end || (size_t)(end - begin) >= sizeof(words->relation) ||
	    strlen(text) >= EXPECT_MAX_TEXT)
		return not_a_condition(text, err);
	snprintf(words->relation, sizeof(words->relation), "%.*s", (int)(end - begin), begin);
	snprintf(words->number, sizeof(words->number), "%s", end + strspn(end, " \t"));
	length = (size_t)(begin - text);
	while (length && strchr(" \t", text[length - 1]))
		length--;
	snprintf(words->name, sizeof(words->name), "%.*s", (int)length, text);
	return *words->name && *words->number ? 0 : not_a_condition(text, err);
}

static int take_relation(const char *text, struct expect_condition *condition, struct errmsg *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(relations); i++)
		if (strcmp(relations[i], text) == 0) {
			condition->relation = (enum expect_relation)i;
			return 0;
		}
	return errmsg_set(err, "'%s' is none of = < <= > >=", text);
}

static int take_number(const char *text, struct expect_condition *condition, struct errmsg *err)
{
	char *end;

	condition->value = strtod(text, &end);
	if (strspn(text, "0123456789.e+-") == strlen(text) && strchr("0123456789.", *text) &&
	    end != text && !*end && condition->value <= MOST_NUMBER)
		return 0;
	return errmsg_set(err, "%s is no number from 0 to %.0f", value_quote(text).text,
			  MOST_NUMBER);
}

static int take_figure(const char *name, struct expect_condition *condition, struct errmsg *err)
{
	const struct expect_figure *figure = expect_figures;

	while (figure->name && strcmp(figure->name, name) != 0)
		figure++;
	if (!figure->name)
		return errmsg_set(err, "there is no figure %s: contend list figures tells which",
				  value_quote(name).text);
	if (*condition->group && !figure->of_groups)
		return errmsg_set(err, "%s is no group's, but the run's: write %s alone", name,
				  name);
	condition->figure = figure;
	return 0;
}

static int take_group(const char *name, size_t length, const struct run_config *config,
		      struct expect_condition *condition, struct errmsg *err)
{
	char known[200] = "";
	size_t used = 0;

	for (u32 i = 0; i < config->groups; i++) {
		const char *group = config->group[i].name;

		if (strlen(group) == length && strncmp(group, name, length) == 0) {
			strcpy(condition->group, group);
			return 0;
		}
		if (used < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? ", " : "", group);
	}
	return errmsg_set(err, "there is no group '%.*s': there %s %s", (int)length, name,
			  config->groups == 1 ? "is" : "are", known);
}

int expect_add(struct expect *expect, const char *text, const struct run_config *config,
	       struct errmsg *err)
{
	struct expect_condition *condition = &expect->condition[expect->count];
	struct words words;
	const char *dot;

	if (expect->count == EXPECT_MAX)
		return errmsg_set(err, "there can be no more than %d conditions", EXPECT_MAX);
	*condition = (struct expect_condition){.figure = NULL};
	if (split(text, &words, err))
		return -1;
	dot = strrchr(words.name, '.');
	if (dot && take_group(words.name, (size_t)(dot - words.name), config, condition, err))
		return -1;
	if (take_figure(dot ? dot + 1 : words.name, condition, err) ||
	    take_relation(words.relation, condition, err) ||
	    take_number(words.number, condition, err))
		return -1;
	expect->count++;
	return 0;
}

static bool holds(double found, enum expect_relation relation, double value)
{
	switch (relation) {
	case EXPECT_LESS:
		return found < value;
	case EXPECT_LESS_OR_EQUAL:
		return found <= value;
	case EXPECT_MORE:
		return found > value;
	case EXPECT_MORE_OR_EQUAL:
		return found >= value;
	case EXPECT_EQUAL:
		break;
	}
	return fabs(found - value) <= 0;
}

static struct report_part part_of(const struct expect_condition *condition,
				  const struct run_config *config, const struct run_result *result)
{
	for (u32 i = 0; *condition->group && i < config->groups; i++)
		if (strcmp(config->group[i].name, condition->group) == 0)
			return report_part_group(config, result, i);
	return report_part_all(config, result);
}

struct expect_finding expect_find(const struct expect_condition *condition,
				  const struct run_config *config, const struct run_result *result)
{
	const struct report_part part = part_of(condition, config, result);
	struct expect_finding finding = {.held = false};

	finding.unavailable =
		condition->figure->find(&part, condition->figure->offset, &finding.found);
	if (!finding.unavailable)
		finding.held = holds(finding.found, condition->relation, condition->value);
	return finding;
}

struct expect_text expect_text(const struct expect_condition *condition)
{
	struct expect_text text;

	snprintf(text.text, sizeof(text.text), "%s%s%s %s %.15g", condition->group,
		 *condition->group ? "." : "", condition->figure->name,
		 expect_relation_name(condition->relation), condition->value);
	return text;
}

enum status expect_status(const struct expect *expect, const struct run_config *config,
			  const struct run_result *result)
{
	const enum status status = report_status(result);

	for (size_t i = 0; i < expect->count && status == STATUS_WELL; i++)
		if (!expect_find(&expect->condition[i], config, result).held)
			return STATUS_WRONG;
	return status;
}
