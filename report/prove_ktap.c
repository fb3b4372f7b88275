// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/cell.h"
#include "report/ktap.h"
#include "report/prove_ktap.h"

static void note_fault(struct ktap *ktap, const struct proven *proven,
		       const struct study_model *studied)
{
	ktap_note(ktap, "%s", proven_fault(studied->proof.fault, &studied->proof.bounds).text);
	if (studied->returned[0])
		ktap_note(ktap, "%s: %s",
			  studied->proof.fault == PROOF_CRASHED ? "crashed" : "returned",
			  studied->returned);
	for (u32 i = 0; i < studied->mendings; i++)
		ktap_note(ktap, "%s: %s", i ? "or" : "cause",
			  proven_mending(proven, &studied->mending[i]).text);
}

static void tell_proof(struct ktap *ktap, const struct proven *proven, enum model model)
{
	const struct study_model *studied = &proven->study->model[model];
	const struct proof *proof = &studied->proof;

	ktap_note(ktap, "%s execution%s in %s", cell_count(proof->executions).text,
		  proof->executions == 1 ? "" : "s", cell_ns(proof->seconds * NSEC_PER_SEC).text);
	switch (proof->verdict) {
	case PROOF_HOLDS:
		ktap_test(ktap, KTAP_OK, proven_model(model), NULL);
		break;
	case PROOF_BROKEN:
		note_fault(ktap, proven, studied);
		ktap_test(ktap, KTAP_NOT_OK, proven_model(model), NULL);
		break;
	case PROOF_INCOMPLETE:
		ktap_test(ktap, KTAP_ERROR, proven_model(model), proven_why_incomplete(proof));
		break;
	}
}

static void note_weakenings(struct ktap *ktap, const struct proven *proven)
{
	const struct study *study = proven->study;

	for (u32 i = 0; i < study->weakened; i++)
		for (enum model model = 0; model < MODELS; model++)
			if (study->weakening[i].asked[model])
				ktap_note(ktap, "%s: %s: %s under %s",
					  proven_at(proven, study->weakening[i].site.site).text,
					  proven_weakening(&study->weakening[i]).text,
					  proven_need(&study->weakening[i], model),
					  proven_model(model));
}

int report_prove_ktap(FILE *out, const struct proven *proven)
{
	const struct study *study = proven->study;
	char name[200];
	struct ktap ktap;
	size_t models = 0;

	for (enum model model = 0; model < MODELS; model++)
		models += proven->config->model[model];
	snprintf(name, sizeof(name), "prove %.180s", proven->reader);
	ktap_begin(&ktap, out, 1);
	ktap_suite(&ktap, name, models);
	for (enum model model = 0; model < MODELS; model++)
		if (study->model[model].done)
			tell_proof(&ktap, proven, model);
		else if (proven->config->model[model])
			ktap_test(&ktap, KTAP_ERROR, proven_model(model),
				  study->end == STUDY_COMPLETE ? "not explored"
							       : proven_why_unexplored(proven));
	note_weakenings(&ktap, proven);
	ktap_end_suite(&ktap);
	return ferror(out) ? -1 : 0;
}
