// SPDX-License-Identifier: GPL-2.0-or-later
#define SECTION_BASE(from)     \
	(&(const struct base){ \
		.time = {PLAIN_LOAD((from)->time.sec), PLAIN_LOAD((from)->time.nsec)}})
#include "readers/path/vdso.c"
