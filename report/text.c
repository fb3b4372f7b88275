// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "measure/cpu_set.h"
#include "report/cell.h"
#include "report/fairness.h"
#include "report/part.h"
#include "report/text.h"
#include "report/work_cell.h"
#include "report/writer_cell.h"

/* Where the second line of a group begins. */
#define DETAIL "           "

static const char *plural(u64 count)
{
	return count == 1 ? "" : "s";
}

static int state_of(FILE *out)
{
	return ferror(out) ? -1 : 0;
}

static void print_group_job(FILE *out, const struct run_group *group)
{
	fprintf(out, "%u reader%s, %s (%s)", group->readers, plural(group->readers),
		group->reader.path, group->reader.variation);
}

static void print_work(FILE *out, const struct run_group *group)
{
	if (group->work.kind != WORK_NONE)
		fprintf(out, ", work %s", work_cell(&group->work).text);
}

static void print_job(FILE *out, const struct run_config *config)
{
	fprintf(out, "contend  ");
	if (config->groups == 1)
		print_group_job(out, &config->group[0]);
	else
		fprintf(out, "%u readers in %u groups", run_readers(config), config->groups);
	fprintf(out, ", %s", writers_cell(config).text);
	if (config->payload == PAYLOAD_STAMP)
		fprintf(out, ", payload stamp");
	if (config->groups == 1)
		print_work(out, &config->group[0]);
	fprintf(out, ", %s\n", cell_duration(config->duration_ns).text);
}

/* Where each feature's instructions were put in place; why others were not is told in JSON only. */
static void print_alternatives(FILE *out, const struct alternatives *alternatives)
{
	const char *last = "";

	for (size_t i = 0; i < alternatives->count; i++) {
		const struct alternative *entry = &alternatives->list[i];

		if (!entry->applied)
			continue;
		if (strcmp(entry->feature, last) == 0)
			fprintf(out, ", 0x%x", entry->offset);
		else
			fprintf(out, "%s %s at 0x%x", *last ? ";" : "", entry->feature,
				entry->offset);
		last = entry->feature;
	}
	if (!*last)
		fprintf(out, " none applied");
	fputc('\n', out);
}

static void print_image(FILE *out, const struct vdso_image *image)
{
	const struct vdso_wants *wants = &image->wants;

	fprintf(out, "image    page as of kernels %s (%s), at byte %u of page %d of the image's",
		wants->layout->kernels, wants->layout->name, wants->data_offset, wants->time_page);
	if (wants->has_namespace)
		fprintf(out, "; in a time namespace page %d too", wants->namespace_page);
	if (wants->has_pvclock)
		fprintf(out, "; pvclock in page %d", wants->pvclock_page);
	fprintf(out, "\n" DETAIL "alternatives");
	if (image->patched_by_kernel)
		fprintf(out, " as the kernel applied them\n");
	else
		print_alternatives(out, &image->alternatives);
}

/* The CPUs that they ran on. */
static void print_place(FILE *out, const struct readers_result *readers)
{
	cpu_set_t used;

	CPU_ZERO(&used);
	for (u32 i = 0; i < readers->readers; i++)
		if (readers->each[i].cpu >= 0)
			CPU_SET((size_t)readers->each[i].cpu, &used);
	fprintf(out, "on CPU%s %s\n", plural((u64)CPU_COUNT(&used)), cpu_list(&used).text);
}

static void print_machine(FILE *out, const struct run_config *config,
			  const struct run_result *result)
{
	const struct machine *machine = &result->machine;

	fprintf(out, "machine  %s, %d CPU%s", machine->cpu_model, machine->cpus_online,
		plural((u64)machine->cpus_online));
	if (machine->cpus_allowed < machine->cpus_online)
		fprintf(out, " (%d allowed)", machine->cpus_allowed);
	fprintf(out, ", counter %s %.6g MHz; writer on CPU %d ", config->clocksource->name,
		(double)result->counter_hz / 1e6, result->writer.cpu);
	if (result->writer.priority)
		fprintf(out, "(FIFO %d), ", result->writer.priority);
	else
		fprintf(out, "(not real-time), ");
	fprintf(out, "reader%s ", plural(result->all.readers));
	print_place(out, &result->all);
}

