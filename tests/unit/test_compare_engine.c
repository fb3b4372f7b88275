// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comparisons of readers that are known to differ, or to be broken, in a certain way. How long
 * anything takes is whatever the machine makes of it: only ratios are looked at, of what differs by
 * far, and what a busy machine may spoil is tried again.
 */
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/compare_options.h"
#include "tests/unit/beside.h"

#define TRIES	      3
#define MAX_ARGUMENTS 24
#define WINDOW_VISITS 16

static char directory[sizeof("/tmp/contend-test-XXXXXX")];
static struct compare_options options;
static struct compare_result result;

/* Its own address is a constant to it wherever it is. */
#define BEFORE                                                                            \
	"#include \"readers/reader.h\"\n"                                                 \
	"reader_fn READER_NAME __attribute__((visibility(\"hidden\")));\n"                \
	"#define OWN_ADDRESS ((uintptr_t)READER_NAME)\n"                                  \
	"static inline void idle(u64 times)\n{\n\tfor (u64 i = 0; i < times; i++)\n"      \
	"\t\t__asm__ volatile(\"\" : \"+r\"(i));\n}\n"                                    \
	"CLOCK_READER(page, clock, ts, note)\n{\n"                                        \
	"\tconst struct vdso_clock *vc = &page->clock_data[CS_HRES_COARSE];\n"            \
	"\tu64 cycles, sec, nsec;\n\tu32 seq;\n\n\tfor (;;) {\n"                          \
	"\t\twhile ((seq = smp_load_acquire(&vc->seq)) & 1) {\n"                          \
	"\t\t\tNOTE_SPIN(note);\n\t\t\tcpu_relax();\n\t\t}\n"                             \
	"\t\tcycles = counter_read(READ_ONCE(vc->clock_mode), page);\n"                   \
	"\t\tNOTE_USED_SEQ(note, seq);\n\t\tNOTE_USED_CYCLES(note, cycles);\n"            \
	"\t\tsec = READ_ONCE(vc->basetime[clock].sec);\n"                                 \
	"\t\tnsec = cycles - READ_ONCE(vc->cycle_last);\n"                                \
	"\t\tif ((s64)nsec < 0)\n\t\t\tnsec = 0;\n"                                       \
	"\t\tnsec = (nsec * READ_ONCE(vc->mult) + READ_ONCE(vc->basetime[clock].nsec))\n" \
	"\t\t\t>> READ_ONCE(vc->shift);\n"                                                \
	"\t\tsmp_rmb();\n\t\tif (READ_ONCE(vc->seq) == seq)\n\t\t\tbreak;\n"              \
	"\t\tNOTE_CHANGED(note, sec, nsec, READ_ONCE(vc->seq));\n\t}\n"                   \
	"\tfor (; nsec >= NSEC_PER_SEC; nsec -= NSEC_PER_SEC, sec++)\n\t\tidle(CARRY);\n" \
	"\tts->tv_sec = (time_t)sec;\n\tts->tv_nsec = (long)nsec;\n"
#define AFTER "\treturn 0;\n}\n"

/* A reader that does so much for each second carried, and this at its end. */
static void write_reader(const char *name, int carry, const char *last)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fprintf(file, "#define CARRY %d\n%s%s%s", carry, BEFORE, last, AFTER) > 0);
	assert_int_equal(fclose(file), 0);
}

static int make_directory(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/contend-test-XXXXXX");
	if (!mkdtemp(directory) || setenv("XDG_CACHE_HOME", directory, 1))
		return -1;
	write_reader("plain.c", 0, "");
	write_reader("other.c", 1, "");
	write_reader("third.c", 2, "");
	return 0;
}

static int remove_directory(void **state)
{
	char text[128];

	(void)state;
	snprintf(text, sizeof(text), "rm -rf '%s'", directory);
	return system(text);
}

static int release(void **state)
{
	(void)state;
	compare_options_release(&options);
	return 0;
}

static void need_cpus(int count)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	if (CPU_COUNT(&set) < count)
		skip();
}

