// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <unistd.h>

#include "cli/signals.h"
#include "report/status.h"

volatile sig_atomic_t signals_asked_to_stop;

static volatile sig_atomic_t has_result;
static volatile sig_atomic_t erased_columns;
static const char *volatile tidy[SIGNALS_MOST_TIDY];

/* By what a signal's handler may call. */
static void erase_line(void)
{
	static const char spaces[] = "                                        ";
	const sig_atomic_t most = sizeof(spaces) - 1;
	sig_atomic_t left = erased_columns;

	if (!left)
		return;
	(void)!write(STDERR_FILENO, "\r", 1);
	for (; left > 0; left -= most)
		(void)!write(STDERR_FILENO, spaces, (size_t)(left < most ? left : most));
	(void)!write(STDERR_FILENO, "\r", 1);
}

static void on_signal(int signal)
{
	(void)signal;
	if (has_result && !signals_asked_to_stop) {
		signals_asked_to_stop = 1;
		return;
	}
	for (size_t i = 0; i < SIGNALS_MOST_TIDY; i++)
		if (tidy[i])
			unlink(tidy[i]);
	erase_line();
	_exit(STATUS_INTERRUPTED);
}

static void handle(int signal)
{
	struct sigaction old;
	struct sigaction ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(signal, &ours, NULL);
}

void signals_handle(void)
{
	handle(SIGINT);
	handle(SIGTERM);
	handle(SIGHUP);
}

void signals_tidy(const char *path)
{
	size_t i = 0;

	while (i < SIGNALS_MOST_TIDY && tidy[i])
		i++;
	if (i < SIGNALS_MOST_TIDY)
		tidy[i] = path;
}

void signals_tidy_not(const char *path)
{
	for (size_t i = 0; i < SIGNALS_MOST_TIDY; i++)
		if (tidy[i] == path)
			tidy[i] = NULL;
}

void signals_erase(size_t columns)
{
	erased_columns = (sig_atomic_t)columns;
}

void signals_keep_result(void)
{
	has_result = 1;
}

void signals_stopped(void)
{
	on_signal(0);
}
