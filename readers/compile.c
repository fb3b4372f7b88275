// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "readers/cache.h"
#include "readers/cacheable.h"
#include "readers/compile.h"
#include "readers/program.h"

const char compile_default_cc[] = CONTEND_CC;

/* The result hangs on these as well. */
#define LINK_FLAGS "-Wl,-e,reader " CONTEND_CC_LINK

/* On other machines: no headers of liburcu are there. */
#define TARGET_DEFINITIONS     "-D_GNU_SOURCE -DCONTEND_WITHOUT_URCU=1"
#define DEFINITIONS_OF_32_BITS "-D_TIME_BITS=64 -D_FILE_OFFSET_BITS=64"
/* Code that is not run may call what it will; whoever looks at it can tell. */
#define TARGET_LINK_FLAGS "-Wl,--unresolved-symbols=ignore-all -Wl,--emit-relocs"

/*
 * Each access becomes a call, volatile ones by names of their own, and stands as the source has it:
 * two words are not loaded at once. Blocks are copied by a function that is ours, however it is
 * called, or, where a structure is, at once after it was announced. clang leaves out a load that a
 * store of the same place follows, unless told otherwise. A call at a function's end is to come
 * back, or two places of the source would be one. Some compilers have the C library check blocks
 * unasked, in words that are not seen.
 */
#define EXPLORED_FLAGS                                                                     \
	"-DCONTEND_PROVE=1 -fsanitize=thread -fno-optimize-sibling-calls -fno-builtin "    \
	"-D__builtin_memcpy=memcpy -D__builtin_memmove=memmove -D__builtin_memset=memset " \
	"-U_FORTIFY_SOURCE "
#if defined(__x86_64__)
#define EXPLORED_WHOLE "-minline-all-stringops "
#else
#define EXPLORED_WHOLE ""
#endif
#define EXPLORED_FLAGS_OF_GCC \
	EXPLORED_WHOLE "--param tsan-distinguish-volatile=1 -fno-tree-vectorize -Wno-tsan"
#define EXPLORED_FLAGS_OF_CLANG                                                            \
	"-mllvm -tsan-distinguish-volatile=1 -mllvm -tsan-instrument-read-before-write=1 " \
	"-fno-vectorize -fno-slp-vectorize"
/* What is not there is told by whoever loads it. */
#define EXPLORED_LINK_FLAGS                                                                   \
	"-shared -nostdlib -Wl,-Bsymbolic -Wl,-z,now -Wl,-z,noexecstack -Wl,--build-id=none " \
	"-Wl,--unresolved-symbols=ignore-all"

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
	char cc[RECIPE_MAX_TEXT + 64]; /* the compiler, as it is called */
	sigset_t mask;		       /* of signals, before some were held back */
	struct cache_path folder;
	struct cache_path tree;	      /* of our sources */
	struct cache_path source;     /* what is compiled */
	struct cache_path unfinished; /* folder of what is under way; empty: none yet */
	char compiler[PATH_MAX];      /* the file, wherever it was found */
	struct cache_file seen;	      /* what the compiler sees: all files, macros expanded */
	char *key;		      /* what the result follows from; the same, and the recipe */
	size_t key_size;
	bool cacheable;		   /* the key holds all that it follows from */
	char name[32];		   /* of the result in the cache */
	struct cache_path runtime; /* that is linked to what is explored */
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

static bool is_program(const char *path)
{
	struct stat state;

	return access(path, X_OK) == 0 && stat(path, &state) == 0 && S_ISREG(state.st_mode);
}

/* Finds the compiler as a shell would, but never in the current folder unless told so. */
static bool find_compiler(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && is_program(path);
	if (!folders)
		folders = "/bin:/usr/bin";
	while (*folders) {
		size_t length = strcspn(folders, ":");

		if (length &&
		    snprintf(path, PATH_MAX, "%.*s/%s", (int)length, folders, name) < PATH_MAX &&
		    is_program(path))
			return true;
		folders += length + (folders[length] == ':');
	}
	return false;
}

/* One compiler of clang's serves all machines. */
static bool is_clang(const char *cc)
{
	const char *slash = strrchr(cc, '/');

	return strncmp(slash ? slash + 1 : cc, "clang", strlen("clang")) == 0;
}

void compile_name(const struct compile_job *job, const struct target *target, char *name,
		  size_t size)
{
	const char *cc = job->recipe->cc;

	if (!cc)
		snprintf(name, size, "%s", target ? target->gcc : compile_default_cc);
	else if (!target || target->flags || is_clang(cc) || strchr(cc, '/') ||
		 strncmp(cc, target->name, strlen(target->name)) == 0)
		snprintf(name, size, "%s", cc);
	else
		snprintf(name, size, "%s-%s", target->name, cc);
}

