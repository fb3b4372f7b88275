// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/drawing.h"
#include "cli/signals.h"

void drawing_start(struct drawing *drawing, const struct json_file *json, u64 length_ns, bool quiet)
{
	*drawing = (struct drawing){.json = json};
	progress_start(&drawing->progress, length_ns, quiet);
}

void drawing_draw(double share_done, double seconds_left, const char *figures, void *context)
{
	struct drawing *drawing = context;

	/* Before the file is emptied: a signal between the two would leave neither old nor new. */
	signals_keep_result();
	if (!drawing->drawn)
		json_file_empty(drawing->json);
	drawing->drawn = true;
	progress_draw(share_done, seconds_left, figures, &drawing->progress);
}

void drawing_end(struct drawing *drawing)
{
	progress_end(&drawing->progress);
}
