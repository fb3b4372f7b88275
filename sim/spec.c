// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/spec.h"

const char *spec_given(const struct spec *spec, const char *key)
{
	for (int i = 0; i < spec->pairs; i++)
		if (strcmp(spec->pair[i].key, key) == 0)
			return spec->pair[i].value;
	return NULL;
}

static int parse_pair(char *pair, const char *text, struct spec *spec, struct errmsg *err)
{
	char *equals = strchr(pair, '=');

	if (!equals || equals == pair || !equals[1])
		return errmsg_set(err, "'%s': '%s' is not key=value", text, pair);
	*equals = '\0';
	if (spec_given(spec, pair))
		return errmsg_set(err, "'%s': key '%s' stands twice", text, pair);
	if (spec->pairs == SPEC_MAX_PAIRS)
		return errmsg_set(err, "'%s': more than %d keys", text, SPEC_MAX_PAIRS);
	spec->pair[spec->pairs].key = pair;
	spec->pair[spec->pairs].value = equals + 1;
	spec->pairs++;
	return 0;
}

int spec_parse(const char *text, struct spec *spec, struct errmsg *err)
{
	char *rest;

	spec->pairs = 0;
	if (strlen(text) >= sizeof(spec->store))
		return errmsg_set(err, "'%.40s...' is longer than %d characters", text,
				  SPEC_MAX_TEXT - 1);
	strcpy(spec->store, text);
	rest = strchr(spec->store, ':');
	if (rest)
		*rest++ = '\0';
	spec->name = spec->store;
	if (!*spec->name)
		return errmsg_set(err, "'%s' has no name: name[:key=value,...] is wanted", text);
	while (rest) {
		char *pair = rest;

		rest = strchr(pair, ',');
		if (rest)
			*rest++ = '\0';
		if (parse_pair(pair, text, spec, err))
			return -1;
	}
	return 0;
}

const char *spec_find_keys(const char *text)
{
	const char *colon = strrchr(text, ':');
	const char *word = colon ? colon + 1 : "";

	while (islower((unsigned char)*word) || *word == '_')
		word++;
	return colon && word > colon + 1 && *word == '=' ? colon : text + strlen(text);
}

int spec_parse_keys(const char *name, const char *keys, struct spec *spec, struct errmsg *err)
{
	const size_t most = SPEC_MAX_TEXT - 1 - strlen(name);
	char text[SPEC_MAX_TEXT];

	if (strlen(keys) > most)
		return errmsg_set(err, "the keys of %s: are longer than %zu characters", name,
				  most);
	snprintf(text, sizeof(text), "%s%s", name, keys);
	return spec_parse(text, spec, err);
}

int spec_is_choice(const char *value, const char *choices)
{
	size_t length = strlen(value);

	for (const char *choice = choices; choice; choice = strchr(choice, '|')) {
		if (*choice == '|')
			choice++;
		if (strcspn(choice, "|") == length && memcmp(choice, value, length) == 0)
			return 1;
	}
	return 0;
}

static const struct spec_key *find_key(const struct spec_key *keys, const char *name)
{
	for (; keys->name; keys++)
		if (strcmp(keys->name, name) == 0)
			return keys;
	return NULL;
}

static int unknown_key(const struct spec *spec, const struct spec_key *keys, const char *what,
		       const char *name, struct errmsg *err)
{
	char known[256] = "";
	size_t used = 0;

	if (!keys->name)
		return errmsg_set(err, "%s '%s' has no key '%s': it has none", what, spec->name,
				  name);
	for (; keys->name && used < sizeof(known); keys++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
					 used ? ", " : "", keys->name);
	return errmsg_set(err, "%s '%s' has no key '%s': it has %s", what, spec->name, name, known);
}

int spec_check(const struct spec *spec, const struct spec_key *keys, const char *what,
	       struct errmsg *err)
{
	for (int i = 0; i < spec->pairs; i++) {
		const char *value = spec->pair[i].value;
		const struct spec_key *key = find_key(keys, spec->pair[i].key);

		if (!key)
			return unknown_key(spec, keys, what, spec->pair[i].key, err);
		if (key->choices && !spec_is_choice(value, key->choices))
			return errmsg_set(err, "%s '%s': %s=%s is not one of %s", what, spec->name,
					  key->name, value, key->choices);
	}
	return 0;
}

const char *spec_value(const struct spec *spec, const struct spec_key *keys, const char *name)
{
	const char *given = spec_given(spec, name);

	const struct spec_key *key = given ? NULL : find_key(keys, name);

	return given ? given : key ? key->default_value : NULL;
}
