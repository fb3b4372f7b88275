// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "readers/cache.h"
#include "readers/compile.h"

extern char **environ;

const char compile_default_cc[] = CONTEND_CC;

/* The result hangs on these as well. */
#define LINK_FLAGS "-Wl,-e,reader " CONTEND_CC_LINK

#define MAX_ARGUMENTS 256
#define MAX_ARGUMENT  (2 * PATH_MAX)

/* A command line. Its strings are its own. */
struct command {
	int count;
	char *argument[MAX_ARGUMENTS + 1]; /* ended by NULL */
	bool failed;			   /* it has no room, or there is no memory */
};

/* All that one compilation needs. */
struct build {
	const struct compile_job *job;
	struct cache_path folder;
	struct cache_path tree;	      /* of our sources */
	struct cache_path source;     /* what is compiled */
	struct cache_path unfinished; /* stem of files that are under way */
	char compiler[PATH_MAX];      /* the file, wherever it was found */
	struct cache_file seen;	      /* what the compiler sees: all files, macros expanded */
	char *key;		      /* what the result follows from; the same, and the recipe */
	size_t key_size;
	char name[32]; /* of the result in the cache */
};

__attribute__((format(printf, 2, 3))) static void add(struct command *command, const char *format,
						      ...)
{
	char text[MAX_ARGUMENT];
	va_list arguments;

	va_start(arguments, format);
	command->failed |= vsnprintf(text, sizeof(text), format, arguments) >= MAX_ARGUMENT;
	va_end(arguments);
	if (command->count == MAX_ARGUMENTS)
		command->failed = true;
	else if (!(command->argument[command->count++] = strdup(text)))
		command->failed = true;
}

/* Cut at blanks; there is no way to write one within a flag. */
static void add_words(struct command *command, const char *words)
{
	for (words += strspn(words, " \t"); *words; words += strspn(words, " \t")) {
		size_t length = strcspn(words, " \t");

		add(command, "%.*s", (int)length, words);
		words += length;
	}
}

static void release_command(struct command *command)
{
	for (int i = 0; i < command->count; i++)
		free(command->argument[i]);
}

/* Finds the compiler as execvp would. */
static bool find_compiler(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/'))
		return realpath(name, path) && access(path, X_OK) == 0;
	while (folders && *folders) {
		size_t length = strcspn(folders, ":");
		char candidate[PATH_MAX];
		struct stat state;

		snprintf(candidate, sizeof(candidate), "%.*s/%s", (int)length, folders, name);
		if (access(candidate, X_OK) == 0 && stat(candidate, &state) == 0 &&
		    S_ISREG(state.st_mode))
			return realpath(candidate, path) != NULL;
		folders += length + (folders[length] == ':');
	}
	return false;
}

static const char *compiler_of(const struct build *build)
{
	return build->job->recipe->cc ? build->job->recipe->cc : compile_default_cc;
}

/* What leads from a source to the code, whoever reads the source. */
static void add_flags(struct command *command, const struct build *build)
{
	add(command, "%s", compiler_of(build));
	add_words(command, CONTEND_CC_MACHINE);
	add_words(command, CONTEND_CC_FLAGS);
	add(command, "-ffile-prefix-map=%s/=", build->tree.text);
	if (build->job->recipe->cflags)
		add_words(command, build->job->recipe->cflags);
}

static void add_definition(struct command *command, const char *definition)
{
	add(command, "-U%.*s", (int)strcspn(definition, "=("), definition);
	add(command, "-D%s", definition);
}

static void add_definitions(struct command *command, const struct build *build)
{
	const struct compile_job *job = build->job;

	add_words(command, CONTEND_CC_DEFINITIONS);
	add(command, "-DREADER_NAME=reader");
	add(command, "-DREADER_COUNTED=%d", job->counted);
	for (int i = 0; i < job->defines; i++)
		add_definition(command, job->define[i]);
	for (int i = 0; i < job->recipe->defines; i++)
		add_definition(command, job->recipe->define[i]);
}

static int cannot_run(const struct command *command, int cause, struct errmsg *err)
{
	return errmsg_set(err, "%.200s cannot be run: %s", command->argument[0], strerror(cause));
}

/* What it prints goes where ours does. */
static int run(const struct command *command, struct errmsg *err)
{
	int status, cause;
	pid_t child;

	if (command->failed)
		return errmsg_set(err, "the compiler's command line is too long");
	cause = posix_spawnp(&child, command->argument[0], NULL, NULL, command->argument, environ);
	if (cause)
		return cannot_run(command, cause, err);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return cannot_run(command, errno, err);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return errmsg_set(err, "%.200s did not take it; above is what it says",
			  command->argument[0]);
}

static int preprocess(struct build *build, struct errmsg *err)
{
	struct command command = {.count = 0};
	int failed;

	add_flags(&command, build);
	add_definitions(&command, build);
	add(&command, "-I%s", build->tree.text);
	add(&command, "-E");
	add(&command, "-o%s.i", build->unfinished.text);
	add(&command, "%s", build->source.text);
	failed = run(&command, err);
	release_command(&command);
	return failed;
}