/* For which machine. */
static void add_target(struct command *command, const struct build *build)
{
	const struct target *target = build->job->target;

	if (!target) {
		add_words(command, CONTEND_CC_MACHINE);
	} else if (target->flags) {
		add_words(command, target->flags);
		add(command, "-idirafter%s/readers/path/i386", build->tree.text);
	} else if (is_clang(build->cc)) {
		add(command, "--target=%s", target->name);
	}
}

/* What leads from a source to the code, whoever reads the source. */
static void add_flags(struct command *command, const struct build *build)
{
	add(command, "%s", build->cc);
	add_target(command, build);
	add_words(command, CONTEND_CC_FLAGS);
	add(command, "-ffile-prefix-map=%s/=", build->tree.text);
	if (build->job->recipe->cflags)
		add_words(command, build->job->recipe->cflags);
	if (build->job->explored)
		add_words(command, is_clang(build->cc) ? EXPLORED_FLAGS EXPLORED_FLAGS_OF_CLANG
						       : EXPLORED_FLAGS EXPLORED_FLAGS_OF_GCC);
}

static void add_definition(struct command *command, const char *definition)
{
	add(command, "-U%.*s", (int)strcspn(definition, "=("), definition);
	add(command, "-D%s", definition);
}

static void add_definitions(struct command *command, const struct build *build)
{
	const struct compile_job *job = build->job;

	if (!job->target)
		add_words(command, CONTEND_CC_DEFINITIONS);
	else
		add_words(command, job->target->has_32_bits ? TARGET_DEFINITIONS
					   " " DEFINITIONS_OF_32_BITS
							    : TARGET_DEFINITIONS);
	add(command, "-DREADER_NAME=reader");
	add(command, "-DREADER_COUNTED=%d", job->counted);
	if (job->part)
		add(command, "-DREADER_PART=%s", job->part);
	for (int i = 0; i < job->defines; i++)
		add_definition(command, job->define[i]);
	for (int i = 0; i < job->recipe->defines; i++)
		add_definition(command, job->recipe->define[i]);
}

/* The files that are under way. */
#define SEEN	"seen.i"
#define OBJECT	"reader.o"
#define RUNTIME "runtime.o"
#define ELF	"reader.elf"

static struct cache_path unfinished(const struct build *build, const char *name)
{
	return cache_path(&build->unfinished, name);
}

static int run(const struct build *build, const struct command *command, struct errmsg *err)
{
	const u32 limit_s = build->job->limit_s ? build->job->limit_s : COMPILE_LIMIT_S;

	if (command->failed)
		return errmsg_set(err, "the compiler's command line is too long");
	return program_run(build->compiler, command->argument, &build->mask, limit_s, err);
}

static int preprocess(const struct build *build, struct errmsg *err)
{
	struct command command = {.count = 0};
	int failed;

	add_flags(&command, build);
	add_definitions(&command, build);
	add(&command, "-I%s", build->tree.text);
	add(&command, "-E");
	add(&command, "-o%s", unfinished(build, SEEN).text);
	add_words(&command, "-x c");
	add(&command, "%s", build->source.text);
	failed = run(build, &command, err);
	release_command(&command);
	return failed;
}

static int compile_explored(const struct build *build, struct errmsg *err)
{
	struct command command = {.count = 0};
	int failed;

	add_flags(&command, build);
	if (is_clang(build->cc))
		add(&command, "-Wno-unused-command-line-argument");
	add_words(&command, "-c -x cpp-output");
	add(&command, "%s", unfinished(build, SEEN).text);
	add(&command, "-o%s", unfinished(build, OBJECT).text);
	failed = run(build, &command, err);
	release_command(&command);
	return failed;
}

/* The run-time is none of what is explored: it is compiled as it stands. */
static void add_runtime_flags(struct command *command, const struct build *build)
{
	add(command, "%s", build->cc);
	add_words(command, CONTEND_CC_MACHINE " " CONTEND_CC_FLAGS " " CONTEND_CC_DEFINITIONS);
	add_words(command, "-fno-builtin -r -nostdlib");
	add(command, "-I%s", build->tree.text);
}

/* All of it in one piece. A source of the user's is given nothing that allocates. */
static int compile_runtime(const struct build *build, struct errmsg *err)
{
	static const char *const parts[] = {"tsan", "locks", "rcu"};
	const size_t count = build->job->built_in ? ARRAY_SIZE(parts) : ARRAY_SIZE(parts) - 1;
	struct command command = {.count = 0};
	int failed;

	add_runtime_flags(&command, build);
	for (size_t i = 0; i < count; i++)
		add(&command, "%s/prove/runtime/%s.c", build->tree.text, parts[i]);
	add(&command, "-o%s", unfinished(build, RUNTIME).text);
	failed = run(build, &command, err);
	release_command(&command);
	return failed;
}

