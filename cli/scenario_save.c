// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/scenario_save.h"
#include "measure/cpu_set.h"
#include "report/cell.h"
#include "report/clock_mode.h"
#include "report/observe_text.h"

static int cannot_write(const char *path, struct errmsg *err)
{
	return errmsg_set(err, "--save: cannot write '%.200s': %s", path, strerror(errno));
}

int scenario_save_check(const char *path, struct errmsg *err)
{
	int descriptor;

	if (strcmp(path, "-") == 0)
		return errmsg_set(err, "--save: a scenario goes to a file, not to standard output");
	descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (descriptor >= 0)
		unlink(path);
	else
		descriptor = open(path, O_WRONLY | O_CLOEXEC);
	if (descriptor < 0)
		return cannot_write(path, err);
	close(descriptor);
	return 0;
}

/* By the clock on the wall, and where that is not the same everywhere. */
static void print_date(FILE *out)
{
	time_t now = time(NULL);
	struct tm tm;
	char date[64] = "";

	if (gmtime_r(&now, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm);
	fprintf(out, "%s", date);
}

static void print_seen(FILE *out, const struct observe_config *config,
		       const struct observe_result *result)
{
	const struct machine *machine = &result->machine;
	const struct hazard *hazard = &result->hazard;

	fprintf(out, "; What contend observe saw of the page of this machine's kernel, ");
	print_date(out);
	fprintf(out, "\n;\n; machine  %s, %d CPUs, kernel %s\n", machine->cpu_model,
		machine->cpus_online, machine->kernel);
	fprintf(out, "; watched  %s, from CPUs %s\n",
		cell_ns((result->seconds + result->asleep.seconds) * NSEC_PER_SEC).text,
		cpu_list(&config->cpus).text);
	fprintf(out, "; page     layout %s, clock mode %s\n", result->page.layout->name,
		report_clock_mode(result->clock_mode));
	fprintf(out, "; updates  %s in %s awake (%.1f Hz); %s in %s asleep (%.1f Hz)\n",
		cell_count(result->updates).text, cell_ns(result->seconds * NSEC_PER_SEC).text,
		result->rate_hz, cell_count(result->asleep.updates).text,
		cell_ns(result->asleep.seconds * NSEC_PER_SEC).text, result->asleep.rate_hz);
	fprintf(out, "; hold     %s: %s\n", cell_ns(hazard->hold_ns).text,
		report_hold_source(hazard->hold_source));
	if (result->tick.cpu < 0)
		fprintf(out, "; tick     on which CPU could not be told: %s\n", result->tick.why);
	else
		fprintf(out, "; tick     on CPU %d\n", result->tick.cpu);
	fprintf(out, ";\n; With reader = image:host it is this kernel's own code that reads.\n\n");
}

static void print_run(FILE *out, const struct observe_result *result)
{
	const struct clocksource *cs = hazard_clocksource(result->clock_mode);

	fprintf(out, "[run]\nduration = 10s\nclocksource = %s%s\n", cs->name,
		cs->has_record ? ":hz=0" : "");
	if (result->tick.cpu >= 0)
		fprintf(out, "writer-cpu = %d\n", result->tick.cpu);
}

static void print_scenario(FILE *out, const struct observe_config *config,
			   const struct observe_result *result)
{
	print_seen(out, config, result);
	print_run(out, result);
	fprintf(out, "\n[writer]\nkind = tick\nhz = %llu\nhold = %lluns\n",
		(unsigned long long)hazard_hz(result->rate_hz),
		(unsigned long long)hazard_hold_ns(result->hazard.hold_ns));
	fprintf(out, "\n[readers monotonic]\ncount = 1\nreader = %s:clock=monotonic\n",
		result->page.in_namespace ? "timens" : "hres");
}

int scenario_save(const char *path, const struct observe_config *config,
		  const struct observe_result *result, struct errmsg *err)
{
	bool failed;
	FILE *out;

	if (result->hazard_unavailable)
		return errmsg_set(err, "--save: there is nothing to save: %s",
				  result->hazard_unavailable);
	out = fopen(path, "we");
	if (!out)
		return cannot_write(path, err);
	print_scenario(out, config, result);
	failed = ferror(out);
	/* Some file systems say only now that there was no room. */
	if (fclose(out) || failed)
		return cannot_write(path, err);
	return 0;
}
