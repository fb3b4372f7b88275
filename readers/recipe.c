// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "readers/recipe.h"

static bool begins_with(const char *text, const char *key)
{
	return strncmp(text, key, strlen(key)) == 0;
}

static bool is_key(const char *text)
{
	return begins_with(text, "cc=") || begins_with(text, "cflags=") ||
	       begins_with(text, "define=");
}

/* So that a mistyped key is not taken for a part of what stands before it. */
static bool looks_like_key(const char *text)
{
	const char *word = text;

	while (islower((unsigned char)*word))
		word++;
	return word > text && *word == '=';
}

/*
 * A file's name may have an @, and so may a flag: the first one that a key follows, or else the
 * last that something like a key does.
 */
static const char *find_recipe(const char *spec)
{
	const char *found = NULL;

	for (const char *at = strchr(spec, '@'); at; at = strchr(at + 1, '@')) {
		if (is_key(at + 1))
			return at;
		if (looks_like_key(at + 1))
			found = at;
	}
	return found;
}

/*
 * The comma that ends a value. Macros have parameters: none between parentheses does. Flags have
 * commas of their own, as in -Wl,-z: only one that a key follows does.
 */
static char *find_end(char *value, bool is_flags)
{
	int depth = 0;

	for (char *c = value; *c; c++) {
		depth += (*c == '(') - (*c == ')');
		if (*c == ',' && depth <= 0 && (!is_flags || looks_like_key(c + 1)))
			return c;
	}
	return NULL;
}

static int take_once(const char **where, const char *key, const char *value, struct errmsg *err)
{
	if (*where)
		return errmsg_set(err, "@%s= stands twice", key);
	*where = value;
	return 0;
}

static bool is_name(const char *name, size_t length, const char *what)
{
	return length == strlen(what) && memcmp(name, what, length) == 0;
}

/* What is compiled is told by name; a definition of these would make something else of it. */
static int take_define(struct recipe *recipe, const char *value, struct errmsg *err)
{
	size_t length = 0;

	while (isalnum((unsigned char)value[length]) || value[length] == '_')
		length++;
	if (!length || isdigit((unsigned char)*value) || !strchr("=(", value[length]))
		return errmsg_set(err, "@define=%.60s: NAME or NAME=VALUE is wanted", value);
	if (is_name(value, length, "READER_NAME") || is_name(value, length, "READER_COUNTED"))
		return errmsg_set(err, "@define=%.60s: that is defined by contend", value);
	if (recipe->defines == RECIPE_MAX_DEFINES)
		return errmsg_set(err, "@define: more than %d", RECIPE_MAX_DEFINES);
	recipe->define[recipe->defines++] = value;
	return 0;
}

static int take_pair(struct recipe *recipe, const char *pair, const char *value, struct errmsg *err)
{
	if (!*value)
		return errmsg_set(err, "@%.60s has no value", pair);
	if (begins_with(pair, "cc="))
		return take_once(&recipe->cc, "cc", value, err);
	if (begins_with(pair, "cflags="))
		return take_once(&recipe->cflags, "cflags", value, err);
	return take_define(recipe, value, err);
}

bool recipe_stands_in(const char *spec)
{
	return find_recipe(spec) != NULL;
}

int recipe_cut(char *spec, struct recipe *recipe, struct errmsg *err)
{
	const char *found = find_recipe(spec);
	char *at = found ? spec + (found - spec) : NULL;
	char *rest;

	*recipe = (struct recipe){.given = at != NULL};
	if (!at)
		return 0;
	*at = '\0';
	if (strlen(at + 1) >= sizeof(recipe->store))
		return errmsg_set(err, "@%.40s...: longer than %d characters", at + 1,
				  RECIPE_MAX_TEXT - 1);
	strcpy(recipe->store, at + 1);
	rest = recipe->store;
	while (rest) {
		char *pair = rest;
		char *value = strchr(pair, '=');

		if (!is_key(pair))
			return errmsg_set(err,
					  "@%.60s: there is no such key: cc=, cflags=, define= are "
					  "wanted",
					  pair);
		rest = find_end(++value, begins_with(pair, "cflags="));
		if (rest)
			*rest++ = '\0';
		if (take_pair(recipe, pair, value, err))
			return -1;
	}
	return 0;
}
