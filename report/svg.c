// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/markup.h"
#include "report/palette.h"
#include "report/svg.h"

#define MAX_CLASSES 4

struct attribute {
	const char *name, *value;
	int name_length, value_length;
};

struct classes {
	const char *prefix[MAX_CLASSES];
	const char *name[MAX_CLASSES];
	size_t count;
};

static const char *skip_space(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* NULL: there is none left before the tag's end. */
static const char *take_attribute(const char *at, struct attribute *attribute)
{
	const char *end;

	at = skip_space(at);
	if (!isalpha((unsigned char)*at))
		return NULL;
	attribute->name = at;
	at += strcspn(at, " =\t\n>");
	attribute->name_length = (int)(at - attribute->name);
	at = skip_space(at);
	if (*at != '=')
		return NULL;
	at = skip_space(at + 1);
	end = *at == '\'' || *at == '"' ? strchr(at + 1, *at) : NULL;
	if (!end)
		return NULL;
	attribute->value = at + 1;
	attribute->value_length = (int)(end - at - 1);
	return end + 1;
}

static bool is_named(const struct attribute *attribute, const char *name)
{
	return (int)strlen(name) == attribute->name_length &&
	       memcmp(attribute->name, name, strlen(name)) == 0;
}

/* As gnuplot writes colours: rgb( 16,  96, 160), #1060A0, and two by their names. */
static const char *colour_of(const struct attribute *attribute)
{
	unsigned int red, green, blue;
	const char *value = attribute->value;

	if (sscanf(value, "rgb( %u , %u , %u )", &red, &green, &blue) == 3)
		return palette_name(red << 16 | green << 8 | blue);
	if (*value == '#')
		return palette_name((u32)strtoul(value + 1, NULL, 16));
	if (strncmp(value, "black", 5) == 0)
		return "ink";
	return strncmp(value, "gray", 4) == 0 ? "faint" : NULL;
}

static const char *prefix_of(const struct attribute *attribute)
{
	if (is_named(attribute, "stroke"))
		return "line";
	if (is_named(attribute, "fill"))
		return "fill";
	return is_named(attribute, "color") ? "ink" : NULL;
}

static void note_class(const struct attribute *attribute, struct classes *classes)
{
	const char *prefix = prefix_of(attribute);
	const char *name = prefix ? colour_of(attribute) : NULL;

	if (!name || classes->count == MAX_CLASSES)
		return;
	classes->prefix[classes->count] = prefix;
	classes->name[classes->count++] = name;
}

static void write_classes(FILE *out, const struct classes *classes)
{
	if (!classes->count)
		return;
	fputs(" class=\"", out);
	for (size_t i = 0; i < classes->count; i++)
		fprintf(out, "%s%s-%s", i ? " " : "", classes->prefix[i], classes->name[i]);
	fputc('"', out);
}

/* What is defined in the picture, and used by others of it, gets the picture's name before it. */
static void write_attribute(FILE *out, const struct attribute *attribute, const char *name)
{
	const bool is_id = is_named(attribute, "id");
	const bool is_use = is_named(attribute, "xlink:href") && *attribute->value == '#';

	if (is_named(attribute, "class"))
		return;
	fprintf(out, " %.*s=\"", is_use ? 4 : attribute->name_length,
		is_use ? "href" : attribute->name);
	if (is_id || is_use)
		fprintf(out, "%s%s-%.*s", is_use ? "#" : "", name, attribute->value_length - is_use,
			attribute->value + is_use);
	else
		fwrite(attribute->value, 1, (size_t)attribute->value_length, out);
	fputc('"', out);
}

/* From '<' to behind '>'. */
static const char *write_tag(FILE *out, const char *tag, const char *name)
{
	const size_t mark = tag[1] == '/' ? 2 : 1;
	const char *at = tag + mark + strcspn(tag + mark, " \t\n>/");
	struct classes classes = {.count = 0};
	struct attribute attribute;
	const char *next;

	fwrite(tag, 1, (size_t)(at - tag), out);
	while ((next = take_attribute(at, &attribute))) {
		write_attribute(out, &attribute, name);
		note_class(&attribute, &classes);
		at = next;
	}
	write_classes(out, &classes);
	at = skip_space(at);
	next = strchr(at, '>');
	if (!next)
		return at + strlen(at);
	fputs(*at == '/' ? "/>" : ">", out);
	return next + 1;
}

static bool begins(const char *at, const char *with)
{
	return strncmp(at, with, strlen(with)) == 0;
}

/* Behind an element with all that is in it; no such element is in another of its name. */
static const char *behind(const char *at, const char *end)
{
	const char *found = strstr(at, end);

	return found ? found + strlen(end) : at + strlen(at);
}

/* Behind what says nothing: the names of curves, filters that nobody uses, groups of nothing. */
static const char *skip(const char *at)
{
	const char *end;

	if (begins(at, "<title"))
		return behind(at, "</title>");
	if (begins(at, "<desc"))
		return behind(at, "</desc>");
	if (begins(at, "<filter"))
		return behind(at, "</filter>");
	if (!begins(at, "<g ") || !(end = strchr(at, '>')))
		return at;
	end = skip_space(end + 1);
	return begins(end, "</g>") ? end + strlen("</g>") : at;
}

/* Between tags is the text of texts, and space, of which a line's end is enough. */
static const char *write_between(FILE *out, const char *at)
{
	const char *end = at + strcspn(at, "<");
	const char *first = skip_space(at);

	if (first >= end)
		fputs(memchr(at, '\n', (size_t)(end - at)) ? "\n" : "", out);
	else
		fwrite(at, 1, (size_t)(end - at), out);
	return end;
}

static void write_body(FILE *out, const struct svg *svg)
{
	const char *at = strstr(svg->drawn, "<svg");
	const char *end;

	at = at ? strchr(at, '>') : NULL;
	at = at ? at + 1 : svg->drawn + strlen(svg->drawn);
	end = strstr(at, "</svg>");
	while (*at && at != end) {
		const char *next = *at == '<' ? skip(at) : at;

		if (next != at)
			at = skip_space(next);
		else
			at = *at == '<' ? write_tag(out, at, svg->name) : write_between(out, at);
	}
}

void svg_write(FILE *out, const struct svg *svg)
{
	if (svg->alone)
		fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", out);
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" role=\"img\" "
		"aria-labelledby=\"%s-title %s-desc\"",
		svg->width, svg->height, svg->name, svg->name);
	if (svg->alone)
		fprintf(out, " width=\"%u\" height=\"%u\"", svg->width, svg->height);
	fprintf(out, ">\n<title id=\"%s-title\">", svg->name);
	markup_text(out, svg->title);
	fprintf(out, "</title>\n<desc id=\"%s-desc\">", svg->name);
	markup_text(out, svg->description);
	fputs("</desc>\n", out);
	if (svg->alone) {
		fputs("<style>\n", out);
		palette_style(out);
		fputs("</style>\n", out);
	}
	write_body(out, svg);
	fputs("</svg>\n", out);
}
