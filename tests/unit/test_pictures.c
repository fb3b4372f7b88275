// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What gnuplot is given to draw of results that never were: the right points, in the right places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "report/palette.h"
#include "report/pictures.h"

#define MAX_FILES 3

struct scene {
	struct result_file file[MAX_FILES];
	const struct result_file *files[MAX_FILES];
	size_t count;
	struct sketch sketch;
};

static struct scene scene;

static void add(const char *name, const char *json)
{
	json_error_t error;
	struct result_file *file = &scene.file[scene.count];

	file->path = strdup(name);
	file->root = json_loads(json, 0, &error);
	if (!file->root)
		fail_msg("%s: column %d", error.text, error.column);
	scene.files[scene.count++] = file;
}

static void draw_part(const struct picture *picture, size_t part)
{
	const struct picture_subject subject = {scene.files, scene.count, part};
	struct errmsg err;

	assert_int_equal(sketch_begin(&scene.sketch, &err), 0);
	picture->draw(&scene.sketch, &subject);
	assert_int_equal(sketch_end(&scene.sketch, &err), 0);
}

static void draw(const struct picture *picture)
{
	draw_part(picture, 0);
	assert_string_equal(scene.sketch.none.text, "");
	/* Each has a title, axes with their units, and words. */
	assert_true(strlen(scene.sketch.title_text) > 0);
	assert_true(strlen(scene.sketch.description_text) > 40);
	assert_non_null(strstr(scene.sketch.script_text, "set xlabel '"));
	assert_non_null(strstr(scene.sketch.script_text, "set ylabel '"));
	assert_non_null(strstr(scene.sketch.script_text, "plot"));
}

static int release(void **state)
{
	(void)state;
	sketch_release(&scene.sketch);
	for (size_t i = 0; i < scene.count; i++)
		result_file_free(&scene.file[i]);
	memset(&scene, 0, sizeof(scene));
	return 0;
}

static void assert_script(const char *part)
{
	if (!strstr(scene.sketch.script_text, part))
		fail_msg("not in the script: %s\n%s", part, scene.sketch.script_text);
}

static void assert_words(const char *part)
{
	if (!strstr(scene.sketch.description_text, part))
		fail_msg("not in the words: %s\n%s", part, scene.sketch.description_text);
}

/* 100 reads: 90 of up to 20 ns, 9 of up to 40, 1 of up to 1000. */
#define RUN                                                                                     \
	"{\"groups\": [{\"name\": \"readers\", \"read_ns\": {\"samples\": 100, \"p50\": 20.0, " \
	"\"p99\": 40.0, \"p99_99\": 1000.0, \"max\": 1000.0, \"histogram\": [[20.0, 90], "      \
	"[40.0, 9], [1000.0, 1]]}}]}"
#define OLD_RUN                                                                                   \
	"{\"groups\": [{\"name\": \"readers\", \"read_ns\": {\"samples\": 50000, \"p50\": 21.0, " \
	"\"p99\": 42.0, \"p99_99\": 77.0, \"max\": 500.0}}]}"

static void percentiles_are_steps_at_their_odds(void **state)
{
	(void)state;
	add("one.json", RUN);
	draw(&picture_percentiles);
	assert_script("$reads0 << END\n1 20\n10 20\n10 40\n100 40\n100 1000\n100 1000\nEND\n");
	assert_script("set logscale x");
	assert_script("'0' 1, '50' 2, '90' 1e1, '99' 1e2");
	/* From 20 to 1000 is wide. */
	assert_script("set logscale y");
	assert_words("one: half of the reads took up to 20.0 ns, 99 % up to 40.0 ns");
}

static void runs_lie_over_one_another(void **state)
{
	(void)state;
	add("one.json", RUN);
	add("old.json", OLD_RUN);
	draw(&picture_percentiles);
	assert_script("$reads1 << END\n2 21\n100 42\n10000 77\n50000 500\nEND\n");
	assert_script("$reads0 using 1:2 with lines");
	assert_script("$reads1 using 1:2 with linespoints");
	assert_script("title 'one'");
	assert_script("title 'old'");
	assert_words("older contend");
	assert_int_equal(scene.sketch.height, 360 + 2 * 20);
}

static void groups_are_curves_of_their_own(void **state)
{
	(void)state;
	add("run.json", "{\"groups\": [{\"name\": \"a\", \"read_ns\": {\"histogram\": [[9, 1]]}}, "
			"{\"name\": \"it's\", \"read_ns\": {\"histogram\": [[8, 4]]}}]}");
	draw(&picture_percentiles);
	assert_script("title 'run, a'");
	assert_script("title 'run, it'.\"'\".'s'");
}