/* An undefined name is one of a function or variable outside, which the linker says by itself. */
static int compile_and_link(const struct build *build, struct errmsg *err)
{
	struct command command = {.count = 0};
	int failed;

	add_flags(&command, build);
	/* Flags for the preprocessor have done their work. */
	add(&command, "-Wno-unused-command-line-argument");
	add_words(&command, "-x cpp-output");
	add(&command, "%s.i", build->unfinished.text);
	add_words(&command, "-x none " LINK_FLAGS);
	add(&command, "-Wl,-T,%s/readers/path/code.lds", build->tree.text);
	add(&command, "-o%s.elf", build->unfinished.text);
	failed = run(&command, err);
	release_command(&command);
	return failed;
}

/*
 * The text that the compiler sees, and the compiler itself, by what changes when it is replaced.
 */
static int make_key(struct build *build, struct errmsg *err)
{
	struct command command = {.count = 0};
	struct cache_path path = build->unfinished;
	struct stat state;
	FILE *key;

	strncat(path.text, ".i", sizeof(path.text) - strlen(path.text) - 1);
	if (cache_read(path.text, &build->seen) || stat(build->compiler, &state) ||
	    !(key = open_memstream(&build->key, &build->key_size)))
		return errmsg_set(err, "cannot read what the compiler made of the source: %s",
				  strerror(errno));
	add_flags(&command, build);
	fprintf(key, LINK_FLAGS "\n%s %lld %lld.%09ld\n", build->compiler, (long long)state.st_size,
		(long long)state.st_mtim.tv_sec, state.st_mtim.tv_nsec);
	for (int i = 0; i < command.count; i++)
		fprintf(key, "%s\n", command.argument[i]);
	fwrite(build->seen.bytes, 1, build->seen.size, key);
	release_command(&command);
	if (fclose(key))
		return errmsg_set(err, "no memory for the source");
	snprintf(build->name, sizeof(build->name), "%016llx",
		 cache_hash(CACHE_HASH, build->key, build->key_size));
	return 0;
}

static struct cache_path result_path(const struct build *build, const char *suffix)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", build->name, suffix);
	return cache_path(&build->folder, name);
}

/* Two keys may have one hash: the whole of them counts. */
static bool is_cached(const struct build *build, struct cache_file *elf)
{
	struct cache_path path = result_path(build, "key");
	struct cache_file key;
	bool same;

	if (cache_read(path.text, &key))
		return false;
	same = key.size == build->key_size && memcmp(key.bytes, build->key, key.size) == 0;
	free(key.bytes);
	path = result_path(build, "elf");
	return same && !cache_read(path.text, elf);
}

/* The key last: it says that the rest is there. */
static int keep(const struct build *build, const struct cache_file *elf, struct errmsg *err)
{
	struct cache_path key = result_path(build, "key");
	struct cache_path path = result_path(build, "elf");

	unlink(key.text);
	return cache_write(path.text, elf->bytes, elf->size, err) ||
			       cache_write(key.text, build->key, build->key_size, err)
		       ? -1
		       : 0;
}

static int make_elf(struct build *build, struct cache_file *elf, struct errmsg *err)
{
	struct cache_path path = build->unfinished;

	if (preprocess(build, err) || make_key(build, err))
		return -1;
	if (is_cached(build, elf))
		return 0;
	if (compile_and_link(build, err))
		return -1;
	strncat(path.text, ".elf", sizeof(path.text) - strlen(path.text) - 1);
	if (cache_read(path.text, elf))
		return errmsg_set(err, "the compiler made nothing: %s", strerror(errno));
	return keep(build, elf, err);
}

static int prepare(struct build *build, struct errmsg *err)
{
	const struct compile_job *job = build->job;
	char name[64];

	if (!find_compiler(compiler_of(build), build->compiler))
		return errmsg_set(err,
				  "there is no compiler '%.100s' here: it takes one to build a "
				  "reader (@cc= names it; 'contend list readers' tells what is "
				  "built in)",
				  compiler_of(build));
	if (cache_open(&build->folder, err) ||
	    cache_write_sources(&build->folder, &build->tree, err))
		return -1;
	snprintf(name, sizeof(name), "unfinished-%d-%d", (int)getpid(), job->counted);
	build->unfinished = cache_path(&build->folder, name);
	if (job->built_in)
		build->source = cache_path(&build->tree, job->source);
	else
		snprintf(build->source.text, sizeof(build->source.text), "%s", job->source);
	if (access(build->source.text, R_OK) == 0)
		return 0;
	return errmsg_set(err, "%.200s cannot be read: %s", job->source, strerror(errno));
}

static void tidy(struct build *build)
{
	static const char *const suffixes[] = {".i", ".elf"};

	for (size_t i = 0; i < ARRAY_SIZE(suffixes) && build->unfinished.text[0]; i++) {
		struct cache_path path = build->unfinished;

		strncat(path.text, suffixes[i], sizeof(path.text) - strlen(path.text) - 1);
		unlink(path.text);
	}
	free(build->seen.bytes);
	free(build->key);
}

int compile_reader(const struct compile_job *job, struct machine_code *code, struct errmsg *err)
{
	struct build *build = calloc(1, sizeof(*build));
	struct cache_file elf = {.bytes = NULL};
	int failed;

	if (!build)
		return errmsg_set(err, "no memory to compile a reader");
	build->job = job;
	failed = prepare(build, err) || make_elf(build, &elf, err) ||
		 machine_code_open(code, elf.bytes, elf.size, err);
	tidy(build);
	free(build);
	if (!failed)
		return 0;
	free(elf.bytes);
	return -1;
}

void compiled_release(struct machine_code *code)
{
	free((void *)(uintptr_t)code->elf);
	*code = (struct machine_code){.elf = NULL};
}
