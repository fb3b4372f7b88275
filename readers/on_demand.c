// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "readers/on_demand.h"
#include "readers/trial.h"

void on_demand_name(const struct recipe *recipe, struct reader *reader)
{
	size_t used = strlen(reader->variation);

	if (!recipe->given)
		return;
	used += (size_t)snprintf(reader->variation + used, sizeof(reader->variation) - used,
				 " @%s%s%s", recipe->cc ? recipe->cc : compile_default_cc,
				 recipe->cflags ? " " : "", recipe->cflags ? recipe->cflags : "");
	for (int i = 0; i < recipe->defines && used < sizeof(reader->variation); i++)
		used += (size_t)snprintf(reader->variation + used, sizeof(reader->variation) - used,
					 " %s", recipe->define[i]);
}

static int compile_path(struct compile_job *job, bool counted, struct machine_code *code,
			struct placement *placement, struct errmsg *err)
{
	job->counted = counted;
	return compile_reader(job, code, err) || placement_make(placement, code, 0, err) ? -1 : 0;
}

/* A lock's second entry is placed as a reader is, and called as what it is. */
static int compile_publisher(struct compile_job *job, struct reader *reader, struct errmsg *err)
{
	int failed;

	job->part = "LOCK_PUBLISHES";
	failed = compile_path(job, false, &reader->publish_code, &reader->publish_placement, err);
	job->part = NULL;
	reader->lock = (struct lock_operations){
		.publish = (lock_publish_fn *)(uintptr_t)reader->publish_placement.entry,
	};
	return failed;
}

int on_demand_compile(struct compile_job *job, struct reader *reader, struct errmsg *err)
{
	struct errmsg why;

	if (!compile_path(job, true, &reader->counted_code, &reader->counted_placement, &why) &&
	    !compile_path(job, false, &reader->code, &reader->bare_placement, &why) &&
	    (!reader->code.is_lock || !compile_publisher(job, reader, &why))) {
		reader->counted = reader->counted_placement.entry;
		reader->bare = reader->bare_placement.entry;
		return 0;
	}
	if (!job->recipe->given)
		return errmsg_set(err, "reader '%.100s': %.390s", reader->path, why.text);
	return errmsg_set(err, "reader '%.100s' (%.100s): %.280s", reader->path, reader->variation,
			  why.text);
}

int on_demand_make(struct compile_job *job, struct reader *reader, struct errmsg *err)
{
	return on_demand_compile(job, reader, err) || trial_run(reader, err) ? -1 : 0;
}
