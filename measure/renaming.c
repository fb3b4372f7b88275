// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "measure/renaming.h"

/* General registers by x86's numbers, then those of vectors. */
#define GENERAL	  16
#define FAMILIES  48
#define NO_FAMILY 255
#define AX	  0
#define DX	  2
#define SP	  4

/* A register, as a family and which part of it. */
struct name {
	u8 family; /* NO_FAMILY: flags, segments and the like, which have no other names */
	u8 part;
};

enum part {
	PART_LOW,
	PART_HIGH,
	PART_16,
	PART_32,
	PART_64,
	PART_128,
	PART_256,
	PART_512
};

static const u16 general[][GENERAL] = {
	[PART_LOW] = {X86_REG_AL, X86_REG_CL, X86_REG_DL, X86_REG_BL, X86_REG_SPL, X86_REG_BPL,
		      X86_REG_SIL, X86_REG_DIL, X86_REG_R8B, X86_REG_R9B, X86_REG_R10B,
		      X86_REG_R11B, X86_REG_R12B, X86_REG_R13B, X86_REG_R14B, X86_REG_R15B},
	[PART_HIGH] = {X86_REG_AH, X86_REG_CH, X86_REG_DH, X86_REG_BH},
	[PART_16] = {X86_REG_AX, X86_REG_CX, X86_REG_DX, X86_REG_BX, X86_REG_SP, X86_REG_BP,
		     X86_REG_SI, X86_REG_DI, X86_REG_R8W, X86_REG_R9W, X86_REG_R10W, X86_REG_R11W,
		     X86_REG_R12W, X86_REG_R13W, X86_REG_R14W, X86_REG_R15W},
	[PART_32] = {X86_REG_EAX, X86_REG_ECX, X86_REG_EDX, X86_REG_EBX, X86_REG_ESP, X86_REG_EBP,
		     X86_REG_ESI, X86_REG_EDI, X86_REG_R8D, X86_REG_R9D, X86_REG_R10D, X86_REG_R11D,
		     X86_REG_R12D, X86_REG_R13D, X86_REG_R14D, X86_REG_R15D},
	[PART_64] = {X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX, X86_REG_RSP, X86_REG_RBP,
		     X86_REG_RSI, X86_REG_RDI, X86_REG_R8, X86_REG_R9, X86_REG_R10, X86_REG_R11,
		     X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15},
};

static struct name name_of(unsigned int reg)
{
	if (reg == X86_REG_INVALID)
		return (struct name){NO_FAMILY, 0};
	for (u8 part = 0; part < ARRAY_SIZE(general); part++)
		for (u8 i = 0; i < GENERAL; i++)
			if (general[part][i] == reg)
				return (struct name){i, part};
	if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31)
		return (struct name){(u8)(GENERAL + reg - X86_REG_XMM0), PART_128};
	if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31)
		return (struct name){(u8)(GENERAL + reg - X86_REG_YMM0), PART_256};
	if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31)
		return (struct name){(u8)(GENERAL + reg - X86_REG_ZMM0), PART_512};
	return (struct name){NO_FAMILY, 0};
}

/* Whether one may stand where the other does; those without a family must be the same. */
static bool same_part(unsigned int a, unsigned int b)
{
	const struct name of_a = name_of(a), of_b = name_of(b);

	if (of_a.family == NO_FAMILY || of_b.family == NO_FAMILY)
		return a == b;
	return of_a.part == of_b.part;
}

static bool same_memory(const x86_op_mem *a, const x86_op_mem *b)
{
	return a->segment == b->segment && a->scale == b->scale && same_part(a->base, b->base) &&
	       same_part(a->index, b->index) && (a->base == X86_REG_RIP || a->disp == b->disp);
}

static bool same_operand(const cs_x86_op *a, const cs_x86_op *b, bool leads)
{
	if (a->type != b->type || a->size != b->size)
		return false;
	switch (a->type) {
	case X86_OP_REG:
		return same_part(a->reg, b->reg);
	case X86_OP_IMM:
		return leads || a->imm == b->imm;
	default:
		return same_memory(&a->mem, &b->mem);
	}
}

