// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/counter.h"
#include "sim/pvclock.h"

struct pvclock_vcpu_time_info *pvclock_for_host(const struct page_region *region)
{
	return (struct pvclock_vcpu_time_info *)((char *)region->writable +
						 (size_t)PAGE_COUNTER * SIM_PAGE_BYTES);
}

static struct wide cycle_worth(u64 tsc_hz)
{
	u64 rest;

	return wide_div((struct wide){.high = NSEC_PER_SEC}, tsc_hz, &rest);
}

void pvclock_mul_shift(u64 tsc_hz, u32 *mul, s8 *shift)
{
	struct wide worth = cycle_worth(tsc_hz);
	u64 fraction;

	*shift = 0;
	for (; worth.high >> *shift; (*shift)++)
		;
	fraction = wide_shift_right(worth, (u32)*shift);
	for (; !(fraction >> 63); fraction <<= 1)
		(*shift)--;
	*mul = (u32)(fraction >> 32);
}

void pvclock_write_begin(struct pvclock_host *host)
{
	u32 *version = &host->record->version;

	/* An exchange, since the counter must not be read before the store is out. */
	__atomic_exchange_n(version, READ_ONCE(*version) + 1, __ATOMIC_SEQ_CST);
	smp_wmb();
}

void pvclock_write(struct pvclock_host *host, u64 tsc)
{
	u64 passed = (s64)(tsc - host->tsc) > 0 ? tsc - host->tsc : 0;

	host->tsc += passed;
	host->time = wide_add(host->time, wide_mul(passed, host->worth.low));
	host->time.high += passed * host->worth.high;
	WRITE_ONCE(host->record->tsc_timestamp, host->tsc);
	WRITE_ONCE(host->record->system_time, host->time.high);
}

void pvclock_write_end(struct pvclock_host *host)
{
	smp_wmb();
	WRITE_ONCE(host->record->version, host->record->version + 1);
}

void pvclock_start(struct pvclock_host *host, struct pvclock_vcpu_time_info *record, u64 tsc_hz,
		   u64 tsc, u64 nanoseconds)
{
	u32 mul;
	s8 shift;

	*host = (struct pvclock_host){
		.record = record,
		.worth = cycle_worth(tsc_hz),
		.time = {.high = nanoseconds},
		.tsc = tsc,
	};
	pvclock_mul_shift(tsc_hz, &mul, &shift);
	/* Whatever stood there before. */
	WRITE_ONCE(record->version, 0);
	pvclock_write_begin(host);
	pvclock_write(host, tsc);
	WRITE_ONCE(record->tsc_to_system_mul, mul);
	WRITE_ONCE(record->tsc_shift, shift);
	WRITE_ONCE(record->flags, PVCLOCK_TSC_STABLE);
	pvclock_write_end(host);
}

u64 pvclock_update(struct pvclock_host *host)
{
	pvclock_write_begin(host);
	pvclock_write(host, counter_read(VDSO_CLOCKMODE_TSC, NULL));
	pvclock_write_end(host);
	return host->time.high;
}
