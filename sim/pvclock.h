/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paravirtual clock: a record in memory by which a hypervisor tells its guest the time. One
 * writer keeps it (the host), any number of readers make nanoseconds of it and of the TSC.
 *
 * Source of the layout: the ABI that KVM and Xen give their guests. The record of CPU 0 begins the
 * page that the vDSO reads.
 */
#ifndef SIM_PVCLOCK_H
#define SIM_PVCLOCK_H

#include "sim/arch_counter.h"
#include "sim/barrier.h"
#include "sim/page.h"
#include "sim/wide.h"

/* Whether read paths of this architecture know the record. */
#if defined(__x86_64__) || defined(__i386__)
#define SIM_HAS_PVCLOCK 1
#else
#define SIM_HAS_PVCLOCK 0
#endif

/* A flag: the TSCs of all CPUs agree. Without it user space must call the system. */
#define PVCLOCK_TSC_STABLE 1u

struct pvclock_vcpu_time_info {
	u32 version; /* odd while the host writes */
	u32 pad0;
	u64 tsc_timestamp;     /* the TSC when this was written */
	u64 system_time;       /* nanoseconds then */
	u32 tsc_to_system_mul; /* nanoseconds in a cycle << 32, after the shift */
	s8 tsc_shift; /* of a difference of TSCs: to the left, or if negative to the right */
	u8 flags;
	u8 pad[2];
};

_Static_assert(sizeof(struct pvclock_vcpu_time_info) == 32, "pvclock record");
_Static_assert(offsetof(struct pvclock_vcpu_time_info, version) == 0, "pvclock record");
_Static_assert(offsetof(struct pvclock_vcpu_time_info, tsc_timestamp) == 8, "pvclock record");
_Static_assert(offsetof(struct pvclock_vcpu_time_info, system_time) == 16, "pvclock record");
_Static_assert(offsetof(struct pvclock_vcpu_time_info, tsc_to_system_mul) == 24, "pvclock record");
_Static_assert(offsetof(struct pvclock_vcpu_time_info, tsc_shift) == 28, "pvclock record");
_Static_assert(offsetof(struct pvclock_vcpu_time_info, flags) == 29, "pvclock record");

/* The record that goes with a page as readers see it. No checks: this is part of the read path. */
static inline const struct pvclock_vcpu_time_info *page_pvclock(const struct vdso_time_data *page)
{
	return (const struct pvclock_vcpu_time_info *)page_virtual_counter(page);
}

/* The step that a mutant breaks. */
#ifndef PVCLOCK_CHANGED
#define PVCLOCK_CHANGED(record, before) (READ_ONCE((record)->version) != (before))
#endif

/* Nanoseconds, rounded down, that a difference of TSCs makes. The product has 96 bits. */
static inline u64 pvclock_scale(u64 delta, u32 mul, s8 shift)
{
	if (shift < 0)
		delta >>= -shift;
	else
		delta <<= shift;
	return wide_mul_add_shift(delta, mul, 0, 32);
}

#if SIM_HAS_PVCLOCK
/*
 * Nanoseconds by this record now, in 63 bits; COUNTER_UNREADABLE when the TSCs do not agree. Waits
 * while the record is being written: the version is taken without its lowest bit, so an odd one is
 * never found again. Any thread may call it.
 */
static inline __attribute__((always_inline)) u64 pvclock_read(
	const struct pvclock_vcpu_time_info *info)
{
	u64 tsc, time;
	u32 version;

	do {
		version = READ_ONCE(info->version) & ~1u;
		smp_rmb();
		if (unlikely(!(PLAIN_LOAD(info->flags) & PVCLOCK_TSC_STABLE)))
			return COUNTER_UNREADABLE;
		tsc = counter_arch();
		time = PLAIN_LOAD(info->system_time) +
		       pvclock_scale(tsc - PLAIN_LOAD(info->tsc_timestamp),
				     PLAIN_LOAD(info->tsc_to_system_mul),
				     PLAIN_LOAD(info->tsc_shift));
		smp_rmb();
	} while (unlikely(PVCLOCK_CHANGED(info, version)));
	return time & INT64_MAX;
}
#endif

/*
 * The host's side.
 *
 * Time is a straight line: it is kept as nanoseconds << 64 at the last record, to which each
 * update adds the cycles since, times what a cycle is worth << 64. What is lost of the worth is
 * less than 2^-64 ns a cycle, so that after a thousand years of 4 GHz time is some 7 ns behind; how
 * often it was updated plays no part.
 *
 * Time does not step back at an update. A record takes the line rounded down, the slope that
 * readers use is rounded down as well, and so is each of their divisions: what the old record gives
 * at the TSC value of the new one is never more than the new one's system_time. And nobody uses the
 * old one any later, since the host reads the TSC only when the odd version is out: whoever reads
 * it after that finds the version changed. (A real host stops all virtual CPUs meanwhile, to the
 * same end.) With a TSC that was read before, no rounding would do: at one and the same value the
 * old record may give a nanosecond more than the new one, whether system_time is rounded up or
 * down. Only rounding it up from what the old record gives would help, and then time would gain
 * half a nanosecond at each update.
 *
 * One thread owns it.
 */
struct pvclock_host {
	struct pvclock_vcpu_time_info *record; /* writable */
	struct wide worth;		       /* nanoseconds in a cycle << 64, rounded down */
	struct wide time; /* nanoseconds << 64 at `tsc`; wraps after 584 years */
	u64 tsc;	  /* of the last record */
};

/* The TSC's frequency, in Hz, for which there are mul and shift. */
#define PVCLOCK_MIN_HZ 1000000u
#define PVCLOCK_MAX_HZ 100000000000u

/* The record of a region, as the host sees it. Valid until the region's unmap. */
struct pvclock_vcpu_time_info *pvclock_for_host(const struct page_region *region);

/*
 * mul and shift for a counter of tsc_hz (PVCLOCK_MIN_HZ to PVCLOCK_MAX_HZ): mul has its highest bit
 * set and is rounded down, so what they make of a difference is short by less than 1 / 2^31 of it.
 */
void pvclock_mul_shift(u64 tsc_hz, u32 *mul, s8 *shift);

/*
 * Writes the first record: time is `nanoseconds` at TSC value `tsc`, the TSCs are stable. The
 * frequency is that of pvclock_mul_shift. The record stays the caller's and must outlive the host.
 */
void pvclock_start(struct pvclock_host *host, struct pvclock_vcpu_time_info *record, u64 tsc_hz,
		   u64 tsc, u64 nanoseconds);

/* An update in pieces, for those who must say what the TSC is. None passes if it lags behind. */
void pvclock_write_begin(struct pvclock_host *host);
void pvclock_write(struct pvclock_host *host, u64 tsc);
void pvclock_write_end(struct pvclock_host *host);

/* The whole update, at this moment. Returns the nanoseconds that the record now says. */
u64 pvclock_update(struct pvclock_host *host);

#endif /* SIM_PVCLOCK_H */
