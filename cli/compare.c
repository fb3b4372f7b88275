// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#include "cli/command.h"
#include "cli/compare_options.h"
#include "cli/signals.h"
#include "cli/usage.h"

int command_compare(int argc, char **argv)
{
	struct compare_options *options = calloc(1, sizeof(*options));
	struct compare_result *r = calloc(1, sizeof(*r));
	struct errmsg err;

	signals_handle();
	if (compare_options_parse(argc, argv, options, &err))
		return usage_complain(&err);
	signals_keep_result();
	if (compare_execute(&options->config, NULL, NULL, &signals_asked_to_stop, r, &err))
		return usage_complain(&err);
	printf("outcome %d %s; %.2f s visits %llu placements %llu\n", r->outcome, r->broken,
	       r->seconds, (unsigned long long)r->visits, (unsigned long long)r->placements);
	for (size_t i = 0; i < options->config.readers; i++) {
		struct compare_reader *c = &r->reader[i];
		printf("%-40s %.3f ns reads %llu odd %llu changed %llu off %llu",
		       options->reader[i].path, c->read_ns, (unsigned long long)c->reads,
		       (unsigned long long)c->odd_waits, (unsigned long long)c->changed,
		       (unsigned long long)c->off_cpu);
		if (i)
			printf("  %+.4f %% [%+.4f %+.4f] sd %.3f noise %.3f verdict %d (%s) need "
			       "%.1f",
			       c->effect.percent.estimate, c->effect.percent.ci95.low,
			       c->effect.percent.ci95.high, c->effect.placement_sd_percent,
			       c->effect.visit_sd_percent, c->conclusion.verdict,
			       c->unavailable.text, c->conclusion.needed_s);
		printf("\n");
	}
	return 0;
}