/* What each group does and where, if there are several; and what images are. */
static void print_groups(FILE *out, const struct run_config *config,
			 const struct run_result *result)
{
	for (u32 i = 0; i < config->groups; i++) {
		const struct run_group *group = &config->group[i];

		if (config->groups > 1) {
			fprintf(out, "group    %s: ", group->name);
			print_group_job(out, group);
			print_work(out, group);
			fprintf(out, ", ");
			print_place(out, &result->group[i]);
		}
		if (group->reader.image)
			print_image(out, group->reader.image);
	}
}

static void print_end(FILE *out, const struct run_config *config, const struct run_result *result)
{
	switch (result->outcome) {
	case RUN_COMPLETE:
		break;
	case RUN_INTERRUPTED:
		fprintf(out, "partial  interrupted after %s of %s; the figures are of that part\n",
			cell_ns(result->seconds * NSEC_PER_SEC).text,
			cell_duration(config->duration_ns).text);
		break;
	case RUN_STALLED:
		fprintf(out, "stalled  %s\n", result->stall);
		fprintf(out,
			"partial  the figures are of %s, the wait until it was told included\n",
			cell_ns(result->seconds * NSEC_PER_SEC).text);
		break;
	}
}

int report_text_head(FILE *out, const struct run_config *config, const struct run_result *result)
{
	print_job(out, config);
	print_machine(out, config, result);
	print_groups(out, config, result);
	print_end(out, config, result);
	return state_of(out);
}

static void print_writer(FILE *out, const struct writer_result *writer)
{
	char updates[160];

	snprintf(updates, sizeof(updates), "updates %s (%.1f Hz)", cell_count(writer->updates).text,
		 writer->rate_hz);
	fprintf(out, "writer   %-26s   ", updates);
	if (writer->late.samples)
		fprintf(out, "late p99 %s   ", cell_ns(writer->late.p99_ns).text);
	if (writer->hold.samples)
		fprintf(out, "hold p50 %s  p99 %s  max %s\n", cell_ns(writer->hold.p50_ns).text,
			cell_ns(writer->hold.p99_ns).text, cell_ns(writer->hold.max_ns).text);
	else
		fprintf(out, "hold n/a: no update was measured\n");
	if (writer->missed_ticks)
		fprintf(out, DETAIL "%s tick%s without an update of %s own\n",
			cell_count(writer->missed_ticks).text, plural(writer->missed_ticks),
			writer->missed_ticks == 1 ? "its" : "their");
	if (writer->stalls)
		fprintf(out, DETAIL "%s stall%s: held for %s or more\n",
			cell_count(writer->stalls).text, plural(writer->stalls),
			cell_ns(writer->stall_limit_ns).text);
}

/* Of the clock source's record in memory, if it has one. */
static void print_record(FILE *out, const struct run_config *config,
			 const struct run_result *result)
{
	if (!config->clocksource->has_record)
		return;
	fprintf(out, "%-8s updates %s (%.1f Hz of the %llu asked for)\n", config->clocksource->name,
		cell_count(result->record_updates).text, result->record_rate_hz,
		(unsigned long long)config->record_hz);
}

static void print_left_out(FILE *out, const struct report_part *part)
{
	const struct readers_result *readers = part->readers;
	const struct reader_counts *total = &readers->total;

	if (part->group && part->group->work.kind != WORK_NONE)
		fprintf(out, DETAIL "work between reads %s, not in these figures\n",
			cell_ns(readers->work_ns).text);
	if (part->group && readers->timer_ns > 0)
		fprintf(out, DETAIL "timing each read %s, taken out\n",
			cell_ns(readers->timer_ns).text);
	if (total->off_cpu_gaps)
		fprintf(out, DETAIL "%s read%s not timed: the reader was descheduled\n",
			cell_count(total->off_cpu_gaps).text, plural(total->off_cpu_gaps));
	if (total->fallbacks)
		fprintf(out, DETAIL "%s fallback%s to the system call, not among the reads\n",
			cell_count(total->fallbacks).text, plural(total->fallbacks));
}

