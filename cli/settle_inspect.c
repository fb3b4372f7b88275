// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "cli/inspection.h"
#include "cli/settle_inspect.h"
#include "report/inspect_json.h"
#include "report/inspect_text.h"

#define MAX_ARGUMENTS (1 + ARGUMENT_MAX_READERS + 2 * ARGUMENT_MAX_READERS + 1)

/* As a user would have asked for it. */
static int take_options(const struct argument_section *section, struct inspect_options *options,
			struct errmsg *err)
{
	static char name[] = "inspect", target[] = "--target";
	char *arguments[MAX_ARGUMENTS] = {name};
	int count = 1;

	for (size_t i = 0; i < section->readers; i++)
		arguments[count++] = (char *)(uintptr_t)section->reader[i];
	for (size_t i = 0; i < section->targets; i++) {
		arguments[count++] = target;
		arguments[count++] = (char *)(uintptr_t)section->target[i];
	}
	return inspect_options_parse(count, arguments, options, err);
}

/* The first of them, and how many there are. */
static void tell_refused(const struct inspect_result *result, struct errmsg *err)
{
	errmsg_set(err, "%zu of the readers could not be looked at, the first since %.400s",
		   result->refused, result->refusal[0].why.text);
}

int settle_inspect(const struct argument_section *section, FILE *out, json_t **result,
		   struct errmsg *err)
{
	struct inspection *inspection = calloc(1, sizeof(*inspection));
	int failed;

	*result = NULL;
	err->text[0] = '\0';
	if (!inspection)
		return errmsg_set(err, "no memory for the result");
	failed = take_options(section, &inspection->options, err) ||
		 inspection_execute(inspection, err);
	if (!failed && inspection->result.refused)
		tell_refused(&inspection->result, err);
	if (!failed) {
		if (out)
			report_inspect(out, &inspection->result, false);
		*result = report_inspect_object(&inspection->result, false);
	}
	inspection_release(inspection);
	free(inspection);
	return failed ? -1 : 0;
}