static int link_explored(const struct build *build, struct errmsg *err)
{
	struct command command = {.count = 0};
	int failed;

	add(&command, "%s", build->cc);
	add_words(&command, CONTEND_CC_MACHINE);
	add(&command, "%s", build->runtime.text);
	add(&command, "%s", unfinished(build, OBJECT).text);
	add_words(&command, EXPLORED_LINK_FLAGS);
	add(&command, "-o%s", unfinished(build, ELF).text);
	failed = run(build, &command, err);
	release_command(&command);
	return failed;
}

/* An undefined name is one of a function or variable outside, which the linker says by itself. */
static int compile_and_link(const struct build *build, struct errmsg *err)
{
	struct command command = {.count = 0};
	int failed;

	if (build->job->explored)
		return compile_explored(build, err) || link_explored(build, err) ? -1 : 0;
	add_flags(&command, build);
	/* Flags for the preprocessor have done their work. */
	if (is_clang(build->cc))
		add(&command, "-Wno-unused-command-line-argument");
	add_words(&command, "-x cpp-output");
	add(&command, "%s", unfinished(build, SEEN).text);
	add_words(&command, "-x none -T");
	add(&command, "%s/readers/path/code.lds", build->tree.text);
	add_words(&command, LINK_FLAGS);
	add_words(&command, build->job->target ? TARGET_LINK_FLAGS : CONTEND_CC_LIBRARY);
	add(&command, "-o%s", unfinished(build, ELF).text);
	failed = run(build, &command, err);
	release_command(&command);
	return failed;
}

/*
 * The text that the compiler sees, and the compiler itself, by what changes when it is replaced.
 */
