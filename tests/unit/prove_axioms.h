/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each way to say which store each load of a sample takes and in which order the stores to each
 * cell stand, one by one, and each model's axioms for that, written as they are in the literature:
 * the answer to what the explorer builds up step by step. A relation is a row of bits for each
 * event. To be included behind cmocka.h.
 *
 * Sources: RC11, Lahav and others (2017), section 3, with C++20's release sequences; x86-TSO as the
 * axioms of Alglave, Maranget and Tautschnig, Herding Cats (2014), section 4; in both, a
 * read-modify-write is one event that loads and stores.
 */
#ifndef TESTS_UNIT_PROVE_AXIOMS_H
#define TESTS_UNIT_PROVE_AXIOMS_H

#include "tests/unit/item_set.h"
#include "tests/unit/prove_sample.h"

struct relation {
	u16 to[SAMPLE_EVENTS];
};

struct axioms_event {
	bool loads, stores, fence, failed;
	u8 order, cell, from;
	u64 value; /* stored */
};

/* Events by the number of their step. Threads are replayed in turn; `done` are the steps so far. */
struct axioms_graph {
	struct sample_thread thread[SAMPLE_THREADS];
	u32 at[SAMPLE_THREADS];
	u8 waits_for[SAMPLE_THREADS]; /* the store that the next load is to take; 0: none */
	struct axioms_event event[SAMPLE_EVENTS];
	u16 done;
	u8 place[SAMPLE_EVENTS]; /* of a store, from 1, among those of its cell */
};

struct axioms_search {
	const struct sample *sample;
	bool model[MODELS];
	struct item_set *outcomes[MODELS];
	u64 graphs[MODELS]; /* that are consistent */
	u64 candidates;
};

/* ---- relations ---- */

static inline bool relates(const struct relation *relation, u32 a, u32 b)
{
	return relation->to[a] >> b & 1;
}

static inline void relate(struct relation *relation, u32 a, u32 b)
{
	relation->to[a] |= (u16)(1u << b);
}

static inline struct relation either(struct relation a, struct relation b)
{
	for (u32 i = 0; i < SAMPLE_EVENTS; i++)
		a.to[i] |= b.to[i];
	return a;
}

/* From each of a's ends on by b. */
static inline struct relation then(struct relation a, struct relation b)
{
	struct relation both = {{0}};

	for (u32 i = 0; i < SAMPLE_EVENTS; i++)
		for (u32 rest = a.to[i]; rest; rest &= rest - 1)
			both.to[i] |= b.to[__builtin_ctz(rest)];
	return both;
}

static inline struct relation within(struct relation relation, u16 from, u16 to)
{
	for (u32 i = 0; i < SAMPLE_EVENTS; i++)
		relation.to[i] &= from >> i & 1 ? to : 0;
	return relation;
}

static inline struct relation the_same(u16 set)
{
	struct relation same = {{0}};

	for (u32 i = 0; i < SAMPLE_EVENTS; i++)
		same.to[i] = set & (u16)(1u << i);
	return same;
}

static inline struct relation maybe(struct relation relation)
{
	return either(relation, the_same(0xffff));
}

static inline struct relation repeated(struct relation relation)
{
	for (u32 k = 0; k < SAMPLE_EVENTS; k++)
		for (u32 i = 0; i < SAMPLE_EVENTS; i++)
			if (relates(&relation, i, k))
				relation.to[i] |= relation.to[k];
	return relation;
}

static inline bool is_irreflexive(struct relation relation)
{
	for (u32 i = 0; i < SAMPLE_EVENTS; i++)
		if (relates(&relation, i, i))
			return false;
	return true;
}

static inline bool is_acyclic(struct relation relation)
{
	return is_irreflexive(repeated(relation));
}

static inline struct relation backwards(struct relation relation)
{
	struct relation back = {{0}};

	for (u32 i = 0; i < SAMPLE_EVENTS; i++)
		for (u32 j = 0; j < SAMPLE_EVENTS; j++)
			if (relates(&relation, i, j))
				relate(&back, j, i);
	return back;
}

/* ---- of one graph ---- */

struct axioms {
	u16 all, loads, stores, fences, acquires, releases, strong;
	struct relation sb, same_cell, rf, mo, rb;
};

