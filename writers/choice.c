// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/value.h"
#include "writers/kinds.h"

enum type {
	COUNT,
	DURATION,
	DURATION_OR_FOREVER,
	CHOICE, /* the number of the word among those of the key */
};

static const struct parameter {
	const char *key;
	enum type type;
	u64 least, most;
} parameters[WRITER_PARAMETERS] = {
	[WRITER_HOLD] = {"hold", DURATION, 0, WRITER_MAX_HOLD_NS},
	[WRITER_JITTER] = {"jitter", DURATION, 0, NSEC_PER_SEC},
	[WRITER_ARRIVALS] = {"arrivals", CHOICE, 0, 0},
	[WRITER_NOHZ] = {"nohz", DURATION, 0, 10ull * NSEC_PER_SEC},
	[WRITER_PPM] = {"ppm", COUNT, 0, TIMEKEEPER_MAX_PPB / 1000},
	[WRITER_EVERY] = {"every", DURATION, 1000, 3600ull * NSEC_PER_SEC},
	[WRITER_BY] = {"by", DURATION, 1, 366ull * 86400 * NSEC_PER_SEC},
	[WRITER_TOWARDS] = {"towards", CHOICE, 0, 0},
	[WRITER_FOR] = {"for", DURATION_OR_FOREVER, 1000, NSEC_PER_SEC},
	[WRITER_ASLEEP] = {"asleep", DURATION, 0, 366ull * 86400 * NSEC_PER_SEC},
	[WRITER_BURST] = {"burst", COUNT, 0, 1000000},
	[WRITER_COUNTERS] = {"counters", CHOICE, 0, 0},
};

#define POINT_TO(kind) &kind,
const struct writer_kind *const writer_kinds[] = {WRITER_KINDS(POINT_TO) NULL};

static const struct writer_kind *find_kind(const char *name, struct errmsg *err)
{
	char known[256] = "";
	size_t used = 0;

	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++) {
		if (strcmp((*kind)->name, name) == 0)
			return *kind;
		if (!(*kind)->fault && used < sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
						 used ? ", " : "", (*kind)->name);
	}
	errmsg_set(err, "there is no writer '%s': there is %s", name, known);
	return NULL;
}

static u64 choice_number(const char *text, const char *choices)
{
	u64 number = 0;

	for (; strncmp(choices, text, strlen(text)) != 0 ||
	       (choices[strlen(text)] && choices[strlen(text)] != '|');
	     choices = strchr(choices, '|') + 1)
		number++;
	return number;
}

/* The value is one of the key's, if it has choices: spec_check has seen to that. */
static int parse_value(const struct parameter *parameter, const struct spec_key *key,
		       const char *text, u64 *value, struct errmsg *err)
{
	switch (parameter->type) {
	case COUNT:
		return parse_count(text, parameter->least, parameter->most, value, err);
	case DURATION_OR_FOREVER:
		if (strcmp(text, "forever") == 0) {
			*value = WRITER_FOREVER;
			return 0;
		}
		__attribute__((fallthrough));
	case DURATION:
		return parse_duration(text, parameter->least, parameter->most, value, err);
	case CHOICE:
		*value = choice_number(text, key->choices);
		return 0;
	}
	return 0;
}

static const struct spec_key *find_key(const struct writer_kind *kind, const char *name)
{
	for (const struct spec_key *key = kind->keys; key->name; key++)
		if (strcmp(key->name, name) == 0)
			return key;
	return NULL;
}

static int take_parameters(const struct spec *spec, struct writer_choice *choice,
			   struct errmsg *err)
{
	struct errmsg why;

	for (int i = 0; i < WRITER_PARAMETERS; i++) {
		const struct parameter *parameter = &parameters[i];
		const struct spec_key *key = find_key(choice->kind, parameter->key);

		if (key && parse_value(parameter, key,
				       spec_value(spec, choice->kind->keys, parameter->key),
				       &choice->value[i], &why))
			return errmsg_set(err, "writer '%s': %s: %s", spec->name, parameter->key,
					  why.text);
	}
	return 0;
}

int writer_resolve(const char *text, struct writer_choice *choice, struct errmsg *err)
{
	const char *hz;
	struct errmsg why;
	struct spec spec;

	*choice = (struct writer_choice){.hz = 0};
	if (spec_parse(text, &spec, err))
		return -1;
	strcpy(choice->spec, text);
	choice->kind = find_kind(spec.name, err);
	if (!choice->kind || spec_check(&spec, choice->kind->keys, "writer", err))
		return -1;
	hz = spec_given(&spec, "hz");
	if (hz && parse_count(hz, WRITER_MIN_HZ, WRITER_MAX_HZ, &choice->hz, &why))
		return errmsg_set(err, "writer '%s': hz: %s", spec.name, why.text);
	if (take_parameters(&spec, choice, err))
		return -1;
	if (choice->kind->check && choice->kind->check(choice, &why))
		return errmsg_set(err, "writer '%s': %s", spec.name, why.text);
	return 0;
}

bool writer_has_rate(const struct writer_kind *kind)
{
	return find_key(kind, "hz") != NULL;
}

bool writer_is_endless(const struct writer_choice *choice)
{
	return find_key(choice->kind, "burst") && !choice->value[WRITER_BURST];
}

double writer_rate_hz(const struct writer_choice *choice, u64 hz)
{
	if (!writer_has_rate(choice->kind))
		return pace_rate_hz(0, choice->value[WRITER_EVERY]);
	if (writer_is_endless(choice))
		return pace_rate_hz(0, 0);
	return pace_rate_hz(hz, 0) *
	       (choice->value[WRITER_BURST] ? (double)choice->value[WRITER_BURST] : 1);
}

double writer_wakes_hz(const struct writer_choice *choice, u64 hz)
{
	const double updates = writer_rate_hz(choice, hz);

	return writer_has_rate(choice->kind) && !isinf(updates) ? (double)hz : updates;
}

/* Of updates that follow at once each takes this, on a fast machine. */
#define BURST_UPDATE_NS 100

double writer_busy_share(const struct writer_choice *choice, u64 hz)
{
	const double updates = writer_rate_hz(choice, hz);

	if (isinf(updates))
		return updates;
	return (PACE_WAKE_EARLY_NS * writer_wakes_hz(choice, hz) +
		(double)choice->value[WRITER_HOLD] * updates +
		(choice->value[WRITER_BURST] ? BURST_UPDATE_NS * updates : 0)) /
	       NSEC_PER_SEC;
}
