// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/calibrate_figures.h"
#include "report/build.h"
#include "report/calibrate_json.h"
#include "report/clock_mode.h"
#include "report/json_report.h"
#include "report/status.h"

#define SCHEMA "contend.calibrate/1"

struct report {
	const struct calibrate_config *config;
	const struct calibrate_result *result;
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

/* The path of a part of a clock's contestant, or of a pair, as in clocks.0.contestants.2.code. */
struct path {
	char text[96];
};

static struct path path_of(size_t clock, const char *list, size_t index, const char *part)
{
	struct path path;

	snprintf(path.text, sizeof(path.text), "clocks.%zu.%s.%zu.%s", clock, list, index, part);
	return path;
}

static void say_unavailable(struct report *report, struct path path, const struct errmsg *reason)
{
	if (reason->text[0])
		json_report_unavailable(&report->json, path.text, reason->text);
}

static json_t *config_json(struct report *report)
{
	const struct calibrate_config *config = report->config;
	json_t *object = json_object();
	json_t *clocks = json_array(), *images = json_array();

	for (size_t i = 0; i < config->clocks; i++)
		append(report, clocks, text(clock_name(config->clock[i])));
	for (size_t i = 0; i < config->images; i++)
		append(report, images, text(config->image[i]->name));
	put(report, object, "clocks", clocks);
	put(report, object, "images", images);
	put(report, object, "duration_ns", count(config->duration_ns));
	put(report, object, "cpu", config->cpu < 0 ? json_null() : json_integer(config->cpu));
	return object;
}

static json_t *counter_json(struct report *report)
{
	json_t *object = json_object();

	put(report, object, "name", text(report->result->counter->name));
	put(report, object, "frequency_hz", count(report->result->counter_hz));
	return object;
}

static json_t *page_json(struct report *report)
{
	const struct calibrate_result *result = report->result;
	json_t *object;

	if (!result->layout) {
		json_report_unavailable(&report->json, "page", result->no_values.text);
		return json_null();
	}
	object = json_object();
	put(report, object, "layout", text(result->layout->name));
	put(report, object, "clock_mode", text(report_clock_mode(result->clock_mode)));
	put(report, object, "in_namespace", json_boolean(result->in_namespace));
	return object;
}

static const char *kind_name(enum contestant_kind kind)
{
	switch (kind) {
	case CONTESTANT_READER:
		return "reader";
	case CONTESTANT_IMAGE:
		return "image";
	case CONTESTANT_HOST:
		return "host";
	case CONTESTANT_LIBC:
		return "libc";
	case CONTESTANT_SYSTEM:
		break;
	}
	return "system";
}

/* What was given for an image, in full: a contestant's name may be cut. */
static void put_image(struct report *report, json_t *object, size_t contestant)
{
	const struct calibrate_config *config = report->config;

	if (contestant == FIELD_IMAGE_HOST)
		put(report, object, "image", text("host"));
	else if (contestant >= FIELD_IMAGES)
		put(report, object, "image", text(config->image[contestant - FIELD_IMAGES]->name));
}

static json_t *contestants_json(struct report *report)
{
	const struct calibrate_result *result = report->result;
	json_t *list = json_array();

	for (size_t i = 0; i < result->contestants; i++) {
		const struct calibrate_contestant *contestant = &result->contestant[i];
		json_t *object = json_object();
		struct path path;

		put(report, object, "name", text(contestant->name));
		put(report, object, "kind", text(kind_name(contestant->kind)));
		put_image(report, object, i);
		put(report, object, "code_at_byte_of_page",
		    contestant->code ? count(contestant->code % SIM_PAGE_BYTES) : json_null());
		if (!contestant->code) {
			snprintf(path.text, sizeof(path.text),
				 "contestants.%zu.code_at_byte_of_page", i);
			json_report_unavailable(&report->json, path.text,
						contestant->unavailable.text[0]
							? contestant->unavailable.text
							: "it is the kernel's");
		}
		append(report, list, object);
	}
	return list;
}

static json_t *interval_json(struct report *report, const struct interval *interval,
			     struct path path)
{
	json_t *list;

