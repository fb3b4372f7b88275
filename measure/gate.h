/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start gate: threads wait in front of it until it is opened, however many there are.
 *
 * All are woken at once. A lock around the gate would let them through one by one, and each would
 * have to win the CPU from those that already run.
 */
#ifndef MEASURE_GATE_H
#define MEASURE_GATE_H

#include <semaphore.h>
#include <signal.h>

#include "sim/types.h"

struct gate {
	u32 open; /* a futex */
	sem_t arrived;
};

void gate_init(struct gate *gate);
void gate_destroy(struct gate *gate);

/* Says that the caller has arrived, and waits until the gate is open. */
void gate_wait(struct gate *gate);

/*
 * Waits until `threads` threads have arrived, or one of these signals, which the caller has
 * blocked, is pending. One thread only.
 */
void gate_await(struct gate *gate, u32 threads, const sigset_t *signals);

/* Opens the gate for good, whoever has arrived. What was written before is seen behind it. */
void gate_open(struct gate *gate);

#endif /* MEASURE_GATE_H */