static inline bool axioms_same_cell(const struct axioms_graph *graph, u32 a, u32 b)
{
	const struct axioms_event *first = &graph->event[a], *second = &graph->event[b];

	if (first->fence || second->fence)
		return false;
	return a == 0 || b == 0 || first->cell == second->cell;
}

static inline void find_sets(const struct axioms_graph *graph, struct axioms *of)
{
	of->all = of->stores = 1; /* the initial values */
	for (u32 i = 1; i < SAMPLE_EVENTS; i++) {
		const struct axioms_event *event = &graph->event[i];
		const u16 bit = (u16)(1u << i);

		if (!(graph->done & bit))
			continue;
		of->all |= bit;
		of->loads |= event->loads ? bit : 0;
		of->stores |= event->stores ? bit : 0;
		of->fences |= event->fence ? bit : 0;
		of->acquires |= is_acquire_order(event->order) ? bit : 0;
		of->releases |= is_release_order(event->order) ? bit : 0;
		of->strong |= event->order == __ATOMIC_SEQ_CST ? bit : 0;
	}
}

static inline struct axioms axioms_of(const struct axioms_graph *graph)
{
	struct axioms of = {0};

	find_sets(graph, &of);
	for (u32 a = 0; a < SAMPLE_EVENTS; a++)
		for (u32 b = 0; b < SAMPLE_EVENTS; b++) {
			const bool same = axioms_same_cell(graph, a, b);

			if (a == b || !(of.all >> a & 1) || !(of.all >> b & 1))
				continue;
			if (same)
				relate(&of.same_cell, a, b);
			if (b &&
			    (a == 0 || (a < b && (a - 1) / SAMPLE_STEPS == (b - 1) / SAMPLE_STEPS)))
				relate(&of.sb, a, b);
			if (graph->event[b].loads && graph->event[b].from == a)
				relate(&of.rf, a, b);
			if (same && of.stores >> a & 1 && of.stores >> b & 1 &&
			    graph->place[a] < graph->place[b])
				relate(&of.mo, a, b);
		}
	of.rb = then(backwards(of.rf), of.mo);
	/* The initial values of several cells are one event. */
	for (u32 a = 1; a < SAMPLE_EVENTS; a++)
		of.rb.to[a] &= (u16)(of.same_cell.to[a] & ~(1u << a));
	return of;
}

/* No read-modify-write has a store between what it takes and itself. */
static inline bool is_atomic(const struct axioms *of)
{
	return is_irreflexive(then(of->rb, of->mo));
}

static inline bool is_sc(const struct axioms *of)
{
	return is_acyclic(either(either(of->sb, of->rf), either(of->mo, of->rb))) && is_atomic(of);
}

/* What x86 keeps of the program's order. */
static inline struct relation kept_order(const struct axioms_graph *graph, const struct axioms *of)
{
	struct relation full = {{0}}, kept = of->sb;
	u16 locked = 0;

	for (u32 i = 1; i < SAMPLE_EVENTS; i++)
		if ((of->loads & of->stores) >> i & 1 || graph->event[i].failed)
			locked |= (u16)(1u << i);
	full = the_same(locked | (of->strong & (of->fences | of->stores)));
	/* Neither from a store to a load, nor from or to a fence that is none there. */
	for (u32 i = 1; i < SAMPLE_EVENTS; i++) {
		if (of->stores >> i & 1)
			kept.to[i] &= (u16) ~(of->loads & ~locked);
		if (of->fences >> i & 1)
			kept.to[i] = 0;
		kept.to[i] &= (u16)~of->fences;
	}
	return either(kept, either(then(full, of->sb), then(of->sb, full)));
}

static inline bool is_tso(const struct axioms_graph *graph, const struct axioms *of)
{
	const struct relation com = either(of->rf, either(of->mo, of->rb));
	struct relation by_cell = of->sb, from_others = of->rf;

	for (u32 i = 0; i < SAMPLE_EVENTS; i++) {
		by_cell.to[i] &= of->same_cell.to[i];
		from_others.to[i] &= (u16)~of->sb.to[i];
	}
	return is_acyclic(either(by_cell, com)) && is_atomic(of) &&
	       is_acyclic(
		       either(kept_order(graph, of), either(from_others, either(of->mo, of->rb))));
}

