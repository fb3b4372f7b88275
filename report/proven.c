// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "report/proven.h"

enum status proven_status(const struct proven *proven)
{
	const struct study *study = proven->study;

	if (study_is_broken(study))
		return STATUS_WRONG;
	if (study->end == STUDY_INTERRUPTED)
		return STATUS_INTERRUPTED;
	if (study->end == STUDY_FAILED)
		return STATUS_USAGE;
	for (enum model model = 0; model < MODELS; model++)
		if (study->model[model].done &&
		    study->model[model].proof.verdict == PROOF_INCOMPLETE)
			return STATUS_USAGE;
	return STATUS_WELL;
}

const char *proven_model(enum model model)
{
	static const char *const words[] = {
		[MODEL_SC] = "sc",
		[MODEL_TSO] = "tso",
		[MODEL_WEAK] = "weak",
	};

	return words[model];
}

const char *proven_verdict(enum proof_verdict verdict)
{
	static const char *const words[] = {
		[PROOF_HOLDS] = "holds",
		[PROOF_BROKEN] = "broken",
		[PROOF_INCOMPLETE] = "incomplete",
	};

	return words[verdict];
}

const char *proven_kind(enum event_kind kind)
{
	static const char *const words[] = {
		[EVENT_LOAD] = "load",
		[EVENT_STORE] = "store",
		[EVENT_MODIFY] = "read-modify-write",
		[EVENT_FENCE] = "fence",
	};

	return words[kind];
}

const char *proven_order(u8 order)
{
	static const char *const words[] = {
		[__ATOMIC_RELAXED] = "relaxed", [__ATOMIC_CONSUME] = "consume",
		[__ATOMIC_ACQUIRE] = "acquire", [__ATOMIC_RELEASE] = "release",
		[__ATOMIC_ACQ_REL] = "acq_rel", [__ATOMIC_SEQ_CST] = "seq_cst",
	};

	return words[order];
}

const char *proven_need(const struct weakening *weakening, enum model model)
{
	static const char *const words[] = {
		[PROOF_HOLDS] = "not needed",
		[PROOF_BROKEN] = "needed",
		[PROOF_INCOMPLETE] = "unclear",
	};

	return words[weakening->verdict[model]];
}

const char *proven_why_incomplete(const struct proof *proof)
{
	if (proof->verdict != PROOF_INCOMPLETE)
		return "";
	if (proof->out_of_time || (!proof->explored.complete && !proof->explored.too_large))
		return "cut short: the time was up";
	if (proof->none_ended)
		return "no read came to its end: it takes more attempts, or never ends";
	return "executions of more than 511 accesses were not followed";
}

const char *proven_why_unexplored(const struct proven *proven)
{
	switch (proven->study->end) {
	case STUDY_INTERRUPTED:
		return "interrupted";
	case STUDY_FAILED:
		return proven->study->why.text;
	case STUDY_COMPLETE:
		break;
	}
	return "";
}

