/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of the table of readers, each defined in the file of its name.
 */
#ifndef READERS_KINDS_H
#define READERS_KINDS_H

#include "readers/readers.h"

#define CLOCK_CHOICES \
	"realtime|monotonic|monotonic_raw|realtime_coarse|monotonic_coarse|boottime|tai"

extern const struct reader_kind reader_hres;
extern const struct reader_kind reader_raw;
extern const struct reader_kind reader_coarse;
extern const struct reader_kind reader_timens;

/* Mutants, all in mutants.c: their paths differ, their rows hardly do. */
extern const struct reader_kind mutant_no_retry;
extern const struct reader_kind mutant_no_odd_check;
extern const struct reader_kind mutant_sequence_once;
extern const struct reader_kind mutant_half_outside;

#endif /* READERS_KINDS_H */
