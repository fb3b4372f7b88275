// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "prove/cells.h"
#include "prove/explore.h"
#include "prove/modified.h"

/* Loads of one place, from one site in one pass, that a thread has done in this run of it. */
struct turn {
	u64 place; /* the site, and who called it */
	u32 cell;
	u32 pass;
	u32 count;
	u32 run; /* 0: nobody's */
};

#define TURNS	    1024
#define KNOWN_SITES 256
#define MAX_CALLERS 64

/* What a thread wants to do. */
struct step {
	struct event event; /* all but what it depends on what is there */
	struct access access;
	enum access_operation operation; /* of EVENT_MODIFY */
	u64 operand;
	bool compares; /* a compare-and-exchange: `operand` is what it expects, `desired` follows */
	u64 desired;
	u8 failure_order;
	bool (*wanted)(u64 value, u64 argument); /* NULL: any */
	u64 (*change)(u64 value, u64 argument);	 /* NULL: by `operation` */
	u64 argument;
};

struct explorer {
	const struct explore_threads *threads;
	const struct explore_config *config;
	struct explore_result *result;
	struct errmsg *err;
	bool failed;
	bool stopped; /* found, or a limit was met */
	struct cells cells;
	u64 begun_ns;
	u64 visits; /* of graphs */
	u64 enough; /* executions, once one was found */

	/* The thread that is being run. */
	struct graph *graph;
	u32 thread;
	bool running;  /* its code has the CPU */
	sigset_t mask; /* of signals, while it has */
	bool replays;  /* it is run once more, to no new step */
	u16 replayed;  /* what it did when it was run before: the next of it; 0: no more */
	u16 pass;
	u64 caller[MAX_CALLERS]; /* the calls that it is within, each with those around it */
	u32 callers;
	jmp_buf leave;
	u32 run;
	struct turn turn[TURNS];
	struct step step; /* where it was left */

	struct explore_site *known_site[KNOWN_SITES]; /* some of the result's, to be found fast */

	struct graph **depth; /* the graph of each choice under way */
	u32 depths;
};

/* The exploration under way. */
static struct explorer *now;

static u64 clock_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (u64)time.tv_sec * NSEC_PER_SEC + (u64)time.tv_nsec;
}

__attribute__((noreturn)) static void leave(void)
{
	/* Not by _longjmp: ThreadSanitizer does not know it, and takes calls for ever deeper. */
	longjmp(now->leave, 1);
}

/* What was learnt makes this round void; what failed, all of it. */
static void leave_if_void(void)
{
	if (now->cells.learnt || now->failed)
		leave();
}

__attribute__((format(printf, 1, 2), noreturn)) static void refuse(const char *format, ...)
{
	va_list arguments;

	/* What was found before stands, and may be what led there. */
	if (now->result->found) {
		now->stopped = true;
		leave();
	}
	va_start(arguments, format);
	vsnprintf(now->err->text, sizeof(now->err->text), format, arguments);
	va_end(arguments);
	now->failed = true;
	leave();
}

/* ---- what a step may be ---- */

static u64 stored_value(const struct explorer *x, const struct graph *graph, u32 cell, u16 store)
{
	return store == EVENT_INITIAL ? x->cells.cell[cell].initial : graph->event[store].value;
}

static u64 mask_of(u32 bytes)
{
	return bytes == 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1;
}

static u64 modified(const struct step *step, u64 value)
{
	if (step->change)
		return step->change(value, step->argument);
	if (step->compares)
		return step->desired;
	return access_modified(step->operation, value, step->operand) & mask_of(step->access.bytes);
}

/* The event that the step would be if it took, or stood behind, that store. */
static void event_at(const struct explorer *x, const struct graph *graph, const struct step *step,
		     u16 store, struct event *event)
{
	event_copy(event, &step->event);
	if (event->kind == EVENT_STORE)
		return;
	event->taken = stored_value(x, graph, event->cell, store);
	if (event->kind != EVENT_MODIFY)
		return;
	if (step->compares && event->taken != step->operand) {
		event->kind = EVENT_LOAD;
		event->failed = true;
		event->order = step->failure_order;
	} else {
		event->value = modified(step, event->taken);
	}
}

