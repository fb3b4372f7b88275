// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "readers/recipe.h"

/* The last @ that a key follows; a file's name may have others. */
static char *find_recipe(char *spec)
{
	for (char *at = strrchr(spec, '@'); at; at = NULL) {
		const char *word = at + 1;

		while (islower((unsigned char)*word))
			word++;
		if (word > at + 1 && *word == '=')
			return at;
	}
	return NULL;
}

static bool begins_with(const char *text, const char *key)
{
	return strncmp(text, key, strlen(key)) == 0;
}

static bool is_key(const char *text)
{
	return begins_with(text, "cc=") || begins_with(text, "cflags=") ||
	       begins_with(text, "define=");
}

/* Flags have commas of their own, as in -Wl,-z: what follows one and begins like a flag is theirs.
 */
static bool is_of_flags(const char *rest)
{
	return !is_key(rest) && (*rest == '-' || !strchr(rest, '='));
}

/* The comma that ends a value. Macros have parameters: none between parentheses does. */
static char *find_end(char *value, bool is_flags)
{
	int depth = 0;

	for (char *c = value; *c; c++) {
		depth += (*c == '(') - (*c == ')');
		if (*c == ',' && depth <= 0 && !(is_flags && is_of_flags(c + 1)))
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

/* What is compiled is told by name; a definition of these would make something else of it. */
static int take_define(struct recipe *recipe, const char *value, struct errmsg *err)
{
	if (!isalpha((unsigned char)*value) && *value != '_')
		return errmsg_set(err, "@define=%.60s: NAME or NAME=VALUE is wanted", value);
	if (begins_with(value, "READER_NAME") || begins_with(value, "READER_COUNTED"))
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

int recipe_cut(char *spec, struct recipe *recipe, struct errmsg *err)
{
	char *at = find_recipe(spec);
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
