// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/usage.h"

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc;
}

static int ambiguous(const struct argp_option *options, const char *name, int length,
		     struct errmsg *err)
{
	char candidates[256] = "";
	size_t used = 0;

	for (; !is_end(options) && used < sizeof(candidates); options++)
		if (options->name && strncmp(options->name, name, (size_t)length) == 0)
			used += (size_t)snprintf(candidates + used, sizeof(candidates) - used,
						 "%s--%s", used ? ", " : "", options->name);
	return errmsg_set(err, "--%.*s: could be %s", length, name, candidates);
}

/* The option that a long name or an unambiguous beginning of it means. */
static const struct argp_option *find_long(const struct argp_option *options, const char *name,
					   int length, struct errmsg *err)
{
	const struct argp_option *found = NULL;
	int matches = 0;

	for (const struct argp_option *option = options; !is_end(option); option++) {
		if (!option->name || strncmp(option->name, name, (size_t)length) != 0)
			continue;
		if (!option->name[length])
			return option;
		found = option;
		matches++;
	}
	if (matches > 1) {
		ambiguous(options, name, length, err);
		return NULL;
	}
	if (!found)
		errmsg_set(err, "--%.*s: there is no such option, see --help", length, name);
	return found;
}

static const struct argp_option *find_short(const struct argp_option *options, char letter)
{
	for (; !is_end(options); options++)
		if (options->key == letter)
			return options;
	return NULL;
}

static int no_value(const struct argp_option *option, struct errmsg *err)
{
	return errmsg_set(err, "--%s: a value is missing: --%s %s", option->name, option->name,
			  option->arg);
}

/* Both return how many arguments after this one belong to it, or -1. */
static int check_long(const struct argp_option *options, const char *name, bool more,
		      struct errmsg *err)
{
	int length = (int)strcspn(name, "=");
	const struct argp_option *option = find_long(options, name, length, err);

	if (!option)
		return -1;
	if (!option->arg && name[length])
		return errmsg_set(err, "--%s: takes no value", option->name);
	if (!option->arg || name[length])
		return 0;
	return more ? 1 : no_value(option, err);
}

static int check_short(const struct argp_option *options, const char *letters, bool more,
		       struct errmsg *err)
{
	for (; *letters; letters++) {
		const struct argp_option *option = find_short(options, *letters);

		if (!option)
			return errmsg_set(err, "-%c: there is no such option, see --help",
					  *letters);
		if (option->arg && letters[1])
			return 0;
		if (option->arg)
			return more ? 1 : no_value(option, err);
	}
	return 0;
}

static int too_many(const char *argument, int most, struct errmsg *err)
{
	if (most > 1)
		return errmsg_set(err, "'%.60s': one too many: %d are the most, see --help",
				  argument, most);
	return errmsg_set(err, "'%.60s': no such argument is wanted, see --help", argument);
}

int usage_check(const struct argp_option *options, int words, int argc, char **argv,
		struct errmsg *err)
{
	const int most = words;
	bool only_words = false;

	for (int i = 1; i < argc; i++) {
		const char *argument = argv[i];
		int taken = 0;

		if (!only_words && strcmp(argument, "--") == 0)
			only_words = true;
		else if (!only_words && strncmp(argument, "--", 2) == 0)
			taken = check_long(options, argument + 2, i + 1 < argc, err);
		else if (!only_words && argument[0] == '-' && argument[1])
			taken = check_short(options, argument + 1, i + 1 < argc, err);
		else if (words-- <= 0)
			return too_many(argument, most, err);
		if (taken < 0)
			return -1;
		i += taken;
	}
	return 0;
}

error_t usage_refuse(const struct argp_option *options, int key, const struct errmsg *why,
		     struct errmsg *err)
{
	while (options->key != key)
		options++;
	errmsg_set(err, "--%s: %s", options->name, why->text);
	return EINVAL;
}

int usage_complain(const struct errmsg *err)
{
	struct errmsg line = *err;

	for (char *c = line.text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	fprintf(stderr, "contend: %s\n", line.text);
	return 1;
}

void usage_help(const struct argp *argp, const char *name, unsigned int argp_help_flags)
{
	char writable[64];

	/* Leaves out a note that short options take values too; what the user has set stays. */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
	snprintf(writable, sizeof(writable), "%s", name);
	argp_help(argp, stdout, argp_help_flags, writable);
	/* argp leaves its last line open. */
	putchar('\n');
}
