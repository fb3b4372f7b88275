// SPDX-License-Identifier: GPL-2.0-or-later
#include "prove/weaken.h"

#define MAX_EDITS 64

/* Whether an earlier site of the list is the same place and thing. */
static bool is_repeated(const struct proof_subject *subject, const struct explore_result *explored,
			u32 at)
{
	const struct explore_site *site = &explored->site[at];

	for (u32 i = 0; i < at; i++)
		if (explored->site[i].kind == site->kind &&
		    explored->site[i].order == site->order &&
		    subject->is_one_place(subject->context, explored->site[i].site, site->site))
			return true;
	return false;
}

/* The same edit at each site of one place. */
static u32 edit_place(const struct proof_subject *subject, const struct explore_result *explored,
		      const struct explore_site *site, u8 order, bool fence_first,
		      struct explore_edit *edit)
{
	u32 edits = 0;

	for (u32 i = 0; i < explored->sites && edits < MAX_EDITS; i++)
		if (explored->site[i].kind == site->kind &&
		    explored->site[i].order == site->order &&
		    subject->is_one_place(subject->context, explored->site[i].site, site->site))
			edit[edits++] = (struct explore_edit){
				.site = explored->site[i].site,
				.order = order,
				.fence_first = fence_first,
			};
	return edits;
}

/* The orders that are one step weaker; how many. */
static u32 weaker(enum event_kind kind, u8 order, u8 *list)
{
	u32 count = 0;

	if (order == __ATOMIC_SEQ_CST && kind != EVENT_LOAD && kind != EVENT_STORE)
		list[count++] = __ATOMIC_ACQ_REL;
	else if ((order == __ATOMIC_SEQ_CST && kind == EVENT_LOAD) ||
		 (order == __ATOMIC_ACQ_REL && kind != EVENT_LOAD))
		list[count++] = __ATOMIC_ACQUIRE;
	if ((order == __ATOMIC_SEQ_CST && kind == EVENT_STORE) ||
	    (order == __ATOMIC_ACQ_REL && kind != EVENT_LOAD))
		list[count++] = __ATOMIC_RELEASE;
	if (order != __ATOMIC_RELAXED)
		list[count++] = __ATOMIC_RELAXED;
	return count;
}

u32 weaken_list(const struct proof_subject *subject, const struct explore_result *explored,
		struct weakening *list, u32 max)
{
	u32 count = 0;

	for (u32 i = 0; i < explored->sites; i++) {
		const struct explore_site *site = &explored->site[i];
		u8 order[4];
		u32 orders = weaker(site->kind, site->order, order);

		if (is_repeated(subject, explored, i))
			continue;
		for (u32 nth = 0; nth < orders && count < max; nth++)
			list[count++] = (struct weakening){.site = *site, .order = order[nth]};
	}
	return count;
}

int weaken_prove(const struct proof_subject *subject, const struct proof_config *config,
		 const struct explore_result *explored, struct weakening *weakening,
		 struct proof *proof, struct errmsg *err)
{
	struct explore_edit edit[MAX_EDITS];
	struct proof_config edited = *config;

	edited.edit = edit;
	edited.edits =
		edit_place(subject, explored, &weakening->site, weakening->order, false, edit);
	if (proof_find(subject, &edited, proof, err))
		return -1;
	weakening->asked[config->model] = true;
	weakening->verdict[config->model] = (u8)proof->verdict;
	weakening->fault[config->model] = (u8)proof->fault;
	weakening->bounds[config->model] = proof->bounds;
	return 0;
}

static const struct explore_site *find_site(const struct explore_result *explored,
					    const struct event *event)
{
	for (u32 i = 0; i < explored->sites; i++)
		if (explored->site[i].site == event->site &&
		    (explored->site[i].kind == event->kind ||
		     (explored->site[i].kind == EVENT_MODIFY && event->kind == EVENT_LOAD)))
			return &explored->site[i];
	return NULL;
}

/* The access of another cell that the thread did before this one in the same pass. */
static struct explore_site access_before(const struct explore_result *explored, u32 number)
{
	const struct graph *graph = &explored->witness;
	const struct event *event = &graph->event[number];

	while (--number > 0) {
		const struct event *before = &graph->event[number];
		const struct explore_site *site = find_site(explored, before);

		if (before->thread == event->thread && before->pass == event->pass &&
		    before->kind != EVENT_FENCE && before->cell != event->cell && site)
			return *site;
	}
	return (struct explore_site){.kind = EVENT_FENCE};
}

