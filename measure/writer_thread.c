// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/writer_thread.h"

static void end_warmup(struct writer_thread *thread, u64 now)
{
	thread->warm_cycles = now;
	thread->updates = thread->merged_ticks = thread->stalls = 0;
	memset(&thread->hold, 0, sizeof(thread->hold));
	memset(&thread->late, 0, sizeof(thread->late));
}

static void record(struct writer_thread *thread, const struct update_times *times)
{
	u64 between_readings = (u64)thread->shared->counter_cost;
	u64 hold = times->even - times->odd;

	hold = hold > between_readings ? hold - between_readings : 0;
	histogram_record(&thread->hold, hold);
	histogram_record(&thread->late, times->begin - times->due);
	thread->updates++;
	thread->merged_ticks += times->ticks - 1;
	if (hold >= shared_cycles(thread->shared, WRITER_STALL_NS))
		thread->stalls++;
}

void *writer_thread_main(void *argument)
{
	struct writer_thread *thread = argument;
	struct run_shared *shared = thread->shared;
	struct update_times times;
	bool warm = false;

	gate_wait(&shared->gate);
	writer_begin(&thread->writer);
	thread->warm_cycles = shared->start;
	while (writer_step(&thread->writer, &times)) {
		/* By its deadline, so that the number of updates does not hang on lateness. */
		if (!warm && times.due >= shared->warm_until) {
			end_warmup(thread, shared->warm_until);
			warm = true;
		}
		if (times.due >= shared->end)
			break;
		record(thread, &times);
	}
	thread->last_cycles = shared_counter(shared);
	if (thread->last_cycles > shared->end)
		thread->last_cycles = shared->end;
	return NULL;
}
