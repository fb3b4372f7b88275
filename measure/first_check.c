// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/first_check.h"
#include "measure/quiet.h"

#define CHECKS	8
#define CHILD_S 10

/* What the child has found, in memory that it shares. */
struct finding {
	bool done;
	bool wrong;
	struct errmsg why;
};

_Noreturn static void be_child(const struct reader *reader, const struct clocksource *cs,
			       struct finding *finding)
{
	struct quiet quiet;
	sigset_t alarms;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, SIG_DFL);
	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarms, NULL);
	alarm(CHILD_S);
	finding->wrong = quiet_open(&quiet, reader, cs, cs->frequency_hz(), &finding->why) != 0;
	for (int i = 0; i < CHECKS && !finding->wrong; i++)
		finding->wrong = quiet_check(&quiet, reader, reader->bare, &finding->why) != 0;
	finding->done = true;
	_exit(0);
}

static int check(const struct reader *reader, const struct clocksource *cs, struct finding *finding,
		 struct errmsg *err)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		be_child(reader, cs, finding);
	if (child < 0)
		return errmsg_set(err, "no child process to check a reader in: %s",
				  strerror(errno));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (finding->done && !finding->wrong)
		return 0;
	if (finding->done)
		return errmsg_set(err, "reader '%.100s': %.390s", reader->path, finding->why.text);
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGALRM)
		return errmsg_set(err, "reader '%.100s': its code crashes: %s", reader->path,
				  strsignal(WTERMSIG(status)));
	return errmsg_set(err, "reader '%.100s': its code does not return", reader->path);
}

int first_check(const struct reader *reader, const struct clocksource *cs, struct errmsg *err)
{
	struct finding *finding;
	int failed;

	if (reader->image || cs->has_record)
		return 0;
	finding = mmap(NULL, sizeof(*finding), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (finding == MAP_FAILED)
		return errmsg_set(err, "no memory to check a reader: %s", strerror(errno));
	failed = check(reader, cs, finding, err);
	munmap(finding, sizeof(*finding));
	return failed;
}
