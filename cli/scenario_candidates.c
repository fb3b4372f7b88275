// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scenario_candidates.h"
#include "cli/scenario_list.h"

#define PLAIN                        \
	"abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-"

static int is_plain_scenario(const struct dirent *entry)
{
	return scenario_is_name(entry->d_name) && !entry->d_name[strspn(entry->d_name, PLAIN)];
}

/* `shown` is what stands before the names of the folder's files, as they are offered. */
static void offer_folder(const struct candidates *candidates, const char *folder, const char *shown,
			 const char *begun)
{
	struct dirent **entry;
	const int entries = scandir(folder, &entry, is_plain_scenario, alphasort);

	for (int i = 0; i < entries; i++) {
		if (strncmp(entry[i]->d_name, begun, strlen(begun)) == 0)
			printf("%.*s%s%s\n", (int)candidates->head_length, candidates->head, shown,
			       entry[i]->d_name);
		free(entry[i]);
	}
	if (entries >= 0)
		free(entry);
}

void scenario_candidates(const struct candidates *candidates, bool all)
{
	const char *begun = candidates->begun;
	const char *slash = strrchr(begun, '/');
	char folder[PATH_MAX], shown[PATH_MAX];

	if (slash) {
		snprintf(shown, sizeof(shown), "%.*s", (int)(slash + 1 - begun), begun);
		offer_folder(candidates, shown, shown, slash + 1);
		return;
	}
	offer_folder(candidates, ".", "", begun);
	if ((all || *begun) && !scenario_folder(folder)) {
		snprintf(shown, sizeof(shown), "%.*s/", PATH_MAX - 2, folder);
		offer_folder(candidates, folder, shown, begun);
	}
}