static inline struct relation happens_before(const struct axioms *of)
{
	const u16 rmw = of->loads & of->stores;
	/* rs = [W]; (rf; [RMW])* */
	const struct relation rs =
		within(maybe(repeated(within(of->rf, 0xffff, rmw))), of->stores, 0xffff);
	/* ([rel; W] | [rel; F]; sb; [W]) and ([R; acq] | [R]; sb; [F; acq]) */
	const struct relation release =
		either(the_same(of->releases & of->stores),
		       within(of->sb, of->releases & of->fences, of->stores));
	const struct relation acquire =
		either(the_same(of->acquires & of->loads),
		       within(of->sb, of->loads, of->acquires & of->fences));
	const struct relation sw = then(release, then(rs, then(of->rf, acquire)));

	return repeated(either(of->sb, sw));
}

static inline struct relation of_one_cell(const struct axioms *of, struct relation relation,
					  bool one)
{
	for (u32 i = 0; i < SAMPLE_EVENTS; i++)
		relation.to[i] &= one ? of->same_cell.to[i] : (u16)~of->same_cell.to[i];
	return relation;
}

static inline struct relation partial_sc(const struct axioms *of, struct relation hb,
					 struct relation eco)
{
	const struct relation sb_other = of_one_cell(of, of->sb, false);
	const struct relation scb =
		either(either(of->sb, then(sb_other, then(hb, sb_other))),
		       either(of_one_cell(of, hb, true), either(of->mo, of->rb)));
	const struct relation fences = the_same(of->strong & of->fences);
	const struct relation strong = the_same(of->strong);
	const struct relation left = either(strong, then(fences, maybe(hb)));
	const struct relation right = either(strong, then(maybe(hb), fences));
	const struct relation base = then(left, then(scb, right));
	const struct relation between = either(hb, then(hb, then(eco, hb)));

	return either(base, then(fences, then(between, fences)));
}

static inline bool is_rc11(const struct axioms *of)
{
	const struct relation hb = happens_before(of);
	const struct relation eco = repeated(either(of->rf, either(of->mo, of->rb)));

	/* Between a read-modify-write's load and its store, which are one here, is program order.
	 */
	return is_irreflexive(then(hb, maybe(eco))) && is_irreflexive(eco) && is_atomic(of) &&
	       is_acyclic(either(of->sb, of->rf)) && is_acyclic(partial_sc(of, hb, eco));
}

/* ---- all of them ---- */

static inline struct sample_outcome axioms_outcome(const struct axioms_search *search,
						   const struct axioms_graph *graph)
{
	struct sample_outcome outcome = {.last = 0};
	u64 last[SAMPLE_CELLS];
	u8 place[SAMPLE_CELLS] = {0};

	for (u32 i = 0; i < search->sample->threads; i++)
		outcome.told[i] = sample_told(&graph->thread[i]);
	for (u32 cell = 0; cell < SAMPLE_CELLS; cell++)
		last[cell] = search->sample->initial[cell];
	for (u32 i = 1; i < SAMPLE_EVENTS; i++) {
		const struct axioms_event *event = &graph->event[i];

		if (event->stores && graph->place[i] > place[event->cell]) {
			place[event->cell] = graph->place[i];
			last[event->cell] = event->value;
		}
	}
	outcome.last = sample_last(last);
	return outcome;
}

static inline void axioms_judge(struct axioms_search *search, const struct axioms_graph *graph)
{
	const struct sample_outcome outcome = axioms_outcome(search, graph);
	const struct axioms of = axioms_of(graph);
	const bool allowed[MODELS] = {
		[MODEL_SC] = search->model[MODEL_SC] && is_sc(&of),
		[MODEL_TSO] = search->model[MODEL_TSO] && is_tso(graph, &of),
		[MODEL_WEAK] = search->model[MODEL_WEAK] && is_rc11(&of),
	};

	search->candidates++;
	for (u32 model = 0; model < MODELS; model++)
		if (allowed[model]) {
			search->graphs[model]++;
			item_set_add(search->outcomes[model], &outcome);
		}
}

