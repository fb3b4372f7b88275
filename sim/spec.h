/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * name[:key=value,...], the way a user names a reader or a writer.
 */
#ifndef SIM_SPEC_H
#define SIM_SPEC_H

#include "sim/errmsg.h"

#define SPEC_MAX_PAIRS 16
#define SPEC_MAX_TEXT  256

struct spec_key {
	const char *name;
	const char *choices; /* "one|two|three", or NULL: any text, checked by whoever takes it */
	const char *default_value;
	const char *summary;
};

/* The strings point into `store`: a spec may be copied only by spec_parse. */
struct spec {
	const char *name;
	int pairs;
	struct {
		const char *key;
		const char *value;
	} pair[SPEC_MAX_PAIRS];
	char store[SPEC_MAX_TEXT];
};

/*
 * Takes `text` apart. No name, an empty key or value, a key twice, more than SPEC_MAX_PAIRS keys
 * or SPEC_MAX_TEXT - 1 characters: -1 and a sentence in *err.
 */
int spec_parse(const char *text, struct spec *spec, struct errmsg *err);

/*
 * For names that may hold whatever a file's name may: where in `text` the keys begin, at the last
 * colon that key= follows; the end of the text if there are none.
 */
const char *spec_find_keys(const char *text);

/* Takes those keys apart, what spec_find_keys returned, as if `name` stood before them. */
int spec_parse_keys(const char *name, const char *keys, struct spec *spec, struct errmsg *err);

/*
 * Holds a parsed spec against the keys that its kind has (a table ended by an entry without a
 * name): an unknown key or a value outside the choices gives -1 and a sentence that lists what
 * would be right. `what` is "reader" or "writer".
 */
int spec_check(const struct spec *spec, const struct spec_key *keys, const char *what,
	       struct errmsg *err);

/* The value given for a key, NULL if none was. */
const char *spec_given(const struct spec *spec, const char *key);

/* The value given for a key of the table, or its default; NULL if the table has no such key. */
const char *spec_value(const struct spec *spec, const struct spec_key *keys, const char *name);

/* Whether `value` is one of "one|two|three". */
int spec_is_choice(const char *value, const char *choices);

#endif /* SIM_SPEC_H */
