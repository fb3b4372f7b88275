// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/cell.h"
#include "report/writer_cell.h"

struct writer_cell writer_cell(const struct writer_choice *choice)
{
	struct writer_cell cell;
	const char *name = choice->kind->name;
	const bool random = choice->value[WRITER_ARRIVALS] == PACE_POISSON;

	if (!writer_has_rate(choice->kind))
		snprintf(cell.text, sizeof(cell.text), "%s every %s", name,
			 cell_duration(choice->value[WRITER_EVERY]).text);
	else if (writer_is_endless(choice))
		snprintf(cell.text, sizeof(cell.text), "%s without pause", name);
	else
		snprintf(cell.text, sizeof(cell.text), "%s at %llu Hz%s", name,
			 (unsigned long long)choice->hz, random ? " on average" : "");
	return cell;
}

struct writer_cell updates_cell(const struct writer_choice *choice)
{
	struct writer_cell cell;

	if (strcmp(choice->kind->name, "tick") == 0 &&
	    choice->value[WRITER_ARRIVALS] != PACE_POISSON)
		snprintf(cell.text, sizeof(cell.text), "updates at %llu Hz",
			 (unsigned long long)choice->hz);
	else
		snprintf(cell.text, sizeof(cell.text), "updates by %.100s",
			 writer_cell(choice).text);
	return cell;
}

struct writer_cell writers_cell(const struct run_config *config)
{
	struct writer_cell cell;
	size_t used = 0;

	for (u32 i = 0; i < config->writers && used < sizeof(cell.text); i++)
		used += (size_t)snprintf(cell.text + used, sizeof(cell.text) - used, "%s%s",
					 i		       ? ", "
					 : config->writers > 1 ? "writers "
							       : "writer ",
					 writer_cell(&config->writer[i]).text);
	return cell;
}
