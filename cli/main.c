// SPDX-License-Identifier: GPL-2.0-or-later
#include <capstone.h>
#include <fcntl.h>
#include <gsl/gsl_version.h>
#include <hwloc.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <urcu/config.h>

#include "cli/argument.h"
#include "cli/command.h"
#include "cli/run_options.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "report/build.h"
#include "report/invocation.h"
#include "report/status.h"
#include "sim/clocksource.h"

static const struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{"run", "run readers against a writer and measure them (the default)", command_run},
	{"observe", "watch the page of the running kernel", command_observe},
	{"calibrate", "hold our reader and vDSO images against this machine's own clock reads",
	 command_calibrate},
	{"compare", "is this reader faster than that one, and how sure is that", command_compare},
	{"inspect", "what a read is made of: instructions, branches, lines, bytes",
	 command_inspect},
	{"settle", "what was claimed of read paths, next to what is measured here", command_settle},
	{"sweep", "what share of reads retry, over many rates and numbers of readers",
	 command_sweep},
	{"verify", "can a run be trusted here: kills every mutant, accuses nothing that is correct",
	 command_verify},
	{"prove", "can this reader ever return a mixture, on any machine", command_prove},
	{"diff", "what changed from one result to another, and how sure that is", command_diff},
	{"report", "results as one HTML page with pictures, or one picture of them",
	 command_report},
	{"list", "list readers, writers, clock sources, figures or scenarios", command_list},
};

/* No hwloc call: loading a topology takes longer than all else here together. */
static int print_version(void)
{
	struct utsname host;

	printf("contend %s\n", CONTEND_VERSION);
	printf("  compiler      %s\n", BUILD_COMPILER);
	printf("  liburcu       %s, headers, %s\n", BUILD_URCU,
#ifdef CONFIG_RCU_SMP
	       "for several processors"
#else
	       "for one processor"
#endif
	);
	printf("  libelf        %s\n", BUILD_ELF);
	printf("  libdw         %s\n", BUILD_DW);
	printf("  inih          %s\n", BUILD_INIH);
	printf("  jansson       %s\n", jansson_version_str());
	printf("  hwloc         %s\n", HWLOC_VERSION);
	printf("  gsl           %s\n", gsl_version);
	printf("  capstone      %d.%d.%d\n", CS_VERSION_MAJOR, CS_VERSION_MINOR, CS_VERSION_EXTRA);
	printf("  architecture  %s\n", uname(&host) ? "unknown" : host.machine);
	printf("  counter       %s: %s\n", clocksource_default()->name,
	       clocksource_default()->summary);
	return STATUS_WELL;
}

static int print_help(void)
{
	printf("Usage: contend [COMMAND] [OPTION...]\n"
	       "A laboratory for read paths that are guarded by a sequence counter.\n\n"
	       "Commands; an option or a scenario, FILE.ini, first, or nothing at all, means run,\n"
	       "or settle if the scenario has a section [argument]:\n\n");
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	printf("\n  contend COMMAND --help tells more of a command;"
	       " contend --version what this was built from.\n\nOptions of run:\n\n");
	run_options_list();
	return STATUS_WELL;
}

static bool is_scenario(const char *word)
{
	size_t length = strlen(word);

	return length > 4 && strcmp(word + length - 4, ".ini") == 0;
}

static int unknown_command(const char *name)
{
	struct errmsg err;

	errmsg_set(&err,
		   "'%.60s' is neither a command, see contend --help, nor a scenario, FILE.ini",
		   name);
	return usage_complain(&err);
}

/*
 * Holds the places of standard streams that were closed, or a file that is opened later would get
 * one of them and what is printed with it. Reading what is only written fails, and the other way
 * round, so that a closed stream still counts as one that cannot be used.
 */
static void hold_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* Whoever read it has gone, and knows. */
static bool is_broken_pipe(int fd)
{
	struct pollfd pipe = {.fd = fd, .events = POLLOUT};

	return poll(&pipe, 1, 0) == 1 && pipe.revents & POLLERR;
}

/* Output that could not be written must not look like success. */
static int flushed(int status)
{
	const bool failed = fflush(stdout) || ferror(stdout);
	struct errmsg err;

	if (!failed && !(ferror(stderr) && is_broken_pipe(STDERR_FILENO)))
		return status;
	if (failed && !is_broken_pipe(STDOUT_FILENO)) {
		errmsg_set(&err, "standard output could not be written");
		usage_complain(&err);
	}
	return status ? status : STATUS_USAGE;
}

static int alone(int (*print)(void), int argc, char **argv)
{
	struct errmsg err;

	if (argc == 2)
		return print();
	errmsg_set(&err, "%s stands alone, without '%.60s'; see contend --help", argv[1], argv[2]);
	return usage_complain(&err);
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2)
		return command_run(argc, argv);
	if (strcmp(argv[1], "--version") == 0)
		return alone(print_version, argc, argv);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return alone(print_help, argc, argv);
	if (argv[1][0] == '-')
		return command_run(argc, argv);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	if (!is_scenario(argv[1]))
		return unknown_command(argv[1]);
	return argument_is_one(argv[1]) ? command_settle(argc, argv) : command_run(argc, argv);
}

int main(int argc, char **argv)
{
	hold_standard_streams();
	/* A result may be worth more than the text that nobody reads: writing fails, and no more.
	 */
	signal(SIGPIPE, SIG_IGN);
	/* Whoever started this may ignore it, and of our own children nothing would be known then.
	 */
	signal(SIGCHLD, SIG_DFL);
	signals_handle();
	invocation_note(argc, argv, time(NULL));
	return flushed(dispatch(argc, argv));
}
