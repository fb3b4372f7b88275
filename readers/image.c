// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readers/image.h"
#include "readers/kinds.h"

#define CALL_CHOICES "clock_gettime|gettimeofday|time|clock_getres"

static const struct spec_key keys[] = {
	{"clock", CLOCK_CHOICES, "monotonic", "which clock to read"},
	{"call", CALL_CHOICES, "clock_gettime",
	 "which of the image's functions; gettimeofday and time know no clock but realtime"},
	{"namespace", "no|yes", "no", "whether it is given the pages of a time namespace"},
	{.name = NULL},
};

const struct reader_kind reader_image = {
	.name = "image",
	.summary = "a vDSO image's own code, image:host or image:FILE, which is RUN as it is",
	.keys = keys,
};

static enum vdso_call call_by_name(const char *name)
{
	static const char *const names[VDSO_CALLS] = {
		[VDSO_CLOCK_GETTIME] = "clock_gettime",
		[VDSO_GETTIMEOFDAY] = "gettimeofday",
		[VDSO_TIME] = "time",
		[VDSO_CLOCK_GETRES] = "clock_getres",
	};
	int call = 0;

	while (strcmp(names[call], name) != 0)
		call++;
	return (enum vdso_call)call;
}

/* gettimeofday and time answer for one clock only. */
static int choose_clock(const struct spec *spec, struct reader *reader, struct errmsg *err)
{
	const char *call = spec_value(spec, keys, "call");
	const char *given = spec_given(spec, "clock");

	reader->call = call_by_name(call);
	if (reader->call == VDSO_CLOCK_GETTIME || reader->call == VDSO_CLOCK_GETRES) {
		reader->clock = clock_by_name(spec_value(spec, keys, "clock"));
		return 0;
	}
	reader->clock = CLOCK_REALTIME;
	if (!given || strcmp(given, "realtime") == 0)
		return 0;
	return errmsg_set(err, "reader 'image': call=%s has no clock=%s: it tells realtime", call,
			  given);
}

static void name_reader(const char *call, struct reader *reader)
{
	const struct vdso_image *image = reader->image;
	const char *slash = strrchr(image->name, '/');
	bool plain = reader->call == VDSO_CLOCK_GETTIME;

	snprintf(reader->path, sizeof(reader->path), "image:%.80s/%s%s%s",
		 slash ? slash + 1 : image->name, clock_name(reader->clock), plain ? "" : " ",
		 plain ? "" : call);
	snprintf(reader->variation, sizeof(reader->variation), "page of %s%s",
		 image->wants.layout->name, reader->in_namespace ? ", in a time namespace" : "");
}

static int open_image(const char *name, struct reader *reader, struct errmsg *err)
{
	reader->image = malloc(sizeof(*reader->image));
	if (!reader->image)
		return errmsg_set(err, "no memory for the image");
	if (vdso_image_open(reader->image, name, err)) {
		free(reader->image);
		reader->image = NULL;
		return -1;
	}
	if (reader->image->function[reader->call] < 0)
		return errmsg_set(err, "image:%s: it has no %s", name,
				  vdso_call_name(reader->call));
	if (reader->in_namespace && !reader->image->wants.has_namespace)
		return errmsg_set(err, "image:%s: its code knows no time namespaces", name);
	return 0;
}

int reader_resolve_image(const char *text, struct reader *reader, struct errmsg *err)
{
	const char *given = text + strlen(READER_IMAGE_PREFIX);
	const char *key_part = spec_find_keys(given);
	char name[256];
	struct spec spec;

	*reader = (struct reader){.kind = &reader_image};
	if (key_part == given || (size_t)(key_part - given) >= sizeof(name))
		return errmsg_set(err,
				  "'%.60s': an image is wanted, image:host or image:FILE, its name "
				  "of at most %zu characters",
				  text, sizeof(name) - 1);
	snprintf(name, sizeof(name), "%.*s", (int)(key_part - given), given);
	if (spec_parse_keys("image", key_part, &spec, err) ||
	    spec_check(&spec, keys, "reader", err) || choose_clock(&spec, reader, err))
		return -1;
	reader->in_namespace = strcmp(spec_value(&spec, keys, "namespace"), "yes") == 0;
	reader->uses_counter = reader->call != VDSO_TIME && reader->call != VDSO_CLOCK_GETRES &&
			       !clock_is_coarse(reader->clock);
	if (open_image(name, reader, err)) {
		reader_release(reader);
		return -1;
	}
	reader->layout = reader->image->wants.layout;
	reader->data_offset = reader->image->wants.data_offset;
	name_reader(spec_value(&spec, keys, "call"), reader);
	return 0;
}
