// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "measure/compare_child.h"
#include "measure/compare_figures.h"
#include "measure/compare_thread.h"
#include "measure/cpus.h"
#include "measure/hypervisor_thread.h"
#include "measure/thread.h"
#include "measure/writers.h"
#include "sim/monotonic.h"
#include "sim/publish.h"

/* Nobody asks the oracle; the writer tells it all the same. */
#define REMEMBERED 16

struct child {
	const struct compare_config *config;
	struct compare_area *area;
	struct run_shared shared;
	struct cpu_plan plan;
	size_t layouts;
	u32 pages; /* of each */
	struct page_region region[COMPARE_MAX_READERS][COMPARE_MAX_PAGES];
	size_t layout_of[COMPARE_MAX_READERS]; /* by reader */
	struct writers writers;
	struct writer between_visits; /* acts only if there is no other */
	struct hypervisor_thread hypervisor;
	struct compare_thread *thread[COMPARE_MAX_THREADS];
};

/* A page's update takes about so long. */
#define UPDATE_NS 150
/* Each takes a file descriptor, of which a process has a thousand as a rule. */
#define MOST_REGIONS 600
/* Of the time between two ticks, updates of many pages may take a tenth. */
#define MOST_OF_TICK 10
/* The sequence is looked at so often, and left odd if it is the same odd one so many times more. */
#define LOOK_NS	     100000000l
#define LOOKS_AT_ODD 20

struct look {
	const struct vdso_time_data *page; /* that the writer was in, if it was in any */
	u32 seq;
	u32 times; /* that it was odd, and the same as before */
};

/*
 * Where a page lies in memory matters to reads that miss the caches. If all read the same page, it
 * matters to all alike. If not, each layout has many, as many as the writer can keep up with.
 */
static u32 choose_pages(const struct child *child)
{
	const struct compare_config *config = child->config;
	u64 pages = NSEC_PER_SEC;
	bool alike = child->layouts == 1;

	for (size_t who = 1; who < config->readers; who++)
		alike &= config->reader[who]->in_namespace == config->reader[0]->in_namespace;
	/* A library's lock lies in more places than its page, which are not ours to choose. */
	for (size_t who = 0; who < config->readers; who++)
		alike |= reader_is_lock(config->reader[who]) && reader_no_code(config->reader[who]);
	if (alike || config->placement_still || config->run.clocksource->has_record)
		return 1;
	if (config->has_writer)
		pages = NSEC_PER_SEC / MOST_OF_TICK /
			(UPDATE_NS + config->run.writer[0].value[WRITER_HOLD]) /
			writers_update_hz(&config->run) / child->layouts;
	if (pages > MOST_REGIONS / child->layouts)
		pages = MOST_REGIONS / child->layouts;
	return pages < 1 ? 1 : pages > COMPARE_MAX_PAGES ? COMPARE_MAX_PAGES : (u32)pages;
}

/* Readers of one layout read the same pages. */
static void find_layouts(struct child *child)
{
	const struct compare_config *config = child->config;

	for (size_t who = 0; who < config->readers; who++) {
		size_t same = 0;

		while (!readers_share_page(config->reader[same], config->reader[who]))
			same++;
		child->layout_of[who] = same == who ? child->layouts++ : child->layout_of[same];
	}
}

static int map_pages(struct child *child, size_t who, struct errmsg *err)
{
	const struct reader *reader = child->config->reader[who];
	const struct timens_offset none[VDSO_BASES] = {{.sec = 0}};
	struct page_region *region = child->region[child->layout_of[who]];

	for (u32 i = 0; i < child->pages && !region[i].writable; i++) {
		if (reader_map_page(reader, &region[i], err))
			return -1;
		page_set_namespace(&region[i], none);
	}
	if (!reader->image)
		return 0;
	return vdso_image_attach(reader->image, &region[0], reader->in_namespace, err);
}

static int make_pages(struct child *child, struct errmsg *err)
{
	const struct clocksource *cs = child->config->run.clocksource;

	find_layouts(child);
	if (cs->has_record && child->layouts > 1)
		return errmsg_set(err,
				  "--clocksource: the record of %s goes with one page, and these "
				  "readers read %zu, as each layout has a page and each lock: give "
				  "readers of one, or another clock source",
				  cs->name, child->layouts);
	child->pages = choose_pages(child);
	for (size_t who = 0; who < child->config->readers; who++)
		if (map_pages(child, who, err))
			return -1;
	child->shared.page = page_for_readers(&child->region[0][0]);
	hypervisor_prepare(&child->hypervisor, &child->shared, &child->region[0][0], &child->plan);
	child->shared.counter_hz = cs->frequency_hz();
	child->shared.counter_cost = clocksource_cost(cs->clock_mode, child->shared.page);
	return 0;
}

