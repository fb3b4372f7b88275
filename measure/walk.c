// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "measure/walk.h"
#include "sim/clocksource.h"
#include "sim/lock_page.h"
#include "sim/timekeeper.h"

/* The way does not hang on it, only how soon nanoseconds become a second: not in a call. */
#define FREQUENCY_HZ 3000000000u
#define INTERVAL_HZ  1000

#define NEVER SIZE_MAX

/* All that one call is given, and what is done to it meanwhile. */
struct stage {
	const struct reader *reader;
	clockid_t clock;
	enum walk_kind kind;
	struct page_region region;
	struct placement placement; /* of a source */
	uintptr_t sequence;	    /* as the code sees it */
	u64 updates;
	size_t look; /* the step that loads it, behind which the page changes; or NEVER */
	/* What a call fills. */
	struct timespec ts;
	struct read_note note;
};

const char *walk_kind_name(enum walk_kind kind)
{
	static const char *const names[WALK_KINDS] = {
		[WALK_FAST] = "fast", [WALK_RETRY] = "one retry", [WALK_ODD] = "odd wait"};

	return names[kind];
}

/* A time of whole seconds, so that there is nothing to carry on the way. */
static void publish(struct stage *stage)
{
	const struct clocksource *cs = clocksource_default();
	const struct timekeeper_start start = {
		.frequency_hz = FREQUENCY_HZ,
		.mask = cs->mask,
		.clock_mode = cs->clock_mode,
		.interval_hz = INTERVAL_HZ,
		.realtime = {1700000000, 0},
		.monotonic = {100000, 0},
		.boottime = {200000, 0},
		.tai_offset_sec = 37,
	};
	struct timekeeper tk;
	struct errmsg err;

	timekeeper_init(&tk, &start,
			clocksource_read(cs->clock_mode, page_for_readers(&stage->region)), &err);
	page_region_publish(&stage->region, &tk, ++stage->updates);
}

/* Called while the call stands still. */
static void disturb(void *context, size_t step)
{
	struct stage *stage = context;
	struct vdso_time_data *page = page_for_writer(&stage->region);

	if (step == 0) {
		publish(stage);
		if (stage->kind == WALK_ODD)
			vdso_write_begin(page, stage->region.layout);
	}
	if (stage->look == NEVER || step != stage->look + 1)
		return;
	if (stage->kind == WALK_RETRY)
		publish(stage);
	else if (stage->kind == WALK_ODD)
		vdso_write_end(page, stage->region.layout);
}

static uintptr_t page_base(const void *data)
{
	return (uintptr_t)data & ~((uintptr_t)SIM_PAGE_BYTES - 1);
}

/* A source's reader is given the page, and finds the others behind it. */
static int set_up_source(struct stage *stage, struct walk *walk, struct errmsg *err)
{
	const uintptr_t data =
		page_base(reader_is_lock(stage->reader) ? page_for_writer(&stage->region)
							: page_for_readers(&stage->region));

	for (uintptr_t slot = 0; slot < PAGE_SLOTS; slot++)
		walk->page[slot] = data + (slot - PAGE_DATA) * SIM_PAGE_BYTES;
	if (placement_make(&stage->placement, &stage->reader->code, 0, err))
		return -1;
	walk->entry = (uintptr_t)stage->placement.entry;
	return 0;
}

static int set_up_image(struct stage *stage, struct walk *walk, struct errmsg *err)
{
	struct vdso_image *image = stage->reader->image;
	const struct vdso_wants *wants = &image->wants;
	const bool in_namespace = stage->reader->in_namespace;

	if (vdso_image_attach(image, &stage->region, in_namespace, err))
		return -1;
	walk->page[in_namespace ? PAGE_TIMENS : PAGE_DATA] =
		(uintptr_t)vdso_image_page(image, wants->time_page);
	if (in_namespace)
		walk->page[PAGE_DATA] = (uintptr_t)vdso_image_page(image, wants->namespace_page);
	if (wants->has_pvclock)
		walk->page[PAGE_COUNTER] = (uintptr_t)vdso_image_page(image, wants->pvclock_page);
	walk->entry = (uintptr_t)vdso_image_function(image, stage->reader->call);
	return 0;
}

static int set_up(struct stage *stage, struct walk *walk, struct errmsg *err)
{
	const struct timens_offset none[VDSO_BASES] = {{.sec = 0}};
	const struct reader *reader = stage->reader;
	char *data;

	/* Nor is a library's lock set up: it may have threads, and this process forks. */
	if (!reader->image && reader_no_code(reader))
		return errmsg_set(err, "%s, which is not stepped through", reader_no_code(reader));
	if (reader_map_page(reader, &stage->region, err))
		return -1;
	page_set_namespace(&stage->region, none);
	publish(stage);
	if (reader->image ? set_up_image(stage, walk, err) : set_up_source(stage, walk, err))
		return -1;
	data = (char *)page_for_writer(&stage->region);
	stage->sequence =
		walk->page[PAGE_DATA] + reader->data_offset +
		(uintptr_t)((char *)layout_clock_of(reader->layout, data, stage->clock) - data);
	walk->data_offset = reader->data_offset;
	return 0;
}

static struct trace_call call_of(struct stage *stage, const struct walk *walk)
{
	const struct reader *reader = stage->reader;
	const long ts = (long)&stage->ts;
	void *function = (void *)walk->entry;

