// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is told of each kind of access, by either compiler: how, how much, in which order, and that
 * what the source computes with it is what was there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "prove/object_check.h"
#include "readers/cache.h"
#include "tests/unit/told_calls.h"

/* The one case of a source: a function of the shared memory, whose structure is this. */
#define SHARED                                                               \
	"struct three { u64 a, b, c; };\n"                                   \
	"struct two { u64 a, b; };\n"                                        \
	"struct __attribute__((packed)) crooked { u8 before; u32 word; };\n" \
	"struct shared {\n"                                                  \
	"	u64 a, b;\n"		     /* 0, 8 */                      \
	"	u32 c, d;\n"		     /* 16, 20 */                    \
	"	u16 e; u8 f, g;\n"	     /* 24, 26, 27 */                \
	"	u64 h;\n"		     /* 32 */                        \
	"	struct three from, to;\n"    /* 40, 64 */                    \
	"	struct two first, second;\n" /* 88, 104 */                   \
	"	struct crooked crooked;\n"   /* 120 */                       \
	"	volatile u64 i;\n"	     /* 128 */                       \
	"	volatile u32 j;\n"	     /* 136 */                       \
	"	u8 bytes[32];\n"	     /* 140 */                       \
	"};\n"

static char directory[] = "/tmp/contend-test-XXXXXX";
static char source_path[64];
static struct errmsg err;
static struct object object;

static void remove_files(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", directory);
	assert_int_equal(system(command), 0);
}

static int begin(void **state)
{
	char cache[80];

	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(cache, sizeof(cache), "%s/cache", directory);
	snprintf(source_path, sizeof(source_path), "%s/source.c", directory);
	return setenv("XDG_CACHE_HOME", cache, 1);
}

static int end(void **state)
{
	(void)state;
	remove_files();
	return 0;
}

static FILE *begin_source(void)
{
	FILE *file = fopen(source_path, "w");

	assert_non_null(file);
	fputs("#include <string.h>\n#include \"readers/reader.h\"\n" SHARED, file);
	return file;
}

/* 0, or -1 with why not in err. */
static int make_object(const char *cc)
{
	struct recipe recipe = {.given = true, .cc = cc};
	struct compile_job job = {.source = source_path, .recipe = &recipe};

	return object_make(&job, &object, &err);
}

/* Compiles what a function does. */
static int make(const char *cc, const char *before, const char *body)
{
	FILE *file = begin_source();

	fprintf(file,
		"%s\nu64 READER_NAME(struct shared *s, u64 x);\n"
		"u64 READER_NAME(struct shared *s, u64 x) { (void)s; (void)x; %s }\n",
		before, body);
	fclose(file);
	return make_object(cc);
}

/* Compiles many, of which the entry calls the one of this number. */
static void make_all(const char *cc, const char *const *body, size_t count)
{
	FILE *file = begin_source();

	for (size_t i = 0; i < count; i++)
		fprintf(file,
			"static __attribute__((noinline)) u64 body_%zu(struct shared *s, u64 x)\n"
			"{ (void)s; (void)x; %s }\n",
			i, body[i]);
	fputs("u64 READER_NAME(struct shared *s, u64 x, u32 which);\n"
	      "u64 READER_NAME(struct shared *s, u64 x, u32 which)\n{\n\tswitch (which) {\n",
	      file);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "\tcase %zu:\n\t\treturn body_%zu(s, x);\n", i, i);
	fputs("\t}\n\treturn 0;\n}\n", file);
	fclose(file);
	if (make_object(cc))
		fail_msg("%s: %s", cc, err.text);
}

static u64 call(u64 argument, u32 which)
{
	u64 (*const entry)(void *shared, u64 argument, u32 which) =
		(u64(*)(void *, u64, u32))(uintptr_t)object.head->entry;
	u64 result;

	object.head->host = &told_host;
	told_forget();
	result = entry(told_memory, argument, which);
	object.head->settle();
	assert_int_equal(told_entered, 0);
	return result;
}