/* All but the first. */
static size_t list_others(const struct child *child, const struct page_region **other)
{
	size_t count = 0;

	for (size_t layout = 0; layout < child->layouts; layout++)
		for (u32 i = 0; i < child->pages; i++)
			if (layout || i)
				other[count++] = &child->region[layout][i];
	return count;
}

static int make_writer(struct child *child, struct errmsg *err)
{
	const struct run_config *run = &child->config->run;
	struct oracle *oracle = oracle_create(run->group[0].reader.clock, REMEMBERED, true, err);
	const struct page_region *other[COMPARE_MAX_READERS * COMPARE_MAX_PAGES];
	const struct tk_core_setup setup = {
		.payload = PAYLOAD_TIME,
		.clocksource = run->clocksource,
		.frequency_hz = child->shared.counter_hz,
		.update_hz = writers_update_hz(run),
		.region = &child->region[0][0],
		.others = list_others(child, other),
		.other = other,
		.oracles = 1,
		.oracle = &oracle,
	};
	const struct writer_setup between = {
		.choice = &run->writer[0],
		.hz = run->writer[0].hz,
		.stop = &child->shared.stop,
		.core = &child->writers.core,
	};

	if (!oracle || writers_make(&child->writers, &child->shared, &child->plan, &setup, err))
		return -1;
	writer_start(&child->between_visits, &between);
	return 0;
}

static int make_contestant(struct child *child, size_t who, struct compare_contestant *contestant,
			   struct errmsg *err)
{
	const struct compare_config *config = child->config;
	const struct reader *reader = config->reader[who];
	const struct page_region *region = child->region[child->layout_of[who]];

	*contestant = (struct compare_contestant){
		.reader = reader,
		.layout = child->layout_of[who],
		.regions = region,
		.page = reader_page(reader, region),
		.read = reader->image ? NULL : reader->bare,
		.moves = compare_moves(config, who),
		.has_quiet = !reader->image && !config->run.clocksource->has_record,
	};
	if (!contestant->has_quiet)
		return 0;
	return quiet_open(&contestant->quiet, reader, config->run.clocksource,
			  child->shared.counter_hz, err);
}

