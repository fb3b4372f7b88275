// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/json_file.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/status.h"

static int cannot_write(const struct json_file *json, const char *why, struct errmsg *err)
{
	return errmsg_set(err, "%s: cannot write '%.200s': %s", json->option, json->path, why);
}

/* What is in the file is no result, and must not be taken for one. */
static void throw_away(struct json_file *json)
{
	if (json->created)
		unlink(json->path);
	else
		(void)!truncate(json->path, 0);
	json->created = false;
	signals_tidy_not(json->path);
}

static int open_stream(struct json_file *json, int descriptor, struct errmsg *err)
{
	int failed;

	json->file = fdopen(descriptor, "w");
	if (json->file)
		return 0;
	failed = cannot_write(json, strerror(errno), err);
	close(descriptor);
	json_file_abandon(json);
	return failed;
}

int json_file_open(struct json_file *json, const char *path, struct errmsg *err)
{
	return json_file_open_for(json, "--json", path, err);
}

int json_file_open_for(struct json_file *json, const char *option, const char *path,
		       struct errmsg *err)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	int descriptor;

	*json = (struct json_file){.option = option, .path = path};
	if (!path || strcmp(path, "-") == 0)
		return 0;
	descriptor = open(path, flags | O_EXCL, 0666);
	json->created = descriptor >= 0;
	if (descriptor < 0)
		descriptor = open(path, flags, 0666);
	if (descriptor < 0)
		return cannot_write(json, strerror(errno), err);
	if (json->created)
		signals_tidy(path);
	return open_stream(json, descriptor, err);
}

void json_file_empty(const struct json_file *json)
{
	if (json->file)
		(void)!ftruncate(fileno(json->file), 0);
}

bool json_file_is_stdout(const struct json_file *json)
{
	return json->path && !json->file;
}

/* 0, or the errno of what the file cannot be so long for. Where that cannot be told it is 0. */
static int find_room(int descriptor, size_t length)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && length > limit.rlim_cur)
		return EFBIG;
	if (!fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, (off_t)length))
		return 0;
	return errno == ENOSPC || errno == EDQUOT ? errno : 0;
}

/*
 * At once and without emptying it first, so that whoever ends the process leaves one or the other;
 * and if there is no room, what was there.
 */
static int overwrite(const struct json_file *json, const char *text, size_t length,
		     struct errmsg *err)
{
	const int descriptor = fileno(json->file);
	const int cause = find_room(descriptor, length);
	ssize_t written;

	if (cause)
		return cannot_write(json, strerror(cause), err);
	written = pwrite(descriptor, text, length, 0);
	if (written != (ssize_t)length || ftruncate(descriptor, (off_t)length))
		return cannot_write(json, written < 0 ? strerror(errno) : "there is no room", err);
	return 0;
}

static int report_over(const struct json_file *json, json_file_fn *report, const void *result,
		       struct errmsg *err)
{
	char *text = NULL;
	size_t length;
	FILE *memory = open_memstream(&text, &length);
	int failed;

	if (!memory)
		return cannot_write(json, strerror(errno), err);
	failed = report(memory, result, err);
	fclose(memory);
	if (!failed)
		failed = overwrite(json, text, length, err);
	free(text);
	return failed;
}

int json_file_keep(struct json_file *json, json_file_fn *report, const void *result,
		   struct errmsg *err)
{
	struct stat file;
	int failed;

	if (!json->file || fstat(fileno(json->file), &file) || !S_ISREG(file.st_mode))
		return 0;
	failed = report_over(json, report, result, err);
	json->kept |= !failed;
	if (json->kept)
		signals_tidy_not(json->path);
	return failed;
}

static int report_anew(const struct json_file *json, json_file_fn *report, const void *result,
		       struct errmsg *err)
{
	struct errmsg why;

	/* Of what was there nothing may stay behind a shorter result. */
	json_file_empty(json);
	return report(json->file, result, &why) ? cannot_write(json, why.text, err) : 0;
}

/* What was kept is not lost for what could not be added to it. */
static int write_file(struct json_file *json, json_file_fn *report, const void *result,
		      struct errmsg *err)
{
	int failed = (json->kept ? report_over : report_anew)(json, report, result, err);

	/* Some file systems say only now that there was no room. */
	if (fclose(json->file) && !failed)
		failed = cannot_write(json, strerror(errno), err);
	json->file = NULL;
	if (failed && !json->kept)
		throw_away(json);
	signals_tidy_not(json->path);
	return failed;
}

int json_file_write(struct json_file *json, json_file_fn *report, const void *result,
		    struct errmsg *err)
{
	int failed;

	if (!json->path)
		return 0;
	if (json->file)
		return write_file(json, report, result, err);
	failed = report(stdout, result, err);
	return ferror(stdout) ? 0 : failed;
}

int json_file_report(struct json_file *json, json_file_fn *report, const void *result, int status)
{
	struct errmsg err;

	if (!json_file_write(json, report, result, &err))
		return status;
	usage_complain(&err);
	return status ? status : (int)STATUS_USAGE;
}

void json_file_abandon(struct json_file *json)
{
	if (json->file)
		fclose(json->file);
	if (json->created)
		throw_away(json);
	*json = (struct json_file){.path = NULL};
}
