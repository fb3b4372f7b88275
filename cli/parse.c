// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/parse.h"
#include "report/cell.h"

static u64 suffix_bytes(const char *suffix)
{
	if (!*suffix)
		return 1;
	if (suffix[1])
		return 0;
	switch (*suffix) {
	case 'K':
		return 1ull << 10;
	case 'M':
		return 1ull << 20;
	case 'G':
		return 1ull << 30;
	default:
		return 0;
	}
}

int parse_size(const char *text, u64 least, u64 most, u64 *bytes, struct errmsg *err)
{
	const char *end = text;
	u64 value, factor;

	if (!value_take_number(&end, &value) || !(factor = suffix_bytes(end)) ||
	    __builtin_mul_overflow(value, factor, &value) || value < least || value > most)
		return errmsg_set(err,
				  "%s is not a size from %s to %s: a whole number of bytes, or one "
				  "with K, M or G after it",
				  value_quote(text).text, cell_bytes(least).text,
				  cell_bytes(most).text);
	*bytes = value;
	return 0;
}

/* One element of a list: 2, 2-5 or 2-8:3. Moves *text past it. */
static bool take_cpus(const char **text, cpu_set_t *cpus)
{
	u64 first, last, step = 1;

	if (!value_take_number(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		(*text)++;
		if (!value_take_number(text, &last) || last < first)
			return false;
		if (**text == ':') {
			(*text)++;
			if (!value_take_number(text, &step) || step == 0 || step >= CPU_SETSIZE)
				return false;
		}
	}
	if (last >= CPU_SETSIZE)
		return false;
	for (u64 cpu = first; cpu <= last; cpu += step)
		CPU_SET((size_t)cpu, cpus);
	return true;
}

int parse_cpu_list(const char *text, cpu_set_t *cpus, struct errmsg *err)
{
	const char *at = text;
	cpu_set_t found;

	CPU_ZERO(&found);
	while (take_cpus(&at, &found)) {
		if (!*at) {
			*cpus = found;
			return 0;
		}
		if (*at++ != ',')
			break;
	}
	return errmsg_set(err, "%s is not a list of CPUs from 0 to %d, as in 0,2-3",
			  value_quote(text).text, CPU_SETSIZE - 1);
}

#define WORK_ALU_MAX   1000000
#define WORK_CACHE_MAX (1ull << 30)

/* 0.5L1: so many times the first level's data cache. */
static int parse_level(const char *text, u64 *bytes, struct errmsg *err)
{
	const long level = sysconf(_SC_LEVEL1_DCACHE_SIZE);
	const char *suffix = text + strspn(text, "0123456789.");
	char *end;
	double value = strtod(text, &end) * (double)level;

	if (level <= 0)
		return errmsg_set(err, "%s: the size of this machine's L1 is not known: give bytes",
				  value_quote(text).text);
	if (end != suffix || strcmp(suffix, "L1") != 0 ||
	    !(value >= CACHE_LINE && value <= WORK_CACHE_MAX))
		return errmsg_set(err,
				  "%s is not so many times L1, as in 0.5L1, of %s here, and "
				  "from %s to %s in all",
				  value_quote(text).text, cell_bytes((u64)level).text,
				  cell_bytes(CACHE_LINE).text, cell_bytes(WORK_CACHE_MAX).text);
	*bytes = (u64)value / CACHE_LINE * CACHE_LINE;
	return 0;
}

static int parse_cache(const char *text, u64 *bytes, struct errmsg *err)
{
	u64 value;

	if (isdigit((unsigned char)*text) && strchr(text, 'L'))
		return parse_level(text, bytes, err);
	if (parse_size(text, CACHE_LINE, WORK_CACHE_MAX, &value, err))
		return -1;
	if (value % CACHE_LINE)
		return errmsg_set(err, "%s is not a multiple of %d bytes", value_quote(text).text,
				  CACHE_LINE);
	*bytes = value;
	return 0;
}

int parse_work(const char *text, struct work_spec *work, struct errmsg *err)
{
	struct work_spec result = {.kind = WORK_NONE};

	if (strncmp(text, "alu:", 4) == 0) {
		result.kind = WORK_ALU;
		if (parse_count(text + 4, 1, WORK_ALU_MAX, &result.amount, err))
			return -1;
	} else if (strncmp(text, "cache:", 6) == 0) {
		result.kind = WORK_CACHE;
		if (parse_cache(text + 6, &result.amount, err))
			return -1;
	} else if (strcmp(text, "cold") == 0) {
		result.kind = WORK_COLD;
		if (!work_can_be_cold())
			return errmsg_set(err, "cold: this machine does not let programs put lines "
					       "out of its caches");
	} else if (strcmp(text, "none") != 0) {
		return errmsg_set(err, "%s is not one of none, alu:N, cache:SIZE, cold",
				  value_quote(text).text);
	}
	*work = result;
	return 0;
}
