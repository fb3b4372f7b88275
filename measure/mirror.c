// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/mirror.h"
#include "readers/readers.h"
#include "sim/publish.h"

/* Never that of a page which nobody updates. */
#define NOT_COPIED 1u

/* A hypervisor writes its record as fast as a kernel its page. */
#define RECORD_ATTEMPTS 1000000

static bool has_record(const struct mirror *mirror)
{
	return mirror->snapshot.clock_mode == VDSO_CLOCKMODE_PVCLOCK;
}

static const char *mode_name(s32 clock_mode)
{
	switch (clock_mode) {
	case VDSO_CLOCKMODE_NONE:
		return "none, so that everybody calls the system";
	case VDSO_CLOCKMODE_PVCLOCK:
		return "a hypervisor's record that cannot be read";
	case VDSO_CLOCKMODE_HVCLOCK:
		return "Hyper-V's";
	default:
		return "unknown";
	}
}

static bool is_known(const struct mirror *mirror)
{
	return mirror->snapshot.clock_mode == VDSO_CLOCKMODE_TSC ||
	       (has_record(mirror) && mirror->host.pvclock && SIM_HAS_PVCLOCK);
}

static u32 record_version(const struct mirror *mirror)
{
	return READ_ONCE(((const struct pvclock_vcpu_time_info *)mirror->host.pvclock)->version);
}

/* False if it was being written. */
static bool try_record(const struct mirror *mirror, struct pvclock_vcpu_time_info *record)
{
	const struct pvclock_vcpu_time_info *from = mirror->host.pvclock;

	record->version = record_version(mirror);
	smp_rmb();
	record->tsc_timestamp = PLAIN_LOAD(from->tsc_timestamp);
	record->system_time = PLAIN_LOAD(from->system_time);
	record->tsc_to_system_mul = PLAIN_LOAD(from->tsc_to_system_mul);
	record->tsc_shift = PLAIN_LOAD(from->tsc_shift);
	record->flags = PLAIN_LOAD(from->flags);
	smp_rmb();
	return !(record->version & 1) && record_version(mirror) == record->version;
}

static int take_record(const struct mirror *mirror, struct pvclock_vcpu_time_info *record,
		       struct errmsg *err)
{
	*record = (struct pvclock_vcpu_time_info){.version = 0};
	if (!has_record(mirror))
		return 0;
	for (int attempt = 0; attempt < RECORD_ATTEMPTS; attempt++) {
		if (try_record(mirror, record))
			return 0;
		cpu_relax();
	}
	return errmsg_set(err, "the hypervisor's record was being written at each of %d attempts",
			  RECORD_ATTEMPTS);
}

static void publish_record(const struct pvclock_vcpu_time_info *from,
			   struct pvclock_vcpu_time_info *to)
{
	const u32 version = to->version;

	WRITE_ONCE(to->version, version + 1);
	smp_wmb();
	PLAIN_STORE(to->tsc_timestamp, from->tsc_timestamp);
	PLAIN_STORE(to->system_time, from->system_time);
	PLAIN_STORE(to->tsc_to_system_mul, from->tsc_to_system_mul);
	PLAIN_STORE(to->tsc_shift, from->tsc_shift);
	PLAIN_STORE(to->flags, from->flags);
	smp_wmb();
	WRITE_ONCE(to->version, version + 2);
}

int mirror_open(struct mirror *mirror, const struct host_page *host, struct errmsg *err)
{
	*mirror = (struct mirror){.host = *host};
	if (page_snapshot_take(host->layout, host->data, &mirror->snapshot, err))
		return -1;
	if (!is_known(mirror))
		return errmsg_set(err,
				  "the counter of the kernel's page is %s (clock mode %d), which a "
				  "page of ours does not have",
				  mode_name(mirror->snapshot.clock_mode),
				  mirror->snapshot.clock_mode);
	mirror->snapshot.seq = NOT_COPIED;
	if (mirror_in_namespace(mirror))
		page_snapshot_namespace(host->layout, host->namespace_data, mirror->offset);
	return 0;
}

void mirror_close(struct mirror *mirror)
{
	while (mirror->count)
		page_region_unmap(&mirror->region[--mirror->count]);
}

bool mirror_in_namespace(const struct mirror *mirror)
{
	return mirror->host.namespace_data;
}

