// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "measure/interrupt.h"
#include "measure/reader_thread.h"
#include "sim/monotonic.h"

/* In real time, so that it is queued: several writers may ask one reader before it runs. */
#define INTERRUPTION SIGRTMIN
/* As long as a signal takes to be delivered to who is running; then others may want the CPU. */
#define SPINS	 2000
#define SLEEP_NS 20000
/* A switch away and back takes longer. */
#define SWITCH_NS 500

enum state {
	ASKED,
	BEING_MADE,
	MADE,
	WITHDRAWN,
};

/* What time it was, and how much of its own the reader had had on a CPU. */
struct moment {
	u64 wall_ns;
	u64 cpu_ns;
};

struct interruption {
	struct writer *writer;
	struct update_times *times;
	const struct read_note *note; /* of the reader */
	struct moment asked;
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

int interrupt_check(const char *writer, struct errmsg *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_SIGPENDING, &limit) || limit.rlim_cur)
		return 0;
	return errmsg_set(err,
			  "--writer: '%s' has a signal queued for a reader, and ulimit -i 0 allows "
			  "none: ulimit -i 1 is the least",
			  writer);
}

static u64 cpu_ns(clockid_t clock)
{
	struct timespec time = {0, 0};

	clock_gettime(clock, &time);
	return (u64)time.tv_sec * NSEC_PER_SEC + (u64)time.tv_nsec;
}

/*
 * The signal clears the reader's mark whether it had been put aside or not. One that was aside when
 * it was asked gets the signal where it goes on, so in the read that it was in. What lies between
 * two readings of clocks goes to the CPU's account.
 */
static bool was_aside(const struct interruption *interruption)
{
	const struct moment *asked = &interruption->asked;
	const u64 wall_ns = monotonic_ns() - asked->wall_ns;

	return wall_ns > cpu_ns(CLOCK_THREAD_CPUTIME_ID) - asked->cpu_ns + SWITCH_NS;
}

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
	bool aside;

	if (info->si_code != SI_QUEUE || info->si_pid != own_pid) {
		pass_on(number, info, context);
		return;
	}
	if (!move(interruption, ASKED, BEING_MADE))
		return;
	aside = was_aside(interruption);
	interruption->even = writer_act(interruption->writer, interruption->times);
	if (!aside)
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

static struct moment now_of(const struct reader_thread *reader)
{
	struct moment now = {0, 0};
	clockid_t clock;

	if (pthread_getcpuclockid(reader->thread, &clock) == 0)
		now.cpu_ns = cpu_ns(clock);
	now.wall_ns = monotonic_ns();
	return now;
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
		.asked = now_of(reader),
		.state = ASKED,
	};
	return ask(thread, reader) && await(interruption, &thread->shared->stop) &&
	       interruption->even;
}
