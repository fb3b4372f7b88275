/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML, piece by piece. Nothing of a result gets into it but through these functions, which escape
 * it; html_raw takes what stands in our own source only.
 *
 * Whether all could be written is for ferror of the stream to say, and for `failed`. One thread at
 * a time for each struct html.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/errmsg.h"

struct html {
	FILE *out;
	unsigned int pictures; /* so far, for their names */
	unsigned int headings; /* so far, for theirs */
	bool no_memory;	       /* something could not be formatted */
	bool failed;	       /* a picture could not be drawn, for the reason in err */
	struct errmsg err;
};

/* Ours, and no other's: a string literal. */
#define html_raw(html, literal) fputs("" literal, (html)->out)

/* Text, formatted and escaped. */
void html_text(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* <name>text</name>; `name` may have attributes behind it, and is ours. */
void html_element(struct html *html, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A heading of level 2 to 4 with an id of its own, and that id's number. */
unsigned int html_heading(struct html *html, int level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A table that scrolls by itself where it is too wide. The caption, and one heading for each
 * column, of which the first is that of the rows' own headings; ended by NULL.
 */
void html_table(struct html *html, const char *caption, const char *const headings[]);

/* The same with its columns' headings written one by one, through html_column, until html_rows. */
void html_table_begin(struct html *html, const char *caption);
void html_column(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_rows(struct html *html);

void html_row(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_cell(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_row_end(struct html *html);
void html_table_end(struct html *html);

/* One term of a list of facts, between <dl> and </dl>. */
void html_fact(struct html *html, const char *term, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif /* REPORT_HTML_H */
