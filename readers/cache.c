// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "readers/cache.h"
#include "readers/sources.h"

static int make_folder(const char *path)
{
	return mkdir(path, 0700) && errno != EEXIST ? -1 : 0;
}

/* Every folder on the way to the file. */
static int make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int failed;

		*slash = '\0';
		failed = make_folder(path);
		*slash = '/';
		if (failed)
			return -1;
	}
	return 0;
}

/* The system's folders are of whoever owns the root: in some namespaces that is not user 0. */
static bool is_trusted(uid_t owner)
{
	struct stat root;

	return owner == geteuid() || owner == 0 || (stat("/", &root) == 0 && owner == root.st_uid);
}

/* Nobody else can put another thing in the place of what it holds, or of where it leads. */
static bool is_safe_parent(const struct stat *state)
{
	const bool is_shared = !S_ISLNK(state->st_mode) && state->st_mode & (S_IWGRP | S_IWOTH);

	return is_trusted(state->st_uid) && (!is_shared || state->st_mode & S_ISVTX);
}

static int check_parents(const char *path, struct errmsg *err)
{
	struct cache_path parent;
	struct stat state;

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		const int length = slash == path ? 1 : (int)(slash - path);

		snprintf(parent.text, sizeof(parent.text), "%.*s", length, path);
		if (lstat(parent.text, &state))
			return errmsg_set(err, "%.200s: %s", parent.text, strerror(errno));
		if (!is_safe_parent(&state))
			return errmsg_set(err,
					  "%.200s can be changed by other users, so that code of "
					  "theirs would be run from %.200s: set XDG_CACHE_HOME to "
					  "a folder of this user's alone",
					  parent.text, path);
	}
	return 0;
}

/* It must be ours alone, and so must be the way to it, as it is called and as it is. */
static int check_ours(const char *path, struct errmsg *err)
{
	char real[PATH_MAX];
	struct stat state;

	if (lstat(path, &state) || !realpath(path, real))
		return errmsg_set(err, "%.200s: %s", path, strerror(errno));
	if (S_ISLNK(state.st_mode))
		return errmsg_set(err,
				  "%.200s is a symbolic link, where code is run from it must be "
				  "a folder: XDG_CACHE_HOME may name another place",
				  path);
	if (!S_ISDIR(state.st_mode) || state.st_uid != geteuid() ||
	    state.st_mode & (S_IWGRP | S_IWOTH))
		return errmsg_set(err, "%.200s is not this user's alone: code is run from there",
				  path);
	return check_parents(path, err) || check_parents(real, err) ? -1 : 0;
}

static int remove_one(const char *path, const struct stat *state, int kind, struct FTW *at)
{
	(void)state;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

void cache_remove(const char *path)
{
	nftw(path, remove_one, 4, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void sweep(const struct cache_path *folder)
{
	DIR *entries = opendir(folder->text);
	struct dirent *entry;
	struct stat state;

	while (entries && (entry = readdir(entries))) {
		struct cache_path path = cache_path(folder, entry->d_name);

		if (strncmp(entry->d_name, CACHE_UNFINISHED, strlen(CACHE_UNFINISHED)) == 0 &&
		    lstat(path.text, &state) == 0 &&
		    time(NULL) - state.st_mtime > CACHE_UNFINISHED_S)
			cache_remove(path.text);
	}
	if (entries)
		closedir(entries);
}

int cache_open(struct cache_path *folder, struct errmsg *err)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int length;

	if (cache && cache[0] == '/')
		length = snprintf(folder->text, sizeof(folder->text), "%s/contend/", cache);
	else if (home && home[0] == '/' && home[1])
		length = snprintf(folder->text, sizeof(folder->text), "%s/.cache/contend/", home);
	else
		length = snprintf(folder->text, sizeof(folder->text), "/tmp/contend-%u/",
				  (unsigned int)geteuid());
	if (length >= (int)sizeof(folder->text) / 2)
		return errmsg_set(err, "the name of the cache's folder is too long");
	if (make_folders(folder->text) || access(folder->text, R_OK | W_OK | X_OK))
		return errmsg_set(err,
				  "compiled readers cannot be kept in %.200s: %s; set "
				  "XDG_CACHE_HOME to a folder that can be written to",
				  folder->text, strerror(errno));
	folder->text[length - 1] = '\0';
	if (check_ours(folder->text, err))
		return -1;
	sweep(folder);
	return 0;
}

struct cache_path cache_path(const struct cache_path *folder, const char *name)
{
	struct cache_path path;

	if (snprintf(path.text, sizeof(path.text), "%s/%s", folder->text, name) >=
	    (int)sizeof(path.text))
		path.text[0] = '\0';
	return path;
}

int cache_read(const char *path, struct cache_file *file)
{
	FILE *in = fopen(path, "re");
	struct stat state;
	int cause = 0;

	*file = (struct cache_file){.bytes = NULL};
	if (!in)
		return -1;
	errno = 0;
	if (fstat(fileno(in), &state) || !(file->bytes = malloc((size_t)state.st_size + 1)) ||
	    fread(file->bytes, 1, (size_t)state.st_size, in) != (size_t)state.st_size)
		cause = errno ? errno : EIO;
	fclose(in);
	if (!cause) {
		file->size = (size_t)state.st_size;
		((char *)file->bytes)[file->size] = '\0';
		return 0;
	}
	free(file->bytes);
	*file = (struct cache_file){.bytes = NULL};
	errno = cause;
	return -1;
}

int cache_write(const char *path, const void *bytes, size_t size, struct errmsg *err)
{
	char unfinished[PATH_MAX];
	int descriptor = -1;
	FILE *out;

	if (snprintf(unfinished, sizeof(unfinished), "%s.XXXXXX", path) < (int)sizeof(unfinished))
		descriptor = mkostemp(unfinished, O_CLOEXEC);
	out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	if (out) {
		bool written = fwrite(bytes, 1, size, out) == size;

		if (fclose(out) == 0 && written && rename(unfinished, path) == 0)
			return 0;
	}
	errmsg_set(err, "cannot write %.300s: %s", path, strerror(errno));
	if (descriptor >= 0)
		unlink(unfinished);
	return -1;
}

unsigned long long cache_hash(unsigned long long hash, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3ull;
	return hash;
}

static bool is_written(const char *path, const struct source *source)
{
	const size_t size = (size_t)(source->end - source->begin);
	struct cache_file file;
	bool same;

	if (cache_read(path, &file))
		return false;
	same = file.size == size && memcmp(file.bytes, source->begin, size) == 0;
	free(file.bytes);
	return same;
}

int cache_write_sources(const struct cache_path *folder, struct cache_path *where,
			struct errmsg *err)
{
	unsigned long long hash = CACHE_HASH;
	char name[64];

	for (const struct source *source = sources; source->path; source++)
		hash = cache_hash(hash, source->begin, (size_t)(source->end - source->begin));
	snprintf(name, sizeof(name), "sources-%016llx", hash);
	*where = cache_path(folder, name);
	for (const struct source *source = sources; source->path; source++) {
		struct cache_path path = cache_path(where, source->path);

		if (is_written(path.text, source))
			continue;
		if (make_folders(path.text))
			return errmsg_set(err, "cannot make the folder of %.300s: %s", path.text,
					  strerror(errno));
		if (cache_write(path.text, source->begin, (size_t)(source->end - source->begin),
				err))
			return -1;
	}
	return 0;
}
