/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a kind names what the build has made of a lock's source: of readers/lock/NAME.c, which stands
 * by itself, or of readers/library/NAME.c, which calls a library.
 */
#ifndef READERS_LOCK_SOURCE_H
#define READERS_LOCK_SOURCE_H

#include "readers/kinds.h"

#define LOCK_CLOCK_KEY                                                                         \
	{                                                                                      \
		"clock", "realtime|monotonic|boottime|tai", "monotonic", "which clock to read" \
	}

#define LOCK_DECLARE(name)                                   \
	reader_fn lock_##name##_counted, lock_##name##_bare; \
	lock_publish_fn lock_##name##_publish;
#define LOCK_DECLARE_ALONE(name) \
	LOCK_DECLARE(name)       \
	extern const u8 lock_##name##_elf[], lock_##name##_elf_end[];

/* Fields of a struct lock_source. */
#define LOCK_PATHS(name)   .counted = lock_##name##_counted, .bare = lock_##name##_bare
#define LOCK_LIBRARY(name) LOCK_PATHS(name), .library = "readers/library/" #name ".c"
#define LOCK_ALONE(name)                                                                  \
	LOCK_PATHS(name), .source = "readers/lock/" #name ".c", .elf = lock_##name##_elf, \
			  .elf_end = lock_##name##_elf_end,                               \
			  .operations = {.publish = lock_##name##_publish}

/* Of readers/library/FILE.c, whose functions for threads have another name. */
#define RCU_DECLARE(file, name)                         \
	LOCK_DECLARE(file)                              \
	void name##_enlist(void), name##_quiesce(void); \
	void name##_leave(void), name##_destroy(void *shared);
#define RCU_PATHS(file, name)                                     \
	LOCK_LIBRARY(file),                                       \
		.operations =                                     \
			{                                         \
				.publish = lock_##file##_publish, \
				.enlist = name##_enlist,          \
				.quiesce = name##_quiesce,        \
				.leave = name##_leave,            \
				.destroy = name##_destroy,        \
	},                                                        \
		.no_retries =                                     \
			"an RCU reader has no retries: what it has been led to does not change"

#endif /* READERS_LOCK_SOURCE_H */
