// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each memory order and fence does by itself: message passing with every combination of them,
 * release sequences, read-modify-writes, and seq_cst where not all accesses are. Answers by RC11
 * with C++20's release sequences, and by x86-TSO.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/prove_shape.h"

/* ---- message passing: how the flag is stored, and how it is loaded ---- */

struct side {
	const char *name;
	u8 order;
	u8 fence; /* before the store; behind the load */
	bool plain, by_address;
	bool orders; /* it keeps the data in order, given the like on the other side */
};

static const struct side publishing[] = {
	{.name = "plain", .plain = true},
	{.name = "relaxed"},
	{"release", RELEASE, RELAXED, .orders = true},
	{"fence(release)", RELAXED, RELEASE, .orders = true},
	{"fence(acq_rel)", RELAXED, ACQ_REL, .orders = true},
	{"fence(seq_cst)", RELAXED, SEQ_CST, .orders = true},
	{.name = "fence(acquire)", .fence = ACQUIRE},
	{"seq_cst", SEQ_CST, RELAXED, .orders = true},
};

static const struct side fetching[] = {
	{.name = "plain", .plain = true},
	{.name = "relaxed"},
	{"acquire", ACQUIRE, RELAXED, .orders = true},
	{"consume", __ATOMIC_CONSUME, RELAXED, .orders = true},
	{"fence(acquire)", RELAXED, ACQUIRE, .orders = true},
	{"fence(acq_rel)", RELAXED, ACQ_REL, .orders = true},
	{"fence(seq_cst)", RELAXED, SEQ_CST, .orders = true},
	{.name = "fence(release)", .fence = RELEASE},
	{"seq_cst", SEQ_CST, RELAXED, .orders = true},
	{"address", RELAXED, RELAXED, .by_address = true},
};

static const struct side *publishes, *fetches;
static bool plain_data;

static void publish(void)
{
	if (plain_data)
		store_plainly(&shared.x, 1, HERE);
	else
		STORE(x, 1, RELAXED);
	access_fence(publishes->fence, HERE);
	if (publishes->plain)
		store_plainly(&shared.y, 1, HERE);
	else
		STORE(y, 1, publishes->order);
}

static void fetch(void)
{
	u32 *const data[] = {&shared.x, &shared.x};
	u32 flag, at = 0;

	if (fetches->plain)
		flag = load_plainly(&shared.y, HERE);
	else
		flag = LOAD(y, fetches->order);
	access_fence(fetches->fence, HERE);
	access_tell(flag);
	at = fetches->by_address ? flag : 0;
	access_tell(plain_data ? load_plainly(data[at], HERE) : load(data[at], RELAXED, HERE));
}

static void test_message_passing(void **state)
{
	static const struct shape shape = {"MP", {publish, fetch}, {{0}, {1, 0}}, {0}};
	int failures = 0;

	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(publishing); p++)
		for (size_t f = 0; f < ARRAY_SIZE(fetching); f++)
			for (u32 plain = 0; plain < 2; plain++) {
				char name[64];

				publishes = &publishing[p];
				fetches = &fetching[f];
				plain_data = plain;
				snprintf(name, sizeof(name), "%s to %s", publishes->name,
					 fetches->name);
				failures += shape_fails(&shape, name, MODEL_SC, 'f');
				failures += shape_fails(&shape, name, MODEL_TSO, 'f');
				failures += shape_fails(&shape, name, MODEL_WEAK,
							publishes->orders && fetches->orders ? 'f'
											     : 'a');
			}
	assert_int_equal(failures, 0);
}

/* ---- misplaced orders ---- */

static void w_release_too_late(void)
{
	STORE(x, 1, RELAXED);
	STORE(y, 1, RELAXED);
	FENCE(RELEASE);
}

static void w_release_on_data(void)
{
	STORE(x, 1, RELEASE);
	STORE(y, 1, RELAXED);
}

static void w_release(void)
{
	STORE(x, 1, RELAXED);
	STORE(y, 1, RELEASE);
}

static void w_relaxed(void)
{
	STORE(x, 1, RELAXED);
	STORE(y, 1, RELAXED);
}

static void r_acquire(void)
{
	access_tell(LOAD(y, ACQUIRE));
	access_tell(LOAD(x, RELAXED));
}

