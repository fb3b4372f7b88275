// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From sources to code, in a cache of the test's own. The compiler is a script that counts its
 * calls, and then is the one that built contend.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "readers/cache.h"
#include "readers/cacheable.h"
#include "readers/compile.h"
#include "readers/placement.h"
#include "readers/program.h"
#include "readers/sources.h"
#include "readers/variation.h"
#include "sim/publish.h"
#include "tests/unit/in_child.h"
#include "tests/unit/updates.h"

#define NOBODY 65534

static char directory[] = "/tmp/contend-test-XXXXXX";
static struct recipe recipe; /* the script, for all jobs */
static char script[128];
static struct machine_code code;
static struct errmsg err;

struct path {
	char text[1024];
};

__attribute__((format(printf, 1, 2))) static struct path path_of(const char *format, ...)
{
	struct path path;
	va_list arguments;
	int used = snprintf(path.text, sizeof(path.text), "%s/", directory);

	va_start(arguments, format);
	vsnprintf(path.text + used, sizeof(path.text) - (size_t)used, format, arguments);
	va_end(arguments);
	return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	struct path path = path_of("%s", name);
	FILE *file = fopen(path.text, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path.text, mode), 0);
}

static void shell(const char *command)
{
	char text[2048];

	snprintf(text, sizeof(text), "cd '%s' && { %s; }", directory, command);
	if (system(text) != 0)
		fail_msg("%s", text);
}

/* A source whose reader returns what `value` is. */
static void write_source(const char *name, const char *before, const char *value)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "#include \"readers/reader.h\"\n%s\nCLOCK_READER(page, clock, ts, note)\n"
		 "{\n\t(void)page;\n\t(void)ts;\n\t(void)note;\n\t(void)clock;\n"
		 "\treturn %s;\n}\n",
		 before, value);
	write_file(name, text, 0644);
}

#define COUNTING                                                                              \
	"#!/bin/sh\ncase \" $* \" in *' -E '*) ;; *) echo >>%s/calls ;; esac\nexec %s \"$@\"" \
	" %s\n"

static void write_script(const char *more)
{
	char text[1024];

	snprintf(text, sizeof(text), COUNTING, directory, compile_default_cc, more);
	write_file("cc", text, 0755);
}

static void clear(void)
{
	shell("chmod -R u+rwx . && rm -rf -- * .[!.]*");
}

/* An empty cache, and the script as it was. */
static int begin(void **state)
{
	(void)state;
	clear();
	setenv("XDG_CACHE_HOME", path_of("cache").text, 1);
	snprintf(script, sizeof(script), "%s/cc", directory);
	write_script("");
	recipe = (struct recipe){.given = true, .cc = script};
	return 0;
}

static int make_directory(void **state)
{
	(void)state;
	return mkdtemp(directory) && chmod(directory, 0755) == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
	clear();
	return rmdir(directory);
}

/* How often the compiler has been asked for more than to preprocess. */
static int calls(void)
{
	FILE *file = fopen(path_of("calls").text, "r");
	int count = 0;

	if (!file)
		return 0;
	for (int c; (c = fgetc(file)) != EOF;)
		count += c == '\n';
	fclose(file);
	return count;
}

static int compile_named(const char *source)
{
	const struct compile_job job = {.source = source, .recipe = &recipe};

	return compile_reader(&job, &code, &err);
}

static int compile(const char *name)
{
	return compile_named(path_of("%s", name).text);
}

/* What the code returns when it is called at this place. */
static int call_at(u32 offset, clockid_t clock)
{
	struct placement placement;
	struct timespec ts;
	int result;

	if (placement_make(&placement, &code, offset, &err))
		fail_msg("%s", err.text);
	result = placement.entry(NULL, clock, &ts, NULL);
	placement_release(&placement);
	return result;
}

static void check_gives(const char *name, int value)
{
	if (compile(name))
		fail_msg("%s", err.text);
	assert_int_equal(call_at(0, 0), value);
	compiled_release(&code);
}

