/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of the kernel that runs this process, which every process has mapped and may read.
 */
#ifndef SIM_HOST_PAGE_H
#define SIM_HOST_PAGE_H

#include "sim/vdso_image.h"

struct host_page {
	const void *data; /* the kernel's data, laid out as `layout` says; never written by us */
	const struct page_layout *layout;
	const void *pvclock; /* the hypervisor's record of CPU 0; NULL: this kernel has none */
	const void *namespace_data; /* this process's time namespace's; NULL: it is in none */
};

/*
 * Finds the host's page as the code of its own image, which was opened as "host", wants it.
 * Returns 0, or -1 with a sentence in *err when the page cannot be read where it should be. What is
 * found is the kernel's, for as long as this process lives.
 */
int host_page_find(const struct vdso_image *image, struct host_page *host, struct errmsg *err);

#endif /* SIM_HOST_PAGE_H */
