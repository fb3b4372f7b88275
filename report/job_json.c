// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/job_json.h"

json_t *job_work_json(struct json_report *report, const struct work_spec *work)
{
	json_t *object = json_object();

	switch (work->kind) {
	case WORK_NONE:
		json_report_put(report, object, "kind", text("none"));
		break;
	case WORK_ALU:
		json_report_put(report, object, "kind", text("alu"));
		json_report_put(report, object, "operations", count(work->amount));
		break;
	case WORK_CACHE:
		json_report_put(report, object, "kind", text("cache"));
		json_report_put(report, object, "bytes", count(work->amount));
		break;
	case WORK_COLD:
		json_report_put(report, object, "kind", text("cold"));
		break;
	}
	return object;
}

json_t *job_cpus_json(struct json_report *report, const struct run_group *group)
{
	json_t *list;

	if (!group->cpus_given)
		return json_null();
	list = json_array();
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &group->cpus))
			json_report_append(report, list, count(cpu));
	return list;
}

json_t *job_hz_json(const struct writer_choice *choice)
{
	return writer_has_rate(choice->kind) && !writer_is_endless(choice) ? count(choice->hz)
									   : json_null();
}

json_t *job_writers_json(struct json_report *report, const struct run_config *config)
{
	json_t *list = json_array();

	for (u32 i = 0; i < config->writers; i++) {
		const struct writer_choice *choice = &config->writer[i];
		json_t *object = json_object();

		json_report_put(report, object, "name", text(choice->kind->name));
		json_report_put(report, object, "spec", text(choice->spec));
		json_report_put(report, object, "hz", job_hz_json(choice));
		json_report_append(report, list, object);
	}
	return list;
}

void job_put_writer(struct json_report *report, json_t *object, const struct run_config *config)
{
	json_report_put(report, object, "writer_cpu",
			config->writer_cpu < 0 ? json_null() : json_integer(config->writer_cpu));
	json_report_put(report, object, "priority",
			config->priority == PRIORITY_AUTO ? json_null()
							  : json_integer(config->priority));
}
