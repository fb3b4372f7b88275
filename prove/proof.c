// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "prove/proof.h"
#include "prove/timeline.h"

/* Where a shorter one is wanted: executions that are looked at after the first that is wrong. */
#define MORE_EXECUTIONS 1000

struct judged {
	const struct proof_subject *subject;
	const struct proof_config *config;
	struct proof *proof;
	u32 length; /* of the shortest that was found */
	bool read_ended;
};

/* Of one reader's reads, each tells at least what the one before told. Which does not; -1: none. */
static int find_fault(struct judged *judged, const struct graph_thread *thread,
		      enum proof_fault *fault)
{
	for (u32 i = 0; i < thread->told; i++) {
		judged->read_ended = true;
		*fault = PROOF_MIXED;
		if (thread->tell[i] == PROOF_MIXTURE)
			return (int)i;
		*fault = PROOF_BACKWARDS;
		if (judged->subject->in_order && i > 0 && thread->tell[i] < thread->tell[i - 1])
			return (int)i;
	}
	return -1;
}

/* Of an execution in which that is wrong. */
static u32 length_of(const struct judged *judged, const struct graph *graph, u32 reader, u32 read)
{
	/* Large, and one exploration's. */
	static struct timeline timeline;

	timeline_make(graph, judged->config->model, judged->subject->writers, reader, read + 1,
		      &timeline);
	return timeline_length(&timeline);
}

/* Whether it is the first, or shorter than all before. */
static bool is_to_be_told(struct judged *judged, const struct graph *graph, u32 reader, u32 read)
{
	const u32 length = judged->config->shortest ? length_of(judged, graph, reader, read) : 0;

	/* Not what a round found that was begun again since: it was explored as less than it is. */
	if (judged->proof->explored.found && length >= judged->length)
		return false;
	judged->length = length;
	return true;
}

static bool judge(void *context, const struct graph *graph)
{
	struct judged *judged = context;
	struct proof *proof = judged->proof;

	for (u32 i = judged->subject->writers; i < GRAPH_MAX_THREADS; i++) {
		enum proof_fault fault;
		const int read = find_fault(judged, &graph->thread[i], &fault);

		if (read < 0)
			continue;
		if (!is_to_be_told(judged, graph, i, (u32)read))
			continue;
		proof->fault = fault;
		proof->reader = i;
		proof->read = (u32)read;
		return true;
	}
	return false;
}

/* One case. */
static int explore_case(const struct proof_subject *subject, const struct proof_config *config,
			const struct proof_bounds *bounds, struct proof *proof, struct errmsg *err)
{
	struct judged judged = {.subject = subject, .config = config, .proof = proof};
	const struct explore_config explored = {
		.model = config->model,
		.turns = bounds->attempts,
		.most_seconds =
			config->most_seconds > 0 ? config->most_seconds - proof->seconds : 0,
		.edit = config->edit,
		.edits = config->edits,
		.judge = judge,
		.context = &judged,
		.more = config->shortest ? MORE_EXECUTIONS : 0,
		.progress = config->progress,
	};
	const struct explore_threads *threads = subject->threads(subject->context, bounds, err);

	if (!threads || explore(threads, &explored, &proof->explored, err))
		return -1;
	proof->bounds = *bounds;
	proof->executions += proof->explored.executions;
	proof->seconds += proof->explored.seconds;
	proof->none_ended = !judged.read_ended;
	if (!proof->explored.found)
		proof->fault = PROOF_NO_FAULT;
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

u32 proof_last_pass(const struct proof *proof)
{
	return proof->fault == PROOF_CRASHED ? UINT32_MAX : proof->read + 1;
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
