// SPDX-License-Identifier: GPL-2.0-or-later
#include "measure/path.h"

/* How far the stack may reach from where it was at the entry: frames below, arguments above. */
#define STACK_BELOW 65536
#define STACK_ABOVE 256

static bool is_on_stack(const struct walk *walk, uintptr_t address)
{
	return address + STACK_BELOW >= walk->stack && address < walk->stack + STACK_ABOVE;
}

/* The slot of the page that an address is in; PAGE_SLOTS: none of them. */
static int slot_of(const struct walk *walk, uintptr_t address)
{
	int slot = 0;

	while (slot < PAGE_SLOTS &&
	       (!walk->page[slot] || address - walk->page[slot] >= SIM_PAGE_BYTES))
		slot++;
	return slot;
}

static void touch(struct path_figures *figures, int slot, uintptr_t at, u32 bytes)
{
	const uintptr_t end = at + (bytes ? bytes : 1);

	for (uintptr_t line = at / CACHE_LINE; line * CACHE_LINE < end; line++)
		if (line < SIM_PAGE_BYTES / CACHE_LINE)
			figures->page_lines[slot] |= 1ull << line;
}

static void count_access(struct path_figures *figures, const struct walk *walk,
			 const struct step_access *access)
{
	struct path_memory *memory = access->stores ? &figures->stores : &figures->loads;
	const int slot = slot_of(walk, access->address);

	if (slot < PAGE_SLOTS) {
		memory->page++;
		touch(figures, slot, access->address - walk->page[slot], access->bytes);
	} else if (is_on_stack(walk, access->address)) {
		memory->stack++;
	} else {
		memory->elsewhere++;
	}
}

static void count_step(struct path_figures *figures, const struct step *step)
{
	figures->instructions++;
	figures->branches_taken += step->kind == STEP_BRANCH && step->taken;
	figures->branches_not_taken += step->kind == STEP_BRANCH && !step->taken;
	figures->jumps += step->kind == STEP_JUMP;
	figures->calls += step->kind == STEP_CALL;
	figures->system_calls += step->kind == STEP_SYSTEM;
}

static bool has_line(const struct walk *walk, size_t steps, uintptr_t line)
{
	for (size_t i = 0; i < steps; i++) {
		const struct step *step = &walk->step[i];

		if (step->address / CACHE_LINE <= line &&
		    (step->address + step->bytes - 1) / CACHE_LINE >= line)
			return true;
	}
	return false;
}

/* Each line where the first of its instructions is met. */
static u32 count_code_lines(const struct walk *walk)
{
	u32 lines = 0;

	for (size_t i = 0; i < walk->count; i++) {
		const uintptr_t first = walk->step[i].address / CACHE_LINE;
		const uintptr_t last =
			(walk->step[i].address + walk->step[i].bytes - 1) / CACHE_LINE;

		lines += !has_line(walk, i, first);
		lines += last != first && !has_line(walk, i, last);
	}
	return lines;
}

void path_of_walk(struct path_figures *figures, const struct walk *walk)
{
	*figures = (struct path_figures){
		.code_lines = count_code_lines(walk),
		.entry_byte = (u32)(walk->entry % CACHE_LINE),
		.data_offset = walk->data_offset,
	};
	for (size_t i = 0; i < walk->count; i++) {
		count_step(figures, &walk->step[i]);
		for (u32 a = 0; a < walk->step[i].accesses; a++)
			count_access(figures, walk, &walk->step[i].access[a]);
	}
}

void path_fill(struct path_figures *figures, const struct reader *reader, clockid_t clock)
{
	struct errmsg why;
	struct walk walk;

	*figures = (struct path_figures){.instructions = 0};
	if (walk_make(&walk, reader, clock, WALK_FAST, &why)) {
		figures->unavailable = why;
		return;
	}
	path_of_walk(figures, &walk);
	walk_release(&walk);
}
