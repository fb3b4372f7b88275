// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "prove/direct.h"
#include "prove/object.h"
#include "prove/program.h"
#include "readers/source_choice.h"
#include "sim/clocksource.h"
#include "sim/lock_page.h"
#include "sim/stamp.h"
#include "writers/broken_pages.h"
#include "writers/writer.h"

#define MAX_READS GRAPH_MAX_TOLD
/* Updates of all writers, each with a number of its own, and number 0, which stands at first. */
#define MAX_NUMBERS (8 * PROGRAM_MAX_WRITERS + 1)
/* Of the arena, for each thread. */
#define PART_BYTES 2048

/* Words of update n begin with this. */
#define WORD_STEP 100

#define COUNTER_AT 1000000000000ull

#define SENTENCE_BYTES 400

/* How long it may take to publish and read a few times. */
#define TRY_S 5

typedef void fetch_fn(void *shared, u64 *words, u32 n, struct read_note *note);
typedef void publish_page_fn(const struct broken_update *update);

/* By which writers take turns: who has the lock, and the number of the last update. */
struct turns {
	u32 lock;
	u32 number;
};

/* What the threads share if it is a lock. */
struct lock_memory {
	struct lock_page page;
	struct turns turns;
	u32 rcu_counter[PROVE_MAX_THREADS + 1];
	u8 arena[(PROVE_MAX_THREADS + 1) * PART_BYTES] __attribute__((aligned(CACHE_LINE)));
};

/* What one read returned. */
struct returned {
	u64 word[LOCK_MAX_WORDS];
	struct timespec time;
	bool fell_back;
	struct read_note note;
};

struct program {
	struct source_choice choice;
	bool is_lock;
	u32 words;
	u32 writers;
	u32 counter_bits; /* 0: counters begin with 0 */
	struct writer_choice writer[PROGRAM_MAX_WRITERS];
	struct object reader;
	struct object publisher[PROGRAM_MAX_WRITERS]; /* of a lock, the first for all */
	struct prove_host host;
	struct explore_threads threads;
	struct proof_bounds bounds;

	struct lock_memory *lock;  /* or */
	struct page_region region; /* .writable NULL: none */
	struct timekeeper tk[MAX_NUMBERS];
	struct timespec expected[MAX_NUMBERS];

	bool explored;		    /* by now; before, it was prepared */
	char stray[SENTENCE_BYTES]; /* what was stored elsewhere while it was prepared; "": nothing
				     */

	/* The last one is the preparer's. */
	struct returned returned[GRAPH_MAX_THREADS + 1][MAX_READS];
};

static const struct prove_calls explorer_calls = {
	.load = access_load,
	.store = access_store,
	.modify = access_modify,
	.compare = access_compare,
	.fence = access_fence,
	.before_load = access_before_load,
	.await = access_await,
	.await_and_modify = access_await_and_modify,
	.enter = access_enter,
	.leave = access_leave,
	.pass = access_pass,
	.tell = access_tell,
};

static void begin_thread(struct program *program, u32 thread)
{
	program->host.thread = thread;
	program->host.stack = __builtin_frame_address(0);
	program->host.own[thread] = (struct prove_own){.used = 0};
}

static void call_if_there(void (*function)(void))
{
	if (function)
		function();
}

/* ---- writers ---- */

static void publish_words(const struct program *program, const struct object *publisher, u32 number)
{
	u64 word[LOCK_MAX_WORDS];

	for (u32 i = 0; i < program->words; i++)
		word[i] = (u64)number * WORD_STEP + i;
	((lock_publish_fn *)publisher->head->entry)(program->lock->page.shared, word,
						    program->words);
	publisher->head->settle();
}

static void publish_page(struct program *program, const struct object *publisher, u32 number)
{
	const struct broken_update update = {
		.page = page_for_writer(&program->region),
		.layout = program->region.layout,
		.tk = &program->tk[number],
	};

	((publish_page_fn *)publisher->head->entry)(&update);
	publisher->head->settle();
}

static bool is_free(u64 value, u64 unused)
{
	(void)unused;
	return value == 0;
}

static u64 become_taken(u64 value, u64 unused)
{
	(void)unused;
	return value + 1;
}

static bool takes_turns(const struct program *program, u32 writer)
{
	return program->writers > 1 && !program->writer[writer].kind->takes_no_lock;
}

/* Whether of two updates the later one has the larger number. */
static bool is_in_order(const struct program *program)
{
	for (u32 i = 0; program->writers > 1 && i < program->writers; i++)
		if (!takes_turns(program, i))
			return false;
	return true;
}

