// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/gnuplot.h"
#include "report/html_picture.h"

static void write_figure(struct html *html, const struct picture_made *made)
{
	char name[32];

	snprintf(name, sizeof(name), "picture-%u", ++html->pictures);
	html_raw(html, "<figure><div class=\"plot\" tabindex=\"0\" role=\"region\" aria-label=\"");
	html_text(html, "%s", made->sketch.title_text);
	html_raw(html, "\">\n");
	picture_write(html->out, made, PICTURE_PART, name);
	html_raw(html, "</div><figcaption>");
	html_text(html, "%s", made->sketch.description_text);
	html_raw(html, "</figcaption></figure>\n");
}

/* The same reason for several is told once. */
struct absent {
	char pictures[200];
	struct errmsg why;
};

static void tell_absent(struct html *html, struct absent *absent)
{
	if (*absent->pictures)
		html_element(html, "p class=\"none\"", "No picture of %s: %s.", absent->pictures,
			     absent->why.text);
	*absent = (struct absent){.pictures = ""};
}

static void note_absent(struct html *html, struct absent *absent, const struct picture *picture,
			const struct errmsg *why)
{
	size_t used;

	if (strcmp(absent->why.text, why->text) != 0)
		tell_absent(html, absent);
	absent->why = *why;
	used = strlen(absent->pictures);
	snprintf(absent->pictures + used, sizeof(absent->pictures) - used, "%s%s",
		 used ? ", nor of " : "", picture->summary);
}

static void make(struct html *html, const struct picture *picture,
		 const struct picture_subject *subject, struct absent *absent)
{
	struct picture_made made;
	struct errmsg err;
	int failed;

	if (html->failed)
		return;
	failed = picture_make(picture, subject, PICTURE_PART, &made, &err);
	/* One picture's data is no reason to refuse all others. */
	if (failed == GNUPLOT_FAILED)
		note_absent(html, absent, picture, &err);
	else if (failed) {
		html->failed = true;
		html->err = err;
	} else if (made.drawn)
		write_figure(html, &made);
	else
		note_absent(html, absent, picture, &made.sketch.none);
	picture_release(&made);
}

void html_picture(struct html *html, const struct picture *picture,
		  const struct picture_subject *subject)
{
	struct absent absent = {.pictures = ""};

	make(html, picture, subject, &absent);
	tell_absent(html, &absent);
}

void html_pictures(struct html *html, const struct result_file *file)
{
	struct absent absent = {.pictures = ""};
	const struct picture *picture;

	for (size_t i = 0; (picture = picture_number(i)); i++) {
		struct picture_subject subject = {&file, 1, 0};
		const size_t parts = picture->kind != file->kind || picture->of_several ? 0
				     : picture->parts ? picture->parts(file)
						      : 1;

		for (; subject.part < parts; subject.part++)
			make(html, picture, &subject, &absent);
	}
	tell_absent(html, &absent);
}