static bool is_among(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

void proven_remarks(const struct proven *proven, struct remarks *remarks)
{
	const struct study *study = proven->study;
	bool mixed = false, one = false;

	for (enum model model = 0; model < MODELS; model++) {
		mixed |= study->model[model].done && study->model[model].proof.explored.mixed;
		one |= study->model[model].done && study->model[model].proof.one_for_all;
	}
	for (size_t i = 0; i < proven->writers; i++)
		if (strcmp(proven->writer[i], proven->explored[i]) != 0 &&
		    !is_among(proven->writer, i, proven->writer[i]))
			remark(remarks,
			       "writer %s: explored as %s, whose publication it has; what it does "
			       "to time, and when, is not",
			       proven->writer[i], proven->explored[i]);
	if (mixed)
		remark(remarks, "accesses of several sizes meet: the larger ones are taken part by "
				"part");
	if (one && proven->config->most.readers > 1)
		remark(remarks,
		       "readers store nothing, so none can notice another: one stands for all %u",
		       proven->config->most.readers);
	if (proven->config->weaken && study_is_broken(study))
		remark(remarks, "nothing is weakened: it is broken as it stands");
	if (study->weakened < study->weakenings)
		remark(remarks, "%u of %u weakenings were not explored",
		       study->weakenings - study->weakened, study->weakenings);
	if (study->end == STUDY_INTERRUPTED)
		remark(remarks, "interrupted: what is not done is n/a");
}

struct proven_cell proven_at(const struct proven *proven, const void *site)
{
	struct proven_place place;
	struct proven_cell cell;

	proven->place(proven->context, site, &place);
	if (place.file[0])
		snprintf(cell.text, sizeof(cell.text), "%s:%u", place.file, place.line);
	else
		snprintf(cell.text, sizeof(cell.text), "%p", site);
	return cell;
}

struct proven_cell proven_fault(enum proof_fault fault, const struct proof_bounds *bounds)
{
	static const char *const words[] = {
		[PROOF_NO_FAULT] = "",
		[PROOF_MIXED] = "a read returned a mixture",
		[PROOF_BACKWARDS] = "a reader went back to an older update",
		[PROOF_CRASHED] = "the code crashed over what it read",
		[PROOF_RACED] = "plain accesses race",
	};
	struct proven_cell cell = {""};

	if (fault)
		snprintf(cell.text, sizeof(cell.text),
			 "%s, with %u update%s, %u reader%s of %u read%s, %u attempt%s",
			 words[fault], bounds->updates, bounds->updates == 1 ? "" : "s",
			 bounds->readers, bounds->readers == 1 ? "" : "s", bounds->reads,
			 bounds->reads == 1 ? "" : "s", bounds->attempts,
			 bounds->attempts == 1 ? "" : "s");
	return cell;
}

/* By both its names, where it has two. */
static const char *fence_name(u8 order)
{
	switch (order) {
	case __ATOMIC_ACQUIRE:
		return "an acquire fence (smp_rmb)";
	case __ATOMIC_RELEASE:
		return "a release fence (smp_wmb)";
	case __ATOMIC_SEQ_CST:
		return "a full fence (smp_mb)";
	default:
		return "a fence";
	}
}

struct proven_cell proven_mending(const struct proven *proven, const struct mending *mending)
{
	const struct explore_site *first = &mending->first, *second = &mending->second;
	const char *mended = first->kind == EVENT_FENCE ? "it" : "the latter";
	struct proven_cell cell, order;

	if (mending->fence_first)
		snprintf(order.text, sizeof(order.text), "%s before %s", fence_name(mending->order),
			 mended);
	else
		snprintf(order.text, sizeof(order.text), "%s order of %s",
			 proven_order(mending->order), mended);
	if (first->kind == EVENT_FENCE)
		snprintf(cell.text, sizeof(cell.text),
			 "nothing holds back the %s at %.100s: %.100s does",
			 proven_kind(second->kind), proven_at(proven, second->site).text,
			 order.text);
	else
		snprintf(cell.text, sizeof(cell.text),
			 "the %s at %.100s and the %s at %.100s are not ordered: %.100s orders "
			 "them",
			 proven_kind(first->kind), proven_at(proven, first->site).text,
			 proven_kind(second->kind), proven_at(proven, second->site).text,
			 order.text);
	return cell;
}

struct proven_cell proven_weakening(const struct weakening *weakening)
{
	const struct explore_site *site = &weakening->site;
	struct proven_cell cell;

	if (site->kind == EVENT_FENCE && weakening->order == __ATOMIC_RELAXED)
		snprintf(cell.text, sizeof(cell.text), "%s fence left out",
			 proven_order(site->order));
	else
		snprintf(cell.text, sizeof(cell.text), "%s %s made %s", proven_order(site->order),
			 proven_kind(site->kind), proven_order(weakening->order));
	return cell;
}

struct proven_cell proven_why_older(const struct proven *proven, enum model model, int newer)
{
	struct proven_cell cell = {""};

	(void)proven;
	if (newer < 0)
		return cell;
	if (model == MODEL_TSO)
		snprintf(cell.text, sizeof(cell.text),
			 "the store of %d may still be in its CPU's store buffer", newer + 1);
	else
		snprintf(cell.text, sizeof(cell.text),
			 "allowed: nothing that this thread has done or seen orders it after %d",
			 newer + 1);
	return cell;
}