static void without_a_length_there_is_no_picture(void **state)
{
	(void)state;
	add("run.json", "{\"groups\": [{\"name\": \"a\", \"read_ns\": {\"samples\": 0, \"p50\": "
			"null, \"max\": null, \"histogram\": []}}]}");
	draw_part(&picture_percentiles, 0);
	assert_string_equal(scene.sketch.none.text, "no length of a read was measured");
}

#define INTERVALS                                                                               \
	"{\"intervals\": [{\"start_s\": 0, \"seconds\": 1, \"reads\": 2000000, \"retries\": "   \
	"{\"odd_wait\": 2, \"changed\": 4, \"off_cpu\": 0}, \"hold_ns\": {\"max\": 100}}, "     \
	"{\"start_s\": 1, \"seconds\": 1, \"reads\": 0, \"retries\": {\"odd_wait\": 0, "        \
	"\"changed\": 0, \"off_cpu\": 0}, \"hold_ns\": {\"max\": null}}, {\"start_s\": 2, "     \
	"\"seconds\": 0.5, \"reads\": 1000000, \"retries\": {\"odd_wait\": 7, \"changed\": 0, " \
	"\"off_cpu\": 3}, \"hold_ns\": {\"max\": 9000}}]}"

static void retries_are_of_a_million_reads(void **state)
{
	(void)state;
	add("run.json", INTERVALS);
	draw(&picture_retries);
	/* Where there were no reads, nothing is told, and it is not 0. */
	assert_script("$kind0 << END\n0.5 1\n2.25 7\nEND\n");
	assert_script("$kind1 << END\n0.5 2\n2.25 0\nEND\n");
	assert_script("$kind2 << END\n0.5 0\n2.25 3\nEND\n");
	assert_words("at most 7 odd wait, 2 changed, 3 off-CPU");
}

static void of_null_retries_there_is_no_picture(void **state)
{
	(void)state;
	add("run.json",
	    "{\"intervals\": [{\"start_s\": 0, \"seconds\": 1, \"reads\": 9, "
	    "\"retries\": {\"odd_wait\": null, \"changed\": null, \"off_cpu\": null}}]}");
	draw_part(&picture_retries, 0);
	assert_non_null(strstr(scene.sketch.none.text, "nothing is known of retries"));
}

static void holds_are_in_the_middle_of_their_intervals(void **state)
{
	(void)state;
	add("run.json", INTERVALS);
	draw(&picture_holds);
	assert_script("$holds << END\n0.5 100\n2.25 9000\nEND\n");
	assert_script("set logscale y");
	assert_words("100 ns at least, 9.0 us at most, in 2 intervals");
}

static void who_has_no_intervals_is_told_how_to_get_them(void **state)
{
	const struct picture *const both[] = {&picture_retries, &picture_holds};

	(void)state;
	add("run.json", "{\"intervals\": []}");
	for (size_t i = 0; i < 2; i++) {
		draw_part(both[i], 0);
		assert_non_null(strstr(scene.sketch.none.text, "--interval"));
		sketch_release(&scene.sketch);
	}
}

#define COMPARED                                                                                  \
	"{\"config\": {\"resolution_percent\": 0.5}, \"baseline\": {\"reader\": \"hres\"}, "      \
	"\"results\": [{\"reader\": \"<b>`id`'\", \"effect_percent\": -2.5, \"ci95_percent\": "   \
	"[-3, -2], \"ci99_percent\": [-3.5, -1.5], \"verdict\": \"faster\", \"same_code\": "      \
	"false, \"placement_effects_percent\": [-2.25, -2.75]}, {\"reader\": \"other\", "         \
	"\"effect_percent\": null, \"ci95_percent\": null, \"ci99_percent\": null, \"verdict\": " \
	"\"unclear\", \"same_code\": false}]}"

static void a_forest_has_a_row_for_each_reader(void **state)
{
	(void)state;
	add("compare.json", COMPARED);
	draw(&picture_forest);
	assert_script("$rows << END\n-2.5 1.86 -3 -2 -3.5 -1.5\nEND\n");
	assert_script("$dots << END\n-2.25 ");
	assert_script("\n-2.75 ");
	assert_script("set label '<b>`id`'.\"'\".': -2.5 %, faster' at");
	assert_script("set label 'other: n/a' at");
	/* "No difference" is in sight, and so is the shade around it. */
	assert_script("set xrange [-3.71:0.21]");
	assert_script("rectangle from -0.5,");
	assert_words("(95 % interval -3 to -2 %)");
	assert_words("Dots are single placements");
}

