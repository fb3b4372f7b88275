// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>

#include "measure/remarks.h"

void remark(struct remarks *remarks, const char *format, ...)
{
	va_list arguments;

	if (remarks->count == REMARKS_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(remarks->text[remarks->count++], REMARKS_MAX_TEXT, format, arguments);
	va_end(arguments);
}
