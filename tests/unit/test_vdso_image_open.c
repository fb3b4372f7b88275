// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening images, good and bad: what is said of those that are refused, and that nothing of any of
 * them stays behind: no memory, no descriptor, no child, no handler.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>

#include <cmocka.h>

#include "sim/barrier.h"
#include "tests/unit/in_child.h"
#include "tests/unit/process_maps.h"
#include "tests/unit/sound_images.h"

/* Files that the tests make. */
static char directory[] = "/tmp/contend-test-XXXXXX";

static const char *in_directory(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static size_t read_image(const char *name, u8 *bytes, size_t room)
{
	int fd = open(image_path(name), O_RDONLY);
	ssize_t got;

	assert_true(fd >= 0);
	got = read(fd, bytes, room);
	assert_true(got > 0 && (size_t)got < room);
	close(fd);
	return (size_t)got;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
	int fd = open(in_directory(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	close(fd);
}

/* A sound image whose clock_gettime is this code instead. */
static void write_image_with(const char *name, const u8 *code, size_t bytes)
{
	static u8 file[1 << 16];
	size_t size = read_image("v6.15", file, sizeof(file));
	struct vdso_elf elf;
	struct errmsg err;
	s64 at;

	assert_int_equal(vdso_elf_parse(file, size, &elf, &err), 0);
	at = vdso_elf_function(&elf, vdso_call_name(VDSO_CLOCK_GETTIME));
	assert_true(at > 0);
	memcpy(file + at, code, bytes);
	write_file(name, file, size);
}

#define WRITE_IMAGE(name, ...)                                          \
	do {                                                            \
		static const u8 code_of_it[] = {__VA_ARGS__};           \
		write_image_with(name, code_of_it, sizeof(code_of_it)); \
	} while (0)

/* The descriptor on which code that is about to sleep says so. */
#define HERALD 100

static int write_images(void **state)
{
	(void)state;
	/* clang-format off */
#if defined(__x86_64__)
	/* mov $0, %edi; mov $231, %eax (exit_group); syscall */
	WRITE_IMAGE("exits.so", 0xbf, 0, 0, 0, 0, 0xb8, 231, 0, 0, 0, 0x0f, 0x05);
	/* mov $39, %eax (getpid); syscall; mov %eax, %edi; mov $9, %esi; mov $62, %eax (kill) */
	WRITE_IMAGE("kills-itself.so", 0xb8, 39, 0, 0, 0, 0x0f, 0x05, 0x89, 0xc7,
		    0xbe, 9, 0, 0, 0, 0xb8, 62, 0, 0, 0, 0x0f, 0x05);
	/* mov $100, %edi; mov %rsp, %rsi; mov $1, %edx; mov $1, %eax (write); syscall */
	/* mov $34, %eax (pause); syscall; and once more */
	WRITE_IMAGE("sleeps.so", 0xbf, HERALD, 0, 0, 0, 0x48, 0x89, 0xe6, 0xba, 1, 0, 0, 0,
		    0xb8, 1, 0, 0, 0, 0x0f, 0x05, 0xb8, 34, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf7);
#elif defined(__i386__)
	/* The same by int $0x80, which has other registers and numbers. */
	WRITE_IMAGE("exits.so", 0xbb, 0, 0, 0, 0, 0xb8, 252, 0, 0, 0, 0xcd, 0x80);
	WRITE_IMAGE("kills-itself.so", 0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0x89, 0xc3,
		    0xb9, 9, 0, 0, 0, 0xb8, 37, 0, 0, 0, 0xcd, 0x80);
	WRITE_IMAGE("sleeps.so", 0xbb, HERALD, 0, 0, 0, 0x89, 0xe1, 0xba, 1, 0, 0, 0,
		    0xb8, 4, 0, 0, 0, 0xcd, 0x80, 0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7);
#endif
#if defined(__x86_64__) || defined(__i386__)
	/* xor %eax, %eax; ret */
	WRITE_IMAGE("does-nothing.so", 0x31, 0xc0, 0xc3);
	/* int3 */
	WRITE_IMAGE("traps.so", 0xcc);
	/* xor %esp, %esp; push %rax */
	WRITE_IMAGE("loses-stack.so", 0x31, 0xe4, 0x50);
#endif
	/* clang-format on */
	return 0;
}

static int make_files(void **state)
{
	static u8 file[1 << 16];
	int fd;

	if (!mkdtemp(directory))
		return -1;
	write_images(state);
	read_image("v6.15", file, sizeof(file));
	write_file("short.so", file, 1000);
	write_file("empty.so", file, 0);
	write_file("text.so", "#!/bin/sh\n", 10);
	mkfifo(in_directory("fifo.so"), 0600);
	fd = open(in_directory("large.so"), O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 1 << 30))
		return -1;
	return close(fd);
}

static int remove_files(void **state)
{
	char command[100];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

#if defined(__i386__)
#define CLOCK_GETTIME "__vdso_clock_gettime64"
#else
#define CLOCK_GETTIME "__vdso_clock_gettime"
#endif

/* What is refused, and a word of the sentence. */
static const struct refused {
	const char *name;
	const char *says;
	bool is_made_here; /* or by the build */
} refused[] = {
	{"hangs", CLOCK_GETTIME " did not return within 50 ms", false},
	{"crashes", CLOCK_GETTIME " crashed: Illegal instruction", false},
	{"writes", CLOCK_GETTIME " wrote to byte 464 of page -6, which is not its to write", false},
	{"reads-far", "where no page of an image can be", false},
	{"reads-null", CLOCK_GETTIME " read memory at 0x10, where no page", false},
	{"always-falls-back", "returned without having looked at a page", false},
	{"wrong-mult",
	 "its code first reads byte 0 of page -6, and no known layout there explains what it "
	 "returns (tried v6.17 at 0, v6.15 at 0, v6.10 at 0, v5.3 at 0, gtod-basemult at 0, gtod "
	 "at 0); in v6.17 MONOTONIC was ",
	 false},
	{"wrong-value", "MONOTONIC was ", false},
	{"unknown-layout", "no known layout there explains", false},
	{"hangs-on-odd",
	 "MONOTONIC did not return within 50 ms after the sequence was even again: it never leaves "
	 "an odd sequence",
	 false},
	{"raw-hangs-on-odd", "MONOTONIC_RAW did not return within 50 ms after", false},
	{"crashes-on-odd", "MONOTONIC crashed: Illegal instruction while the sequence was odd",
	 false},
	{"no-symbol", "it has no " CLOCK_GETTIME, false},
	{"nonexistent.so", "No such file or directory", true},
	{".", "not a regular file", true},
	{"fifo.so", "not a regular file", true},
	{"short.so", "the image", true},
	{"empty.so", "no ELF", true},
	{"text.so", "no ELF", true},
	{"large.so", "1073741824 bytes are more than any vDSO has", true},
#if defined(__x86_64__) || defined(__i386__)
	{"exits.so", "its code ended the process it was tried in", true},
	{"kills-itself.so", "its code ended the process it was tried in", true},
	{"does-nothing.so", "returned without having looked at a page", true},
	{"traps.so", "crashed: Trace/breakpoint trap", true},
	{"loses-stack.so", "where no page of an image can be", true},
#endif
};

static const char *refused_path(const struct refused *one)
{
	return one->is_made_here ? in_directory(one->name) : image_path(one->name);
}

/* The sentence says which image, and what is wrong with it. */
static void refuse(const char *path, const char *says)
{
	struct vdso_image image;
	struct errmsg err = {"nothing"};
	char start[4200];

	if (vdso_image_open(&image, path, &err) != -1)
		fail_msg("%s is taken", path);
	snprintf(start, sizeof(start), "image:%s: ", path);
	if (strncmp(err.text, start, strlen(start)) != 0 || !strstr(err.text, says) ||
	    strchr(err.text, '\n'))
		fail_msg("%s: \"%s\" instead of \"%s\"", path, err.text, says);
	assert_null(image.bytes);
	assert_null(image.reserved);
}

static void test_refuses(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		refuse(refused_path(&refused[i]), refused[i].says);
}

/* Whatever is wrong with them, they return from an odd sequence; the rest is for a run to find. */
static void test_takes_who_leaves_an_odd_sequence(void **state)
{
	static const char *const names[] = {"no-odd-check", "no-recheck", "half-outside",
					    "hangs-on-retry", "falls-back-on-odd"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct vdso_image image;

		open_image(&image, names[i]);
		assert_string_equal(image.wants.layout->name, "v6.15");
		vdso_image_close(&image);
	}
}

/* What a process holds. */
struct holdings {
	size_t mappings;
	int files;
};

static struct holdings held(void)
{
	static struct process_maps maps;

	assert_true(process_maps_read(&maps));
	return (struct holdings){maps.count, process_open_files()};
}

/* What is lost is lost each time; what an allocator or a sanitizer keeps for itself, now and then.
 */
#define TIMES 10

static void gives_back(void (*use)(const char *path), const char *path)
{
	struct holdings before, after;

	for (int i = 0; i < TIMES; i++) {
		before = held();
		use(path);
		after = held();
		assert_int_equal(after.files, before.files);
		if (after.mappings == before.mappings)
			return;
	}
	fail_msg("%s: %zu mappings became %zu", path, before.mappings, after.mappings);
}

static void open_and_refuse(const char *path)
{
	struct vdso_image image;
	struct errmsg err;

	assert_int_equal(vdso_image_open(&image, path, &err), -1);
}

static void open_and_close(const char *path)
{
	struct vdso_image image;
	struct errmsg err;

	if (vdso_image_open(&image, path, &err))
		fail_msg("%s", err.text);
	vdso_image_close(&image);
}

/* Twice each way, in a namespace if it knows any. */
static void attach_and_close(const char *path)
{
	struct page_region regions[2];
	struct vdso_image image;
	struct errmsg err;

	assert_int_equal(vdso_image_open(&image, path, &err), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(page_region_map(&regions[i], image.wants.layout,
						 image.wants.data_offset, &err),
				 0);
	assert_int_equal(vdso_image_place(&image, &err), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(vdso_image_attach(&image, &regions[i % 2],
						   i / 2 && image.wants.has_namespace, &err),
				 0);
	vdso_image_close(&image);
	for (int i = 0; i < 2; i++)
		page_region_unmap(&regions[i]);
}

static bool has_host(void)
{
	return getauxval(AT_SYSINFO_EHDR) != 0;
}

static void test_gives_all_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sound_images); i++) {
		gives_back(open_and_close, image_path(sound_images[i].name));
		gives_back(attach_and_close, image_path(sound_images[i].name));
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		gives_back(open_and_refuse, refused_path(&refused[i]));
	if (has_host()) {
		gives_back(open_and_close, "host");
		gives_back(attach_and_close, "host");
	}
}

/* A detector of leaks that sees none is worth nothing. */
static void test_leaks_would_be_seen(void **state)
{
	struct holdings before, after;
	struct vdso_image image;
	struct errmsg err;
	int fd;

	(void)state;
	assert_int_equal(vdso_image_open(&image, image_path("v6.15"), &err), 0);
	before = held();
	assert_int_equal(vdso_image_place(&image, &err), 0);
	fd = open("/dev/null", O_RDONLY);
	after = held();
	assert_true(after.mappings > before.mappings);
	assert_int_equal(after.files, before.files + 1);
	close(fd);
	vdso_image_close(&image);
	/* Closed twice is closed. */
	vdso_image_close(&image);
	assert_true(held().mappings < after.mappings);
}

/* No child is left, dead or alive. */
static void test_reaps_its_child(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		open_and_refuse(refused_path(&refused[i]));
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		assert_int_equal(errno, ECHILD);
	}
	open_and_close(image_path("v6.15"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* What a caller may have set up for itself. */
struct callers_own {
	struct sigaction action[_NSIG];
	sigset_t blocked;
	stack_t stack;
	struct itimerval timer[3];
};

static void look_at(struct callers_own *own)
{
	memset(own, 0, sizeof(*own));
	for (int signal = 1; signal < SIGRTMAX; signal++)
		sigaction(signal, NULL, &own->action[signal]);
	sigprocmask(SIG_SETMASK, NULL, &own->blocked);
	sigaltstack(NULL, &own->stack);
	getitimer(ITIMER_REAL, &own->timer[0]);
	getitimer(ITIMER_VIRTUAL, &own->timer[1]);
	getitimer(ITIMER_PROF, &own->timer[2]);
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	handled++;
}

static void set_up_own(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS,	SIGILL,	 SIGFPE, SIGTRAP,
				      SIGSYS,  SIGPROF, SIGALRM, SIGCHLD};
	static char other_stack[1 << 16];
	const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	const struct itimerval hours = {.it_interval = {7200, 0}, .it_value = {3600, 0}};
	struct sigaction action = {.sa_handler = handle};
	sigset_t some;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &action, NULL);
	sigaltstack(&stack, NULL);
	setitimer(ITIMER_REAL, &hours, NULL);
	setitimer(ITIMER_VIRTUAL, &hours, NULL);
	setitimer(ITIMER_PROF, &hours, NULL);
	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	sigaddset(&some, SIGSYS);
	sigprocmask(SIG_BLOCK, &some, NULL);
}

static int same_action(const struct sigaction *a, const struct sigaction *b)
{
	return a->sa_handler == b->sa_handler && a->sa_flags == b->sa_flags;
}

static int leaves_own_alone(void *path)
{
	static struct callers_own before, after;
	struct vdso_image image;
	struct errmsg err;

	set_up_own();
	handled = 0;
	look_at(&before);
	if (vdso_image_open(&image, path, &err) == 0)
		vdso_image_close(&image);
	look_at(&after);
	for (int signal = 1; signal < SIGRTMAX; signal++) {
		MUST(same_action(&before.action[signal], &after.action[signal]));
		MUST(sigismember(&before.blocked, signal) == sigismember(&after.blocked, signal));
	}
	MUST(before.stack.ss_sp == after.stack.ss_sp);
	MUST(before.stack.ss_flags == after.stack.ss_flags);
	for (int i = 0; i < 3; i++) {
		MUST(after.timer[i].it_interval.tv_sec == 7200);
		MUST(after.timer[i].it_value.tv_sec > 0);
		MUST(after.timer[i].it_value.tv_sec <= before.timer[i].it_value.tv_sec);
	}
	/* That the child has ended is all that comes of it. */
	MUST(handled <= 1);
	return 0;
}

static void test_leaves_the_callers_own_alone(void **state)
{
	(void)state;
	must_in_child(leaves_own_alone, (void *)(uintptr_t)image_path("v6.15"));
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		must_in_child(leaves_own_alone, (void *)(uintptr_t)refused_path(&refused[i]));
	if (has_host())
		must_in_child(leaves_own_alone, (void *)(uintptr_t) "host");
}

static void interrupt_often(void)
{
	const struct itimerval often = {.it_interval = {0, 300}, .it_value = {0, 300}};
	struct sigaction action = {.sa_handler = handle};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

/* Every system call that can be interrupted is, over and over. */
static int open_while_interrupted(void *path)
{
	struct vdso_image image;
	struct errmsg err;

	interrupt_often();
	MUST(vdso_image_open(&image, path, &err) == 0);
	vdso_image_close(&image);
	return 0;
}

static void test_opens_while_interrupted(void **state)
{
	(void)state;
	must_in_child(open_while_interrupted, (void *)(uintptr_t)image_path("v6.15"));
	must_in_child(open_while_interrupted, (void *)(uintptr_t)image_path("v5.3-no-namespace"));
}

/* Whoever started this process may have chosen to ignore how its children end. */
static int open_with_children_ignored(void *path)
{
	const struct refused *one = path;
	struct vdso_image image;
	struct errmsg err;

	signal(SIGCHLD, SIG_IGN);
	MUST(vdso_image_open(&image, image_path("v6.15"), &err) == 0);
	vdso_image_close(&image);
	MUST(vdso_image_open(&image, refused_path(one), &err) == -1);
	MUST(strstr(err.text, one->says));
	return 0;
}

static void test_opens_with_children_ignored(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		must_in_child(open_with_children_ignored, (void *)(uintptr_t)&refused[i]);
}

static u64 seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec;
}

/* Signals do not shorten the time that it is given, which on a busy machine is little enough. */
static int open_what_sleeps(void *path)
{
	struct vdso_image image;
	struct errmsg err;
	u64 start = seconds_now();

	interrupt_often();
	MUST(vdso_image_open(&image, path, &err) == -1);
	MUST(strstr(err.text, "trying its code took more than 10 s"));
	MUST(seconds_now() - start >= 9);
	MUST(waitpid(-1, NULL, WNOHANG) == -1);
	return 0;
}

static void skip_if_no_code_of_ours(void)
{
#if !defined(__x86_64__) && !defined(__i386__)
	skip();
#endif
}

static void test_code_that_sleeps(void **state)
{
	(void)state;
	skip_if_no_code_of_ours();
	must_in_child(open_what_sleeps, (void *)(uintptr_t)in_directory("sleeps.so"));
}

/* Code that sleeps goes with the process that tries it, even if that is killed. */
static void test_child_goes_with_its_parent(void **state)
{
	struct vdso_image image;
	struct errmsg err;
	int ends[2];
	pid_t parent;
	char byte;

	(void)state;
	skip_if_no_code_of_ours();
	assert_int_equal(pipe(ends), 0);
	parent = fork();
	assert_true(parent >= 0);
	if (parent == 0) {
		dup2(ends[1], HERALD);
		vdso_image_open(&image, in_directory("sleeps.so"), &err);
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	/* There is an end of it when there is nobody left who could write. */
	while (read(ends[0], &byte, 1) > 0)
		;
	close(ends[0]);
}

/* Where no process may be added, none is needed to say so; and nothing is lost. */
static int open_without_processes(void *path)
{
	const struct rlimit none = {0, 0};
	static struct process_maps before, after;
	struct vdso_image image;
	struct errmsg err;
	int files, times = 0;
	pid_t child;

	MUST(geteuid() != 0 || setresuid(65534, 65534, 65534) == 0);
	MUST(setrlimit(RLIMIT_NPROC, &none) == 0);
	child = fork();
	if (child == 0)
		_exit(0);
	if (child > 0)
		return -1; /* it cannot be forbidden here */
	files = process_open_files();
	do {
		MUST(times++ < TIMES);
		MUST(process_maps_read(&before));
		MUST(vdso_image_open(&image, path, &err) == -1);
		MUST(strstr(err.text, "cannot try the image in a process of its own: "));
		MUST(strstr(err.text, strerror(EAGAIN)));
		MUST(process_open_files() == files);
		MUST(process_maps_read(&after));
	} while (before.count != after.count);
	return 0;
}

static void test_no_process_to_try_it_in(void **state)
{
	static char path[4096];
	static u8 file[1 << 16];
	int line;

	(void)state;
	/* One that others may read. */
	write_file("sound.so", file, read_image("v6.15", file, sizeof(file)));
	snprintf(path, sizeof(path), "%s", in_directory("sound.so"));
	chmod(directory, 0755);
	chmod(path, 0644);
	line = in_child(open_without_processes, path);
	if (line == -1)
		skip();
	if (line)
		fail_msg("in the child line %d was not so", line);
}

/* A name that ends with that of a good image and has this many characters. */
static void name_of(size_t length, char *name)
{
	size_t used = strlen(in_directory("")), tail = strlen("sound.so");

	assert_true(length > used + tail);
	memset(name, '/', length);
	memcpy(name, in_directory(""), used);
	memcpy(name + length - tail, "sound.so", tail + 1);
}

static void test_length_of_names(void **state)
{
	const size_t most = sizeof(((struct vdso_image *)NULL)->name) - 1;
	static u8 file[1 << 16];
	struct vdso_image image;
	struct errmsg err;
	char name[4096];

	(void)state;
	write_file("sound.so", file, read_image("v6.15", file, sizeof(file)));
	name_of(most, name);
	if (vdso_image_open(&image, name, &err))
		fail_msg("%s", err.text);
	assert_string_equal(image.name, name);
	vdso_image_close(&image);
	for (size_t length = most + 1; length < 4090; length += 500) {
		name_of(length, name);
		assert_int_equal(vdso_image_open(&image, name, &err), -1);
		assert_non_null(strstr(err.text, "may have 255 characters"));
		vdso_image_close(&image);
	}
	assert_int_equal(vdso_image_open(&image, "", &err), -1);
	assert_string_equal(err.text, "image:: No such file or directory");
}

/* "host" is the host's; a file of that name is ./host. */
static void test_file_called_host(void **state)
{
	static u8 file[1 << 16];
	struct vdso_image image;
	struct errmsg err;

	(void)state;
	write_file("host", file, read_image("v5.3", file, sizeof(file)));
	assert_int_equal(vdso_image_open(&image, in_directory("host"), &err), 0);
	assert_false(image.patched_by_kernel);
	assert_string_equal(image.wants.layout->name, "v5.3");
	vdso_image_close(&image);
	if (!has_host())
		return;
	assert_int_equal(vdso_image_open(&image, "host", &err), 0);
	assert_true(image.patched_by_kernel);
	vdso_image_close(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_takes_who_leaves_an_odd_sequence),
		cmocka_unit_test(test_gives_all_back),
		cmocka_unit_test(test_leaks_would_be_seen),
		cmocka_unit_test(test_reaps_its_child),
		cmocka_unit_test(test_leaves_the_callers_own_alone),
		cmocka_unit_test(test_opens_while_interrupted),
		cmocka_unit_test(test_opens_with_children_ignored),
		cmocka_unit_test(test_no_process_to_try_it_in),
		cmocka_unit_test(test_code_that_sleeps),
		cmocka_unit_test(test_child_goes_with_its_parent),
		cmocka_unit_test(test_length_of_names),
		cmocka_unit_test(test_file_called_host),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
