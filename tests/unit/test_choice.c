// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a writer's spec says: of the table's kinds, and of kinds that are this file's own, which
 * have all keys. Those make up the table here: choice.c is compiled again on top of them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "writers/kinds.h"

/* What users have. */
#define ADDRESS_OF(kind) &kind,
static const struct writer_kind *const users_kinds[] = {WRITER_KINDS(ADDRESS_OF) NULL};

static const struct spec_key all_keys[] = {WRITER_KEY_HZ,
					   {"hold", NULL, "17us", ""},
					   {"jitter", NULL, "0", ""},
					   {"arrivals", "periodic|poisson", "poisson", ""},
					   {"nohz", NULL, "5s", ""},
					   {"ppm", NULL, "20", ""},
					   {"every", NULL, "50ms", ""},
					   {"by", NULL, "1s", ""},
					   {"towards", "both|one|other", "other", ""},
					   {"for", NULL, "forever", ""},
					   {"asleep", NULL, "1h", ""},
					   {"burst", NULL, "1000", ""},
					   {"counters", "all|none|other", "none", ""},
					   {.name = NULL}};

/* Words of which one begins like another, in whichever order. */
static const struct spec_key alike_keys[] = {{"every", NULL, "1ms", ""},
					     {"towards", "ab|a|abc", "abc", ""},
					     {"counters", "x|xy|xyz", "x", ""},
					     {.name = NULL}};
static const struct spec_key burst_keys[] = {
	WRITER_KEY_HZ, {"burst", NULL, "0", ""}, {"hold", NULL, "0", ""}, {.name = NULL}};

static int refuse_odd_bursts(const struct writer_choice *choice, struct errmsg *err)
{
	return choice->value[WRITER_BURST] % 2 ? errmsg_set(err, "burst: it is odd") : 0;
}

static const struct writer_kind all_kind = {
	.name = "all", .summary = "has all keys", .keys = all_keys, .check = refuse_odd_bursts};
static const struct writer_kind alike_kind = {
	.name = "alike", .summary = "has no rate", .keys = alike_keys};
static const struct writer_kind burst_kind = {
	.name = "burst", .summary = "several at once", .keys = burst_keys};

#undef WRITER_KINDS
/* clang-format off */
#define WRITER_KINDS(row)                                                                          \
	row(writer_tick)                                                                           \
	row(all_kind)                                                                              \
	row(alike_kind)                                                                            \
	row(burst_kind)                                                                            \
	row(mutant_never_odd)                                                                      \
	row(mutant_early_end)                                                                      \
	row(mutant_late_sequence)                                                                  \
	row(mutant_stops_odd)
/* clang-format on */

/* This defines what the library's copy of it does; the linker takes the one here. */
#include "writers/choice.c"

/* Behind the above: it declares what that defines. */
#include "tests/unit/choice_of.h"

static struct errmsg err;

static void check_resolved(const char *text, const struct writer_kind *kind, u64 hz, u64 hold_ns)
{
	struct writer_choice choice;

	memset(&choice, 0x5a, sizeof(choice));
	if (writer_resolve(text, &choice, &err))
		fail_msg("'%s' refused: %s", text, err.text);
	if (choice.kind != kind)
		fail_msg("'%s' is %s", text, choice.kind->name);
	assert_int_equal(choice.hz, hz);
	assert_int_equal(choice.value[WRITER_HOLD], hold_ns);
	assert_string_equal(choice.spec, text);
}

static void test_resolve(void **state)
{
	(void)state;
	check_resolved("tick", &writer_tick, 0, 0);
	check_resolved("tick:hz=1", &writer_tick, 1, 0);
	check_resolved("tick:hz=1000", &writer_tick, 1000, 0);
	check_resolved("tick:hz=10000000", &writer_tick, 10000000, 0);
	check_resolved("tick:hold=0", &writer_tick, 0, 0);
	check_resolved("tick:hold=300ns", &writer_tick, 0, 300);
	check_resolved("tick:hold=1ms,hz=5", &writer_tick, 5, 1000000);
	check_resolved("never-odd", &mutant_never_odd, 0, 0);
	check_resolved("early-end:hz=50", &mutant_early_end, 50, 0);
	check_resolved("late-sequence", &mutant_late_sequence, 0, 0);
	check_resolved("stops-odd:hz=7", &mutant_stops_odd, 7, 0);
}

static void check_refused(const char *text, const char *culprit, const char *remedy)
{
	struct writer_choice choice;

	memset(&err, 0, sizeof(err));
	if (writer_resolve(text, &choice, &err) != -1)
		fail_msg("'%s' accepted", text);
	if (!strstr(err.text, culprit))
		fail_msg("\"%s\" does not name %s", err.text, culprit);
	if (!strstr(err.text, remedy))
		fail_msg("\"%s\" does not name %s", err.text, remedy);
	if (strchr(err.text, '\n'))
		fail_msg("\"%s\" is not one sentence", err.text);
}

