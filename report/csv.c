// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/csv.h"

void csv_count(FILE *out, bool known, u64 value)
{
	if (known)
		fprintf(out, "%llu", (unsigned long long)value);
	fputc(',', out);
}

void csv_number(FILE *out, bool known, double value)
{
	if (known && isfinite(value))
		fprintf(out, "%.10g", value);
	fputc(',', out);
}

int csv_end(FILE *out, struct errmsg *err)
{
	if (fflush(out) || ferror(out))
		return errmsg_set(err, "%s", errno ? strerror(errno) : "it could not be written");
	return 0;
}
