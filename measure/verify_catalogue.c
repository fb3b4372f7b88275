// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "measure/verify_catalogue.h"

/* clang-format off */

#define LOADS_IN_ORDER	"this CPU keeps loads in order"
#define STORES_IN_ORDER "this CPU keeps stores in order"

#define JOB(reader_, payload_, ...) \
	.reader = reader_, .payload = PAYLOAD_##payload_, .writer = {__VA_ARGS__}

/* A mutant, its job behind it: one that needs two CPUs to show; one does; this CPU cannot show it. */
#define SHOWN(kind_, name_, ...) \
	{.name = name_, .kind = VERIFY_##kind_, .needs_two_cpus = true, .job = {__VA_ARGS__}}
#define SHOWN_ON_ONE(kind_, name_, ...) \
	{.name = name_, .kind = VERIFY_##kind_, .job = {__VA_ARGS__}}
#define HIDDEN(kind_, why, name_, ...)                                       \
	{.name = name_, .kind = VERIFY_##kind_, .needs_two_cpus = true,      \
	 .hidden = why, .job = {__VA_ARGS__}}

/*
 * A mutant shows where its reader is often in the middle of an update: at a high rate, with a hold if
 * the stores alone are over too soon. With stamps every field tells updates apart; times of two
 * neighbouring updates may say the same. TAI's base is on another line than the sequence, so what
 * is loaded or stored late may have to wait for it.
 */
const struct verify_mutant verify_mutants[] = {
	SHOWN(READER, "no-retry", JOB("no-retry", STAMP, "tick:hz=1000000")),
	SHOWN(READER, "no-odd-check", JOB("no-odd-check", STAMP, "tick:hz=200000,hold=1us")),
	SHOWN(READER, "sequence-once", JOB("sequence-once", STAMP, "tick:hz=1000000")),
	SHOWN(READER, "half-outside", JOB("half-outside", STAMP, "tick:hz=1000000")),
	SHOWN(READER, "late-load", JOB("late-load:clock=tai", STAMP, "storm")),
	/*
	 * Of coarse time but two words are read, within a nanosecond or two if they lie in one line.
	 * REALTIME's lie in two.
	 */
	SHOWN(READER, "no-retry/coarse", JOB("no-retry:clock=realtime_coarse", STAMP, "storm")),
	SHOWN(READER, "no-odd-check/coarse",
	      JOB("no-odd-check:clock=realtime_coarse", STAMP, "storm")),
	HIDDEN(READER, LOADS_IN_ORDER, "no-begin-rmb", JOB("no-begin-rmb:clock=tai", STAMP, "storm")),
	HIDDEN(READER, LOADS_IN_ORDER, "no-end-rmb", JOB("no-end-rmb:clock=tai", STAMP, "storm")),
	HIDDEN(READER, LOADS_IN_ORDER, "acquire-recheck",
	       JOB("acquire-recheck:clock=tai", STAMP, "storm")),
	SHOWN(READER, "acts-too-early", JOB("acts-too-early", STAMP, "tick:hz=1000000")),
#if SIM_HAS_PVCLOCK
	/* At a rate at which the writer sleeps: the hypervisor may have to share its CPU. */
	SHOWN(READER, "pvclock-version-ignored", JOB("pvclock-version-ignored", TIME, "tick:hz=1000"),
	      .clocksource = "pvclock:hz=100000"),
#endif

	SHOWN(WRITER, "never-odd", JOB("hres", STAMP, "never-odd:hz=1000000")),
	SHOWN(WRITER, "early-end", JOB("hres", STAMP, "early-end:hz=1000000")),
	SHOWN(WRITER, "late-sequence", JOB("hres", STAMP, "late-sequence:hz=1000000")),
	/* That it is dead is known when the run ends. */
	{.name = "stops-odd", .kind = VERIFY_WRITER, .may_stall = true,
	 .job = {JOB("hres", TIME, "stops-odd:hz=10000"), .least_ns = 500000000}},
	SHOWN(WRITER, "store-early", JOB("hres", STAMP, "store-early:hz=100000,hold=1us")),
	SHOWN(WRITER, "store-late", JOB("hres", STAMP, "store-late:hz=100000,hold=1us")),
	SHOWN(WRITER, "raw-not-raised", JOB("raw", STAMP, "raw-not-raised:hz=1000000")),
	/* Of an update that went lost in the sequence it stays odd. */
	{.name = "no-lock", .kind = VERIFY_WRITER, .needs_two_cpus = true, .may_stall = true,
	 .job = {JOB("hres", STAMP, "no-lock:hz=100000", "no-lock:hz=90000")}},
	HIDDEN(WRITER, STORES_IN_ORDER, "no-begin-wmb",
	       JOB("hres:clock=tai", STAMP, "no-begin-wmb:hz=1000000")),
	HIDDEN(WRITER, STORES_IN_ORDER, "no-end-wmb",
	       JOB("hres:clock=tai", STAMP, "no-end-wmb:hz=1000000")),
	HIDDEN(WRITER, STORES_IN_ORDER, "release-late",
	       JOB("hres:clock=tai", STAMP, "release-late:hz=1000000")),
	SHOWN_ON_ONE(WRITER, "step-moves-monotonic",
		     JOB("hres", TIME, "step-moves-monotonic:every=10ms", "tick:hz=10000")),
	/* It is at a second's end that it leaps. */
	SHOWN_ON_ONE(WRITER, "leap-moves-tai", JOB("hres:clock=tai", TIME, "leap-moves-tai:hz=10000")),
	SHOWN_ON_ONE(WRITER, "suspend-moves-monotonic",
		     JOB("hres", TIME, "suspend-moves-monotonic:every=10ms", "tick:hz=10000")),
	SHOWN_ON_ONE(WRITER, "counter-loses-time",
		     JOB("hres", TIME, "counter-loses-time:every=10ms")),

	SHOWN(PROTOCOL, "latch-wrong-copy",
	      JOB("latch-wrong-copy", STAMP, "tick:hz=200000,hold=200ns")),
	/* At a rate at which the writer sleeps, and may be in real time: its reader awaits it. */
	SHOWN(PROTOCOL, "sequence-halves", JOB("sequence-halves", STAMP, "tick:hz=10000,hold=2us")),
	SHOWN(PROTOCOL, "counter-8-bit", JOB("counter-8-bit", STAMP, "tick:hz=200000,hold=200ns")),
	/* What is old shows as well where nobody is met. */
	SHOWN_ON_ONE(PROTOCOL, "stops-publishing", JOB("stops-publishing", STAMP, "tick:hz=10000")),
	SHOWN_ON_ONE(PROTOCOL, "every-other", JOB("every-other", STAMP, "tick:hz=10000")),
	SHOWN_ON_ONE(PROTOCOL, "keeps-snapshot", JOB("keeps-snapshot", TIME, "tick:hz=10000")),
	SHOWN(PROTOCOL, "rcu-outside", JOB("rcu-outside", STAMP, "tick:hz=100000")),
	SHOWN(PROTOCOL, "rcu-early-free", JOB("rcu-early-free", STAMP, "tick:hz=100000")),
	HIDDEN(PROTOCOL, STORES_IN_ORDER, "late-fence",
	       JOB("late-fence", STAMP, "tick:hz=200000,hold=200ns")),
};
const size_t verify_mutant_count = ARRAY_SIZE(verify_mutants);

/* The same for each path, and for those that a writer can exchange the page of. */
#define HOST_PATHS(payload, ...)                                                             \
	{JOB("hres", payload, __VA_ARGS__)}, {JOB("raw", payload, __VA_ARGS__)},             \
	{JOB("coarse", payload, __VA_ARGS__)}
#define PATHS(payload, ...) HOST_PATHS(payload, __VA_ARGS__), {JOB("timens", payload, __VA_ARGS__)}
#define BOTH(paths, ...)    paths(TIME, __VA_ARGS__), paths(STAMP, __VA_ARGS__)
#define PVCLOCK(reader, payload) \
	{JOB(reader, payload, "tick:hz=1000"), .clocksource = "pvclock:hz=1000000"}

/* Every lock, by every writer that can act through one. */
#define LOCKS(payload, ...)                                                                     \
	{JOB("seqcount", payload, __VA_ARGS__)}, {JOB("latch", payload, __VA_ARGS__)},          \
	{JOB("c11:form=fences", payload, __VA_ARGS__)},                                        \
	{JOB("c11:form=rmw", payload, __VA_ARGS__)},                                           \
	{JOB("c11:form=seqcst", payload, __VA_ARGS__)},                                        \
	{JOB("rcu:flavour=memb", payload, __VA_ARGS__)},                                       \
	{JOB("rcu:flavour=qsbr", payload, __VA_ARGS__)},                                       \
	{JOB("rcu:flavour=bp", payload, __VA_ARGS__)},                                         \
	{JOB("rwlock:prefer=readers", payload, __VA_ARGS__)},                                  \
	{JOB("rwlock:prefer=writers", payload, __VA_ARGS__)},                                  \
	{JOB("mutex", payload, __VA_ARGS__)}, {JOB("spinlock", payload, __VA_ARGS__)}

#define FAST   "tick:hz=1000000"
#define STEPS  "step:every=1ms", "tick:hz=100000"
/* Locks' words lie in one line mostly, and are seldom met but in the middle. */
#define LONG_STEPS "step:every=1ms", "tick:hz=100000,hold=300ns"
#define SLEEPS "suspend:every=5ms,for=200us", "ntp:hz=10000"
/* A second's end, and what comes of it. */
#define LEAPS	 "leap:hz=100000"
#define LEAPS_NS 1200000000

const struct verify_job verify_correct[] = {
	BOTH(PATHS, FAST),
	BOTH(PATHS, "storm"),
	BOTH(PATHS, "irq:hz=20000"),
	BOTH(PATHS, "stall:hz=10000,every=5ms,for=500us"),
	BOTH(PATHS, "tz:every=100us", "tick:hz=100000,hold=300ns"),
	BOTH(HOST_PATHS, "timens:every=1ms", "tick:hz=100000"),
	PATHS(TIME, "ntp:hz=1000000"),
	PATHS(TIME, STEPS),
	PATHS(TIME, SLEEPS),
	PATHS(TIME, "clocksource:every=2ms"),

	LOCKS(STAMP, "storm"),
	LOCKS(TIME, LONG_STEPS),
	LOCKS(TIME, "stall:hz=10000,every=20ms,for=500us", "ntp:hz=10000"),

	/* Each clock under what moves it, or must not. */
	{JOB("hres:clock=realtime", TIME, STEPS)},
	{JOB("hres:clock=boottime", TIME, STEPS)},
	{JOB("coarse:clock=realtime_coarse", TIME, STEPS)},
	{JOB("timens:clock=realtime", TIME, STEPS)},
	{JOB("hres:clock=boottime", TIME, SLEEPS)},
	{JOB("hres:clock=realtime", TIME, SLEEPS)},
	{JOB("timens:clock=boottime", TIME, SLEEPS)},
	{JOB("hres:clock=tai", TIME, LEAPS), .least_ns = LEAPS_NS},
	{JOB("hres:clock=realtime", TIME, LEAPS), .least_ns = LEAPS_NS},
	{JOB("hres:clock=tai", STAMP, "storm")},
	{JOB("timens:clock=tai", STAMP, "storm")},
	{JOB("timens:clock=monotonic_raw", TIME, "storm")},
	{JOB("timens:clock=monotonic_coarse", STAMP, "storm")},

	/* Variations. */
	{JOB("hres:inline=never", TIME, "storm")},
	{JOB("hres:inline=auto,callers=2", STAMP, "storm")},
	{JOB("hres:hint=none,retry=none", TIME, "storm")},
	{JOB("hres:hint=likely,retry=likely", STAMP, "storm")},
	{JOB("raw:inline=never,callers=2", STAMP, "storm")},
	{JOB("coarse:inline=auto,callers=2", TIME, "storm")},

#if SIM_HAS_PVCLOCK
	/* Two at a time: the page's writer, and the hypervisor. */
	PVCLOCK("hres", TIME),
	PVCLOCK("raw", STAMP),
	PVCLOCK("coarse", TIME),
	PVCLOCK("timens", STAMP),
#endif

	/* The code of this machine's kernel, where there is a vDSO. */
	{JOB("image:host", TIME, FAST)},
	{JOB("image:host", STAMP, "storm")},
	{JOB("image:host:namespace=yes", TIME, "storm")},
	{JOB("image:host:call=gettimeofday", TIME, FAST)},
};
const size_t verify_correct_count = ARRAY_SIZE(verify_correct);

/* Of a reader that is named later. */
#define LOAD(payload, ...) {JOB(NULL, payload, __VA_ARGS__), .own = true}

/* By what correct paths are run, and what shows mutants of them. */
static const struct verify_job path_loads[] = {
	LOAD(TIME, FAST), LOAD(STAMP, FAST), LOAD(TIME, "storm"), LOAD(STAMP, "storm"),
	LOAD(STAMP, "tick:hz=200000,hold=1us"),
	LOAD(TIME, "irq:hz=20000"), LOAD(STAMP, "irq:hz=20000"),
	LOAD(TIME, "stall:hz=10000,every=5ms,for=500us"),
	LOAD(STAMP, "stall:hz=10000,every=5ms,for=500us"),
	LOAD(TIME, "tz:every=100us", "tick:hz=100000,hold=300ns"),
	LOAD(STAMP, "tz:every=100us", "tick:hz=100000,hold=300ns"),
	LOAD(TIME, "ntp:hz=1000000"), LOAD(TIME, STEPS), LOAD(TIME, SLEEPS),
	LOAD(TIME, "clocksource:every=2ms"),
	{JOB(NULL, TIME, LEAPS), .least_ns = LEAPS_NS, .own = true},
};

/* The same of locks. */
static const struct verify_job lock_loads[] = {
	LOAD(STAMP, "storm"), LOAD(STAMP, FAST), LOAD(TIME, STEPS), LOAD(TIME, LONG_STEPS),
	LOAD(TIME, "stall:hz=10000,every=20ms,for=500us", "ntp:hz=10000"),
	LOAD(STAMP, "tick:hz=200000,hold=200ns"), LOAD(STAMP, "tick:hz=2000000,hold=200ns"),
	LOAD(STAMP, "tick:hz=10000"), LOAD(TIME, "tick:hz=10000"),
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(path_loads) <= VERIFY_MAX_OWN_JOBS &&
		       ARRAY_SIZE(lock_loads) <= VERIFY_MAX_OWN_JOBS,
	       "there is room for all loads");

size_t verify_own_jobs(const char *spec, bool is_lock, struct verify_job *job)
{
	const struct verify_job *loads = is_lock ? lock_loads : path_loads;
	const size_t count = is_lock ? ARRAY_SIZE(lock_loads) : ARRAY_SIZE(path_loads);

	memcpy(job, loads, count * sizeof(*job));
	for (size_t i = 0; i < count; i++)
		job[i].reader = spec;
	return count;
}

void verify_kind_name(const char *spec, char *name, size_t bytes)
{
	snprintf(name, bytes, "%.*s", (int)strcspn(spec, ":@"), spec);
}

void verify_reader_name(const struct verify_job *job, char *name, size_t bytes)
{
	if (job->own)
		snprintf(name, bytes, "%s", job->reader);
	else
		verify_kind_name(job->reader, name, bytes);
}

void verify_mutant_kind(const struct verify_mutant *mutant, char *name, size_t bytes)
{
	snprintf(name, bytes, "%.*s", (int)strcspn(mutant->name, "/"), mutant->name);
}

static bool is_of_kind(const char *spec, const char *kind)
{
	const size_t length = strcspn(spec, ":@");

	return strlen(kind) == length && strncmp(spec, kind, length) == 0;
}

bool verify_job_reads(const struct verify_job *job, const char *kind)
{
	return job->own ? strcmp(job->reader, kind) == 0 : is_of_kind(job->reader, kind);
}

bool verify_job_writes(const struct verify_job *job, const char *kind)
{
	for (size_t i = 0; i < VERIFY_MAX_WRITERS && job->writer[i]; i++)
		if (is_of_kind(job->writer[i], kind))
			return true;
	return false;
}
