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
#ifdef CONTEND_TEST_IMAGES
		cmocka_unit_test(test_a_given_image),
		cmocka_unit_test(test_all_tell_the_same_time),
		cmocka_unit_test(test_who_falls_back),
		cmocka_unit_test(test_who_enters_the_kernel),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
