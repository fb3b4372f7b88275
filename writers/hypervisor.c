// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/hypervisor.h"
#include "sim/clocksource.h"

static u64 tsc(void)
{
	return clocksource_read(VDSO_CLOCKMODE_TSC, NULL);
}

void hypervisor_start(struct hypervisor *hypervisor, const struct page_region *region, u64 hz,
		      bool may_spin, const bool *stop)
{
	u64 tsc_hz = clocksource_find("tsc")->frequency_hz();

	*hypervisor = (struct hypervisor){
		.pace =
			{
				.clock_mode = VDSO_CLOCKMODE_TSC,
				.frequency_hz = tsc_hz,
				.hz = hz,
				.may_spin = may_spin,
				.stop = stop,
			},
	};
	pvclock_start(&hypervisor->host, pvclock_for_host(region), tsc_hz, tsc(),
		      counter_monotonic_raw());
}

void hypervisor_begin(struct hypervisor *hypervisor)
{
	pace_start(&hypervisor->pace, tsc());
}

u64 hypervisor_step(struct hypervisor *hypervisor)
{
	u64 due, ticks;

	if (!pace_wait(&hypervisor->pace, &due, &ticks))
		return 0;
	return pvclock_update(&hypervisor->host);
}
