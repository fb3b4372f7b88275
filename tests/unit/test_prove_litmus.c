// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Litmus shapes whose answers are known: each in six dresses, from plain accesses to seq_cst
 * fences between any two of them, under each model. Names and answers are those of the literature:
 * of x86-TSO, of RC11, and of the shapes of the Power and ARM tests. No outcome here is one of
 * interleaving, so sc forbids all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/prove_shape.h"

struct dress {
	const char *name;
	bool plain;
	u8 load, store, fence;
};

/* In the order of the letters of the answers. */
static const struct dress dresses[] = {
	{"plain", true, RELAXED, RELAXED, RELAXED},
	{"relaxed", false, RELAXED, RELAXED, RELAXED},
	{"acquire and release", false, ACQUIRE, RELEASE, RELAXED},
	{"acq_rel fences", false, RELAXED, RELAXED, ACQ_REL},
	{"seq_cst", false, SEQ_CST, SEQ_CST, RELAXED},
	{"seq_cst fences", false, RELAXED, RELAXED, SEQ_CST},
};

static const struct dress *worn;

static void put(u32 *cell, u32 value, const void *site)
{
	if (worn->plain)
		store_plainly(cell, value, site);
	else
		store(cell, value, worn->store, site);
}

static u32 get(u32 *cell, const void *site)
{
	const u32 value = worn->plain ? load_plainly(cell, site) : load(cell, worn->load, site);

	access_tell(value);
	return value;
}

#define PUT(cell, value) put(&shared.cell, value, HERE)
#define GET(cell)	 get(&shared.cell, HERE)
/* A relaxed fence is none. */
#define THEN access_fence(worn->fence, HERE)

/* Threads are named by what they do: wx1_ry stores 1 to x, then loads y. */
#define TWO(name, first, second) \
	static void name(void)   \
	{                        \
		first;           \
		THEN;            \
		second;          \
	}
#define ONE(name, only)        \
	static void name(void) \
	{                      \
		only;          \
	}

ONE(wx1, PUT(x, 1))
ONE(wx2, PUT(x, 2))
ONE(wy1, PUT(y, 1))
TWO(wx1_wy1, PUT(x, 1), PUT(y, 1))
TWO(wx1_wy2, PUT(x, 1), PUT(y, 2))
TWO(wx2_wy1, PUT(x, 2), PUT(y, 1))
TWO(wy1_wx2, PUT(y, 1), PUT(x, 2))
TWO(wy1_wz2, PUT(y, 1), PUT(z, 2))
TWO(wy2_wz1, PUT(y, 2), PUT(z, 1))
TWO(wz1_wx1, PUT(z, 1), PUT(x, 1))
TWO(wz1_wx2, PUT(z, 1), PUT(x, 2))
TWO(wx1_wx2, PUT(x, 1), PUT(x, 2))
TWO(wx1_rx, PUT(x, 1), GET(x))
TWO(wx1_ry, PUT(x, 1), GET(y))
TWO(wy1_rx, PUT(y, 1), GET(x))
TWO(wy1_rz, PUT(y, 1), GET(z))
TWO(wy2_rx, PUT(y, 2), GET(x))
TWO(wy2_rz, PUT(y, 2), GET(z))
TWO(wz1_rx, PUT(z, 1), GET(x))
TWO(wz2_rx, PUT(z, 2), GET(x))
TWO(rx_rx, GET(x), GET(x))
TWO(rx_ry, GET(x), GET(y))
TWO(ry_rx, GET(y), GET(x))
TWO(ry_rz, GET(y), GET(z))
TWO(rz_rx, GET(z), GET(x))
TWO(rx_wx1, GET(x), PUT(x, 1))
TWO(rx_wy1, GET(x), PUT(y, 1))
TWO(ry_wx1, GET(y), PUT(x, 1))
TWO(ry_wz1, GET(y), PUT(z, 1))
TWO(rz_wx1, GET(z), PUT(x, 1))

/* Its own store comes to it sooner than to others. */
static void wx1_rx_ry(void)
{
	PUT(x, 1);
	GET(x);
	THEN;
	GET(y);
}

static void wy1_ry_rx(void)
{
	PUT(y, 1);
	GET(y);
	THEN;
	GET(x);
}

