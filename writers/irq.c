// SPDX-License-Identifier: GPL-2.0-or-later
#include "writers/tick.h"

static const struct spec_key irq_keys[] = {TICK_KEYS, {.name = NULL}};

const struct writer_kind writer_irq = {
	.name = "irq",
	.summary = "the tick in an interruption of a reader, on that reader's CPU: each in turn is "
		   "sent a signal, and makes the update in its handler",
	.keys = irq_keys,
	.interrupts = true,
	.check = tick_check,
	.publish = tick_publish,
	.middle = tick_middle,
};
