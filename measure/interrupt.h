/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Updates in an interruption of a reader, on that reader's CPU, as the kernel's tick comes: the
 * writer's thread keeps the time, and sends one reader after the other a signal, whose handler
 * makes the update. The reader that was interrupted within a read finds the sequence changed, and
 * never odd.
 *
 * A reader that is not running gets to it only when it is: with more readers than CPUs updates come
 * late.
 */
#ifndef MEASURE_INTERRUPT_H
#define MEASURE_INTERRUPT_H

#include "measure/writer_thread.h"

struct reader_thread;

/*
 * What a writer's thread and the reader that it interrupts tell each other; NULL without memory.
 * Released by free() when readers have ended: a signal may come late, and finds it withdrawn.
 */
struct interruption *interruption_create(void);

/*
 * Whether a signal can be queued at all: 0, or -1 with a sentence in *err that begins with the
 * writer's name. Any thread.
 */
int interrupt_check(const char *writer, struct errmsg *err);

/*
 * From here to there the signal is this module's; what else sends it is passed on. The thread that
 * starts the readers calls them, before they start and after they have ended.
 */
void interrupt_handle(void);
void interrupt_unhandle(void);

/*
 * Has the update that was waited for made by the reader whose turn it is. Returns when it is made:
 * true, or false if it left the sequence odd or the stop flag was raised before. Only the writer's
 * own thread.
 */
bool interrupt_reader(struct writer_thread *thread, struct update_times *times);

#endif /* MEASURE_INTERRUPT_H */
