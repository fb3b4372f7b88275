// SPDX-License-Identifier: GPL-2.0-or-later
#define SECTION_BASE(base) \
	(&(const struct vdso_timestamp){PLAIN_LOAD((base)->sec), PLAIN_LOAD((base)->nsec)})
#include "readers/path/vdso.c"
