// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/clocksource.h"
#include "sim/guarded.h"
#include "sim/monotonic.h"
#include "sim/oracle.h"
#include "sim/publish.h"
#include "sim/pvclock.h"
#include "sim/stamp.h"
#include "sim/vdso_probe.h"

/* A call takes some nanoseconds. */
#define CALL_MS	 50
#define CHILD_MS 10000

/* So long is the sequence odd for a call: until the timer's next tick. */
#define ODD_MS 1

#define CANNOT_TRY "cannot try the image in a process of its own: %s"

/* Odd nanoseconds, seconds and minutes that no code has by itself. */
#define OFFSET_SEC  7777
#define OFFSET_NSEC 987654321
#define ZONE_WEST   (-4321)
#define ZONE_DST    3
#define RESOLUTION  76543

/* All clocks that a page may serve; RAW last, since some pages do not. */
static const struct {
	clockid_t clock;
	const char *name;
} clocks[] = {
	{CLOCK_MONOTONIC, "MONOTONIC"},
	{CLOCK_REALTIME, "REALTIME"},
	{CLOCK_BOOTTIME, "BOOTTIME"},
	{CLOCK_TAI, "TAI"},
	{CLOCK_REALTIME_COARSE, "REALTIME_COARSE"},
	{CLOCK_MONOTONIC_COARSE, "MONOTONIC_COARSE"},
	{CLOCK_MONOTONIC_RAW, "MONOTONIC_RAW"},
};

/* What the child hands back, in memory that both have. */
struct verdict {
	bool done;
	bool failed;
	struct vdso_wants wants;
	u32 layout; /* which of page_layouts */
	struct errmsg err;
};

struct probe {
	struct vdso_image image; /* the child's own, with a place of its own */
	struct page_region region;
	u64 still_at;	   /* what the counter says if it stands still; 0: the TSC runs */
	u32 touched;	   /* the byte of the time page that was read first */
	u32 agreed;	   /* values that were right in the layout at hand */
	struct errmsg why; /* it does not fit */
};

/* One call of an image, with room for whatever it fills. */
struct image_call {
	enum vdso_call which;
	void *function;
	clockid_t clock;
	struct timespec ts;
	struct vdso_old_timespec resolution;
	struct vdso_old_timeval tv;
	struct timezone tz;
	long value;
};

static void call_image(void *argument)
{
	struct image_call *call = argument;

	switch (call->which) {
	case VDSO_CLOCK_GETTIME:
		call->value = ((vdso_clock_gettime_fn *)call->function)(call->clock, &call->ts);
		break;
	case VDSO_CLOCK_GETRES:
		call->value =
			((vdso_clock_getres_fn *)call->function)(call->clock, &call->resolution);
		break;
	case VDSO_GETTIMEOFDAY:
		call->value = ((vdso_gettimeofday_fn *)call->function)(&call->tv, &call->tz);
		break;
	default:
		call->value = ((vdso_time_fn *)call->function)(NULL);
		break;
	}
}

static struct guarded_result try_call(const struct probe *probe, struct image_call *call)
{
	call->function = vdso_image_function(&probe->image, call->which);
	return guarded_call(call_image, call, CALL_MS);
}

static int say_fault(const struct probe *probe, const struct guarded_result *result,
		     const char *what, struct errmsg *err)
{
	const char *did = result->wrote ? "wrote to" : "read";
	s32 page;

	if (!vdso_image_page_of(&probe->image, result->address, &page))
		return errmsg_set(err, "%s %s memory at %p, where no page of an image can be", what,
				  did, result->address);
	return errmsg_set(err, "%s %s byte %u of page %d, which %s", what, did,
			  (u32)((uintptr_t)result->address % SIM_PAGE_BYTES), page,
			  result->wrote ? "is not its to write" : "it has not");
}

static int say_outcome(const struct probe *probe, const struct guarded_result *result,
		       const char *what, struct errmsg *err)
{
	switch (result->outcome) {
	case GUARDED_HUNG:
		return errmsg_set(err, "%s did not return within %d ms", what, CALL_MS);
	case GUARDED_FAULTED:
		return say_fault(probe, result, what, err);
	case GUARDED_CRASHED:
		return errmsg_set(err, "%s crashed: %s", what, strsignal(result->signal));
	default:
		return errmsg_set(err, "%s returned without having looked at a page", what);
	}
}

