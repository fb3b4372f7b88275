// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/calibrate_figures.h"
#include "measure/turns.h"

#define DRAW_NS (NSEC_PER_SEC / 10)
#define SEED	1

static u64 now_ns(void)
{
	struct timespec now;

	clock_gettime_syscall(CLOCK_MONOTONIC, &now);
	return (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec;
}

static int last_cpu(const cpu_set_t *cpus)
{
	int last = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET((size_t)cpu, cpus))
			last = cpu;
	return last;
}

/* The last CPU, as a rule, has the fewest interrupts. */
static int pin(int wanted, cpu_set_t *before, int *cpu, struct errmsg *err)
{
	cpu_set_t one;

	if (sched_getaffinity(0, sizeof(*before), before))
		return errmsg_set(err, "cannot tell which CPUs are allowed: %s", strerror(errno));
	*cpu = wanted < 0 ? last_cpu(before) : wanted;
	CPU_ZERO(&one);
	CPU_SET((size_t)*cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return errmsg_set(err, "cannot run on CPU %d: %s", *cpu, strerror(errno));
	return 0;
}

static void introduce(const struct field *field, struct calibrate_result *result)
{
	result->contestants = field->count;
	for (size_t i = 0; i < field->count; i++) {
		const struct contestant *from = &field->contestant[i];
		struct calibrate_contestant *to = &result->contestant[i];

		to->kind = from->kind;
		strcpy(to->name, from->name);
		to->unavailable = from->unavailable;
		to->code = (uintptr_t)contestant_code(from);
	}
	if (field->has_mirror) {
		result->layout = field->mirror.host.layout;
		result->clock_mode = field->mirror.snapshot.clock_mode;
		result->in_namespace = mirror_in_namespace(&field->mirror);
	}
	if (!field->has_mirror)
		result->no_values = field->no_mirror;
	else
		result->no_values = field->contestant[FIELD_HOST].unavailable;
}

/*
 * Whether a contestant asks the system. What reads no page of ours shows it by its instructions
 * alone, and nothing follows from what could not be seen of them.
 */
static void find_fallback(struct field *field, size_t contestant, clockid_t clock,
			  const struct disassembly *code, struct calibrate_cell *cell)
{
	if (contestant_reads_our_page(&field->contestant[contestant]))
		cell->calls_system = field_falls_back(field, contestant, clock);
	else if (cell->code.unavailable.text[0])
		cell->system_unknown = cell->code.unavailable;
	else
		cell->calls_system = disassembly_calls_system(code);
	if (cell->calls_system)
		errmsg_set(&cell->unavailable, "it calls the system");
}

/*
 * Makes sure that no call which is traced now has to carry into a new second, which is another way
 * through the code and none that a comparison should depend on.
 */
static void calm_down(struct field *field, size_t contestant, clockid_t clock)
{
	const struct timespec nap = {0, MIRROR_QUIET_NS / 10};
	struct errmsg err;

	if (!field->has_mirror)
		return;
	mirror_refresh(&field->mirror, &err);
	for (int i = 0; i < 80 && !mirror_is_quiet(&field->mirror, clock); i++) {
		nanosleep(&nap, NULL);
		mirror_refresh(&field->mirror, &err);
	}
	if (contestant_reads_our_page(&field->contestant[contestant]))
		mirror_be_quiet(&field->mirror);
}

static void look_at_cell(struct field *field, size_t contestant, clockid_t clock,
			 struct disassembly *code, struct calibrate_cell *cell)
{
	const struct contestant *who = &field->contestant[contestant];

	calm_down(field, contestant, clock);
	code_read(who, clock, code, &cell->code);
	if (who->unavailable.text[0])
		cell->unavailable = who->unavailable;
	else if (cell->code.call_fails)
		cell->unavailable = cell->code.unavailable;
	else
		field_tells(field, contestant, clock, &cell->unavailable);
	cell->no_values = cell->unavailable;
	/* An error in place of a value is compared all the same. */
	if (cell->unavailable.text[0] || field_try(field, contestant, clock, &cell->unavailable))
		cell->system_unknown = cell->unavailable;
	else if (who->kind != CONTESTANT_SYSTEM)
		find_fallback(field, contestant, clock, code, cell);
}

/* What calls the system may still be compared; what cannot be called, or has no answer, not. */
static void exclude_values(const struct calibrate_result *result, struct calibrate_cell *cells)
{
	const struct calibrate_cell *host = &cells[FIELD_HOST];

	for (size_t i = 0; i < result->contestants; i++) {
		struct calibrate_cell *cell = &cells[i];

		if (result->no_values.text[0])
			cell->no_values = result->no_values;
		else if (i == FIELD_HOST)
			errmsg_set(&cell->no_values, "it is what the others are compared with");
		else if (!cell->no_values.text[0] && host->code.call_fails)
			errmsg_set(&cell->no_values, "the host's vDSO: %.400s",
				   host->unavailable.text);
	}
}

/* The images that were given, each against the first. */
static void compare_pairs(const struct field *field, const struct disassembly *codes,
			  const struct calibrate_cell *cells, struct calibrate_pair *pairs)
{
	const size_t first = FIELD_IMAGES;

	for (size_t i = first + 1; i < field->count; i++) {
		const size_t unknown = cells[i].code.unavailable.text[0] ? i : first;
		struct code *code = &pairs[i - first].code;

		if (cells[unknown].code.unavailable.text[0]) {
			errmsg_set(&code->unavailable, "%s: %.400s",
				   field->contestant[unknown].name,
				   cells[unknown].code.unavailable.text);
			continue;
		}
		code->instructions = codes[i].count;
		code_compare(&codes[i], &codes[first], code);
	}
}

/* What each contestant does for a clock, before any of it is timed. */
static void look_at_clock(struct field *field, clockid_t clock, struct disassembly *codes,
			  struct calibrate_cell *cells, struct calibrate_pair *pairs)
{
	for (size_t i = 0; i < field->count; i++)
		look_at_cell(field, i, clock, &codes[i], &cells[i]);
	for (size_t i = 0; i < field->count; i++)
		if (codes[i].count && codes[FIELD_HOST].count)
			code_compare(&codes[i], &codes[FIELD_HOST], &cells[i].code);
	compare_pairs(field, codes, cells, pairs);
}

static int look_at_all(const struct calibrate_config *config, struct field *field,
		       struct calibrate_result *result, struct errmsg *err)
{
	struct disassembly *codes = calloc(field->count, sizeof(*codes));

	if (!codes)
		return errmsg_set(err, "no memory for the contestants' code");
	for (size_t i = 0; i < config->clocks; i++) {
		look_at_clock(field, config->clock[i], codes, result->cell[i], result->pair[i]);
		exclude_values(result, result->cell[i]);
	}
	free(codes);
	return 0;
}

/* Of the first clock, how we do against the host. */
static void find_figures(const struct turns *turns, char *figures, size_t bytes)
{
	const double ratio = turns_recent_ratio(turns, 0, FIELD_READER, FIELD_HOST);

	snprintf(figures, bytes, "%zu turns", turns->result->rounds);
	if (!isnan(ratio))
		snprintf(figures + strlen(figures), bytes - strlen(figures),
			 ", %s at %.3f of the host's vDSO", clock_name(turns->config->clock[0]),
			 ratio);
}

static void take_turns(struct turns *turns, progress_fn *progress, void *context,
		       const volatile sig_atomic_t *stop)
{
	const double duration = (double)turns->config->duration_ns;
	const u64 start = now_ns();
	u64 drawn = start, now;
	char figures[96];

	progress(0, duration / NSEC_PER_SEC, "", context);
	do {
		turns_take(turns);
		now = now_ns();
		if (now - drawn >= DRAW_NS) {
			double share = (double)(now - start) / duration;

			find_figures(turns, figures, sizeof(figures));
			progress(share < 1 ? share : 1,
				 share < 1 ? (1 - share) * duration / NSEC_PER_SEC : 0, figures,
				 context);
			drawn = now;
		}
	} while (!*stop && now - start < turns->config->duration_ns &&
		 turns->result->rounds < turns->max_rounds);
	/* One that comes in the last turn cuts nothing off. */
	turns->result->interrupted = now - start < turns->config->duration_ns &&
				     turns->result->rounds < turns->max_rounds;
	turns->result->seconds = (double)(now - start) / NSEC_PER_SEC;
}

static void remark_all(const struct calibrate_config *config, const struct field *field,
		       u64 steal_ticks, struct calibrate_result *result)
{
	cpu_set_t used;

	CPU_ZERO(&used);
	CPU_SET((size_t)result->cpu, &used);
	machine_remarks(&result->machine, &used, steal_ticks, &result->remarks);
	if (field->has_mirror && field->mirror.stopped.text[0])
		remark(&result->remarks,
		       "%s: from then on no values were compared, and figures mix what was before "
		       "and after",
		       field->mirror.stopped.text);
	calibrate_remark_unknown(config, result);
	calibrate_remark_ratios(config, result);
}

static int measure(const struct calibrate_config *config, struct field *field,
		   progress_fn *progress, void *context, const volatile sig_atomic_t *stop,
		   struct calibrate_result *result, struct errmsg *err)
{
	struct turns turns = {
		.config = config,
		.field = field,
		.result = result,
		.clock_mode = result->counter->clock_mode,
		.random = SEED,
	};
	u64 steal = machine_steal_ticks();
	int failed;

	if (look_at_all(config, field, result, err) || turns_prepare(&turns, err))
		return -1;
	take_turns(&turns, progress, context, stop);
	failed = calibrate_fill_figures(&turns, err);
	turns_release(&turns);
	remark_all(config, field, machine_steal_ticks() - steal, result);
	return failed;
}

int calibrate_execute(const struct calibrate_config *config, progress_fn *progress, void *context,
		      const volatile sig_atomic_t *stop, struct calibrate_result *result,
		      struct errmsg *err)
{
	struct field field;
	cpu_set_t before;
	int failed;

	memset(result, 0, sizeof(*result));
	machine_describe(&result->machine);
	if (pin(config->cpu, &before, &result->cpu, err))
		return -1;
	result->counter = clocksource_default();
	result->counter_hz = result->counter->frequency_hz();
	failed = field_open(&field, config->image, config->images, err);
	if (!failed) {
		introduce(&field, result);
		failed = measure(config, &field, progress, context, stop, result, err);
		field_close(&field);
	}
	sched_setaffinity(0, sizeof(before), &before);
	return failed;
}
