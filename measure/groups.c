// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/groups.h"
#include "sim/lock_page.h"

/* Of all oracles together; 128 bytes each. */
#define MOST_REMEMBERED (1ull << 21)

/* The region that is laid out for this reader; NULL with a sentence in *err. */
static const struct page_region *region_for(struct groups *groups, const struct reader *reader,
					    struct errmsg *err)
{
	struct page_region *region = groups->region;

	for (size_t i = 0; i < groups->regions; i++, region++)
		if (readers_share_page(groups->reader[i], reader))
			return region;
	if (reader_map_page(reader, region, err))
		return NULL;
	groups->reader[groups->regions] = reader;
	groups->other[groups->regions ? groups->regions - 1 : 0] = region;
	groups->regions++;
	return region;
}

static int map_group(struct groups *groups, struct group_shared *group, bool exchanges,
		     struct errmsg *err)
{
	const struct reader *reader = &group->config->reader;
	const struct page_region *region = region_for(groups, reader, err);

	if (!region)
		return -1;
	group->page = page_for_readers(region);
	if (exchange_views(exchanges ? &groups->exchange[region - groups->region] : NULL, region,
			   group, err))
		return -1;
	if (!reader->image)
		return 0;
	return vdso_image_attach(reader->image, region, reader->in_namespace, err);
}

int groups_map(struct groups *groups, struct run_shared *shared, struct errmsg *err)
{
	const struct run_config *config = shared->config;

	for (u32 i = 0; i < config->groups; i++) {
		struct group_shared *group = &shared->group[i];

		group->number = i;
		group->config = &config->group[i];
		if (map_group(groups, group, exchange_is_wanted(config), err))
			return -1;
	}
	shared->page = shared->group[0].page;
	if (config->clocksource->has_record && groups->regions > 1)
		return errmsg_set(err,
				  "--clocksource: the record of %s goes with one page, and these "
				  "groups read %zu, as each layout has a page and each lock: give "
				  "them readers of one, or another clock source",
				  config->clocksource->name, groups->regions);
	return 0;
}

/* time() tells the seconds of REALTIME, and those are the coarse clock's. */
static clockid_t watched_clock(const struct reader *reader)
{
	return reader->image && reader->call == VDSO_TIME ? CLOCK_REALTIME_COARSE : reader->clock;
}

/* The oracle of a group before this one that watches the same clock of the same page, or NULL. */
static struct oracle *oracle_shared(const struct run_shared *shared,
				    const struct group_shared *group)
{
	const clockid_t clock = watched_clock(&group->config->reader);

	for (const struct group_shared *other = shared->group; other < group; other++)
		if (other->page == group->page && watched_clock(&other->config->reader) == clock)
			return other->oracle;
	return NULL;
}

/* How many each may remember, so that all together have no more room than one of them might. */
static u64 most_remembered(const struct run_shared *shared)
{
	u64 most = MOST_REMEMBERED;

	while (most * shared->config->groups > MOST_REMEMBERED)
		most /= 2;
	return most;
}

int groups_watch(struct groups *groups, struct run_shared *shared, u64 updates, struct errmsg *err)
{
	const struct run_config *config = shared->config;
	const u64 most = most_remembered(shared);

	for (u32 i = 0; i < config->groups; i++) {
		struct group_shared *group = &shared->group[i];

		group->oracle = oracle_shared(shared, group);
		if (group->oracle)
			continue;
		group->oracle = oracle_create(watched_clock(&group->config->reader),
					      updates < most ? updates : most,
					      config->payload == PAYLOAD_TIME, err);
		if (!group->oracle)
			return -1;
		groups->oracle[groups->oracles++] = group->oracle;
	}
	return 0;
}

const struct reader *groups_publishing(const struct groups *groups)
{
	for (size_t i = 0; i < groups->regions; i++)
		if (groups->region[i].lock &&
		    vdso_sequence(page_for_readers(&groups->region[i])) & 1)
			return groups->reader[i];
	return NULL;
}

u32 groups_open_pages(const struct groups *groups, bool *released)
{
	u32 update = 0;

	for (size_t i = 0; i < groups->regions; i++) {
		struct vdso_time_data *page = page_for_writer(&groups->region[i]);

		if (!(vdso_sequence(page) & 1))
			continue;
		update = vdso_sequence(page) / 2 + 1;
		WRITE_ONCE(*released, true);
		if (groups->region[i].lock)
			lock_page_give_up(page);
		else
			vdso_write_end(page, groups->region[i].layout);
	}
	return update;
}

void groups_release(struct groups *groups)
{
	for (size_t i = 0; i < groups->oracles; i++)
		oracle_destroy(groups->oracle[i]);
	for (size_t i = 0; i < groups->regions; i++) {
		exchange_release(&groups->exchange[i]);
		page_region_unmap(&groups->region[i]);
	}
}
