// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/gate.h"
#include "sim/barrier.h"

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

void gate_await(struct gate *gate, u32 threads)
{
	while (threads) {
		if (sem_wait(&gate->arrived) == 0)
			threads--;
		else if (errno != EINTR)
			return;
	}
}

void gate_open(struct gate *gate)
{
	smp_store_release(&gate->open, 1u);
	syscall(SYS_futex, &gate->open, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
