// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/json_report.h"
#include "report/sweep_json.h"
#include "report/sweep_resume.h"

/* Not known to whoever has only their counts is why. */
#define NOT_TOLD "they were not when the points that were kept were measured"

/* Of a value that is quoted. */
#define QUOTED 120

/* The first member in which two values differ, by path, and its values. */
struct difference {
	char path[96];
	const json_t *there;
	const json_t *here;
};

/* True, and where, if they differ. */
static bool differ(const json_t *there, const json_t *here, struct difference *difference)
{
	const size_t length = strlen(difference->path);
	const char *name;
	json_t *member;

	if (json_equal(there, here))
		return false;
	difference->there = there;
	difference->here = here;
	json_object_foreach((json_t *)(uintptr_t)here, name, member)
	{
		const json_t *other = json_object_get(there, name);

		if (json_equal(other, member))
			continue;
		snprintf(difference->path + length, sizeof(difference->path) - length, "%s%s",
			 length ? "." : "", name);
		return differ(other, member, difference);
	}
	return true;
}

static void quote(const json_t *value, char quoted[QUOTED])
{
	char *dump = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;

	if (dump && strlen(dump) >= QUOTED)
		snprintf(quoted, QUOTED, "%.*s...", QUOTED - 4, dump);
	else
		snprintf(quoted, QUOTED, "%s", dump ? dump : "nothing");
	free(dump);
}

static int refuse_difference(const struct difference *difference, const char *what,
			     struct errmsg *err)
{
	char there_text[QUOTED], here_text[QUOTED];

	quote(difference->there, there_text);
	quote(difference->here, here_text);
	return errmsg_set(err,
			  "it holds %s with another %s: %s there, %s here; remove it, or name "
			  "another file",
			  what, difference->path, there_text, here_text);
}

/* -1 with a sentence in *err if the interrupted sweep is another than this one. */
static int compare(const json_t *root, const struct sweep_config *config,
		   const struct machine *machine, struct errmsg *err)
{
	struct difference difference = {.path = ""};
	json_t *here = report_sweep_identity(config, machine);
	json_t *there = json_object();
	const char *name;
	json_t *member;
	int failed = 0;

	json_object_foreach(here, name, member)
		json_object_set(there, name, json_object_get(root, name));
	if (!here || !there) {
		failed = errmsg_set(err, "no memory for it");
	} else if (differ(there, here, &difference)) {
		failed = refuse_difference(&difference, "an interrupted sweep", err);
	}
	json_decref(here);
	json_decref(there);
	return failed;
}

/* The same of a complete one: whoever sweeps the same grid once more wants to see it anew. */
static int compare_grid(const json_t *root, const struct sweep_config *config,
			const struct machine *machine, struct errmsg *err)
{
	static const char *const axes[] = {"hz", "readers"};
	json_t *here = report_sweep_identity(config, machine);
	const json_t *config_here = json_object_get(here, "config");
	const json_t *config_there = json_object_get(root, "config");
	int failed = 0;

	for (size_t i = 0; i < ARRAY_SIZE(axes) && !failed; i++) {
		struct difference difference = {.path = ""};

		snprintf(difference.path, sizeof(difference.path), "config.%s", axes[i]);
		if (differ(json_object_get(config_there, axes[i]),
			   json_object_get(config_here, axes[i]), &difference))
			failed = refuse_difference(&difference, "a sweep", err);
	}
	json_decref(here);
	return failed;
}

static bool take_count(const json_t *object, const char *name, u64 *value)
{
	const json_t *member = json_object_get(object, name);

	if (!json_is_integer(member) || json_integer_value(member) < 0)
		return false;
	*value = (u64)json_integer_value(member);
	return true;
}

static bool take_number(const json_t *object, const char *name, double *value)
{
	const json_t *member = json_object_get(object, name);

	*value = json_number_value(member);
	return json_is_number(member) && *value >= 0;
}

/* null where none was known. */
static bool take_mean(const json_t *object, const char *name, double *mean, u64 *samples)
{
	*samples = !json_is_null(json_object_get(object, name));
	return !*samples || take_number(object, name, mean);
}

static bool take_state(const json_t *object, struct sweep_point *point)
{
	const char *name = json_string_value(json_object_get(object, "state"));
	const char *why = json_string_value(json_object_get(object, "why"));

	if (!name)
		return false;
	snprintf(point->why, sizeof(point->why), "%s", why ? why : "");
	for (point->state = SWEEP_DONE; point->state <= SWEEP_FAILED; point->state++)
		if (strcmp(name, swept_state_name(point->state)) == 0)
			return true;
	return false;
}

/* Older files have none: nobody looked. */
static bool take_stale(const json_t *object, struct sweep_point *point)
{
	return !json_object_get(object, "stale") || take_count(object, "stale", &point->stale);
}

