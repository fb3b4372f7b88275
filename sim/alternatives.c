// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "sim/alternatives.h"
#include "sim/bounds.h"

/* The longest that an entry may replace; the longest in a vDSO is 5. */
#define PLACE_MAX_BYTES 32

#define FEATURE_WORDS 32 /* the kernel has 22 to 24 */

#define ENTRY_INVERTED	  1
#define ENTRY_DIRECT_CALL 2

/* One entry, offsets from the start of the image. */
struct entry {
	u32 place;
	u32 replacement;
	u16 feature;
	u16 flags;
	u8 place_bytes;
	u8 replacement_bytes;
};

/* The layouts that there were, named by the size of an entry. */
enum layout {
	LAYOUT_PADDING = 13, /* until about 5.13 */
	LAYOUT_SHORT = 12,   /* until 6.2: bit 15 of the feature inverts it */
	LAYOUT_FLAGS = 14,   /* since 6.3 */
};

struct table {
	size_t count;
	struct entry entry[ALTERNATIVES_MAX];
};

static u16 get_u16(const u8 *from)
{
	u16 value;

	memcpy(&value, from, sizeof(value));
	return value;
}

/* An offset that counts from where it is stored; what leads out of the image is very large. */
static u64 get_offset(const struct vdso_elf *elf, u32 at)
{
	s32 distance;

	memcpy(&distance, elf->bytes + at, sizeof(distance));
	return (u64)at + (u64)(s64)distance;
}

/* Reads the entry at offset `at` as one of this layout; false if it cannot be one. */
static bool read_entry(const struct vdso_elf *elf, enum layout layout, u32 at, struct entry *entry)
{
	const u8 *bytes = elf->bytes + at;
	const u8 *lengths = bytes + (layout == LAYOUT_FLAGS ? 12 : 10);
	u64 place = get_offset(elf, at);
	u64 replacement = get_offset(elf, at + 4);

	*entry = (struct entry){
		.place = (u32)place,
		.replacement = (u32)replacement,
		.feature = get_u16(bytes + 8) & 0x7fff,
		.flags = layout == LAYOUT_FLAGS ? get_u16(bytes + 10) : bytes[9] >> 7,
		.place_bytes = lengths[0],
		.replacement_bytes = lengths[1],
	};
	return entry->place_bytes > 0 && entry->place_bytes <= PLACE_MAX_BYTES &&
	       entry->replacement_bytes <= entry->place_bytes &&
	       (layout != LAYOUT_PADDING || bytes[12] <= entry->place_bytes) &&
	       (layout != LAYOUT_FLAGS || !(bytes[9] >> 7)) &&
	       entry->feature < FEATURE_WORDS * 32 &&
	       entry->flags <= (ENTRY_INVERTED | ENTRY_DIRECT_CALL) &&
	       lies_within(place, entry->place_bytes, elf->segment_bytes) &&
	       lies_within(replacement, entry->replacement_bytes, elf->segment_bytes);
}

/* Reads the table as one of this layout; false if it cannot be one. */
static bool read_table(const struct vdso_elf *elf, enum layout layout, struct table *table)
{
	size_t count = elf->alternatives_bytes / layout;

	if (elf->alternatives_bytes % layout != 0 || count > ALTERNATIVES_MAX)
		return false;
	table->count = count;
	for (u32 i = 0; i < count; i++)
		if (!read_entry(elf, layout, elf->alternatives + i * layout, &table->entry[i]))
			return false;
	return true;
}

/* Nothing in an image states the layout, so it is the one by which every entry makes sense. */
static int find_table(const struct vdso_elf *elf, struct table *table, struct errmsg *err)
{
	static const enum layout layouts[] = {LAYOUT_PADDING, LAYOUT_SHORT, LAYOUT_FLAGS};
	enum layout last = 0;
	int fits = 0;

	if (elf->alternatives_bytes > ALTERNATIVES_MAX * LAYOUT_FLAGS)
		return errmsg_set(err, "the image has more than %d alternatives, too many",
				  ALTERNATIVES_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (!read_table(elf, layouts[i], table))
			continue;
		last = layouts[i];
		fits++;
	}
	if (fits == 0)
		return errmsg_set(err, "the image's .altinstructions have no layout known here");
	if (fits > 1)
		return errmsg_set(err, "the image's .altinstructions fit more than one layout");
	read_table(elf, last, table);
	return 0;
}

static const char *describe_presence(bool present)
{
	return present ? "this CPU has it" : "this CPU has it not";
}

