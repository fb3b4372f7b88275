// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "measure/field.h"
#include "measure/host_vdso.h"

static struct contestant *enter(struct field *field, enum contestant_kind kind, const char *name)
{
	struct contestant *contestant = &field->contestant[field->count++];

	*contestant = (struct contestant){.kind = kind};
	snprintf(contestant->name, sizeof(contestant->name), "%.63s", name);
	return contestant;
}

/* Finds the kernel's page, as the code of its own image wants it. */
static int open_mirror(struct field *field, struct errmsg *err)
{
	struct host_page host;

	if (vdso_image_open(&field->host_image, "host", err))
		return -1;
	field->has_host_image = true;
	if (host_page_find(&field->host_image, &host, err))
		return -1;
	if (mirror_open(&field->mirror, &host, err)) {
		mirror_close(&field->mirror);
		return -1;
	}
	field->has_mirror = true;
	return 0;
}

static int attach(struct field *field, struct vdso_image *image, struct contestant *contestant,
		  struct errmsg *err)
{
	const struct page_region *region;

	if (!field->has_mirror)
		return errmsg_set(err, "%s", field->no_mirror.text);
	region = mirror_add(&field->mirror, image->wants.layout, image->wants.data_offset, err);
	contestant->layout = image->wants.layout;
	if (!region || vdso_image_attach(image, region, mirror_in_namespace(&field->mirror), err))
		return -1;
	*(void **)&contestant->call = vdso_image_function(image, VDSO_CLOCK_GETTIME);
	return 0;
}

static int set_up_reader(struct field *field, struct contestant *contestant, struct errmsg *err)
{
	const struct page_region *region;
	struct reader reader;

	if (!field->has_mirror)
		return errmsg_set(err, "%s", field->no_mirror.text);
	/* Which path a clock takes is found in the read, as it is in the kernel's. */
	if (reader_resolve(mirror_in_namespace(&field->mirror) ? "timens" : "hres", &reader, err))
		return -1;
	region = mirror_add(&field->mirror, &page_layout_current, page_layout_current.data_offset,
			    err);
	if (!region)
		return -1;
	contestant->read = reader.bare;
	contestant->page = mirror_page(&field->mirror, region);
	contestant->layout = region->layout;
	reader_release(&reader);
	return 0;
}

/* Those that are always there, whatever they can do. */
static void enter_usual(struct field *field)
{
	struct contestant *contestant;

	contestant = enter(field, CONTESTANT_READER, "our reader");
	set_up_reader(field, contestant, &contestant->unavailable);
	contestant = enter(field, CONTESTANT_IMAGE, "image:host");
	attach(field, &field->host_image, contestant, &contestant->unavailable);
	contestant = enter(field, CONTESTANT_HOST, "host's vDSO");
	contestant->call = host_vdso_clock_gettime();
	if (!contestant->call)
		errmsg_set(&contestant->unavailable, "this process has no vDSO with clock_gettime");
	contestant = enter(field, CONTESTANT_LIBC, "glibc");
	contestant->call = clock_gettime;
	enter(field, CONTESTANT_SYSTEM, "system call");
}

/* The last so many components of a path. */
static const char *tail_of(const char *path, int components)
{
	const char *tail = path + strlen(path);

	while (tail > path && (tail[-1] != '/' || --components))
		tail--;
	return tail;
}

/* As much of an image's path as no other has: every kernel's build calls its file the same. */
static const char *short_name(struct vdso_image *const *images, size_t count, size_t which)
{
	const char *path = images[which]->name;
	const char *tail = path;

	for (int components = 1; components == 1 || tail > path; components++) {
		bool alone = true;

		tail = tail_of(path, components);
		for (size_t i = 0; i < count; i++)
			alone &= strcmp(images[i]->name, path) == 0 ||
				 strcmp(tail_of(images[i]->name, components), tail) != 0;
		if (alone)
			break;
	}
	return tail;
}

/*
 * A name that is too long keeps its end, and says which of the images it is; that makes it longer
 * than any that is not cut, so no two become the same.
 */
static void name_image(struct vdso_image *const *images, size_t count, size_t which,
		       char name[FIELD_NAME_BYTES])
{
	const size_t most = 50;
	const char *called = short_name(images, count, which);
	const size_t length = strlen(called);

	_Static_assert(FIELD_MAX_IMAGES < 10, "a name has room for one digit");
	if (length <= most)
		snprintf(name, FIELD_NAME_BYTES, "image:%s", called);
	else
		snprintf(name, FIELD_NAME_BYTES, "image:(%zu)...%s", which + 1,
			 called + length - most);
}

static int enter_image(struct field *field, struct vdso_image *image, const char *name,
		       struct errmsg *err)
{
	struct errmsg why;

	if (attach(field, image, enter(field, CONTESTANT_IMAGE, name), &why))
		return errmsg_set(err, "image:%s cannot be calibrated: %s", image->name, why.text);
	return 0;
}

int field_open(struct field *field, struct vdso_image *const *images, size_t count,
	       struct errmsg *err)
{
	char name[FIELD_NAME_BYTES];

	*field = (struct field){.count = 0};
	open_mirror(field, &field->no_mirror);
	enter_usual(field);
	for (size_t i = 0; i < count; i++) {
		name_image(images, count, i, name);
		if (enter_image(field, images[i], name, err)) {
			field_close(field);
			return -1;
		}
	}
	return 0;
}

void field_close(struct field *field)
{
	if (field->has_mirror)
		mirror_close(&field->mirror);
	if (field->has_host_image)
		vdso_image_close(&field->host_image);
	field->has_mirror = field->has_host_image = false;
}

bool field_falls_back(struct field *field, size_t contestant, clockid_t clock)
{
	struct timespec here, there;

	mirror_be_strange(&field->mirror);
	if (contestant_read(&field->contestant[contestant], clock, &here) ||
	    clock_gettime_syscall(clock, &there))
		return false;
	return here.tv_sec - there.tv_sec < MIRROR_STRANGE_SEC / 2;
}

int field_tells(const struct field *field, size_t contestant, clockid_t clock, struct errmsg *err)
{
	const struct page_layout *layout = field->contestant[contestant].layout;

	if (!layout || page_snapshot_tells(&field->mirror.snapshot, layout, clock))
		return 0;
	return errmsg_set(err, "the kernel's page does not have %s, and a page of %s cannot say so",
			  clock_name(clock), layout->name);
}

int field_try(const struct field *field, size_t contestant, clockid_t clock, struct errmsg *err)
{
	struct timespec ts;
	int result = contestant_read(&field->contestant[contestant], clock, &ts);

	return result ? errmsg_set(err, "it returned %d instead of the time", result) : 0;
}