/* As on the command line; where a name ends in .c it is one of the readers above. */
static void prepare(const char *line)
{
	static char copy[1024];
	char *argument[MAX_ARGUMENTS + 1] = {"compare"};
	int count = 1;
	struct errmsg err;
	size_t used = 0;

	compare_options_release(&options);
	for (const char *word = line; *word; word += strspn(word, " ")) {
		const int length = (int)strcspn(word, " ");
		const bool named = length > 2 && strncmp(word + length - 2, ".c", 2) == 0;

		assert_true(count < MAX_ARGUMENTS);
		argument[count++] = copy + used;
		used += (size_t)snprintf(copy + used, sizeof(copy) - used, "%s%s%.*s",
					 named ? directory : "", named ? "/" : "", length, word) +
			1;
		assert_true(used < sizeof(copy));
		word += length;
	}
	if (compare_options_parse(count, argument, &options, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < options.refused; i++)
		fail_msg("%s", options.refusal[i].text);
}

static void execute(void)
{
	static const volatile sig_atomic_t stop;
	struct errmsg err;

	if (compare_execute(&options.config, NULL, NULL, &stop, &result, &err))
		fail_msg("%s", err.text);
}

static void compare(const char *line)
{
	prepare(line);
	execute();
	if (result.outcome != COMPARE_COMPLETE)
		fail_msg("%s: %s", line, result.broken);
}

static void check_broken(const char *line, const char *name, const char *how)
{
	prepare(line);
	execute();
	assert_int_equal(result.outcome, COMPARE_BROKEN);
	if (strncmp(result.broken, name, strlen(name)) != 0 || !strstr(result.broken, how))
		fail_msg("\"%s\" is not that %s %s", result.broken, name, how);
}

static bool is_near(double value, double wanted, double times)
{
	return value > wanted / times && value < wanted * times;
}

/*
 * A reader that is slower by far is as much slower beside work, which is in nobody's read. Short
 * reads would be no measure: part of them goes on at the same time as the work does.
 */
static void test_work(void **state)
{
	double ns = 0, read_ns = 0;
	bool found = false;

	(void)state;
	write_reader("quick.c", 0, "\tidle(1000);\n");
	write_reader("slow.c", 0, "\tidle(3000);\n");
	for (int i = 0; i < TRIES && !found; i++) {
		compare("quick.c slow.c --hz 250 -d 400ms");
		ns = result.reader[1].effect.ns.estimate;
		read_ns = result.reader[0].read_ns;
		assert_true(result.work_ns >= 0 && result.work_ns <= 0);
		assert_true(result.reader[1].effect.percent.ci95.low > 0);
		compare("quick.c slow.c --hz 250 -d 400ms --work alu:2000");
		found = is_near(result.reader[1].effect.ns.estimate, ns, 2) &&
			is_near(result.reader[0].read_ns, read_ns, 2) &&
			is_near(result.reader[1].read_ns, read_ns + ns, 2) &&
			result.work_ns > read_ns && result.reader[1].effect.percent.ci95.low > 0 &&
			result.reader[1].conclusion.verdict == EFFECT_SLOWER;
	}
	if (!found)
		fail_msg("%g ns slower than %g, and with work %g than %g", ns, read_ns,
			 result.reader[1].effect.ns.estimate, result.reader[0].read_ns);
	/* The other way round. */
	compare("slow.c quick.c --hz 250 -d 400ms");
	assert_true(result.reader[1].effect.ns.ci95.high < 0);
	assert_int_equal(result.reader[1].conclusion.verdict, EFFECT_FASTER);
}

static void test_wrong_at_some_places(void **state)
{
	(void)state;
	write_reader("wrong.c", 0, "\tts->tv_sec += OWN_ADDRESS >> 5 & 1;\n");
	check_broken("plain.c other.c wrong.c --hz 250 -d 5s", "wrong.c/",
		     "does not return what the page says");
	/* Only the copies are wrong: where it was put first it is right. */
	compare("plain.c other.c wrong.c --hz 250 -d 300ms --still");
}

/* In the upper half of a line it takes several times as long. */
static void test_placement_shows(void **state)
{
	double placed = 0, visits = 0;

	(void)state;
	write_reader("placed.c", 0, "\tif (OWN_ADDRESS & 32)\n\t\tidle(1000);\n");
	for (int i = 0; i < TRIES; i++) {
		compare("plain.c placed.c other.c --hz 250 -d 500ms");
		placed = result.reader[1].effect.placement_sd_percent;
		visits = result.reader[1].effect.visit_sd_percent;
		if (placed > 30 && placed > 3 * visits && result.placements > 0 &&
		    placed > 3 * result.reader[2].effect.placement_sd_percent)
			return;
	}
	fail_msg("between placements %g %%, between visits %g %%", placed, visits);
}

/* Without a writer, too, no second piles up: carrying one takes longer than all the rest. */
static void test_no_writer(void **state)
{
	double slower = 0;

	(void)state;
	write_reader("carry.c", 3000, "");
	for (int i = 0; i < TRIES; i++) {
		compare("plain.c carry.c --hz 0 -d 2600ms");
		slower = result.reader[1].read_ns / result.reader[0].read_ns;
		if (slower < 2)
			return;
	}
	fail_msg("%g times as slow", slower);
}

/* Four threads are in four readers, and whoever comes to this one crashes. */
static void test_crash(void **state)
{
	static const char *const lines[] = {
		"plain.c other.c third.c crash.c --readers 4 --hz 10000 --priority none -d 20s",
		"plain.c crash.c third.c other.c --readers 4 --hz 10000 --priority none -d 20s",
	};

	(void)state;
	write_reader("crash.c", 0, "\tif (seq > 2000)\n\t\t__builtin_trap();\n");
	for (size_t i = 0; i < 2 * ARRAY_SIZE(lines); i++)
		check_broken(lines[i % ARRAY_SIZE(lines)], "crash.c/", " crashes: ");
}

static void test_hang(void **state)
{
	(void)state;
	write_reader("hang.c", 0, "\twhile (seq > 2000)\n\t\tcpu_relax();\n");
	check_broken("plain.c other.c third.c hang.c --hz 10000 --priority none -d 20s", "hang.c/",
		     " does not return");
}

/* What came after the last visit was waiting, and is not measured. */
static void test_hang_is_not_measured(void **state)
{
	(void)state;
	write_reader("late.c", 0, "\twhile (seq > 6000)\n\t\tcpu_relax();\n");
	for (int i = 0; i < TRIES; i++) {
		check_broken("plain.c late.c --hz 10000 -d 1500ms", "late.c/", " does not return");
		if (result.visits)
			break;
		assert_true(result.seconds <= 0);
	}
	assert_true(result.visits > 0);
	assert_true(result.seconds > 0 && result.seconds < 4);
}

static volatile sig_atomic_t asked_to_stop;

/* A progress_fn. */
static void stop_soon(double share_done, double seconds_left, const char *figures, void *context)
{
	(void)figures;
	(void)seconds_left;
	(void)context;
	asked_to_stop = share_done > 0.05;
}

/* Nobody waits for it to be proved. */
static void test_interrupted_while_it_hangs(void **state)
{
	struct errmsg err;
	int i = 0;

	(void)state;
	write_reader("hang.c", 0, "\twhile (seq > 2000)\n\t\tcpu_relax();\n");
	prepare("plain.c hang.c --hz 10000 --priority none -d 20s");
	assert_int_equal(
		compare_execute(&options.config, stop_soon, NULL, &asked_to_stop, &result, &err),
		0);
	assert_int_equal(result.outcome, COMPARE_INTERRUPTED);
	while (i < result.remarks.count && !strstr(result.remarks.text[i], " had not come back "))
		i++;
	assert_true(i < result.remarks.count);
	assert_int_equal(strncmp(result.remarks.text[i], "hang.c/", strlen("hang.c/")), 0);
}

/* No reader is to blame. */
static void test_left_odd(void **state)
{
	(void)state;
	check_broken("plain.c other.c --writer stops-odd -d 500ms",
		     "the writer ended within update 101 ", "left the sequence odd");
	check_broken("hres coarse raw --writer stops-odd -d 10s --readers 3 --priority none",
		     "the writer ended within update 101 ", "left the sequence odd");
}

/* However short it was: the rate is of the time in which the writer ran. */
static void test_rate(void **state)
{
	static const char *const lines[] = {
		"plain.c other.c --hz 1000 -d 20ms",
		"plain.c other.c --hz 1000 -d 60ms",
		"plain.c other.c --hz 4000 -d 110ms --readers 2",
	};

	(void)state;
	need_cpus(2);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		bool right = false;

		for (int j = 0; j < TRIES && !right; j++) {
			compare(lines[i]);
			right = result.updates > 10 &&
				is_near(result.rate_hz, (double)options.config.run.writer[0].hz,
					1.1);
		}
		if (!right)
			fail_msg("%s: %g Hz, %llu updates", lines[i], result.rate_hz,
				 (unsigned long long)result.updates);
	}
}