static struct turns *turns_of(const struct program *program)
{
	return program->is_lock ? &program->lock->turns
				: (struct turns *)(void *)((char *)program->region.writable +
							   PAGE_OTHER_TIMENS * SIM_PAGE_BYTES);
}

static struct access access_of(u32 *word, u8 order)
{
	return (struct access){.address = word, .bytes = sizeof(*word), .order = order};
}

/* The number of what is published next: where all take turns, as many as were before it. */
static u32 begin_turn(const struct program *program, u32 writer, u32 update)
{
	const struct access taking = access_of(&turns_of(program)->lock, __ATOMIC_ACQUIRE);
	const struct access number = access_of(&turns_of(program)->number, __ATOMIC_RELAXED);
	u32 next = writer * program->bounds.updates + update;

	if (takes_turns(program, writer))
		access_await_and_modify(&taking, is_free, 0, become_taken);
	if (program->writers > 1 && is_in_order(program)) {
		next = (u32)access_load(&number) + 1;
		access_store(&number, next);
	}
	return next;
}

static void end_turn(const struct program *program, u32 writer)
{
	const struct access giving = access_of(&turns_of(program)->lock, __ATOMIC_RELEASE);

	if (takes_turns(program, writer))
		access_store(&giving, 0);
}

static void run_writer(struct program *program, u32 thread)
{
	const struct object *publisher = &program->publisher[program->is_lock ? 0 : thread];

	call_if_there(publisher->head->enlist);
	for (u32 update = 1; update <= program->bounds.updates; update++) {
		u32 number;

		access_pass(update);
		number = begin_turn(program, thread, update);
		if (program->is_lock)
			publish_words(program, publisher, number);
		else
			publish_page(program, publisher, number);
		end_turn(program, thread);
	}
	call_if_there(publisher->head->leave);
	publisher->head->settle();
}

/* ---- readers ---- */

static void read_words(const struct program *program, struct returned *returned)
{
	((fetch_fn *)program->reader.head->entry)(program->lock->page.shared, returned->word,
						  program->words, &returned->note);
	program->reader.head->settle();
}

static const struct vdso_time_data *page_of_reader(const struct program *program)
{
	const char *page = (const char *)page_for_writer(&program->region);

	if (program->choice.kind->in_namespace)
		page -= (PAGE_DATA - PAGE_TIMENS) * SIM_PAGE_BYTES;
	return (const struct vdso_time_data *)(const void *)page;
}

static void read_clock(const struct program *program, struct returned *returned)
{
	returned->fell_back = ((reader_fn *)program->reader.head->entry)(
		page_of_reader(program), program->choice.clock, &returned->time, &returned->note);
	program->reader.head->settle();
}

static bool is_of(const struct program *program, const struct returned *returned, u32 number)
{
	if (!program->is_lock)
		return !returned->fell_back &&
		       returned->time.tv_sec == program->expected[number].tv_sec &&
		       returned->time.tv_nsec == program->expected[number].tv_nsec;
	for (u32 i = 0; i < program->words; i++)
		if (returned->word[i] != (u64)number * WORD_STEP + i)
			return false;
	return true;
}

static u64 outcome_of(const struct program *program, const struct returned *returned)
{
	for (u32 number = 0; number <= program->writers * program->bounds.updates; number++)
		if (is_of(program, returned, number))
			return number;
	return PROOF_MIXTURE;
}

static void run_reader(struct program *program, u32 thread)
{
	const struct prove_head *head = program->reader.head;

	call_if_there(head->enlist);
	for (u32 read = 0; read < program->bounds.reads; read++) {
		struct returned *returned = &program->returned[thread][read];

		access_pass(read + 1);
		*returned = (struct returned){.fell_back = false};
		call_if_there(head->quiesce);
		if (program->is_lock)
			read_words(program, returned);
		else
			read_clock(program, returned);
		access_tell(outcome_of(program, returned));
	}
	call_if_there(head->leave);
	head->settle();
}

/* An explore_threads' function. */
static void run_thread(void *context, u32 thread)
{
	struct program *program = context;

	begin_thread(program, thread);
	if (thread < program->writers)
		run_writer(program, thread);
	else
		run_reader(program, thread);
}

/* ---- a proof_subject's functions ---- */

static const struct explore_threads *threads_for(void *context, const struct proof_bounds *bounds,
						 struct errmsg *err)
{
	struct program *program = context;

	(void)err;
	program->bounds = *bounds;
	program->threads.count = program->writers + bounds->readers;
	return &program->threads;
}

