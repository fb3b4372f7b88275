// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A writer of the page, to be explored: PUBLISH is the function of writers/broken_pages.h that it
 * publishes by.
 */
#include "writers/broken_pages.h"

void READER_NAME(const struct broken_update *update);

void READER_NAME(const struct broken_update *update)
{
	PUBLISH(update);
}