static void check_refused(const char *name, const char *last, const char *how)
{
	char path[128];
	char *const argument[] = {"compare", "hres", path, "hres:hint=none"};
	struct errmsg err;

	write_reader(name, 0, last);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	compare_options_release(&options);
	assert_int_equal(compare_options_parse(4, (char **)(uintptr_t)argument, &options, &err), 0);
	if (options.refused != 1)
		fail_msg("%s is not refused", name);
	assert_int_equal(options.config.readers, 2);
	assert_string_equal(options.refused_spec[0], path);
	if (!strstr(options.refusal[0].text, how))
		fail_msg("\"%s\" does not say that %s", options.refusal[0].text, how);
}

/* By a nanosecond is wrong, too. The rest is compared. */
static void test_wrong_at_first(void **state)
{
	(void)state;
	check_refused("late1.c", "\tts->tv_nsec = (ts->tv_nsec + 1) % 1000000000;\n",
		      "but 1 ns more");
	check_refused("late20.c", "\tts->tv_nsec = (ts->tv_nsec + 20) % 1000000000;\n", " ns ");
	check_refused("early1.c", "\tif (ts->tv_nsec)\n\t\tts->tv_nsec--;\n", "but 1 ns less");
	check_refused("even.c", "\tts->tv_nsec &= ~1l;\n", "but 1 ns less");
	check_refused("sec.c", "\tts->tv_sec++;\n", "what the page says");
	check_refused("nsec.c", "\tts->tv_nsec += 1000000000;\n", "no part of a second");
}

