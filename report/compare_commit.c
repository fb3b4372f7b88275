// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <string.h>

#include "report/cell.h"
#include "report/compare_cells.h"
#include "report/compare_commit.h"
#include "report/work_cell.h"
#include "report/writer_cell.h"

#define COLUMNS 75
#define INDENT	4
/* Of what a line that begins with a label has after it. */
#define LABEL_WIDTH 11

static const char *plural(u64 count)
{
	return count == 1 ? "" : "s";
}

/* Breaks at blanks, and words that are longer than a line anywhere. */
static void print_wrapped(FILE *out, int indent, const char *text)
{
	const int width = COLUMNS - indent;
	bool first = true;

	while (*text) {
		int length = (int)strlen(text);

		if (length > width) {
			length = width;
			while (length && text[length] != ' ')
				length--;
			length = length ? length : width;
		}
		fprintf(out, "%*s%.*s\n", first ? 0 : indent, "", length, text);
		first = false;
		text += length;
		text += strspn(text, " ");
	}
}

__attribute__((format(printf, 3, 4))) static void print_labelled(FILE *out, const char *label,
								 const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(out, "%*s%-*s", INDENT, "", LABEL_WIDTH, label);
	print_wrapped(out, INDENT + LABEL_WIDTH, text);
}

/* "after", or "after 2" if there are several. */
static struct cell after(const struct comparison *comparison, size_t who)
{
	struct cell cell = {"after"};

	if (comparison->config->readers > 2)
		snprintf(cell.text, sizeof(cell.text), "after %zu", who);
	return cell;
}

static void print_method(FILE *out, const struct comparison *comparison)
{
	const struct compare_config *config = comparison->config;
	const struct compare_result *result = comparison->result;
	char writer[128] = "no updates", work[96] = "", all[64] = "",
	     places[64] = "one placement of the code";

	if (config->has_writer)
		snprintf(writer, sizeof(writer), "%.120s",
			 updates_cell(&config->run.writer[0]).text);
	if (config->run.group[0].work.kind != WORK_NONE)
		snprintf(work, sizeof(work), ", work %.60s between reads",
			 work_cell(&config->run.group[0].work).text);
	if (result->placements)
		snprintf(places, sizeof(places), "%llu placements of the code, two each",
			 (unsigned long long)result->placements);
	if (config->readers > 2)
		snprintf(all, sizeof(all), "; intervals hold for all %zu at once",
			 config->readers - 1);
	print_labelled(out, "method:",
		       "contend compare %s: %.3g s, blocks of %s of each in random order, %u "
		       "thread%s, %s%s; %llu visits of %s%s%s",
		       CONTEND_VERSION, result->seconds, cell_ns(result->block_ns).text,
		       config->run.group[0].readers, plural(config->run.group[0].readers), writer,
		       work, (unsigned long long)result->visits, places, all,
		       result->outcome == COMPARE_COMPLETE ? "" : "; ended early");
}

/* What was found is of the one place where its code lies. */
static void print_still(FILE *out, const struct comparison *comparison)
{
	const char *label = "still:";

	if (!comparison->result->placements)
		return;
	for (size_t who = 0; who < comparison->config->readers; who++) {
		if (!comparison->result->reader[who].placement_still)
			continue;
		print_labelled(out, label,
			       "%s: %s code cannot be moved, so it stayed in one placement",
			       who ? after(comparison, who).text : "before",
			       comparison_whose_code(comparison, who));
		label = "";
	}
}

static void print_machine(FILE *out, const struct comparison *comparison)
{
	const struct machine *machine = &comparison->result->machine;

	print_labelled(out, "CPU:", "%s, %d CPU%s%s%s", machine->cpu_model, machine->cpus_online,
		       plural((u64)machine->cpus_online),
		       machine->hypervisor[0] ? ", a guest of " : "", machine->hypervisor);
	print_labelled(out, "kernel:", "%s", machine->kernel);
}

static const char *compiler_of(const struct comparison *comparison, size_t who)
{
	const struct reader *reader = comparison->config->reader[who];

	if (reader->image)
		return "unknown, it is an image";
	if (reader_no_code(reader))
		return "the one that built contend";
	return reader->code.compiler[0] ? reader->code.compiler : "unknown";
}

/* Once if it is the same for all. */
static void print_compilers(FILE *out, const struct comparison *comparison)
{
	const char *first = compiler_of(comparison, 0);
	bool same = true;

	for (size_t who = 1; who < comparison->config->readers; who++)
		same = same && strcmp(compiler_of(comparison, who), first) == 0;
	print_labelled(out, "compiler:", "%s%s", first, same ? "" : " (before)");
	for (size_t who = 1; !same && who < comparison->config->readers; who++)
		print_labelled(out, "", "%s (%s)", compiler_of(comparison, who),
			       after(comparison, who).text);
}

static void print_readers(FILE *out, const struct comparison *comparison)
{
	struct cell label;

	print_labelled(out, "before:", "%s", comparison->spec[0]);
	for (size_t who = 1; who < comparison->config->readers; who++) {
		label = after(comparison, who);
		strcat(label.text, ":");
		print_labelled(out, label.text, "%s", comparison->spec[who]);
	}
}

static void print_times(FILE *out, const struct comparison *comparison)
{
	fprintf(out, "%*s%-8s %8s %9s %12s %20s\n", INDENT, "", "ns/read", "before", "after",
		"difference", "95 % interval");
	for (size_t who = 1; who < comparison->config->readers; who++)
		fprintf(out, "%*s%-8s %8s %9s %12s %20s\n", INDENT, "", after(comparison, who).text,
			compare_read_cell(comparison, 0).text,
			compare_read_cell(comparison, who).text,
			compare_effect_cell(comparison, who).text,
			compare_interval_cell(comparison, who, false).text);
}

static void print_verdicts(FILE *out, const struct comparison *comparison)
{
	for (size_t who = 1; who < comparison->config->readers; who++) {
		struct cell label = after(comparison, who);

		strcat(label.text, ":");
		print_labelled(out, label.text,
			       "%s; %s -> %s retries per million reads, %s -> %s bytes of code",
			       compare_verdict_cell(comparison, who).text,
			       compare_retries_cell(comparison, 0).text,
			       compare_retries_cell(comparison, who).text,
			       compare_text_cell(comparison, 0).text,
			       compare_text_cell(comparison, who).text);
	}
}

int report_compare_commit(FILE *out, const struct comparison *comparison)
{
	print_times(out, comparison);
	fputc('\n', out);
	print_verdicts(out, comparison);
	fputc('\n', out);
	print_readers(out, comparison);
	print_method(out, comparison);
	print_still(out, comparison);
	print_machine(out, comparison);
	if (comparison->null)
		print_labelled(out, "fitness:", "%s", comparison_fitness(comparison).text);
	print_compilers(out, comparison);
	return ferror(out) ? -1 : 0;
}
