/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said before liburcu's header of a flavour is included: its functions by their short
 * names, and inlined; but for ThreadSanitizer, who would find races within them.
 */
#ifndef READERS_LIBRARY_FLAVOUR_H
#define READERS_LIBRARY_FLAVOUR_H

#include "sim/barrier.h"

#define URCU_API_MAP
#if !CONTEND_TSAN
#define _LGPL_SOURCE
#endif

#endif /* READERS_LIBRARY_FLAVOUR_H */
