// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report/label.h"

#define SUFFIX	     ".json"
#define MAX_NAME     36
#define CONTINUES(c) (((c)&0xc0) == 0x80)

struct label label_short(const char *text, size_t most)
{
	struct label label;
	size_t length = strlen(text);

	if (length <= most) {
		snprintf(label.text, sizeof(label.text), "%s", text);
		return label;
	}
	for (length = most - 3; length && CONTINUES((unsigned char)text[length]);)
		length--;
	snprintf(label.text, sizeof(label.text), "%.*s...", (int)length, text);
	return label;
}

static const char *name_of(const struct result_file *file)
{
	const char *slash = strrchr(file->path, '/');

	return slash && slash[1] ? slash + 1 : file->path;
}

static struct label stem(const char *name)
{
	const size_t length = strlen(name), suffix = strlen(SUFFIX);
	char text[256];

	snprintf(text, sizeof(text), "%s", name);
	if (length > suffix && length < sizeof(text) && strcmp(name + length - suffix, SUFFIX) == 0)
		text[length - suffix] = '\0';
	return label_short(text, MAX_NAME);
}

struct label label_of(const struct result_file *const *files, size_t count, size_t which,
		      const char *part)
{
	const struct label own = stem(name_of(files[which]));
	const struct label behind = label_short(part ? part : "", MAX_NAME);
	size_t same = 0, number = 1;
	char numbered[8] = "";
	struct label label;

	for (size_t i = 0; i < count; i++)
		if (i != which && strcmp(stem(name_of(files[i])).text, own.text) == 0) {
			same++;
			number += i < which;
		}
	if (same)
		snprintf(numbered, sizeof(numbered), " (%zu)", number % 1000);
	snprintf(label.text, sizeof(label.text), "%.40s%s%s%.40s", own.text, numbered,
		 part ? ", " : "", behind.text);
	return label;
}