static void a_forest_of_an_older_result_has_no_dots(void **state)
{
	(void)state;
	add("compare.json",
	    "{\"baseline\": {\"reader\": \"a\"}, \"results\": [{\"reader\": \"b\", "
	    "\"effect_percent\": 1, \"ci95_percent\": [0.5, 1.5], \"ci99_percent\": [0, 2]}]}");
	draw(&picture_forest);
	assert_null(strstr(scene.sketch.script_text, "placement"));
}

#define POINT(hz, rate, readers, retries, low, high)                       \
	"{\"hz\": " #hz ", \"rate_hz\": " #rate ", \"readers\": " #readers \
	", \"retries_per_million\": " #retries ", \"low\": " #low ", \"high\": " #high "}"
#define SWEPT                                                                                   \
	"{\"law\": {\"hold_ns\": 30, \"read_ns\": 20, \"residual\": 0.1}, \"points\": [" POINT( \
		1000, 1000, 1, 50, 40,                                                          \
		60) ", " POINT(1000, 1000, 4, 0, 0,                                             \
			       3) ", " POINT(100000, 90000, 4, 4500, 4000,                      \
					     5000) ", "                                         \
						   "{\"hz\": 100000, \"readers\": 1, "          \
						   "\"retries_per_million\": null}]}"

static void curves_go_over_the_rate_that_there_was(void **state)
{
	(void)state;
	add("sweep.json", SWEPT);
	draw(&picture_curves);
	assert_script("$readers0 << END\n1000 50 40 60\nEND\n");
	assert_script("$readers1 << END\n90000 4500 4000 5000\nEND\n");
	assert_script("$bounds1 << END\n1000 3\nEND\n");
	assert_script("title '1 reader'");
	assert_script("title '4 readers'");
	/* 50 ns at 1000 Hz are 50 of a million. */
	assert_script("[1000:90000] x * 0.05 ");
	assert_script("set logscale x");
	assert_script("set logscale y");
	assert_words("What it leaves unexplained is 10 %");
}

static void heat_is_by_the_grid(void **state)
{
	(void)state;
	add("sweep.json", SWEPT);
	draw(&picture_heat);
	assert_script("set xtics ('1 k' 0, '100 k' 1)");
	assert_script("set ytics ('1' 0, '4' 1)");
	assert_script("set label '50' at 0,0 center");
	assert_script("set label '4500' at 1,1 center");
	assert_script("set object rectangle from 0.52,0.54 to 1.48,1.46 fillcolor rgb '#0f3a68'");
	/* What was not measured has no cell. */
	assert_null(strstr(scene.sketch.script_text, "from 0.52,-0.46"));
}

static void a_layout_shows_fields_and_the_lines_that_are_touched(void **state)
{
	(void)state;
	add("inspect.json",
	    "{\"pages\": [{\"layout\": \"one\", \"fields\": []}, {\"layout\": \"two\", "
	    "\"kernels\": "
	    "\"some\", \"fields\": [{\"name\": \"seq\", \"at_byte\": 0, \"bytes\": 4}, {\"name\": "
	    "\"base\", \"at_byte\": 56, \"bytes\": 16}, {\"name\": \"rest, not read\", "
	    "\"at_byte\": "
	    "72, \"bytes\": 248}, {\"name\": \"tz\", \"at_byte\": 320, \"bytes\": 8}], \"clocks\": "
	    "[{\"clock\": \"realtime\", \"page_lines_at_bytes\": [0]}, {\"clock\": \"tai\", "
	    "\"page_lines_at_bytes\": [0, 64]}]}]}");
	assert_int_equal(picture_layout.parts(scene.files[0]), 2);
	assert_string_equal(picture_layout.part_name(scene.files[0], 1), "two");
	draw_part(&picture_layout, 1);
	assert_string_equal(scene.sketch.none.text, "");
	/* Over the border at 64: a box in either line. */
	assert_script("from 56,-0.4 to 64,0.4");
	assert_script("from 0,-1.4 to 8,-0.6");
	assert_script("$touched << END\n69 -0\n74 -0\n74 -1\nEND\n");
	/* Three lines of which nothing is read are left out. */
	assert_script("set ytics ('0' -0, '64' -1, '256' -2, '320' -3)");
	assert_words("realtime 1 line; tai 2 lines");
	sketch_release(&scene.sketch);
	draw_part(&picture_layout, 0);
	assert_non_null(strstr(scene.sketch.none.text, "--page"));
}