	if (!interval->known) {
		char why[64];

		snprintf(why, sizeof(why), "it takes %d rounds", INTERVAL_MIN_VALUES);
		json_report_unavailable(&report->json, path.text, why);
		return json_null();
	}
	list = json_array();
	append(report, list, number(interval->low));
	append(report, list, number(interval->high));
	return list;
}

static json_t *lines_json(struct report *report, const struct code_line *lines)
{
	json_t *list = json_array();

	for (size_t i = 0; i < CODE_LINES && lines[i].text[0]; i++)
		append(report, list, text(lines[i].text));
	return list;
}

static json_t *surplus_json(struct report *report, const struct code *code)
{
	json_t *object = json_object();

	for (size_t i = 0; i < code->surpluses; i++)
		put(report, object, code->surplus[i].mnemonic, json_integer(code->surplus[i].more));
	return object;
}

/* From "host", or from the "first" image. */
static json_t *difference_json(struct report *report, const struct code *code, const char *other)
{
	json_t *object = json_object();
	char name[32];

	put(report, object, "from_instruction", count(code->first_difference + 1));
	put(report, object, "lines", lines_json(report, code->line));
	snprintf(name, sizeof(name), "%s_lines", other);
	put(report, object, name, lines_json(report, code->other_line));
	snprintf(name, sizeof(name), "more_than_%s", other);
	put(report, object, name, surplus_json(report, code));
	return object;
}

static json_t *code_json(struct report *report, size_t clock, size_t contestant)
{
	const struct calibrate_cell *cells = report->result->cell[clock];
	const struct code *code = &cells[contestant].code;
	const struct errmsg *host = &cells[FIELD_HOST].code.unavailable;
	json_t *object;

	say_unavailable(report, path_of(clock, "contestants", contestant, "code"),
			&code->unavailable);
	if (code->unavailable.text[0])
		return json_null();
	object = json_object();
	put(report, object, "instructions", count(code->instructions));
	put(report, object, "same_as_host", host->text[0] ? json_null() : json_boolean(code->same));
	say_unavailable(report, path_of(clock, "contestants", contestant, "code.same_as_host"),
			host);
	put(report, object, "difference",
	    host->text[0] || code->same ? json_null() : difference_json(report, code, "host"));
	return object;
}

static json_t *example_json(struct report *report, const struct calibrate_cell *cell)
{
	json_t *object;

	if (!cell->disagreements)
		return json_null();
	object = json_object();
	put(report, object, "host_before_ns", count(cell->example.low));
	put(report, object, "value_ns", count(cell->example.value));
	put(report, object, "host_after_ns", count(cell->example.high));
	return object;
}

static json_t *values_json(struct report *report, size_t clock, size_t contestant)
{
	const struct calibrate_cell *cell = &report->result->cell[clock][contestant];
	json_t *object;

	say_unavailable(report, path_of(clock, "contestants", contestant, "values"),
			&cell->no_values);
	if (cell->no_values.text[0])
		return json_null();
	object = json_object();
	put(report, object, "compared", count(cell->tries));
	put(report, object, "void", count(cell->tries_void));
	put(report, object, "disagreements", count(cell->disagreements));
	put(report, object, "example", example_json(report, cell));
	return object;
}

static json_t *cell_json(struct report *report, size_t clock, size_t contestant)
{
	const struct calibrate_cell *cell = &report->result->cell[clock][contestant];
	const bool timed = !cell->unavailable.text[0];
	const bool has_ratio = !cell->no_ratio.text[0];
	json_t *object = json_object();

	put(report, object, "name", text(report->result->contestant[contestant].name));
	put(report, object, "calls_system",
	    cell->system_unknown.text[0] ? json_null() : json_boolean(cell->calls_system));
	say_unavailable(report, path_of(clock, "contestants", contestant, "calls_system"),
			&cell->system_unknown);
	put(report, object, "read_ns", timed ? number(cell->read_ns) : json_null());
	put(report, object, "ratio_to_host",
	    has_ratio ? number(cell->ratio.estimate) : json_null());
	put(report, object, "ratio_ci95",
	    has_ratio ? interval_json(report, &cell->ratio,
				      path_of(clock, "contestants", contestant, "ratio_ci95"))
		      : json_null());
	say_unavailable(report, path_of(clock, "contestants", contestant, "read_ns"),
			&cell->unavailable);
	say_unavailable(report, path_of(clock, "contestants", contestant, "ratio_to_host"),
			&cell->no_ratio);
	say_unavailable(report, path_of(clock, "contestants", contestant, "ratio_ci95"),
			&cell->no_ratio);
	put(report, object, "code", code_json(report, clock, contestant));
	put(report, object, "values", values_json(report, clock, contestant));
	return object;
}

static json_t *pair_json(struct report *report, size_t clock, size_t image)
{
	const struct calibrate_result *result = report->result;
	const struct calibrate_pair *pair = &result->pair[clock][image];
	const bool known = !pair->unavailable.text[0];
	const struct code *code = &pair->code;
	const bool code_known = !code->unavailable.text[0];
	json_t *object = json_object();

	put(report, object, "name", text(result->contestant[FIELD_IMAGES + image].name));
	put(report, object, "against", text(result->contestant[FIELD_IMAGES].name));
	put(report, object, "ratio", known ? number(pair->ratio.estimate) : json_null());
	put(report, object, "ratio_ci95",
	    known ? interval_json(report, &pair->ratio,
				  path_of(clock, "pairs", image - 1, "ratio_ci95"))
		  : json_null());
	say_unavailable(report, path_of(clock, "pairs", image - 1, "ratio"), &pair->unavailable);
	say_unavailable(report, path_of(clock, "pairs", image - 1, "ratio_ci95"),
			&pair->unavailable);
	put(report, object, "same_code", code_known ? json_boolean(code->same) : json_null());
	put(report, object, "difference",
	    code_known && !code->same ? difference_json(report, code, "first") : json_null());
	say_unavailable(report, path_of(clock, "pairs", image - 1, "same_code"),
			&code->unavailable);
	return object;
}

static json_t *clocks_json(struct report *report)
{
	json_t *list = json_array();

	for (size_t clock = 0; clock < report->config->clocks; clock++) {
		json_t *object = json_object();
		json_t *contestants = json_array(), *pairs = json_array();

		for (size_t i = 0; i < report->result->contestants; i++)
			append(report, contestants, cell_json(report, clock, i));
		for (size_t i = 1; i < report->config->images; i++)
			append(report, pairs, pair_json(report, clock, i));
		put(report, object, "clock", text(clock_name(report->config->clock[clock])));
		put(report, object, "contestants", contestants);
		put(report, object, "pairs", pairs);
		append(report, list, object);
	}
	return list;
}

static json_t *sums_json(struct report *report)
{
	const struct calibrate_result *result = report->result;
	json_t *object;

	if (result->no_values.text[0]) {
		json_report_unavailable(&report->json, "values", result->no_values.text);
		return json_null();
	}
	object = json_object();
	put(report, object, "compared", count(calibrate_tries(result, report->config)));
	put(report, object, "disagreements",
	    count(calibrate_disagreements(result, report->config)));
	return object;
}

static json_t *calibrate_json(struct report *report)
{
	const struct calibrate_result *result = report->result;
	json_t *object = json_object();

	put(report, object, "schema", text(SCHEMA));
	put(report, object, "version", text(CONTEND_VERSION));
	put(report, object, "compiler", text(BUILD_COMPILER));
	put(report, object, "machine", json_report_machine(&report->json, &result->machine));
	put(report, object, "config", config_json(report));
	put(report, object, "counter", counter_json(report));
	put(report, object, "cpu", json_integer(result->cpu));
	put(report, object, "page", page_json(report));
	put(report, object, "rounds", count(result->rounds));
	put(report, object, "contestants", contestants_json(report));
	put(report, object, "clocks", clocks_json(report));
	put(report, object, "values", sums_json(report));
	put(report, object, "remarks", json_report_remarks(&report->json, &result->remarks));
	put(report, object, "unavailable", json_incref(report->json.unavailable));
	put(report, object, "complete", json_boolean(!result->interrupted));
	put(report, object, "outcome", text(result->interrupted ? "interrupted" : "complete"));
	put(report, object, "exit_status",
	    json_integer(report_calibrate_status(report->config, result)));
	put(report, object, "seconds", number(result->seconds));
	return object;
}

int report_calibrate_json(FILE *out, const struct calibrate_config *config,
			  const struct calibrate_result *result, struct errmsg *err)
{
	struct report report = {config, result, json_report_begin()};

	return json_report_end(&report.json, calibrate_json(&report), out, err);
}
