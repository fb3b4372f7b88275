// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "measure/gate.h"
#include "sim/barrier.h"

/* Between two looks for a signal. */
#define LOOK_NS 50000000

void gate_init(struct gate *gate)
{
	sem_init(&gate->arrived, 0, 0);
	gate->open = 0;
}

void gate_destroy(struct gate *gate)
{
	sem_destroy(&gate->arrived);
}

void gate_wait(struct gate *gate)
{
	sem_post(&gate->arrived);
	while (!smp_load_acquire(&gate->open))
		syscall(SYS_futex, &gate->open, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static bool is_pending(const sigset_t *signals)
{
	sigset_t pending, both;

	return sigpending(&pending) == 0 && sigandset(&both, &pending, signals) == 0 &&
	       !sigisemptyset(&both);
}

void gate_await(struct gate *gate, u32 threads, const sigset_t *signals)
{
	struct timespec until;

	while (threads && !is_pending(signals)) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / (long)NSEC_PER_SEC;
		until.tv_nsec %= (long)NSEC_PER_SEC;
		if (sem_clockwait(&gate->arrived, CLOCK_MONOTONIC, &until) == 0)
			threads--;
		else if (errno != EINTR && errno != ETIMEDOUT)
			return;
	}
}

void gate_open(struct gate *gate)
{
	smp_store_release(&gate->open, 1u);
	syscall(SYS_futex, &gate->open, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