const struct page_region *mirror_add(struct mirror *mirror, const struct page_layout *layout,
				     u32 data_offset, struct errmsg *err)
{
	struct page_region *region = &mirror->region[mirror->count];

	if (mirror->count == MIRROR_MAX_PAGES) {
		errmsg_set(err, "no more than %d pages can be kept", MIRROR_MAX_PAGES);
		return NULL;
	}
	if (page_region_map(region, layout, data_offset, err))
		return NULL;
	mirror->count++;
	mirror->snapshot.seq = NOT_COPIED;
	if (mirror_in_namespace(mirror))
		page_set_namespace(region, mirror->offset);
	return region;
}

const struct vdso_time_data *mirror_page(const struct mirror *mirror,
					 const struct page_region *region)
{
	return mirror_in_namespace(mirror) ? page_for_namespace(region) : page_for_readers(region);
}

static void publish(struct mirror *mirror, const struct page_snapshot *snapshot)
{
	for (size_t i = 0; i < mirror->count; i++) {
		const struct page_region *region = &mirror->region[i];

		page_snapshot_publish(snapshot, region->layout, page_for_writer(region));
		if (has_record(mirror))
			publish_record(&mirror->record, pvclock_for_host(region));
	}
}

/* What is kept is of one mode: another counter is not the one that was looked at, nor is its page.
 */
static int check_mode(struct mirror *mirror, s32 clock_mode)
{
	if (clock_mode == mirror->snapshot.clock_mode)
		return 0;
	return errmsg_set(&mirror->stopped, "the kernel went from clock mode %d to %d meanwhile",
			  mirror->snapshot.clock_mode, clock_mode);
}

int mirror_refresh(struct mirror *mirror, struct errmsg *err)
{
	struct pvclock_vcpu_time_info record;
	struct page_snapshot snapshot;

	if (mirror_is_fresh(mirror))
		return 0;
	if (mirror->stopped.text[0])
		return errmsg_set(err, "%s", mirror->stopped.text);
	if (page_snapshot_take(mirror->host.layout, mirror->host.data, &snapshot, err))
		return -1;
	if (check_mode(mirror, snapshot.clock_mode))
		return errmsg_set(err, "%s", mirror->stopped.text);
	if (take_record(mirror, &record, err))
		return -1;
	mirror->snapshot = snapshot;
	mirror->record = record;
	publish(mirror, &snapshot);
	return 0;
}

bool mirror_is_fresh(const struct mirror *mirror)
{
	return !mirror->stopped.text[0] &&
	       vdso_sequence(mirror->host.data) == mirror->snapshot.seq &&
	       (!has_record(mirror) || record_version(mirror) == mirror->record.version);
}

static u32 shift_of(const struct mirror *mirror, clockid_t clock)
{
	enum vdso_clock_index index = clock == CLOCK_MONOTONIC_RAW ? CS_RAW : CS_HRES_COARSE;

	return clock_is_coarse(clock) ? 0 : mirror->snapshot.rate[index].shift;
}

/*
 * Where the nanoseconds of a quiet time begin, the namespace's among them: at a second that is
 * always carried if those are so many that without a carry there would be little time.
 */
static u64 quiet_from_ns(const struct mirror *mirror, clockid_t clock)
{
	return mirror->offset[clock].nsec < NSEC_PER_SEC / 2 ? 0 : NSEC_PER_SEC;
}

bool mirror_is_quiet(const struct mirror *mirror, clockid_t clock)
{
	const u64 base_ns = mirror->snapshot.base[clock].nsec >> shift_of(mirror, clock);
	const u64 ns = base_ns + mirror->offset[clock].nsec;
	const u64 from = quiet_from_ns(mirror, clock);

	return ns >= from && ns + MIRROR_QUIET_NS < from + NSEC_PER_SEC;
}

static void publish_for_now(struct mirror *mirror, const struct page_snapshot *snapshot)
{
	publish(mirror, snapshot);
	mirror->snapshot.seq = NOT_COPIED;
}

void mirror_be_quiet(struct mirror *mirror)
{
	struct page_snapshot quiet = mirror->snapshot;

	for (int clock = 0; clock < VDSO_BASES; clock++) {
		const u64 offset = mirror->offset[clock].nsec;
		const u64 from = quiet_from_ns(mirror, clock);

		quiet.base[clock].nsec = (from > offset ? from - offset : 0)
					 << shift_of(mirror, clock);
	}
	publish_for_now(mirror, &quiet);
}

void mirror_be_strange(struct mirror *mirror)
{
	struct page_snapshot strange = mirror->snapshot;

	for (int clock = 0; clock < VDSO_BASES; clock++)
		strange.base[clock].sec += MIRROR_STRANGE_SEC;
	publish_for_now(mirror, &strange);
}
