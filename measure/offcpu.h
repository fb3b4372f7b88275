/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evidence that a thread was off its CPU.
 *
 * A thread that has registered restartable sequences may leave the address of a descriptor in
 * rseq_cs. When the kernel preempts the thread, or delivers a signal to it, outside the code that
 * the descriptor names, it sets rseq_cs to zero (rseq(2)). A descriptor that names no code at all
 * therefore makes rseq_cs a flag: set it, and whoever finds it zero later was taken off the CPU in
 * between. Setting and asking are one store and one load of the thread's own memory.
 *
 * It does not see what the kernel does not see: time that a hypervisor takes, and interrupts that
 * return without switching.
 */
#ifndef MEASURE_OFFCPU_H
#define MEASURE_OFFCPU_H

#include "sim/types.h"

/*
 * The calling thread's flag word, and in *mark what sets it. NULL, and a reason in *why (a
 * constant string), if the thread has no restartable sequences. The word is the thread's for as
 * long as it lives, as long as no other code in it uses restartable sequences.
 */
u64 *offcpu_flag(u64 *mark, const char **why);

#endif /* MEASURE_OFFCPU_H */
