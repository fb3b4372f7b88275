// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "cli/spec_candidates.h"
#include "readers/compile.h"
#include "readers/readers.h"
#include "sim/clocksource.h"
#include "writers/writer.h"

static const char image[] = "image";
static const char image_file[] = "image:"; /* which a file's name follows */

static bool is_given(const char *keys, const char *key)
{
	const size_t length = strlen(key);

	while ((keys = strpbrk(keys, ":,")) != NULL)
		if (strncmp(++keys, key, length) == 0 && keys[length] == '=')
			return true;
	return false;
}

/* `keys` begins with the colon. */
static void offer_keys(struct candidates *candidates, const char *keys, const struct spec_key *key)
{
	const char *comma = strrchr(keys, ',');
	const char *last = comma ? comma + 1 : keys + 1;
	const char *equals = strchr(last, '=');

	candidates_go_on(candidates, equals ? equals + 1 : last);
	for (; key && key->name; key++) {
		if (!equals && !is_given(keys, key->name))
			candidates_offer(candidates, "%s=", key->name);
		else if (equals && strlen(key->name) == (size_t)(equals - last) &&
			 strncmp(key->name, last, (size_t)(equals - last)) == 0)
			candidates_offer_choices(candidates, key->choices);
	}
}

/* One that has keys may go on with them. */
static void offer_name(const struct candidates *candidates, const char *name, const char *fault,
		       const struct spec_key *keys)
{
	if (fault && !*candidates->begun)
		return;
	candidates_offer(candidates, "%s", name);
	if (keys && keys->name)
		candidates_offer(candidates, "%s:", name);
}

static void offer_recipe(struct candidates *candidates, const char *recipe)
{
	const char *comma = strrchr(recipe, ',');
	const char *last = comma ? comma + 1 : recipe + 1;
	const char *equals = strchr(last, '=');

	candidates_go_on(candidates, equals ? equals + 1 : last);
	if (!equals) {
		candidates_offer_choices(candidates, "cc=|cflags=|define=");
	} else if (strncmp(last, "cc=", 3) == 0) {
		candidates_offer_choices(candidates, "gcc|clang");
		if (strcmp(compile_default_cc, "gcc") != 0 &&
		    strcmp(compile_default_cc, "clang") != 0)
			candidates_offer(candidates, "%s", compile_default_cc);
	}
}

static bool is_named(const char *name, const char *spec, const char *colon)
{
	const size_t length = colon ? (size_t)(colon - spec) : strlen(spec);

	return strlen(name) == length && strncmp(name, spec, length) == 0;
}

static const struct spec_key *keys_of_reader(const char *spec, const char *colon)
{
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++)
		if (is_named((*kind)->name, spec, colon))
			return (*kind)->keys;
	return NULL;
}

static void offer_readers(struct candidates *candidates)
{
	for (const struct reader_kind *const *kind = reader_kinds; *kind; kind++) {
		if (strcmp((*kind)->name, image) == 0)
			candidates_offer_choices(candidates, "image:|image:host");
		else if (strchr((*kind)->name, '/'))
			candidates->files = true;
		else
			offer_name(candidates, (*kind)->name, (*kind)->fault, (*kind)->keys);
	}
}

void spec_candidates_image(struct candidates *candidates)
{
	candidates_offer(candidates, "host");
	candidates->files = true;
}

static bool is_image(const char *spec)
{
	return strncmp(spec, image_file, strlen(image_file)) == 0;
}

/* Where keys begin. Before that a file's name may have a colon in it: the last one counts. */
static const char *find_keys(const char *spec)
{
	if (is_image(spec))
		return strrchr(spec + strlen(image_file), ':');
	return strchr(spec, '/') ? strrchr(spec, ':') : strchr(spec, ':');
}

void spec_candidates_reader(struct candidates *candidates)
{
	const char *spec = candidates->begun;
	const char *colon = find_keys(spec);
	const char *recipe = strchr(spec, '@');
	const bool is_file = !is_image(spec) && strchr(spec, '/');

	if (recipe) {
		offer_recipe(candidates, recipe);
	} else if (colon) {
		offer_keys(candidates, colon,
			   is_file ? keys_of_reader("./FILE.c", NULL)
				   : keys_of_reader(spec, strchr(spec, ':')));
	} else if (is_image(spec)) {
		candidates_go_on(candidates, spec + strlen(image_file));
		spec_candidates_image(candidates);
	} else {
		offer_readers(candidates);
	}
}

void spec_candidates_writer(struct candidates *candidates)
{
	const char *spec = candidates->begun;
	const char *colon = strchr(spec, ':');

	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++) {
		if (!colon)
			offer_name(candidates, (*kind)->name, (*kind)->fault, (*kind)->keys);
		else if (is_named((*kind)->name, spec, colon))
			offer_keys(candidates, colon, (*kind)->keys);
	}
}

void spec_candidates_clocksource(struct candidates *candidates)
{
	const char *spec = candidates->begun;
	const char *colon = strchr(spec, ':');

	for (const struct clocksource *source = clocksources; source->name; source++) {
		if (!source->selectable)
			continue;
		if (!colon)
			offer_name(candidates, source->name, NULL, source->keys);
		else if (is_named(source->name, spec, colon))
			offer_keys(candidates, colon, source->keys);
	}
}

void spec_candidates_clocks(struct candidates *candidates)
{
	const char *comma = strrchr(candidates->begun, ',');

	if (comma)
		candidates_go_on(candidates, comma + 1);
	for (const struct spec_key *key = keys_of_reader(image, NULL); key && key->name; key++)
		if (strcmp(key->name, "clock") == 0)
			candidates_offer_choices(candidates, key->choices);
}