static void set(size_t offset, u64 value, size_t bytes)
{
	memcpy(told_memory + offset, &value, bytes);
}

/* For 32 bits clang has no thread sanitizer. */
#if __SIZEOF_POINTER__ < 8
static const char *const compilers[] = {"gcc"};
#else
static const char *const compilers[] = {"gcc", "clang"};
#endif

static bool is_there(const char *cc)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", cc);
	return system(command) == 0;
}

/* The memory holds 1 in a, 2 in b, and so on; what is returned, and told. */
struct expected {
	const char *body;
	u64 result;
	const char *told;
};

static void check(const char *cc, const struct expected *expected, u32 which)
{
	u64 result;

	told_begin();
	set(0, 1, 8), set(8, 2, 8), set(16, 3, 4), set(20, 4, 4);
	set(24, 5, 2), set(26, 6, 1), set(27, 7, 1), set(32, 8, 8);
	set(128, 9, 8), set(136, 10, 4), set(121, 11, 4);
	result = call(77, which);
	if (result != expected->result || strcmp(told, expected->told) != 0)
		fail_msg("%s: %s\nreturned %llu instead of %llu, and told\n%s\ninstead of\n%s", cc,
			 expected->body, (unsigned long long)result,
			 (unsigned long long)expected->result, told, expected->told);
	for (u32 i = 0; i < told_accesses; i++)
		if (!object_has(&object, told_sites[i]))
			fail_msg("%s: %s: a site outside of the code", cc, expected->body);
}

static void check_all(const struct expected *expected, size_t count)
{
	const char *body[32];

	assert_true(count <= ARRAY_SIZE(body));
	for (size_t i = 0; i < count; i++)
		body[i] = expected[i].body;
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		if (!is_there(compilers[i]))
			continue;
		make_all(compilers[i], body, count);
		for (u32 j = 0; j < count; j++)
			check(compilers[i], &expected[j], j);
		object_release(&object);
	}
}

static void test_plain(void **state)
{
	static const struct expected expected[] = {
		{"return s->a;", 1, "look8 plain +0 =1"},
		{"return s->c;", 3, "look4 plain +16 =3"},
		{"return s->e;", 5, "look2 plain +24 =5"},
		{"return s->f;", 6, "look1 plain +26 =6"},
		{"s->a = x; return 0;", 0, "store8 plain +0 =77"},
		{"s->c = (u32)x; return 0;", 0, "store4 plain +16 =77"},
		{"s->e = (u16)x; return 0;", 0, "store2 plain +24 =77"},
		{"s->f = (u8)x; return 0;", 0, "store1 plain +26 =77"},
		/* A store of what is there is one, too, and comes where it stands. */
		{"s->a = 1; return s->b;", 2, "store8 plain +0 =1, look8 plain +8 =2"},
		/* The load is not left out for the store's sake. */
		{"s->a++; return 0;", 0, "look8 plain +0 =1, store8 plain +0 =2"},
		{"return s->a + s->b;", 3, "look8 plain +0 =1, look8 plain +8 =2"},
		{"return s->crooked.word;", 11,
		 "look1 plain +121 =11, look2 plain +122 =0, look1 plain +124 =0"},
		{"s->crooked.word = 0x04030201; return 0;", 0,
		 "store1 plain +121 =1, store2 plain +122 =770, store1 plain +124 =4"},
		{"u64 own[4] = {x, 5}; volatile u64 *p = &own[x & 1]; return *p;", 5, ""},
	};

	(void)state;
	check_all(expected, ARRAY_SIZE(expected));
}

