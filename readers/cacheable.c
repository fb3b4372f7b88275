// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <string.h>

#include "readers/cacheable.h"
#include "sim/types.h"

/* A flag without its dash. */
struct flag {
	const char *text;
	size_t length;
};

static bool begins(struct flag flag, const char *with)
{
	return strncmp(flag.text, with, strlen(with)) == 0;
}

static bool is(struct flag flag, const char *name)
{
	return flag.length == strlen(name) && begins(flag, name);
}

static bool has(struct flag flag, const char *part)
{
	return memmem(flag.text, flag.length, part, strlen(part)) != NULL;
}

/* -f...: profiles and plugins are files, with a name or without; most others are switches. */
static bool is_known_feature(struct flag flag)
{
	static const char *const files[] = {"fprofile",	   "fauto-profile", "fbranch-prob",
					    "fplugin",	   "fpass-plugin",  "fmodule",
					    "fimplicit-m", "fdump",	    "fsanitize"};
	static const char *const valued[] = {
		"falign-",	"fcf-protection=", "ffp-contract=", "ftls-model=",
		"fvisibility=", "finline-limit=",  "flive-patch=",  "fexcess-precision="};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (begins(flag, files[i]))
			return false;
	if (!has(flag, "="))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(valued); i++)
		if (begins(flag, valued[i]))
			return true;
	return false;
}

static bool is_known(struct flag flag)
{
	static const char *const names[] = {"w", "pipe", "pedantic", "ansi", "pthread"};

	switch (*flag.text) {
	case 'f':
		return is_known_feature(flag);
	case 'm':
		return !has(flag, "native") && !has(flag, "/") && !begins(flag, "mllvm") &&
		       !begins(flag, "mlink");
	case 'W':
		return !has(flag, ",");
	case 'O':
	case 'g':
		return !has(flag, "/");
	/* For the preprocessor, and what it made of them is seen. */
	case 'D':
	case 'U':
	case 'I':
		return flag.length > 1;
	default:
		break;
	}
	if (begins(flag, "std=") || begins(flag, "-param="))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (is(flag, names[i]))
			return true;
	return false;
}

static bool are_known(const char *cflags)
{
	for (cflags += strspn(cflags, " \t"); *cflags; cflags += strspn(cflags, " \t")) {
		size_t length = strcspn(cflags, " \t");

		if (*cflags != '-' || !is_known((struct flag){cflags + 1, length - 1}))
			return false;
		cflags += length;
	}
	return true;
}

/* A string may be written in pieces. */
static bool stands_at(const char *text, const char *word)
{
	for (; *word; word++, text++) {
		while (*text == '"' || isspace((unsigned char)*text))
			text++;
		if (*text != *word)
			return false;
	}
	return true;
}

static bool reads_file(const char *seen)
{
	for (const char *dot = seen; (dot = strchr(dot, '.')); dot++)
		if (stands_at(dot, ".incbin") || stands_at(dot, ".include"))
			return true;
	return false;
}

bool is_cacheable(const char *cflags, const char *seen)
{
	return (!cflags || are_known(cflags)) && !reads_file(seen);
}