/* All orders of the stores from `event` on, given those before. */
static inline void axioms_place(struct axioms_search *search, const struct axioms_graph *graph,
				u32 event)
{
	struct axioms_graph placed = *graph;
	u8 others = 0;

	while (event < SAMPLE_EVENTS && !graph->event[event].stores)
		event++;
	if (event == SAMPLE_EVENTS) {
		axioms_judge(search, graph);
		return;
	}
	for (u32 i = 1; i < event; i++)
		others = (u8)(others + (graph->event[i].stores &&
					graph->event[i].cell == graph->event[event].cell));
	/* Behind so many of the others. */
	for (u8 place = 0; place <= others; place++) {
		for (u32 i = 1; i < event; i++)
			if (graph->event[i].stores &&
			    graph->event[i].cell == graph->event[event].cell)
				placed.place[i] = (u8)(graph->place[i] + (graph->place[i] > place));
		placed.place[event] = (u8)(place + 1);
		axioms_place(search, &placed, event + 1);
	}
}

static inline void axioms_replay(struct axioms_search *search, struct axioms_graph *graph);

/* The load takes each store of its cell there is in the program, in turn. */
static inline void axioms_choose(struct axioms_search *search, const struct axioms_graph *graph,
				 u32 i)
{
	const struct sample *sample = search->sample;
	const u8 cell = sample->step[i][graph->at[i]].cell;
	const u8 initial = 0xff;

	for (u32 thread = 0; thread < sample->threads; thread++)
		for (u32 n = 0; n < sample->steps[thread]; n++) {
			struct axioms_graph next = *graph;

			if (!sample_may_store(&sample->step[thread][n]) ||
			    sample->step[thread][n].cell != cell)
				continue;
			next.waits_for[i] = (u8)sample_event(thread, n);
			axioms_replay(search, &next);
		}
	struct axioms_graph next = *graph;

	next.waits_for[i] = initial;
	axioms_replay(search, &next);
}

/* The thread's next step, a load's store being chosen and there. */
static inline void axioms_do(struct axioms_search *search, struct axioms_graph *graph, u32 i)
{
	const struct sample *sample = search->sample;
	const u32 at = graph->at[i]++, number = sample_event(i, at);
	const struct sample_step *step = &sample->step[i][at];
	struct axioms_event *event = &graph->event[number];
	u64 old = 0;

	*event = (struct axioms_event){.order = step->order, .cell = step->cell};
	event->fence = step->kind == SAMPLE_FENCE;
	event->loads = sample_loads(step);
	if (event->loads) {
		event->from = graph->waits_for[i] == 0xff ? 0 : graph->waits_for[i];
		graph->waits_for[i] = 0;
		old = event->from ? graph->event[event->from].value : sample->initial[step->cell];
	}
	event->stores = sample_may_store(step) && sample_takes_place(step, old);
	event->value = sample_stored(sample, step, &graph->thread[i], old);
	if (step->kind == SAMPLE_COMPARE && !event->stores) {
		event->failed = true;
		event->order = step->failure_order;
	}
	if (event->loads)
		graph->thread[i].reg[at] = old;
	graph->thread[i].done |= 1u << at;
	graph->done |= (u16)(1u << number);
}

/*
 * On, thread by thread, wherever a load's store is there already. A store that is not done in the
 * end, or that needs the load itself, is never there; such a graph is none.
 */
static inline void axioms_replay(struct axioms_search *search, struct axioms_graph *graph)
{
	const struct sample *sample = search->sample;
	bool moved = true;

	while (moved) {
		moved = false;
		for (u32 i = 0; i < sample->threads; i++) {
			const struct sample_step *step = &sample->step[i][graph->at[i]];
			const u8 from = graph->waits_for[i];

			if (graph->at[i] == sample->steps[i])
				continue;
			if (!sample_is_done(step, &graph->thread[i])) {
				graph->at[i]++;
				moved = true;
				continue;
			}
			if (sample_loads(step) && !from) {
				axioms_choose(search, graph, i);
				return;
			}
			if (sample_loads(step) && from != 0xff && !graph->event[from].stores)
				continue;
			axioms_do(search, graph, i);
			moved = true;
		}
	}
	for (u32 i = 0; i < sample->threads; i++)
		if (graph->at[i] < sample->steps[i])
			return;
	axioms_place(search, graph, 1);
}

/* For each model that the search is to judge by: its outcomes, and how many graphs it allows. */
static inline void axioms_search(struct axioms_search *search)
{
	struct axioms_graph graph = {.done = 0};

	axioms_replay(search, &graph);
}

#endif /* TESTS_UNIT_PROVE_AXIOMS_H */
