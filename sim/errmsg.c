// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>

#include "sim/errmsg.h"

int errmsg_set(struct errmsg *err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(err->text, sizeof(err->text), format, arguments);
	va_end(arguments);
	return -1;
}