static bool is_possible(const struct explorer *x, const struct graph *graph,
			const struct step *step, u16 store)
{
	struct event event;

	event_at(x, graph, step, store, &event);
	if (step->wanted && !step->wanted(event.taken, step->argument))
		return false;
	return graph_allows(graph, x->config->model, &event, store);
}

/* The stores that the step may take, or stand behind, in the order of their cell. */
static u32 find_choices(const struct explorer *x, const struct graph *graph,
			const struct step *step, u16 after, u16 *choice)
{
	const struct event *event = &step->event;
	u16 store = graph_floor(graph, x->config->model, event->thread, event->cell);
	u32 count = 0;

	do {
		if (store >= after && is_possible(x, graph, step, store))
			choice[count++] = store;
		store = graph_next(graph, event->cell, store);
	} while (store);
	return count;
}

/* Whether another thread that has not come to its end stores to the cell. */
static bool others_may_store(const struct explorer *x, const struct graph *graph,
			     const struct event *event)
{
	const u8 stored_by = x->cells.cell[event->cell].stored_by;

	for (u32 i = 0; i < x->threads->count; i++)
		if (i != event->thread && (stored_by >> i & 1) &&
		    (graph->thread[i].state == THREAD_RUNS ||
		     graph->thread[i].state == THREAD_CHOOSES))
			return true;
	return false;
}

/* ---- races ---- */

static void note_race(struct explorer *x, const struct event *a, const struct event *b)
{
	struct explore_result *result = x->result;

	for (u32 i = 0; i < result->races; i++)
		if ((result->race[i].site[0] == a->site && result->race[i].site[1] == b->site) ||
		    (result->race[i].site[0] == b->site && result->race[i].site[1] == a->site))
			return;
	if (result->races < EXPLORE_MAX_RACES)
		result->race[result->races++] = (struct explore_race){
			.site = {a->site, b->site},
			.kind = {a->kind, b->kind},
			.cell = a->cell,
		};
}

/* Of the newest event with all others. Happens-before is known in weak only. */
static void look_for_races(struct explorer *x, const struct graph *graph)
{
	const struct event *newest = &graph->event[graph->events - 1];

	if (x->config->model != MODEL_WEAK || newest->kind == EVENT_FENCE)
		return;
	for (u32 i = 1; i + 1 < graph->events; i++) {
		const struct event *event = &graph->event[i];

		if (event->kind != EVENT_FENCE && event->cell == newest->cell &&
		    event->thread != newest->thread &&
		    (event_stores(event) || event_stores(newest)) &&
		    (event->how == ACCESS_PLAIN || newest->how == ACCESS_PLAIN) &&
		    !event_set_has(&newest->before, i))
			note_race(x, event, newest);
	}
}

static void add(struct explorer *x, struct graph *graph, const struct event *event, u16 at)
{
	graph_add(graph, x->config->model, event, at);
	if (!graph->dead)
		look_for_races(x, graph);
}

/* ---- the steps of the thread that is being run ---- */

/* What it did here when it was run before; NULL: it has not come so far yet. */
static const struct event *replayed(void)
{
	const struct event *event = &now->graph->event[now->replayed];

	if (!now->replayed)
		return NULL;
	now->replayed = event->following;
	return event;
}

static void make_room(void)
{
	if (now->replays)
		leave();
	if (now->graph->events < GRAPH_MAX_EVENTS)
		return;
	now->result->too_large = true;
	now->graph->dead = true;
	leave();
}

static bool is_site(const struct explore_site *site, const struct access *access,
		    enum event_kind kind)
{
	return site->site == access->site && site->kind == kind;
}

/* Of all that were come to; NULL: there is no room for another. */
static struct explore_site *find_site(const struct access *access, enum event_kind kind)
{
	struct explore_result *result = now->result;
	struct explore_site *site = result->site;

	while (site < result->site + result->sites && !is_site(site, access, kind))
		site++;
	if (site == result->site + EXPLORE_MAX_SITES)
		return NULL;
	if (site == result->site + result->sites) {
		result->sites++;
		*site = (struct explore_site){.site = access->site,
					      .kind = (u8)kind,
					      .how = access->how,
					      .order = access->order};
	}
	return site;
}