static void print_reads(FILE *out, const struct report_part *part)
{
	const struct distribution *read = &part->readers->read;
	char reads[160];

	snprintf(reads, sizeof(reads), "%s (%s)", cell_count(part->readers->total.reads).text,
		 cell_rate(part->readers->reads_per_second).text);
	fprintf(out, "reads    %-26s   ", reads);
	if (read->samples)
		fprintf(out, "mean %s  p50 %s  p99 %s  p99.99 %s  max %s\n",
			cell_ns(read->mean_ns).text, cell_ns(read->p50_ns).text,
			cell_ns(read->p99_ns).text, cell_ns(read->p99_99_ns).text,
			cell_ns(read->max_ns).text);
	else
		fprintf(out, "n/a: no read was timed\n");
	print_left_out(out, part);
}

static void print_fairness(FILE *out, const struct report_part *part)
{
	struct fairness fairness;

	/* Nobody expects different readers to get on evenly. */
	if (part->readers->readers < 2 || !part->group)
		return;
	fairness = report_fairness(part->readers);
	fprintf(out, "fairness slowest %s reads (CPU %d)  fastest %s reads (CPU %d)",
		cell_count(fairness.slowest->counts.reads).text, fairness.slowest->cpu,
		cell_count(fairness.fastest->counts.reads).text, fairness.fastest->cpu);
	if (fairness.fastest->counts.reads)
		fprintf(out, "  ratio %.3f", fairness.ratio);
	fputc('\n', out);
}

/* What can be seen from outside of code that does not tell its retries. */
static void print_no_retries(FILE *out, const struct report_part *part)
{
	const struct reader_counts *total = &part->readers->total;

	fprintf(out, "retries  n/a: %s\n", part->readers->retries_unavailable);
	if (!part->opaque)
		return;
	fprintf(out, DETAIL "sequence changed during %s read%s",
		cell_count(total->sequence_changed).text, plural(total->sequence_changed));
	if (total->reads)
		fprintf(out, " = %.1f per million",
			1e6 * (double)total->sequence_changed / (double)total->reads);
	fprintf(out, "      began on odd %s\n", cell_count(total->began_odd).text);
}

static void print_retries(FILE *out, const struct report_part *part)
{
	const struct reader_counts *total = &part->readers->total;
	const char *off_cpu_unavailable = part->result->off_cpu_unavailable;

	if (part->readers->retries_unavailable) {
		print_no_retries(out, part);
		return;
	}
	fprintf(out, "retries  %s  = ", cell_count(reader_retries(total)).text);
	if (total->reads)
		fprintf(out, "%.1f per million reads\n", reader_retries_per_million(total));
	else
		fprintf(out, "n/a per million reads: there was none\n");
	fprintf(out,
		DETAIL "odd wait %10s      changed %10s      off-CPU %10s      longest run %s\n",
		cell_count(total->odd_waits).text, cell_count(total->changed).text,
		off_cpu_unavailable ? "n/a" : cell_count(total->off_cpu).text,
		cell_count(total->longest_run).text);
	if (off_cpu_unavailable)
		fprintf(out, DETAIL "off-CPU n/a, they are among the changed: %s\n",
			off_cpu_unavailable);
	if (total->spins)
		fprintf(out, DETAIL "%s spin%s while odd\n", cell_count(total->spins).text,
			plural(total->spins));
}

static void print_torn(FILE *out, const struct report_part *part)
{
	const struct readers_result *readers = part->readers;
	const struct reader_counts *total = &readers->total;

	if (total->checked)
		fprintf(out, "torn     %s of %s checked, ", cell_count(total->torn).text,
			cell_count(total->checked).text);
	else
		fprintf(out, "torn     n/a: no read was checked, ");
	if (readers->retries_unavailable)
		fprintf(out, "mixtures caught by the retry n/a\n");
	else
		fprintf(out, "%s mixture%s caught by the retry\n", cell_count(total->caught).text,
			plural(total->caught));
	if (readers->first_fault_ns >= 0)
		fprintf(out, DETAIL "first fault after %s\n",
			cell_ns(readers->first_fault_ns).text);
	if (total->unchecked)
		fprintf(out, DETAIL "%s read%s unchecked: the update was forgotten by then\n",
			cell_count(total->unchecked).text, plural(total->unchecked));
	if (total->lost_unjudged)
		fprintf(out, DETAIL "%s attempt%s thrown away unjudged\n",
			cell_count(total->lost_unjudged).text, plural(total->lost_unjudged));
}

static void print_stale(FILE *out, const struct report_part *part)
{
	const struct reader_counts *total = &part->readers->total;

	if (total->checked)
		fprintf(out, "stale    %s of %s checked\n", cell_count(total->stale).text,
			cell_count(total->checked).text);
	else
		fprintf(out, "stale    n/a: no read was checked\n");
}

