// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The shipped read path with one thing done to the counter's value, which all that follows waits
 * for: @define=ONE_MORE(x)=... A source by itself for tests/bench/compare_numbers.
 */
#include "readers/reader.h"

#ifndef ONE_MORE
/* One instruction that needs what was before it, and that what follows needs. */
#define ONE_MORE(cycles) __asm__ volatile("add $0, %0" : "+r"(cycles) : : "cc")
#endif
#if !READER_COUNTED
#undef NOTE_USED_CYCLES
#define NOTE_USED_CYCLES(note, value) ((void)(note), ({ ONE_MORE(value); }))
#endif

#include "readers/path/vdso.c"
