// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/cell.h"
#include "report/verify_text.h"

#define MAX_KIND_NAME 512
#define NAME_WIDTH    24

/* Columns of the matrix: as wide as a detector's name, and a blank. */
static int width_of(enum verify_detector detector)
{
	return (int)strlen(verify_detector_name(detector)) + 1;
}

static int state_of(FILE *out)
{
	return ferror(out) ? -1 : 0;
}

int report_verify_head(FILE *out, const struct verification *verification)
{
	const struct verify_config *config = verification->config;
	const struct machine *machine = &verification->result->machine;

	fprintf(out, "verify   %zu mutant%s, and %zu run%s of what is correct, %s each\n",
		config->mutants, config->mutants == 1 ? "" : "s", config->corrects,
		config->corrects == 1 ? "" : "s", cell_duration(config->duration_ns).text);
	fprintf(out, "machine  %s, %d CPU%s, kernel %s, counter %s\n", machine->cpu_model,
		machine->cpus_allowed, machine->cpus_allowed == 1 ? "" : "s", machine->kernel,
		verification->result->counter);
	return state_of(out);
}

int report_verify_remarks(FILE *out, const struct verification *verification)
{
	const struct remarks *remarks = &verification->result->remarks;

	for (int i = 0; i < remarks->count; i++)
		fprintf(out, "remark   %s\n", remarks->text[i]);
	return state_of(out);
}

static void print_detectors(FILE *out, const struct verify_finding *finding)
{
	for (enum verify_detector i = 0; i < VERIFY_DETECTORS; i++)
		fprintf(out, "%*s", width_of(i), finding->by[i] ? "x" : ".");
	fprintf(out, "%9s\n", cell_ns(finding->seconds * NSEC_PER_SEC).text);
}

static void print_mutant(FILE *out, const struct verify_mutant *mutant,
			 const struct verify_finding *finding)
{
	fprintf(out, "%-24s %-8s", mutant->name, verify_kind_word(mutant->kind));
	switch (verify_verdict(mutant, finding)) {
	case VERIFY_KILLED:
		print_detectors(out, finding);
		break;
	case VERIFY_HIDDEN:
		fprintf(out, "  not on this CPU; see prove\n");
		break;
	case VERIFY_SURVIVED:
		fprintf(out, "  SURVIVED %u tries, %s reads checked\n", finding->tries,
			cell_count(finding->checked).text);
		break;
	case VERIFY_ABSENT:
		fprintf(out, "  not on this machine\n");
		break;
	case VERIFY_UNKNOWN:
		fprintf(out, "  n/a%s\n",
			finding->state == VERIFY_NOT_RUN ? ": interrupted" : ", see below");
		break;
	}
}

/* What the matrix has no room for. */
static void print_why(FILE *out, const struct verify_mutant *mutant,
		      const struct verify_finding *finding)
{
	switch (finding->state) {
	case VERIFY_NOT_HERE:
	case VERIFY_COULD_NOT:
		fprintf(out, "n/a      %s: %s\n", mutant->name, verify_why_nothing(finding));
		break;
	case VERIFY_NO_READ:
	case VERIFY_NOT_MET:
		fprintf(out, "n/a      %s: %s, in %u tries\n", mutant->name,
			verify_why_nothing(finding), finding->tries);
		break;
	case VERIFY_FOUND:
		if (finding->tries > 1)
			fprintf(out, "tries    %s was killed at try %u\n", mutant->name,
				finding->tries);
		break;
	case VERIFY_SEEN_NOTHING:
	case VERIFY_NOT_RUN:
		break;
	}
}

static void print_matrix(FILE *out, const struct verification *verification)
{
	const struct verify_config *config = verification->config;

	fprintf(out, "\n%-24s %-8s", "mutant", "kind");
	for (enum verify_detector i = 0; i < VERIFY_DETECTORS; i++)
		fprintf(out, "%*s", width_of(i), verify_detector_name(i));
	fprintf(out, "%9s\n", "after");
	for (size_t i = 0; i < config->mutants; i++)
		print_mutant(out, &config->mutant[i], &verification->result->mutant[i]);
	for (size_t i = 0; i < config->mutants; i++)
		print_why(out, &config->mutant[i], &verification->result->mutant[i]);
}

/* A part in a job, reader or writer, and how to tell that one has it. */
struct role {
	const char *word;
	bool (*is_played)(const struct verify_job *job, const char *kind);
};

/* What a reader of the user's does is not its writer's fault. */
static bool writes_for_ours(const struct verify_job *job, const char *kind)
{
	return !job->own && verify_job_writes(job, kind);
}

static const struct role reader_role = {"reader", verify_job_reads};
static const struct role writer_role = {"writer", writes_for_ours};

/* Whether it has a row by then. */
static bool had_before(const struct verify_config *config, size_t job, const struct role *role,
		       const char *kind)
{
	for (size_t i = 0; i < job; i++)
		if (role->is_played(&config->correct[i], kind))
			return true;
	return false;
}