static int make_thread(struct child *child, u32 index, struct errmsg *err)
{
	const struct compare_config *config = child->config;
	struct compare_thread *thread = mmap(NULL, sizeof(*thread), PROT_READ | PROT_WRITE,
					     MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (thread == MAP_FAILED)
		return errmsg_set(err, "no memory for reader thread %u: %s", index + 1,
				  strerror(errno));
	child->thread[index] = thread;
	thread->config = config;
	thread->shared = &child->shared;
	thread->area = child->area;
	thread->index = index;
	thread->pages = child->pages;
	if (!config->has_writer && index == 0)
		thread->writer = &child->between_visits;
	thread->random = config->run.seed + 1000003ull * index;
	child->area->lane[index].reader = -1;
	child->area->lane[index].cpu = child->plan.cpu_of_reader[index];
	for (size_t who = 0; who < config->readers; who++)
		if (make_contestant(child, who, &thread->contestant[who], err))
			return -1;
	return work_begin(&thread->work, &config->run.group[0].work, config->run.seed + index, err);
}

static int prepare(struct child *child, struct errmsg *err)
{
	struct compare_area *area = child->area;

	for (size_t who = 0; who < child->config->readers && child->config->has_writer; who++)
		if (writers_check_lock(&child->config->run.writer[0], child->config->reader[who],
				       err))
			return -1;
	if (cpus_plan(&child->config->run, &child->plan, &area->remarks, err) ||
	    make_pages(child, err) || make_writer(child, err))
		return -1;
	for (u32 i = 0; i < child->config->run.group[0].readers; i++)
		if (make_thread(child, i, err))
			return -1;
	area->writer_cpu = child->plan.writer_cpu;
	area->writer_priority = child->plan.priority;
	area->counter_hz = child->shared.counter_hz;
	area->counter_step_ns = shared_nanoseconds(
		&child->shared, (double)clocksource_step(child->config->run.clocksource->clock_mode,
							 child->shared.page));
	area->pages = child->pages;
	area->used = child->plan.readers;
	if (child->config->has_writer)
		CPU_SET((size_t)child->plan.writer_cpu, &area->used);
	return 0;
}

static int start_threads(struct child *child, struct errmsg *err)
{
	int cause = 0;

	for (u32 i = 0; i < child->config->run.group[0].readers && !cause; i++)
		cause = thread_start(&child->thread[i]->thread, child->area->lane[i].cpu, 0,
				     compare_thread_main, child->thread[i]);
	if (!cause && child->config->has_writer && writers_start(&child->writers, err))
		return -1;
	if (!cause && hypervisor_is_needed(&child->config->run))
		cause = thread_start(&child->hypervisor.thread, child->hypervisor.cpu,
				     child->hypervisor.priority, hypervisor_thread_main,
				     &child->hypervisor);
	return cause ? errmsg_set(err, "a thread cannot be started: %s", strerror(cause)) : 0;
}

/*
 * The page that the writer is in, if any, and in *publisher the reader whose lock it uses, from 1;
 * 0: none's. A library's publisher may wait for readers as long as it takes, and holds up nobody
 * but those of its own page.
 */
static const struct vdso_time_data *page_in_hand(const struct child *child, u32 *publisher)
{
	u32 who;
	u64 bytes;
	const struct vdso_time_data *page = compare_publishing(child->thread[0], &who);

	*publisher = page ? who + 1 : 0;
	if (page && (child->layout_of[who] == 0 ||
		     reader_foreign_publisher(child->config->reader[who], &bytes)))
		return page;
	return child->shared.page;
}

/* Who does not come back may be waiting for a sequence that is left odd, or be in the midst of it.
 */
static void look_at_sequence(const struct child *child, struct look *look)
{
	u32 publisher;
	const struct vdso_time_data *page = page_in_hand(child, &publisher);
	const u32 now = vdso_sequence(page);

	look->times = now & 1 && now == look->seq && page == look->page ? look->times + 1 : 0;
	look->seq = now;
	look->page = page;
	if (look->times != LOOKS_AT_ODD)
		return;
	WRITE_ONCE(child->area->publisher, publisher);
	smp_store_release(&child->area->left_odd, now);
}

static void join(const struct child *child, pthread_t thread)
{
	struct look look = {.times = 0};

	for (;;) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_NS;
		if (until.tv_nsec >= (long)NSEC_PER_SEC) {
			until.tv_nsec -= (long)NSEC_PER_SEC;
			until.tv_sec++;
		}
		if (pthread_timedjoin_np(thread, NULL, &until) != ETIMEDOUT)
			return;
		look_at_sequence(child, &look);
	}
}

static void tell_readers_ended(struct compare_area *area)
{
	area->end_ns = monotonic_ns();
	smp_store_release(&area->readers_ended, true);
}

/* The writer goes on until every reader has come back: one may be waiting for it. */
static void await_end(struct child *child)
{
	struct run_shared *shared = &child->shared;

	shared->start = shared->warm_until = shared_counter(shared);
	shared->end = UINT64_MAX;
	child->area->start_ns = monotonic_ns();
	gate_open(&shared->gate);
	for (u32 i = 0; i < child->config->run.group[0].readers; i++)
		join(child, child->thread[i]->thread);
	tell_readers_ended(child->area);
	WRITE_ONCE(shared->stop, true);
	if (!child->config->has_writer)
		return;
	for (u32 i = 0; i < child->writers.started; i++)
		join(child, child->writers.thread[i]->thread);
	child->area->writer_ns =
		(u64)shared_nanoseconds(shared, (double)(shared_counter(shared) - shared->start));
	child->area->updates = child->writers.thread[0]->updates;
	child->area->stalls = child->writers.thread[0]->stalls;
	smp_store_release(&child->area->writer_ended, true);
}

static _Noreturn void refuse(struct compare_area *area)
{
	smp_store_release(&area->refused, true);
	_exit(1);
}

_Noreturn void compare_child(const struct compare_config *config, struct compare_area *area)
{
	struct child *child = aligned_alloc(CACHE_LINE, sizeof(*child));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!child)
		_exit(1);
	memset(child, 0, sizeof(*child));
	child->config = config;
	child->area = area;
	child->shared.config = &config->run;
	gate_init(&child->shared.gate);
	if (prepare(child, &area->err))
		refuse(area);
	compare_tell_crashes(child->thread[0]);
	if (start_threads(child, &area->err))
		refuse(area);
	smp_store_release(&area->begun, true);
	await_end(child);
	_exit(0);
}