static void claims_stand_next_to_what_is_measured(void **state)
{
	(void)state;
	add("settle.json",
	    "{\"comparisons\": [{\"name\": \"a\", \"verdict_text\": \"not seen\", "
	    "\"claimed_percent\": [-3, -1], \"comparison\": {\"results\": [{\"effect_percent\": "
	    "0.5, \"ci95_percent\": [0.25, 0.75], \"ci99_percent\": [0, 1]}]}}]}");
	draw(&picture_claims);
	assert_script("$rows << END\n0.5 0.86 0.25 0.75 0 1\nEND\n");
	assert_script("$claims << END\n-2 0.64 -3 -1\nEND\n");
	assert_words("claimed -3 to -1 %, measured +0.5 % (95 % interval +0.25 to +0.75 %)");
}

static void ratios_are_of_what_does_not_call_the_system(void **state)
{
	(void)state;
	add("calibrate.json",
	    "{\"clocks\": [{\"clock\": \"tai\", \"contestants\": [{\"name\": \"ours\", "
	    "\"calls_system\": false, \"ratio_to_host\": 0.9, \"ratio_ci95\": [0.875, 0.95]}, "
	    "{\"name\": \"host\", \"calls_system\": false, \"ratio_to_host\": 1, \"ratio_ci95\": "
	    "[1, 1]}, {\"name\": \"call\", \"calls_system\": true, \"ratio_to_host\": 30, "
	    "\"ratio_ci95\": [29, 31]}]}]}");
	draw(&picture_ratios);
	assert_script("$rows << END\n0.9 0.86 0.875 0.95 nan nan\nEND\n");
	assert_script("'tai, ours: 0.9000'");
	assert_null(strstr(scene.sketch.script_text, "call"));
}

static void what_was_observed_has_a_row_for_each_length(void **state)
{
	(void)state;
	add("observe.json",
	    "{\"interval_ns\": {\"samples\": 9, \"min\": 3, \"p50\": 4, \"p99\": 5, \"max\": 6}, "
	    "\"odd_ns\": {\"samples\": 0, \"min\": null, \"p50\": null, \"p99\": null, \"max\": "
	    "null}, \"passed_ns\": {\"samples\": 1, \"min\": 30, \"p50\": 40, \"p99\": 50, "
	    "\"max\": 60}}");
	draw(&picture_observed);
	assert_script("$lengths << END\n4 0 3 6 5\n40 -1 30 60 50\nEND\n");
}

/* No two look the same to who sees no colours. */
static void curves_differ_in_more_than_their_colours(void **state)
{
	char *line[PALETTE_SERIES];
	struct errmsg err;

	(void)state;
	for (size_t i = 0; i < PALETTE_SERIES; i++) {
		struct sketch sketch;

		assert_int_equal(sketch_begin(&sketch, &err), 0);
		sketch_series(&sketch, i);
		assert_int_equal(sketch_end(&sketch, &err), 0);
		line[i] = strdup(strstr(sketch.script_text, " pt "));
		sketch_release(&sketch);
	}
	for (size_t i = 0; i < PALETTE_SERIES; i++)
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(line[i], line[j]);
			assert_string_not_equal(strstr(line[i], " dt "), strstr(line[j], " dt "));
			assert_string_not_equal(palette_series(i), palette_series(j));
		}
	for (size_t i = 0; i < PALETTE_SERIES; i++)
		free(line[i]);
}

static void colours_are_found_by_what_is_drawn(void **state)
{
	(void)state;
	assert_string_equal(palette_name(0x0b62b8), "blue");
	assert_string_equal(palette_name(0xffffff), "paper");
	assert_string_equal(palette_name(0x0f3a68), "heat-6");
	assert_null(palette_name(0x123456));
}

static void names_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; picture_number(i); i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(picture_number(i)->name, picture_number(j)->name);
}

#define TEST(function) cmocka_unit_test_teardown(function, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(percentiles_are_steps_at_their_odds),
		TEST(runs_lie_over_one_another),
		TEST(groups_are_curves_of_their_own),
		TEST(without_a_length_there_is_no_picture),
		TEST(retries_are_of_a_million_reads),
		TEST(of_null_retries_there_is_no_picture),
		TEST(holds_are_in_the_middle_of_their_intervals),
		TEST(who_has_no_intervals_is_told_how_to_get_them),
		TEST(a_forest_has_a_row_for_each_reader),
		TEST(a_forest_of_an_older_result_has_no_dots),
		TEST(curves_go_over_the_rate_that_there_was),
		TEST(heat_is_by_the_grid),
		TEST(a_layout_shows_fields_and_the_lines_that_are_touched),
		TEST(claims_stand_next_to_what_is_measured),
		TEST(ratios_are_of_what_does_not_call_the_system),
		TEST(what_was_observed_has_a_row_for_each_length),
		cmocka_unit_test(curves_differ_in_more_than_their_colours),
		cmocka_unit_test(colours_are_found_by_what_is_drawn),
		cmocka_unit_test(names_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
