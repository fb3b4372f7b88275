/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder in which compiled readers are kept: contend in XDG_CACHE_HOME, or in ~/.cache, or, for
 * users without a home, in /tmp, under their number and for them alone.
 */
#ifndef READERS_CACHE_H
#define READERS_CACHE_H

#include <limits.h>
#include <stddef.h>

#include "sim/errmsg.h"

struct cache_path {
	char text[PATH_MAX];
};

struct cache_file {
	void *bytes; /* malloc'ed; a zero follows them */
	size_t size;
};

/*
 * What the names of folders in it begin with that are of one compilation only. Those that nobody
 * has touched for an hour were left behind, by processes that were killed.
 */
#define CACHE_UNFINISHED   "unfinished-"
#define CACHE_UNFINISHED_S 3600

/*
 * Makes the folder if need be, and removes from it what was left behind. 0, or -1 with a sentence
 * in *err: there is no room for it, or others could write to it or put another in its place.
 */
int cache_open(struct cache_path *folder, struct errmsg *err);

/* A path in it, cut to nothing if it is too long. Thread-safe. */
struct cache_path cache_path(const struct cache_path *folder, const char *name);

/* Reads a whole file, which free(file->bytes) gives back. 0, or -1 with errno set. */
int cache_read(const char *path, struct cache_file *file);

/* Writes a whole file; others see all of it, or none. 0, or -1 with a sentence in *err. */
int cache_write(const char *path, const void *bytes, size_t size, struct errmsg *err);

/* Removes a folder and all that is in it. What cannot be removed is in nobody's way. */
void cache_remove(const char *path);

/* Writes the sources into a folder of it, once, and returns where. 0, or -1 and a sentence. */
int cache_write_sources(const struct cache_path *folder, struct cache_path *where,
			struct errmsg *err);

/* Fowler, Noll and Vo's hash (FNV-1a, 64 bits) of further bytes; begin with CACHE_HASH. */
#define CACHE_HASH 0xcbf29ce484222325ull
unsigned long long cache_hash(unsigned long long hash, const void *bytes, size_t size);

#endif /* READERS_CACHE_H */