static bool is_one_place(void *context, const void *a, const void *b)
{
	const struct lines_place first = program_place(context, a),
				 second = program_place(context, b);

	if (a == b || !first.line)
		return a == b;
	return first.line == second.line && strcmp(first.file, second.file) == 0;
}

static void describe(void *context, u32 thread, u32 read, char *text, size_t size)
{
	const struct program *program = context;
	const struct returned *returned = &program->returned[thread][read];
	size_t used;

	if (!program->is_lock) {
		snprintf(text, size, "%s%lld.%09ld s",
			 returned->fell_back ? "what the system call gave: " : "",
			 (long long)returned->time.tv_sec, returned->time.tv_nsec);
		return;
	}
	used = (size_t)snprintf(text, size, "the words");
	for (u32 i = 0; i < program->words && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, " %llu",
					 (unsigned long long)returned->word[i]);
	if (used < size)
		snprintf(text + used, size - used, ", where update n publishes n00 n01 and so on");
}

struct proof_subject program_subject(struct program *program)
{
	return (struct proof_subject){
		.writers = program->writers,
		.in_order = is_in_order(program),
		.threads = threads_for,
		.is_one_place = is_one_place,
		.describe = describe,
		.context = program,
	};
}

bool program_is_lock(const struct program *program)
{
	return program->is_lock;
}

const char *program_writer(const struct program *program, u32 writer)
{
	const struct writer_kind *kind = program->writer[writer].kind;

	return kind->fault ? kind->name : "tick";
}

static const struct object *object_of(const struct program *program, const void *site)
{
	if (program->reader.head && object_has(&program->reader, site))
		return &program->reader;
	for (u32 i = 0; i < program->writers; i++)
		if (program->publisher[i].head && object_has(&program->publisher[i], site))
			return &program->publisher[i];
	return NULL;
}

struct lines_place program_place(const struct program *program, const void *site)
{
	const struct object *object = object_of(program, site);

	return object ? object_place(object, site) : (struct lines_place){.line = 0};
}

/* ---- making it ---- */

static struct compile_job job_of(const struct source_choice *choice, const char *part)
{
	struct compile_job job = choice->job;

	job.part = part;
	if (!job.source)
		job.source = choice->lock->library;
	return job;
}

static int make_object(const struct source_choice *choice, const char *part, u32 counter_bits,
		       struct object *object, struct errmsg *err)
{
	struct compile_job job = job_of(choice, part);
	char bits[32];
	struct errmsg why;

	snprintf(bits, sizeof(bits), "COUNTER_BITS=%u", counter_bits);
	if (counter_bits && part)
		job.define[job.defines++] = bits;
	if (!object_make(&job, object, &why))
		return 0;
	return errmsg_set(err, "reader '%.100s': %.380s", choice->path, why.text);
}

/* What the compiler sees is another text then. */
static int check_counter(const struct program *program, struct errmsg *err)
{
	struct compile_job job;
	void *text[2] = {NULL, NULL};
	size_t bytes[2];
	bool same = false;
	int failed = 0;

	for (u32 i = 0; i < 2 && !failed; i++) {
		job = job_of(&program->choice, "LOCK_PUBLISHES");
		job.counted = true;
		job.explored = true;
		if (i)
			job.define[job.defines++] = "COUNTER_BITS=1";
		failed = compile_seen(&job, &text[i], &bytes[i], err);
	}
	if (!failed)
		same = bytes[0] == bytes[1] && memcmp(text[0], text[1], bytes[0]) == 0;
	free(text[0]);
	free(text[1]);
	if (!same)
		return failed;
	return errmsg_set(err,
			  "--counter-bits: reader '%.100s' has no counter that begins where it is "
			  "told: one that does begins with COUNTER_FIRST (readers/lock.h)",
			  program->choice.path);
}

/* Of a file it shows only in its code whether it is a lock. */
static int make_reader(struct program *program, struct errmsg *err)
{
	struct source_choice *choice = &program->choice;

	program->is_lock = choice->lock != NULL;
	if (!program->is_lock) {
		if (make_object(choice, NULL, 0, &program->reader, err))
			return -1;
		program->is_lock = program->reader.is_lock;
		if (!program->is_lock)
			return 0;
		object_release(&program->reader);
	}
	if (program->counter_bits && check_counter(program, err))
		return -1;
	return make_object(choice, "LOCK_FETCHES", program->counter_bits, &program->reader, err) ||
			       make_object(choice, "LOCK_PUBLISHES", program->counter_bits,
					   &program->publisher[0], err)
		       ? -1
		       : 0;
}