	if (!reader->image)
		return (struct trace_call){function,
					   {(long)reader_page(reader, &stage->region), stage->clock,
					    ts, (long)&stage->note}};
	switch (reader->call) {
	case VDSO_GETTIMEOFDAY:
		return (struct trace_call){function, {ts, 0}};
	case VDSO_TIME:
		return (struct trace_call){function, {ts}};
	default:
		return (struct trace_call){function, {stage->clock, ts}};
	}
}

bool walk_is_look(const struct step_access *access, uintptr_t sequence)
{
	return !access->stores && access->address < sequence + sizeof(u32) &&
	       access->address + access->bytes > sequence;
}

/* Of the branches, too, that were taken: what follows does not follow them in memory. */
static int decode(struct walk *walk, const struct trace *trace,
		  const struct trace_registers *registers, struct errmsg *err)
{
	struct decoder decoder;
	int failed = 0;

	if (decoder_open(&decoder, err))
		return -1;
	for (size_t i = 0; i < trace->count && !failed; i++) {
		struct step *step = &walk->step[i];

		failed = step_decode(&decoder, trace->address[i], &registers[i], step, err);
		step->taken = !failed && step->kind == STEP_BRANCH && i + 1 < trace->count &&
			      trace->address[i + 1] != step->address + step->bytes;
	}
	decoder_close(&decoder);
	walk->count = trace->count;
	walk->stack = (uintptr_t)registers[0].general[4];
	return failed;
}

static bool looks(const struct stage *stage, const struct step *step)
{
	for (u32 a = 0; a < step->accesses; a++)
		if (walk_is_look(&step->access[a], stage->sequence))
			return true;
	return false;
}

/* The step of that look, the first being 0; or NEVER. */
static size_t find_look(const struct stage *stage, const struct walk *walk, u32 number)
{
	for (size_t i = 0; i < walk->count; i++)
		if (looks(stage, &walk->step[i]) && !number--)
			return i;
	return NEVER;
}

/* The call once, as `kind` says, the page being changed behind a look. */
static int trace_once(struct stage *stage, struct walk *walk, enum walk_kind kind, size_t look,
		      struct errmsg *err)
{
	struct trace_registers *registers = calloc(TRACE_MAX, sizeof(*registers));
	struct trace *trace = malloc(sizeof(*trace));
	const struct trace_watch watch = {registers, disturb, stage};
	const struct trace_call call = call_of(stage, walk);
	int failed;

	stage->kind = kind;
	stage->look = look;
	publish(stage);
	if (!registers || !trace)
		failed = errmsg_set(err, "no memory for a traced call");
	else
		failed = trace_watched_call(&call, &watch, trace, err) ||
			 decode(walk, trace, registers, err);
	free(registers);
	free(trace);
	walk->looks = 0;
	for (size_t i = 0; i < walk->count && !failed; i++)
		walk->looks += looks(stage, &walk->step[i]);
	return failed;
}

/*
 * Who does not wait may still try again once the sequence has become even; if it stays odd for
 * another look he is content.
 */
static int check_wait(struct stage *stage, struct walk *walk, u32 quiet_looks, struct errmsg *err)
{
	const size_t second = find_look(stage, walk, 1);

	if (walk->looks > quiet_looks && trace_once(stage, walk, WALK_ODD, second, err))
		return -1;
	if (walk->looks > quiet_looks)
		return 0;
	return errmsg_set(err, "it does not wait while the sequence is odd");
}

static int walk_through(struct stage *stage, struct walk *walk, enum walk_kind kind,
			struct errmsg *err)
{
	size_t first;
	u32 quiet_looks;

	if (trace_once(stage, walk, WALK_FAST, NEVER, err))
		return -1;
	if (kind == WALK_FAST)
		return 0;
	if (reader_is_lock(stage->reader))
		return errmsg_set(err, "nobody but the lock knows what it looks at");
	quiet_looks = walk->looks;
	first = find_look(stage, walk, 0);
	if (first == NEVER)
		return errmsg_set(err, "it does not look at the sequence");
	if (trace_once(stage, walk, kind, first, err))
		return -1;
	if (kind == WALK_ODD)
		return check_wait(stage, walk, quiet_looks, err) ||
				       trace_once(stage, walk, kind, first, err)
			       ? -1
			       : 0;
	if (walk->looks > quiet_looks)
		return 0;
	return errmsg_set(err, "it does not try again when the sequence has changed");
}

int walk_make(struct walk *walk, const struct reader *reader, clockid_t clock, enum walk_kind kind,
	      struct errmsg *err)
{
	struct stage *stage = calloc(1, sizeof(*stage));
	int failed;

	*walk = (struct walk){.step = calloc(TRACE_MAX, sizeof(*walk->step))};
	if (!stage || !walk->step) {
		free(stage);
		walk_release(walk);
		return errmsg_set(err, "no memory for a traced call");
	}
	*stage = (struct stage){
		.reader = reader, .clock = clock, .region = {.fd = -1}, .look = NEVER};
	failed = set_up(stage, walk, err) || walk_through(stage, walk, kind, err);
	placement_release(&stage->placement);
	if (stage->region.fd >= 0)
		page_region_unmap(&stage->region);
	free(stage);
	if (!failed)
		return 0;
	walk_release(walk);
	return -1;
}

void walk_release(struct walk *walk)
{
	free(walk->step);
	*walk = (struct walk){.step = NULL};
}

bool walk_calls_system(const struct walk *walk)
{
	for (size_t i = 0; i < walk->count; i++)
		if (walk->step[i].kind == STEP_SYSTEM)
			return true;
	return false;
}
