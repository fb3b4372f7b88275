// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff_conditions.h"

#define MAX_PATH 200

/* One is more than so many times as long as the other. */
#define LENGTHS 2

/* A row under way. */
struct check {
	const struct diff_condition *conditions;
	const struct diff_condition *now;
	const char *prefix; /* of the paths of differences */
	struct diff_differences *differences;
};

static bool is_much_longer(const json_t *one, const json_t *other)
{
	return json_number_value(one) > LENGTHS * json_number_value(other);
}

/* 0.1.0 and 0.2.0 differ in what matters, 1.1.0 and 1.2.0 do not. */
static bool is_other_version(const char *one, const char *other)
{
	size_t length = strcspn(one, ".");

	if (length == 1 && *one == '0' && one[length])
		length += 1 + strcspn(one + length + 1, ".");
	return strncmp(one, other, length) != 0 || (other[length] && other[length] != '.');
}

static bool refuses(enum diff_weight weight, const json_t *old_value, const json_t *new_value)
{
	const char *old_text = json_string_value(old_value);
	const char *new_text = json_string_value(new_value);

	switch (weight) {
	case DIFF_TOLD:
		return false;
	case DIFF_LENGTH:
		return is_much_longer(old_value, new_value) || is_much_longer(new_value, old_value);
	case DIFF_VERSION:
		return !old_text || !new_text || is_other_version(old_text, new_text);
	case DIFF_REFUSES:
		break;
	}
	return true;
}

int diff_conditions_add(struct diff_differences *differences, const char *path,
			const json_t *old_value, const json_t *new_value, bool is_refused)
{
	const size_t size = (differences->count + 1) * sizeof(*differences->list);
	struct diff_difference *list = realloc(differences->list, size);
	char *copy = strdup(path);

	if (list)
		differences->list = list;
	if (!list || !copy) {
		free(copy);
		return -1;
	}
	list[differences->count++] =
		(struct diff_difference){copy, old_value, new_value, is_refused};
	return 0;
}

static int add(const struct check *check, const char *path, const json_t *old_value,
	       const json_t *new_value)
{
	char whole[2 * MAX_PATH];

	snprintf(whole, sizeof(whole), "%s%s%s", check->prefix, *check->prefix && *path ? "." : "",
		 path);
	return diff_conditions_add(check->differences, whole, old_value, new_value,
				   refuses(check->now->weight, old_value, new_value));
}

static bool has_row_of_its_own(const struct check *check, const char *path)
{
	for (const struct diff_condition *row = check->conditions; row->path; row++)
		if (row != check->now && strcmp(row->path, path) == 0)
			return true;
	return false;
}

static bool holds_parts(const json_t *array)
{
	const json_t *first = json_array_get(array, 0);

	return json_is_object(first) || json_is_array(first);
}

static int compare(const struct check *check, const char *path, const json_t *old_value,
		   const json_t *new_value);

static int compare_member(const struct check *check, const char *path, const char *name,
			  const json_t *old_value, const json_t *new_value)
{
	char longer[MAX_PATH];

	snprintf(longer, sizeof(longer), "%s%s%s", path, *path ? "." : "", name);
	return compare(check, longer, old_value, new_value);
}

static int compare_objects(const struct check *check, const char *path, const json_t *old_value,
			   const json_t *new_value)
{
	const char *name;
	json_t *member;
	int failed = 0;

	json_object_foreach((json_t *)(uintptr_t)new_value, name, member) if (!failed) failed =
		compare_member(check, path, name, json_object_get(old_value, name), member);
	return failed;
}

/* Of a list in which one has more, the older version did tell all it had. */
static int compare_arrays(const struct check *check, const char *path, const json_t *old_value,
			  const json_t *new_value)
{
	const size_t old_size = json_array_size(old_value), new_size = json_array_size(new_value);
	int failed = 0;

	if (!holds_parts(old_value) && !holds_parts(new_value))
		return add(check, path, old_value, new_value);
	if (old_size != new_size)
		failed = add(check, path, old_value, new_value);
	for (size_t i = 0; i < old_size && i < new_size && !failed; i++) {
		char number[24];

		snprintf(number, sizeof(number), "%zu", i);
		failed = compare_member(check, path, number, json_array_get(old_value, i),
					json_array_get(new_value, i));
	}
	return failed;
}

static int compare(const struct check *check, const char *path, const json_t *old_value,
		   const json_t *new_value)
{
	if (!old_value || !new_value || json_equal(old_value, new_value) ||
	    has_row_of_its_own(check, path))
		return 0;
	if (json_is_object(old_value) && json_is_object(new_value))
		return compare_objects(check, path, old_value, new_value);
	if (json_is_array(old_value) && json_is_array(new_value))
		return compare_arrays(check, path, old_value, new_value);
	return add(check, path, old_value, new_value);
}

int diff_conditions_check(const struct diff_condition *conditions, const char *path,
			  const json_t *old_value, const json_t *new_value,
			  struct diff_differences *differences)
{
	for (const struct diff_condition *row = conditions; row->path; row++) {
		const struct check check = {conditions, row, path, differences};

		if (compare(&check, row->path, value_at(old_value, row->path),
			    value_at(new_value, row->path)))
			return -1;
	}
	return 0;
}

void diff_conditions_release(struct diff_differences *differences)
{
	for (size_t i = 0; i < differences->count; i++)
		free(differences->list[i].path);
	free(differences->list);
	*differences = (struct diff_differences){.list = NULL};
}
