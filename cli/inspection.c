// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "cli/inspection.h"

static void refuse(struct inspect_result *result, const char *spec, const struct errmsg *why)
{
	result->refusal[result->refused++] = (struct inspect_refusal){spec, *why};
}

/* All that there was to look at: the caller tells the others. */
static int nothing_left(const struct inspect_result *result, struct errmsg *err)
{
	return errmsg_set(err, "%s", result->refusal[result->refused - 1].why.text);
}

static int resolve(struct inspection *inspection, struct errmsg *err)
{
	const struct inspect_options *options = &inspection->options;
	struct inspect_result *result = &inspection->result;
	struct errmsg why;

	for (size_t i = 0; i < options->specs; i++) {
		if (reader_resolve(options->spec[i], &inspection->reader[i], &why))
			refuse(result, options->spec[i], &why);
		else
			inspect_reader(&result->reader[result->readers++], &inspection->reader[i]);
	}
	if (result->refused && (!result->readers || options->difference))
		return nothing_left(result, err);
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
	struct errmsg why;

	for (size_t i = 0; i < options->targets; i++)
		for (size_t j = 0; j < options->specs; j++) {
			struct inspect_target *place = &result->target[result->targets];

			if (compile_one(options->target[i], options->spec[j], place, &why))
				refuse(result, options->spec[j], &why);
			else
				result->targets++;
		}
	return result->targets ? 0 : nothing_left(result, err);
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

int inspection_execute(struct inspection *inspection, struct errmsg *err)
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

void inspection_release(struct inspection *inspection)
{
	for (size_t i = 0; i < inspection->result.readers; i++)
		inspect_reader_release(&inspection->result.reader[i]);
	for (size_t i = 0; i < INSPECT_MAX_READERS; i++)
		reader_release(&inspection->reader[i]);
}
