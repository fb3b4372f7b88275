// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/cpu_set.h"
#include "report/cell.h"
#include "report/clock_mode.h"
#include "report/observe_text.h"

/* Where the second line of a group begins. */
#define DETAIL "           "

/* Beyond so many CPUs only those are listed on which an update was seen in progress. */
#define CPUS_LISTED 8

static const char *plural(u64 count)
{
	return count == 1 ? "" : "s";
}

static int state_of(FILE *out)
{
	return ferror(out) ? -1 : 0;
}

static double percent(u64 part, u64 whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static struct cell cell_seconds(double seconds)
{
	return cell_ns(seconds * NSEC_PER_SEC);
}

static void print_lengths(FILE *out, const struct observe_lengths *lengths)
{
	fprintf(out, "p50 %s  p99 %s  min %s  max %s", cell_ns(lengths->p50_ns).text,
		cell_ns(lengths->p99_ns).text, cell_ns(lengths->min_ns).text,
		cell_ns(lengths->max_ns).text);
}

static void print_page(FILE *out, const struct observe_page *page)
{
	s32 distance = page->page < 0 ? -page->page : page->page;

	fprintf(out, "page     layout %s (kernels %s), %d page%s %s the vDSO, data at byte %u",
		page->layout->name, page->layout->kernels, distance, plural((u64)distance),
		page->page < 0 ? "before" : "behind", page->data_offset);
	if (page->in_namespace)
		fprintf(out, ", behind a time namespace's");
	fputc('\n', out);
}

int report_observe_head(FILE *out, const struct observe_config *config,
			const struct observe_result *result)
{
	const struct machine *machine = &result->machine;

	fprintf(out, "contend  watching the kernel's page from CPU%s %s, %s\n",
		plural((u64)CPU_COUNT(&config->cpus)), cpu_list(&config->cpus).text,
		cell_duration(config->duration_ns).text);
	fprintf(out, "machine  %s, %d CPU%s", machine->cpu_model, machine->cpus_online,
		plural((u64)machine->cpus_online));
	if (machine->cpus_allowed < machine->cpus_online)
		fprintf(out, " (%d allowed)", machine->cpus_allowed);
	fprintf(out, ", kernel %s, counter %s %.6g MHz\n", machine->kernel,
		result->clocksource->name, (double)result->counter_hz / 1e6);
	print_page(out, &result->page);
	if (result->outcome == RUN_INTERRUPTED)
		fprintf(out,
			"partial  interrupted after watching for %s; the figures are of that "
			"part\n",
			cell_seconds(result->seconds + result->asleep.seconds).text);
	return state_of(out);
}

static void print_updates(FILE *out, const struct observe_result *result)
{
	char updates[160];

	snprintf(updates, sizeof(updates), "updates  %s (%.1f Hz)",
		 cell_count(result->updates).text, result->rate_hz);
	fprintf(out, "%-38s", updates);
	if (result->interval.samples) {
		fprintf(out, "interval ");
		print_lengths(out, &result->interval);
		fputc('\n', out);
	} else {
		fprintf(out, "interval n/a: no two updates in a row were seen\n");
	}
	fprintf(out, DETAIL "in %s awake; %s seen, %s interval%s between two that were\n",
		cell_seconds(result->seconds).text, cell_count(result->seen).text,
		cell_count(result->interval.samples).text, plural(result->interval.samples));
}

static void print_gaps(FILE *out, const struct observe_result *result)
{
	const u64 without = result->asleep.ticks_without_update;

	if (!result->interval.samples)
		fprintf(out, "gaps     awake n/a: there is no interval\n");
	else if (result->gaps)
		fprintf(out, "gaps     awake %s of 1.5 periods or more, the longest %s\n",
			cell_count(result->gaps).text, cell_ns(result->longest_gap_ns).text);
	else
		fprintf(out, "gaps     awake none of 1.5 periods or more\n");
	if (result->asleep.seconds <= 0) {
		fprintf(out, DETAIL "asleep n/a: there was no time to sleep\n");
		return;
	}
	fprintf(out, DETAIL "asleep %s: %s update%s (%.1f Hz)",
		cell_seconds(result->asleep.seconds).text, cell_count(result->asleep.updates).text,
		plural(result->asleep.updates), result->asleep.rate_hz);
	if (without)
		fprintf(out, ", at least %s tick%s without one", cell_count(without).text,
			plural(without));
	if (result->period_ns > 0 && result->asleep.longest_ns >= 1.5 * result->period_ns)
		fprintf(out, ", once none for %s or more", cell_ns(result->asleep.longest_ns).text);
	fputc('\n', out);
}

static void print_odd(FILE *out, const struct observe_result *result)
{
	u64 elsewhere = result->elsewhere;

	if (!elsewhere) {
		fprintf(out, "odd      n/a: no update was seen that another CPU made\n");
		return;
	}
	fprintf(out, "odd      %s seen (%.1f %% of %s seen made by another CPU)",
		cell_count(result->odd).text, percent(result->odd, elsewhere),
		cell_count(elsewhere).text);
	if (result->hold.samples) {
		fprintf(out, "   for ");
		print_lengths(out, &result->hold);
	}
	fputc('\n', out);
	if (result->odd_unmeasured)
		fprintf(out, DETAIL "%s of them not measured: the watcher was interrupted\n",
			cell_count(result->odd_unmeasured).text);
	if (result->passed.samples)
		fprintf(out,
			DETAIL "%s passed between two looks p50 %s  max %s apart: held no "
			       "longer\n",
			cell_count(result->passed.samples).text,
			cell_ns(result->passed.p50_ns).text, cell_ns(result->passed.max_ns).text);
}

static void print_cpu(FILE *out, const struct observe_cpu *cpu)
{
	fprintf(out, DETAIL "CPU %-3d watched %-8s seen %8s   made by another CPU %8s   odd %6s\n",
		cpu->cpu, cell_seconds(cpu->watched_seconds).text, cell_count(cpu->seen).text,
		cell_count(cpu->elsewhere).text, cell_count(cpu->odd).text);
}

static void print_tick(FILE *out, const struct observe_result *result)
{
	const struct tick_cpu *tick = &result->tick;
	int unlisted = 0;

	if (tick->cpu >= 0)
		fprintf(out,
			"tick     on CPU %d: of %s update%s seen from there another CPU made %s, "
			"of "
			"%s seen from others %s (by chance: %.2g)\n",
			tick->cpu, cell_count(tick->seen).text, plural(tick->seen),
			cell_count(tick->elsewhere).text, cell_count(tick->others_seen).text,
			cell_count(tick->others_elsewhere).text, tick->chance);
	else
		fprintf(out, "tick     on which CPU cannot be told: %s\n", tick->why);
	for (int i = 0; i < result->cpu_count; i++) {
		if (result->cpu_count <= CPUS_LISTED || result->cpus[i].odd)
			print_cpu(out, &result->cpus[i]);
		else
			unlisted++;
	}
	if (unlisted)
		fprintf(out, DETAIL "%d CPUs more, on which none was seen odd: see --json\n",
			unlisted);
}

static void print_steering(FILE *out, const struct observe_result *result)
{
	const char *against = result->steering.against_raw ? "the raw clock's" : "the first one";

	if (!result->steering.known)
		fprintf(out, "steering n/a: no mult was seen\n");
	else if (!result->steering.changes)
		fprintf(out, "steering no change of mult, %+.3f ppm against %s\n",
			result->steering.most_ppm, against);
	else
		fprintf(out, "steering %s change%s of mult, %+.3f to %+.3f ppm against %s\n",
			cell_count(result->steering.changes).text, plural(result->steering.changes),
			result->steering.least_ppm, result->steering.most_ppm, against);
}

static void print_clock(FILE *out, const struct observe_result *result)
{
	if (!result->mode_known) {
		fprintf(out, "clock    n/a: no update was seen whole\n");
		return;
	}
	fprintf(out, "clock    mode %s, %s change%s of it", report_clock_mode(result->clock_mode),
		result->mode_changes ? cell_count(result->mode_changes).text : "no",
		plural(result->mode_changes));
	if (!result->second_looks)
		fprintf(out, "; no second clock in this layout\n");
	else if (!result->second_apart)
		fprintf(out, "; the second clock's sequence always agreed\n");
	else
		fprintf(out, "; the second clock's sequence DISAGREED %s times of %s\n",
			cell_count(result->second_apart).text,
			cell_count(result->second_looks).text);
	print_steering(out, result);
}

static void print_watcher(FILE *out, const struct observe_result *result)
{
	fprintf(out,
		"watcher  a look every %s for %.1f %% of the time; %s interruption%s, the longest "
		"%s, ",
		cell_ns(result->look_ns).text, 100 * result->watched_share,
		cell_count(result->interruptions).text, plural(result->interruptions),
		cell_ns(result->longest_interruption_ns).text);
	if (result->off_cpu_unavailable)
		fprintf(out, "off-CPU n/a: %s\n", result->off_cpu_unavailable);
	else
		fprintf(out, "%s off-CPU\n", cell_count(result->off_cpu).text);
}

const char *report_hold_source(enum hold_source source)
{
	switch (source) {
	case HOLD_SEEN:
		return "the median of those seen odd";
	case HOLD_PASSED:
		return "none was seen odd: assumed, the median distance of the looks between which "
		       "updates passed";
	case HOLD_UNSEEN:
		break;
	}
	return "no update of another CPU was seen: assumed";
}

static void print_run(FILE *out, const struct observe_result *result)
{
	const struct hazard_run *run = &result->run;

	if (run->reads == 0) {
		fprintf(out, DETAIL "simulated n/a: %s\n", run->why);
		return;
	}
	if (run->met)
		fprintf(out, DETAIL "simulated %.1f (95 %%: %.1f to %.1f)", run->per_million,
			run->per_million_95.low, run->per_million_95.high);
	else
		fprintf(out, DETAIL "simulated less than %.3g", run->per_million_95.high);
	fprintf(out, " per million: %s of %s reads met an update, at %llu Hz, hold p50 %s; ",
		cell_count(run->met).text, cell_count(run->reads).text, (unsigned long long)run->hz,
		cell_ns(run->hold_p50_ns).text);
	fprintf(out, "by the law %.1f\n", run->law_per_million);
	if (*run->why)
		fprintf(out, DETAIL "%s\n", run->why);
}

static void print_hazard(FILE *out, const struct observe_result *result)
{
	const struct hazard *hazard = &result->hazard;

	if (result->hazard_unavailable) {
		fprintf(out, "hazard   n/a: %s\n", result->hazard_unavailable);
		return;
	}
	fprintf(out,
		"hazard   %.1f per million MONOTONIC reads meet an update on another CPU, %.1f on "
		"the tick's own\n",
		hazard->per_million, hazard->tick_cpu);
	fprintf(out, DETAIL "%.1f Hz x (read %s + hold %s; %s)\n", hazard->rate_hz,
		cell_ns(hazard->read_ns).text, cell_ns(hazard->hold_ns).text,
		report_hold_source(hazard->hold_source));
	if (hazard->least < hazard->per_million)
		fprintf(out, DETAIL "%.1f if those that were not seen odd held for no time\n",
			hazard->least);
	if (result->simulated)
		print_run(out, result);
}

int report_observe_figures(FILE *out, const struct observe_result *result)
{
	fputc('\n', out);
	print_updates(out, result);
	print_gaps(out, result);
	print_odd(out, result);
	print_tick(out, result);
	print_clock(out, result);
	print_watcher(out, result);
	print_hazard(out, result);
	return state_of(out);
}

int report_observe_remarks(FILE *out, const struct observe_result *result)
{
	for (int i = 0; i < result->remarks.count; i++)
		fprintf(out, "remark   %s\n", result->remarks.text[i]);
	return state_of(out);
}
