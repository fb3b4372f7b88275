// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <string.h>

#include "report/ktap.h"

#define MAX_LINE 512

void ktap_begin(struct ktap *ktap, FILE *out, size_t suites)
{
	*ktap = (struct ktap){.out = out};
	fprintf(out, "KTAP version 1\n1..%zu\n", suites);
}

/* `no` are characters that it must not hold. */
static void print_clean(FILE *out, const char *text, const char *no)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			fputc('?', out);
		else
			fputc(strchr(no, *text) ? '_' : *text, out);
}

void ktap_suite(struct ktap *ktap, const char *name, size_t tests)
{
	ktap->suite = name;
	ktap->suites++;
	ktap->tests = 0;
	ktap->failed = ktap->shown = false;
	fprintf(ktap->out, "  KTAP version 1\n  # Subtest: ");
	print_clean(ktap->out, name, "#");
	fprintf(ktap->out, "\n  1..%zu\n", tests);
}

void ktap_note(struct ktap *ktap, const char *format, ...)
{
	char line[MAX_LINE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fprintf(ktap->out, "  # ");
	print_clean(ktap->out, line, "");
	fputc('\n', ktap->out);
}

static void print_result(FILE *out, enum ktap_outcome outcome, size_t number, const char *name,
			 const char *why)
{
	static const char *const directive[] = {
		[KTAP_SKIP] = "SKIP",
		[KTAP_ERROR] = "ERROR",
	};

	fprintf(out, "%s %zu ", outcome == KTAP_OK || outcome == KTAP_SKIP ? "ok" : "not ok",
		number);
	print_clean(out, name, "#");
	if (outcome == KTAP_SKIP || outcome == KTAP_ERROR) {
		fprintf(out, " # %s ", directive[outcome]);
		print_clean(out, why, "");
	}
	fputc('\n', out);
}

void ktap_test(struct ktap *ktap, enum ktap_outcome outcome, const char *name, const char *why)
{
	ktap->failed |= outcome == KTAP_NOT_OK || outcome == KTAP_ERROR;
	ktap->shown |= outcome != KTAP_SKIP;
	fputs("  ", ktap->out);
	print_result(ktap->out, outcome, ++ktap->tests, name, why);
}

void ktap_end_suite(struct ktap *ktap)
{
	const enum ktap_outcome outcome = ktap->failed	? KTAP_NOT_OK
					  : ktap->shown ? KTAP_OK
							: KTAP_SKIP;

	print_result(ktap->out, outcome, ktap->suites, ktap->suite, "none of it can show here");
}
