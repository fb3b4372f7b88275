// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The field on the machine at hand, with an image of the tests' own that knows no MONOTONIC_RAW.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "measure/agreement.h"
#include "measure/code.h"
#include "measure/field.h"
#include "sim/clocksource.h"

static struct field field;

/* What every machine has. */
static void test_the_usual(void **state)
{
	static const char *const names[] = {
		[FIELD_READER] = "our reader",	[FIELD_IMAGE_HOST] = "image:host",
		[FIELD_HOST] = "host's vDSO",	[FIELD_LIBC] = "glibc",
		[FIELD_SYSTEM] = "system call",
	};
	struct errmsg err;

	(void)state;
	assert_int_equal(field_open(&field, NULL, 0, &err), 0);
	assert_int_equal(field.count, FIELD_IMAGES);
	for (size_t i = 0; i < field.count; i++)
		assert_string_equal(field.contestant[i].name, names[i]);
	for (size_t i = FIELD_LIBC; i <= FIELD_SYSTEM; i++) {
		struct timespec ts;

		assert_string_equal(field.contestant[i].unavailable.text, "");
		assert_int_equal(contestant_read(&field.contestant[i], CLOCK_MONOTONIC, &ts), 0);
		assert_true(contestant_time(&field.contestant[i], CLOCK_MONOTONIC, 100,
					    clocksource_default()->clock_mode) > 0);
	}
	assert_null(contestant_code(&field.contestant[FIELD_SYSTEM]));
	assert_false(contestant_reads_our_page(&field.contestant[FIELD_LIBC]));
	/* Where there is no copy of the kernel's page, both say why. */
	for (size_t i = FIELD_READER; i <= FIELD_IMAGE_HOST; i++) {
		assert_true(contestant_reads_our_page(&field.contestant[i]));
		assert_int_equal(field.contestant[i].unavailable.text[0] == '\0', field.has_mirror);
	}
	assert_int_equal(field.no_mirror.text[0] == '\0', field.has_mirror);
	field_close(&field);
}

static int fail_to_read(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){0, 0};
	return -22;
}

static int read_nothing(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){0, 0};
	return 0;
}

/* Who returns an error is not said to ask the system, and is not to be timed. */
static void test_who_returns_an_error(void **state)
{
	static struct field some;
	struct errmsg err;

	(void)state;
	some.count = 2;
	some.contestant[0] = (struct contestant){.kind = CONTESTANT_IMAGE, .call = fail_to_read};
	some.contestant[1] = (struct contestant){.kind = CONTESTANT_IMAGE, .call = read_nothing};
	assert_int_equal(field_try(&some, 0, CLOCK_TAI, &err), -1);
	assert_string_equal(err.text, "it returned -22 instead of the time");
	assert_false(field_falls_back(&some, 0, CLOCK_TAI));
	assert_int_equal(field_try(&some, 1, CLOCK_TAI, &err), 0);
	assert_true(field_falls_back(&some, 1, CLOCK_TAI));
}

#ifdef CONTEND_TEST_IMAGES

static const clockid_t clocks[] = {CLOCK_REALTIME,
				   CLOCK_MONOTONIC,
				   CLOCK_MONOTONIC_RAW,
				   CLOCK_REALTIME_COARSE,
				   CLOCK_MONOTONIC_COARSE,
				   CLOCK_BOOTTIME,
				   CLOCK_TAI};

static struct vdso_image gtod;

static bool open_field(void)
{
	struct vdso_image *images[] = {&gtod};
	struct errmsg err;

	assert_int_equal(vdso_image_open(&gtod, CONTEND_TEST_IMAGES "/gtod.so", &err), 0);
	if (field_open(&field, images, 1, &err) == 0)
		return true;
	printf("no copy of this kernel's page: %s\n", err.text);
	assert_non_null(strstr(err.text, "cannot be calibrated: "));
	vdso_image_close(&gtod);
	return false;
}

static void close_field(void)
{
	field_close(&field);
	vdso_image_close(&gtod);
}

/* On a kernel that has no RAW in its page. */
static void test_who_tells_raw(void **state)
{
	struct contestant *const other = &field.contestant[FIELD_IMAGES];
	struct errmsg err;

	(void)state;
	if (!open_field())
		return;
	for (size_t c = 0; c < ARRAY_SIZE(clocks); c++)
		for (size_t i = 0; i < field.count; i++)
			assert_int_equal(field_tells(&field, i, clocks[c], &err), 0);
	field.mirror.snapshot.has_raw = false;
	for (size_t i = 0; i < field.count; i++)
		assert_int_equal(field_tells(&field, i, CLOCK_MONOTONIC_RAW, &err), 0);
	assert_ptr_equal(other->layout, page_layout_find("gtod"));
	other->layout = page_layout_find("gtod-basemult");
	assert_int_equal(field_tells(&field, FIELD_IMAGES, CLOCK_MONOTONIC, &err), 0);
	assert_int_equal(field_tells(&field, FIELD_IMAGES, CLOCK_MONOTONIC_RAW, &err), -1);
	assert_string_equal(err.text, "the kernel's page does not have monotonic_raw, and a page "
				      "of gtod-basemult cannot say so");
	assert_int_equal(field_try(&field, FIELD_IMAGES, CLOCK_TAI, &err), 0);
	close_field();
}