static int resolve_writers(struct program *program, const char *const *writer, struct errmsg *err)
{
	for (u32 i = 0; i < program->writers; i++) {
		const struct writer_kind *kind;

		if (writer_resolve(writer[i], &program->writer[i], err))
			return -1;
		kind = program->writer[i].kind;
		if (strchr(program->writer[i].spec, ':'))
			return errmsg_set(err,
					  "--writer: '%.100s': keys say when a writer acts and how "
					  "long it takes, and all of that is explored: '%s' alone",
					  program->writer[i].spec, kind->name);
		if (!kind->page)
			return errmsg_set(
				err,
				"--writer: '%.40s' differs from tick in more than how it "
				"publishes, and is not explored; tick and the mutants that "
				"publish wrongly are",
				kind->name);
		if (program->is_lock && kind->fault && !kind->takes_no_lock)
			return errmsg_set(err,
					  "--writer: '%.40s' publishes the kernel's page, and the "
					  "reader is a lock, which has its own publisher: tick or "
					  "no-lock",
					  kind->name);
	}
	return 0;
}

static int make_publisher(struct program *program, u32 writer, struct errmsg *err)
{
	char publish[64];
	struct compile_job job = {
		.source = "prove/runtime/publish.c",
		.built_in = true,
		.recipe = &program->choice.recipe,
		.defines = 1,
		.define = {publish},
	};
	struct errmsg why;

	snprintf(publish, sizeof(publish), "PUBLISH=%s", program->writer[writer].kind->page);
	if (!object_make(&job, &program->publisher[writer], &why))
		return 0;
	return errmsg_set(err, "writer '%.40s': %.400s", program->writer[writer].kind->name,
			  why.text);
}

static void set_host(struct program *program, const struct prove_calls *calls)
{
	program->host.calls = calls;
	program->reader.head->host = &program->host;
	for (u32 i = 0; i < program->writers; i++)
		if (program->publisher[i].head)
			program->publisher[i].head->host = &program->host;
}

static void share(struct program *program, void *shared, size_t bytes)
{
	program->host.shared = shared;
	program->host.shared_bytes = bytes;
	program->host.stored_bytes = bytes;
	program->threads.shared = shared;
	program->threads.shared_bytes = bytes;
}

/* A prove_host's function. */
static void say_stray(struct prove_host *host, const void *site)
{
	struct program *program = (struct program *)((char *)host - offsetof(struct program, host));
	const struct lines_place place = program_place(program, site);
	const char *slash = strrchr(place.file, '/');
	char why[SENTENCE_BYTES];

	snprintf(why, sizeof(why),
		 "reader '%.100s': what it stores at %.100s:%d is neither in the %s nor its own: "
		 "what threads share is there, and all else is a function's own",
		 program->choice.path, slash ? slash + 1 : place.file, place.line,
		 program->is_lock ? "lock" : "page");
	if (program->explored)
		access_refuse(why);
	if (!program->stray[0])
		memcpy(program->stray, why, sizeof(why));
}

static int prepare_lock(struct program *program, struct errmsg *err)
{
	struct lock_memory *lock = aligned_alloc(CACHE_LINE, sizeof(*lock));
	u32 lock_bytes;
	u8 *shared;

	if (!lock)
		return errmsg_set(err, "no memory for a lock");
	memset(lock, 0, sizeof(*lock));
	program->lock = lock;
	shared = lock->page.shared;
	share(program, shared, (size_t)((u8 *)(lock + 1) - shared));
	program->host.rcu_counter = lock->rcu_counter;
	program->host.arena = lock->arena;
	program->host.part_bytes = PART_BYTES;
	set_host(program, &direct_calls);
	begin_thread(program, PROVE_PREPARER);
	lock_bytes = ((lock_publish_fn *)program->publisher[0].head->entry)(shared, NULL, 0);
	program->publisher[0].head->settle();
	/* A library has memory of its own there. */
	if (program->choice.job.source || !program->choice.lock)
		program->host.stored_bytes = lock_bytes;
	publish_words(program, &program->publisher[0], 0);
	return 0;
}

/* The page as that update, and nobody else, has published it; and what is then read. */
static void expect(struct program *program, u32 number)
{
	struct returned *returned = &program->returned[PROVE_PREPARER][0];
	struct vdso_time_data *page = page_for_writer(&program->region);

	update_vsyscall(page, program->region.layout, &program->tk[number]);
	begin_thread(program, PROVE_PREPARER);
	*returned = (struct returned){.fell_back = false};
	read_clock(program, returned);
	program->expected[number] = returned->time;
}