static void test_volatile(void **state)
{
	static const struct expected expected[] = {
		{"return s->i;", 9, "look8 volatile +128 =9"},
		{"s->j = (u32)x; return 0;", 0, "store4 volatile +136 =77"},
		{"s->j++; return 0;", 0, "look4 volatile +136 =10, store4 volatile +136 =11"},
		{"return READ_ONCE(s->c);", 3, "look4 volatile +16 =3"},
		{"WRITE_ONCE(s->a, x); return 0;", 0, "store8 volatile +0 =77"},
		{"WRITE_ONCE(s->a, READ_ONCE(s->a) + 1); smp_wmb(); s->b = x; smp_wmb();"
		 " WRITE_ONCE(s->a, READ_ONCE(s->a) + 1); return 0;",
		 0,
		 "look8 volatile +0 =1, store8 volatile +0 =2, fence release, "
		 "store8 plain +8 =77, fence release, look8 volatile +0 =2, "
		 "store8 volatile +0 =3"},
	};

	(void)state;
	check_all(expected, ARRAY_SIZE(expected));
}

static void test_atomic(void **state)
{
	static const struct expected expected[] = {
		{"return __atomic_load_n(&s->a, __ATOMIC_ACQUIRE);", 1, "load8 acquire +0 =1"},
		{"return __atomic_load_n(&s->c, __ATOMIC_CONSUME);", 3, "load4 acquire +16 =3"},
		{"return __atomic_load_n(&s->e, __ATOMIC_SEQ_CST);", 5, "load2 seq_cst +24 =5"},
		{"return __atomic_load_n(&s->f, __ATOMIC_RELAXED);", 6, "load1 relaxed +26 =6"},
		{"__atomic_store_n(&s->a, x, __ATOMIC_RELEASE); return 0;", 0,
		 "store8 release +0 =77"},
		{"__atomic_store_n(&s->g, (u8)x, __ATOMIC_SEQ_CST); return 0;", 0,
		 "store1 seq_cst +27 =77"},
		{"return __atomic_exchange_n(&s->c, 12, __ATOMIC_ACQ_REL);", 3,
		 "exchange4 acq_rel +16 =12"},
		{"return __atomic_fetch_add(&s->a, 2, __ATOMIC_RELAXED);", 1, "add8 relaxed +0 =2"},
		{"return __atomic_fetch_or(&s->a, 4, __ATOMIC_SEQ_CST);", 1, "or8 seq_cst +0 =4"},
		{"return __atomic_fetch_and(&s->c, 2, __ATOMIC_ACQUIRE);", 3,
		 "and4 acquire +16 =2"},
		{"return __atomic_fetch_xor(&s->e, 3, __ATOMIC_RELEASE);", 5,
		 "xor2 release +24 =3"},
		{"return __atomic_fetch_nand(&s->f, 2, __ATOMIC_RELAXED);", 6,
		 "nand1 relaxed +26 =2"},
		/* The load is seen, though only its sum is used. */
		{"return __sync_fetch_and_add(&s->a, 1);", 1, "add8 seq_cst +0 =1"},
		{"u64 was = 1; __atomic_compare_exchange_n(&s->a, &was, x, 0, __ATOMIC_ACQ_REL,"
		 " __ATOMIC_ACQUIRE); return was;",
		 1, "swap8 acq_rel +0 =77 else acquire"},
		{"u64 was = 5; return 100 * !__atomic_compare_exchange_n(&s->a, &was, x, 1,"
		 " __ATOMIC_RELEASE, __ATOMIC_RELAXED) + was;",
		 101, "differ8 release +0 =77 else relaxed"},
		{"smp_store_release(&s->c, 9); return smp_load_acquire(&s->d);", 4,
		 "store4 release +16 =9, load4 acquire +20 =4"},
	};

	(void)state;
	check_all(expected, ARRAY_SIZE(expected));
}