static void r_acquire_too_soon(void)
{
	FENCE(ACQUIRE);
	access_tell(LOAD(y, RELAXED));
	access_tell(LOAD(x, RELAXED));
}

static void r_acquire_on_data(void)
{
	access_tell(LOAD(y, RELAXED));
	access_tell(LOAD(x, ACQUIRE));
}

/* ---- release sequences: what still carries what the first store released ---- */

static void w_release_1_then_2(void)
{
	STORE(x, 1, RELAXED);
	STORE(y, 1, RELEASE);
	STORE(y, 2, RELAXED);
}

static void w_release_1_then_add(void)
{
	STORE(x, 1, RELAXED);
	STORE(y, 1, RELEASE);
	ADD(y, 1, RELAXED);
}

static void w_fence_1_then_2(void)
{
	STORE(x, 1, RELAXED);
	FENCE(RELEASE);
	STORE(y, 1, RELAXED);
	STORE(y, 2, RELAXED);
}

static void add_1(void)
{
	access_tell(ADD(y, 1, RELAXED));
}

static void exchange_for_2(void)
{
	access_tell(EXCHANGE(y, 2, RELAXED));
}

static void compare_1_for_2(void)
{
	access_tell(COMPARE(y, 1, 2, RELAXED));
}

static void store_2_if_1(void)
{
	const u32 flag = LOAD(y, RELAXED);

	access_tell(flag);
	if (flag == 1)
		STORE(y, 2, RELAXED);
}

/* The read-modify-write itself takes part, once it acquires and releases. */
static void add_1_and_publish(void)
{
	access_tell(ADD(y, 1, ACQ_REL));
	STORE(z, 1, RELEASE);
}

static void r_z_then_x(void)
{
	access_tell(LOAD(z, ACQUIRE));
	access_tell(LOAD(x, RELAXED));
}

static void w_exchange_release(void)
{
	STORE(x, 1, RELAXED);
	EXCHANGE(y, 1, RELEASE);
}

static void w_exchange_acquire(void)
{
	STORE(x, 1, RELAXED);
	EXCHANGE(y, 1, ACQUIRE);
}

static void r_add_acquire(void)
{
	access_tell(ADD(y, 0, ACQUIRE));
	access_tell(LOAD(x, RELAXED));
}

static void r_add_release(void)
{
	access_tell(ADD(y, 0, RELEASE));
	access_tell(LOAD(x, RELAXED));
}

/* Fails, and acquires by the order it has for that. */
static void r_compare_fails_acquire(void)
{
	access_tell(COMPARE_OR(y, 7, 8, ACQ_REL, ACQUIRE));
	access_tell(LOAD(x, RELAXED));
}

static void r_compare_fails_relaxed(void)
{
	access_tell(COMPARE_OR(y, 7, 8, ACQ_REL, RELAXED));
	access_tell(LOAD(x, RELAXED));
}

static void r_compare_succeeds(void)
{
	access_tell(COMPARE_OR(y, 1, 8, ACQUIRE, RELAXED));
	access_tell(LOAD(x, RELAXED));
}

static void r_compare_succeeds_relaxed(void)
{
	access_tell(COMPARE_OR(y, 1, 8, RELAXED, ACQUIRE));
	access_tell(LOAD(x, RELAXED));
}

/* ---- read-modify-writes are one step ---- */

static void add_x(void)
{
	access_tell(ADD(x, 1, RELAXED));
}

static void store_x_5(void)
{
	STORE(x, 5, RELAXED);
}

static void compare_x_for_1(void)
{
	access_tell(COMPARE(x, 0, 1, RELAXED));
}

static void compare_x_for_2(void)
{
	access_tell(COMPARE(x, 0, 2, RELAXED));
}

static void compare_x_5_for_6(void)
{
	access_tell(COMPARE(x, 5, 6, RELAXED));
}

static void exchange_x_1(void)
{
	access_tell(EXCHANGE(x, 1, RELAXED));
}

static void exchange_x_2(void)
{
	access_tell(EXCHANGE(x, 2, RELAXED));
}

/* ---- store buffering by read-modify-writes, and with fewer fences ---- */

#define SB(name, at_first, then, load_order)      \
	static void name##_x(void)                \
	{                                         \
		at_first(x);                      \
		then;                             \
		access_tell(LOAD(y, load_order)); \
	}                                         \
	static void name##_y(void)                \
	{                                         \
		at_first(y);                      \
		then;                             \
		access_tell(LOAD(x, load_order)); \
	}

