/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the result of a run from what its threads have counted.
 */
#ifndef MEASURE_COLLECT_H
#define MEASURE_COLLECT_H

#include "measure/reader_thread.h"
#include "measure/writers.h"

/*
 * After the join, of all readers, which lie group by group. 0, or -1 with a sentence in *err when
 * there is not the memory.
 */
int collect_readers(const struct run_shared *shared, struct reader_thread *const *readers,
		    struct run_result *result, struct errmsg *err);
/* For how long about they all had a CPU at the same time, in a run that ends at a fault. */
void collect_together(const struct run_shared *shared, struct reader_thread *const *readers,
		      const struct writers *writers, struct run_result *result);
int collect_writers(const struct run_shared *shared, const struct writers *writers,
		    struct run_result *result, struct errmsg *err);

#endif /* MEASURE_COLLECT_H */