/* NULL if the entry is to be applied, else why not. */
static const char *reason_to_leave(const struct entry *entry, const struct cpu_feature *feature,
				   const struct cpu_id *cpu, const u8 *image)
{
	const u8 *code = image + entry->replacement;
	bool inverted = entry->flags & ENTRY_INVERTED;

	if (!feature)
		return "what this feature is, is not known here";
	if (feature->unfit)
		return feature->unfit;
	if (feature->present(cpu) == inverted)
		return describe_presence(inverted);
	/* call, jmp, short jmp: they would have to be made to reach the same from elsewhere. */
	if (entry->flags & ENTRY_DIRECT_CALL ||
	    (entry->replacement_bytes > 0 && (*code == 0xe8 || *code == 0xe9 || *code == 0xeb)))
		return "its instructions are a jump";
	return NULL;
}

static void describe(const struct entry *entry, const struct cpu_feature *feature,
		     struct alternative *shown)
{
	const char *not = entry->flags & ENTRY_INVERTED ? "not " : "";

	if (feature)
		snprintf(shown->feature, sizeof(shown->feature), "%s%s", not, feature->name);
	else
		snprintf(shown->feature, sizeof(shown->feature), "%sfeature %u*32+%u", not,
			 (unsigned int)entry->feature / 32, (unsigned int)entry->feature % 32);
	shown->offset = entry->place;
	shown->applied = false;
}

/* NOPs of 1 to 8 bytes, as 64-bit kernels have them; a vDSO needs none that is longer than 5. */
static void fill_with_nops(u8 *code, size_t bytes)
{
	static const u8 nops[][8] = {
		{0x90},
		{0x66, 0x90},
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40, 0x00},
		{0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
		{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	};

	while (bytes) {
		size_t length = bytes < 8 ? bytes : 8;

		memcpy(code, nops[length - 1], length);
		code += length;
		bytes -= length;
	}
}

/*
 * Where nothing is put in place, padding is joined to longer NOPs all the same; only where it is
 * certain to be padding, because all else in the place is a known instruction: none, or rdtsc.
 */
static void join_padding(u8 *code, size_t bytes)
{
	size_t own = bytes > 2 && code[0] == 0x0f && code[1] == 0x31 ? 2 : 0;

	for (size_t i = own; i < bytes; i++)
		if (code[i] != 0x90)
			return;
	fill_with_nops(code + own, bytes - own);
}

static void put_in_place(const struct entry *entry, size_t place_bytes, u8 *image)
{
	u8 code[PLACE_MAX_BYTES];

	memcpy(code, image + entry->replacement, entry->replacement_bytes);
	fill_with_nops(code + entry->replacement_bytes, place_bytes - entry->replacement_bytes);
	memcpy(image + entry->place, code, place_bytes);
}

/* One place may be nested in the padding of another that begins where it does. */
static u8 longest_place(const struct table *table, size_t first, size_t end)
{
	u8 bytes = 0;

	for (size_t i = first; i < end; i++)
		if (table->entry[i].place_bytes > bytes)
			bytes = table->entry[i].place_bytes;
	return bytes;
}

/* Entries first to end - 1 are those of one place. Of several that apply the last one stays. */
static void apply_to_place(const struct table *table, size_t first, size_t end,
			   const struct cpu_id *cpu, u8 *image, struct alternative *shown)
{
	const struct entry *chosen = NULL;
	u8 bytes = longest_place(table, first, end);
	bool known = false;

	for (size_t i = end; i-- > first;) {
		const struct entry *entry = &table->entry[i];
		const struct cpu_feature *feature = cpu_feature_find(entry->feature);

		known |= feature != NULL;
		describe(entry, feature, &shown[i]);
		shown[i].bytes = bytes;
		shown[i].why = reason_to_leave(entry, feature, cpu, image);
		if (shown[i].why)
			continue;
		shown[i].applied = !chosen;
		shown[i].why = chosen ? "a later one of the same place applies"
				      : describe_presence(!(entry->flags & ENTRY_INVERTED));
		if (!chosen)
			chosen = entry;
	}
	if (chosen)
		put_in_place(chosen, bytes, image);
	else if (known)
		join_padding(image + table->entry[first].place, bytes);
}

int alternatives_apply(const struct vdso_elf *elf, const struct cpu_id *cpu, u8 *image,
		       struct alternatives *done, struct errmsg *err)
{
	struct table table;

	done->count = 0;
	if (!elf->alternatives_bytes)
		return 0;
	if (find_table(elf, &table, err) != 0)
		return -1;
	for (size_t first = 0, end; first < table.count; first = end) {
		for (end = first + 1; end < table.count; end++)
			if (table.entry[end].place != table.entry[first].place)
				break;
		apply_to_place(&table, first, end, cpu, image, done->list);
	}
	done->count = table.count;
	return 0;
}