/* Most are known: a thread comes to each whenever it is run. */
static void note_site(const struct access *access, enum event_kind kind)
{
	struct explore_site **known =
		&now->known_site[((uintptr_t)access->site * 4 + kind) % KNOWN_SITES];

	if (!*known || !is_site(*known, access, kind)) {
		*known = find_site(access, kind);
		if (!*known)
			return;
	}
	(*known)->threads |= (u16)(1u << now->thread);
}

/*
 * Adds it if there is but one way; else the thread is left before it. What was loaded.
 */
static u64 take_step(const struct step *step)
{
	struct graph *graph = now->graph;
	u16 choice[GRAPH_MAX_EVENTS];
	struct event event;

	make_room();
	if (!(step->event.kind != EVENT_STORE && others_may_store(now, graph, &step->event)) &&
	    find_choices(now, graph, step, EVENT_INITIAL, choice) == 1) {
		event_at(now, graph, step, choice[0], &event);
		add(now, graph, &event, choice[0]);
		if (graph->dead)
			leave();
		return event.taken;
	}
	graph->thread[now->thread].state = THREAD_CHOOSES;
	graph->thread[now->thread].after = EVENT_INITIAL;
	now->step = *step;
	leave();
}

static struct turn *find_turn(const void *site, u32 cell)
{
	const u32 callers = now->callers < MAX_CALLERS ? now->callers : MAX_CALLERS;
	const u64 place = (uintptr_t)site * 31 + (callers ? now->caller[callers - 1] : 0);
	const u64 slot = (place ^ place >> 17) + cell * 7u + now->pass;

	for (u32 i = 0; i < TURNS; i++) {
		struct turn *turn = &now->turn[(slot + i) % TURNS];

		if (turn->run != now->run)
			*turn = (struct turn){place, cell, now->pass, 0, now->run};
		if (turn->place == place && turn->cell == cell && turn->pass == now->pass)
			return turn;
	}
	refuse("a thread loads from more than %d places", TURNS);
}

/* A loop that takes too many turns is cut. */
static void take_turn(const void *site, u32 cell)
{
	if (find_turn(site, cell)->count++ < now->config->turns)
		return;
	now->graph->thread[now->thread].state = THREAD_CUT;
	leave();
}

/* The orders that an edit says. */
static u8 edited_order(const void *site, u8 order)
{
	for (u32 i = 0; i < now->config->edits; i++)
		if (now->config->edit[i].site == site && !now->config->edit[i].fence_first)
			return now->config->edit[i].order;
	return order;
}

static u8 acquiring_part(u8 order)
{
	if (order == __ATOMIC_RELAXED || order == __ATOMIC_RELEASE)
		return __ATOMIC_RELAXED;
	return order == __ATOMIC_SEQ_CST ? __ATOMIC_SEQ_CST : __ATOMIC_ACQUIRE;
}

/* Of a compare-and-exchange: as an edit makes it acquire less, or more, so it does if it fails. */
static u8 edited_failure_order(const struct access *access, u8 failure_order)
{
	const u8 part = acquiring_part(edited_order(access->site, access->order));
	const u8 before = acquiring_part(access->order);

	if (part < before)
		return failure_order < part ? failure_order : part;
	if (part > before)
		return failure_order > part ? failure_order : part;
	return failure_order;
}

static void fence(u8 order, const void *site)
{
	struct event event;

	if (order == __ATOMIC_RELAXED || replayed())
		return;
	make_room();
	event = (struct event){
		.kind = EVENT_FENCE,
		.thread = (u8)now->thread,
		.order = order,
		.pass = now->pass,
		.site = site,
	};
	add(now, now->graph, &event, EVENT_INITIAL);
	if (now->graph->dead)
		leave();
}

static void add_fences_before(const void *site)
{
	for (u32 i = 0; i < now->config->edits; i++)
		if (now->config->edit[i].site == site && now->config->edit[i].fence_first)
			fence(now->config->edit[i].order, site);
}

static void note_strong(u8 order)
{
	if (order == __ATOMIC_SEQ_CST)
		cells_note_strong(&now->cells);
	leave_if_void();
}