bool renaming_same_shape(const struct listing_line *a, const struct listing_line *b)
{
	const cs_x86 *of_a = &a->detail.x86, *of_b = &b->detail.x86;
	const bool leads = decoder_target(&a->found) != NULL;

	if (a->found.id != b->found.id || of_a->op_count != of_b->op_count ||
	    memcmp(of_a->prefix, of_b->prefix, 2) != 0 || a->target != b->target ||
	    a->far != b->far || a->taken != b->taken ||
	    leads != (decoder_target(&b->found) != NULL))
		return false;
	for (u8 i = 0; i < of_a->op_count; i++)
		if (!same_operand(&of_a->operands[i], &of_b->operands[i], leads))
			return false;
	return true;
}

bool renaming_same_line(const struct listing_line *a, const struct listing_line *b)
{
	const cs_x86 *of_a = &a->detail.x86, *of_b = &b->detail.x86;

	if (!renaming_same_shape(a, b))
		return false;
	for (u8 i = 0; i < of_a->op_count; i++) {
		const cs_x86_op *x = &of_a->operands[i], *y = &of_b->operands[i];

		if (x->type == X86_OP_REG && x->reg != y->reg)
			return false;
		if (x->type == X86_OP_MEM &&
		    (x->mem.base != y->mem.base || x->mem.index != y->mem.index))
			return false;
	}
	return true;
}

/* Which register of b holds what one of a holds, before a line. */
struct table {
	bool reached;
	u8 of[FAMILIES];    /* NO_FAMILY: none */
	u64 low_parts_only; /* a bit for each family of a, of which only the lowest part corresponds
			     */
	/* A bit for each family that holds what it did at the entry, in a and in b. */
	u64 original_a, original_b;
};

/* All that is known while two listings are followed. */
struct pair {
	const struct listing *a, *b;
	struct table *before; /* each line */
	struct table now;
	bool holds; /* so far */
};

/* Neither holds what anything else does any more. */
static void part(struct table *table, u8 a, u8 b)
{
	for (u8 i = 0; i < FAMILIES; i++)
		if (table->of[i] == b)
			table->of[i] = NO_FAMILY;
	table->of[a] = NO_FAMILY;
}

static void bind(struct table *table, u8 a, u8 b, bool low_part_only)
{
	part(table, a, b);
	table->of[a] = b;
	table->low_parts_only &= ~(1ull << a);
	table->low_parts_only |= (u64)low_part_only << a;
	table->original_a &= ~(1ull << a);
	table->original_b &= ~(1ull << b);
}

static void read_both(struct pair *pair, unsigned int a, unsigned int b)
{
	const struct name of_a = name_of(a), of_b = name_of(b);

	if (of_a.family == NO_FAMILY)
		return;
	if (pair->now.of[of_a.family] != of_b.family ||
	    (of_a.part != PART_LOW && pair->now.low_parts_only >> of_a.family & 1))
		pair->holds = false;
}

/* A part that is written joins what corresponds already, or nothing but the part does. */
static void write_both(struct pair *pair, unsigned int a, unsigned int b)
{
	const struct name of_a = name_of(a), of_b = name_of(b);

	if (of_a.family == NO_FAMILY)
		return;
	if (of_a.part >= PART_32)
		bind(&pair->now, of_a.family, of_b.family, false);
	else if (pair->now.of[of_a.family] != of_b.family)
		bind(&pair->now, of_a.family, of_b.family, true);
}

static bool is_kept_by_callee(u8 family)
{
#if defined(__x86_64__)
	return family == 3 || family == 5 || (family >= 12 && family < GENERAL);
#else
	return family == 3 || (family >= 5 && family <= 7);
#endif
}

/* xor and sub of a register and itself: what it held does not matter. */
static bool makes_zero(const struct listing_line *line)
{
	const cs_x86 *x86 = &line->detail.x86;

	return (line->found.id == X86_INS_XOR || line->found.id == X86_INS_SUB ||
		line->found.id == X86_INS_PXOR) &&
	       x86->op_count == 2 && x86->operands[0].type == X86_OP_REG &&
	       x86->operands[1].type == X86_OP_REG && x86->operands[0].reg == x86->operands[1].reg;
}

