// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>

#include "measure/ending.h"

static void add(sigset_t *signals, int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		sigaddset(signals, number);
}

sigset_t ending_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	add(&signals, SIGINT);
	add(&signals, SIGTERM);
	add(&signals, SIGHUP);
	return signals;
}
