// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nothing of a result is taken for markup, nor for a command of gnuplot's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/gnuplot.h"
#include "report/html.h"
#include "report/label.h"
#include "report/markup.h"
#include "report/svg.h"

#define NASTY "<script>alert(\"1\")</script> & 'it' \x01"

static char *written;
static size_t length;

static FILE *begin(void)
{
	FILE *out = open_memstream(&written, &length);

	assert_non_null(out);
	return out;
}

static void assert_written(FILE *out, const char *expected)
{
	assert_int_equal(fclose(out), 0);
	assert_string_equal(written, expected);
	free(written);
}

static void markup_is_escaped(void **state)
{
	FILE *out = begin();

	(void)state;
	markup_text(out, NASTY);
	assert_written(out, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;it&#39; "
			    "\xef\xbf\xbd");
}

static void what_is_no_character_is_replaced(void **state)
{
	FILE *out = begin();

	(void)state;
	markup_text(out, "a\xef\xbf\xbe"
			 "b\xef\xbf\xbf\xc3\xa4\x7f\n\t");
	assert_written(out, "a\xef\xbf\xbd"
			    "b\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd\n\t");
}

/* Whichever function takes it. */
static void html_escapes_everywhere(void **state)
{
	static const char *const headings[] = {NASTY, NULL};
	struct html html = {.out = begin()};

	(void)state;
	html_text(&html, "%s", NASTY);
	html_element(&html, "p class=\"x\"", "%s", NASTY);
	html_heading(&html, 3, "%s", NASTY);
	html_fact(&html, NASTY, "%s", NASTY);
	html_table(&html, NASTY, headings);
	html_row(&html, "%s", NASTY);
	html_cell(&html, "%s", NASTY);
	html_row_end(&html);
	html_table_end(&html);
	assert_int_equal(fclose(html.out), 0);
	assert_null(strstr(written, "<script"));
	assert_null(strstr(written, "\"1\""));
	assert_non_null(strstr(written, "</p>"));
	assert_false(html.no_memory);
	free(written);
}

/* The mutant: the same text, raw, is what the test above looks for. */
static void raw_text_would_be_seen(void **state)
{
	FILE *out = begin();

	(void)state;
	fputs(NASTY, out);
	fclose(out);
	assert_non_null(strstr(written, "<script"));
	assert_non_null(strstr(written, "\"1\""));
	free(written);
}

static void strings_of_gnuplot_are_closed_by_themselves_alone(void **state)
{
	FILE *out = begin();

	(void)state;
	gnuplot_string(out, "it's `id` \"x\" $(id)\n!touch\t@m");
	assert_written(out, "'it'.\"'\".'s `id` \"x\" $(id) !touch @m'");
	out = begin();
	gnuplot_string(out, "'';");
	assert_written(out, "\"'\".\"'\".';'");
	out = begin();
	gnuplot_string(out, "a\xef\xbf\xbf"
			    "b");
	assert_written(out, "'a?b'");
}

static void rewrite(const char *drawn, bool alone)
{
	const struct svg svg = {.drawn = drawn,
				.name = "picture-7",
				.title = "a <b>",
				.description = "\"c\" & d",
				.width = 560,
				.height = 360,
				.alone = alone};
	FILE *out = begin();

	svg_write(out, &svg);
	assert_int_equal(fclose(out), 0);
}

static const char drawn[] =
	"<?xml version=\"1.0\"?>\n<svg \n width='5'>\n<title>Gnuplot</title>\n<desc>by</desc>\n"
	"<defs><filter id='textbox'><feFlood/></filter><path id='gpPt0' d='M-1,0'/></defs>\n"
	"<g id=\"p_plot_1\" ><title>p_plot_1</title>\n"
	"<g fill=\"none\" color=\"black\" stroke=\"rgb( 11,  98, 184)\">\n"
	"\t<path class=\"gridline\" stroke='rgb(213, 216, 220)' d='M1,2'/>\n"
	"\t<use xlink:href='#gpPt0' color='#0B62B8'/>\n<text>a &lt;b></text>\n</g>\n"
	"<g fill=\"none\">\n</g>\n</g>\n</svg>\n";

