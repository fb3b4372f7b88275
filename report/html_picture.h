/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures within a report in HTML.
 */
#ifndef REPORT_HTML_PICTURE_H
#define REPORT_HTML_PICTURE_H

#include "report/html.h"
#include "report/picture.h"

/*
 * Draws it as a figure with what it shows in words below, or says why there is none. What goes
 * wrong is told by html->failed, and then nothing is drawn any more.
 */
void html_picture(struct html *html, const struct picture *picture,
		  const struct picture_subject *subject);

/* All pictures of one result of which it alone is drawn, with all their parts. */
void html_pictures(struct html *html, const struct result_file *file);

#endif /* REPORT_HTML_PICTURE_H */
