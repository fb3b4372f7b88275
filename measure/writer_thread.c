// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "measure/interrupt.h"
#include "measure/thread.h"
#include "measure/writer_thread.h"

static void end_warmup(struct writer_thread *thread, u64 now)
{
	thread->warm_cycles = now;
	thread->updates = thread->stalls = thread->missed_ticks = 0;
	memset(&thread->hold, 0, sizeof(thread->hold));
	memset(&thread->late, 0, sizeof(thread->late));
	smp_store_release(&thread->counting, true);
}

static void record(struct writer_thread *thread, const struct update_times *times)
{
	u64 between_readings = (u64)thread->shared->counter_cost;
	u64 hold = times->even - times->odd;

	histogram_record(&thread->late, times->begin - times->due);
	WRITE_ONCE(thread->updates, thread->updates + 1);
	thread->missed_ticks += times->ticks - 1;
	if (thread->choice->kind->no_update)
		return;
	hold = hold > between_readings ? hold - between_readings : 0;
	histogram_record(&thread->hold, hold);
	if (hold >= shared_cycles(thread->shared, writer_stall_ns(thread->choice)))
		thread->stalls++;
}

static bool act(struct writer_thread *thread, struct update_times *times)
{
	return thread->choice->kind->interrupts ? interrupt_reader(thread, times)
						: writer_act(&thread->writer, times);
}

static void write_until_stopped(struct writer_thread *thread)
{
	struct run_shared *shared = thread->shared;
	struct update_times times;
	bool warm = false;

	while (writer_wait(&thread->writer, &times) && act(thread, &times)) {
		thread->strayed |= thread_strayed(thread->cpu);
		/* By its deadline, so that the number of updates does not hang on lateness. */
		if (!warm && times.due >= shared->warm_until) {
			end_warmup(thread, shared->warm_until);
			warm = true;
		}
		if (times.due >= shared->end)
			break;
		record(thread, &times);
	}
}

/* Through a lock that was compiled on demand: it may crash, or never return. */
static void write_with_escape(struct writer_thread *thread, const void *code, u64 bytes)
{
	if (sigsetjmp(thread->escape.way_out, 1) == 0) {
		escape_begin(&thread->escape, code, bytes);
		write_until_stopped(thread);
	} else {
		WRITE_ONCE(thread->shared->escaped, true);
	}
	escape_end(&thread->escape);
}

void *writer_thread_main(void *argument)
{
	struct writer_thread *thread = argument;
	struct run_shared *shared = thread->shared;
	const void *code;
	u64 bytes;

	__atomic_store_n(&thread->tid, gettid(), __ATOMIC_RELAXED);
	/* Without it the kernel may wake this thread 50 us late, unless it runs in real time. */
	prctl(PR_SET_TIMERSLACK, 1);
	code = run_foreign_publisher(shared->config, &bytes);
	tk_core_enlist(thread->writer.core);
	gate_wait(&shared->gate);
	writer_begin(&thread->writer);
	if (code)
		write_with_escape(thread, code, bytes);
	else
		write_until_stopped(thread);
	thread->last_cycles = shared_counter(shared);
	if (thread->last_cycles > shared->end)
		thread->last_cycles = shared->end;
	if (!thread->warm_cycles)
		end_warmup(thread, thread->last_cycles < shared->warm_until ? thread->last_cycles
									    : shared->warm_until);
	thread->missed_ticks += pace_pass(&thread->writer.pace, thread->last_cycles);
	tk_core_leave(thread->writer.core);
	return NULL;
}