/* What the compiler has to say of it is not for those who read the test's output. */
static void check_refused(const char *name, const char *why)
{
	const int standard_error = dup(STDERR_FILENO);
	const int nowhere = open("/dev/null", O_WRONLY);
	int failed;

	memset(&err, 0, sizeof(err));
	fflush(stderr);
	dup2(nowhere, STDERR_FILENO);
	failed = name[0] == '/' ? compile_named(name) : compile(name);
	dup2(standard_error, STDERR_FILENO);
	close(standard_error);
	close(nowhere);
	if (!failed)
		fail_msg("%s was compiled", name);
	if (!strstr(err.text, why) || strchr(err.text, '\n'))
		fail_msg("\"%s\" does not say \"%s\"", err.text, why);
	assert_null(code.elf);
}

/* Files of the cache whose name ends like this. */
static int count_cached(const char *ending)
{
	DIR *folder = opendir(path_of("cache/contend").text);
	struct dirent *entry;
	int count = 0;

	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);

		count += length >= strlen(ending) &&
			 strcmp(entry->d_name + length - strlen(ending), ending) == 0;
		if (strncmp(entry->d_name, "unfinished", 10) == 0)
			fail_msg("%s was left behind", entry->d_name);
	}
	closedir(folder);
	return count;
}

static void test_cached(void **state)
{
	(void)state;
	write_source("a.c", "", "READER_COUNTED + 40");
	check_gives("a.c", 40);
	assert_int_equal(calls(), 1);
	check_gives("a.c", 40);
	assert_int_equal(calls(), 1);
	assert_int_equal(count_cached(".elf"), 1);
	assert_int_equal(count_cached(".key"), 1);
}

/* Whatever the result hangs on makes another one. */
static void test_what_makes_it_another(void **state)
{
	const struct path source = path_of("a.c");
	const struct compile_job counted = {
		.source = source.text, .counted = true, .recipe = &recipe};

	(void)state;
	write_source("a.c", "#include \"value.h\"\n#ifndef MORE\n#define MORE 0\n#endif",
		     "VALUE + MORE + READER_COUNTED");
	write_file("value.h", "#define VALUE 10\n", 0644);
	check_gives("a.c", 10);
	write_file("value.h", "#define VALUE 11\n", 0644);
	check_gives("a.c", 11);
	assert_int_equal(calls(), 2);
	recipe.defines = 1;
	recipe.define[0] = "MORE=20";
	check_gives("a.c", 31);
	recipe.cflags = "-O1";
	check_gives("a.c", 31);
	assert_int_equal(calls(), 4);
	assert_int_equal(compile_reader(&counted, &code, &err), 0);
	assert_int_equal(call_at(0, 0), 32);
	compiled_release(&code);
	assert_int_equal(calls(), 5);
	/* All of them are still there. */
	check_gives("a.c", 31);
	recipe.defines = 0;
	recipe.cflags = NULL;
	check_gives("a.c", 11);
	write_file("value.h", "#define VALUE 10\n", 0644);
	check_gives("a.c", 10);
	assert_int_equal(calls(), 5);
}

/* A response file may say anything, each time another thing. */
static void test_response_file(void **state)
{
	char flags[128];

	(void)state;
	snprintf(flags, sizeof(flags), "@%s/options", directory);
	recipe.cflags = flags;
	/* The size of a wchar_t is known after the preprocessor only. */
	write_source("a.c", "static const __typeof__(L'a') wide = 1;", "(int)sizeof(wide)");
	write_file("options", "-fno-short-wchar\n", 0644);
	check_gives("a.c", 4);
	check_gives("a.c", 4);
	assert_int_equal(calls(), 2);
	write_file("options", "-fshort-wchar\n", 0644);
	check_gives("a.c", 2);
	assert_int_equal(calls(), 3);
	assert_int_equal(count_cached(".elf") + count_cached(".key"), 0);
}