/* A spec may be longer than its column. */
static void print_name(FILE *out, const char *name)
{
	if (strlen(name) > NAME_WIDTH)
		fprintf(out, "%s\n%*s", name, NAME_WIDTH, "");
	else
		fprintf(out, "%-*s", NAME_WIDTH, name);
}

/* What all runs of a kind come to; `first` is the first job that it is in. */
static void print_kind(FILE *out, const struct verification *verification, size_t first,
		       const struct role *role, const char *kind)
{
	const struct verify_config *config = verification->config;
	size_t runs = 0, accused = 0;
	u64 checked = 0, retries = 0;
	bool told = false;

	if (had_before(config, first, role, kind))
		return;
	for (size_t i = first; i < config->corrects; i++) {
		const struct verify_finding *finding = &verification->result->correct[i];

		if (!role->is_played(&config->correct[i], kind))
			continue;
		runs += finding->state == VERIFY_FOUND || finding->state == VERIFY_SEEN_NOTHING;
		accused += finding->state == VERIFY_FOUND;
		checked += finding->checked;
		retries += finding->retries;
		told |= finding->state != VERIFY_NOT_RUN && !finding->retries_unavailable[0];
	}
	print_name(out, kind);
	fprintf(out, " %-8s%6zu%17s%14s", role->word, runs, cell_count(checked).text,
		told ? cell_count(retries).text : "n/a");
	if (accused)
		fprintf(out, "%9zu\n", accused);
	else
		fprintf(out, "%9s\n", runs ? "none" : "n/a");
}

static void print_correct(FILE *out, const struct verification *verification)
{
	const struct verify_config *config = verification->config;
	char kind[MAX_KIND_NAME];

	if (!config->corrects)
		return;
	fprintf(out, "\n%-24s %-8s%6s%17s%14s%9s\n", "correct", "kind", "runs", "reads checked",
		"retries", "accused");
	for (size_t i = 0; i < config->corrects; i++) {
		verify_reader_name(&config->correct[i], kind, sizeof(kind));
		print_kind(out, verification, i, &reader_role, kind);
	}
	for (size_t i = 0; i < config->corrects; i++)
		for (size_t j = 0; !config->correct[i].own && j < VERIFY_MAX_WRITERS &&
				   config->correct[i].writer[j];
		     j++) {
			verify_kind_name(config->correct[i].writer[j], kind, sizeof(kind));
			print_kind(out, verification, i, &writer_role, kind);
		}
}

static void print_accused(FILE *out, const struct verification *verification,
			  const struct verify_sum *sum)
{
	const struct verify_config *config = verification->config;

	for (size_t i = 0; i < config->corrects; i++) {
		const struct verify_finding *finding = &verification->result->correct[i];
		const char *why = verify_why_nothing(finding);
		const struct verify_job_cell job = verify_job_cell(&config->correct[i]);

		if (finding->state == VERIFY_FOUND)
			fprintf(out, "accused  %s: %s\n", job.text,
				verify_fault_cell(finding).text);
		else if (why && finding->state != VERIFY_NOT_RUN)
			fprintf(out, "%s %s: %s\n",
				finding->state == VERIFY_NOT_HERE ? "absent  " : "n/a     ",
				job.text, why);
		else if (finding->stalled[0])
			fprintf(out, "tries    %s, well at try %u: %s\n", job.text, finding->tries,
				finding->stalled);
	}
	if (!sum->accused && sum->runs)
		fprintf(out, "accused  none of %zu runs: %s reads checked, %s mixtures caught\n",
			sum->runs, cell_count(sum->checked).text, cell_count(sum->caught).text);
}

static void print_killed(FILE *out, const struct verification *verification,
			 const struct verify_sum *sum)
{
	const size_t shown = sum->killed + sum->survived;

	if (!verification->config->mutants)
		return;
	fprintf(out, "killed   %zu of %zu mutant%s that can show here\n", sum->killed, shown,
		shown == 1 ? "" : "s");
	if (sum->slowest)
		fprintf(out, "slowest  %s, after %s\n", sum->slowest,
			cell_ns(sum->slowest_seconds * NSEC_PER_SEC).text);
	for (enum verify_detector i = 0; i < VERIFY_DETECTORS; i++)
		fprintf(out, "%s%s %zu", i ? ", " : "by       ", verify_detector_name(i),
			sum->killed_by[i]);
	fputc('\n', out);
	if (sum->hidden)
		fprintf(out, "hidden   %zu that only a CPU which reorders can show; see prove\n",
			sum->hidden);
}

int report_verify_figures(FILE *out, const struct verification *verification)
{
	const struct verify_sum sum = verify_add_up(verification->config, verification->result);

	if (verification->config->mutants)
		print_matrix(out, verification);
	print_correct(out, verification);
	fputc('\n', out);
	print_killed(out, verification, &sum);
	print_accused(out, verification, &sum);
	if (verification->result->interrupted)
		fprintf(out, "partial  interrupted after %s: what was not run says nothing\n",
			cell_ns(verification->result->seconds * NSEC_PER_SEC).text);
	return state_of(out);
}
