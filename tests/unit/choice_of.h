/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writer that a spec names, for tests. To be included behind cmocka.h.
 */
#ifndef TESTS_UNIT_CHOICE_OF_H
#define TESTS_UNIT_CHOICE_OF_H

#include "writers/choice.h"

/* With the spec's own hz, 0 if it says none; a spec that is refused fails the test. */
static inline struct writer_choice choice_of(const char *spec)
{
	struct writer_choice choice;
	struct errmsg err;

	if (writer_resolve(spec, &choice, &err))
		fail_msg("'%s' refused: %s", spec, err.text);
	return choice;
}

#endif /* TESTS_UNIT_CHOICE_OF_H */
