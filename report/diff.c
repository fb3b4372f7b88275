// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff.h"
#include "report/diff_value.h"
#include "sim/types.h"

#define MAX_LABEL 256

static const struct diff_kind *const kinds[RESULT_KINDS] = {
	[RESULT_RUN] = &diff_run,
	[RESULT_COMPARE] = &diff_compare,
	[RESULT_SWEEP] = &diff_sweep,
	[RESULT_OBSERVE] = &diff_observe,
	[RESULT_CALIBRATE] = &diff_calibrate,
	[RESULT_INSPECT] = &diff_inspect,
	[RESULT_PROVE] = &diff_prove,
	[RESULT_VERIFY] = &diff_verify,
	[RESULT_SETTLE] = &diff_settle,
};

/* An element of both, or of one: the other is NULL then. */
struct pair {
	const json_t *old_part;
	const json_t *new_part;
	const char *label;
	const char *path;
};

const char *diff_judgement_name(enum diff_judgement judgement)
{
	static const char *const names[] = {
		[DIFF_SAME] = "same",	    [DIFF_BETTER] = "better",	   [DIFF_WORSE] = "worse",
		[DIFF_CHANGED] = "changed", [DIFF_NOISE] = "within noise", [DIFF_UNKNOWN] = "n/a",
	};

	return names[judgement];
}

static const struct diff_rank *find_rank(const struct diff_rank *ranks, const char *word)
{
	for (; ranks && ranks->word; ranks++)
		if (strcmp(ranks->word, word) == 0)
			return ranks;
	return NULL;
}

static void judge_words(const struct diff *diff, struct diff_finding *finding)
{
	const char *old_word = diff_word_of(finding->old_value);
	const char *new_word = diff_word_of(finding->new_value);
	const struct diff_rank *old_rank, *new_rank;

	if (!finding->old_value || !finding->new_value)
		return;
	finding->judgement =
		json_equal(finding->old_value, finding->new_value) ? DIFF_SAME : DIFF_CHANGED;
	if (finding->judgement == DIFF_SAME || !old_word || !new_word)
		return;
	old_rank = find_rank(finding->figure->ranks, old_word);
	new_rank = find_rank(finding->figure->ranks, new_word);
	if (!old_rank || !new_rank || old_rank->rank == new_rank->rank)
		return;
	finding->judgement = new_rank->rank > old_rank->rank ? DIFF_WORSE : DIFF_BETTER;
	finding->fails = finding->judgement == DIFF_WORSE &&
			 (new_rank->fails || diff->fail_above_percent >= 0);
}

static void judge_fault(struct diff_finding *finding)
{
	const double change = finding->change.change;

	finding->judgement = change > 0 ? DIFF_WORSE : change < 0 ? DIFF_BETTER : DIFF_SAME;
	finding->fails = change > 0;
}

static void judge_number(const struct diff *diff, struct diff_finding *finding)
{
	const struct diff_change *change = &finding->change;
	const enum diff_worse worse = finding->figure->worse;
	const double got_worse = diff_change_worse(change, worse);

	if (change->change <= 0 && change->change >= 0) {
		finding->judgement = DIFF_SAME;
	} else if (!change->has_interval) {
		finding->why = "it has no interval";
	} else if (change->low <= 0 && change->high >= 0) {
		finding->judgement = DIFF_NOISE;
	} else if (worse == DIFF_NEITHER) {
		finding->judgement = DIFF_CHANGED;
	} else {
		finding->judgement = got_worse > 0 ? DIFF_WORSE : DIFF_BETTER;
	}
	finding->fails = finding->judgement == DIFF_WORSE && diff->fail_above_percent >= 0 &&
			 got_worse > diff->fail_above_percent;
}

static const char *why_unknown(const struct diff_finding *finding)
{
	if (!finding->old_value)
		return "not in OLD";
	if (!finding->new_value)
		return "not in NEW";
	return json_is_null(finding->old_value) ? "n/a in OLD" : "n/a in NEW";
}

static void judge(const struct diff *diff, struct diff_finding *finding)
{
	const bool is_word = finding->figure->scale == DIFF_WORD;

	finding->judgement = DIFF_UNKNOWN;
	finding->why = why_unknown(finding);
	if (is_word)
		judge_words(diff, finding);
	else if (finding->change.known && finding->figure->scale == DIFF_FAULT)
		judge_fault(finding);
	else if (finding->change.known)
		judge_number(diff, finding);
	if (finding->judgement != DIFF_UNKNOWN)
		finding->why = NULL;
}

static struct diff_estimate estimate(const json_t *root, const json_t *part,
				     const struct diff_figure *figure)
{
	const struct diff_source source = {root, part};
	struct diff_estimate result = {.at = NUMBER_ABSENT};

	if (part && figure->scale != DIFF_WORD)
		figure->take(&source, figure, &result);
	return result;
}

