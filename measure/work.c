// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/mman.h>

#include "measure/work.h"

int work_begin(struct work *work, const struct work_spec *spec, u64 seed, struct errmsg *err)
{
	*work = (struct work){.spec = *spec, .value = seed | 1};
	if (spec->kind != WORK_CACHE)
		return 0;
	work->lines = spec->amount / CACHE_LINE;
	work->memory = mmap(NULL, (size_t)spec->amount, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (work->memory == MAP_FAILED) {
		work->memory = NULL;
		return errmsg_set(err, "--work: no memory for cache:%llu in every reader",
				  (unsigned long long)spec->amount);
	}
	memset(work->memory, 1, (size_t)spec->amount);
	return 0;
}

void work_end(struct work *work)
{
	if (work->memory)
		munmap(work->memory, (size_t)work->spec.amount);
	work->memory = NULL;
}

static void work_alu(struct work *work)
{
	u64 value = work->value;

	for (u64 i = 0; i < work->spec.amount; i++) {
		value += value >> 1;
		/* Keeps the compiler from folding several operations into one. */
		__asm__ volatile("" : "+r"(value));
	}
	work->value = value | 1;
}

static void work_cache(struct work *work)
{
	for (u64 line = 0; line < work->lines; line++)
		work->memory[line * CACHE_LINE]++;
}

#if defined(__x86_64__) || defined(__i386__)

bool work_can_be_cold(void)
{
	return __builtin_cpu_supports("sse2");
}

static void put_out(const char *line)
{
	__asm__ volatile("clflush (%0)" : : "r"(line) : "memory");
}

/* Until it is done: a read would else begin while its lines are still there. */
static void await_put_out(void)
{
	__asm__ volatile("mfence" : : : "memory");
}

#elif defined(__aarch64__)

bool work_can_be_cold(void)
{
	return true;
}

static void put_out(const char *line)
{
	__asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}

static void await_put_out(void)
{
	__asm__ volatile("dsb ish" : : : "memory");
}

#else

bool work_can_be_cold(void)
{
	return false;
}

static void put_out(const char *line)
{
	(void)line;
}

static void await_put_out(void)
{
}

#endif

static void put_out_page(const char *page)
{
	for (size_t at = 0; page && at < WORK_COLD_BYTES; at += CACHE_LINE)
		put_out(page + at);
}

static void work_cold(const struct work *work)
{
	put_out_page(work->page);
	put_out_page(work->behind);
	await_put_out();
}

void work_once(struct work *work)
{
	switch (work->spec.kind) {
	case WORK_NONE:
		break;
	case WORK_ALU:
		work_alu(work);
		break;
	case WORK_CACHE:
		work_cache(work);
		break;
	case WORK_COLD:
		work_cold(work);
		break;
	}
}
