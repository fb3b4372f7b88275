// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/inspection.h"
#include "cli/json_file.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/inspect_json.h"
#include "report/inspect_text.h"
#include "report/status.h"

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	const struct inspection *inspection = argument;

	return report_inspect_json(out, &inspection->result, inspection->options.disassembly, err);
}

static void complain(const struct inspect_result *result, size_t refused)
{
	for (size_t i = 0; i < refused; i++)
		usage_complain(&result->refusal[i].why);
}

static int report(const struct inspection *inspection, struct json_file *json)
{
	const struct inspect_result *result = &inspection->result;

	complain(result, result->refused);
	if (!inspection->options.quiet && !json_file_is_stdout(json))
		report_inspect(stdout, result, inspection->options.disassembly);
	return json_file_report(json, write_json, inspection,
				result->refused ? STATUS_USAGE : STATUS_WELL);
}

static int inspect(struct inspection *inspection)
{
	const char *path = inspection->options.json;
	struct json_file json;
	struct errmsg err;

	if (json_file_open(&json, path, &err))
		return usage_complain(&err);
	json_file_empty(&json);
	if (!inspection_execute(inspection, &err))
		return report(inspection, &json);
	json_file_abandon(&json);
	if (inspection->result.refused)
		complain(&inspection->result, inspection->result.refused - 1);
	return usage_complain(&err);
}

int command_inspect(int argc, char **argv)
{
	struct inspection *inspection = calloc(1, sizeof(*inspection));
	struct errmsg err;
	int status = STATUS_WELL;

	signals_handle();
	if (!inspection) {
		errmsg_set(&err, "no memory for the result");
		return usage_complain(&err);
	}
	if (inspect_options_parse(argc, argv, &inspection->options, &err))
		status = usage_complain(&err);
	else if (inspection->options.help)
		inspect_options_help();
	else
		status = inspect(inspection);
	inspection_release(inspection);
	free(inspection);
	return status;
}
