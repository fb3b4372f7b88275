// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/inspect_options.h"
#include "cli/json_file.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/inspect_json.h"
#include "report/inspect_text.h"
#include "report/status.h"

/* All that a command holds. */
struct inspection {
	struct inspect_options options;
	struct reader reader[INSPECT_MAX_READERS];
	struct inspect_result result;
};

static int write_json(FILE *out, const void *argument, struct errmsg *err)
{
	const struct inspection *inspection = argument;

	return report_inspect_json(out, &inspection->result, inspection->options.disassembly, err);
}

static int resolve(struct inspection *inspection, struct errmsg *err)
{
	struct inspect_result *result = &inspection->result;

	for (size_t i = 0; i < inspection->options.specs; i++) {
		if (reader_resolve(inspection->options.spec[i], &inspection->reader[i], err))
			return -1;
		inspect_reader(&result->reader[result->readers++], &inspection->reader[i]);
	}
	return 0;
}

static int compile_one(const struct target *target, const char *spec, struct inspect_target *to,
		       struct errmsg *err)
{
	struct target_code code;
	int failed;

	if (target_compile(target, spec, &code, err))
		return -1;
	to->target = target->name;
	snprintf(to->reader, sizeof(to->reader), code.variation[0] ? "%s (%s)" : "%s", code.path,
		 code.variation);
	snprintf(to->compiler, sizeof(to->compiler), "%s", code.compiler);
	failed = static_code_read(&to->code, code.elf, code.elf_bytes, err);
	target_release(&code);
	return failed;
}

static int compile_all(struct inspection *inspection, struct errmsg *err)
{
	const struct inspect_options *options = &inspection->options;
	struct inspect_result *result = &inspection->result;

	for (size_t i = 0; i < options->targets; i++)
		for (size_t j = 0; j < options->specs; j++)
			if (compile_one(options->target[i], options->spec[j],
					&result->target[result->targets++], err))
				return -1;
	return 0;
}

/* That which no kernel has had is not in the table. */
static int draw_layouts(struct inspect_result *result, struct errmsg *err)
{
	for (const struct page_layout *const *layout = page_layouts; *layout; layout++)
		if (inspect_page_of_layout(&result->page[result->pages++], *layout, err))
			return -1;
	return inspect_page_of_layout(&result->page[result->pages++],
				      page_layout_find("raw-separate"), err);
}

static int draw_pages(struct inspection *inspection, struct errmsg *err)
{
	struct inspect_result *result = &inspection->result;

	if (!inspection->options.page)
		return 0;
	if (!result->readers)
		return draw_layouts(result, err);
	for (size_t i = 0; i < result->readers; i++)
		inspect_page_of_reader(&result->page[result->pages++], &result->reader[i]);
	return 0;
}

static int execute(struct inspection *inspection, struct errmsg *err)
{
	struct inspect_result *result = &inspection->result;

	machine_describe(&result->machine);
	if (inspection->options.targets)
		return compile_all(inspection, err);
	if (resolve(inspection, err) || draw_pages(inspection, err))
		return -1;
	result->has_difference = inspection->options.difference;
	if (result->has_difference)
		inspect_difference(&result->difference, &result->reader[0], &result->reader[1]);
	return 0;
}

static int report(const struct inspection *inspection, struct json_file *json)
{
	struct errmsg err;

	if (!inspection->options.quiet && !json_file_is_stdout(json))
		report_inspect(stdout, &inspection->result, inspection->options.disassembly);
	if (!json_file_write(json, write_json, inspection, &err))
		return STATUS_WELL;
	usage_complain(&err);
	return STATUS_USAGE;
}

static int inspect(struct inspection *inspection)
{
	const char *path = inspection->options.json;
	struct json_file json;
	struct errmsg err;

	if (json_file_open(&json, path, &err))
		return usage_complain(&err);
	signals_tidy(json.created ? path : NULL);
	json_file_empty(&json);
	if (!execute(inspection, &err))
		return report(inspection, &json);
	json_file_abandon(&json);
	return usage_complain(&err);
}

static void release(struct inspection *inspection)
{
	for (size_t i = 0; i < inspection->result.readers; i++)
		inspect_reader_release(&inspection->result.reader[i]);
	for (size_t i = 0; i < INSPECT_MAX_READERS; i++)
		reader_release(&inspection->reader[i]);
	free(inspection);
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
	release(inspection);
	return status;
}