static void check_value_refused(const char *key, const char *value, const char *remedy)
{
	char text[SPEC_MAX_TEXT], culprit[SPEC_MAX_TEXT + 16];

	snprintf(text, sizeof(text), "tick:%s=%s", key, value);
	snprintf(culprit, sizeof(culprit), "writer 'tick': %s: '%s'", key, value);
	check_refused(text, culprit, remedy);
}

static void test_resolve_refuses_values(void **state)
{
	static const char *const rates[] = {"0",
					    "-1",
					    "+5",
					    " 5",
					    "10000001",
					    "18446744073709551617",
					    "99999999999999999999",
					    "1000x",
					    "1e3",
					    "1.5",
					    "0x10",
					    "x",
					    "1000 ",
					    "1k"};
	static const char *const holds[] = {"1000001ns", "1.1ms", "2ms", "1s", "9h"};
	static const char *const no_times[] = {"-1ns", "x", "1e3ns", "300n", "ns"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++)
		check_value_refused("hz", rates[i], "whole number from 1 to 10000000");
	for (size_t i = 0; i < ARRAY_SIZE(holds); i++)
		check_value_refused("hold", holds[i], "from 0s to 1ms");
	for (size_t i = 0; i < ARRAY_SIZE(no_times); i++)
		check_value_refused("hold", no_times[i], "as in 10s or 1.5s");
	check_value_refused("hold", "300", "has no unit");
}

static void test_resolve_refuses(void **state)
{
	(void)state;
	check_refused("", "''", "name[:key=value,...]");
	check_refused("tock", "no writer 'tock'", "there is tick");
	check_refused("Tick", "no writer 'Tick'", "there is tick");
	check_refused("hres", "no writer 'hres'", "there is tick");
	check_refused("tick:", "''", "key=value");
	check_refused("tick:hz", "'hz'", "key=value");
	check_refused("tick:hz=", "'hz='", "key=value");
	check_refused("tick:hz=1,hz=2", "'hz'", "twice");
	check_refused("tick:rate=5", "writer 'tick' has no key 'rate'", "it has hz, hold");
	check_refused("never-odd:hold=5us", "writer 'never-odd' has no key 'hold'", "it has hz");
}

/* Mutants can be named, but nobody is pointed to them. */
static void test_mutants_are_not_suggested(void **state)
{
	(void)state;
	check_refused("nobody", "'nobody'", "tick");
	for (const struct writer_kind *const *kind = writer_kinds; *kind; kind++)
		assert_int_equal(strstr(err.text, (*kind)->name) == NULL, (*kind)->fault != NULL);
}

/* Every kind of the table can be had by its name alone, and every key has a parameter. */
static void test_users_kinds(void **state)
{
	(void)state;
	for (const struct writer_kind *const *kind = users_kinds; *kind; kind++) {
		struct writer_choice choice = {.kind = *kind};
		const struct spec spec = {.name = (*kind)->name};
		int of_parameters = 0, keys = 0;

		if (take_parameters(&spec, &choice, &err))
			fail_msg("%s", err.text);
		if ((*kind)->check && (*kind)->check(&choice, &err))
			fail_msg("%s: %s", (*kind)->name, err.text);
		for (int i = 0; i < WRITER_PARAMETERS; i++)
			of_parameters += find_key(*kind, parameters[i].key) != NULL;
		for (const struct spec_key *key = (*kind)->keys; key->name; key++) {
			keys++;
			assert_true(key->default_value && key->summary && *key->summary);
			if (key->choices)
				assert_true(spec_is_choice(key->default_value, key->choices));
		}
		assert_int_equal(keys, of_parameters + writer_has_rate(*kind));
	}
}

static void test_defaults(void **state)
{
	const struct writer_choice choice = choice_of("all");
	const struct writer_choice tick = choice_of("tick");

	(void)state;
	/* A rate that is not said is somebody else's to say. */
	assert_int_equal(choice.hz, 0);
	assert_int_equal(choice.value[WRITER_HOLD], 17000);
	assert_int_equal(choice.value[WRITER_JITTER], 0);
	assert_int_equal(choice.value[WRITER_ARRIVALS], PACE_POISSON);
	assert_int_equal(choice.value[WRITER_NOHZ], 5ull * NSEC_PER_SEC);
	assert_int_equal(choice.value[WRITER_PPM], 20);
	assert_int_equal(choice.value[WRITER_EVERY], 50000000);
	assert_int_equal(choice.value[WRITER_BY], NSEC_PER_SEC);
	assert_int_equal(choice.value[WRITER_TOWARDS], 2);
	assert_true(choice.value[WRITER_FOR] == WRITER_FOREVER);
	assert_int_equal(choice.value[WRITER_ASLEEP], 3600ull * NSEC_PER_SEC);
	assert_int_equal(choice.value[WRITER_BURST], 1000);
	assert_int_equal(choice.value[WRITER_COUNTERS], COUNTERS_NONE);
	/* What a kind does not have is 0. */
	for (int i = 0; i < WRITER_PARAMETERS; i++)
		assert_int_equal(tick.value[i], 0);
}

