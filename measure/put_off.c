// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/put_off.h"

#define STEP_NS 200000000ull
/* As near as this it is time to decide: whoever decides may be let in late. */
#define NEAR_NS 100000000ull
#define NAP_NS	1000000ull

void put_off_begin(struct put_off *put_off, struct run_shared *shared,
		   struct reader_thread *const *readers, u32 count)
{
	*put_off = (struct put_off){
		.shared = shared,
		.readers = readers,
		.count = count,
		.asked = shared->end,
		.latest = shared->end + shared_cycles(shared, PUT_OFF_MOST_NS),
	};
	put_off->seq = shared_sequence(put_off->shared);
}

static bool some_reader_measures(const struct put_off *put_off)
{
	for (u32 i = 0; i < put_off->count; i++)
		if (READ_ONCE(put_off->readers[i]->warm_cycles))
			return true;
	return false;
}

/* In a run that is shorter than that, its second half. */
static u64 near_cycles(const struct put_off *put_off)
{
	const struct run_shared *shared = put_off->shared;
	const u64 half_ns = shared->config->duration_ns / 2;

	return shared_cycles(shared, half_ns < NEAR_NS ? half_ns : NEAR_NS);
}

void put_off_look(struct put_off *put_off, u64 now)
{
	struct run_shared *shared = put_off->shared;
	const u64 end = now + shared_cycles(shared, STEP_NS);
	const u32 seq = shared_sequence(put_off->shared);
	const bool held = (seq & 1) && seq == put_off->seq;

	put_off->seq = seq;
	if (put_off->measuring || now >= shared->end || now + near_cycles(put_off) < shared->end)
		return;
	put_off->measuring = some_reader_measures(put_off);
	if (!put_off->measuring && !held && end > shared->end && end <= put_off->latest)
		WRITE_ONCE(shared->end, end);
}

u64 put_off_nap_ns(const struct put_off *put_off, u64 now, u64 most)
{
	const struct run_shared *shared = put_off->shared;
	const u64 left_ns = (u64)shared_nanoseconds(shared, (double)(shared->end - now));
	const u64 near_ns = (u64)shared_nanoseconds(shared, (double)near_cycles(put_off));
	/* One at least must lie within what is near, however short the run is. */
	const u64 least_ns = near_ns / 2 < NAP_NS ? near_ns / 2 : NAP_NS;
	u64 nap_ns = left_ns + 1000;

	if (!put_off->measuring)
		nap_ns = left_ns / 2 > least_ns ? left_ns / 2 : least_ns;
	return nap_ns < most ? nap_ns : most;
}

double put_off_by_ns(const struct put_off *put_off)
{
	return shared_nanoseconds(put_off->shared, (double)(put_off->shared->end - put_off->asked));
}
