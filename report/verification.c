// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "report/cell.h"
#include "report/verification.h"

enum status report_verify_status(const struct verification *verification)
{
	const struct verify_sum sum = verify_add_up(verification->config, verification->result);

	if (sum.survived || sum.accused)
		return STATUS_WRONG;
	if (verification->result->interrupted)
		return STATUS_INTERRUPTED;
	return sum.unknown || sum.failed || verify_shows_nothing(verification->config, &sum)
		       ? STATUS_USAGE
		       : STATUS_WELL;
}

const char *verify_why_nothing(const struct verify_finding *finding)
{
	switch (finding->state) {
	case VERIFY_NOT_RUN:
		return "interrupted before its end";
	case VERIFY_NO_READ:
		return "no read was checked, or there was no update to meet";
	case VERIFY_NOT_MET:
		return "did not meet the writer: no read of any run found the page in an update";
	case VERIFY_NOT_HERE:
	case VERIFY_COULD_NOT:
		return finding->why.text;
	case VERIFY_SEEN_NOTHING:
	case VERIFY_FOUND:
		break;
	}
	return NULL;
}

struct verify_job_cell verify_job_cell(const struct verify_job *job)
{
	struct verify_job_cell cell;
	size_t used = (size_t)snprintf(cell.text, sizeof(cell.text), "%s under", job->reader);

	for (size_t i = 0; i < VERIFY_MAX_WRITERS && job->writer[i]; i++)
		if (used < sizeof(cell.text))
			used += (size_t)snprintf(cell.text + used, sizeof(cell.text) - used,
						 "%s %s", i ? " and" : "", job->writer[i]);
	if (used < sizeof(cell.text))
		snprintf(cell.text + used, sizeof(cell.text) - used, ", payload %s%s%s",
			 job->payload == PAYLOAD_STAMP ? "stamp" : "time",
			 job->clocksource ? ", " : "", job->clocksource ? job->clocksource : "");
	return cell;
}

struct verify_fault_cell verify_fault_cell(const struct verify_finding *finding)
{
	const u64 count[VERIFY_DETECTORS] = {
		[VERIFY_TORN] = finding->torn,
		[VERIFY_STALE] = finding->stale,
		[VERIFY_BACKWARDS] = finding->backwards,
		[VERIFY_JUMP] = finding->jumps,
	};
	struct verify_fault_cell cell = {""};
	size_t used = 0;

	for (enum verify_detector i = 0; i < VERIFY_DETECTORS; i++) {
		if (!finding->by[i] || used >= sizeof(cell.text))
			continue;
		used += (size_t)snprintf(cell.text + used, sizeof(cell.text) - used, "%s%s ",
					 used ? ", " : "", verify_detector_name(i));
		if (used < sizeof(cell.text))
			used += (size_t)snprintf(cell.text + used, sizeof(cell.text) - used, "%s",
						 count[i] ? cell_count(count[i]).text
							  : finding->stall);
	}
	return cell;
}