static struct writer_choice choice_with(const char *key, const char *value)
{
	char text[SPEC_MAX_TEXT];

	snprintf(text, sizeof(text), "all:%s=%s", key, value);
	return choice_of(text);
}

/* Both ends of each range, and what lies just beyond. NULL: nothing does. */
static const struct {
	const char *key;
	enum writer_parameter parameter;
	const char *least, *most;
	u64 least_value, most_value;
	const char *below, *above;
} ranges[] = {
	{"hold", WRITER_HOLD, "0", "1ms", 0, 1000000, NULL, "1000001ns"},
	{"jitter", WRITER_JITTER, "0", "1s", 0, NSEC_PER_SEC, NULL, "1000000001ns"},
	{"nohz", WRITER_NOHZ, "0", "10s", 0, 10ull * NSEC_PER_SEC, NULL, "10000000001ns"},
	{"ppm", WRITER_PPM, "0", "500", 0, 500, "-1", "501"},
	{"every", WRITER_EVERY, "1us", "1h", 1000, 3600ull * NSEC_PER_SEC, "999ns",
	 "3600000000001ns"},
	{"by", WRITER_BY, "1ns", "8784h", 1, 366ull * 86400 * NSEC_PER_SEC, "0ns",
	 "31622400000000001ns"},
	{"for", WRITER_FOR, "1us", "1s", 1000, NSEC_PER_SEC, "999ns", "1000000001ns"},
	{"asleep", WRITER_ASLEEP, "0", "8784h", 0, 366ull * 86400 * NSEC_PER_SEC, NULL,
	 "31622400000000001ns"},
	{"burst", WRITER_BURST, "0", "1000000", 0, 1000000, "-1", "1000001"},
};

static void refuse_beyond(const char *key, const char *value)
{
	char text[SPEC_MAX_TEXT], culprit[SPEC_MAX_TEXT];

	if (!value)
		return;
	snprintf(text, sizeof(text), "all:%s=%s", key, value);
	snprintf(culprit, sizeof(culprit), "writer 'all': %s: '%s'", key, value);
	check_refused(text, culprit, "from");
}

static void test_ranges(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		const struct writer_choice least = choice_with(ranges[i].key, ranges[i].least);
		const struct writer_choice most = choice_with(ranges[i].key, ranges[i].most);

		assert_int_equal(least.value[ranges[i].parameter], ranges[i].least_value);
		assert_int_equal(most.value[ranges[i].parameter], ranges[i].most_value);
		refuse_beyond(ranges[i].key, ranges[i].below);
		refuse_beyond(ranges[i].key, ranges[i].above);
	}
}

static void test_forever(void **state)
{
	(void)state;
	assert_true(choice_with("for", "forever").value[WRITER_FOR] == WRITER_FOREVER);
	check_refused("all:for=ever", "'ever'", "as in 10s");
	check_refused("all:every=forever", "'forever'", "as in 10s");
}

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(choice_with("arrivals", "periodic").value[WRITER_ARRIVALS], PACE_PERIODIC);
	assert_int_equal(choice_with("arrivals", "poisson").value[WRITER_ARRIVALS], PACE_POISSON);
	assert_int_equal(choice_with("towards", "both").value[WRITER_TOWARDS], TOWARDS_BOTH);
	assert_int_equal(choice_with("towards", "one").value[WRITER_TOWARDS], 1);
	assert_int_equal(choice_with("towards", "other").value[WRITER_TOWARDS], 2);
	assert_int_equal(choice_with("counters", "all").value[WRITER_COUNTERS], COUNTERS_ALL);
	assert_int_equal(choice_with("counters", "none").value[WRITER_COUNTERS], COUNTERS_NONE);
	assert_int_equal(choice_with("counters", "other").value[WRITER_COUNTERS], COUNTERS_OTHER);
	check_refused("all:arrivals=now", "arrivals=now", "poisson");
	check_refused("all:towards=", "'towards='", "key=value");
	check_refused("all:counters=al", "counters=al", "all");

	assert_int_equal(choice_of("alike:towards=ab").value[WRITER_TOWARDS], 0);
	assert_int_equal(choice_of("alike:towards=a").value[WRITER_TOWARDS], 1);
	assert_int_equal(choice_of("alike").value[WRITER_TOWARDS], 2);
	assert_int_equal(choice_of("alike").value[WRITER_COUNTERS], 0);
	assert_int_equal(choice_of("alike:counters=xy").value[WRITER_COUNTERS], 1);
	assert_int_equal(choice_of("alike:counters=xyz").value[WRITER_COUNTERS], 2);
}