#define STORE_RELAXED(cell)    STORE(cell, 1, RELAXED)
#define STORE_SEQ_CST(cell)    STORE(cell, 1, SEQ_CST)
#define EXCHANGE_RELAXED(cell) EXCHANGE(cell, 1, RELAXED)
#define EXCHANGE_ACQ_REL(cell) EXCHANGE(cell, 1, ACQ_REL)
#define EXCHANGE_SEQ_CST(cell) EXCHANGE(cell, 1, SEQ_CST)

SB(sb_bare, STORE_RELAXED, , RELAXED)
SB(sb_fenced, STORE_RELAXED, FENCE(SEQ_CST), RELAXED)
SB(sb_acq_rel, STORE_RELAXED, FENCE(ACQ_REL), RELAXED)
SB(sb_strong, STORE_SEQ_CST, , SEQ_CST)
SB(sb_strong_stores, STORE_SEQ_CST, , RELAXED)
SB(sb_strong_loads, STORE_RELAXED, , SEQ_CST)
SB(sb_exchange, EXCHANGE_RELAXED, , RELAXED)
SB(sb_exchange_acq_rel, EXCHANGE_ACQ_REL, , ACQUIRE)
SB(sb_exchange_strong, EXCHANGE_SEQ_CST, , SEQ_CST)
SB(sb_exchange_half, EXCHANGE_SEQ_CST, , RELAXED)
SB(sb_between, STORE_RELAXED, EXCHANGE(z, 1, RELAXED), RELAXED)
SB(sb_between_acq_rel, STORE_RELAXED, EXCHANGE(z, 1, ACQ_REL), RELAXED)
/* A cell that nobody else touches; on x86 it is a fence, and else a store like another. */
static void sb_unread_x(void)
{
	STORE(x, 1, RELAXED);
	STORE(z, 1, SEQ_CST);
	access_tell(LOAD(y, RELAXED));
}

static void sb_unread_y(void)
{
	STORE(y, 1, RELAXED);
	STORE(w, 1, SEQ_CST);
	access_tell(LOAD(x, RELAXED));
}

/* On x86 a compare-and-exchange that fails locks as one that does not. */
SB(sb_failing, STORE_RELAXED, COMPARE(w, 1, 2, RELAXED), RELAXED)

/* The load is a read-modify-write as well: it takes the last, so one of them comes first. */
static void add_0_x_y(void)
{
	EXCHANGE(x, 1, ACQ_REL);
	access_tell(ADD(y, 0, ACQ_REL));
}

static void add_0_y_x(void)
{
	EXCHANGE(y, 1, ACQ_REL);
	access_tell(ADD(x, 0, ACQ_REL));
}

static void store_then_add_0_y(void)
{
	STORE(x, 1, RELAXED);
	access_tell(ADD(y, 0, ACQ_REL));
}

static void store_then_add_0_x(void)
{
	STORE(y, 1, RELAXED);
	access_tell(ADD(x, 0, ACQ_REL));
}

/* ---- seq_cst for some ---- */

static void wx_strong(void)
{
	STORE(x, 1, SEQ_CST);
}

static void wy_strong(void)
{
	STORE(y, 1, SEQ_CST);
}

static void wx_release(void)
{
	STORE(x, 1, RELEASE);
}

static void wy_release(void)
{
	STORE(y, 1, RELEASE);
}

#define LOADS(name, one, first, two, second)    \
	static void name(void)                  \
	{                                       \
		access_tell(LOAD(one, first));  \
		access_tell(LOAD(two, second)); \
	}

LOADS(rx_ry_strong, x, SEQ_CST, y, SEQ_CST)
LOADS(ry_rx_strong, y, SEQ_CST, x, SEQ_CST)
LOADS(rx_ry_acquire, x, ACQUIRE, y, ACQUIRE)
LOADS(ry_rx_acquire, y, ACQUIRE, x, ACQUIRE)
LOADS(rx_acquire_ry_strong, x, ACQUIRE, y, SEQ_CST)
LOADS(ry_acquire_rx_strong, y, ACQUIRE, x, SEQ_CST)

static void z6u_0(void)
{
	STORE(x, 1, SEQ_CST);
	STORE(y, 1, RELEASE);
}