static void test_fences(void **state)
{
	/* Loads between them keep a compiler from making one of all. */
	static const struct expected expected[] = {
		{"smp_rmb(); u64 i = s->i; smp_wmb(); i += s->i; smp_mb(); return i;", 18,
		 "fence acquire, look8 volatile +128 =9, fence release, look8 volatile +128 =9, "
		 "fence seq_cst"},
		{"cmm_smp_rmb(); u64 i = s->i; cmm_smp_wmb(); i += s->i; cmm_smp_mb(); return i;",
		 18,
		 "fence acquire, look8 volatile +128 =9, fence release, look8 volatile +128 =9, "
		 "fence seq_cst"},
		{"__atomic_thread_fence(__ATOMIC_ACQ_REL); return 0;", 0, "fence acq_rel"},
		{"__atomic_thread_fence(__ATOMIC_CONSUME); return 0;", 0, "fence acquire"},
		{"__sync_synchronize(); return 0;", 0, "fence seq_cst"},
		{"__atomic_signal_fence(__ATOMIC_SEQ_CST); barrier(); cpu_relax(); return 0;", 0,
		 ""},
		{"s->a = x; smp_wmb(); s->b = x; return 0;", 0,
		 "store8 plain +0 =77, fence release, store8 plain +8 =77"},
	};

	(void)state;
	check_all(expected, ARRAY_SIZE(expected));
}

struct copy {
	const char *body;
	size_t from, to, bytes;
};

/* Blocks: the result is right, so each byte was loaded before it was stored. */
static void check_copy(const char *cc, const struct copy *copy, u32 which)
{
	u8 was[TOLD_BYTES], expected[TOLD_BYTES];

	told_begin();
	for (size_t i = 0; i < 256; i++)
		told_memory[i] = (u8)(i * 7 + 1);
	memcpy(was, told_memory, sizeof(was));
	memcpy(expected, told_memory, sizeof(expected));
	memmove(expected + copy->to, was + copy->from, copy->bytes);
	call(77, which);
	if (memcmp(told_memory, expected, sizeof(expected)) != 0)
		fail_msg("%s: %s: copied wrongly: %s", cc, copy->body, told);
}

/* Sums up what was told: bytes of loads or stores from there on, within so many. */
static size_t bytes_told(const char *what, size_t begin_at, size_t bytes)
{
	size_t sum = 0;

	for (const char *at = told; (at = strstr(at, what)); at++) {
		unsigned int size;
		long offset;

		if (sscanf(at + strlen(what), "%u %*s +%ld", &size, &offset) == 2 &&
		    offset >= (long)begin_at && offset < (long)(begin_at + bytes))
			sum += size;
	}
	return sum;
}

static void check_told(const char *cc, const struct copy *copy)
{
	const size_t stored = bytes_told("store", copy->to, copy->bytes);
	const size_t loaded = bytes_told("look", copy->from, copy->bytes) +
			      bytes_told("load", copy->from, copy->bytes);

	if (stored != copy->bytes || loaded != copy->bytes)
		fail_msg("%s: %s: told of %zu bytes loaded and %zu stored: %s", cc, copy->body,
			 loaded, stored, told);
}

static void test_blocks(void **state)
{
	static const struct copy copies[] = {
		{"s->to = s->from; return 0;", 40, 64, 24},
		{"s->second = s->first; return 0;", 88, 104, 16},
		{"memcpy(&s->to, &s->from, sizeof(s->to)); return 0;", 40, 64, 24},
		{"memcpy(&s->bytes[1], &s->bytes[17], x - 70); return 0;", 157, 141, 7},
		{"memmove(&s->bytes[3], &s->bytes[1], x - 60); return 0;", 141, 143, 17},
		{"memmove(&s->bytes[1], &s->bytes[3], x - 60); return 0;", 143, 141, 17},
	};
	const char *body[ARRAY_SIZE(copies)];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(copies); i++)
		body[i] = copies[i].body;
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		if (!is_there(compilers[i]))
			continue;
		make_all(compilers[i], body, ARRAY_SIZE(copies));
		for (u32 j = 0; j < ARRAY_SIZE(copies); j++) {
			check_copy(compilers[i], &copies[j], j);
			check_told(compilers[i], &copies[j]);
		}
		object_release(&object);
	}
}