/* Through a pointer that is made of the flag: C11 lets that order nothing. */
static void ry_then_r_pointer(void)
{
	u32 *const cell[] = {&shared.x, &shared.x, &shared.z};
	const u32 flag = GET(y);

	THEN;
	get(cell[flag], HERE);
}

/* A branch on what was loaded orders no store behind it, in C11. */
static void ry_if_wx1(void)
{
	if (GET(y) == 1) {
		THEN;
		PUT(x, 1);
	}
}

static const struct {
	struct shape shape;
	const char *tso, *weak; /* a letter for each dress: allowed or forbidden */
} shapes[] = {
	/* Coherence: each cell by itself is sequentially consistent, whatever the accesses. */
	{{"CoRR", {wx1, rx_rx}, {{0}, {1, 0}}, {0}}, "ffffff", "ffffff"},
	{{"CoRR of two stores", {wx1, wx2, rx_rx, rx_rx}, {{0}, {0}, {1, 2}, {2, 1}}, {0}},
	 "ffffff",
	 "ffffff"},
	{{"CoRW, its own", {rx_wx1}, {{1}}, {0}}, "ffffff", "ffffff"},
	{{"CoRW", {rx_wx1, wx2}, {{2}}, {2}}, "ffffff", "ffffff"},
	{{"CoWR", {wx1_rx, wx2}, {{2}}, {1}}, "ffffff", "ffffff"},
	{{"CoWR, its own", {wx1_rx, wx2}, {{0}}, {0}}, "ffffff", "ffffff"},
	{{"CoWW", {wx1_wx2}, {{0}}, {1}}, "ffffff", "ffffff"},
	{{"CoWW and CoRR", {wx1_wx2, rx_rx}, {{0}, {2, 1}}, {0}}, "ffffff", "ffffff"},

	/* Two threads. */
	{{"MP", {wx1_wy1, ry_rx}, {{0}, {1, 0}}, {0}}, "ffffff", "aaffff"},
	{{"MP by address", {wx1_wy1, ry_then_r_pointer}, {{0}, {1, 0}}, {0}}, "ffffff", "aaffff"},
	{{"SB", {wx1_ry, wy1_rx}, {{0}, {0}}, {0}}, "aaaaff", "aaaaff"},
	{{"SB with own loads", {wx1_rx_ry, wy1_ry_rx}, {{1, 0}, {1, 0}}, {0}}, "aaaaff", "aaaaff"},
	/* What weak leaves out: arm64, power and riscv allow it between relaxed accesses. */
	{{"LB", {rx_wy1, ry_wx1}, {{1}, {1}}, {0}}, "ffffff", "ffffff"},
	{{"R", {wx1_wy1, wy2_rx}, {{0}, {0}}, {0, 2}}, "aaaaff", "aaaaff"},
	{{"S", {wx2_wy1, ry_wx1}, {{0}, {1}}, {2}}, "ffffff", "aaffff"},
	{{"S by a branch", {wx2_wy1, ry_if_wx1}, {{0}, {1}}, {2}}, "ffffff", "aaffff"},
	{{"2+2W", {wx1_wy2, wy1_wx2}, {{0}, {0}}, {1, 1}}, "ffffff", "aaaaff"},

	/* Three threads. */
	{{"WRC", {wx1, rx_wy1, ry_rx}, {{0}, {1}, {1, 0}}, {0}}, "ffffff", "aaffff"},
	{{"WWC", {wx2, rx_wy1, ry_wx1}, {{0}, {2}, {1}}, {2}}, "ffffff", "aaffff"},
	{{"RWC", {wx1, rx_ry, wy1_rx}, {{0}, {1, 0}, {0}}, {0}}, "aaaaff", "aaaaff"},
	{{"WRW+2W", {wx1, rx_wy1, wy2_rx}, {{0}, {1}, {0}}, {0, 2}}, "aaaaff", "aaaaff"},
	{{"ISA2", {wx1_wy1, ry_wz1, rz_rx}, {{0}, {1}, {1, 0}}, {0}}, "ffffff", "aaffff"},
	{{"W+RWC", {wx1_wy1, ry_rz, wz1_rx}, {{0}, {1, 0}, {0}}, {0}}, "aaaaff", "aaaaff"},
	{{"3.SB", {wx1_ry, wy1_rz, wz1_rx}, {{0}, {0}, {0}}, {0}}, "aaaaff", "aaaaff"},
	{{"3.LB", {rx_wy1, ry_wz1, rz_wx1}, {{1}, {1}, {1}}, {0}}, "ffffff", "ffffff"},
	{{"3.2W", {wx1_wy2, wy1_wz2, wz1_wx2}, {{0}}, {1, 1, 1}}, "ffffff", "aaaaff"},
	{{"Z6.0", {wx1_wy1, ry_wz1, wz2_rx}, {{0}, {1}, {0}}, {0, 0, 2}}, "aaaaff", "aaaaff"},
	{{"Z6.1", {wx2_wy1, wy2_wz1, rz_wx1}, {{0}, {0}, {1}}, {2, 2}}, "ffffff", "aaaaff"},
	{{"Z6.2", {wx2_wy1, ry_wz1, rz_wx1}, {{0}, {1}, {1}}, {2}}, "ffffff", "aaffff"},
	{{"Z6.3", {wx1_wy1, wy2_wz1, rz_rx}, {{0}, {0}, {1, 0}}, {0, 2}}, "ffffff", "aaaaff"},
	{{"Z6.4", {wx1_wy1, wy2_rz, wz1_rx}, {{0}, {0}, {0}}, {0, 2}}, "aaaaff", "aaaaff"},
	{{"Z6.5", {wx2_wy1, wy2_rz, wz1_wx1}, {{0}, {0}, {0}}, {2, 2}}, "aaaaff", "aaaaff"},

	/* Four. */
	{{"IRIW", {wx1, wy1, rx_ry, ry_rx}, {{0}, {0}, {1, 0}, {1, 0}}, {0}}, "ffffff", "aaaaff"},
};

