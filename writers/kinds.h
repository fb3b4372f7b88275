/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of the table of writers, each defined in the file of its name.
 */
#ifndef WRITERS_KINDS_H
#define WRITERS_KINDS_H

#include "writers/writer.h"

#define WRITER_MIN_HZ	   1
#define WRITER_MAX_HZ	   10000000
#define WRITER_MAX_HOLD_NS 1000000

extern const struct writer_kind writer_tick;

/* Mutants, in mutants.c. */
extern const struct writer_kind mutant_never_odd;
extern const struct writer_kind mutant_early_end;
extern const struct writer_kind mutant_late_sequence;
extern const struct writer_kind mutant_stops_odd;

#endif /* WRITERS_KINDS_H */