/* A register that is saved for the caller, or comes back: which one is a choice of each code. */
static bool saves_or_restores(const struct listing_line *a, const struct listing_line *b)
{
	const cs_x86_op *of_a = &a->detail.x86.operands[0], *of_b = &b->detail.x86.operands[0];

	return (a->found.id == X86_INS_PUSH || a->found.id == X86_INS_POP) &&
	       of_a->type == X86_OP_REG && of_a->reg != of_b->reg &&
	       is_kept_by_callee(name_of(of_a->reg).family) &&
	       is_kept_by_callee(name_of(of_b->reg).family);
}

/* What neither has changed since the entry, or both have back, corresponds. */
static void pair_original(struct table *table, u8 family)
{
	const u64 bit = 1ull << family;

	if (!(table->original_a & table->original_b & bit))
		return;
	bind(table, family, family, false);
	table->original_a |= bit;
	table->original_b |= bit;
}

static void save_or_restore(struct pair *pair, const struct listing_line *a,
			    const struct listing_line *b)
{
	const u8 of_a = name_of(a->detail.x86.operands[0].reg).family;
	const u8 of_b = name_of(b->detail.x86.operands[0].reg).family;

	if (a->found.id != X86_INS_POP)
		return;
	part(&pair->now, of_a, of_b);
	pair->now.original_a |= 1ull << of_a;
	pair->now.original_b |= 1ull << of_b;
	pair_original(&pair->now, of_a);
	pair_original(&pair->now, of_b);
}

static void read_all(struct pair *pair, const struct listing_line *a, const struct listing_line *b)
{
	const cs_detail *detail = &a->detail;
	const bool zero = makes_zero(a) && makes_zero(b);

	for (u8 i = 0; i < detail->x86.op_count; i++) {
		const cs_x86_op *x = &detail->x86.operands[i], *y = &b->detail.x86.operands[i];

		if (x->type == X86_OP_MEM) {
			read_both(pair, x->mem.base, y->mem.base);
			read_both(pair, x->mem.index, y->mem.index);
		} else if (x->type == X86_OP_REG && (x->access & CS_AC_READ || !x->access) &&
			   !zero) {
			read_both(pair, x->reg, y->reg);
		}
	}
	for (u8 i = 0; i < detail->regs_read_count; i++)
		read_both(pair, detail->regs_read[i], detail->regs_read[i]);
}

static void write_all(struct pair *pair, const struct listing_line *a, const struct listing_line *b)
{
	const cs_detail *detail = &a->detail;

	for (u8 i = 0; i < detail->x86.op_count; i++) {
		const cs_x86_op *x = &detail->x86.operands[i], *y = &b->detail.x86.operands[i];

		if (x->type == X86_OP_REG && x->access & CS_AC_WRITE)
			write_both(pair, x->reg, y->reg);
	}
	for (u8 i = 0; i < detail->regs_write_count; i++)
		write_both(pair, detail->regs_write[i], detail->regs_write[i]);
}

/* What the kernel is given, of which capstone says nothing. */
static void enter_kernel(struct pair *pair)
{
#if defined(__x86_64__)
	static const unsigned int given[] = {X86_REG_RAX, X86_REG_RDI, X86_REG_RSI};
#else
	static const unsigned int given[] = {X86_REG_EAX, X86_REG_EBX, X86_REG_ECX};
#endif
	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		read_both(pair, given[i], given[i]);
	bind(&pair->now, AX, AX, false);
}

static void follow(struct pair *pair, const struct listing_line *a, const struct listing_line *b)
{
	if (saves_or_restores(a, b)) {
		save_or_restore(pair, a, b);
		return;
	}
	read_all(pair, a, b);
	if (decoder_calls_system(&a->found))
		enter_kernel(pair);
	write_all(pair, a, b);
}

/* What a caller finds: the result, and all that it has kept. */
static void check_end(struct pair *pair)
{
	for (u8 i = 0; i < GENERAL; i++)
		if ((i == AX || i == SP || is_kept_by_callee(i)) && pair->now.of[i] != i)
			pair->holds = false;
}