/* With nothing in place, what is touched first is in the data; as a rule it is the sequence. */
static int find_time_page(struct probe *probe, struct errmsg *err)
{
	const char *name = vdso_call_name(VDSO_CLOCK_GETTIME);
	struct image_call call = {.which = VDSO_CLOCK_GETTIME, .clock = CLOCK_MONOTONIC};
	struct guarded_result result = try_call(probe, &call);

	if (result.outcome != GUARDED_FAULTED || result.wrote ||
	    !vdso_image_page_of(&probe->image, result.address, &probe->image.wants.time_page))
		return say_outcome(probe, &result, name, err);
	probe->touched = (u32)((uintptr_t)result.address % SIM_PAGE_BYTES);
	return 0;
}

static u64 counter_now(const struct probe *probe)
{
	return probe->still_at ? probe->still_at : clocksource_read(SIM_CLOCKMODE_TSC_LFENCE, NULL);
}

static u64 nanoseconds(const struct timespec *ts)
{
	return (u64)ts->tv_sec * NSEC_PER_SEC + (u64)ts->tv_nsec;
}

/* Holds one clock against what the page says of it; `extra` is what a namespace adds. */
static bool clock_agrees(struct probe *probe, const struct timekeeper *tk, size_t index, u64 extra)
{
	const clockid_t clock = clocks[index].clock;
	struct oracle_update update = oracle_describe(clock, 1, tk);
	struct image_call call = {.which = VDSO_CLOCK_GETTIME, .clock = clock};
	u64 before = counter_now(probe);
	struct guarded_result result = try_call(probe, &call);
	u64 after = counter_now(probe);
	u64 low = oracle_nanoseconds(&update, before) + extra;
	u64 high = oracle_nanoseconds(&update, after) + extra;
	u64 value = nanoseconds(&call.ts);

	if (result.outcome != GUARDED_RETURNED) {
		say_outcome(probe, &result, clocks[index].name, &probe->why);
		return false;
	}
	if (call.value == 0 && value >= low && value <= high) {
		probe->agreed++;
		return true;
	}
	errmsg_set(&probe->why, "%s was %llu ns, not %llu", clocks[index].name,
		   (unsigned long long)value, (unsigned long long)low);
	return false;
}

static bool raw_agrees(struct probe *probe, const struct timekeeper *tk)
{
	bool agrees = clock_agrees(probe, tk, ARRAY_SIZE(clocks) - 1, 0);

	return agrees == probe->region.layout->has_raw;
}

static bool clocks_agree(struct probe *probe, const struct timekeeper *tk)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks) - 1; i++)
		if (!clock_agrees(probe, tk, i, 0))
			return false;
	return raw_agrees(probe, tk);
}

/* Time zone and resolution lie outside the clocks: nothing else tells some layouts apart. */
static bool the_rest_agrees(struct probe *probe)
{
	const struct page_layout *layout = probe->region.layout;
	struct image_call day = {.which = VDSO_GETTIMEOFDAY};
	struct image_call resolution = {.which = VDSO_CLOCK_GETRES, .clock = CLOCK_MONOTONIC};
	void *page = page_for_writer(&probe->region);
	struct guarded_result result;

	*layout_u32(page, layout->tz) = (u32)ZONE_WEST;
	*layout_u32(page, (u16)(layout->tz + 4)) = ZONE_DST;
	if (vdso_image_function(&probe->image, VDSO_GETTIMEOFDAY)) {
		result = try_call(probe, &day);
		if (result.outcome != GUARDED_RETURNED || day.tz.tz_minuteswest != ZONE_WEST ||
		    day.tz.tz_dsttime != ZONE_DST) {
			errmsg_set(&probe->why, "the time zone was %d and %d, not %d and %d",
				   day.tz.tz_minuteswest, day.tz.tz_dsttime, ZONE_WEST, ZONE_DST);
			return false;
		}
	}
	if (layout->hrtimer_res == LAYOUT_ABSENT ||
	    !vdso_image_function(&probe->image, VDSO_CLOCK_GETRES))
		return true;
	*layout_u32(page, layout->hrtimer_res) = RESOLUTION;
	result = try_call(probe, &resolution);
	errmsg_set(&probe->why, "the resolution was %ld ns, not %d", resolution.resolution.tv_nsec,
		   RESOLUTION);
	return result.outcome == GUARDED_RETURNED && resolution.resolution.tv_nsec == RESOLUTION;
}

