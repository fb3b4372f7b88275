// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "measure/interrupt.h"
#include "measure/reader_thread.h"

/* Ignored by default, so that nobody else means anything by it. */
#define INTERRUPTION SIGURG
/* As long as a signal takes to be delivered to who is running; then others may want the CPU. */
#define SPINS	 2000
#define SLEEP_NS 20000

enum state {
	ASKED,
	BEING_MADE,
	MADE,
	WITHDRAWN,
};

struct interruption {
	struct writer *writer;
	struct update_times *times;
	const struct read_note *note; /* of the reader */
	bool even;
	enum state state;
};

static struct sigaction before;

struct interruption *interruption_create(void)
{
	struct interruption *interruption = calloc(1, sizeof(*interruption));

	/* Nobody is asked for anything yet. */
	if (interruption)
		interruption->state = WITHDRAWN;
	return interruption;
}

static bool move(struct interruption *interruption, enum state from, enum state to)
{
	return __atomic_compare_exchange_n(&interruption->state, &from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* The signal has cleared the reader's mark as if it had been put aside; it was at work. */
static void keep_on_cpu(const struct read_note *note)
{
	if (note->on_cpu)
		WRITE_ONCE(*note->on_cpu, note->on_cpu_mark);
}

static void handle(int number, siginfo_t *info, void *context)
{
	struct interruption *interruption = info->si_value.sival_ptr;

	(void)context;
	if (info->si_code != SI_QUEUE) {
		sigaction(number, &before, NULL);
		raise(number);
		return;
	}
	if (!move(interruption, ASKED, BEING_MADE))
		return;
	interruption->even = writer_act(interruption->writer, interruption->times);
	keep_on_cpu(interruption->note);
	smp_store_release(&interruption->state, MADE);
}

void interrupt_handle(void)
{
	const struct sigaction action = {.sa_sigaction = handle,
					 .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};

	sigaction(INTERRUPTION, &action, &before);
}

void interrupt_unhandle(void)
{
	sigaction(INTERRUPTION, &before, NULL);
}

/* Until the reader has made it. False: it will not, since it has been told to stop. */
static bool await(struct interruption *interruption, const bool *stop)
{
	const struct timespec nap = {0, SLEEP_NS};

	for (u64 looks = 0; smp_load_acquire(&interruption->state) != MADE; looks++) {
		if (READ_ONCE(*stop) && move(interruption, ASKED, WITHDRAWN))
			return false;
		if (looks < SPINS)
			cpu_relax();
		else
			nanosleep(&nap, NULL);
	}
	return true;
}

bool interrupt_reader(struct writer_thread *thread, struct update_times *times)
{
	struct reader_thread *reader = thread->readers[thread->turn++ % thread->reader_count];
	struct interruption *interruption = thread->interruption;

	*interruption = (struct interruption){
		.writer = &thread->writer,
		.times = times,
		.note = &reader->slot[0].note,
		.state = ASKED,
	};
	if (pthread_sigqueue(reader->thread, INTERRUPTION,
			     (union sigval){.sival_ptr = interruption}))
		return false;
	return await(interruption, &thread->shared->stop) && interruption->even;
}