static int make_key(struct build *build, struct errmsg *err)
{
	struct command command = {.count = 0};
	struct stat state;
	FILE *key;

	if (cache_read(unfinished(build, SEEN).text, &build->seen) ||
	    stat(build->compiler, &state) || !(key = open_memstream(&build->key, &build->key_size)))
		return errmsg_set(err, "cannot read what the compiler made of the source: %s",
				  strerror(errno));
	add_flags(&command, build);
	fprintf(key, LINK_FLAGS " %s\n%s\n%s %lld %lld.%09ld\n",
		build->job->target ? TARGET_LINK_FLAGS : CONTEND_CC_LIBRARY,
		build->job->explored ? build->tree.text : "", build->compiler,
		(long long)state.st_size, (long long)state.st_mtim.tv_sec, state.st_mtim.tv_nsec);
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

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* What ends the key's file: by it damage to the result is seen. */
struct seal {
	char text[64];
};

static struct seal seal_of(const struct cache_file *elf)
{
	struct seal seal;

	snprintf(seal.text, sizeof(seal.text), "\n%016llx %zu bytes\n",
		 cache_hash(CACHE_HASH, elf->bytes, elf->size), elf->size);
	return seal;
}

/* Two keys may have one hash: the whole of them counts. */
static bool is_key_of(const struct build *build, const struct cache_file *key,
		      const struct cache_file *elf)
{
	const struct seal seal = seal_of(elf);
	const char *bytes = key->bytes;

	return key->size == build->key_size + strlen(seal.text) &&
	       memcmp(bytes, build->key, build->key_size) == 0 &&
	       memcmp(bytes + build->key_size, seal.text, strlen(seal.text)) == 0;
}

static bool is_cached(const struct build *build, struct cache_file *elf)
{
	struct cache_file key;
	bool right;

	if (cache_read(result_path(build, "elf").text, elf))
		return false;
	if (!cache_read(result_path(build, "key").text, &key)) {
		right = is_key_of(build, &key, elf);
		free(key.bytes);
		if (right)
			return true;
	}
	free(elf->bytes);
	*elf = (struct cache_file){.bytes = NULL};
	return false;
}

static int keep(struct build *build, const struct cache_file *elf, struct errmsg *err)
{
	const struct seal seal = seal_of(elf);
	const size_t bytes = strlen(seal.text);
	char *key = realloc(build->key, build->key_size + bytes);

	if (!key)
		return errmsg_set(err, "no memory for the source");
	build->key = key;
	memcpy(key + build->key_size, seal.text, bytes);
	return cache_write(result_path(build, "elf").text, elf->bytes, elf->size, err) ||
			       cache_write(result_path(build, "key").text, key,
					   build->key_size + bytes, err)
		       ? -1
		       : 0;
}

/*
 * The linker would not miss it. What macros call otherwise, it may find all the same; assembly
 * makes it known by .globl, and ends the line.
 */
static int find_function(const struct build *build, struct errmsg *err)
{
	const char *at = build->seen.bytes;

	while (at && (at = strstr(at, "reader")) != NULL) {
		const bool begins = at == build->seen.bytes || !is_of_name(at[-1]);

		at += strlen("reader");
		at += strspn(at, " \t\r\n");
		if (begins && (*at == '(' || *at == '\\'))
			return 0;
	}
	return errmsg_set(err,
			  "%.200s has no CLOCK_READER(page, clock, ts, note) {...} and no "
			  "LOCK(type, setup, publish, fetch);",
			  build->job->source);
}

/* What a compiler makes of these at once it makes without a call for each access. */
static int refuse_unseen(const struct build *build, struct errmsg *err)
{
	static const char *const unseen[] = {"__builtin_mem", "__builtin_str", "__builtin_bc",
					     "__builtin___mem", "__builtin___str"};

	for (size_t i = 0; build->job->explored && i < ARRAY_SIZE(unseen); i++) {
		const char *at = strstr(build->seen.bytes, unseen[i]);
		size_t length = 0;

		while (at && is_of_name(at[length]))
			length++;
		if (at)
			return errmsg_set(
				err,
				"it says %.*s, whose accesses are not seen: a loop's are, "
				"and those of memcpy, memmove and memset",
				(int)length, at);
	}
	return 0;
}

/* It follows from less than what is linked to it does, so it has a key of its own. */
static int make_runtime_key(struct build *runtime, struct errmsg *err)
{
	struct command command = {.count = 0};
	struct stat state;
	FILE *key;

	if (stat(runtime->compiler, &state) ||
	    !(key = open_memstream(&runtime->key, &runtime->key_size)))
		return errmsg_set(err, "no memory for the run-time");
	add_runtime_flags(&command, runtime);
	fprintf(key, "run-time %d\n%s %lld %lld.%09ld\n", runtime->job->built_in, runtime->compiler,
		(long long)state.st_size, (long long)state.st_mtim.tv_sec, state.st_mtim.tv_nsec);
	for (int i = 0; i < command.count; i++)
		fprintf(key, "%s\n", command.argument[i]);
	release_command(&command);
	if (fclose(key))
		return errmsg_set(err, "no memory for the run-time");
	snprintf(runtime->name, sizeof(runtime->name), "%016llx",
		 cache_hash(CACHE_HASH, runtime->key, runtime->key_size));
	return 0;
}

static int find_runtime(struct build *runtime, struct errmsg *err)
{
	struct cache_file file = {.bytes = NULL};
	int failed = 0;

	if (make_runtime_key(runtime, err))
		return -1;
	if (!is_cached(runtime, &file)) {
		failed = compile_runtime(runtime, err);
		if (!failed && cache_read(unfinished(runtime, RUNTIME).text, &file))
			failed = errmsg_set(err, "the compiler made nothing: %s", strerror(errno));
		if (!failed)
			failed = keep(runtime, &file, err);
	}
	free(file.bytes);
	return failed;
}

/* Made once by each compiler, for all sources. */
static int make_runtime(struct build *build, struct errmsg *err)
{
	struct build *runtime = malloc(sizeof(*runtime));
	int failed;

	if (!runtime)
		return errmsg_set(err, "no memory for the run-time");
	*runtime = *build;
	runtime->key = NULL;
	failed = find_runtime(runtime, err);
	if (!failed)
		build->runtime = result_path(runtime, "elf");
	free(runtime->key);
	free(runtime);
	return failed;
}

static int make_elf(struct build *build, struct cache_file *elf, struct errmsg *err)
{
	if (preprocess(build, err) || make_key(build, err) || find_function(build, err) ||
	    refuse_unseen(build, err))
		return -1;
	build->cacheable = !strstr(CONTEND_CC_MACHINE, "native") &&
			   is_cacheable(build->job->recipe->cflags, build->seen.bytes);
	if (build->cacheable && is_cached(build, elf))
		return 0;
	if ((build->job->explored && make_runtime(build, err)) || compile_and_link(build, err))
		return -1;
	if (cache_read(unfinished(build, ELF).text, elf))
		return errmsg_set(err, "the compiler made nothing: %s", strerror(errno));
	return build->cacheable ? keep(build, elf, err) : 0;
}

static int say_missing(const struct build *build, struct errmsg *err)
{
	const struct target *target = build->job->target;

	if (target && !build->job->recipe->cc)
		return errmsg_set(err,
				  "there is no compiler '%s' here: Debian's package %s has it, and "
				  "%s its headers",
				  build->cc, target->package, target->headers);
	return errmsg_set(err,
			  "there is no compiler '%.100s' here: it takes one to build a reader "
			  "(@cc= names it; 'contend list readers' tells what is built in)",
			  build->cc);
}

/* A name that begins like an option, or like a list of options, would be taken for one. */
static int find_source(struct build *build, struct errmsg *err)
{
	const struct compile_job *job = build->job;
	const bool is_plain = strchr("./", job->source[0]) != NULL;
	struct stat state;

	if (job->built_in)
		build->source = cache_path(&build->tree, job->source);
	else
		snprintf(build->source.text, sizeof(build->source.text), "%s%s",
			 is_plain ? "" : "./", job->source);
	if (access(build->source.text, R_OK) || stat(build->source.text, &state))
		return errmsg_set(err, "%.200s cannot be read: %s", job->source, strerror(errno));
	if (S_ISDIR(state.st_mode))
		return errmsg_set(err, "%.200s is a folder, and no source", job->source);
	if (!S_ISREG(state.st_mode))
		return errmsg_set(err,
				  "%.200s is no file of the usual kind, which it takes to be "
				  "read twice",
				  job->source);
	return 0;
}

static int prepare(struct build *build, struct errmsg *err)
{
	compile_name(build->job, build->job->target, build->cc, sizeof(build->cc));
	if (!find_compiler(build->cc, build->compiler))
		return say_missing(build, err);
	if (cache_open(&build->folder, err) ||
	    cache_write_sources(&build->folder, &build->tree, err) || find_source(build, err))
		return -1;
	build->unfinished = cache_path(&build->folder, CACHE_UNFINISHED "XXXXXX");
	if (mkdtemp(build->unfinished.text))
		return 0;
	errmsg_set(err, "no folder to compile in: %.200s: %s", build->folder.text, strerror(errno));
	build->unfinished.text[0] = '\0';
	return -1;
}

/* Compilers that were killed leave files with names of their own. */
static void tidy(struct build *build)
{
	if (build->unfinished.text[0])
		cache_remove(build->unfinished.text);
	free(build->seen.bytes);
	free(build->key);
}

/* What is made of the job: in *made, which is all zero before. */
typedef int make_fn(struct build *build, struct cache_file *made, struct errmsg *err);

static int see(struct build *build, struct cache_file *seen, struct errmsg *err)
{
	if (preprocess(build, err))
		return -1;
	if (cache_read(unfinished(build, SEEN).text, seen))
		return errmsg_set(err, "cannot read what the compiler made of the source: %s",
				  strerror(errno));
	return 0;
}

static int make(const struct compile_job *job, make_fn *way, struct cache_file *made,
		struct errmsg *err)
{
	struct build *build = calloc(1, sizeof(*build));
	int failed;

	if (!build)
		return errmsg_set(err, "no memory to compile a reader");
	build->job = job;
	build->mask = program_hold_signals();
	failed = prepare(build, err) || way(build, made, err);
	tidy(build);
	program_let_signals(&build->mask);
	free(build);
	if (!failed)
		return 0;
	free(made->bytes);
	*made = (struct cache_file){.bytes = NULL};
	return -1;
}

static int compile(const struct compile_job *job, struct cache_file *elf, struct errmsg *err)
{
	return make(job, make_elf, elf, err);
}

int compile_elf(const struct compile_job *job, void **elf, size_t *elf_bytes, struct errmsg *err)
{
	struct cache_file file = {.bytes = NULL};

	if (compile(job, &file, err))
		return -1;
	*elf = file.bytes;
	*elf_bytes = file.size;
	return 0;
}

int compile_seen(const struct compile_job *job, void **text, size_t *bytes, struct errmsg *err)
{
	struct cache_file file = {.bytes = NULL};

	if (make(job, see, &file, err))
		return -1;
	*text = file.bytes;
	*bytes = file.size;
	return 0;
}

int compile_reader(const struct compile_job *job, struct machine_code *code, struct errmsg *err)
{
	struct cache_file elf = {.bytes = NULL};

	*code = (struct machine_code){.elf = NULL};
	if (compile(job, &elf, err))
		return -1;
	if (!machine_code_open(code, elf.bytes, elf.size, err))
		return 0;
	free(elf.bytes);
	return -1;
}

void compiled_release(struct machine_code *code)
{
	free((void *)(uintptr_t)code->elf);
	*code = (struct machine_code){.elf = NULL};
}