static void publish_stamp(struct probe *probe, struct timekeeper *tk, u64 number, u64 cycles,
			  s32 clock_mode)
{
	void *page = page_for_writer(&probe->region);

	*tk = (struct timekeeper){.mask = INT64_MAX, .clock_mode = clock_mode};
	timekeeper_stamp(tk, number, cycles);
	vdso_set_sequences(page, probe->region.layout, 2 * (u32)(number - 1));
	update_vsyscall(page, probe->region.layout, tk);
}

/* Once with time standing still, so that every value is exact, and once with it passing. */
static bool layout_agrees(struct probe *probe)
{
	struct timekeeper tk;
	u64 now = counter_now(probe);

	for (u64 number = 1; number <= 3; number++) {
		publish_stamp(probe, &tk, number, now + STAMP_AHEAD, VDSO_CLOCKMODE_TSC);
		if (!clocks_agree(probe, &tk))
			return false;
	}
	/* Long enough for a wrong mult to show, short enough for every shift. */
	publish_stamp(probe, &tk, 4, now - (now > 1u << 30 ? 1u << 30 : now), VDSO_CLOCKMODE_TSC);
	return clocks_agree(probe, &tk) && the_rest_agrees(probe);
}

static int use_layout(struct probe *probe, const struct page_layout *layout, u32 data_offset,
		      struct errmsg *err)
{
	struct vdso_wants *wants = &probe->image.wants;

	if (probe->region.layout)
		page_region_unmap(&probe->region);
	if (page_region_map(&probe->region, layout, data_offset, err))
		return -1;
	wants->layout = layout;
	wants->data_offset = data_offset;
	probe->agreed = 0;
	return vdso_image_attach(&probe->image, &probe->region, false, err);
}

/* The best that any layout did, for the sentence that refuses. */
struct attempts {
	char names[160];
	size_t used;
	u32 agreed;
	const char *best;
	struct errmsg why;
};

static void note_attempt(struct attempts *attempts, const struct probe *probe)
{
	const char *name = probe->region.layout->name;

	if (attempts->used < sizeof(attempts->names))
		attempts->used += (size_t)snprintf(
			attempts->names + attempts->used, sizeof(attempts->names) - attempts->used,
			"%s%s at %u", attempts->used ? ", " : "", name, probe->region.data_offset);
	if (attempts->best && probe->agreed <= attempts->agreed)
		return;
	attempts->agreed = probe->agreed;
	attempts->best = name;
	attempts->why = probe->why;
}

/* What a layout fills; in some of them the time zone stands before the second clock. */
static u32 data_bytes(const struct page_layout *layout)
{
	u32 clock = (u32)layout->basetime + VDSO_BASES * (u32)layout->base_bytes;
	u32 clocks_end = layout->clock_bytes == LAYOUT_ABSENT ? clock : layout->clock_bytes + clock;
	u32 rest_end = layout->tz + 4 * (u32)sizeof(u32);

	return clocks_end > rest_end ? clocks_end : rest_end;
}

/*
 * Where the data of a layout may begin: at what was read first, which then is the sequence, or, if
 * it is not, where the layout's kernels have it. The data must not reach beyond its page.
 */
static bool place_data(const struct probe *probe, const struct page_layout *layout, int attempt,
		       u32 *data_offset)
{
	*data_offset = attempt == 0 ? probe->touched : layout->data_offset;
	return *data_offset % sizeof(u64) == 0 && *data_offset <= probe->touched &&
	       *data_offset + data_bytes(layout) <= SIM_PAGE_BYTES &&
	       (attempt == 0 || *data_offset != probe->touched);
}