/* From private memory, or to it, only the shared half is told. */
static void test_halves(void **state)
{
	static const struct expected expected[] = {
		{"struct three own = {x, x + 1, x + 2}; volatile u64 *p = &own.a; s->to = own;"
		 " return *p;",
		 77, "store8 plain +64 =77, store8 plain +72 =78, store8 plain +80 =79"},
		{"memset(&s->from, 0, sizeof(s->from)); return 0;", 0,
		 "store8 plain +40 =0, store8 plain +48 =0, store8 plain +56 =0"},
	};

	(void)state;
	check_all(expected, ARRAY_SIZE(expected));
}

/* What is asked for by another function's store comes before what follows its call. */
static void test_functions(void **state)
{
	static const char before[] =
		"static __attribute__((noinline)) void one(struct shared *s, u64 x) { s->a = x; }\n"
		"static __attribute__((noinline)) u64 other(struct shared *s) { return s->b; }\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		if (!is_there(compilers[i]))
			continue;
		assert_int_equal(make(compilers[i], before, "one(s, x); return other(s) + s->h;"),
				 0);
		told_begin();
		assert_int_equal(call(5, 0), 0);
		assert_string_equal(told,
				    "store8 plain +0 =5, look8 plain +8 =0, look8 plain +32 =0");
		object_release(&object);
	}
}

/* Which line it is. */
static void test_places(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		struct lines_place first, second;

		if (!is_there(compilers[i]))
			continue;
		assert_int_equal(make(compilers[i], "",
				      "s->a = x;\n__atomic_thread_fence(__ATOMIC_RELEASE);\n"
				      "s->b = x;\nreturn 0;"),
				 0);
		told_begin();
		call(5, 0);
		assert_int_equal(told_accesses, 2);
		first = object_place(&object, told_sites[0]);
		second = object_place(&object, told_sites[1]);
		assert_int_equal(second.line, first.line + 2);
		assert_non_null(strstr(first.file, "source.c"));
		assert_true(object_has(&object, told_sites[0]));
		assert_false(object_has(&object, told_memory));
		object_release(&object);
	}
}

static void expect_sentence(const char *what, const char *why)
{
	if (!strstr(err.text, why))
		fail_msg("%s: \"%s\" does not say \"%s\"", what, err.text, why);
}

/* Looks at code that was made as simply as that, which takes less long. */
static void check_refused(const char *before, const char *body, const char *why)
{
	char command[256], path[80];
	struct object code = {.elf = NULL};
	struct cache_file file;
	FILE *source = fopen(source_path, "w");

	assert_non_null(source);
	fprintf(source,
		"typedef unsigned long u64;\ntypedef unsigned u32;\n%s\n"
		"u64 reader(u64 *s, u64 x) { (void)s; (void)x; %s }\n",
		before, body);
	fclose(source);
	snprintf(path, sizeof(path), "%s/code.so", directory);
	snprintf(command, sizeof(command),
		 "gcc -O2 -fPIC -shared -nostdlib -o '%s' '%s' 2>/dev/null", path, source_path);
	if (system(command) != 0)
		fail_msg("%s: %s", body, command);
	assert_int_equal(cache_read(path, &file), 0);
	code.elf = file.bytes;
	code.elf_bytes = file.size;
	if (object_check(&code, &err) == 0)
		fail_msg("%s%s was not refused", before, body);
	expect_sentence(body, why);
	free(file.bytes);
}