/* Whatever is right passes, in all clocks. */
static void test_right_at_first(void **state)
{
	(void)state;
	prepare("hres:clock=realtime hres:clock=tai hres:clock=boottime hres raw coarse "
		"coarse:clock=realtime_coarse timens");
	prepare("plain.c other.c hres:layout=v5.3 hres:layout=v6.10 raw:layout=raw-separate "
		"hres:layout=gtod hres:layout=gtod-basemult");
}

/*
 * Updates that last long against a read and come several times a block: each is waited for, not
 * only the first of a block or after an interruption, which would be no more than there are of
 * both.
 */
static void test_odd_waits(void **state)
{
	const struct compare_reader *reader = &result.reader[1];
	double blocks = 0;

	(void)state;
	need_cpus(2);
	for (int i = 0; i < TRIES; i++) {
		compare("plain.c other.c --hz 400000 --writer tick:hold=1us --work alu:300 "
			"--priority none -d 500ms");
		blocks = (double)reader->reads * (reader->read_ns + result.work_ns) /
			 result.block_ns;
		if (reader->odd_waits > 100 &&
		    (double)reader->odd_waits > 1.3 * (blocks + (double)reader->changed))
			return;
	}
	fail_msg("%llu reads waited, %llu were interrupted, of %llu in %g blocks",
		 (unsigned long long)reader->odd_waits, (unsigned long long)reader->changed,
		 (unsigned long long)reader->reads, blocks);
}