static int find_layout(struct probe *probe, struct errmsg *err)
{
	struct attempts attempts = {.used = 0};
	u32 data_offset;

	for (int attempt = 0; attempt < 2; attempt++) {
		for (const struct page_layout *const *layout = page_layouts; *layout; layout++) {
			if (!place_data(probe, *layout, attempt, &data_offset))
				continue;
			if (use_layout(probe, *layout, data_offset, err))
				return -1;
			if (layout_agrees(probe))
				return 0;
			note_attempt(&attempts, probe);
		}
	}
	return errmsg_set(err,
			  "its code first reads byte %u of page %d, and no known layout there "
			  "explains what it returns (tried %s); in %s %s",
			  probe->touched, probe->image.wants.time_page, attempts.names,
			  attempts.best ? attempts.best : "none",
			  attempts.best ? attempts.why.text : "it would fit");
}

static void end_update(void *argument)
{
	const struct probe *probe = argument;
	void *page = page_for_writer(&probe->region);

	vdso_set_sequences(page, probe->region.layout, vdso_sequence(page) + 1);
}

/*
 * One call that finds an update in progress, which then ends. Who does not look for it returns at
 * once, and what he returns is the oracle's to judge, in a run.
 */
static int try_odd(struct probe *probe, size_t index, struct errmsg *err)
{
	const struct guarded_act act = {end_update, probe, ODD_MS};
	struct image_call call = {.which = VDSO_CLOCK_GETTIME, .clock = clocks[index].clock};
	void *page = page_for_writer(&probe->region);
	struct guarded_result result;
	struct errmsg why;

	vdso_set_sequences(page, probe->region.layout, vdso_sequence(page) | 1);
	call.function = vdso_image_function(&probe->image, call.which);
	result = guarded_call_with(call_image, &call, &act, CALL_MS);
	if (result.outcome == GUARDED_RETURNED)
		return 0;
	say_outcome(probe, &result, clocks[index].name, &why);
	if (result.outcome == GUARDED_HUNG)
		return errmsg_set(err,
				  "%s after the sequence was even again: it never leaves an "
				  "odd sequence",
				  why.text);
	return errmsg_set(err, "%s while the sequence was odd", why.text);
}

/* Each clock, as they need not have their loop in common. */
static int try_odd_sequences(struct probe *probe, struct errmsg *err)
{
	struct timekeeper tk;

	publish_stamp(probe, &tk, 5, counter_now(probe) + STAMP_AHEAD, VDSO_CLOCKMODE_TSC);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (try_odd(probe, i, err))
			return -1;
	return 0;
}

/* The page that is touched in this mode; false if none is. */
static bool find_page_of_mode(struct probe *probe, s32 clock_mode, u32 seq, s32 *found)
{
	const struct vdso_wants *wants = &probe->image.wants;
	struct image_call call = {.which = VDSO_CLOCK_GETTIME, .clock = CLOCK_MONOTONIC};
	void *page = page_for_writer(&probe->region);
	struct guarded_result result;

	*layout_u32(page, offsetof(struct vdso_clock, clock_mode)) = (u32)clock_mode;
	vdso_set_sequences(page, wants->layout, seq);
	result = try_call(probe, &call);
	return result.outcome == GUARDED_FAULTED &&
	       vdso_image_page_of(&probe->image, result.address, found) &&
	       *found != wants->time_page;
}

/* A namespace's page in place of the first, and the data behind it. */
static bool namespace_agrees(struct probe *probe)
{
	struct timens_offset offsets[VDSO_BASES];
	struct timekeeper tk;
	struct errmsg err;

	for (int i = 0; i < VDSO_BASES; i++)
		offsets[i] = (struct timens_offset){OFFSET_SEC, OFFSET_NSEC};
	publish_stamp(probe, &tk, 5, counter_now(probe) + STAMP_AHEAD, VDSO_CLOCKMODE_TSC);
	page_set_namespace(&probe->region, offsets);
	if (vdso_image_attach(&probe->image, &probe->region, true, &err))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (!clock_agrees(probe, &tk, i, (u64)OFFSET_SEC * NSEC_PER_SEC + OFFSET_NSEC))
			return false;
	return true;
}

static void find_namespace(struct probe *probe)
{
	struct vdso_wants *wants = &probe->image.wants;

	if (!wants->layout->has_namespace)
		return;
	wants->has_namespace =
		find_page_of_mode(probe, VDSO_CLOCKMODE_TIMENS, 1, &wants->namespace_page);
	if (wants->has_namespace)
		wants->has_namespace = namespace_agrees(probe);
}

