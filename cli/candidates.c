// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/candidates.h"

/* Longer than any name that is offered, and than most paths. */
#define MOST 1024

void candidates_offer(const struct candidates *candidates, const char *format, ...)
{
	char part[MOST];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(part, sizeof(part), format, arguments);
	va_end(arguments);
	if (length < MOST && strncmp(part, candidates->begun, strlen(candidates->begun)) == 0)
		printf("%.*s%s\n", (int)candidates->head_length, candidates->head, part);
}

void candidates_offer_choices(const struct candidates *candidates, const char *choices)
{
	while (choices) {
		const size_t length = strcspn(choices, "|");

		candidates_offer(candidates, "%.*s", (int)length, choices);
		choices = choices[length] ? choices + length + 1 : NULL;
	}
}

void candidates_go_on(struct candidates *candidates, const char *begun)
{
	candidates->head_length += (size_t)(begun - candidates->begun);
	candidates->begun = begun;
}
