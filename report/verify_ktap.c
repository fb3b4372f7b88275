// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cell.h"
#include "report/ktap.h"
#include "report/verify_ktap.h"

static void note_killers(struct ktap *ktap, const struct verify_finding *finding)
{
	ktap_note(ktap, "killed by %s, after %s", verify_fault_cell(finding).text,
		  cell_ns(finding->seconds * NSEC_PER_SEC).text);
}

static void tell_mutant(struct ktap *ktap, const struct verify_mutant *mutant,
			const struct verify_finding *finding)
{
	switch (verify_verdict(mutant, finding)) {
	case VERIFY_KILLED:
		note_killers(ktap, finding);
		ktap_test(ktap, KTAP_OK, mutant->name, NULL);
		break;
	case VERIFY_SURVIVED:
		ktap_note(ktap, "survived %u tries, %s reads checked", finding->tries,
			  cell_count(finding->checked).text);
		ktap_test(ktap, KTAP_NOT_OK, mutant->name, NULL);
		break;
	case VERIFY_HIDDEN:
		ktap_test(ktap, KTAP_SKIP, mutant->name, mutant->hidden);
		break;
	case VERIFY_ABSENT:
		ktap_test(ktap, KTAP_SKIP, mutant->name, verify_why_nothing(finding));
		break;
	case VERIFY_UNKNOWN:
		ktap_test(ktap, KTAP_ERROR, mutant->name, verify_why_nothing(finding));
		break;
	}
}

static void tell_correct(struct ktap *ktap, const struct verify_job *job,
			 const struct verify_finding *finding)
{
	const struct verify_job_cell name = verify_job_cell(job);

	switch (finding->state) {
	case VERIFY_SEEN_NOTHING:
		ktap_test(ktap, KTAP_OK, name.text, NULL);
		break;
	case VERIFY_FOUND:
		ktap_note(ktap, "accused: %s", verify_fault_cell(finding).text);
		ktap_test(ktap, KTAP_NOT_OK, name.text, NULL);
		break;
	case VERIFY_NOT_HERE:
		ktap_test(ktap, KTAP_SKIP, name.text, verify_why_nothing(finding));
		break;
	case VERIFY_NOT_RUN:
	case VERIFY_COULD_NOT:
	case VERIFY_NO_READ:
	case VERIFY_NOT_MET:
		ktap_test(ktap, KTAP_ERROR, name.text, verify_why_nothing(finding));
		break;
	}
}

int report_verify_ktap(FILE *out, const struct verification *verification)
{
	const struct verify_config *config = verification->config;
	const struct verify_result *result = verification->result;
	struct ktap ktap;

	ktap_begin(&ktap, out, (size_t) !!config->mutants + !!config->corrects);
	if (config->mutants)
		ktap_suite(&ktap, "mutants", config->mutants);
	for (size_t i = 0; i < config->mutants; i++)
		tell_mutant(&ktap, &config->mutant[i], &result->mutant[i]);
	if (config->mutants)
		ktap_end_suite(&ktap);
	if (config->corrects)
		ktap_suite(&ktap, "correct", config->corrects);
	for (size_t i = 0; i < config->corrects; i++)
		tell_correct(&ktap, &config->correct[i], &result->correct[i]);
	if (config->corrects)
		ktap_end_suite(&ktap);
	return ferror(out) ? -1 : 0;
}
