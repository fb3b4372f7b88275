// SPDX-License-Identifier: GPL-2.0-or-later
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

void html_picture(struct html *html, const struct picture *picture,
		  const struct picture_subject *subject)
{
	struct picture_made made;

	if (html->failed)
		return;
	if (picture_make(picture, subject, PICTURE_PART, &made, &html->err))
		html->failed = true;
	else if (made.drawn)
		write_figure(html, &made);
	else
		html_element(html, "p class=\"none\"", "No picture of %s: %s.", picture->summary,
			     made.sketch.none.text);
	picture_release(&made);
}

void html_pictures(struct html *html, const struct result_file *file)
{
	const struct picture *picture;

	for (size_t i = 0; (picture = picture_number(i)); i++) {
		struct picture_subject subject = {&file, 1, 0};
		const size_t parts = picture->kind != file->kind || picture->of_several ? 0
				     : picture->parts ? picture->parts(file)
						      : 1;

		for (; subject.part < parts; subject.part++)
			html_picture(html, picture, &subject);
	}
}