/* Bytes that only the assembler has seen. */
static void test_file_for_the_assembler(void **state)
{
	char before[512];

	(void)state;
	snprintf(before, sizeof(before),
		 "__asm__(\".pushsection .rodata\\nbytes: .inc\" \"bin \\\"%s/bytes\\\"\\n"
		 ".byte 0\\n.popsection\");\n"
		 "extern __attribute__((visibility(\"hidden\"))) const char bytes[];",
		 directory);
	write_source("a.c", before, "bytes[0]");
	write_file("bytes", "A", 0644);
	check_gives("a.c", 'A');
	write_file("bytes", "B", 0644);
	check_gives("a.c", 'B');
	assert_int_equal(calls(), 2);
}

static void test_cacheable(void **state)
{
	static const char *const unknown[] = {
		"@x",
		"-O2 @x",
		"-fprofile-use",
		"-B/x",
		"-fprofile-use=x",
		"-fauto-profile",
		"-specs=x",
		"-fplugin=x",
		"-fpass-plugin=x",
		"-Wl,-T,x",
		"-Wa,-I,x",
		"-Wp,-include,x",
		"-include x",
		"-march=native",
		"-O3 -mtune=native",
		"-mcpu=native",
		"-wrapper x",
		"-Xlinker x",
		"-T x",
		"-Lx",
		"x.o",
		"-mllvm x",
		"--sysroot=x",
		"-fuse-ld=x",
		"-I",
		"-fsanitize-ignorelist=x",
		"-lx",
		"-Xassembler x",
		"--config=x",
		"-",
	};
	static const char *const known[] = {
		"",
		" \t",
		"-O3",
		"-Os -fno-inline",
		"-march=x86-64-v3",
		"-mtune=generic",
		"-falign-functions=64",
		"-fcf-protection=full",
		"-DX=y",
		"-I/x",
		"-std=gnu17",
		"-Wno-all\t-w",
		"-fno-profile-values",
		"-g3",
		"--param=max-unroll-times=4",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unknown); i++)
		if (is_cacheable(unknown[i], ""))
			fail_msg("%s", unknown[i]);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!is_cacheable(known[i], "int f(void) { return a.incl + b.inc; }"))
			fail_msg("%s", known[i]);
	assert_true(is_cacheable(NULL, "asm(\"rdtsc\"); x.inc = 1. \"in\";"));
	assert_false(is_cacheable(NULL, "asm(\".incbin \\\"x\\\"\");"));
	assert_false(is_cacheable(NULL, "asm(\".include \\\"x\\\"\");"));
	assert_false(is_cacheable(NULL, "asm(\".\" \"inc\"\n\t\"bin \" F);"));
}

static void test_changed_compiler(void **state)
{
	struct stat before;
	struct timespec times[2];

	(void)state;
	write_source("a.c", "", "1");
	check_gives("a.c", 1);
	write_script("-O1");
	check_gives("a.c", 1);
	assert_int_equal(calls(), 2);
	/* The same size, and another time. */
	assert_int_equal(stat(script, &before), 0);
	times[0] = before.st_atim;
	times[1] = before.st_mtim;
	times[1].tv_sec -= 1000;
	assert_int_equal(utimensat(AT_FDCWD, script, times, 0), 0);
	check_gives("a.c", 1);
	assert_int_equal(calls(), 3);
}

/* Definitions of the recipe overrule those of the job. */
static void test_definitions(void **state)
{
	const struct path source = path_of("a.c");
	const struct compile_job job = {.source = source.text,
					.defines = 2,
					.define = {"A=1", "F(x,y)=((x)*(y))"},
					.recipe = &recipe};

	(void)state;
	recipe.defines = 1;
	recipe.define[0] = "A=3";
	write_source("a.c", "", "F(A, 7)");
	if (compile_reader(&job, &code, &err))
		fail_msg("%s", err.text);
	assert_int_equal(call_at(0, 0), 21);
	compiled_release(&code);
}

static struct page_region region;
static struct timekeeper told[2];