static void z6u_1(void)
{
	access_tell(ADD(y, 1, SEQ_CST));
	access_tell(LOAD(y, RELAXED));
}

static void z6u_1_after_load(void)
{
	access_tell(LOAD(y, ACQUIRE));
	z6u_1();
}

/* Of a cell that nobody stores to. */
static void z6u_1_after_loads(void)
{
	access_tell(LOAD(y, ACQUIRE));
	LOAD(w, RELAXED);
	z6u_1();
}

static void z6u_2(void)
{
	STORE(y, 3, SEQ_CST);
	access_tell(LOAD(x, SEQ_CST));
}

/* From a seq_cst access on by others of its cell, and then to one of another. */
static void z6u_add_and_release(void)
{
	access_tell(ADD(y, 1, SEQ_CST));
	STORE(y, 2, RELEASE);
}

static void z6u_add_load_and_release(void)
{
	access_tell(ADD(y, 1, SEQ_CST));
	LOAD(w, RELAXED);
	STORE(y, 2, RELEASE);
}

static void wx_ry_strong(void)
{
	STORE(x, 1, SEQ_CST);
	access_tell(LOAD(y, SEQ_CST));
}

/* Fences at both ends; what is between hands on, but does not release. */
#define ISA2(name, fence)                      \
	static void isa2_##name##_0(void)      \
	{                                      \
		STORE(x, 1, RELAXED);          \
		FENCE(fence);                  \
		STORE(y, 1, RELEASE);          \
	}                                      \
	static void isa2_##name##_2(void)      \
	{                                      \
		access_tell(LOAD(z, RELAXED)); \
		FENCE(fence);                  \
		access_tell(LOAD(x, RELAXED)); \
	}

ISA2(strong, SEQ_CST)
ISA2(acq_rel, ACQ_REL)

static void isa2_1(void)
{
	access_tell(LOAD(y, ACQUIRE));
	STORE(z, 1, RELAXED);
}

