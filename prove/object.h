/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source that was compiled to be explored, loaded into this process.
 */
#ifndef PROVE_OBJECT_H
#define PROVE_OBJECT_H

#include "prove/calls.h"
#include "readers/compile.h"
#include "readers/lines.h"

struct object {
	void *elf; /* the file, malloc'ed */
	size_t elf_bytes;
	int fd;	      /* of the file that was loaded, by whose name dlopen knows it; -1: none */
	void *handle; /* dlopen's; NULL: there is none */
	const u8 *base;
	size_t bytes; /* that it takes from there */
	struct prove_head *head;
	struct lines *lines;
	bool is_lock; /* its source ends with LOCK */
};

/*
 * Compiles the job, which is to be one to be explored, and loads what comes of it. 0, and the
 * caller owns *object until object_release; or -1 with a sentence in *err: it cannot be compiled
 * so; it calls what cannot be explored; it has variables; it orders memory by assembly, or calls
 * the system by it. Nothing of it is run but what it says is run when it is loaded.
 */
int object_make(struct compile_job *job, struct object *object, struct errmsg *err);
void object_release(struct object *object);

/*
 * Whether the object's code is there, and where in its source: of what headers of ours do for it,
 * where it calls them.
 */
bool object_has(const struct object *object, const void *site);
struct lines_place object_place(const struct object *object, const void *site);

#endif /* PROVE_OBJECT_H */