static bool keep_bits(u64 *known, u64 kept)
{
	const u64 before = *known;

	*known &= kept;
	return *known != before;
}

/* Keeps what two ways agree on. Whether that is less than was known. */
static bool meet(struct table *known, const struct table *other)
{
	bool less = false;

	if (!known->reached) {
		*known = *other;
		known->reached = true;
		return true;
	}
	for (u8 i = 0; i < FAMILIES; i++) {
		if (known->of[i] == NO_FAMILY || known->of[i] == other->of[i])
			continue;
		known->of[i] = NO_FAMILY;
		less = true;
	}
	less |= (other->low_parts_only & ~known->low_parts_only) != 0;
	known->low_parts_only |= other->low_parts_only;
	less |= keep_bits(&known->original_a, other->original_a);
	less |= keep_bits(&known->original_b, other->original_b);
	return less;
}

/* What a call leaves behind; the callee's own way is followed for itself. */
static void come_back(struct table *table)
{
	for (u8 i = 0; i < FAMILIES; i++)
		if (i != SP && !is_kept_by_callee(i))
			table->of[i] = NO_FAMILY;
	bind(table, AX, AX, false);
	bind(table, DX, DX, false);
}

static bool pass_on(struct pair *pair, size_t line)
{
	return line < pair->a->count && meet(&pair->before[line], &pair->now);
}

/* One line of a code. Whether anything new is known behind it. */
static bool follow_line(struct pair *pair, size_t line)
{
	const struct listing_line *a = &pair->a->line[line];
	bool news = false;

	pair->now = pair->before[line];
	follow(pair, a, &pair->b->line[line]);
	if (decoder_is_in(&a->found, CS_GRP_RET)) {
		check_end(pair);
		return false;
	}
	if (decoder_is_in(&a->found, CS_GRP_CALL) || decoder_is_in(&a->found, CS_GRP_JUMP)) {
		if (a->target == LISTING_NOWHERE)
			pair->holds = false;
		news = pass_on(pair, a->target);
	}
	if (decoder_is_in(&a->found, CS_GRP_CALL))
		come_back(&pair->now);
	else if (decoder_is_in(&a->found, CS_GRP_JUMP) && !decoder_is_branch(&a->found))
		return news;
	return pass_on(pair, line + 1) || news;
}

static struct table identity(void)
{
	struct table table = {.reached = true, .original_a = ~0ull, .original_b = ~0ull};

	for (u8 i = 0; i < FAMILIES; i++)
		table.of[i] = i;
	return table;
}

/* Until nothing new is known; only what is known in the end must hold. */
static void settle(struct pair *pair)
{
	bool news;

	do {
		news = false;
		for (size_t i = 0; i < pair->a->count; i++)
			if (pair->before[i].reached)
				news |= follow_line(pair, i);
	} while (news);
}

/* What nobody calls is another entry. */
static bool code_holds(struct pair *pair, size_t entry)
{
	for (size_t i = entry; i < pair->a->count;) {
		pair->before[i] = identity();
		settle(pair);
		for (i = 0; i < pair->a->count && pair->before[i].reached;)
			i++;
	}
	pair->holds = true;
	for (size_t i = 0; i < pair->a->count; i++)
		follow_line(pair, i);
	return pair->holds;
}

static bool walk_holds(struct pair *pair)
{
	pair->holds = true;
	pair->now = identity();
	for (size_t i = 0; i < pair->a->count; i++)
		follow(pair, &pair->a->line[i], &pair->b->line[i]);
	check_end(pair);
	return pair->holds;
}

bool renaming_holds(const struct listing *a, const struct listing *b, size_t entry)
{
	struct pair pair = {.a = a, .b = b};
	bool holds;

	if (a->is_walk)
		return walk_holds(&pair);
	pair.before = calloc(a->count ? a->count : 1, sizeof(*pair.before));
	holds = pair.before && code_holds(&pair, entry);
	free(pair.before);
	return holds;
}
