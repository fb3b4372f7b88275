// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "readers/lines.h"
#include "report/build.h"
#include "report/inspect_json.h"
#include "report/json_report.h"
#include "report/page_fields.h"
#include "report/status.h"

#define SCHEMA "contend.inspect/1"

struct report {
	const struct inspect_result *result;
	bool disassembly;
	struct json_report json;
};

static void put(struct report *report, json_t *object, const char *name, json_t *value)
{
	json_report_put(&report->json, object, name, value);
}

static void append(struct report *report, json_t *array, json_t *value)
{
	json_report_append(&report->json, array, value);
}

/* null, and the reason why. */
__attribute__((format(printf, 3, 4))) static json_t *no(struct report *report, const char *reason,
							const char *format, ...)
{
	va_list arguments;
	char path[96];

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	json_report_unavailable(&report->json, path, reason);
	return json_null();
}

static json_t *memory_json(struct report *report, const struct path_memory *memory)
{
	json_t *object = json_object();

	put(report, object, "page", count(memory->page));
	put(report, object, "stack", count(memory->stack));
	put(report, object, "elsewhere", count(memory->elsewhere));
	return object;
}

/* First bytes of lines, counted from where the data begins. */
static json_t *lines_json(struct report *report, u64 lines, u32 data_offset)
{
	json_t *list = json_array();

	for (int line = 0; line < 64; line++)
		if (lines >> line & 1)
			append(report, list, json_integer(line * CACHE_LINE - (int)data_offset));
	return list;
}

static void put_lines(struct report *report, json_t *object, const struct path_figures *figures)
{
	put(report, object, "page_lines_at_bytes",
	    lines_json(report, figures->page_lines[PAGE_DATA], figures->data_offset));
	put(report, object, "namespace_lines_at_bytes",
	    lines_json(report, figures->page_lines[PAGE_TIMENS], figures->data_offset));
	put(report, object, "counter_lines_at_bytes",
	    lines_json(report, figures->page_lines[PAGE_COUNTER], 0));
}

static json_t *path_json(struct report *report, const struct path_figures *figures)
{
	json_t *object = json_object();

	put(report, object, "instructions", count(figures->instructions));
	put(report, object, "branches_taken", count(figures->branches_taken));
	put(report, object, "branches_not_taken", count(figures->branches_not_taken));
	put(report, object, "jumps", count(figures->jumps));
	put(report, object, "calls", count(figures->calls));
	put(report, object, "system_calls", count(figures->system_calls));
	put(report, object, "code_lines", count(figures->code_lines));
	put(report, object, "entry_at_byte_of_line", count(figures->entry_byte));
	put(report, object, "loads", memory_json(report, &figures->loads));
	put(report, object, "stores", memory_json(report, &figures->stores));
	put_lines(report, object, figures);
	return object;
}

static json_t *paths_json(struct report *report, const struct inspect_reader *inspected, size_t i)
{
	static const char *const names[WALK_KINDS] = {
		[WALK_FAST] = "fast", [WALK_RETRY] = "one_retry", [WALK_ODD] = "odd_wait"};
	json_t *object = json_object();

	for (int kind = 0; kind < WALK_KINDS; kind++) {
		const struct path_figures *figures = &inspected->path[kind];

		put(report, object, names[kind],
		    figures->unavailable.text[0] ? no(report, figures->unavailable.text,
						      "readers.%zu.paths.%s", i, names[kind])
						 : path_json(report, figures));
	}
	return object;
}

static json_t *clocks_json(struct report *report, const struct path_figures *clocks,
			   const char *list, size_t i)
{
	json_t *all = json_array();

	for (size_t c = 0; c < INSPECT_CLOCKS; c++) {
		json_t *object = json_object();

		put(report, object, "clock", text(clock_name(inspect_clocks[c])));
		if (clocks[c].unavailable.text[0]) {
			json_t *null = no(report, clocks[c].unavailable.text,
					  "%s.%zu.clocks.%zu.page_lines_at_bytes", list, i, c);

			put(report, object, "page_lines_at_bytes", null);
		} else {
			put_lines(report, object, &clocks[c]);
		}
		append(report, all, object);
	}
	return all;
}

static json_t *inlinings_json(struct report *report, const struct functions *functions)
{
	json_t *list = json_array();

	for (size_t i = 0; i < functions->inlinings; i++) {
		json_t *object = json_object();

		put(report, object, "name", text(functions->inlining[i].name));
		put(report, object, "into", text(functions->inlining[i].into));
		put(report, object, "times", count(functions->inlining[i].times));
		append(report, list, object);
	}
	return list;
}

static json_t *sizes_json(struct report *report, const struct functions *functions)
{
	json_t *list = json_array();

	for (size_t i = 0; i < functions->count; i++) {
		json_t *object = json_object();

		put(report, object, "name", text(functions->function[i].name));
		put(report, object, "bytes", count(functions->function[i].bytes));
		append(report, list, object);
	}
	return list;
}

