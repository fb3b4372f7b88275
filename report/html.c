// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "report/markup.h"

#define LONGEST_FIGURE 32

static void write_formatted(struct html *html, const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0) {
		html->no_memory = true;
		return;
	}
	markup_text(html->out, text);
	free(text);
}

#define WRITE_FORMATTED(html, format)                     \
	do {                                              \
		va_list arguments;                        \
                                                          \
		va_start(arguments, format);              \
		write_formatted(html, format, arguments); \
		va_end(arguments);                        \
	} while (0)

void html_text(struct html *html, const char *format, ...)
{
	WRITE_FORMATTED(html, format);
}

void html_element(struct html *html, const char *name, const char *format, ...)
{
	fprintf(html->out, "<%s>", name);
	WRITE_FORMATTED(html, format);
	fprintf(html->out, "</%.*s>\n", (int)strcspn(name, " "), name);
}

unsigned int html_heading(struct html *html, int level, const char *format, ...)
{
	const unsigned int number = ++html->headings;

	fprintf(html->out, "<h%d id=\"part-%u\">", level, number);
	WRITE_FORMATTED(html, format);
	fprintf(html->out, "</h%d>\n", level);
	return number;
}

/* With a keyboard, too, which needs the focus and then a name. */
void html_table_begin(struct html *html, const char *caption)
{
	html_raw(html, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
	markup_text(html->out, caption);
	html_raw(html, "\"><table><caption>");
	markup_text(html->out, caption);
	html_raw(html, "</caption>\n<thead><tr>");
}

void html_column(struct html *html, const char *format, ...)
{
	html_raw(html, "<th scope=\"col\">");
	WRITE_FORMATTED(html, format);
	html_raw(html, "</th>");
}

void html_rows(struct html *html)
{
	html_raw(html, "</tr></thead>\n<tbody>\n");
}

void html_table(struct html *html, const char *caption, const char *const headings[])
{
	html_table_begin(html, caption);
	for (size_t i = 0; headings[i]; i++)
		html_column(html, "%s", headings[i]);
	html_rows(html);
}

void html_row(struct html *html, const char *format, ...)
{
	html_raw(html, "<tr><th scope=\"row\">");
	WRITE_FORMATTED(html, format);
	html_raw(html, "</th>");
}

/* Figures are not broken; sentences are. */
void html_cell(struct html *html, const char *format, ...)
{
	va_list words;
	int length;

	va_start(words, format);
	length = vsnprintf(NULL, 0, format, words);
	va_end(words);
	fprintf(html->out, "<td%s>", length > LONGEST_FIGURE ? " class=\"words\"" : "");
	WRITE_FORMATTED(html, format);
	html_raw(html, "</td>");
}

void html_row_end(struct html *html)
{
	html_raw(html, "</tr>\n");
}

void html_table_end(struct html *html)
{
	html_raw(html, "</tbody></table></div>\n");
}

void html_fact(struct html *html, const char *term, const char *format, ...)
{
	html_raw(html, "<dt>");
	markup_text(html->out, term);
	html_raw(html, "</dt><dd>");
	WRITE_FORMATTED(html, format);
	html_raw(html, "</dd>\n");
}
