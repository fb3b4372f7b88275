/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is said before liburcu's header of a flavour is included: its functions by their short
 * names, and inlined; but for sanitizers, who would find fault with what is within them.
 */
#ifndef READERS_LIBRARY_FLAVOUR_H
#define READERS_LIBRARY_FLAVOUR_H

#include "sim/barrier.h"

#if defined(__SANITIZE_ADDRESS__)
#define FREE_IS_SEEN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FREE_IS_SEEN 1
#endif
#endif
#ifndef FREE_IS_SEEN
#define FREE_IS_SEEN 0
#endif

#define URCU_API_MAP
#if !CONTEND_TSAN && !FREE_IS_SEEN
#define _LGPL_SOURCE
#endif

#endif /* READERS_LIBRARY_FLAVOUR_H */