static json_t *step_json(struct report *report, const struct walk *walk, size_t i,
			 const struct lines *lines, u32 entry)
{
	const struct step *step = &walk->step[i];
	const intptr_t at = (intptr_t)(step->address - walk->entry);
	struct lines_place place = {.line = 0};
	json_t *object = json_object();
	char source[256] = "";

	if (lines)
		place = lines_find(lines, entry + (u32)at);
	lines_text(&place, source, sizeof(source));
	put(report, object, "at_byte", json_integer(at));
	put(report, object, "instruction", text(step->words));
	if (step->target)
		put(report, object, "target_at_byte",
		    json_integer((intptr_t)(step->target - walk->entry)));
	if (step->kind == STEP_BRANCH)
		put(report, object, "taken", json_boolean(step->taken));
	if (place.line) {
		put(report, object, "file", text(place.file));
		put(report, object, "line", count((u64)place.line));
		put(report, object, "source", text(source));
	}
	return object;
}

static json_t *code_json(struct report *report, const struct inspect_reader *inspected)
{
	const struct walk *walk = &inspected->walk[WALK_FAST];
	json_t *list = json_array();
	struct lines *lines = NULL;
	struct errmsg why;

	if (inspected->reader->image || lines_open(&lines, &inspected->reader->code, &why))
		lines = NULL;
	for (size_t i = 0; i < walk->count; i++)
		append(report, list,
		       step_json(report, walk, i, lines, inspected->reader->code.entry));
	if (lines)
		lines_close(lines);
	return list;
}

static void put_sizes(struct report *report, json_t *object, const struct inspect_reader *inspected,
		      size_t i)
{
	const struct reader *reader = inspected->reader;

	put(report, object, "text_bytes",
	    reader->image ? no(report, "an image's code is more than this reader",
			       "readers.%zu.text_bytes", i)
			  : count(machine_code_text_bytes(&reader->code)));
	put(report, object, "entry_bytes",
	    inspected->entry ? count(inspected->entry->bytes)
			     : no(report,
				  inspected->no_functions.text[0] ? inspected->no_functions.text
								  : "no symbol says so",
				  "readers.%zu.entry_bytes", i));
	put(report, object, "functions", sizes_json(report, &inspected->functions));
	put(report, object, "inlined",
	    inspected->functions.no_inlinings.text[0] || inspected->no_functions.text[0]
		    ? no(report,
			 inspected->no_functions.text[0] ? inspected->no_functions.text
							 : inspected->functions.no_inlinings.text,
			 "readers.%zu.inlined", i)
		    : inlinings_json(report, &inspected->functions));
}

static json_t *reader_json(struct report *report, size_t i)
{
	const struct inspect_reader *inspected = &report->result->reader[i];
	const struct reader *reader = inspected->reader;
	json_t *object = json_object();

	put(report, object, "reader", text(reader->path));
	put(report, object, "variation", text(reader->variation));
	put(report, object, "clock", text(clock_name(reader->clock)));
	put(report, object, "layout", text(reader->layout->name));
	put(report, object, "compiler",
	    reader->code.compiler[0]
		    ? text(reader->code.compiler)
		    : no(report, "the code does not say", "readers.%zu.compiler", i));
	put_sizes(report, object, inspected, i);
	put(report, object, "paths", paths_json(report, inspected, i));
	put(report, object, "clocks", clocks_json(report, inspected->clock, "readers", i));
	if (report->disassembly)
		put(report, object, "code", code_json(report, inspected));
	return object;
}

static const char *kind_name(enum likeness_kind kind)
{
	static const char *const names[] = {
		[LIKENESS_SAME] = "same",
		[LIKENESS_PLACE] = "same_but_place",
		[LIKENESS_REGISTERS] = "same_but_registers",
		[LIKENESS_DIFFERENT] = "different",
	};

	return names[kind];
}

static json_t *likeness_json(struct report *report, const struct likeness *likeness,
			     const char *name)
{
	json_t *object, *counts, *first;

	if (likeness->unavailable.text[0])
		return no(report, likeness->unavailable.text, "difference.%s", name);
	object = json_object();
	counts = json_array();
	put(report, object, "code", text(kind_name(likeness->kind)));
	for (int i = 0; i < 2; i++)
		append(report, counts, count(likeness->count[i]));
	put(report, object, "instructions", counts);
	if (likeness->kind < LIKENESS_REGISTERS)
		return object;
	first = json_array();
	for (int i = 0; i < 2; i++)
		append(report, first, text(likeness->words[i].text));
	put(report, object, "alike_before", count(likeness->first));
	put(report, object, "first_difference", first);
	put(report, object, "only_registers_differ", json_boolean(likeness->same_shape));
	return object;
}

static json_t *difference_json(struct report *report)
{
	const struct inspect_difference *difference = &report->result->difference;
	json_t *object = json_object();

	put(report, object, "fast", likeness_json(report, &difference->path, "fast"));
	put(report, object, "all", likeness_json(report, &difference->text, "all"));
	return object;
}