static void test_dresses(void **state)
{
	int failures = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		for (size_t dress = 0; dress < ARRAY_SIZE(dresses); dress++) {
			const struct shape *shape = &shapes[i].shape;
			const char *name = dresses[dress].name;

			worn = &dresses[dress];
			failures += shape_fails(shape, name, MODEL_SC, 'f');
			failures += shape_fails(shape, name, MODEL_TSO, shapes[i].tso[dress]);
			failures += shape_fails(shape, name, MODEL_WEAK, shapes[i].weak[dress]);
		}
	printf("%zu shapes in %zu dresses\n", ARRAY_SIZE(shapes), ARRAY_SIZE(dresses));
	assert_int_equal(failures, 0);
}

/* What interleaving gives is allowed by all, whatever the accesses. */
static void test_interleavings(void **state)
{
	static const struct shape these[] = {
		{"MP, both seen", {wx1_wy1, ry_rx}, {{0}, {1, 1}}, {1, 1}},
		{"MP, neither", {wx1_wy1, ry_rx}, {{0}, {0, 0}}, {1, 1}},
		{"MP, between", {wx1_wy1, ry_rx}, {{0}, {0, 1}}, {1, 1}},
		{"SB, one by one", {wx1_ry, wy1_rx}, {{0}, {1}}, {0}},
		{"SB, together", {wx1_ry, wy1_rx}, {{1}, {1}}, {0}},
		{"2+2W", {wx1_wy2, wy1_wx2}, {{0}, {0}}, {2, 1}},
		{"WRC, all seen", {wx1, rx_wy1, ry_rx}, {{0}, {1}, {1, 1}}, {0}},
		{"IRIW, same order", {wx1, wy1, rx_ry, ry_rx}, {{0}, {0}, {1, 0}, {0, 1}}, {0}},
		{"ISA2, all seen", {wx1_wy1, ry_wz1, rz_rx}, {{0}, {1}, {1, 1}}, {0}},
		{"CoRR", {wx1, rx_rx}, {{0}, {0, 1}}, {0}},
		{"LB, one by one", {rx_wy1, ry_wx1}, {{0}, {1}}, {0}},
	};
	int failures = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(these); i++)
		for (size_t dress = 0; dress < ARRAY_SIZE(dresses); dress++)
			for (u32 model = 0; model < MODELS; model++) {
				worn = &dresses[dress];
				failures +=
					shape_fails(&these[i], worn->name, all_models[model], 'a');
			}
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dresses),
		cmocka_unit_test(test_interleavings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