/*
 * The access that is not ordered with those of this place: before whichever of them has one before
 * it in its pass.
 */
static struct explore_site access_before_place(const struct proof_subject *subject,
					       const struct explore_result *explored, u32 number)
{
	const struct graph *graph = &explored->witness;

	for (u32 i = number; i < graph->events; i++) {
		const struct explore_site before = access_before(explored, i);

		if (graph->event[i].kind == graph->event[number].kind &&
		    subject->is_one_place(subject->context, graph->event[i].site,
					  graph->event[number].site) &&
		    before.kind != EVENT_FENCE)
			return before;
	}
	return (struct explore_site){.kind = EVENT_FENCE};
}

/* What may be done to an access, or before it, so that it is ordered with what was before. */
static const struct {
	u8 kind;
	bool fence_first;
	u8 order;
} remedies[] = {
	{EVENT_STORE, true, __ATOMIC_RELEASE},	 {EVENT_LOAD, true, __ATOMIC_ACQUIRE},
	{EVENT_LOAD, false, __ATOMIC_ACQUIRE},	 {EVENT_STORE, false, __ATOMIC_RELEASE},
	{EVENT_MODIFY, false, __ATOMIC_ACQ_REL}, {EVENT_LOAD, true, __ATOMIC_SEQ_CST},
	{EVENT_STORE, true, __ATOMIC_SEQ_CST},
};

struct patient {
	const struct proof_subject *subject;
	const struct proof_config *asked;
	const struct proof *broken;
	struct proof *proof;
	struct errmsg *err;
};

/* Whether that mends it, first of all the case that is broken; -1: it could not be told. */
static int is_mended(struct patient *patient, const struct explore_site *site, u32 remedy)
{
	struct explore_edit edit[MAX_EDITS];
	struct proof_config config = *patient->asked;

	config.edit = edit;
	config.edits = edit_place(patient->subject, &patient->broken->explored, site,
				  remedies[remedy].order, remedies[remedy].fence_first, edit);
	config.most = patient->broken->bounds;
	if (proof_find(patient->subject, &config, patient->proof, patient->err))
		return -1;
	if (patient->proof->verdict != PROOF_HOLDS)
		return 0;
	config.most = patient->asked->most;
	if (proof_find(patient->subject, &config, patient->proof, patient->err))
		return -1;
	return patient->proof->verdict == PROOF_HOLDS;
}

/* What less mends already. */
static bool is_mended_there(const struct patient *patient, const struct mending *list, int count,
			    const struct explore_site *site)
{
	for (int i = 0; i < count; i++)
		if (patient->subject->is_one_place(patient->subject->context, list[i].second.site,
						   site->site))
			return true;
	return false;
}

/* Whether an earlier event of the witness stands in the same place. */
static bool is_seen_before(const struct patient *patient, u32 number)
{
	const struct graph *graph = &patient->broken->explored.witness;

	for (u32 i = 1; i < number; i++)
		if (graph->event[i].kind == graph->event[number].kind &&
		    patient->subject->is_one_place(patient->subject->context, graph->event[i].site,
						   graph->event[number].site))
			return true;
	return false;
}

int weaken_mend(const struct proof_subject *subject, const struct proof_config *config,
		const struct proof *broken, struct mending *list, struct proof *proof,
		struct errmsg *err)
{
	const struct graph *graph = &broken->explored.witness;
	struct patient patient = {subject, config, broken, proof, err};
	int count = 0;

	for (u32 remedy = 0; remedy < sizeof(remedies) / sizeof(remedies[0]); remedy++)
		for (u32 i = 1; i < graph->events && count < MENDING_MAX; i++) {
			const struct explore_site *site =
				find_site(&broken->explored, &graph->event[i]);
			int mended;

			if (!site || site->kind != remedies[remedy].kind ||
			    site->kind == EVENT_FENCE || is_seen_before(&patient, i) ||
			    (remedies[remedy].order == __ATOMIC_SEQ_CST &&
			     is_mended_there(&patient, list, count, site)))
				continue;
			mended = is_mended(&patient, site, remedy);
			if (mended < 0)
				return -1;
			if (mended)
				list[count++] = (struct mending){
					.first = access_before_place(subject, &broken->explored, i),
					.second = *site,
					.fence_first = remedies[remedy].fence_first,
					.order = remedies[remedy].order,
				};
		}
	return count;
}