static void print_time(FILE *out, const struct report_part *part)
{
	if (part->result->backwards_unavailable)
		fprintf(out, "time     n/a: %s\n", part->result->backwards_unavailable);
	else
		fprintf(out, "time     %s backwards\n",
			cell_count(part->readers->total.backwards).text);
	if (part->result->forbidden_jumps)
		fprintf(out, DETAIL "%s jump%s of the clock that no writer may make\n",
			cell_count(part->result->forbidden_jumps).text,
			plural(part->result->forbidden_jumps));
}

static void print_part(FILE *out, const struct report_part *part)
{
	print_reads(out, part);
	print_fairness(out, part);
	print_retries(out, part);
	print_torn(out, part);
	print_stale(out, part);
	print_time(out, part);
}

static void print_each_group(FILE *out, const struct run_config *config,
			     const struct run_result *result)
{
	for (u32 i = 0; i < config->groups; i++) {
		const struct report_part part = report_part_group(config, result, i);

		fprintf(out, "\ngroup    %s\n", part.group->name);
		print_part(out, &part);
	}
}

static void print_baseline(FILE *out, const struct baseline_result *baseline)
{
	if (!baseline->pairs) {
		fprintf(out, "baseline n/a: no block was timed\n");
		return;
	}
	fprintf(out, "baseline bare %s", cell_ns(baseline->bare_ns).text);
	if (baseline->counted_ns > 0)
		fprintf(out, "  counted %s", cell_ns(baseline->counted_ns).text);
	if (!baseline->unavailable)
		fprintf(out, "  host's vDSO %s", cell_ns(baseline->host_ns).text);
	fprintf(out, " a read, medians of %s blocks each\n", cell_count(baseline->pairs).text);
	if (baseline->counted_ns > 0)
		fprintf(out, DETAIL "counted / bare %.4f      run / counted %.4f",
			baseline->counted_to_bare, baseline->run_to_counted);
	else
		fprintf(out, DETAIL "counted n/a: an image's code tells nothing");
	if (baseline->unavailable)
		fprintf(out, "      bare / host n/a: %s\n", baseline->unavailable);
	else
		fprintf(out, "      bare / host %.4f\n", baseline->bare_to_host);
}

int report_text_figures(FILE *out, const struct run_config *config, const struct run_result *result)
{
	const struct report_part all = report_part_all(config, result);

	fputc('\n', out);
	print_writer(out, &result->writer);
	print_record(out, config, result);
	print_part(out, &all);
	if (config->baseline)
		print_baseline(out, &result->baseline);
	if (config->groups > 1)
		print_each_group(out, config, result);
	return state_of(out);
}

static void print_finding(FILE *out, const struct expect_finding *finding)
{
	char found[32];

	/* A count to its last digit. */
	snprintf(found, sizeof(found),
		 finding->found < floor(finding->found) + 1e-9 ? "%.15g" : "%.6g", finding->found);
	if (finding->unavailable)
		fprintf(out, "n/a, because %s: ", finding->unavailable);
	else
		fprintf(out, "found %s: ", found);
	fprintf(out, finding->held ? "held\n" : "did NOT hold\n");
}

int report_text_expect(FILE *out, const struct expect *expect, const struct run_config *config,
		       const struct run_result *result)
{
	int width = 0;

	for (size_t i = 0; i < expect->count; i++) {
		const int length = (int)strlen(expect_text(&expect->condition[i]).text);

		width = length > width ? length : width;
	}
	for (size_t i = 0; i < expect->count; i++) {
		const struct expect_condition *condition = &expect->condition[i];
		const struct expect_finding finding = expect_find(condition, config, result);

		fprintf(out, "%sexpect   %-*s   ", i ? "" : "\n", width,
			expect_text(condition).text);
		print_finding(out, &finding);
	}
	return state_of(out);
}

int report_text(FILE *out, const struct run_config *config, const struct run_result *result)
{
	report_text_head(out, config, result);
	return report_text_figures(out, config, result);
}

int report_remarks(FILE *out, const struct run_result *result)
{
	for (int i = 0; i < result->remarks.count; i++)
		fprintf(out, "remark   %s\n", result->remarks.text[i]);
	return state_of(out);
}
