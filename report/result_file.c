// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/result_file.h"
#include "sim/types.h"
#include "sim/value.h"

#define MAX_MUSTS 5
#define PREFIX	  "contend."

struct must {
	const char *name;
	json_type type;
};

static const struct kind {
	const char *name;
	unsigned int newest; /* schema that is known */
	struct must must[MAX_MUSTS];
} kinds[RESULT_KINDS] = {
	[RESULT_RUN] = {"run",
			1,
			{{"machine", JSON_OBJECT},
			 {"config", JSON_OBJECT},
			 {"writer", JSON_OBJECT},
			 {"readers", JSON_OBJECT},
			 {"groups", JSON_ARRAY}}},
	[RESULT_COMPARE] = {"compare",
			    1,
			    {{"machine", JSON_OBJECT},
			     {"config", JSON_OBJECT},
			     {"baseline", JSON_OBJECT},
			     {"results", JSON_ARRAY}}},
	[RESULT_SWEEP] = {"sweep",
			  1,
			  {{"machine", JSON_OBJECT},
			   {"config", JSON_OBJECT},
			   {"points", JSON_ARRAY}}},
	[RESULT_OBSERVE] = {"observe",
			    1,
			    {{"machine", JSON_OBJECT},
			     {"config", JSON_OBJECT},
			     {"interval_ns", JSON_OBJECT},
			     {"odd_ns", JSON_OBJECT},
			     {"cpus", JSON_ARRAY}}},
	[RESULT_CALIBRATE] = {"calibrate",
			      1,
			      {{"machine", JSON_OBJECT},
			       {"config", JSON_OBJECT},
			       {"contestants", JSON_ARRAY},
			       {"clocks", JSON_ARRAY}}},
	[RESULT_INSPECT] = {"inspect", 1, {{"machine", JSON_OBJECT}, {"readers", JSON_ARRAY}}},
	[RESULT_PROVE] = {"prove",
			  1,
			  {{"reader", JSON_STRING},
			   {"config", JSON_OBJECT},
			   {"models", JSON_ARRAY}}},
	[RESULT_VERIFY] = {"verify",
			   1,
			   {{"machine", JSON_OBJECT},
			    {"config", JSON_OBJECT},
			    {"mutants", JSON_ARRAY},
			    {"accused", JSON_ARRAY}}},
	[RESULT_SETTLE] = {"settle", 1, {{"comparisons", JSON_ARRAY}, {"inspections", JSON_ARRAY}}},
};

static const char *const types[] = {
	[JSON_OBJECT] = "object",
	[JSON_ARRAY] = "array",
	[JSON_STRING] = "string",
};

const char *result_kind_name(enum result_kind kind)
{
	return kinds[kind].name;
}

/* What it quotes of the file may be anything. */
static int no_json(const json_error_t *error, struct errmsg *err)
{
	char said[JSON_ERROR_TEXT_LENGTH];

	snprintf(said, sizeof(said), "%s", error->text);
	for (char *c = said; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return errmsg_set(err, "line %d, column %d is no JSON: %s", error->line, error->column,
			  said);
}

/* Directories open, and cannot be read. */
static int parse(FILE *in, json_t **root, struct errmsg *err)
{
	json_error_t error;
	int cause;

	errno = 0;
	*root = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
	cause = errno;
	if (*root && !json_is_object(*root))
		return errmsg_set(err, "it is no result of contend, but a JSON array");
	if (*root)
		return 0;
	if (ferror(in))
		return errmsg_set(err, "cannot be read: %s", strerror(cause ? cause : EIO));
	return no_json(&error, err);
}

static int read_root(const char *path, bool is_input, json_t **root, struct errmsg *err)
{
	FILE *in = is_input ? stdin : fopen(path, "re");
	int failed;

	if (!in)
		return errmsg_set(err, "cannot be read: %s", strerror(errno));
	failed = parse(in, root, err);
	if (!is_input)
		fclose(in);
	return failed;
}

static int unknown_kind(const char *schema, struct errmsg *err)
{
	char known[120] = "";
	size_t used = 0;

	for (size_t i = 0; i < RESULT_KINDS; i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
					 kinds[i].name);
	return errmsg_set(err, "its schema %s is none of a result that can be read here: %s",
			  value_quote(schema).text, known);
}

/* "run/1": 0, or -1 if it is no such thing. */
static int take_kind(struct result_file *file, const char *name)
{
	const char *slash = strchr(name, '/');
	char *end;

	for (size_t i = 0; i < RESULT_KINDS && slash; i++) {
		const size_t length = strlen(kinds[i].name);

		if (length != (size_t)(slash - name) || strncmp(kinds[i].name, name, length) != 0)
			continue;
		file->kind = (enum result_kind)i;
		file->version = (unsigned int)strtoul(slash + 1, &end, 10);
		return slash[1] >= '1' && slash[1] <= '9' && !*end ? 0 : -1;
	}
	return -1;
}

static int take_schema(struct result_file *file, struct errmsg *err)
{
	const char *schema = text_at(file->root, "schema");
	const struct kind *kind;

	if (!schema)
		return errmsg_set(err, "it is no result of contend: it has no \"schema\", as what "
				       "--json writes has");
	if (strncmp(schema, PREFIX, strlen(PREFIX)) != 0 ||
	    take_kind(file, schema + strlen(PREFIX)))
		return unknown_kind(schema, err);
	kind = &kinds[file->kind];
	if (file->version > kind->newest)
		return errmsg_set(err, "%s: this contend reads " PREFIX "%s/%u",
				  value_quote(schema).text, kind->name, kind->newest);
	return 0;
}

static int check_musts(const struct result_file *file, struct errmsg *err)
{
	const struct kind *kind = &kinds[file->kind];

	for (size_t i = 0; i < MAX_MUSTS && kind->must[i].name; i++) {
		const struct must *must = &kind->must[i];
		const json_t *value = json_object_get(file->root, must->name);

		if (!value || json_typeof(value) != must->type)
			return errmsg_set(err,
					  "it is no whole result of contend %s: it has no %s "
					  "\"%s\"",
					  kind->name, types[must->type], must->name);
	}
	return 0;
}

int result_file_load(struct result_file *file, const char *path, struct errmsg *err)
{
	const bool is_input = strcmp(path, "-") == 0;
	struct errmsg why;

	*file = (struct result_file){.path = strdup(is_input ? "standard input" : path)};
	if (!file->path)
		return errmsg_set(err, "%s: no memory for it", value_quote(path).text);
	if (!read_root(path, is_input, &file->root, &why) && !take_schema(file, &why) &&
	    !check_musts(file, &why))
		return 0;
	errmsg_set(err, "%.200s: %.300s", file->path, why.text);
	result_file_free(file);
	return -1;
}

void result_file_free(struct result_file *file)
{
	json_decref(file->root);
	free(file->path);
	*file = (struct result_file){.path = NULL};
}
