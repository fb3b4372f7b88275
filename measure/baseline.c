// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/baseline.h"
#include "measure/host_vdso.h"
#include "measure/opaque.h"
#include "sim/random.h"

/* Reads in a block: long against a reading of the counter, short against a time slice. */
#define BLOCK_READS 1024
#define MAX_SETS    (1 << 17)

enum contestant {
	HOST,
	BARE,
	COUNTED,
	TIMED_HERE,	  /* those above */
	RUN = TIMED_HERE, /* the run's own loop, checks and all */
	CONTESTANTS
};

struct baseline {
	const struct run_shared *shared;
	vdso_clock_gettime_fn *host;
	u64 random;
	u64 sets;		      /* timed so far */
	const char *no_host;	      /* why there is no host's vDSO to compare with */
	float (*cycles)[CONTESTANTS]; /* of each read of a block; MAX_SETS sets of blocks */
};

/* The first reader takes the baseline, and it is of the first group. */
static const struct reader *reader_of(const struct baseline *baseline)
{
	return &baseline->shared->config->group[0].reader;
}

/* Only like is compared: the same counter, on a page of the same kind. */
static void find_comparable_host(struct baseline *baseline)
{
	const struct run_config *config = baseline->shared->config;
	const struct reader *reader = reader_of(baseline);

	if (reader->in_namespace)
		baseline->no_host = "the host's page is not a time namespace's";
	else if (reader->image && reader->call != VDSO_CLOCK_GETTIME)
		baseline->no_host = "the host's clock_gettime is another function";
	else if (config->clocksource != clocksource_default())
		baseline->no_host = "the host's vDSO does not read this counter";
	else if (!(baseline->host = host_vdso_clock_gettime()))
		baseline->no_host = "this process has no vDSO with clock_gettime";
}

struct baseline *baseline_create(const struct run_shared *shared, struct errmsg *err)
{
	struct baseline *baseline = calloc(1, sizeof(*baseline));
	void *cycles = mmap(NULL, MAX_SETS * sizeof(*baseline->cycles), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (!baseline || cycles == MAP_FAILED) {
		errmsg_set(err, "--baseline: no memory: %s", strerror(errno));
		if (cycles != MAP_FAILED)
			munmap(cycles, MAX_SETS * sizeof(*baseline->cycles));
		free(baseline);
		return NULL;
	}
	baseline->shared = shared;
	find_comparable_host(baseline);
	baseline->random = shared->config->seed;
	baseline->cycles = cycles;
	return baseline;
}

void baseline_destroy(struct baseline *baseline)
{
	munmap(baseline->cycles, MAX_SETS * sizeof(*baseline->cycles));
	free(baseline);
}

static float time_host(const struct baseline *baseline)
{
	const struct run_shared *shared = baseline->shared;
	const clockid_t clock = reader_of(baseline)->clock;
	vdso_clock_gettime_fn *const host = baseline->host;
	struct timespec ts;
	u64 start = shared_counter(shared);

	for (int i = 0; i < BLOCK_READS; i++)
		host(clock, &ts);
	return (float)(shared_counter(shared) - start) / BLOCK_READS;
}

static float time_path(const struct baseline *baseline, reader_fn *read)
{
	const struct run_shared *shared = baseline->shared;
	const struct vdso_time_data *const page = shared->group[0].view[TK_VIEW_HOST].page;
	const clockid_t clock = reader_of(baseline)->clock;
	struct read_note note = {.on_cpu = NULL};
	struct timespec ts;
	u64 start = shared_counter(shared);

	for (int i = 0; i < BLOCK_READS; i++)
		read(page, clock, &ts, &note);
	return (float)(shared_counter(shared) - start) / BLOCK_READS;
}

static float time_image(const struct baseline *baseline)
{
	const struct run_shared *shared = baseline->shared;
	const struct reader *reader = reader_of(baseline);
	u64 start = shared_counter(shared);

	opaque_calls(reader, BLOCK_READS, NULL);
	return (float)(shared_counter(shared) - start) / BLOCK_READS;
}

static float time_contestant(const struct baseline *baseline, enum contestant contestant)
{
	const struct reader *reader = reader_of(baseline);

	if (reader->image && contestant != HOST)
		return contestant == BARE ? time_image(baseline) : 0;
	switch (contestant) {
	case HOST:
		return baseline->host ? time_host(baseline) : 0;
	case BARE:
		return time_path(baseline, reader->bare);
	default:
		return time_path(baseline, reader->counted);
	}
}

void baseline_take(struct baseline *baseline, double run_cycles)
{
	static const enum contestant orders[][TIMED_HERE] = {
		{HOST, BARE, COUNTED}, {HOST, COUNTED, BARE}, {BARE, HOST, COUNTED},
		{BARE, COUNTED, HOST}, {COUNTED, HOST, BARE}, {COUNTED, BARE, HOST},
	};
	const enum contestant *order = orders[random_below(&baseline->random, ARRAY_SIZE(orders))];
	float *cycles = baseline->cycles[baseline->sets % MAX_SETS];

	cycles[RUN] = (float)run_cycles;
	for (int i = 0; i < TIMED_HERE; i++)
		cycles[order[i]] = time_contestant(baseline, order[i]);
	baseline->sets++;
}

static int compare_floats(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* Median of cycles[a] / cycles[b], or of cycles[a] alone if b is CONTESTANTS. */
static double median(const struct baseline *baseline, enum contestant a, enum contestant b,
		     float *scratch)
{
	size_t n = baseline->sets < MAX_SETS ? (size_t)baseline->sets : MAX_SETS;

	for (size_t i = 0; i < n; i++)
		scratch[i] =
			baseline->cycles[i][a] / (b == CONTESTANTS ? 1 : baseline->cycles[i][b]);
	qsort(scratch, n, sizeof(*scratch), compare_floats);
	return n ? (double)(scratch[(n - 1) / 2] + scratch[n / 2]) / 2 : 0;
}

/* An image's code has no counted path. */
static void counted_result(const struct baseline *baseline, struct baseline_result *result,
			   float *scratch)
{
	const struct run_shared *shared = baseline->shared;

	result->counted_ns =
		shared_nanoseconds(shared, median(baseline, COUNTED, CONTESTANTS, scratch));
	result->counted_to_bare = median(baseline, COUNTED, BARE, scratch);
	result->run_to_counted = median(baseline, RUN, COUNTED, scratch);
}

void baseline_result(struct baseline *baseline, struct baseline_result *result)
{
	const struct run_shared *shared = baseline->shared;
	float *scratch = malloc(MAX_SETS * sizeof(*scratch));

	*result = (struct baseline_result){.pairs = baseline->sets};
	if (!scratch || !baseline->sets) {
		result->pairs = 0;
		result->unavailable = "no block was timed";
		free(scratch);
		return;
	}
	result->bare_ns = shared_nanoseconds(shared, median(baseline, BARE, CONTESTANTS, scratch));
	if (!reader_of(baseline)->image)
		counted_result(baseline, result, scratch);
	if (!baseline->host) {
		result->unavailable = baseline->no_host;
	} else {
		result->host_ns =
			shared_nanoseconds(shared, median(baseline, HOST, CONTESTANTS, scratch));
		result->bare_to_host = median(baseline, BARE, HOST, scratch);
	}
	free(scratch);
}
