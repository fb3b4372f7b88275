// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "report/json_path.h"

/* Longer than any name in a result. */
#define MAX_NAME 64

static const json_t *element_at(const json_t *array, const char *name)
{
	const size_t digits = strspn(name, "0123456789");

	if (!*name || name[digits])
		return NULL;
	return json_array_get(array, strtoul(name, NULL, 10));
}

const json_t *value_at(const json_t *root, const char *path)
{
	char name[MAX_NAME];

	while (root && *path) {
		const size_t length = strcspn(path, ".");

		if (length >= sizeof(name))
			return NULL;
		memcpy(name, path, length);
		name[length] = '\0';
		path += length + (path[length] == '.');
		root = json_is_array(root) ? element_at(root, name) : json_object_get(root, name);
	}
	return root;
}

enum number_at number_at(const json_t *root, const char *path, double *value)
{
	const json_t *found = value_at(root, path);

	if (json_is_null(found))
		return NUMBER_NULL;
	if (!json_is_number(found))
		return NUMBER_ABSENT;
	*value = json_number_value(found);
	return NUMBER_THERE;
}

const char *text_at(const json_t *root, const char *path)
{
	return json_string_value(value_at(root, path));
}

bool true_at(const json_t *root, const char *path)
{
	return json_is_true(value_at(root, path));
}
