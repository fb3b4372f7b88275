/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What results that lie beside one another are called, shortly: by their files.
 */
#ifndef REPORT_LABEL_H
#define REPORT_LABEL_H

#include "report/result_file.h"

struct label {
	char text[96];
};

/*
 * The file's name without folders and ".json", with a number if others of the `count` are called
 * so, too; and behind it the name of a part of it, unless that is NULL. Cut if it is long, between
 * characters. Safe in any thread.
 */
struct label label_of(const struct result_file *const *files, size_t count, size_t which,
		      const char *part);

/* Text that is no longer than so many bytes, 4 to 90; cut between characters, with "..." then. */
struct label label_short(const char *text, size_t most);

#endif /* REPORT_LABEL_H */
