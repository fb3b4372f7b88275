// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "measure/interrupt.h"
#include "measure/reader_thread.h"

/* In real time, so that it is queued: several writers may ask one reader before it runs. */
#define INTERRUPTION SIGRTMIN
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
static pid_t own_pid;

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

/* By default it ends the process, which only the kernel can do. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(number, info, context);
	} else if (before.sa_handler == SIG_DFL) {
		sigaction(number, &before, NULL);
		raise(number);
	} else if (before.sa_handler != SIG_IGN) {
		before.sa_handler(number);
	}
}

static void handle(int number, siginfo_t *info, void *context)
{
	struct interruption *interruption = info->si_value.sival_ptr;

	if (info->si_code != SI_QUEUE || info->si_pid != own_pid) {
		pass_on(number, info, context);
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

	own_pid = getpid();
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

/* There may be no more signals on their way than a limit allows: later there will be fewer. */
static bool ask(const struct writer_thread *thread, const struct reader_thread *reader)
{
	const union sigval value = {.sival_ptr = thread->interruption};
	const struct timespec nap = {0, SLEEP_NS};
	int cause = pthread_sigqueue(reader->thread, INTERRUPTION, value);

	while (cause == EAGAIN && !READ_ONCE(thread->shared->stop)) {
		nanosleep(&nap, NULL);
		cause = pthread_sigqueue(reader->thread, INTERRUPTION, value);
	}
	return cause == 0;
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
	return ask(thread, reader) && await(interruption, &thread->shared->stop) &&
	       interruption->even;
}
