// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "report/invocation.h"
#include "report/json_report.h"

/* Figures are measured to far fewer digits; more would only show how doubles are stored. */
#define FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(10))

struct json_report json_report_begin(void)
{
	return (struct json_report){json_object(), false};
}

void json_report_put(struct json_report *report, json_t *object, const char *name, json_t *value)
{
	if (json_object_set_new(object, name, value))
		report->incomplete = true;
}

void json_report_append(struct json_report *report, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value))
		report->incomplete = true;
}

void json_report_unavailable(struct json_report *report, const char *name, const char *reason)
{
	json_report_put(report, report->unavailable, name, text(reason));
}

json_t *json_report_text(const char *string)
{
	json_t *json = json_string(string);
	char ascii[512];
	size_t i;

	if (json)
		return json;
	for (i = 0; string[i] && i + 1 < sizeof(ascii); i++)
		ascii[i] = (char)(string[i] & 0x80 ? '?' : string[i]);
	ascii[i] = '\0';
	return json_string(ascii);
}

json_t *json_report_machine(struct json_report *report, const struct machine *machine)
{
	const char *hypervisor = machine->hypervisor;
	json_t *object = json_object();

	json_report_put(report, object, "cpu_model", text(machine->cpu_model));
	json_report_put(report, object, "kernel", text(machine->kernel));
	json_report_put(report, object, "architecture", text(machine->architecture));
	json_report_put(report, object, "hypervisor", *hypervisor ? text(hypervisor) : json_null());
	json_report_put(report, object, "cpus_online", json_integer(machine->cpus_online));
	json_report_put(report, object, "cpus_allowed", json_integer(machine->cpus_allowed));
	json_report_put(report, object, "l1d_bytes",
			machine->l1d_bytes ? count(machine->l1d_bytes) : json_null());
	if (!machine->l1d_bytes)
		json_report_unavailable(report, "machine.l1d_bytes", "the machine does not say");
	return object;
}

json_t *json_report_remarks(struct json_report *report, const struct remarks *remarks)
{
	json_t *list = json_array();

	for (int i = 0; i < remarks->count; i++)
		json_report_append(report, list, text(remarks->text[i]));
	return list;
}

json_t *json_report_finish(struct json_report *report, json_t *root)
{
	json_decref(report->unavailable);
	report->unavailable = NULL;
	if (!report->incomplete)
		return root;
	json_decref(root);
	return NULL;
}

static json_t *command_line_json(void)
{
	json_t *list = json_array();

	for (int i = 0; i < invocation_arguments(); i++)
		if (json_array_append_new(list, text(invocation_argument(i)))) {
			json_decref(list);
			return NULL;
		}
	return list;
}

/* NULL, and nothing is left of it: there was not the memory. */
static json_t *signed_by_invocation(json_t *root)
{
	if (!root || !invocation_is_known())
		return root;
	if (!json_object_set_new(root, "command_line", command_line_json()) &&
	    !json_object_set_new(root, "date", text(invocation_date())))
		return root;
	json_decref(root);
	return NULL;
}

static int write_json(FILE *out, const json_t *root, struct errmsg *err)
{
	errno = 0;
	if (json_dumpf(root, out, FLAGS) || fputc('\n', out) == EOF || fflush(out))
		return errmsg_set(err, "%s", errno ? strerror(errno) : "it could not be written");
	return 0;
}

int json_report_write(json_t *root, FILE *out, struct errmsg *err)
{
	int failed;

	root = signed_by_invocation(root);
	failed = root ? write_json(out, root, err) : errmsg_set(err, "no memory for the result");
	json_decref(root);
	return failed;
}

int json_report_end(struct json_report *report, json_t *root, FILE *out, struct errmsg *err)
{
	return json_report_write(json_report_finish(report, root), out, err);
}
