// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>

#include "measure/fitness.h"

static bool holds_zero(const struct mean_interval *interval)
{
	return interval->low <= 0 && interval->high >= 0;
}

static const char *what_it_misses(const struct fitness *fitness)
{
	if (fitness->holds_zero)
		return "which holds 0, as it should";
	if (fitness->holds_zero_99)
		return "which misses 0, as one in 20 does by chance: do it again";
	return "which misses 0, as does the 99 % one: something favours one of the two";
}

static void describe(const struct effect *itself, double resolution, struct fitness *fitness)
{
	const struct effect_figure *percent = &itself->percent;

	snprintf(fitness->text, sizeof(fitness->text),
		 "%s to tell differences of %.2g %%, %s %.2g %% and more: a reader against "
		 "itself came out at %+.2g %%, 95 %% interval %+.2g to %+.2g, %s",
		 fitness->fit ? "fit" : "not fit", resolution, fitness->fit ? "even of" : "only of",
		 fitness->finest_percent, percent->estimate, percent->ci95.low, percent->ci95.high,
		 what_it_misses(fitness));
}

struct fitness fitness_of(const struct effect *itself, double resolution_percent)
{
	const struct mean_interval *ci95 = &itself->percent.ci95;
	struct fitness fitness = {.half_width_percent = effect_half_width_percent(itself),
				  .finest_percent = NAN};

	if (!itself->known) {
		snprintf(fitness.text, sizeof(fitness.text),
			 "not known to be fit: %zu %s are too few to tell", itself->units,
			 itself->placement_still ? "visits" : "placements");
		return fitness;
	}
	fitness.holds_zero = holds_zero(ci95);
	fitness.holds_zero_99 = holds_zero(&itself->percent.ci99);
	fitness.finest_percent = fmax(-ci95->low, ci95->high);
	fitness.fit = fitness.finest_percent <= resolution_percent;
	describe(itself, resolution_percent, &fitness);
	return fitness;
}
