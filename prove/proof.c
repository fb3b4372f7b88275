// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "prove/proof.h"

struct judged {
	const struct proof_subject *subject;
	struct proof *proof;
	bool read_ended;
};

/* Of one reader's reads, each tells at least what the one before told. */
static bool look_at_reader(struct judged *judged, const struct graph_thread *thread, u32 number)
{
	struct proof *proof = judged->proof;

	for (u32 i = 0; i < thread->told; i++) {
		judged->read_ended = true;
		if (thread->tell[i] == PROOF_MIXTURE)
			proof->fault = PROOF_MIXED;
		else if (judged->subject->in_order && i > 0 &&
			 thread->tell[i] < thread->tell[i - 1])
			proof->fault = PROOF_BACKWARDS;
		else
			continue;
		proof->reader = number;
		proof->read = i;
		return true;
	}
	return false;
}

static bool judge(void *context, const struct graph *graph)
{
	struct judged *judged = context;

	for (u32 i = judged->subject->writers; i < GRAPH_MAX_THREADS; i++)
		if (look_at_reader(judged, &graph->thread[i], i))
			return true;
	return false;
}

/* One case. */
static int explore_case(const struct proof_subject *subject, const struct proof_config *config,
			const struct proof_bounds *bounds, struct proof *proof, struct errmsg *err)
{
	struct judged judged = {.subject = subject, .proof = proof};
	const struct explore_config explored = {
		.model = config->model,
		.turns = bounds->attempts,
		.most_seconds =
			config->most_seconds > 0 ? config->most_seconds - proof->seconds : 0,
		.edit = config->edit,
		.edits = config->edits,
		.judge = judge,
		.context = &judged,
		.progress = config->progress,
	};
	const struct explore_threads *threads = subject->threads(subject->context, bounds, err);

	if (!threads || explore(threads, &explored, &proof->explored, err))
		return -1;
	proof->bounds = *bounds;
	proof->executions += proof->explored.executions;
	proof->seconds += proof->explored.seconds;
	proof->none_ended = !judged.read_ended;
	if (proof->explored.crashed) {
		proof->fault = PROOF_CRASHED;
		proof->reader = proof->explored.crashed_thread;
	}
	if (config->strict && proof->explored.races && !proof->fault)
		proof->fault = PROOF_RACED;
	if (proof->fault)
		proof->verdict = PROOF_BROKEN;
	else
		proof->verdict = proof->explored.complete && judged.read_ended ? PROOF_HOLDS
									       : PROOF_INCOMPLETE;
	return 0;
}

/* Whether no reader stores what anybody loads. */
static bool readers_only_read(const struct proof_subject *subject,
			      const struct explore_result *explored)
{
	for (u32 i = 0; i < explored->cells; i++)
		if (explored->cell[i].stored_by >> subject->writers)
			return false;
	return true;
}

static bool is_out_of_time(const struct proof_config *config, const struct proof *proof)
{
	return config->most_seconds > 0 && proof->seconds >= config->most_seconds;
}

/* What held of a smaller case says nothing of what there was no time for. */
static void note_out_of_time(struct proof *proof)
{
	proof->out_of_time = true;
	proof->verdict = PROOF_INCOMPLETE;
}

/*
 * With so many readers and reads: small cases first, so that what is found is short. Where readers
 * loop, more attempts are what makes a case large, and a fault that takes them is rare.
 */
static int explore_cases(const struct proof_subject *subject, const struct proof_config *config,
			 u32 readers, u32 reads, struct proof *proof, struct errmsg *err)
{
	const struct proof_bounds *most = &config->most;

	for (u32 attempts = 1; attempts <= most->attempts; attempts++)
		for (u32 updates = 1; updates <= most->updates; updates++) {
			const struct proof_bounds bounds = {updates, readers, reads, attempts};

			if (is_out_of_time(config, proof)) {
				note_out_of_time(proof);
				return 0;
			}
			if (explore_case(subject, config, &bounds, proof, err))
				return -1;
			if (proof->verdict == PROOF_BROKEN)
				return 0;
		}
	return 0;
}

static bool is_decided(const struct proof *proof)
{
	return proof->verdict == PROOF_BROKEN || proof->out_of_time;
}

int proof_find(const struct proof_subject *subject, const struct proof_config *config,
	       struct proof *proof, struct errmsg *err)
{
	const struct proof_bounds *most = &config->most;

	memset(proof, 0, offsetof(struct proof, explored));
	for (u32 reads = 1; reads <= most->reads; reads++)
		if (explore_cases(subject, config, 1, reads, proof, err))
			return -1;
		else if (is_decided(proof))
			return 0;
	/* What stores nothing cannot be noticed: of executions with others each is one without. */
	proof->one_for_all = readers_only_read(subject, &proof->explored);
	if (proof->one_for_all || most->readers == 1)
		return 0;
	for (u32 readers = 2; readers <= most->readers; readers++)
		if (explore_cases(subject, config, readers, most->reads, proof, err))
			return -1;
		else if (is_decided(proof))
			return 0;
	return 0;
}
