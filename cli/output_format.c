// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/output_format.h"
#include "sim/value.h"

int output_format_parse(const char *text, enum output_format *format, struct errmsg *err)
{
	if (strcmp(text, "text") == 0)
		*format = OUTPUT_TEXT;
	else if (strcmp(text, "ktap") == 0)
		*format = OUTPUT_KTAP;
	else
		return errmsg_set(err, "%s is neither text nor ktap", value_quote(text).text);
	return 0;
}

int output_format_check(enum output_format format, bool quiet, const char *option, const char *path,
			struct errmsg *err)
{
	const bool is_taken = path && strcmp(path, "-") == 0;

	if (format == OUTPUT_TEXT || !(quiet || is_taken))
		return 0;
	return errmsg_set(err, "--format: ktap is a format of the text, and %s%s leaves that out",
			  quiet ? "--quiet" : option, quiet ? "" : " -");
}