/* A record whose multiplier is zero always tells its own system time. */
static bool pvclock_agrees(struct probe *probe)
{
	struct pvclock_vcpu_time_info *record = pvclock_for_host(&probe->region);
	struct timekeeper tk;
	struct errmsg err;
	bool agrees;

	probe->still_at = 1ull << 50;
	*record = (struct pvclock_vcpu_time_info){
		.version = 2, .system_time = probe->still_at, .flags = PVCLOCK_TSC_STABLE};
	publish_stamp(probe, &tk, 6, probe->still_at, VDSO_CLOCKMODE_PVCLOCK);
	agrees = !vdso_image_attach(&probe->image, &probe->region, false, &err) &&
		 clocks_agree(probe, &tk);
	probe->still_at = 0;
	return agrees;
}

static void find_pvclock(struct probe *probe)
{
	struct vdso_wants *wants = &probe->image.wants;

	wants->has_pvclock =
		find_page_of_mode(probe, VDSO_CLOCKMODE_PVCLOCK, 2, &wants->pvclock_page);
	if (wants->has_pvclock)
		wants->has_pvclock = pvclock_agrees(probe);
}

static int probe_all(struct probe *probe, struct errmsg *err)
{
	if (guarded_begin(err) || vdso_image_place(&probe->image, err) ||
	    find_time_page(probe, err) || find_layout(probe, err) || try_odd_sequences(probe, err))
		return -1;
	find_pvclock(probe);
	find_namespace(probe);
	return 0;
}

/* The number of a layout in the table; of NULL, how many there are. */
static u32 layout_number(const struct page_layout *layout)
{
	u32 number = 0;

	while (page_layouts[number] != layout)
		number++;
	return number;
}

static void be_child(const struct vdso_image *image, struct verdict *verdict)
{
	struct probe probe = {.image = *image};

	/* Code that sleeps would outlive a parent that is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	verdict->failed = probe_all(&probe, &verdict->err) != 0;
	verdict->wants = probe.image.wants;
	verdict->layout = verdict->failed ? 0 : layout_number(probe.image.wants.layout);
	verdict->done = true;
	_exit(0);
}

/* Waits until the child has ended; false if it had to be ended. Signals may cut naps short. */
static bool child_ends(pid_t child)
{
	const struct timespec nap = {0, 1000000};
	const u64 deadline = monotonic_ns() / 1000000 + CHILD_MS;

	/* Where ended children are not kept there is none to wait for then, which is as good. */
	while (waitpid(child, NULL, WNOHANG) == 0) {
		if (monotonic_ns() / 1000000 < deadline) {
			nanosleep(&nap, NULL);
			continue;
		}
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		return false;
	}
	return true;
}

static int try_in_child(const struct vdso_image *image, struct verdict *verdict, struct errmsg *err)
{
	pid_t child = fork();
	bool ended;

	if (child < 0)
		return errmsg_set(err, CANNOT_TRY, strerror(errno));
	if (child == 0)
		be_child(image, verdict);
	ended = child_ends(child);
	if (!verdict->done && ended)
		return errmsg_set(err, "its code ended the process it was tried in");
	if (!verdict->done)
		return errmsg_set(err, "trying its code took more than %d s", CHILD_MS / 1000);
	if (!verdict->failed)
		return 0;
	return errmsg_set(err, "%.*s", (int)sizeof(verdict->err.text) - 1, verdict->err.text);
}

int vdso_probe(const struct vdso_image *image, struct vdso_wants *wants, struct errmsg *err)
{
	struct verdict *verdict = mmap(NULL, sizeof(*verdict), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int failed;

	if (verdict == MAP_FAILED)
		return errmsg_set(err, CANNOT_TRY, strerror(errno));
	failed = try_in_child(image, verdict, err);
	*wants = verdict->wants;
	/* The image's code could have written there: no pointer is taken from it. */
	if (!failed && verdict->layout < layout_number(NULL))
		wants->layout = page_layouts[verdict->layout];
	else if (!failed)
		failed = errmsg_set(err, "its code wrote over what was found out about it");
	munmap(verdict, sizeof(*verdict));
	return failed;
}
