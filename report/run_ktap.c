// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cell.h"
#include "report/ktap.h"
#include "report/run_ktap.h"

#define OWN_TESTS 6

/* Why a run has not come to what it would have; NULL: it has. */
static const char *why_partial(const struct run_result *result)
{
	switch (result->outcome) {
	case RUN_STALLED:
		return "the run stalled before its end";
	case RUN_INTERRUPTED:
		return "interrupted before its end";
	case RUN_COMPLETE:
		break;
	}
	return NULL;
}

static void tell_end(struct ktap *ktap, const struct run_result *result)
{
	static const char name[] = "no stall";

	switch (result->outcome) {
	case RUN_STALLED:
		ktap_note(ktap, "%s", result->stall);
		ktap_test(ktap, KTAP_NOT_OK, name, NULL);
		break;
	case RUN_INTERRUPTED:
		ktap_test(ktap, KTAP_ERROR, name, why_partial(result));
		break;
	case RUN_COMPLETE:
		ktap_test(ktap, KTAP_OK, name, NULL);
		break;
	}
}

static void tell_reads(struct ktap *ktap, const struct run_result *result)
{
	const u64 reads = result->all.total.reads;

	ktap_note(ktap, "%s reads in %s", cell_count(reads).text,
		  cell_ns(result->seconds * NSEC_PER_SEC).text);
	if (reads || !why_partial(result))
		ktap_test(ktap, reads ? KTAP_OK : KTAP_NOT_OK, "reads > 0", NULL);
	else
		ktap_test(ktap, KTAP_ERROR, "reads > 0", why_partial(result));
}

/* `unknown` is why it could not be looked for; NULL: it was. */
static void tell_fault(struct ktap *ktap, const struct run_result *result, const char *name,
		       u64 found, const char *unknown)
{
	if (found) {
		ktap_note(ktap, "found %s", cell_count(found).text);
		ktap_test(ktap, KTAP_NOT_OK, name, NULL);
	} else if (unknown) {
		ktap_test(ktap, KTAP_SKIP, name, unknown);
	} else if (why_partial(result)) {
		ktap_test(ktap, KTAP_ERROR, name, why_partial(result));
	} else {
		ktap_test(ktap, KTAP_OK, name, NULL);
	}
}

static void tell_faults(struct ktap *ktap, const struct run_result *result)
{
	const struct reader_counts *total = &result->all.total;
	const char *unchecked = total->checked ? NULL : "no read was checked";

	tell_fault(ktap, result, "torn = 0", total->torn, unchecked);
	tell_fault(ktap, result, "stale = 0", total->stale, unchecked);
	tell_fault(ktap, result, "time_backwards = 0", total->backwards,
		   result->backwards_unavailable);
	tell_fault(ktap, result, "forbidden_jumps = 0", result->forbidden_jumps, NULL);
}

static void tell_condition(struct ktap *ktap, const struct expect_condition *condition,
			   const struct run_config *config, const struct run_result *result)
{
	const struct expect_finding finding = expect_find(condition, config, result);
	char name[EXPECT_MAX_TEXT + 16];

	snprintf(name, sizeof(name), "expect %s", expect_text(condition).text);
	if (finding.unavailable)
		ktap_note(ktap, "n/a: %s", finding.unavailable);
	else
		ktap_note(ktap, "found %.10g", finding.found);
	if (why_partial(result))
		ktap_test(ktap, KTAP_ERROR, name, why_partial(result));
	else
		ktap_test(ktap, finding.held ? KTAP_OK : KTAP_NOT_OK, name, NULL);
}

int report_run_ktap(FILE *out, const struct run_config *config, const struct expect *expect,
		    const struct run_result *result)
{
	struct ktap ktap;

	ktap_begin(&ktap, out, 1);
	ktap_suite(&ktap, "run", OWN_TESTS + expect->count);
	tell_end(&ktap, result);
	tell_reads(&ktap, result);
	tell_faults(&ktap, result);
	for (size_t i = 0; i < expect->count; i++)
		tell_condition(&ktap, &expect->condition[i], config, result);
	ktap_end_suite(&ktap);
	return ferror(out) ? -1 : 0;
}
