// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "readers/program.h"

/* How long its end may go unseen. */
#define GLANCE_NS 2000000

extern char **environ;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

sigset_t program_hold_signals(void)
{
	sigset_t held, before;
	struct sigaction action;

	sigemptyset(&held);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&held, ending[i]);
	pthread_sigmask(SIG_BLOCK, &held, &before);
	return before;
}

void program_let_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* One that would have ended us if it were not held back; not one held back before. */
static bool has_come(const sigset_t *mask)
{
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		if (sigismember(&pending, ending[i]) && !sigismember(mask, ending[i]))
			return true;
	return false;
}

static int set_up(posix_spawnattr_t *attributes, posix_spawn_file_actions_t *actions,
		  const sigset_t *mask)
{
	sigset_t blocked = *mask;
	int cause = posix_spawnattr_setflags(attributes,
					     POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);

	/* It may write to the terminal, whose foreground it is not. */
	sigaddset(&blocked, SIGTTOU);
	if (!cause)
		cause = posix_spawnattr_setsigmask(attributes, &blocked);
	if (!cause)
		cause = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null",
							 O_RDONLY, 0);
	if (!cause)
		cause = posix_spawn_file_actions_adddup2(actions, STDERR_FILENO, STDOUT_FILENO);
	return cause;
}

static int start(const char *file, char *const argument[], const sigset_t *mask, pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int cause = posix_spawn_file_actions_init(&actions);

	if (cause)
		return cause;
	cause = posix_spawnattr_init(&attributes);
	if (!cause) {
		cause = set_up(&attributes, &actions, mask);
		if (!cause)
			cause = posix_spawn(child, file, &actions, &attributes, argument, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return cause;
}

static time_t now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

enum end {
	ENDED,
	INTERRUPTED,
	TOO_LATE
};

/* Until it has ended, or is to be. 0, or the cause that it cannot be told. */
static int watch(pid_t child, const sigset_t *mask, u32 limit_s, int *status, enum end *end)
{
	const struct timespec glance = {.tv_nsec = GLANCE_NS};
	const time_t begun = now_s();

	for (;;) {
		pid_t ended = waitpid(child, status, WNOHANG);

		if (ended == child)
			return 0;
		if (ended < 0 && errno != EINTR)
			return errno;
		if (has_come(mask))
			*end = INTERRUPTED;
		else if (now_s() - begun > (time_t)limit_s)
			*end = TOO_LATE;
		if (*end != ENDED)
			return 0;
		nanosleep(&glance, NULL);
	}
}

static void end_group(pid_t leader)
{
	kill(-leader, SIGKILL);
	while (waitpid(leader, NULL, 0) < 0 && errno == EINTR)
		;
}

int program_run(const char *file, char *const argument[], const sigset_t *mask, u32 limit_s,
		struct errmsg *err)
{
	enum end end = ENDED;
	int status = 0;
	pid_t child;
	int cause = start(file, argument, mask, &child);

	if (!cause)
		cause = watch(child, mask, limit_s, &status, &end);
	if (cause)
		return errmsg_set(err, "%.200s cannot be run: %s", argument[0], strerror(cause));
	if (end != ENDED)
		end_group(child);
	if (end == INTERRUPTED)
		return errmsg_set(err, "%.200s was interrupted", argument[0]);
	if (end == TOO_LATE)
		return errmsg_set(err, "%.200s did not end within %u s", argument[0], limit_s);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status))
		return errmsg_set(err, "%.200s was ended: %s", argument[0],
				  strsignal(WTERMSIG(status)));
	return errmsg_set(err,
			  "%.200s did not take it, and ended with status %d: what it says, if "
			  "anything, is above",
			  argument[0], WEXITSTATUS(status));
}
