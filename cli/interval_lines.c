// SPDX-License-Identifier: GPL-2.0-or-later
#include <unistd.h>

#include "cli/interval_lines.h"
#include "report/intervals_text.h"

#define LINES_TO_A_HEAD 20

void interval_lines_start(struct interval_lines *lines, FILE *out)
{
	*lines = (struct interval_lines){
		.out = out,
		.on_terminal = out && isatty(fileno(out)),
	};
}

void interval_lines_print(struct interval_lines *lines, const struct run_interval *interval)
{
	const u64 to_a_head = lines->on_terminal ? LINES_TO_A_HEAD : UINT64_MAX;

	if (!lines->out)
		return;
	if (lines->printed++ % to_a_head == 0)
		report_interval_head(lines->out);
	report_interval_line(lines->out, interval);
	fflush(lines->out);
}

void interval_lines_end(struct interval_lines *lines)
{
	if (!lines->printed)
		return;
	fputc('\n', lines->out);
	fflush(lines->out);
}
