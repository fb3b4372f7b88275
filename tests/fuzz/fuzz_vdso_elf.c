// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What libFuzzer calls with whatever it has come up with: it is parsed as a vDSO image, its
 * functions are looked up and its alternatives applied to a copy. Nothing outside of the input may
 * be read, and what is said of the image must be so.
 */
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/alternatives.h"
#include "sim/vdso_elf.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/*
 * The input, right before memory that cannot be read, which stops libelf too, built without a
 * sanitizer as it is. In front of the input the sanitizer stands guard.
 */
static const u8 *before_fence(const u8 *data, size_t size)
{
	static u8 *room;

	if (!room) {
		room = mmap(NULL, 2 * (size_t)VDSO_ELF_MAX_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		require(room != MAP_FAILED);
		require(mprotect(room + VDSO_ELF_MAX_BYTES, VDSO_ELF_MAX_BYTES, PROT_NONE) == 0);
	}
	ASAN_UNPOISON_MEMORY_REGION(room, VDSO_ELF_MAX_BYTES);
	memcpy(room + VDSO_ELF_MAX_BYTES - size, data, size);
	ASAN_POISON_MEMORY_REGION(room, VDSO_ELF_MAX_BYTES - size);
	return room + VDSO_ELF_MAX_BYTES - size;
}

static bool in_a_place(const struct alternatives *done, size_t at)
{
	for (size_t i = 0; i < done->count; i++)
		if (at >= done->list[i].offset && at - done->list[i].offset < done->list[i].bytes)
			return true;
	return false;
}

/* Nothing changes outside of the places that are shown. */
static void apply_alternatives(const struct vdso_elf *elf)
{
	struct alternatives done;
	struct errmsg err;
	struct cpu_id cpu;
	u8 *copy = malloc(elf->segment_bytes);

	require(copy != NULL);
	memcpy(copy, elf->bytes, elf->segment_bytes);
	cpu_id_read(&cpu);
	if (alternatives_apply(elf, &cpu, copy, &done, &err) != 0)
		require(done.count == 0);
	for (size_t at = 0; at < elf->segment_bytes; at++)
		require(copy[at] == elf->bytes[at] || in_a_place(&done, at));
	free(copy);
}

static void use(const struct vdso_elf *elf, size_t size)
{
	const char *end = (const char *)elf->bytes + size;

	require(elf->segment_bytes <= size);
	require(elf->alternatives_bytes <= elf->segment_bytes);
	require(elf->function_count > 0);
	for (size_t i = 0; i < elf->function_count; i++) {
		const char *name = elf->function[i].name;

		require(name + strlen(name) < end);
		require(elf->function[i].offset < elf->segment_bytes);
		require(vdso_elf_function(elf, name) >= 0);
	}
	vdso_elf_function(elf, "__vdso_clock_gettime");
	apply_alternatives(elf);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct vdso_elf elf;
	struct errmsg err = {.text = ""};

	if (size > VDSO_ELF_MAX_BYTES)
		return 0;
	if (vdso_elf_parse(before_fence(data, size), size, &elf, &err) == 0)
		use(&elf, size);
	else
		require(err.text[0] != 0);
	return 0;
}