/* Keys do not get in each other's way. */
static void test_all_keys_at_once(void **state)
{
	const struct writer_choice choice =
		choice_of("all:counters=other,burst=6,asleep=0,for=2us,towards=one,by=3ns,"
			  "every=4us,ppm=5,nohz=7s,arrivals=periodic,jitter=8us,hold=9ns,hz=10");

	(void)state;
	assert_int_equal(choice.hz, 10);
	assert_int_equal(choice.value[WRITER_HOLD], 9);
	assert_int_equal(choice.value[WRITER_JITTER], 8000);
	assert_int_equal(choice.value[WRITER_ARRIVALS], 0);
	assert_int_equal(choice.value[WRITER_NOHZ], 7ull * NSEC_PER_SEC);
	assert_int_equal(choice.value[WRITER_PPM], 5);
	assert_int_equal(choice.value[WRITER_EVERY], 4000);
	assert_int_equal(choice.value[WRITER_BY], 3);
	assert_int_equal(choice.value[WRITER_TOWARDS], 1);
	assert_int_equal(choice.value[WRITER_FOR], 2000);
	assert_int_equal(choice.value[WRITER_ASLEEP], 0);
	assert_int_equal(choice.value[WRITER_BURST], 6);
	assert_int_equal(choice.value[WRITER_COUNTERS], 2);
}

static void test_what_does_not_go_together(void **state)
{
	(void)state;
	check_refused("all:burst=7", "writer 'all': burst", "it is odd");
	choice_of("tick:jitter=1us,nohz=1s");
	choice_of("tick:arrivals=poisson,hold=1us");
	check_refused("tick:arrivals=poisson,jitter=1us", "writer 'tick': jitter",
		      "arrivals=periodic");
	check_refused("tick:nohz=1s,arrivals=poisson", "writer 'tick': nohz", "arrivals=periodic");
}

static void test_rates(void **state)
{
	const struct writer_choice tick = choice_of("tick");
	const struct writer_choice every = choice_of("alike:every=50ms");
	const struct writer_choice burst = choice_of("burst:burst=30");
	const struct writer_choice endless = choice_of("burst");

	(void)state;
	assert_true(writer_has_rate(tick.kind));
	assert_true(writer_has_rate(burst.kind));
	assert_false(writer_has_rate(every.kind));
	assert_true(writer_rate_hz(&tick, 1000) == 1000);
	assert_true(writer_rate_hz(&tick, WRITER_MAX_HZ) == WRITER_MAX_HZ);
	/* Whatever the rate, one that has none acts as every= says. */
	assert_true(writer_rate_hz(&every, 1000) == 20);
	assert_true(writer_rate_hz(&burst, 1000) == 30000);
	assert_true(isinf(writer_rate_hz(&endless, 1000)));
	assert_true(writer_wakes_hz(&tick, 1000) == 1000);
	assert_true(writer_wakes_hz(&every, 1000) == 20);
	assert_true(writer_wakes_hz(&burst, 1000) == 1000);
	assert_true(isinf(writer_wakes_hz(&endless, 1000)));
}

static double busy(const char *spec, u64 hz)
{
	const struct writer_choice choice = choice_of(spec);

	return writer_busy_share(&choice, hz);
}

#define assert_about(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * (b))

static void test_busy_share(void **state)
{
	(void)state;
	assert_int_equal(PACE_WAKE_EARLY_NS, 60000);
	assert_about(busy("tick", 1), 60e-6);
	assert_about(busy("tick", 1000), 0.06);
	/* A long hold is spun away too. */
	assert_about(busy("tick:hold=700us", 1000), 0.76);
	assert_about(busy("tick", WRITER_MAX_HZ), 600);
	assert_about(busy("alike:every=1ms", 77), 0.06);
	/* It wakes once for all updates of a burst. */
	assert_about(busy("burst:burst=100", 1000), 0.07);
	assert_about(busy("burst:burst=100,hold=1us", 1000), 0.17);
	assert_true(isinf(busy("burst", 1)));
	assert_true(isinf(busy("burst:hold=1us", 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_resolve_refuses_values),
		cmocka_unit_test(test_resolve_refuses),
		cmocka_unit_test(test_mutants_are_not_suggested),
		cmocka_unit_test(test_users_kinds),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_forever),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_all_keys_at_once),
		cmocka_unit_test(test_what_does_not_go_together),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_busy_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