static bool take_point(const json_t *object, struct sweep_point *point)
{
	u64 readers, runs;
	bool taken = take_state(object, point) && take_count(object, "hz", &point->hz) &&
		     take_count(object, "readers", &readers) && take_count(object, "runs", &runs) &&
		     take_number(object, "seconds", &point->seconds) &&
		     take_count(object, "updates", &point->updates) &&
		     take_number(object, "rate_hz", &point->rate_hz) &&
		     take_count(object, "reads", &point->reads) &&
		     take_count(object, "retried", &point->retried) &&
		     take_count(object, "waited", &point->waited) &&
		     take_count(object, "torn", &point->torn) && take_stale(object, point) &&
		     take_count(object, "backwards", &point->backwards) &&
		     take_mean(object, "read_ns", &point->read_ns, &point->read_samples) &&
		     take_mean(object, "hold_ns", &point->hold_ns, &point->hold_samples);

	if (!taken || point->waited > point->retried || point->retried > point->reads ||
	    readers > RUN_MAX_READERS || runs > UINT32_MAX)
		return false;
	point->readers = (u32)readers;
	point->runs = (u32)runs;
	return json_is_null(json_object_get(object, "off_cpu")) ||
	       take_count(object, "off_cpu", &point->off_cpu);
}

/* The point's place, if it is open. */
static struct sweep_point *find_open(struct sweep_result *result, const struct sweep_point *point)
{
	for (size_t i = 0; i < result->points; i++) {
		struct sweep_point *place = &result->point[i];

		if (place->state == SWEEP_OPEN && place->hz == point->hz &&
		    place->readers == point->readers)
			return place;
	}
	return NULL;
}

static int take_points(const json_t *root, struct sweep_result *result, struct errmsg *err)
{
	const json_t *points = json_object_get(root, "points");
	json_t *object;
	size_t i;

	json_array_foreach(points, i, object)
	{
		struct sweep_point point = {.hz = 0};
		struct sweep_point *place;

		place = take_point(object, &point) ? find_open(result, &point) : NULL;
		if (!place)
			return errmsg_set(err,
					  "it holds an interrupted sweep whose points[%zu] cannot "
					  "be right; remove it, or name another file",
					  i);
		if (point.state == SWEEP_FAILED)
			continue;
		*place = point;
		if (json_is_null(json_object_get(object, "off_cpu")))
			result->off_cpu_unavailable = NOT_TOLD;
		result->kept++;
	}
	return 0;
}

static void take_remarks(const json_t *root, struct remarks *remarks)
{
	const json_t *list = json_object_get(root, "remarks");
	json_t *object;
	size_t i;

	json_array_foreach(list, i, object) if (json_is_string(object))
		remark(remarks, "%s", json_string_value(object));
}

static bool is_sweep(const json_t *root)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));

	return schema && strcmp(schema, SWEEP_SCHEMA) == 0 &&
	       json_is_boolean(json_object_get(root, "complete"));
}

/*
 * Whoever opens the end of a pipe, or a terminal, may wait for ever, or take what others wait for.
 */
static bool is_file_with_something(const char *path)
{
	struct stat file;

	return !stat(path, &file) && S_ISREG(file.st_mode) && file.st_size > 0;
}

static void reopen(struct sweep_result *result)
{
	for (size_t i = 0; i < result->points; i++)
		result->point[i] = (struct sweep_point){.hz = result->point[i].hz,
							.readers = result->point[i].readers};
	result->kept = 0;
	result->off_cpu_unavailable = NULL;
}

/* Of an interrupted sweep; as report_sweep_resume, without the file's name in the sentence. */
static int take_interrupted(const json_t *root, const struct sweep_config *config,
			    struct sweep_result *result, struct errmsg *err)
{
	if (compare(root, config, &result->machine, err) || take_points(root, result, err)) {
		reopen(result);
		return -1;
	}
	take_remarks(root, &result->remarks);
	return (int)result->kept;
}

int report_sweep_resume(const char *path, const struct sweep_config *config,
			struct sweep_result *result, struct errmsg *err)
{
	struct errmsg why;
	json_t *root;
	int taken;

	if (!is_file_with_something(path))
		return 0;
	root = json_load_file(path, 0, NULL);
	if (!is_sweep(root))
		taken = errmsg_set(&why, "it holds something that is no sweep; remove it, or name "
					 "another file");
	else if (json_is_true(json_object_get(root, "complete")))
		taken = compare_grid(root, config, &result->machine, &why);
	else
		taken = take_interrupted(root, config, result, &why);
	json_decref(root);
	return taken < 0 ? errmsg_set(err, "'%.100s': %.390s", path, why.text) : taken;
}