/* What two images of these names are called. */
static void check_names(const char *first, const char *second, const char *first_is,
			const char *second_is)
{
	static struct vdso_image image[2];
	struct vdso_image *images[] = {&image[0], &image[1]};
	const char *const names[] = {first, second}, *const expected[] = {first_is, second_is};
	struct errmsg err;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(vdso_image_open(&image[i], CONTEND_TEST_IMAGES "/gtod.so", &err),
				 0);
		assert_true(strlen(names[i]) < sizeof(image[i].name));
		strcpy(image[i].name, names[i]);
	}
	if (field_open(&field, images, 2, &err) == 0) {
		for (int i = 0; i < 2; i++)
			assert_string_equal(field.contestant[FIELD_IMAGES + i].name, expected[i]);
		field_close(&field);
	} else {
		assert_non_null(strstr(err.text, first));
	}
	for (int i = 0; i < 2; i++)
		vdso_image_close(&image[i]);
}

#define TEN   "0123456789"
#define FIFTY TEN TEN TEN TEN TEN

static void test_names_differ(void **state)
{
	(void)state;
	check_names("/a/old.so", "/a/new.so", "image:old.so", "image:new.so");
	check_names("/a/1/v.so", "/a/2/v.so", "image:1/v.so", "image:2/v.so");
	check_names("v.so", "/v.so", "image:v.so", "image:/v.so");
	check_names("/a/v.so", "/a/v.so", "image:v.so", "image:v.so");
	check_names("/a/" FIFTY, "/a/b", "image:" FIFTY, "image:b");
	check_names("/a/1" FIFTY, "/a/2" FIFTY, "image:(1)..." FIFTY, "image:(2)..." FIFTY);
	check_names("/1/" FIFTY "/v.so", "/2/" FIFTY "/v.so",
		    "image:(1)...56789" TEN TEN TEN TEN "/v.so",
		    "image:(2)...56789" TEN TEN TEN TEN "/v.so");
	check_names("/a/1" FIFTY, "/a/" FIFTY, "image:(1)..." FIFTY, "image:" FIFTY);
}

static void test_a_given_image(void **state)
{
	(void)state;
	if (!open_field())
		return;
	assert_int_equal(field.count, FIELD_IMAGES + 1);
	assert_string_equal(field.contestant[FIELD_IMAGES].name, "image:gtod.so");
	/* A copy keeps its place in its page. */
	assert_int_equal((uintptr_t)contestant_code(&field.contestant[FIELD_HOST]) % SIM_PAGE_BYTES,
			 (uintptr_t)contestant_code(&field.contestant[FIELD_IMAGE_HOST]) %
				 SIM_PAGE_BYTES);
	close_field();
}

static void test_all_tell_the_same_time(void **state)
{
	const struct contestant *const host = &field.contestant[FIELD_HOST];
	struct agreement_values values;
	struct errmsg err;
	int compared = 0;

	(void)state;
	if (!open_field())
		return;
	for (size_t c = 0; c < ARRAY_SIZE(clocks); c++)
		for (int i = 0; i < 700; i++) {
			const struct contestant *other = &field.contestant[i % (int)field.count];
			enum agreement agreement;

			mirror_refresh(&field.mirror, &err);
			agreement = agreement_try(&field.mirror, host, other, clocks[c], &values);
			assert_int_not_equal(agreement, AGREEMENT_NO);
			compared += agreement == AGREEMENT_YES;
		}
	assert_true(compared > 0);
	close_field();
}

/* gtod's RAW alone: it is nobody's who reads a page. */
static void test_who_falls_back(void **state)
{
	struct errmsg err;

	(void)state;
	if (!open_field())
		return;
	for (size_t c = 0; c < ARRAY_SIZE(clocks); c++)
		for (size_t i = 0; i < field.count; i++) {
			if (!contestant_reads_our_page(&field.contestant[i]))
				continue;
			assert_int_equal(field_falls_back(&field, i, clocks[c]),
					 i == FIELD_IMAGES && clocks[c] == CLOCK_MONOTONIC_RAW);
			assert_int_equal(mirror_refresh(&field.mirror, &err), 0);
		}
	close_field();
}

/* By its instructions one sees the same of it. */
static void test_who_enters_the_kernel(void **state)
{
	const struct contestant *image = &field.contestant[FIELD_IMAGES];
	static struct disassembly list;
	struct errmsg err;
	struct code code;

	(void)state;
	if (!open_field())
		return;
	assert_int_equal(mirror_refresh(&field.mirror, &err), 0);
	if (code_read(image, CLOCK_MONOTONIC_RAW, &list, &code) == 0)
		assert_true(disassembly_calls_system(&list));
	else
		printf("%s\n", code.unavailable.text);
	if (code_read(image, CLOCK_MONOTONIC, &list, &code) == 0)
		assert_false(disassembly_calls_system(&list));
	close_field();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_usual),
		cmocka_unit_test(test_who_returns_an_error),
#ifdef CONTEND_TEST_IMAGES
		cmocka_unit_test(test_a_given_image),
		cmocka_unit_test(test_who_tells_raw),
		cmocka_unit_test(test_names_differ),
		cmocka_unit_test(test_all_tell_the_same_time),
		cmocka_unit_test(test_who_falls_back),
		cmocka_unit_test(test_who_enters_the_kernel),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
