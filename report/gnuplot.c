// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/gnuplot.h"
#include "sim/types.h"

#define LIMIT_MS 60000
#define CHUNK	 16384

extern char **environ;

struct plotter {
	int script;	/* what it reads */
	int output;	/* where we read what it draws */
	int write_end;	/* where it writes that */
	int complaints; /* what it has to say */
	pid_t child;
};

static void close_all(struct plotter *plotter)
{
	int *const all[] = {&plotter->script, &plotter->output, &plotter->write_end,
			    &plotter->complaints};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (*all[i] >= 0)
			close(*all[i]);
		*all[i] = -1;
	}
}

static int fill(int descriptor, const char *text)
{
	size_t left = strlen(text);

	while (left) {
		const ssize_t written = write(descriptor, text, left);

		if (written < 0)
			return -1;
		text += written;
		left -= (size_t)written;
	}
	return lseek(descriptor, 0, SEEK_SET) < 0 ? -1 : 0;
}

static int open_all(struct plotter *plotter, const char *script, struct errmsg *err)
{
	int ends[2] = {-1, -1};
	int failed;

	plotter->script = memfd_create("script", MFD_CLOEXEC);
	plotter->complaints = memfd_create("complaints", MFD_CLOEXEC);
	failed = plotter->script < 0 || plotter->complaints < 0 || pipe2(ends, O_CLOEXEC) ||
		 fill(plotter->script, script);
	plotter->output = ends[0];
	plotter->write_end = ends[1];
	return failed ? errmsg_set(err, "gnuplot cannot be given its script: %s", strerror(errno))
		      : 0;
}

/* We ignore broken pipes; it is to end by one if we do. */
static int set_up(const struct plotter *plotter, posix_spawnattr_t *attributes,
		  posix_spawn_file_actions_t *actions)
{
	sigset_t usual;
	int cause = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);

	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	if (!cause)
		cause = posix_spawnattr_setsigdefault(attributes, &usual);
	if (!cause)
		cause = posix_spawn_file_actions_adddup2(actions, plotter->script, STDIN_FILENO);
	if (!cause)
		cause = posix_spawn_file_actions_adddup2(actions, plotter->write_end,
							 STDOUT_FILENO);
	if (!cause)
		cause = posix_spawn_file_actions_adddup2(actions, plotter->complaints,
							 STDERR_FILENO);
	return cause;
}

static int spawn(struct plotter *plotter)
{
	char *const arguments[] = {"gnuplot", "--default-settings", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int cause = posix_spawn_file_actions_init(&actions);

	if (cause)
		return cause;
	cause = posix_spawnattr_init(&attributes);
	if (!cause) {
		cause = set_up(plotter, &attributes, &actions);
		if (!cause)
			cause = posix_spawnp(&plotter->child, arguments[0], &actions, &attributes,
					     arguments, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return cause;
}

static int start(struct plotter *plotter, struct errmsg *err)
{
	const int cause = spawn(plotter);

	close(plotter->write_end);
	plotter->write_end = -1;
	if (cause == ENOENT)
		return errmsg_set(err, "there is no gnuplot here, which draws the pictures: "
				       "install Debian's gnuplot-nox, for instance");
	return cause ? errmsg_set(err, "gnuplot cannot be run: %s", strerror(cause)) : 0;
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

/* Until it closes its end. False: it does not, or *cause is not 0. */
static bool take_output(int descriptor, FILE *memory, int *cause)
{
	const long long end = now_ms() + LIMIT_MS;
	struct pollfd ready = {.fd = descriptor, .events = POLLIN};
	char chunk[CHUNK];

	for (;;) {
		const long long left = end - now_ms();
		ssize_t got;

		if (left <= 0 || poll(&ready, 1, (int)left) == 0)
			return false;
		got = read(descriptor, chunk, sizeof(chunk));
		if (got == 0)
			return true;
		if (got > 0)
			fwrite(chunk, 1, (size_t)got, memory);
		else if (errno != EINTR) {
			*cause = errno;
			return false;
		}
	}
}

/* Its complaints point at places in a script that nobody sees: the line with words is wanted. */
static int complain(int descriptor, struct errmsg *err)
{
	char said[1024];
	const ssize_t got = pread(descriptor, said, sizeof(said) - 1, 0);
	const char *words = NULL;
	char *rest = NULL;

	said[got > 0 ? got : 0] = '\0';
	for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (strstr(line, "line ") || !words)
			words = line;
	errmsg_set(err, "gnuplot failed: %.300s", words ? words : "it does not say why");
	return GNUPLOT_FAILED;
}

static int await(struct plotter *plotter, bool in_time, int cause, struct errmsg *err)
{
	int status;

	if (!in_time)
		kill(plotter->child, SIGKILL);
	while (waitpid(plotter->child, &status, 0) < 0)
		if (errno != EINTR)
			return errmsg_set(err, "gnuplot is lost: %s", strerror(errno));
	if (cause)
		return errmsg_set(err, "gnuplot cannot be read: %s", strerror(cause));
	if (!in_time)
		return errmsg_set(err, "gnuplot did not end within %d s", LIMIT_MS / 1000);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return complain(plotter->complaints, err);
	return 0;
}

static int draw(struct plotter *plotter, char **output, size_t *length, struct errmsg *err)
{
	FILE *memory = open_memstream(output, length);
	int cause = 0, failed;
	bool in_time;

	if (!memory)
		return errmsg_set(err, "no memory for a picture");
	failed = start(plotter, err);
	if (!failed) {
		in_time = take_output(plotter->output, memory, &cause);
		failed = await(plotter, in_time, cause, err);
	}
	if (fclose(memory) && !failed)
		failed = errmsg_set(err, "no memory for a picture");
	if (failed) {
		free(*output);
		*output = NULL;
	}
	return failed;
}

int gnuplot_run(const char *script, char **output, size_t *length, struct errmsg *err)
{
	struct plotter plotter = {-1, -1, -1, -1, -1};
	int failed = open_all(&plotter, script, err);

	*output = NULL;
	if (!failed)
		failed = draw(&plotter, output, length, err);
	close_all(&plotter);
	return failed;
}

/* U+FFFE and U+FFFF, which no picture in XML may hold. */
static bool is_none(const char *text)
{
	return strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

/* In one line, and nothing that a picture cannot show. */
static void write_plain(FILE *script, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		const bool control = (unsigned char)text[i] < ' ' || text[i] == 0x7f;

		fputc(control ? ' ' : is_none(text + i) ? '?' : text[i], script);
		i += is_none(text + i) ? 2 : 0;
	}
}

/*
 * Quotes are strings of their own: doubled within one, as gnuplot has it, they end it after all
 * where they come first.
 */
void gnuplot_string(FILE *script, const char *text)
{
	const char *between = "";

	if (!*text)
		fputs("' '", script);
	while (*text) {
		size_t length = strcspn(text, "'");

		fputs(between, script);
		if (!length) {
			fputs("\"'\"", script);
			length = 1;
		} else {
			fputc('\'', script);
			write_plain(script, text, length);
			fputc('\'', script);
		}
		text += length;
		between = ".";
	}
}
