// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "report/invocation.h"

static struct {
	int arguments;
	char **argument;
	time_t began;
} invocation;

void invocation_note(int argc, char **argv, time_t began)
{
	invocation.arguments = argc;
	invocation.argument = argv;
	invocation.began = began;
}

bool invocation_is_known(void)
{
	return invocation.argument != NULL;
}

int invocation_arguments(void)
{
	return invocation.arguments;
}

const char *invocation_argument(int index)
{
	return invocation.argument[index];
}

const char *invocation_date(void)
{
	static char text[32];
	struct tm utc;

	gmtime_r(&invocation.began, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	return text;
}
