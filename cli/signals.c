// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <unistd.h>

#include "cli/signals.h"
#include "report/status.h"

volatile sig_atomic_t signals_asked_to_stop;

static volatile sig_atomic_t has_result;
static const char *volatile tidy[SIGNALS_MOST_TIDY];

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

void signals_keep_result(void)
{
	has_result = 1;
}

void signals_stopped(void)
{
	on_signal(0);
}
