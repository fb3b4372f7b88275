// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Readers broken on purpose. Each path is the shipped source with one step replaced; see path/.
 */
#include "readers/kinds.h"

static const struct spec_key keys[] = {
	{"clock", CLOCK_CHOICES, "monotonic", "which clock to read"},
	{.name = NULL},
};

#define MUTANT(name_, text, symbol, fault_)                 \
	reader_fn symbol##_counted, symbol##_bare;          \
	extern const u8 symbol##_elf[], symbol##_elf_end[]; \
	const struct reader_kind symbol = {                 \
		.name = name_,                              \
		.summary = text,                            \
		.keys = keys,                               \
		.fault = fault_,                            \
		.source = "readers/path/" #symbol ".c",     \
		.counted = symbol##_counted,                \
		.bare = symbol##_bare,                      \
		.elf = symbol##_elf,                        \
		.elf_end = symbol##_elf_end,                \
	}

MUTANT("no-retry", "never looks whether the sequence changed", mutant_no_retry, "no retry check");
MUTANT("no-odd-check", "reads on although the sequence is odd", mutant_no_odd_check,
       "no odd check");
MUTANT("sequence-once", "reads the sequence once, after the data", mutant_sequence_once,
       "sequence read once only");
MUTANT("half-outside", "reads the base time before the section begins", mutant_half_outside,
       "half the fields read outside the section");
MUTANT("late-load", "loads the seconds after the recheck", mutant_late_load,
       "no barrier before the recheck: the compiler may do this");
MUTANT("no-begin-rmb", "nothing keeps the CPU from loading before the sequence",
       mutant_no_begin_rmb, "no CPU barrier after the sequence's first load; x86 needs none");
MUTANT("no-end-rmb", "nothing keeps the CPU from loading after the recheck", mutant_no_end_rmb,
       "no CPU barrier before the recheck; x86 needs none");
MUTANT("acquire-recheck", "the recheck loads with acquire, and there is no fence before it",
       mutant_acquire_recheck, "an acquire in place of the second barrier; x86 needs none");
MUTANT("acts-too-early", "makes use of what it read before the recheck: a mixture crashes it",
       mutant_acts_too_early, "what was read is used before it is known to be whole");
#if SIM_HAS_PVCLOCK
MUTANT("pvclock-version-ignored",
       "never looks at the version of the pvclock record; right with any other clock source",
       mutant_pvclock_version_ignored, "no version check");
#endif
