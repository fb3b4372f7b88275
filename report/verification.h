/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A verification: all that a report of it is made of.
 */
#ifndef REPORT_VERIFICATION_H
#define REPORT_VERIFICATION_H

#include "measure/verify.h"
#include "report/status.h"

/* Both stay the caller's. */
struct verification {
	const struct verify_config *config;
	const struct verify_result *result;
};

/*
 * The exit status: a mutant that survived and something correct that was accused win over an
 * interruption, and that over what could not be run, or showed nothing.
 */
enum status report_verify_status(const struct verification *verification);

/* Why a job has shown nothing; NULL: it has. */
const char *verify_why_nothing(const struct verify_finding *finding);

/* A job in words: what reads under what, by what counter. */
struct verify_job_cell {
	char text[640];
};
struct verify_job_cell verify_job_cell(const struct verify_job *job);

/* What a finding has against whatever it is of, in words; "" if nothing. */
struct verify_fault_cell {
	char text[384];
};
struct verify_fault_cell verify_fault_cell(const struct verify_finding *finding);

#endif /* REPORT_VERIFICATION_H */
