// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <string.h>

#include "report/markup.h"

#define REPLACEMENT "\xef\xbf\xbd"

static void write_one(FILE *out, unsigned char c)
{
	switch (c) {
	case '<':
		fputs("&lt;", out);
		break;
	case '>':
		fputs("&gt;", out);
		break;
	case '&':
		fputs("&amp;", out);
		break;
	case '"':
		fputs("&quot;", out);
		break;
	case '\'':
		fputs("&#39;", out);
		break;
	case '\t':
	case '\n':
		fputc(c, out);
		break;
	default:
		if (c < ' ' || c == 0x7f)
			fputs(REPLACEMENT, out);
		else
			fputc(c, out);
	}
}

/* U+FFFE and U+FFFF, which are no characters. */
static bool is_none(const char *text)
{
	return strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

void markup_text(FILE *out, const char *text)
{
	while (*text) {
		if (is_none(text)) {
			fputs(REPLACEMENT, out);
			text += 3;
		} else {
			write_one(out, (unsigned char)*text++);
		}
	}
}
