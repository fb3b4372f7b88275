// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <stddef.h>

#include "measure/host_vdso.h"

vdso_clock_gettime_fn *host_vdso_clock_gettime(void)
{
	static const char *const names[][2] = {
#if defined(__i386__)
		{"linux-gate.so.1", "__vdso_clock_gettime64"},
#endif
		{"linux-vdso.so.1", "__vdso_clock_gettime"},
		{"linux-vdso.so.1", "__kernel_clock_gettime"},
		{"linux-vdso64.so.1", "__kernel_clock_gettime"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		void *vdso = dlopen(names[i][0], RTLD_LAZY | RTLD_NOLOAD);
		vdso_clock_gettime_fn *host;

		if (!vdso)
			continue;
		*(void **)&host = dlsym(vdso, names[i][1]);
		dlclose(vdso);
		if (host)
			return host;
	}
	return NULL;
}