static u32 offset_of(const void *address)
{
	return (u32)((const u8 *)address - now->cells.memory);
}

static u32 find_cell(const struct access *access, u32 done)
{
	const u32 cell =
		cells_find(&now->cells, offset_of(access->address) + done, access->bytes - done);

	if (now->cells.full)
		refuse("more than %d places of the shared memory are used", GRAPH_MAX_CELLS);
	leave_if_void();
	return cell;
}

static void note_use(u32 cell, enum event_kind kind)
{
	cells_note(&now->cells, cell, now->thread, kind != EVENT_STORE, kind != EVENT_LOAD);
	leave_if_void();
}

/* The part of an access that a cell holds. */
struct part {
	u32 cell;
	u32 shift;  /* of the access's bits before it */
	u32 within; /* of the cell's bits before it */
	u32 bits;
};

static u64 bits_of(u64 value, u32 shift, u32 bits)
{
	return shift >= 64 ? 0 : value >> shift & (bits == 64 ? UINT64_MAX : (1ull << bits) - 1);
}

static void note_parts(const struct access *access, const struct part *part)
{
	if (access->how == ACCESS_ATOMIC && part->bits < 8 * access->bytes)
		now->result->mixed = true;
}

static struct part find_part(const struct access *access, u32 done)
{
	const u32 cell = find_cell(access, done);
	const struct memory_cell *known = &now->cells.cell[cell];
	struct part part = {.cell = cell, .shift = 8 * done, .bits = 8 * known->bytes};

	note_parts(access, &part);
	return part;
}

/* All but the event, which is large, and is filled in if it comes to that. */
static void begin_step(struct step *step, const struct access *access)
{
	step->access = *access;
	step->compares = false;
	step->wanted = NULL;
	step->change = NULL;
}

/* For what is there at first, of a cell that nobody stores to. */
static bool waits_in_vain(const struct step *step, u32 cell)
{
	return step->wanted && !step->wanted(now->cells.cell[cell].initial, step->argument);
}

/*
 * The part of an access that is in that cell; what was loaded. Most are done again, when the thread
 * is run once more, and are no step then.
 */
static u64 do_step(struct step *step, enum event_kind kind, u32 cell, u64 value)
{
	const struct access *access = &step->access;
	const u8 order = edited_order(access->site, access->order);
	const struct event *before;

	note_use(cell, kind);
	note_site(access, kind);
	note_strong(order);
	if (kind != EVENT_STORE && !step->wanted)
		take_turn(access->site, cell);
	if (!cells_matter(&now->cells, cell) && !waits_in_vain(step, cell))
		return now->cells.cell[cell].initial;
	before = replayed();
	if (before)
		return before->taken;
	step->event = (struct event){
		.kind = (u8)kind,
		.thread = (u8)now->thread,
		.order = order,
		.how = access->how,
		.cell = (u16)cell,
		.pass = now->pass,
		.value = value,
		.site = access->site,
	};
	return take_step(step);
}

/* What was done at once, was looked at then: it is known by its place in the source and in memory.
 */
static const struct event *done_before(const struct access *access, enum event_kind kind)
{
	const struct event *event = &now->graph->event[now->replayed];
	const struct memory_cell *cell = &now->cells.cell[event->cell];

	if (!now->replayed || event->site != access->site || event->kind != kind ||
	    cell->bytes != access->bytes || cell->offset != offset_of(access->address))
		return NULL;
	if (kind != EVENT_STORE)
		take_turn(event->site, event->cell);
	return replayed();
}

/*
 * A load, or a store of that value, cell by cell; what was loaded. `puts`: into memory as well,
 * where the code will load it by itself.
 */
static u64 do_parts(const struct access *access, enum event_kind kind, u64 value, bool puts)
{
	const struct event *before = done_before(access, kind);
	struct step step;
	u64 loaded = 0;

	if (before) {
		if (puts)
			cells_put(&now->cells, before->cell, before->taken);
		return before->taken;
	}
	begin_step(&step, access);
	for (u32 done = 0; done < access->bytes;) {
		const struct part part = find_part(access, done);
		const u64 taken =
			do_step(&step, kind, part.cell, bits_of(value, part.shift, part.bits));

		if (puts)
			cells_put(&now->cells, part.cell, taken);
		else
			loaded |= taken << part.shift;
		done += part.bits / 8;
	}
	return loaded;
}

