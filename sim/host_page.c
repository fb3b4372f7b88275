// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "sim/barrier.h"
#include "sim/host_page.h"

static const char *page_at(s32 page)
{
	return (const char *)getauxval(AT_SYSINFO_EHDR) +
	       (ptrdiff_t)page * (ptrdiff_t)SIM_PAGE_BYTES;
}

/* Asks the kernel to copy from there, so that a page which is not there does no harm. */
static bool is_readable(const void *data)
{
	bool readable = false;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	readable = write(ends[1], data, sizeof(u32)) == (ssize_t)sizeof(u32);
	close(ends[0]);
	close(ends[1]);
	return readable;
}

static s32 clock_mode_of(const void *data)
{
	return READ_ONCE(((const struct vdso_clock *)data)->clock_mode);
}

int host_page_find(const struct vdso_image *image, struct host_page *host, struct errmsg *err)
{
	const struct vdso_wants *wants = &image->wants;

	*host = (struct host_page){
		.data = page_at(wants->time_page) + wants->data_offset,
		.layout = wants->layout,
	};
	if (!is_readable(host->data))
		return errmsg_set(err, "the kernel's page cannot be read at page %d of its vDSO",
				  wants->time_page);
	if (clock_mode_of(host->data) == VDSO_CLOCKMODE_TIMENS) {
		host->namespace_data = host->data;
		host->data = page_at(wants->namespace_page) + wants->data_offset;
		if (!wants->has_namespace || !is_readable(host->data))
			return errmsg_set(err, "this process is in a time namespace, and the page "
					       "behind its own cannot be read");
	}
	if (wants->has_pvclock && is_readable(page_at(wants->pvclock_page)))
		host->pvclock = page_at(wants->pvclock_page);
	return 0;
}