static json_t *page_json(struct report *report, size_t i)
{
	const struct inspect_page *page = &report->result->page[i];
	struct page_field field[PAGE_FIELDS_MAX];
	const size_t fields = page_fields(page->layout, field);
	json_t *object = json_object(), *list = json_array();

	for (size_t f = 0; f < fields; f++) {
		json_t *one = json_object();

		put(report, one, "name", text(field[f].name + strspn(field[f].name, " ")));
		put(report, one, "at_byte", count(field[f].offset));
		put(report, one, "bytes", count(field[f].bytes));
		append(report, list, one);
	}
	put(report, object, "layout", text(page->layout->name));
	put(report, object, "kernels", text(page->layout->kernels));
	put(report, object, "data_at_byte_of_page", count(page->data_offset));
	put(report, object, "reader", text(page->reader));
	put(report, object, "fields", list);
	put(report, object, "clocks", clocks_json(report, page->clock, "pages", i));
	return object;
}

static void put_counts(struct report *report, json_t *object, const struct static_code *code,
		       const struct static_counts *counts)
{
	if (code->unavailable.text[0])
		return;
	put(report, object, "instructions", count(counts->instructions));
	put(report, object, "branches", count(counts->branches));
	put(report, object, "jumps", count(counts->jumps));
	put(report, object, "calls", count(counts->calls));
	put(report, object, "not_decoded", count(counts->unknown));
}

static json_t *callers_json(struct report *report, const struct static_code *code, size_t f)
{
	json_t *callers = json_array();

	for (size_t i = 0; i < code->functions.count; i++)
		if (code->callers[f] >> i & 1)
			append(report, callers, text(code->functions.function[i].name));
	return callers;
}

static json_t *functions_json(struct report *report, const struct static_code *code)
{
	json_t *list = json_array();

	for (size_t f = 0; f < code->functions.count; f++) {
		const struct function *function = &code->functions.function[f];
		json_t *object = json_object();

		put(report, object, "name", text(function->name));
		put(report, object, "bytes", count(function->bytes));
		put_counts(report, object, code, &code->of[f]);
		put(report, object, "called_by", callers_json(report, code, f));
		put(report, object, "inlined_times",
		    count(functions_times_inlined(&code->functions, function->name)));
		append(report, list, object);
	}
	return list;
}

static json_t *target_json(struct report *report, size_t i)
{
	const struct inspect_target *target = &report->result->target[i];
	const struct static_code *code = &target->code;
	json_t *object = json_object(), *outside = json_array();

	put(report, object, "target", text(target->target));
	put(report, object, "reader", text(target->reader));
	put(report, object, "compiler", text(target->compiler));
	put(report, object, "text_bytes", count(code->functions.text_bytes));
	put_counts(report, object, code, &code->total);
	if (code->unavailable.text[0])
		put(report, object, "instructions",
		    no(report, code->unavailable.text, "targets.%zu.instructions", i));
	put(report, object, "functions", functions_json(report, code));
	put(report, object, "inlined",
	    code->functions.no_inlinings.text[0]
		    ? no(report, code->functions.no_inlinings.text, "targets.%zu.inlined", i)
		    : inlinings_json(report, &code->functions));
	for (size_t f = 0; f < code->functions.outside; f++)
		append(report, outside, text(code->functions.outside_name[f]));
	put(report, object, "calls_outside", outside);
	return object;
}

static json_t *refused_json(struct report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->result->refused; i++) {
		json_t *object = json_object();

		put(report, object, "reader", text(report->result->refusal[i].reader));
		put(report, object, "reason", text(report->result->refusal[i].why.text));
		append(report, list, object);
	}
	return list;
}

json_t *report_inspect_object(const struct inspect_result *result, bool disassembly)
{
	struct report report = {result, disassembly, json_report_begin()};
	json_t *root = json_object(), *readers = json_array(), *pages = json_array();
	json_t *targets = json_array();

	put(&report, root, "schema", text(SCHEMA));
	put(&report, root, "version", text(CONTEND_VERSION));
	put(&report, root, "compiler", text(BUILD_COMPILER));
	put(&report, root, "machine", json_report_machine(&report.json, &result->machine));
	for (size_t i = 0; i < result->readers; i++)
		append(&report, readers, reader_json(&report, i));
	for (size_t i = 0; i < result->pages; i++)
		append(&report, pages, page_json(&report, i));
	for (size_t i = 0; i < result->targets; i++)
		append(&report, targets, target_json(&report, i));
	put(&report, root, "readers", readers);
	put(&report, root, "difference",
	    result->has_difference ? difference_json(&report) : json_null());
	put(&report, root, "pages", pages);
	put(&report, root, "targets", targets);
	put(&report, root, "refused", refused_json(&report));
	put(&report, root, "exit_status",
	    json_integer(result->refused ? STATUS_USAGE : STATUS_WELL));
	put(&report, root, "unavailable", json_incref(report.json.unavailable));
	return json_report_finish(&report.json, root);
}

int report_inspect_json(FILE *out, const struct inspect_result *result, bool disassembly,
			struct errmsg *err)
{
	return json_report_write(report_inspect_object(result, disassembly), out, err);
}