/* ---- prove/access.h ---- */

static void begin(const void *site)
{
	leave_if_void();
	add_fences_before(site);
}

static bool is_shared(const struct access *access)
{
	return cells_have(&now->cells, access->address);
}

u64 access_load(const struct access *access)
{
	u64 value = 0;

	begin(access->site);
	if (is_shared(access))
		return do_parts(access, EVENT_LOAD, 0, false);
	memcpy(&value, access->address, access->bytes);
	return value;
}

void access_store(const struct access *access, u64 value)
{
	begin(access->site);
	memcpy(access->address, &value, access->bytes);
	if (is_shared(access))
		do_parts(access, EVENT_STORE, value, false);
}

/* Of shared memory, in one cell. */
static u64 modify(struct step *step)
{
	const struct access *access = &step->access;
	const struct part part = find_part(access, 0);
	u64 taken;

	if (part.bits != 8 * access->bytes)
		refuse("a read-modify-write of %u bytes, parts of which are also loaded or stored "
		       "by themselves",
		       access->bytes);
	if (step->compares) {
		step->failure_order = edited_failure_order(access, step->failure_order);
		note_strong(step->failure_order);
	}
	taken = do_step(step, EVENT_MODIFY, part.cell, 0);
	/* The code may look at it by itself from here on. */
	cells_put(&now->cells, part.cell,
		  step->compares && taken != step->operand ? taken : modified(step, taken));
	return taken;
}

/* Of the thread's own memory. */
static u64 modify_own(const struct step *step)
{
	const struct access *access = &step->access;
	u64 value = 0, changed;

	memcpy(&value, access->address, access->bytes);
	if (step->compares && value != step->operand)
		return value;
	changed = modified(step, value);
	memcpy(access->address, &changed, access->bytes);
	return value;
}

static u64 begin_modify(struct step *step)
{
	begin(step->access.site);
	return is_shared(&step->access) ? modify(step) : modify_own(step);
}

u64 access_modify(const struct access *access, enum access_operation operation, u64 operand)
{
	struct step step;

	begin_step(&step, access);
	step.operation = operation;
	step.operand = operand & mask_of(access->bytes);
	return begin_modify(&step);
}

bool access_compare(const struct access *access, u64 *expected, u64 desired, u8 failure_order)
{
	struct step step;
	u64 taken;

	begin_step(&step, access);
	step.compares = true;
	step.operand = *expected & mask_of(access->bytes);
	step.desired = desired & mask_of(access->bytes);
	step.failure_order = failure_order;
	taken = begin_modify(&step);
	if (taken == step.operand)
		return true;
	*expected = taken;
	return false;
}

void access_fence(u8 order, const void *site)
{
	const struct access fenced = {.order = order, .site = site};

	begin(site);
	note_site(&fenced, EVENT_FENCE);
	fence(edited_order(site, order), site);
}

void access_before_load(const struct access *access)
{
	begin(access->site);
	if (is_shared(access))
		do_parts(access, EVENT_LOAD, 0, true);
}

u64 access_await(const struct access *access, bool (*wanted)(u64 value, u64 argument), u64 argument)
{
	struct step step;

	begin_step(&step, access);
	step.wanted = wanted;
	step.argument = argument;
	begin(access->site);
	if (!is_shared(access))
		refuse("a wait for what no other thread can change");
	return do_step(&step, EVENT_LOAD, find_part(access, 0).cell, 0);
}

u64 access_await_and_modify(const struct access *access, bool (*wanted)(u64 value, u64 argument),
			    u64 argument, u64 (*change)(u64 value, u64 argument))
{
	struct step step;

	begin_step(&step, access);
	step.wanted = wanted;
	step.argument = argument;
	step.change = change;
	return begin_modify(&step);
}

void access_enter(const void *caller)
{
	const u64 around = now->callers ? now->caller[(now->callers - 1) % MAX_CALLERS] : 0;

	begin(NULL);
	if (now->callers < MAX_CALLERS)
		now->caller[now->callers] = around * 31 + (uintptr_t)caller;
	now->callers++;
}