static void colours_become_classes(void **state)
{
	(void)state;
	rewrite(drawn, false);
	assert_non_null(strstr(written, "class=\"ink-ink line-blue\""));
	assert_non_null(strstr(written, "class=\"line-faint\""));
	assert_non_null(strstr(written, "class=\"ink-blue\""));
	/* What a viewer without styles shows. */
	assert_non_null(strstr(written, "stroke=\"rgb( 11,  98, 184)\""));
	assert_null(strstr(written, "gridline"));
	free(written);
}

static void names_are_the_pictures_own(void **state)
{
	(void)state;
	rewrite(drawn, false);
	assert_non_null(strstr(written, "id=\"picture-7-gpPt0\""));
	assert_non_null(strstr(written, "href=\"#picture-7-gpPt0\""));
	assert_null(strstr(written, "xlink:"));
	assert_null(strstr(written, "id=\"gpPt0\""));
	free(written);
}

static void pictures_are_told_in_words(void **state)
{
	(void)state;
	rewrite(drawn, false);
	assert_non_null(strstr(written, "role=\"img\" aria-labelledby=\"picture-7-title "
					"picture-7-desc\""));
	assert_non_null(strstr(written, "<title id=\"picture-7-title\">a &lt;b&gt;</title>"));
	assert_non_null(strstr(written, "&quot;c&quot; &amp; d</desc>"));
	assert_null(strstr(written, "Gnuplot"));
	assert_null(strstr(written, "<title>"));
	free(written);
}

static void what_says_nothing_is_left_out(void **state)
{
	(void)state;
	rewrite(drawn, false);
	assert_null(strstr(written, "filter"));
	assert_null(strstr(written, "<g fill=\"none\">"));
	assert_null(strstr(written, "<style"));
	free(written);
	rewrite(drawn, true);
	assert_non_null(strstr(written, "<style>"));
	assert_non_null(strstr(written, "prefers-color-scheme:dark"));
	assert_ptr_equal(strstr(written, "<?xml"), written);
	free(written);
}

/* It is gnuplot's, and may be anything. */
static void what_ends_too_soon_is_no_trouble(void **state)
{
	static const char *const broken[] = {"",	"<svg",	       "<svg>",
					     "<svg><g", "<svg><g a='", "<svg><"};

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		rewrite(broken[i], false);
		assert_non_null(strstr(written, "</svg>"));
		free(written);
	}
}

static void labels_are_told_apart(void **state)
{
	struct result_file files[3] = {
		{.path = "/a/run.json"}, {.path = "b/run.json"}, {.path = "x"}};
	const struct result_file *list[3] = {&files[0], &files[1], &files[2]};

	(void)state;
	assert_string_equal(label_of(list, 3, 0, NULL).text, "run (1)");
	assert_string_equal(label_of(list, 3, 1, "fast").text, "run (2), fast");
	assert_string_equal(label_of(list, 3, 2, NULL).text, "x");
}

static void labels_are_cut_between_characters(void **state)
{
	(void)state;
	assert_string_equal(label_short("abcdefgh", 8).text, "abcdefgh");
	assert_string_equal(label_short("abcdefghi", 8).text, "abcde...");
	assert_string_equal(label_short("abcd\xc3\xa4"
					"fghi",
					8)
				    .text,
			    "abcd...");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_is_escaped),
		cmocka_unit_test(what_is_no_character_is_replaced),
		cmocka_unit_test(html_escapes_everywhere),
		cmocka_unit_test(raw_text_would_be_seen),
		cmocka_unit_test(strings_of_gnuplot_are_closed_by_themselves_alone),
		cmocka_unit_test(colours_become_classes),
		cmocka_unit_test(names_are_the_pictures_own),
		cmocka_unit_test(pictures_are_told_in_words),
		cmocka_unit_test(what_says_nothing_is_left_out),
		cmocka_unit_test(what_ends_too_soon_is_no_trouble),
		cmocka_unit_test(labels_are_told_apart),
		cmocka_unit_test(labels_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