#if defined(__x86_64__) && defined(__linux__)

#define READERS	   3
#define MAX_VISITS 1024
#define MAX_CALLS  8000000

/* What a reader that records its calls writes of each. */
struct call {
	u16 reader;
	u16 offset; /* where in a page it lies */
	u32 page;   /* that it is given */
};

struct visits {
	size_t count;
	u16 offset[MAX_VISITS];
	u32 after[READERS][READERS]; /* how often a reader was called after another */
};

/* Shared with every process that calls them: code may make no system calls. */
struct record {
	u64 count;
	struct call call[MAX_CALLS];
};

static struct record *calls_made;

/* It idles, so that there is room for all of its calls. */
static void write_recorder(const char *name, int number)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "#if !READER_COUNTED\n\tstruct call { u16 reader, offset; u32 page; };\n"
		 "\tstruct { u64 count; struct call call[]; } *record = (void *)%pul;\n\n"
		 "\tidle(2000);\n\tif (record->count < %d)\n"
		 "\t\trecord->call[record->count++] = (struct call){%d, OWN_ADDRESS & 4095,\n"
		 "\t\t\t(u32)((uintptr_t)page >> 12)};\n#endif\n",
		 (void *)calls_made, MAX_CALLS, number);
	write_reader(name, 0, text);
}

/* The first reader's page during blocks; other pages are quiet ones, read twice a visit. */
static void take_calls(const struct call *calls, size_t count, struct visits *visits)
{
	size_t from = 0;
	u32 page = 0;

	memset(visits, 0, sizeof(*visits));
	for (size_t i = 0; i < count; i++)
		page = calls[i].reader == 0 ? calls[i].page : page;
	while (from < count && calls[from].page != page)
		from++;
	for (size_t i = from; i < count; i++) {
		assert_true(calls[i].reader < READERS);
		if (i > from)
			visits->after[calls[i - 1].reader][calls[i].reader]++;
		if (calls[i].reader != 0 || calls[i].page == page || visits->count == MAX_VISITS)
			continue;
		/* The second time. */
		if (calls[i - 1].reader == 0 && calls[i - 1].page == calls[i].page)
			visits->offset[visits->count++] = calls[i].offset;
	}
}

static void record(struct visits *visits)
{
	calls_made->count = 0;
	execute();
	assert_int_equal(result.outcome, COMPARE_COMPLETE);
	take_calls(calls_made->call, calls_made->count, visits);
}

static int by_value(const void *one, const void *other)
{
	return *(const u16 *)one - *(const u16 *)other;
}

static bool is_sorted_in_line(const u16 *offset)
{
	for (size_t i = 1; i < WINDOW_VISITS / 2; i++)
		if (offset[i] % CACHE_LINE < offset[i - 1] % CACHE_LINE)
			return false;
	return true;
}

static bool is_half_a_line(const u16 *offset)
{
	for (size_t i = 1; i < WINDOW_VISITS / 2; i++)
		if ((offset[i] ^ offset[0]) & CACHE_LINE / 2)
			return false;
	return true;
}

/* All placements of a window are visited, and then all of them once more, in another order. */
static void check_windows(const struct visits *visits)
{
	const size_t half = WINDOW_VISITS / 2, windows = visits->count / WINDOW_VISITS;
	size_t same_order = 0, in_order = 0, in_half = 0;

	for (size_t window = 0; window < windows; window++) {
		const u16 *first = &visits->offset[window * WINDOW_VISITS], *second = first + half;
		u16 one[WINDOW_VISITS / 2], other[WINDOW_VISITS / 2];

		same_order += memcmp(first, second, sizeof(one)) == 0;
		in_order += is_sorted_in_line(first);
		in_half += is_half_a_line(first);
		memcpy(one, first, sizeof(one));
		memcpy(other, second, sizeof(other));
		qsort(one, half, sizeof(*one), by_value);
		qsort(other, half, sizeof(*other), by_value);
		assert_memory_equal(one, other, sizeof(one));
	}
	assert_true(same_order < windows);
	assert_true(in_order < windows);
	assert_true(in_half < windows);
}