static struct diff_finding find(const struct diff *diff, const struct pair *pair,
				const struct diff_figure *figure)
{
	struct diff_finding finding = {
		.figure = figure,
		.old_value = value_at(pair->old_part, figure->path),
		.new_value = value_at(pair->new_part, figure->path),
		.old_one = estimate(diff->old_file->root, pair->old_part, figure),
		.new_one = estimate(diff->new_file->root, pair->new_part, figure),
	};

	finding.change = diff_change_of(figure->scale, &finding.old_one, &finding.new_one);
	judge(diff, &finding);
	return finding;
}

static bool is_told(const json_t *value)
{
	return value && !json_is_null(value);
}

static char *join(const char *path, const char *name)
{
	char *joined;

	return asprintf(&joined, "%s%s%s", path, *path && *name ? "." : "", name) < 0 ? NULL
										      : joined;
}

static int add_finding(struct diff *diff, const struct pair *pair, const struct diff_figure *figure)
{
	const size_t size = (diff->findings + 1) * sizeof(*diff->finding);
	struct diff_finding finding = find(diff, pair, figure);
	struct diff_finding *list;

	if (!is_told(finding.old_value) && !is_told(finding.new_value))
		return 0;
	list = realloc(diff->finding, size);
	if (!list)
		return -1;
	diff->finding = list;
	finding.of = strdup(pair->label);
	finding.path = join(pair->path, figure->path);
	list[diff->findings++] = finding;
	return finding.of && finding.path ? 0 : -1;
}

static int add_lone(struct diff *diff, const struct pair *pair, bool fails)
{
	const size_t size = (diff->lones + 1) * sizeof(*diff->lone);
	struct diff_lone *list = realloc(diff->lone, size);

	if (!list)
		return -1;
	diff->lone = list;
	list[diff->lones++] = (struct diff_lone){
		.what = strdup(pair->label),
		.is_new = !pair->old_part,
		.fails = fails && !pair->old_part,
	};
	return list[diff->lones - 1].what ? 0 : -1;
}

static bool is_same_element(const struct diff_part *part, const json_t *one, const json_t *other)
{
	for (size_t i = 0; i < DIFF_MAX_KEYS && part->key[i].path; i++) {
		const json_t *mine = value_at(one, part->key[i].path);
		const json_t *others = value_at(other, part->key[i].path);

		if (mine != others && !json_equal(mine, others))
			return false;
	}
	return true;
}

/* Which of those that have the same keys an element is: there may be a reader twice. */
static size_t place_among_same(const struct diff_part *part, const json_t *list, size_t at)
{
	size_t place = 0;

	for (size_t i = 0; i < at; i++)
		place += is_same_element(part, json_array_get(list, i), json_array_get(list, at));
	return place;
}

/* The element of `list` that is what another list has at `at`; NULL: there is none. */
static const json_t *find_element(const struct diff_part *part, const json_t *list,
				  const json_t *other, size_t at)
{
	size_t place = place_among_same(part, other, at);

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *element = json_array_get(list, i);

		if (is_same_element(part, element, json_array_get(other, at)) && !place--)
			return element;
	}
	return NULL;
}

static void label_element(const struct diff_part *part, const char *of, const json_t *element,
			  char label[MAX_LABEL])
{
	size_t used = (size_t)snprintf(label, MAX_LABEL, "%s%s%s", of, *of ? ", " : "", part->noun);

	for (size_t i = 0; i < DIFF_MAX_KEYS && part->key[i].path && used < MAX_LABEL; i++)
		used += (size_t)snprintf(label + used, MAX_LABEL - used, " %s%s",
					 diff_words_of(value_at(element, part->key[i].path)).text,
					 part->key[i].after ? part->key[i].after : "");
}

static int diff_parts(struct diff *diff, const struct diff_part *parts, const struct pair *whole);

static int diff_pair(struct diff *diff, const struct diff_part *part, const struct pair *pair)
{
	int failed = 0;

	if (!pair->old_part || !pair->new_part)
		return add_lone(diff, pair, part->new_fails);
	if (part->conditions)
		failed = diff_conditions_check(part->conditions, pair->path, pair->old_part,
					       pair->new_part, &diff->differences);
	for (const struct diff_figure *figure = part->figures; figure && figure->name && !failed;
	     figure++)
		failed = add_finding(diff, pair, figure);
	return failed || !part->parts ? failed : diff_parts(diff, part->parts, pair);
}

/* The elements of one list, each with what it is in the other. `only_lone`: only those that it has
 * not. */