static void test_refused(void **state)
{
	static const struct {
		const char *before, *body, *why;
	} wrong[] =
	{ {"#include <stdlib.h>\n", "return (u64)malloc(x);", "malloc"},
	  {"#include <stdlib.h>\n", "free(s); return 0;", "free"},
	  {"#include <stdio.h>\n", "printf(\"%d\", (int)x); return 0;", "prints (printf"},
	  {"#include <stdio.h>\n", "return (u64)puts(\"x\");", "prints (puts"},
	  {"#include <unistd.h>\n", "return (u64)getppid();", "getppid"},
	  {"#include <sched.h>\n", "sched_yield(); return 0;", "sched_yield"},
	  {"#include <pthread.h>\n",
	   "return (u64)pthread_create((pthread_t *)s, 0, (void *(*)(void *))x, 0);",
	   "starts threads (pthread_create)"},
	  {"#include <pthread.h>\n",
	   "return (u64)pthread_cond_wait((pthread_cond_t *)s, (pthread_mutex_t *)x);",
	   "pthread_cond_wait"},
	  {"static u64 calls;\n", "return calls++;", "a variable, 'calls'"},
	  {"static __thread u64 mine;\n", "return mine++;", "a variable, 'mine'"},
	  {"",
	   "__asm__ __volatile__(\"nop\"); return __atomic_load_n((__int128 *)s,"
	   " __ATOMIC_RELAXED) != 0;",
	   "16 bytes"},
#if defined(__x86_64__)
	  {"", "__asm__ __volatile__(\"mfence\" ::: \"memory\"); return 0;", "mfence"},
	  {"", "__asm__ __volatile__(\"lock; addl $0,(%%rsp)\" ::: \"memory\"); return 0;", "lock"},
	  {"", "__asm__ __volatile__(\"xchg %0,%1\" : \"+r\"(x), \"+m\"(*s)); return x;", "xchg"},
	  {"",
	   "u64 r; __asm__ __volatile__(\"syscall\" : \"=a\"(r) : \"0\"(39) : \"rcx\","
	   " \"r11\"); return r;",
	   "syscall"},
	  {"", "u32 l, h; __asm__ __volatile__(\"rdtsc\" : \"=a\"(l), \"=d\"(h)); return l;",
	   "rdtsc"},
#endif
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		check_refused(wrong[i].before, wrong[i].body, wrong[i].why);
}

/* The same of what is really made. */
static void test_refused_by_all(void **state)
{
	static const char before[] = "#include <stdlib.h>\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		if (!is_there(compilers[i]))
			continue;
		assert_int_equal(make(compilers[i], before, "return (u64)malloc(x);"), -1);
		expect_sentence("malloc", "it allocates memory (malloc)");
		assert_int_equal(make(compilers[i], "static u64 calls;\n", "return calls++;"), -1);
		expect_sentence("calls", "a variable, 'calls'");
		if (sizeof(void *) < 8) /* which has no such type */
			continue;
		assert_int_equal(make(compilers[i], "",
				      "return __atomic_load_n((__int128 *)s,"
				      " __ATOMIC_RELAXED) != 0;"),
				 -1);
		expect_sentence("16", "16 bytes");
	}
}

/* What looks like it and may be there. */
static void test_not_refused(void **state)
{
	static const char before[] = "static const u64 table[] = {3, 1, 4, 1, 5};\n"
				     "static const char *const names[] = {\"a\", \"b\"};\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		if (!is_there(compilers[i]))
			continue;
		if (make(compilers[i], before,
			 "cpu_relax(); __asm__ __volatile__(\"\" : \"+r\"(x));"
			 " return table[x % 5] + (u64)names[x & 1][0];"))
			fail_msg("%s", err.text);
		told_begin();
		assert_int_equal(call(2, 0), 4 + 'a');
		object_release(&object);
	}
}

static void test_no_compiler(void **state)
{
	(void)state;
	assert_int_equal(make("no-such-compiler", "", "return 0;"), -1);
	expect_sentence("compiler", "there is no compiler");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	    cmocka_unit_test(test_volatile),
		cmocka_unit_test(test_atomic),	    cmocka_unit_test(test_fences),
		cmocka_unit_test(test_blocks),	    cmocka_unit_test(test_halves),
		cmocka_unit_test(test_functions),   cmocka_unit_test(test_places),
		cmocka_unit_test(test_refused),	    cmocka_unit_test(test_not_refused),
		cmocka_unit_test(test_no_compiler), cmocka_unit_test(test_refused_by_all),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