/* Two windows have a placement at each of a line's places that there are, as often as any other. */
static void check_places(const struct visits *visits)
{
	const u32 step = options.reader[0].code.step, wide = step > 4 ? step : 4;
	u32 begins[CACHE_LINE] = {0}, lines = 0;
	u64 seen = 0;

	for (size_t window = 0; window < 2; window++)
		for (size_t i = 0; i < WINDOW_VISITS / 2; i++) {
			u16 offset = visits->offset[window * WINDOW_VISITS + i];

			begins[offset % CACHE_LINE / wide]++;
			seen |= 1ull << offset / CACHE_LINE;
		}
	for (u32 i = 0; i < CACHE_LINE / wide; i++)
		assert_int_equal(begins[i], wide / 4);
	for (; seen; seen &= seen - 1)
		lines++;
	/* Sixteen at random of 64. */
	assert_true(lines > 4);
}

/* Each follows each other one; of an order that is always the same half of them would not occur. */
static void check_order(const struct visits *visits)
{
	u32 least = UINT32_MAX, most = 0;

	for (size_t i = 0; i < READERS; i++)
		for (size_t j = 0; j < READERS; j++) {
			const u32 count = visits->after[i][j];

			if (i == j)
				continue;
			least = count < least ? count : least;
			most = count > most ? count : most;
		}
	if (least < most / 5)
		fail_msg("one reader follows another %u times, a third one %u times", most, least);
}

/* The readers themselves tell where they lie, and who was called after whom. */
static void test_order(void **state)
{
	static const char *const lines[] = {
		"record0.c record1.c record2.c --hz 250 -d 400ms",
		"record0.c record1.c record2.c --hz 250 -d 1500ms",
		"record0.c record1.c record2.c --hz 250 -d 5s",
	};
	struct visits visits = {.count = 0};

	(void)state;
	calls_made = mmap(NULL, sizeof(*calls_made), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(calls_made != MAP_FAILED);
	write_recorder("record0.c", 0);
	write_recorder("record1.c", 1);
	write_recorder("record2.c", 2);
	for (size_t i = 0; i < ARRAY_SIZE(lines) && visits.count < 2 * WINDOW_VISITS; i++) {
		prepare(lines[i]);
		record(&visits);
	}
	munmap(calls_made, sizeof(*calls_made));
	assert_true(visits.count >= 2 * WINDOW_VISITS);
	check_windows(&visits);
	check_places(&visits);
	check_order(&visits);
}

#else

static void test_order(void **state)
{
	(void)state;
	skip();
}

#endif

#define ENGINE_TEST(test) cmocka_unit_test_teardown(test, release)

int main(int count, char **arguments)
{
	const struct CMUnitTest beside[] = {
		ENGINE_TEST(test_wrong_at_some_places),
		ENGINE_TEST(test_crash),
		ENGINE_TEST(test_hang),
	};
	const struct CMUnitTest alone[] = {
		ENGINE_TEST(test_work),
		ENGINE_TEST(test_placement_shows),
		ENGINE_TEST(test_order),
		ENGINE_TEST(test_no_writer),
		ENGINE_TEST(test_odd_waits),
		ENGINE_TEST(test_hang_is_not_measured),
		ENGINE_TEST(test_interrupted_while_it_hangs),
		ENGINE_TEST(test_left_odd),
		ENGINE_TEST(test_rate),
		ENGINE_TEST(test_wrong_at_first),
		ENGINE_TEST(test_right_at_first),
	};
	int failed = 0;

	if (wants_tests(count, arguments, "--beside"))
		failed += cmocka_run_group_tests(beside, make_directory, remove_directory);
	if (wants_tests(count, arguments, "--alone"))
		failed += cmocka_run_group_tests(alone, make_directory, remove_directory);
	return failed;
}
