// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "measure/verify_child.h"
#include "measure/writers.h"
#include "sim/barrier.h"

/* Updates a second of a writer that has a rate, if its spec does not say. */
#define DEFAULT_HZ 1000

_Noreturn static void end(struct verify_area *area, enum verify_ending ending)
{
	smp_store_release(&area->ending, ending);
	_exit(0);
}

static void choose_clocksource(const struct verify_job *job, struct run_config *config,
			       struct verify_area *area)
{
	struct clocksource_choice choice = {.clocksource = clocksource_default()};
	const char *why = "it is for tests only";

	if (job->clocksource && clocksource_resolve(job->clocksource, &choice, &area->err))
		end(area, VERIFY_FAILED);
	if (!choice.clocksource->selectable || !choice.clocksource->usable(&why)) {
		errmsg_set(&area->err, "clock source %s cannot be used here: %s",
			   choice.clocksource->name, why);
		end(area, VERIFY_LEFT_OUT);
	}
	config->clocksource = choice.clocksource;
	config->record_hz = choice.hz;
}

static void choose_writers(const struct verify_job *job, struct run_config *config,
			   struct verify_area *area)
{
	for (size_t i = 0; i < VERIFY_MAX_WRITERS && job->writer[i]; i++) {
		struct writer_choice *choice = &config->writer[config->writers++];

		if (writer_resolve(job->writer[i], choice, &area->err))
			end(area, VERIFY_FAILED);
		if (writer_has_rate(choice->kind) && !choice->hz)
			choice->hz = DEFAULT_HZ;
	}
}

/* There is not a vDSO everywhere, nor one that can be run on a page of ours. */
static void choose_reader(const struct verify_job *job, struct run_config *config,
			  struct verify_area *area)
{
	struct run_group *group = &config->group[0];

	group->readers = 1;
	strcpy(group->name, "readers");
	if (reader_resolve(job->reader, &group->reader, &area->err))
		end(area, verify_job_reads(job, "image") ? VERIFY_LEFT_OUT : VERIFY_FAILED);
	if (group->reader.image && config->clocksource->clock_mode != VDSO_CLOCKMODE_TSC) {
		errmsg_set(&area->err, "the code of image:%s cannot read %s",
			   group->reader.image->name, config->clocksource->name);
		end(area, VERIFY_LEFT_OUT);
	}
}

static void tell(const struct run_result *result, struct verify_area *area)
{
	const double first_ns = result->all.first_fault_ns;
	const double seen_ns = result->fault_seen_ns;

	area->outcome = result->outcome;
	memcpy(area->stall, result->stall, sizeof(area->stall));
	area->forbidden_jumps = result->forbidden_jumps;
	area->updates = result->writer.updates;
	area->counts = result->all.total;
	if (result->all.retries_unavailable)
		snprintf(area->retries_unavailable, sizeof(area->retries_unavailable), "%s",
			 result->all.retries_unavailable);
	area->seconds = result->seconds;
	/* Of a jump it is known only when it was seen. */
	area->fault_seconds = seen_ns < 0 ? first_ns : seen_ns;
	if (first_ns >= 0 && first_ns < area->fault_seconds)
		area->fault_seconds = first_ns;
	if (area->fault_seconds >= 0)
		area->fault_seconds /= NSEC_PER_SEC;
}

/* A crash is to be the end of this process, whatever handlers the parent had for its own. */
static void let_crash(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
	const struct rlimit none = {0, 0};

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		signal(signals[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &none);
}

_Noreturn void verify_child(const struct verify_job *job, u64 length_ns, struct verify_area *area)
{
	struct run_config *config = calloc(1, sizeof(*config));
	struct run_result *result = calloc(1, sizeof(*result));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	let_crash();
	if (!config || !result) {
		errmsg_set(&area->err, "no memory for a run");
		end(area, VERIFY_FAILED);
	}
	*config = (struct run_config){
		.groups = 1,
		.duration_ns = length_ns,
		.writer_cpu = -1,
		.priority = PRIORITY_AUTO,
		.payload = job->payload,
		.seed = 1,
		.until_fault = true,
	};
	choose_clocksource(job, config, area);
	choose_reader(job, config, area);
	choose_writers(job, config, area);
	if (writers_check(config, &area->err))
		end(area, VERIFY_LEFT_OUT);
	if (run_execute(config, NULL, result, &area->err))
		end(area, VERIFY_FAILED);
	tell(result, area);
	end(area, VERIFY_RAN);
}
