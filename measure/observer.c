// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "measure/observer.h"

void observer_init(struct observer *observer, u64 close, u64 near)
{
	memset(observer, 0, sizeof(*observer));
	observer->close = close;
	observer->near = near;
}

u64 observer_passed_unseen(const struct observer *observer)
{
	return histogram_total(&observer->passed);
}

/* The counters of two CPUs need not agree to the cycle. */
static u64 gap_to(const struct observer *observer, const struct observer_look *look)
{
	s64 gap = (s64)(look->cycles - observer->cycles);

	return gap > 0 ? (u64)gap : 0;
}

/* Updates that were completed between two values of a sequence, which wraps. */
static u32 completed(u32 from, u32 to)
{
	return ((to >> 1) - (from >> 1)) & (UINT32_MAX >> 1);
}

static void note_interruption(struct observer *observer, u64 gap, bool off_cpu)
{
	observer->interruptions++;
	observer->off_cpu += off_cpu;
	observer->interrupted += gap;
	if (gap > observer->longest_interruption)
		observer->longest_interruption = gap;
}

static void note_odd_begin(struct observer *observer, const struct observer_look *look,
			   bool undisturbed)
{
	observer->odd++;
	observer->seen++;
	observer->elsewhere++;
	observer->cpu->odd++;
	observer->cpu->seen++;
	observer->cpu->elsewhere++;
	observer->odd_begin_known = undisturbed;
	observer->odd_cycles = look->cycles;
}

static void note_odd_end(struct observer *observer, const struct observer_look *look, bool single)
{
	if (observer->odd_begin_known && single)
		histogram_record(&observer->hold, look->cycles - observer->odd_cycles);
	else
		observer->odd_unmeasured++;
}

/* One update that was not seen in progress, at a moment that is known. */
static void note_unseen(struct observer *observer, u64 gap, bool undisturbed)
{
	observer->seen++;
	observer->cpu->seen++;
	if (!undisturbed)
		return;
	observer->elsewhere++;
	observer->cpu->elsewhere++;
	histogram_record(&observer->passed, gap);
}

/* The sequence has moved on since the last look. */
static void note_steps(struct observer *observer, const struct observer_look *look, u64 gap,
		       bool undisturbed)
{
	u32 done = completed(observer->seq, look->seq);
	bool single = done == 1 && gap <= observer->near && !observer->moved;

	observer->updates += done;
	if (done && observer->seq & 1)
		note_odd_end(observer, look, single && !(look->seq & 1));
	else if (single)
		note_unseen(observer, gap, undisturbed);
	if (single && observer->has_update)
		histogram_record(&observer->interval, look->cycles - observer->update_cycles);
	if (done) {
		observer->has_update = single;
		observer->update_cycles = look->cycles;
	}
	if (look->seq & 1)
		note_odd_begin(observer, look, undisturbed);
}

static void note_ratio(struct observer_mult *mult, double ratio)
{
	if (mult->least == 0 || ratio < mult->least)
		mult->least = ratio;
	if (ratio > mult->most)
		mult->most = ratio;
}

static void note_mult(struct observer_mult *mult, const struct observer_fields *fields)
{
	if (!mult->known) {
		mult->known = true;
		mult->last = mult->first = fields->mult;
		mult->against_raw = fields->raw_mult != 0;
	}
	mult->changes += fields->mult != mult->last;
	mult->last = fields->mult;
	if (!mult->against_raw)
		note_ratio(mult, (double)fields->mult / mult->first);
	else if (fields->raw_mult)
		note_ratio(mult, (double)fields->mult / fields->raw_mult);
}

static void note_second(struct observer *observer, u32 seq, u32 second_seq)
{
	if (!observer->second_looks)
		observer->second_distance = second_seq - seq;
	observer->second_looks++;
	observer->second_apart += second_seq - seq != observer->second_distance;
}

static void note_fields(struct observer *observer, const struct observer_look *look)
{
	const struct observer_fields *fields = look->fields;

	if (observer->has_fields && fields->clock_mode != observer->fields.clock_mode) {
		observer->mode_changes++;
		/* Another counter, so its mult has nothing to do with the one before. */
		observer->mult.first = fields->mult;
	}
	if (fields->mult)
		note_mult(&observer->mult, fields);
	if (fields->has_second)
		note_second(observer, look->seq, fields->second_seq);
	observer->has_fields = true;
	observer->fields = *fields;
}

void observer_look(struct observer *observer, const struct observer_look *look)
{
	u64 gap = gap_to(observer, look);
	bool undisturbed = gap <= observer->close && !look->off_cpu && !observer->moved;

	observer->looks++;
	observer->awake += gap;
	observer->odd_begin_known &= undisturbed;
	if (undisturbed)
		observer->cpu->watched += gap;
	else if (!observer->moved)
		note_interruption(observer, gap, look->off_cpu);
	if (look->seq != observer->seq)
		note_steps(observer, look, gap, undisturbed);
	if (look->fields)
		note_fields(observer, look);
	observer->seq = look->seq;
	observer->cycles = look->cycles;
	observer->moved = false;
}

/* A look before which nothing is known. */
static void begin(struct observer *observer, const struct observer_look *look)
{
	observer->looks++;
	observer->has_update = false;
	observer->odd_begin_known = false;
	if (look->seq & 1 && look->seq != observer->seq)
		note_odd_begin(observer, look, false);
	if (look->fields)
		note_fields(observer, look);
	observer->seq = look->seq;
	observer->cycles = look->cycles;
}

void observer_move(struct observer *observer, struct observer_cpu *cpu,
		   const struct observer_look *look)
{
	observer->cpu = cpu;
	observer->moved = true;
	if (observer->looks)
		observer_look(observer, look);
	else
		begin(observer, look);
	observer->moved = false;
}

void observer_wake(struct observer *observer, const struct observer_look *look)
{
	u64 gap = gap_to(observer, look);
	u64 updates = completed(observer->seq, look->seq);
	/* They cut the time into one piece more than there are, and one is as long as the mean. */
	u64 longest = gap / (updates + 1);

	observer->asleep.cycles += gap;
	observer->asleep.updates += updates;
	if (longest > observer->asleep.longest)
		observer->asleep.longest = longest;
	observer->asleep.stretches += observer->asleep.looks != observer->looks;
	if (updates && observer->seq & 1)
		observer->odd_unmeasured++;
	begin(observer, look);
	observer->asleep.looks = observer->looks;
}