/* The built-in path compiled again is the one that was compiled with contend. */
static void check_built_in(bool counted)
{
	struct compile_job job = {.source = VARIATION_SOURCE,
				  .built_in = true,
				  .counted = counted,
				  .recipe = &recipe};
	const struct variation *v = &variations[0];
	struct placement placement;

	if (compile_reader(&job, &code, &err) || placement_make(&placement, &code, 12, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct read_note note = {.on_cpu = NULL};
		struct timespec wanted, is;

		assert_int_equal(v->bare(page_for_readers(&region), clocks[i], &wanted, NULL), 0);
		assert_int_equal(placement.entry(page_for_readers(&region), clocks[i], &is,
						 counted ? &note : NULL),
				 0);
		assert_true(wanted.tv_sec == is.tv_sec && wanted.tv_nsec == is.tv_nsec);
		assert_int_equal(note.seq, counted ? 2 : 0);
	}
	placement_release(&placement);
	compiled_release(&code);
}

static void test_built_in(void **state)
{
	(void)state;
	make_time(told, 1, SIM_CLOCKMODE_VIRTUAL);
	assert_int_equal(page_region_map(&region, &page_layout_current, 0, &err), 0);
	update_vsyscall(page_for_writer(&region), &page_layout_current, &told[1]);
	page_set_virtual_counter(&region, told[1].cycle_last + 12345);
	check_built_in(false);
	check_built_in(true);
	assert_int_equal(calls(), 2);
	check_built_in(false);
	check_built_in(true);
	assert_int_equal(calls(), 2);
	page_region_unmap(&region);
}

/* Every source that a reader's header needs is in the binary: there is no tree here. */
static void test_all_built_in_sources(void **state)
{
	(void)state;
	for (const struct source *source = sources; source->path; source++) {
		struct compile_job job = {
			.source = source->path, .built_in = true, .recipe = &recipe};
		size_t length = strlen(source->path);

		/* Those that are only explored have tests of their own. */
		if (strcmp(source->path + length - 2, ".c") != 0 ||
		    strncmp(source->path, "readers/library/", 16) == 0 ||
		    strncmp(source->path, "prove/", 6) == 0)
			continue;
		if (compile_reader(&job, &code, &err))
			fail_msg("%s: %s", source->path, err.text);
		compiled_release(&code);
	}
	assert_true(calls() >= 5);
}

/* Constants move with the code, and stay where they are to each other. */
static void test_constants(void **state)
{
	(void)state;
	write_source(
		"a.c",
		"static const int squares[] = {0, 1, 4, 9, 16, 25, 36, 49, 64};\n"
		"static int which(int n) { switch (n) { case 1: return 5; case 2: return 77;\n"
		"case 3: return 1; case 4: return 12; case 5: return 9; default: return 0; } }",
		"squares[clock] * 100 + which(clock)");
	assert_int_equal(compile("a.c"), 0);
	assert_true(code.text > 0);
	for (u32 offset = 0; offset < SIM_PAGE_BYTES; offset += 60) {
		static const int wanted[] = {0, 105, 477, 901, 1612, 2509, 3600, 4900, 6400};

		for (int i = 0; i < (int)ARRAY_SIZE(wanted); i++)
			assert_int_equal(call_at(offset, i), wanted[i]);
	}
	compiled_release(&code);
}

static void test_refused_code(void **state)
{
	static const struct {
		const char *before, *value, *why;
	} wrong[] = {
		{"static int calls;", "calls++", "variables of its own"},
		{"static int calls = 5;", "calls++", "variables of its own"},
		{"int calls;", "calls++", "variables of its own"},
		{"static __thread int calls;", "calls++", "variables of its own"},
		{"static int f(int n) { return n; } static int g(int n) { return n * n; }"
		 "static int (*const table[])(int) = {f, g, g, f, f, g};",
		 "table[clock](clock)", "holds addresses"},
		{"static void *table[] = {table};", "*(int *)table[clock]", "variables of its own"},
		{"int getpid(void);", "getpid()", "did not take it"},
		{"#include <errno.h>", "errno", "did not take it"},
		{"", "undeclared", "did not take it"},
		{"#include \"nowhere.h\"", "0", "did not take it"},
		{"#error no", "0", "did not take it"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		write_source("a.c", wrong[i].before, wrong[i].value);
		check_refused("a.c", wrong[i].why);
		/* Of what is kept, too. */
		check_refused("a.c", wrong[i].why);
	}
	write_file("empty.c", "", 0644);
	check_refused("empty.c", "no CLOCK_READER(");
	write_file("empty.c", "#include \"readers/reader.h\"\nint my_reader(void);\n", 0644);
	check_refused("empty.c", "no CLOCK_READER(");
}

static void test_sources_that_cannot_be_read(void **state)
{
	(void)state;
	check_refused("none.c", "none.c cannot be read: No such file");
	shell("mkdir d.c && mkfifo f.c && ln -s l.c l.c");
	check_refused("d.c", "is a folder");
	check_refused("f.c", "no file of the usual kind");
	check_refused("l.c", "cannot be read");
	check_refused("/dev/null", "no file of the usual kind");
	assert_int_equal(calls(), 0);
}

/* Names that mean something to a shell, to compilers, or to contend's own notation. */
static void test_names(void **state)
{
	static const char *const names[] = {"a b.c",	"a,b.c",  "a:b=c.c",   "a@b=c.c",
					    "'$(x)'.c", "-O9.c",  "no-suffix", "a.s",
					    "a\\b.c",	"\xff.c", "-I/x.c",    "@at/x.c"};
	char before[4096];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	shell("mkdir ./-I @at");
	assert_int_equal(chdir(directory), 0);
	for (int i = 0; i < (int)ARRAY_SIZE(names); i++) {
		char value[16];

		snprintf(value, sizeof(value), "%d", i);
		write_source(names[i], "", value);
		check_gives(names[i], i);
		if (compile_named(names[i]))
			fail_msg("%s: %s", names[i], err.text);
		assert_int_equal(call_at(0, 0), i);
		compiled_release(&code);
	}
	assert_int_equal(chdir(before), 0);
}

static void test_cache_of_an_odd_name(void **state)
{
	(void)state;
	setenv("XDG_CACHE_HOME", path_of("a, b=c/-x/'$y' @z").text, 1);
	write_source("a.c", "", "6");
	check_gives("a.c", 6);
	check_gives("a.c", 6);
	assert_int_equal(calls(), 1);
}

static void test_where_the_cache_is(void **state)
{
	struct cache_path folder;
	char home[4096] = "";

	(void)state;
	if (getenv("HOME"))
		snprintf(home, sizeof(home), "%s", getenv("HOME"));
	assert_int_equal(cache_open(&folder, &err), 0);
	assert_string_equal(folder.text, path_of("cache/contend").text);
	setenv("HOME", path_of("home").text, 1);
	setenv("XDG_CACHE_HOME", "relative", 1);
	assert_int_equal(cache_open(&folder, &err), 0);
	assert_string_equal(folder.text, path_of("home/.cache/contend").text);
	unsetenv("XDG_CACHE_HOME");
	assert_int_equal(cache_open(&folder, &err), 0);
	assert_string_equal(folder.text, path_of("home/.cache/contend").text);
	if (home[0])
		setenv("HOME", home, 1);
	else
		unsetenv("HOME");
}

static void test_compilers_that_are_none(void **state)
{
	struct path source;

	(void)state;
	write_source("a.c", "", "0");
	recipe.cc = "/nowhere/cc";
	check_refused("a.c", "no compiler '/nowhere/cc'");
	recipe.cc = "contend-no-such-cc";
	check_refused("a.c", "no compiler 'contend-no-such-cc'");
	recipe.cc = directory;
	check_refused("a.c", "no compiler '");
	source = path_of("a.c");
	recipe.cc = source.text;
	check_refused("a.c", "no compiler '");
	recipe.cc = script;
	write_file("cc", "#!/nowhere/sh\n", 0755);
	check_refused("a.c", "cannot be run");
	write_file("cc", "#!/bin/sh\nexit 0\n", 0755);
	check_refused("a.c", "cannot read what the compiler made");
	write_file("cc", "#!/bin/sh\nkill -9 $$\n", 0755);
	check_refused("a.c", "was ended: Killed");
	write_file("cc",
		   "#!/bin/sh\nfor one; do case $one in -o*) echo 'reader(' >\"${one#-o}\" ;; "
		   "esac; done\n",
		   0755);
	check_refused("a.c", "no ELF file");
}

static void test_compiler_that_hangs(void **state)
{
	const struct path source = path_of("a.c");
	const struct compile_job job = {.source = source.text, .recipe = &recipe, .limit_s = 1};

	(void)state;
	write_source("a.c", "", "0");
	shell("mkfifo held");
	write_file("cc", "#!/bin/sh\nsleep 1000\n", 0755);
	assert_int_equal(compile_reader(&job, &code, &err), -1);
	if (!strstr(err.text, "did not end within 1 s"))
		fail_msg("%s", err.text);
	assert_int_equal(count_cached(".elf"), 0);
	write_script("");
	/* A FIFO in the place of a header. */
	write_source("a.c", "#include \"held\"", "0");
	assert_int_equal(compile_reader(&job, &code, &err), -1);
	if (!strstr(err.text, "did not end within 1 s"))
		fail_msg("%s", err.text);
	assert_int_equal(count_cached(".elf"), 0);
}

/* The writing end of a pipe is closed when all who had it have ended. */
static void test_all_of_a_program_is_ended(void **state)
{
	char text[] = "sleep 1000 & sleep 1000", shell_name[] = "sh", option[] = "-c";
	char *command[] = {shell_name, option, text, NULL};
	int ends[2];
	sigset_t mask;
	char byte;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	mask = program_hold_signals();
	assert_int_equal(program_run("/bin/sh", command, &mask, 0, &err), -1);
	program_let_signals(&mask);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

static int interrupt_compiler(void *argument)
{
	int status;
	pid_t child = fork();

	(void)argument;
	if (child == 0)
		_exit(compile("a.c") ? 1 : 0);
	while (access(path_of("begun").text, F_OK))
		usleep(1000);
	MUST(kill(child, SIGINT) == 0);
	MUST(waitpid(child, &status, 0) == child);
	MUST(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	return 0;
}

static void test_interrupted(void **state)
{
	(void)state;
	write_source("a.c", "", "0");
	write_file("cc",
		   "#!/bin/sh\nfor one; do case $one in -o*) : >\"${one#-o}.tmp\" ;; esac; done\n"
		   ": >\"${0%/*}/begun\"\nsleep 1000\n",
		   0755);
	must_in_child(interrupt_compiler, NULL);
	assert_int_equal(count_cached(".elf"), 0);
}

static void test_left_behind(void **state)
{
	(void)state;
	write_source("a.c", "", "3");
	check_gives("a.c", 3);
	shell("cd cache/contend && mkdir -p unfinished-old/x unfinished-new other && "
	      "echo >unfinished-old/seen.i && ln -s ../other unfinished-old/link && "
	      "echo >other/file && touch -d '2 hours ago' unfinished-old other");
	check_gives("a.c", 3);
	shell("cd cache/contend && test ! -e unfinished-old && test -e unfinished-new && "
	      "test -e other/file && rmdir unfinished-new");
}

static void check_repaired(const char *damage)
{
	const int before = calls();

	shell(damage);
	if (compile("a.c"))
		fail_msg("%s: %s", damage, err.text);
	assert_int_equal(call_at(0, 0), 5);
	compiled_release(&code);
	if (calls() != before + 1)
		fail_msg("%s: the compiler was called %d times", damage, calls() - before);
	check_gives("a.c", 5);
	assert_int_equal(calls(), before + 1);
}

static void test_damaged_cache(void **state)
{
	static const char *const damages[] = {
		"rm cache/contend/*.elf",
		"rm cache/contend/*.key",
		": >$(ls cache/contend/*.elf)",
		": >$(ls cache/contend/*.key)",
		"truncate -s 100 cache/contend/*.elf",
		"truncate -s -1 cache/contend/*.elf",
		"truncate -s +1 cache/contend/*.elf",
		"truncate -s -1 cache/contend/*.key",
		"echo x >>$(ls cache/contend/*.key)",
		/* The first bytes of its code: there is nothing wrong with the file. */
		"printf '\\017\\013' | dd of=$(ls cache/contend/*.elf) bs=1 seek=200 conv=notrunc "
		"2>/dev/null",
		"rm cache/contend/*.elf && ln -s /nowhere $(ls cache/contend/*.key | sed "
		"s/key/elf/)",
		"rm -r cache/contend/sources* cache/contend/*.elf",
		"find cache -name code.lds -exec rm {} + && rm cache/contend/*.key",
	};

	(void)state;
	write_source("a.c", "", "5");
	check_gives("a.c", 5);
	for (size_t i = 0; i < ARRAY_SIZE(damages); i++)
		check_repaired(damages[i]);
	/* Folders in the place of files are for the user to move away. */
	shell("rm cache/contend/*.elf && mkdir $(ls cache/contend/*.key | sed s/key/elf/)");
	check_refused("a.c", "cannot write");
}

/* A header that somebody has written to is put right, or code would not be what it says. */
static void test_changed_sources(void **state)
{
	(void)state;
	write_source("a.c", "", "(int)NSEC_PER_SEC == 1000000000");
	check_gives("a.c", 1);
	shell("sed -i 's/NSEC_PER_SEC/NSEC_PER_BEC/' $(find cache -name types.h)");
	check_gives("a.c", 1);
}

static int compile_in_child(void *argument)
{
	(void)argument;
	MUST(!compile("a.c"));
	MUST(call_at(0, 0) == 8);
	compiled_release(&code);
	return 0;
}

#define AT_ONCE 4

static void test_processes_at_once(void **state)
{
	pid_t children[AT_ONCE];

	(void)state;
	write_source("a.c", "", "8");
	for (int i = 0; i < AT_ONCE; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0)
			_exit(compile_in_child(NULL) ? 1 : 0);
	}
	for (int i = 0; i < AT_ONCE; i++) {
		int status;

		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(count_cached(".elf"), 1);
	assert_true(calls() >= 1 && calls() <= AT_ONCE);
	check_gives("a.c", 8);
}

static void *compile_in_thread(void *result)
{
	const struct path source = path_of("a.c");
	const struct compile_job job = {.source = source.text, .recipe = &recipe};
	struct machine_code mine;
	struct errmsg why;

	*(int *)result = compile_reader(&job, &mine, &why);
	compiled_release(&mine);
	return NULL;
}

static void test_threads_at_once(void **state)
{
	pthread_t threads[AT_ONCE];
	int results[AT_ONCE];

	(void)state;
	write_source("a.c", "", "8");
	for (int i = 0; i < AT_ONCE; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, compile_in_thread, &results[i]),
				 0);
	for (int i = 0; i < AT_ONCE; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < AT_ONCE; i++)
		assert_int_equal(results[i], 0);
	assert_int_equal(count_cached(".elf"), 1);
	check_gives("a.c", 8);
}

/* Root may write wherever it likes. */
static int cannot_write(void *argument)
{
	(void)argument;
	if (geteuid() == 0)
		MUST(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
	MUST(compile("a.c") == -1);
	MUST(strstr(err.text, "cannot be kept in"));
	MUST(strstr(err.text, "XDG_CACHE_HOME"));
	MUST(!code.elf);
	return 0;
}

static void test_read_only_cache(void **state)
{
	(void)state;
	write_source("a.c", "", "0");
	shell("mkdir cache && chmod 0555 cache");
	must_in_child(cannot_write, NULL);
	shell("chmod 0755 cache && mkdir cache/contend && chmod 0555 cache/contend cache");
	must_in_child(cannot_write, NULL);
	shell("chmod 0755 cache && rm -r cache && echo >cache");
	must_in_child(cannot_write, NULL);
}

/* What others can write to would be run. */
static void test_cache_of_others(void **state)
{
	(void)state;
	write_source("a.c", "", "0");
	shell("mkdir -p cache/contend && chmod 0777 cache/contend");
	check_refused("a.c", "not this user's alone");
	shell("chmod 0770 cache/contend");
	check_refused("a.c", "not this user's alone");
	shell("chmod 0700 cache/contend && mv cache/contend elsewhere && ln -s ../elsewhere "
	      "cache/contend");
	check_refused("a.c", "cache/contend is a symbolic link");
	if (geteuid() != 0)
		return;
	shell("rm cache/contend && mkdir cache/contend && chown 65534 cache/contend");
	check_refused("a.c", "not this user's alone");
}

/* Who can write to a folder can put another in the place of what it holds. */
static void test_cache_in_a_place_of_others(void **state)
{
	(void)state;
	write_source("a.c", "", "4");
	setenv("XDG_CACHE_HOME", path_of("top/cache").text, 1);
	shell("mkdir -p top/cache && chmod 0777 top");
	check_refused("a.c", "/top can be changed by other users");
	shell("chmod 0775 top");
	check_refused("a.c", "/top can be changed by other users");
	shell("chmod 1777 top");
	check_gives("a.c", 4);
	shell("chmod 0755 top && chmod 0777 top/cache");
	check_refused("a.c", "/top/cache can be changed by other users");
	/* Where a link on the way leads counts as well. */
	shell("chmod 0755 top/cache && mkdir -p open/cache && ln -s open link && chmod 0777 open");
	setenv("XDG_CACHE_HOME", path_of("link/cache").text, 1);
	check_refused("a.c", "/open can be changed by other users");
	shell("chmod 0755 open");
	check_gives("a.c", 4);
	if (geteuid() != 0)
		return;
	shell("chown -h 65534 link");
	check_refused("a.c", "/link can be changed by other users");
	shell("chown -h 0 link && chown 65534 open");
	check_refused("a.c", "/open can be changed by other users");
}

static void test_long_command(void **state)
{
	static char flags[2048];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(flags); i += 2)
		memcpy(flags + i, "- ", 2);
	flags[sizeof(flags) - 1] = '\0';
	recipe.cflags = flags;
	write_source("a.c", "", "0");
	check_refused("a.c", "too long");
}

#define WITH_BEGIN(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BEGIN(test_cached),
		WITH_BEGIN(test_what_makes_it_another),
		WITH_BEGIN(test_response_file),
		WITH_BEGIN(test_file_for_the_assembler),
		WITH_BEGIN(test_cacheable),
		WITH_BEGIN(test_changed_compiler),
		WITH_BEGIN(test_definitions),
		WITH_BEGIN(test_built_in),
		WITH_BEGIN(test_all_built_in_sources),
		WITH_BEGIN(test_constants),
		WITH_BEGIN(test_refused_code),
		WITH_BEGIN(test_sources_that_cannot_be_read),
		WITH_BEGIN(test_names),
		WITH_BEGIN(test_cache_of_an_odd_name),
		WITH_BEGIN(test_where_the_cache_is),
		WITH_BEGIN(test_compilers_that_are_none),
		WITH_BEGIN(test_compiler_that_hangs),
		WITH_BEGIN(test_all_of_a_program_is_ended),
		WITH_BEGIN(test_interrupted),
		WITH_BEGIN(test_left_behind),
		WITH_BEGIN(test_damaged_cache),
		WITH_BEGIN(test_changed_sources),
		WITH_BEGIN(test_processes_at_once),
		WITH_BEGIN(test_threads_at_once),
		WITH_BEGIN(test_read_only_cache),
		WITH_BEGIN(test_cache_of_others),
		WITH_BEGIN(test_cache_in_a_place_of_others),
		WITH_BEGIN(test_long_command),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