void access_leave(void)
{
	begin(NULL);
	now->callers -= now->callers > 0;
}

void access_pass(u32 number)
{
	begin(NULL);
	now->pass = (u16)number;
}

void access_refuse(const char *why)
{
	refuse("%s", why);
}

void access_tell(u64 outcome)
{
	struct graph_thread *thread = &now->graph->thread[now->thread];

	begin(NULL);
	if (thread->told < GRAPH_MAX_TOLD)
		thread->tell[thread->told++] = outcome;
}

/* ---- running threads ---- */

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
#define CRASHES (sizeof(crashes) / sizeof(crashes[0]))

/* What the code makes of what it was given may be an end of it. */
static void end_by_crash(int number)
{
	if (!now || !now->running) {
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	now->result->crashed = number;
	now->result->crashed_thread = now->thread;
	/* There is no way back that would do it, and ThreadSanitizer holds all signals back here.
	 */
	pthread_sigmask(SIG_SETMASK, &now->mask, NULL);
	leave();
}

static void catch_crashes(struct sigaction *before)
{
	const struct sigaction caught = {.sa_handler = end_by_crash, .sa_flags = SA_NODEFER};

	for (size_t i = 0; i < CRASHES; i++)
		sigaction(crashes[i], &caught, &before[i]);
}

static void let_crash(const struct sigaction *before)
{
	for (size_t i = 0; i < CRASHES; i++)
		sigaction(crashes[i], &before[i], NULL);
}

/* What was added since the last seq_cst event may have closed a circle, too. */
static bool is_ordered(const struct explorer *x, const struct graph *graph)
{
	return x->config->model != MODEL_WEAK || graph->strong < 2 ||
	       graph_strong_is_ordered(graph);
}

/* From its beginning to its end, its next choice, or where it is cut. */
static void run_thread(struct explorer *x, struct graph *graph, u32 thread)
{
	x->graph = graph;
	x->thread = thread;
	x->replayed = graph->thread[thread].first;
	x->pass = 0;
	x->callers = 0;
	x->run++;
	graph->thread[thread].told = 0;
	if (x->config->progress)
		__atomic_fetch_add(&x->config->progress->runs, 1, __ATOMIC_RELAXED);
	if (setjmp(x->leave) == 0) {
		x->running = true;
		x->threads->run(x->threads->context, thread);
		begin(NULL);
		graph->thread[thread].state = THREAD_ENDED;
	}
	x->running = false;
	if (!x->result->crashed || x->replays)
		return;
	/* Of what is found first another may be looked for that is shorter, and no other fault. */
	if (x->result->found || !is_ordered(x, graph)) {
		x->result->crashed = 0;
		graph->dead = true;
		return;
	}
	graph_copy(&x->result->witness, graph);
	x->stopped = true;
}

/* ---- the search ---- */

static bool is_void(const struct explorer *x)
{
	return x->failed || x->stopped || x->cells.learnt;
}

static struct graph *graph_at(struct explorer *x, u32 depth)
{
	if (depth >= x->depths) {
		struct graph **more = realloc(x->depth, (depth + 1) * sizeof(*more));

		if (!more)
			return NULL;
		x->depth = more;
		x->depth[depth] = calloc(1, sizeof(**more));
		if (!x->depth[depth])
			return NULL;
		x->depths = depth + 1;
	}
	return x->depth[depth];
}

/* Where each thread that stands before a choice was left; kept by whoever chooses. */
struct choices {
	struct step step[GRAPH_MAX_THREADS];
};

static void advance(struct explorer *x, struct graph *graph, struct choices *choices)
{
	for (u32 i = 0; i < x->threads->count && !graph->dead && !is_void(x); i++) {
		if (graph->thread[i].state != THREAD_RUNS)
			continue;
		run_thread(x, graph, i);
		if (graph->thread[i].state == THREAD_CHOOSES)
			choices->step[i] = x->step;
	}
}

static void visit(struct explorer *x, u32 depth, const struct choices *before);

/* The thread's step, taken so. */
static void visit_choice(struct explorer *x, u32 depth, const struct choices *choices,
			 const struct step *step, u16 store)
{
	struct graph *graph = graph_at(x, depth + 1);
	struct event event;

	if (!graph) {
		errmsg_set(x->err, "no memory to explore");
		x->failed = true;
		return;
	}
	graph_copy(graph, x->depth[depth]);
	event_at(x, graph, step, store, &event);
	if (graph->events == GRAPH_MAX_EVENTS) {
		x->result->too_large = true;
		return;
	}
	add(x, graph, &event, store);
	graph->thread[event.thread].state = THREAD_RUNS;
	if (!graph->dead)
		visit(x, depth + 1, choices);
}

/* The thread's step, left until there is another store. */
static void visit_later(struct explorer *x, u32 depth, const struct choices *choices, u32 thread)
{
	struct graph *graph = graph_at(x, depth + 1);

	if (!graph) {
		errmsg_set(x->err, "no memory to explore");
		x->failed = true;
		return;
	}
	graph_copy(graph, x->depth[depth]);
	graph->thread[thread].after = (u16)graph->events;
	visit(x, depth + 1, choices);
}

/*
 * A thread that was left aside, and could still take what it was offered then: that has been
 * explored. One that waits may find that others have taken it meanwhile: it waits for ever.
 */
static bool is_left_aside(const struct explorer *x, const struct graph *graph,
			  const struct choices *choices, u32 thread)
{
	u16 choice[GRAPH_MAX_EVENTS];

	return graph->thread[thread].state == THREAD_CHOOSES && graph->thread[thread].after &&
	       find_choices(x, graph, &choices->step[thread], EVENT_INITIAL, choice);
}

static void end_execution(struct explorer *x, const struct graph *graph,
			  const struct choices *choices)
{
	struct explore_result *result = x->result;
	const struct explore_config *config = x->config;
	bool cut = false, blocked = false;

	for (u32 i = 0; i < x->threads->count; i++) {
		const struct graph_thread *thread = &graph->thread[i];

		if (is_left_aside(x, graph, choices, i))
			return;
		cut |= thread->state == THREAD_CUT;
		blocked |= thread->state == THREAD_CHOOSES;
	}
	if (!is_ordered(x, graph))
		return;
	result->executions++;
	if (config->progress)
		__atomic_fetch_add(&config->progress->executions, 1, __ATOMIC_RELAXED);
	result->cut += cut;
	result->blocked += blocked;
	if (config->judge(config->context, graph)) {
		if (!result->found)
			x->enough = result->executions + config->more;
		result->found = true;
		graph_copy(&result->witness, graph);
	}
	if (result->found && result->executions >= x->enough)
		x->stopped = true;
	if (config->most_executions && result->executions >= config->most_executions)
		x->stopped = true;
}

/* Now and then, also while no execution comes to its end. */
static void watch_time(struct explorer *x)
{
	const double most_seconds = x->config->most_seconds;

	if (most_seconds > 0 && x->visits++ % 256 == 0 &&
	    (double)(clock_ns() - x->begun_ns) > most_seconds * NSEC_PER_SEC)
		x->stopped = true;
}

static u32 choose(const struct explorer *x, const struct graph *graph,
		  const struct choices *choices, u16 *choice, u32 *thread)
{
	for (u32 pass = 0; pass < 2; pass++)
		for (u32 i = 0; i < x->threads->count; i++) {
			const struct graph_thread *chooses = &graph->thread[i];
			u32 count;

			/* Stores first: see explore.h. */
			if (chooses->state != THREAD_CHOOSES ||
			    (choices->step[i].event.kind == EVENT_STORE) != (pass == 0))
				continue;
			count = find_choices(x, graph, &choices->step[i], chooses->after, choice);
			if (count) {
				*thread = i;
				return count;
			}
		}
	return 0;
}

static void visit(struct explorer *x, u32 depth, const struct choices *before)
{
	struct graph *graph = x->depth[depth];
	struct choices choices;
	u16 choice[GRAPH_MAX_EVENTS];
	u32 count, thread;

	memcpy(choices.step, before->step, x->threads->count * sizeof(*choices.step));
	watch_time(x);
	advance(x, graph, &choices);
	if (is_void(x) || graph->dead)
		return;
	count = choose(x, graph, &choices, choice, &thread);
	if (!count) {
		end_execution(x, graph, &choices);
		return;
	}
	for (u32 i = 0; i < count && !is_void(x); i++)
		visit_choice(x, depth, &choices, &choices.step[thread], choice[i]);
	if (!is_void(x) && choices.step[thread].event.kind != EVENT_STORE &&
	    others_may_store(x, graph, &choices.step[thread].event))
		visit_later(x, depth, &choices, thread);
}

static void begin_result(struct explore_result *result)
{
	memset(result, 0, offsetof(struct explore_result, witness));
	result->races = 0;
	result->sites = 0;
	result->cells = 0;
}

/* Until nothing new is learnt. */
static void explore_rounds(struct explorer *x)
{
	static const struct choices none;

	do {
		x->cells.learnt = false;
		begin_result(x->result);
		memset(x->known_site, 0, sizeof(x->known_site));
		if (!graph_at(x, 0)) {
			errmsg_set(x->err, "no memory to explore");
			x->failed = true;
			return;
		}
		cells_reset(&x->cells);
		graph_begin(x->depth[0], x->threads->count);
		visit(x, 0, &none);
	} while (x->cells.learnt && !x->failed);
}

static void tell_cells(const struct explorer *x)
{
	struct explore_result *result = x->result;

	result->cells = x->cells.count;
	result->strong = x->cells.strong;
	memcpy(result->cell, x->cells.cell, x->cells.count * sizeof(*result->cell));
}

static struct explorer *begin_explorer(const struct explore_threads *threads,
				       const struct explore_config *config, struct errmsg *err)
{
	struct explorer *x = calloc(1, sizeof(*x));

	if (!x ||
	    cells_begin(&x->cells, threads->shared, threads->shared_bytes, config->last_stores)) {
		free(x);
		errmsg_set(err, "no memory to explore");
		return NULL;
	}
	x->threads = threads;
	x->config = config;
	x->err = err;
	x->begun_ns = clock_ns();
	return x;
}

static void end_explorer(struct explorer *x)
{
	cells_reset(&x->cells);
	for (u32 i = 0; i < x->depths; i++)
		free(x->depth[i]);
	free(x->depth);
	cells_end(&x->cells);
	free(x);
}

int explore(const struct explore_threads *threads, const struct explore_config *config,
	    struct explore_result *result, struct errmsg *err)
{
	struct explorer *x = begin_explorer(threads, config, err), *outer = now;
	struct sigaction before[CRASHES];
	int failed;

	if (!x)
		return -1;
	x->result = result;
	now = x;
	pthread_sigmask(SIG_SETMASK, NULL, &x->mask);
	catch_crashes(before);
	explore_rounds(x);
	let_crash(before);
	now = outer;
	tell_cells(x);
	result->seconds = (double)(clock_ns() - x->begun_ns) / NSEC_PER_SEC;
	result->complete = !x->stopped && !result->too_large;
	failed = x->failed ? -1 : 0;
	end_explorer(x);
	return failed;
}

int explore_rerun(const struct explore_threads *threads, const struct explore_config *config,
		  struct explore_result *result, u32 thread, struct errmsg *err)
{
	struct explorer *x = begin_explorer(threads, config, err), *outer = now;
	struct sigaction before[CRASHES];
	int failed;

	if (!x)
		return -1;
	cells_restore(&x->cells, result->cell, result->cells, result->strong);
	x->result = result;
	x->replays = true;
	now = x;
	pthread_sigmask(SIG_SETMASK, NULL, &x->mask);
	catch_crashes(before);
	run_thread(x, &result->witness, thread);
	let_crash(before);
	now = outer;
	failed = x->failed ? -1 : 0;
	end_explorer(x);
	return failed;
}

u64 explore_last(const struct graph *graph, const void *address, u32 bytes)
{
	const u32 cell = now->cells.at[offset_of(address)];
	u64 value = 0;

	if (cell)
		return stored_value(now, graph, cell - 1, graph_last_store(graph, cell - 1));
	memcpy(&value, now->cells.initial + offset_of(address), bytes);
	return value;
}