static const struct {
	struct shape shape;
	const char *answers; /* sc, tso, weak */
} shapes[] = {
	{{"MP", {w_release, r_acquire}, {{0}, {1, 0}}, {0}}, "fff"},
	{{"MP, release fence too late", {w_release_too_late, r_acquire}, {{0}, {1, 0}}, {0}},
	 "ffa"},
	{{"MP, the data released", {w_release_on_data, r_acquire}, {{0}, {1, 0}}, {0}}, "ffa"},
	{{"MP, acquire fence too soon", {w_release, r_acquire_too_soon}, {{0}, {1, 0}}, {0}},
	 "ffa"},
	{{"MP, the data acquired", {w_release, r_acquire_on_data}, {{0}, {1, 0}}, {0}}, "ffa"},

	{{"an add between", {w_release, add_1, r_acquire}, {{0}, {1}, {2, 0}}, {0}}, "fff"},
	{{"an exchange between", {w_release, exchange_for_2, r_acquire}, {{0}, {1}, {2, 0}}, {0}},
	 "fff"},
	{{"two adds between", {w_release, add_1, add_1, r_acquire}, {{0}, {1}, {2}, {3, 0}}, {0}},
	 "fff"},
	{{"a compare between", {w_release, compare_1_for_2, r_acquire}, {{0}, {1}, {2, 0}}, {0}},
	 "fff"},
	{{"a store between", {w_release, store_2_if_1, r_acquire}, {{0}, {1}, {2, 0}}, {0}}, "ffa"},
	{{"an add of the same thread", {w_release_1_then_add, r_acquire}, {{0}, {2, 0}}, {0}},
	 "fff"},
	/* C++11 let it carry on; C++20 does not. */
	{{"a store of the same thread", {w_release_1_then_2, r_acquire}, {{0}, {2, 0}}, {0}},
	 "ffa"},
	{{"the first of two stores", {w_release_1_then_2, r_acquire}, {{0}, {1, 0}}, {0}}, "fff"},
	{{"a fence is for all", {w_fence_1_then_2, r_acquire}, {{0}, {2, 0}}, {0}}, "fff"},
	{{"an add of nothing released", {w_relaxed, add_1, r_acquire}, {{0}, {1}, {2, 0}}, {0}},
	 "ffa"},
	{{"an add that hands on",
	  {w_release, add_1_and_publish, r_z_then_x},
	  {{0}, {1}, {1, 0}},
	  {0}},
	 "fff"},
	{{"an exchange releases", {w_exchange_release, r_acquire}, {{0}, {1, 0}}, {0}}, "fff"},
	{{"one that acquires only", {w_exchange_acquire, r_acquire}, {{0}, {1, 0}}, {0}}, "ffa"},
	{{"an add acquires", {w_release, r_add_acquire}, {{0}, {1, 0}}, {0}}, "fff"},
	{{"one that releases only", {w_release, r_add_release}, {{0}, {1, 0}}, {0}}, "ffa"},
	{{"a failing compare acquires", {w_release, r_compare_fails_acquire}, {{0}, {1, 0}}, {0}},
	 "fff"},
	{{"or does not", {w_release, r_compare_fails_relaxed}, {{0}, {1, 0}}, {0}}, "ffa"},
	{{"a compare acquires", {w_release, r_compare_succeeds}, {{0}, {1, 0}}, {0}}, "fff"},
	{{"but by its own order", {w_release, r_compare_succeeds_relaxed}, {{0}, {1, 0}}, {0}},
	 "ffa"},

	{{"two adds take the same", {add_x, add_x}, {{0}, {0}}, {0}}, "fff"},
	{{"one after the other", {add_x, add_x}, {{1}, {0}}, {2}}, "aaa"},
	{{"a third store is lost", {add_x, add_x, add_x}, {{0}, {1}, {1}}, {0}}, "fff"},
	{{"a store within an add", {add_x, store_x_5}, {{0}, {0}}, {1}}, "fff"},
	{{"a store before an add", {add_x, store_x_5}, {{5}, {0}}, {6}}, "aaa"},
	{{"a store behind an add", {add_x, store_x_5}, {{0}, {0}}, {5}}, "aaa"},
	{{"both compares succeed", {compare_x_for_1, compare_x_for_2}, {{0}, {0}}, {0}}, "fff"},
	{{"both fail", {compare_x_for_1, compare_x_for_2}, {{2}, {1}}, {0}}, "fff"},
	{{"the second fails", {compare_x_for_1, compare_x_for_2}, {{0}, {1}}, {1}}, "aaa"},
	{{"it fails, and stores", {store_x_5, compare_x_for_1}, {{0}, {5}}, {1}}, "fff"},
	{{"it succeeds behind", {store_x_5, compare_x_5_for_6}, {{0}, {5}}, {6}}, "aaa"},
	{{"it fails before", {store_x_5, compare_x_5_for_6}, {{0}, {0}}, {5}}, "aaa"},
	{{"exchanges take each other's", {exchange_x_1, exchange_x_2}, {{2}, {1}}, {0}}, "fff"},
	{{"exchanges in a row", {exchange_x_1, exchange_x_2}, {{2}, {0}}, {1}}, "aaa"},

	{{"SB", {sb_bare_x, sb_bare_y}, {{0}, {0}}, {0}}, "faa"},
	{{"SB, seq_cst fences", {sb_fenced_x, sb_fenced_y}, {{0}, {0}}, {0}}, "fff"},
	{{"SB, one fence", {sb_fenced_x, sb_bare_y}, {{0}, {0}}, {0}}, "faa"},
	{{"SB, one of them acq_rel", {sb_fenced_x, sb_acq_rel_y}, {{0}, {0}}, {0}}, "faa"},
	{{"SB, acq_rel fences", {sb_acq_rel_x, sb_acq_rel_y}, {{0}, {0}}, {0}}, "faa"},
	{{"SB, fence and accesses", {sb_fenced_x, sb_strong_y}, {{0}, {0}}, {0}}, "fff"},
	{{"SB, seq_cst", {sb_strong_x, sb_strong_y}, {{0}, {0}}, {0}}, "fff"},
	{{"SB, seq_cst stores", {sb_strong_stores_x, sb_strong_stores_y}, {{0}, {0}}, {0}}, "ffa"},
	{{"SB, seq_cst loads", {sb_strong_loads_x, sb_strong_loads_y}, {{0}, {0}}, {0}}, "faa"},
	{{"SB, seq_cst but for a load", {sb_strong_x, sb_strong_stores_y}, {{0}, {0}}, {0}}, "ffa"},
	{{"SB, exchanges", {sb_exchange_x, sb_exchange_y}, {{0}, {0}}, {0}}, "ffa"},
	{{"SB, acq_rel exchanges", {sb_exchange_acq_rel_x, sb_exchange_acq_rel_y}, {{0}, {0}}, {0}},
	 "ffa"},
	{{"SB, seq_cst exchanges", {sb_exchange_strong_x, sb_exchange_strong_y}, {{0}, {0}}, {0}},
	 "fff"},
	{{"SB, exchanges only", {sb_exchange_half_x, sb_exchange_half_y}, {{0}, {0}}, {0}}, "ffa"},
	{{"SB, an exchange between", {sb_between_x, sb_between_y}, {{0}, {0}}, {0}}, "ffa"},
	{{"SB, of acq_rel", {sb_between_acq_rel_x, sb_between_acq_rel_y}, {{0}, {0}}, {0}}, "fff"},
	{{"SB, a failing compare between", {sb_failing_x, sb_failing_y}, {{0}, {0}}, {0}}, "ffa"},
	{{"SB, a store that nobody loads", {sb_unread_x, sb_unread_y}, {{0}, {0}}, {0}}, "ffa"},
	{{"SB, loads that are adds", {add_0_x_y, add_0_y_x}, {{0}, {0}}, {0}}, "fff"},
	{{"SB, only loads are adds", {store_then_add_0_y, store_then_add_0_x}, {{0}, {0}}, {0}},
	 "ffa"},

	{{"IRIW, acquire of seq_cst",
	  {wx_strong, wy_strong, rx_ry_acquire, ry_rx_acquire},
	  {{0}, {0}, {1, 0}, {1, 0}},
	  {0}},
	 "ffa"},
	{{"IRIW, seq_cst of release",
	  {wx_release, wy_release, rx_ry_strong, ry_rx_strong},
	  {{0}, {0}, {1, 0}, {1, 0}},
	  {0}},
	 "ffa"},
	/* What C11 forbids, and compilers to Power do not: RC11's reason to be. */
	{{"IRIW, acquire and seq_cst",
	  {wx_strong, wy_strong, rx_acquire_ry_strong, ry_acquire_rx_strong},
	  {{0}, {0}, {1, 0}, {1, 0}},
	  {0}},
	 "ffa"},
	{{"IRIW, seq_cst",
	  {wx_strong, wy_strong, rx_ry_strong, ry_rx_strong},
	  {{0}, {0}, {1, 0}, {1, 0}},
	  {0}},
	 "fff"},
	{{"Z6.U", {z6u_0, z6u_1, z6u_2}, {{0}, {1, 3}, {0}}, {0, 3}}, "ffa"},
	/* RC11 asks whether the accesses on the way are of other cells. */
	{{"Z6.U, loaded before", {z6u_0, z6u_1_after_load, z6u_2}, {{0}, {1, 1, 3}, {0}}, {0}},
	 "ffa"},
	{{"Z6.U, another loaded, too",
	  {z6u_0, z6u_1_after_loads, z6u_2},
	  {{0}, {1, 1, 3}, {0}},
	  {0}},
	 "fff"},
	{{"Z6.U, stored behind",
	  {z6u_add_and_release, ry_acquire_rx_strong, wx_ry_strong},
	  {{0}, {2, 0}, {0}},
	  {0}},
	 "ffa"},
	{{"Z6.U, and another between",
	  {z6u_add_load_and_release, ry_acquire_rx_strong, wx_ry_strong},
	  {{0}, {2, 0}, {0}},
	  {0}},
	 "fff"},
	{{"ISA2, seq_cst fences at its ends",
	  {isa2_strong_0, isa2_1, isa2_strong_2},
	  {{0}, {1}, {1, 0}},
	  {0}},
	 "fff"},
	{{"ISA2, acq_rel fences",
	  {isa2_acq_rel_0, isa2_1, isa2_acq_rel_2},
	  {{0}, {1}, {1, 0}},
	  {0}},
	 "ffa"},
};

static void test_shapes(void **state)
{
	int failures = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		for (u32 model = 0; model < MODELS; model++)
			failures += shape_fails(&shapes[i].shape, "as it stands", all_models[model],
						shapes[i].answers[model]);
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_message_passing),
		cmocka_unit_test(test_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
