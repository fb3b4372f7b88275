// SPDX-License-Identifier: GPL-2.0-or-later
#include <gsl/gsl_cdf.h>
#include <stdio.h>

#include "measure/tick_cpu.h"

#define MOST_ELSEWHERE	0.02
#define OTHERS_AT_LEAST 0.2
#define CHANCE_BELOW	0.01

static double share(u64 part, u64 whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* The chance of at most k of n, of which each has the chance p. */
static double at_most(u64 k, u64 n, double p)
{
	return gsl_cdf_binomial_P((unsigned int)k, p, (unsigned int)n);
}

static struct observer_cpu sum_of(const struct observer_cpu *cpus, int count)
{
	struct observer_cpu sum = {.cpu = -1};

	for (int i = 0; i < count; i++) {
		sum.seen += cpus[i].seen;
		sum.elsewhere += cpus[i].elsewhere;
	}
	return sum;
}

/* What this CPU would stand out by, if all but the chance is as it must be; chance is 1 if not. */
static struct tick_cpu weigh(const struct observer_cpu *cpu, const struct observer_cpu *all)
{
	struct tick_cpu weighed = {
		.cpu = cpu->cpu,
		.seen = cpu->seen,
		.elsewhere = cpu->elsewhere,
		.others_seen = all->seen - cpu->seen,
		.others_elsewhere = all->elsewhere - cpu->elsewhere,
		.chance = 1,
	};
	double others = share(weighed.others_elsewhere, weighed.others_seen);

	if (share(cpu->elsewhere, cpu->seen) <= MOST_ELSEWHERE && others >= OTHERS_AT_LEAST)
		weighed.chance = at_most(cpu->elsewhere, cpu->seen, others);
	return weighed;
}

static struct tick_cpu untold(const char *why)
{
	struct tick_cpu tick = {.cpu = -1};

	snprintf(tick.why, sizeof(tick.why), "%s", why);
	return tick;
}

static struct tick_cpu none_stands_out(const struct observer_cpu *cpus, int count,
				       const struct observer_cpu *all)
{
	bool everywhere = true;

	if (share(all->elsewhere, all->seen) < OTHERS_AT_LEAST)
		return untold("wherever the watcher was, most updates came while it was "
			      "interrupted: they follow it, as where idle CPUs stop their tick, or "
			      "all CPUs tick at the same moment");
	for (int i = 0; i < count; i++)
		everywhere &= share(cpus[i].elsewhere, cpus[i].seen) > MOST_ELSEWHERE;
	if (everywhere)
		return untold("wherever the watcher was, updates were made by another CPU: it is "
			      "one that was not watched, or now one and now another");
	return untold("too few updates were seen, or no CPU stands out enough");
}

struct tick_cpu tick_cpu_tell(const struct observer_cpu *cpus, int count)
{
	struct observer_cpu all = sum_of(cpus, count);
	struct tick_cpu found = {.cpu = -1};
	int standing_out = 0;

	if (count == 1)
		return untold("only one CPU was watched");
	if (!all.seen)
		return untold("no update was seen");
	for (int i = 0; i < count; i++) {
		struct tick_cpu weighed = weigh(&cpus[i], &all);

		if (weighed.chance >= CHANCE_BELOW)
			continue;
		found = weighed;
		standing_out++;
	}
	if (standing_out == 1)
		return found;
	if (standing_out > 1)
		return untold("more than one CPU stands out: now one made them and now another");
	return none_stands_out(cpus, count, &all);
}