static int diff_elements(struct diff *diff, const struct diff_part *part, const struct pair *whole,
			 const json_t *list, const json_t *other, bool only_lone)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *element = json_array_get(list, i);
		const json_t *same = find_element(part, other, list, i);
		char label[MAX_LABEL], path[MAX_LABEL];
		const struct pair pair = {only_lone ? element : same, only_lone ? same : element,
					  label, path};

		if (only_lone && same)
			continue;
		label_element(part, whole->label, element, label);
		snprintf(path, sizeof(path), "%s%s%s.%zu", whole->path, *whole->path ? "." : "",
			 part->list, i);
		if (diff_pair(diff, part, &pair))
			return -1;
	}
	return 0;
}

/* What stands alone in a list's place. */
static int diff_object(struct diff *diff, const struct diff_part *part, const struct pair *whole,
		       const json_t *old_part, const json_t *new_part)
{
	char label[MAX_LABEL], path[MAX_LABEL];
	const struct pair pair = {old_part, new_part, label, path};

	label_element(part, whole->label, new_part, label);
	snprintf(path, sizeof(path), "%s%s%s", whole->path, *whole->path ? "." : "", part->list);
	return diff_pair(diff, part, &pair);
}

static int diff_list(struct diff *diff, const struct diff_part *part, const struct pair *whole)
{
	const json_t *old_list = value_at(whole->old_part, part->list);
	const json_t *new_list = value_at(whole->new_part, part->list);

	if (json_is_object(old_list) && json_is_object(new_list))
		return diff_object(diff, part, whole, old_list, new_list);
	/* What an older version did not tell is no news. */
	if (!json_is_array(old_list) || !json_is_array(new_list) ||
	    (json_array_size(old_list) < part->least && json_array_size(new_list) < part->least))
		return 0;
	return diff_elements(diff, part, whole, new_list, old_list, false) ||
			       diff_elements(diff, part, whole, old_list, new_list, true)
		       ? -1
		       : 0;
}

static int diff_parts(struct diff *diff, const struct diff_part *parts, const struct pair *whole)
{
	int failed = 0;

	for (const struct diff_part *part = parts; part->list && !failed; part++)
		failed = *part->list ? diff_list(diff, part, whole) : diff_pair(diff, part, whole);
	return failed;
}

static bool is_interrupted(const json_t *root)
{
	const char *outcome = text_at(root, "outcome");
	const json_t *complete = value_at(root, "complete");

	return outcome ? strcmp(outcome, "interrupted") == 0 : json_is_false(complete);
}

/* What was cut short says nothing of what it would have come to. */
static int check_ends(struct diff *diff)
{
	const json_t *old_root = diff->old_file->root, *new_root = diff->new_file->root;

	if (!is_interrupted(old_root) && !is_interrupted(new_root))
		return 0;
	return diff_conditions_add(&diff->differences, "complete",
				   json_object_get(old_root, "complete"),
				   json_object_get(new_root, "complete"), true);
}

int diff_make(const struct result_file *old_file, const struct result_file *new_file,
	      double fail_above_percent, struct diff *diff, struct errmsg *err)
{
	const struct diff_kind *kind = kinds[new_file->kind];
	const struct pair whole = {old_file->root, new_file->root, "", ""};

	*diff = (struct diff){
		.old_file = old_file,
		.new_file = new_file,
		.fail_above_percent = fail_above_percent,
		.remark = kind->remark,
	};
	if (old_file->kind != new_file->kind)
		return errmsg_set(err,
				  "%.160s is of contend %s, %.160s of contend %s: a difference "
				  "is between two of the same",
				  old_file->path, result_kind_name(old_file->kind), new_file->path,
				  result_kind_name(new_file->kind));
	if (diff_conditions_check(kind->conditions, "", old_file->root, new_file->root,
				  &diff->differences) ||
	    check_ends(diff) || diff_parts(diff, kind->parts, &whole))
		return errmsg_set(err, "no memory for the difference");
	return 0;
}

void diff_release(struct diff *diff)
{
	for (size_t i = 0; i < diff->findings; i++) {
		free(diff->finding[i].of);
		free(diff->finding[i].path);
	}
	for (size_t i = 0; i < diff->lones; i++)
		free(diff->lone[i].what);
	free(diff->finding);
	free(diff->lone);
	diff_conditions_release(&diff->differences);
	*diff = (struct diff){.finding = NULL};
}

size_t diff_refusals(const struct diff *diff)
{
	size_t refusals = 0;

	for (size_t i = 0; i < diff->differences.count; i++)
		refusals += diff->differences.list[i].refuses;
	return refusals;
}

enum status diff_status(const struct diff *diff)
{
	for (size_t i = 0; i < diff->findings; i++)
		if (diff->finding[i].fails)
			return STATUS_WRONG;
	for (size_t i = 0; i < diff->lones; i++)
		if (diff->lone[i].fails)
			return STATUS_WRONG;
	return STATUS_WELL;
}