static int prepare_page(struct program *program, struct errmsg *err)
{
	const struct timens_offset offset[VDSO_BASES] = {{.sec = 0}};
	const struct page_layout *layout = program->choice.layout;

	if (page_region_map(&program->region, layout, layout->data_offset, err))
		return -1;
	share(program, program->region.writable, PAGE_SLOTS * (size_t)SIM_PAGE_BYTES);
	set_host(program, &direct_calls);
	page_set_virtual_counter(&program->region, COUNTER_AT);
	page_set_namespace(&program->region, offset);
	for (u32 number = MAX_NUMBERS; number-- > 0;) {
		program->tk[number].clock_mode = SIM_CLOCKMODE_VIRTUAL;
		program->tk[number].mask = UINT64_MAX >> 1;
		timekeeper_stamp(&program->tk[number], number, COUNTER_AT);
		expect(program, number);
	}
	vdso_set_sequences(page_for_writer(&program->region), layout,
			   program->counter_bits ? 0u - (1u << program->counter_bits) : 0);
	return 0;
}

static int check_reader(const struct source_choice *choice, struct errmsg *err)
{
	if (choice->job.source && strstr(choice->job.source, "pvclock"))
		return errmsg_set(err,
				  "reader '%.100s': the paravirtual clock's record is not explored",
				  choice->path);
	return 0;
}

static int prepare(struct program *program, struct errmsg *err)
{
	return program->is_lock ? prepare_lock(program, err) : prepare_page(program, err);
}

/* What ends a process ends it, whoever wanted to be told. */
static void be_ended_by_faults(void)
{
	static const int faults[] = {SIGALRM, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};

	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		signal(faults[i], SIG_DFL);
}

/* What was published first is read while nobody else runs: that must end. */
static void try_to_read(struct program *program)
{
	const struct prove_head *head = program->reader.head;
	struct returned *returned = &program->returned[program->writers][0];

	begin_thread(program, program->writers);
	call_if_there(head->enlist);
	call_if_there(head->quiesce);
	*returned = (struct returned){.fell_back = false};
	read_words(program, returned);
	call_if_there(head->leave);
	head->settle();
}

/* The page has been read already, for what is to be expected. */
_Noreturn static void try_as_child(struct program *program, struct errmsg *err)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	be_ended_by_faults();
	alarm(TRY_S);
	if (prepare(program, err))
		_exit(1);
	if (program->is_lock)
		try_to_read(program);
	_exit(0);
}

/* In another process first, which may crash or never end. */
static int try_to_prepare(struct program *program, struct errmsg *err)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		try_as_child(program, err);
	if (child < 0)
		return errmsg_set(err, "no process to try the code in: %s", strerror(errno));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		return errmsg_set(err,
				  "reader '%.100s': its code does not end, though nobody else runs",
				  program->choice.path);
	if (WIFSIGNALED(status))
		return errmsg_set(err,
				  "reader '%.100s': its code crashes, though nobody else "
				  "runs: %s",
				  program->choice.path, strsignal(WTERMSIG(status)));
	return 0;
}

static int make(struct program *program, const struct program_setup *setup, struct errmsg *err)
{
	struct source_choice *choice = &program->choice;

	if (source_choose(setup->reader, "is not compiled, and cannot be explored", choice, err) ||
	    check_reader(choice, err) || make_reader(program, err) ||
	    resolve_writers(program, setup->writer, err))
		return -1;
	for (u32 i = 0; !program->is_lock && i < program->writers; i++)
		if (make_publisher(program, i, err))
			return -1;
	if (try_to_prepare(program, err) || prepare(program, err))
		return -1;
	if (program->stray[0])
		return errmsg_set(err, "%s", program->stray);
	program->explored = true;
	set_host(program, &explorer_calls);
	return 0;
}

int program_make(const struct program_setup *setup, struct program **result, struct errmsg *err)
{
	struct program *program = calloc(1, sizeof(*program));

	if (!program)
		return errmsg_set(err, "no memory for what is to be explored");
	program->words = setup->words;
	program->writers = setup->writers;
	program->counter_bits = setup->counter_bits;
	program->threads.run = run_thread;
	program->threads.context = program;
	program->host.stray = say_stray;
	program->host.given = (const u8 *)program->returned;
	program->host.given_bytes = sizeof(program->returned);
	if (make(program, setup, err)) {
		program_release(program);
		return -1;
	}
	*result = program;
	return 0;
}

void program_release(struct program *program)
{
	object_release(&program->reader);
	for (u32 i = 0; i < PROGRAM_MAX_WRITERS; i++)
		object_release(&program->publisher[i]);
	if (program->region.writable)
		page_region_unmap(&program->region);
	free(program->lock);
	free(program);
}
