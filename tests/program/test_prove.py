#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend prove, run: test_prove.py BINARY [unittest options]."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import unittest

import harness
import readme
from harness import HANG_S, ProgramTest, contend, grouped, length

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
EXAMPLE = os.path.join(TOP, "readers", "example", "lock.c")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
MODELS = ("sc", "tso", "weak")
STRONG = ("sc", "tso")
# Such a machine shows no fault of ordering.
KEEPS_ORDER = os.uname().machine in ("x86_64", "i686")

# Faults of ordering: no x86 machine shows them.
WEAK_READERS = ("no-begin-rmb", "no-end-rmb", "acquire-recheck", "late-fence")
WEAK_WRITERS = ("no-begin-wmb", "no-end-wmb", "release-late")
# Faults that any machine shows, and how to ask for them.
BROKEN = (*(((name,)) for name in ("no-retry", "no-odd-check", "sequence-once", "half-outside",
                                   "late-load", "latch-wrong-copy", "sequence-halves",
                                   "rcu-outside", "rcu-early-free", "acts-too-early")),
          *(("hres", "--writer", name) for name in ("never-odd", "early-end", "late-sequence",
                                                    "store-early", "store-late")),
          ("raw", "--writer", "raw-not-raised"),
          ("hres", "--writer", "no-lock", "--writer", "no-lock"),
          ("seqcount", "--writer", "no-lock", "--writer", "no-lock"))
# Mutants that are about something else than mixtures: what is old, a hypervisor's record; and a counter
# that takes more updates to wrap than are explored, but with --counter-bits.
NOT_MIXED = ("counter-8-bit", "stops-publishing", "every-other", "keeps-snapshot")
NOT_EXPLORED = ("pvclock-version-ignored",)
# Specs of what is correct, beside those of contend list readers as they stand.
VARIED = ("hres:clock=realtime", "hres:layout=gtod", "raw:layout=raw-separate", "coarse:clock=realtime_coarse",
          "timens:clock=boottime", "c11:form=rmw", "c11:form=seqcst", "rcu:flavour=qsbr", "rcu:flavour=bp",
          "rwlock:prefer=writers")

SEQUENCE = """
#include <stdatomic.h>
#include "readers/reader.h"

struct mine {{
	atomic_uint seq;
	{words};
}};

static void publish(struct mine *lock, const u64 *words, u32 n)
{{
	const u32 seq = atomic_load_explicit(&lock->seq, memory_order_relaxed);

	{go_odd}
	for (u32 i = 0; i < n; i++)
		{store};
	{go_even}
}}

static void fetch(struct mine *lock, u64 *words, u32 n, struct read_note *note)
{{
	u32 seq;

	for (;;) {{
		{begin}
		for (u32 i = 0; i < n; i++)
			{load};
		{end}
		if (atomic_load_explicit(&lock->seq, memory_order_relaxed) == seq)
			return;
		NOTE_LOST(note, words, n);
	}}
}}

LOCK(struct mine, lock_begins_zero, publish, fetch);
"""
ATOMIC_WORDS = {
    "words": "_Atomic u64 word[LOCK_MAX_WORDS]",
    "store": "atomic_store_explicit(&lock->word[i], words[i], memory_order_relaxed)",
    "load": "words[i] = atomic_load_explicit(&lock->word[i], memory_order_relaxed)",
}
VOLATILE_WORDS = {
    "words": "volatile u64 word[LOCK_MAX_WORDS]",
    "store": "lock->word[i] = words[i]",
    "load": "words[i] = lock->word[i]",
}
SPIN = """while ((seq = atomic_load_explicit(&lock->seq, memory_order_{order})) & 1)
			cpu_relax();"""
FENCE = "atomic_thread_fence(memory_order_{order});"
STORE = "atomic_store_explicit(&lock->seq, seq + {step}, memory_order_{order});"

PLAIN = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "readers/reader.h"
{before}
struct mine {{ u32 seq; u64 word[LOCK_MAX_WORDS]; }};

static void publish(struct mine *lock, const u64 *words, u32 n)
{{
	{publish}
	WRITE_ONCE(lock->seq, lock->seq + 1);
	smp_wmb();
	lock_store(lock->word, words, n);
	smp_store_release(&lock->seq, lock->seq + 1);
}}

static void fetch(struct mine *lock, u64 *words, u32 n, struct read_note *note)
{{
	u32 seq;

	do {{
		while ((seq = smp_load_acquire(&lock->seq)) & 1)
			NOTE_SPIN(note);
		{fetch}
		lock_load(lock->word, words, n);
		smp_rmb();
	}} while (READ_ONCE(lock->seq) != seq);
}}

LOCK(struct mine, lock_begins_zero, publish, fetch);
"""


def why_not_here():
    """Why nothing can be explored here; None: it can."""
    done = contend("prove", "mutex")
    return "the compiler has no -fsanitize=thread for this machine" if "fsanitize=thread" in done.stderr else None


def clang():
    return shutil.which("clang")


class ProveTest(ProgramTest):
    schema = "prove.schema.json"
    alone = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        why = why_not_here()
        if why:
            raise unittest.SkipTest(why)

    def check_json(self, text):
        """As harness', but that there need be nothing to say: no fault, no older store."""
        result = harness.json.loads(text)
        errors = [f"{error.json_path}: {error.message}"
                  for error in self.validator.iter_errors(result)]
        self.assertEqual(errors, [])
        for path in harness.nulls(result):
            if not re.search(r"\.(fault|why_incomplete|returned|why|from|newer|file|line|text)$|^config\.words$",
                             path):
                self.assertTrue({path, path.rpartition(".")[0]} & set(result["unavailable"]), path)
        return result

    def prove(self, *arguments, status=0, **options):
        """Text and JSON of one study, which must agree."""
        text, result = self.both("prove", *arguments, status=status, **options)
        self.check_agreement(text, result)
        return text, result

    def check_agreement(self, text, result):
        self.assertNotRegex(text, r"(?m) $")
        for model in result["models"]:
            row = re.search(rf"(?m)^{model['model']} +(.*)$", text)
            self.assertIsNotNone(row, text)
            if model["executions"] is None:
                self.assertRegex(row[1], "^n/a ")
                continue
            verdict = {"broken": "BROKEN"}.get(model["verdict"], model["verdict"])
            plural = "" if model["executions"] == 1 else "s"
            told = re.match(rf"{verdict:10} {grouped(model['executions'])} execution{plural} in ([\d.]+) (\w+)", row[1])
            self.assertIsNotNone(told, row[0])
            # Two figures of it or more, however the last is rounded.
            self.assertLess(abs(float(told[1]) * UNITS[told[2]] - model["seconds"]), 0.06 * model["seconds"] + 1e-9)
            self.check_model(model)
        broken = [model for model in result["models"] if model["counterexample"]]
        self.assertEqual(text.count("\nUnder "), bool(broken))
        if broken:
            self.check_timeline(text, broken[0])

    def check_model(self, model):
        broken = model["verdict"] == "broken"
        self.assertEqual(model["fault"] is not None, broken)
        self.assertEqual(model["why_incomplete"] is not None, model["verdict"] == "incomplete")
        lines = model["counterexample"]
        if broken and "race" not in model["fault"]:
            self.assertTrue(lines)
        for place, line in enumerate(lines):
            if line["does"] == "fence":
                continue
            # A load's value is that of the store which it took, which stands before it.
            if line.get("from") is not None:
                source = lines[line["from"] - 1]
                self.assertLess(line["from"], place + 1)
                self.assertEqual((source["stored"], source["offset_bytes"]),
                                 (line["loaded"], line["offset_bytes"]))
            if line.get("newer") is not None:
                self.assertNotEqual(line["from"], line["newer"])
                self.assertLess(line["newer"], place + 1)
                self.assertIsNotNone(line["why"])

    def check_timeline(self, text, model):
        """One line an access, in the text as in the JSON, in the column of its thread."""
        shown = text.partition("\nUnder ")[2]
        self.assertTrue(shown.startswith(f"{model['model']}: {model['fault']}.\n"))
        for number, line in enumerate(model["counterexample"], 1):
            row = re.search(rf"(?m)^ *{number}  ( *)(?:\d+: )(.*)$", shown)
            self.assertIsNotNone(row, shown)
            head = re.search(rf"(?m)^.*{line['thread']}", shown)[0]
            self.assertEqual(row.start(1) + len(row[1]) - row.start(), len(head) - len(line["thread"]))
            self.assertIn({"fence": "fence", "load": f"load +{line.get('offset_bytes')} = ",
                           "store": f"store +{line.get('offset_bytes')} = "}
                          .get(line["does"], " to "), row[2])
            self.assertIn((line["at"]["text"] or "")[:60], row[2])
        for mending in model["mendings"]:
            self.assertIn(f" {mending}.\n", shown)
        # Once it is decided, nothing more is told.
        decided = re.search(r"(?m)^Read (\d) of reader (\d) returned ", shown)
        if decided:
            last = model["counterexample"][-1]
            self.assertEqual((last["thread"], last["number"]), (f"reader {decided[2]}", int(decided[1])))

    def verdicts(self, result):
        return {model["model"]: model["verdict"] for model in result["models"]}

    def holds(self, *arguments):
        result = self.prove(*arguments)[1]
        self.assertEqual(set(self.verdicts(result).values()), {"holds"}, arguments)
        self.assertEqual([model["model"] for model in result["models"] if not model["executions"]], [])
        return result

    def broken(self, *arguments, under=MODELS):
        """Broken under these, and right under the others."""
        text, result = self.prove(*arguments, status=2)
        self.assertEqual(self.verdicts(result),
                         {model: "broken" if model in under else "holds" for model in MODELS}, arguments)
        for model in result["models"]:
            if model["verdict"] == "broken":
                self.assertTrue(model["counterexample"] or "race" in model["fault"])
                self.assertIsNotNone(model["returned"])
        return text, result

    def broken_by_order(self, *arguments):
        """Under weak alone; and it is told what would mend it."""
        text, result = self.broken(*arguments, under=("weak",))
        weak = result["models"][-1]
        self.assertTrue(weak["mendings"], text)
        self.assertRegex(text, r"(?m)^Cause: the (load|store) at \S+ and the (load|store) at \S+ are not "
                               r"ordered: .* orders them\.$|^Cause: nothing holds back ")
        self.assertTrue(any(line.get("why") for line in weak["counterexample"]), text)
        return weak

    def write(self, source, name="mine.c"):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        return path

    def sequence(self, data, begin, end, go_odd, go_even, name="mine.c"):
        return self.write(SEQUENCE.format(**data, begin=begin, end=end, go_odd=go_odd,
                                          go_even=go_even), name)


class Short(ProveTest):
    """In every configuration: what is explored must not hang on how contend was built."""
    sanitized = True

    def test_correct(self):
        for reader in ("seqcount", "latch", "c11", "mutex", "coarse", "rcu"):
            with self.subTest(reader=reader):
                self.holds(reader)

    def test_order(self):
        self.broken_by_order("late-fence")
        self.broken_by_order("coarse", "--writer", "no-end-wmb")

    def test_broken(self):
        for arguments in (("latch-wrong-copy",), ("no-retry",), ("acts-too-early",)):
            with self.subTest(arguments=arguments):
                self.broken(*arguments)

    def test_weaken(self):
        result = self.prove("seqcount", "--weaken")[1]
        self.assertEqual(len(result["weakenings"]), 4)


class Catalogue(ProveTest):
    """All that contend list names, each where it belongs: nothing can be added without a verdict."""
    once = True

    def names(self, what, mutants):
        text = contend("list", what, "--all").stdout
        entries = re.findall(r"(?m)^  ([a-z0-9-]+)\n((?:    .*\n)+)", text)
        return {name for name, body in entries if ("    mutant: " in body) == mutants}

    def test_everybody_is_asked(self):
        asked = {arguments[0] for arguments in BROKEN if len(arguments) == 1}
        self.assertEqual(self.names("readers", True),
                         asked | {*WEAK_READERS, *NOT_MIXED, *NOT_EXPLORED})

    def test_correct(self):
        """Under all models, as gcc and as clang compile them."""
        readers = self.names("readers", False) - {"image"}
        self.assertGreaterEqual(len(readers), 11)
        for reader in (*sorted(readers), *VARIED):
            with self.subTest(reader=reader):
                self.holds(reader)
        self.holds(EXAMPLE, "--updates", "4")
        self.holds(os.path.join(TOP, "readers", "example", "atomic.c"))

    @unittest.skipUnless(clang(), "no clang here")
    def test_correct_by_clang(self):
        for reader in (*sorted(self.names("readers", False) - {"image"}), "c11:form=rmw"):
            with self.subTest(reader=reader):
                self.holds(f"{reader}@cc=clang")

    def test_order(self):
        for reader in WEAK_READERS:
            with self.subTest(reader=reader):
                self.broken_by_order(reader)
        for writer in WEAK_WRITERS:
            with self.subTest(writer=writer):
                self.broken_by_order("hres", "--writer", writer)

    @unittest.skipUnless(clang(), "no clang here")
    def test_order_by_clang(self):
        for reader in WEAK_READERS:
            with self.subTest(reader=reader):
                self.broken_by_order(f"{reader}@cc=clang")
        for writer in WEAK_WRITERS:
            with self.subTest(writer=writer):
                self.broken_by_order("coarse@cc=clang", "--writer", writer)

    def test_broken(self):
        for arguments in BROKEN:
            with self.subTest(arguments=arguments):
                text, result = self.broken(*arguments)
                crashes = arguments[0] == "acts-too-early"
                self.assertEqual("crashed" in result["models"][0]["fault"], crashes)
                self.assertEqual("\nReader 1 crashed then: " in text, crashes)
                self.assertEqual("\nRead 1 of reader 1 returned " in text, not crashes)

    def test_short(self):
        """Of the executions that are wrong one is told that is short: those come first are about twice as long."""
        for lines, *arguments in ((19, "no-retry"), (16, "acts-too-early"), (14, "latch-wrong-copy"),
                                  (30, "rcu-early-free"), (16, "hres", "--writer", "store-early")):
            for model in self.broken(*arguments)[1]["models"]:
                self.assertLessEqual(len(model["counterexample"]), lines, arguments)

    def test_what_is_about_no_mixture(self):
        for reader in NOT_MIXED:
            with self.subTest(reader=reader):
                self.holds(reader)
        self.one_line(contend("prove", *NOT_EXPLORED))

    def test_a_fault_that_the_reader_does_not_meet(self):
        self.holds("hres", "--writer", "raw-not-raised")
        self.holds("hres", "--writer", "no-lock")


class LooksWrong(ProveTest):
    """Forms that are right, and look as if they were not; and the same with one thing amiss."""
    once = True

    # Of all of these: a writer that goes odd by a relaxed store with a release fence after it.
    ODD = STORE.format(step=1, order="relaxed") + FENCE.format(order="release")
    EVEN = STORE.format(step=2, order="release")
    BEGIN = SPIN.format(order="relaxed") + FENCE.format(order="acquire")
    END = FENCE.format(order="acquire")

    def check(self, data, wrong):
        right = {"begin": self.BEGIN, "end": self.END, "go_odd": self.ODD, "go_even": self.EVEN}
        for cc in ("", *(("@cc=clang",) if clang() else ())):
            with self.subTest(cc=cc):
                self.holds(self.sequence(data, **right) + cc)
                amiss = self.sequence(data, **{**right, **wrong}, name="amiss.c")
                self.broken_by_order(amiss + cc)

    def test_spins_on_relaxed_loads_with_one_fence_after_the_loop(self):
        self.check(ATOMIC_WORDS, {"begin": SPIN.format(order="relaxed")})

    def test_volatile_data_and_a_fence_before_a_relaxed_recheck(self):
        self.check(VOLATILE_WORDS, {"end": ""})

    def test_goes_odd_by_a_relaxed_store_with_a_fence_after_it(self):
        self.check(ATOMIC_WORDS, {"go_odd": FENCE.format(order="release") +
                                            STORE.format(step=1, order="relaxed")})

    def test_release_store_does_not_go_odd_in_time(self):
        """What looks right and is not: the store that goes odd is release itself."""
        self.check(ATOMIC_WORDS, {"go_odd": STORE.format(step=1, order="release")})

    def test_gcc_builtins(self):
        source = PLAIN.format(before="", publish="", fetch="")
        for name, builtin in (
                ("smp_load_acquire(&lock->seq)", "__atomic_load_n(&lock->seq, __ATOMIC_ACQUIRE)"),
                ("smp_rmb()", "__atomic_thread_fence(__ATOMIC_ACQUIRE)"),
                ("smp_wmb()", "__atomic_thread_fence(__ATOMIC_RELEASE)"),
                ("READ_ONCE(lock->seq)", "__atomic_load_n(&lock->seq, __ATOMIC_RELAXED)")):
            self.assertIn(name, source)
            source = source.replace(name, builtin)
        self.holds(self.write(source))


def readme_example():
    """The lock of one's own in the README."""
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as file:
        locks = [content for content in readme.files(file.read()).values() if "LOCK(" in content]
    return locks[0] if len(locks) == 1 else None


# Nothing is read again, and who has read the first update loads from more places than are explored.
GOES_ASTRAY = """#include "readers/reader.h"

struct mine {
	u64 word[LOCK_MAX_WORDS];
	u64 place[400];
};

static void publish(struct mine *lock, const u64 *words, u32 n)
{
	lock_store(lock->word, words, n);
}

static void fetch(struct mine *lock, u64 *words, u32 n, struct read_note *note)
{
	(void)note;
	lock_load(lock->word, words, n);
	if (words[0] == 100 && words[1] == 101)
		for (u32 i = 0; i < 400; i++)
			(void)READ_ONCE(lock->place[i]);
}

LOCK(struct mine, lock_begins_zero, publish, fetch);
"""


class OnesOwn(ProveTest):
    once = True

    def test_what_was_found_stands(self):
        """Though a shorter one is looked for, and what is met then cannot be explored."""
        self.broken(self.write(GOES_ASTRAY))
        found_late = GOES_ASTRAY.replace("== 100", "== 0").replace("== 101", "== 1")
        done = contend("prove", self.write(found_late))
        self.assertEqual(done.returncode, 1)
        self.assertIn("more than 256 places", done.stderr)

    def test_blocks_that_are_checked(self):
        """As some compilers have the C library do unasked."""
        self.holds("seqcount@cflags=-D_FORTIFY_SOURCE=2")

    def without(self, source, word, replacement="", **options):
        self.assertEqual(source.count(word), 1, word)
        path = self.write(source.replace(word, replacement), "amiss.c")
        return self.broken_by_order(path, *options.get("more", ()))

    def test_example(self):
        """What it takes four updates to show: the ring has come round."""
        with open(EXAMPLE, encoding="utf-8") as file:
            source = file.read()
        self.holds(EXAMPLE, "--updates", "4")
        for word, replacement in (("smp_wmb();", ""), ("smp_rmb();", ""),
                                  ("smp_store_release(&ring->count, count)",
                                   "WRITE_ONCE(ring->count, count)"),
                                  ("smp_load_acquire(&ring->count)", "READ_ONCE(ring->count)")):
            with self.subTest(word=word):
                self.without(source, word, replacement, more=("--updates", "4"))

    def test_too_few_updates_hold_by_mistake(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            source = file.read()
        path = self.write(source.replace("smp_wmb();", ""))
        self.holds(path, "--updates", "3")
        self.assertEqual(self.broken_by_order(path, "--updates", "8")["bounds"],
                         {"updates": 4, "readers": 1, "reads": 1, "attempts": 1})

    def test_readme(self):
        source = readme_example()
        self.assertIsNotNone(source, "the README has no example")
        self.assertLessEqual(source.count("\n"), 30)
        path = self.write(source)
        self.holds(path)
        for word, replacement in (("smp_wmb();", ""), ("smp_rmb();", ""),
                                  ("smp_store_release(&lock->seq, lock->seq + 1)",
                                   "WRITE_ONCE(lock->seq, lock->seq + 1)"),
                                  ("smp_load_acquire(&lock->seq)", "READ_ONCE(lock->seq)")):
            with self.subTest(word=word):
                self.without(source, word, replacement)

    def compared(self, *readers):
        """Longer where others have the CPUs."""
        for duration in ("300ms", "1s", "3s", "9s"):
            done = contend("compare", *readers, "--duration", duration)
            if "give it more time" not in done.stderr:
                break
        return done

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one CPU")
    def test_readme_elsewhere(self):
        """The same file is run, verified and compared. Broken as any machine shows, it is accused by all that
        judge; compare times. Broken as none here does, by prove alone."""
        source = readme_example()
        forms = [("", 0, 0), (" && READ_ONCE(lock->seq) == seq", 2, 2)]
        if KEEPS_ORDER:
            forms.append(("\tsmp_wmb();\n", 0, 2))
        for left_out, judged, proven in forms:
            self.assertIn(left_out, source)
            path = self.write(source.replace(left_out, ""))
            for command, status in (
                    (("--reader", path, "--writer", "storm", "--payload", "stamp", "--duration", "1s"), judged),
                    (("compare", path, "seqcount"), 0),
                    (("verify", "--reader", path, "--only", path), judged),
                    (("prove", path), proven)):
                with self.subTest(left_out=left_out, command=command[0]):
                    # Whoever has no CPU meets nobody.
                    for _ in range(5 if status == 2 else 1):
                        done = self.compared(*command[1:]) if command[0] == "compare" else contend(*command)
                        if done.returncode == status:
                            break
                    self.assertEqual(done.returncode, status, done.stdout + done.stderr)

    def test_crash_in_any_case_is_no_counterexample(self):
        path = self.write(PLAIN.format(before="", publish="", fetch="words[0] = *(volatile u64 *)8;"))
        done = contend("prove", path)
        self.one_line(done)
        self.assertIn("its code crashes, though nobody else runs: ", done.stderr)


class Options(ProveTest):
    """Each option changes what the program says."""
    once = True

    def cases(self, *arguments, name):
        model = self.holds("seqcount", "--model", "weak", *arguments)["models"][0]
        self.assertEqual(model["bounds"][name], int(arguments[1]))
        return model["executions"]

    def test_updates(self):
        counts = [self.cases("--updates", str(n), name="updates") for n in (1, 2, 3, 4)]
        self.assertEqual(counts, sorted(set(counts)))

    def test_reads(self):
        counts = [self.cases("--reads", str(n), name="reads") for n in (1, 2, 3)]
        self.assertEqual(counts, sorted(set(counts)))

    def test_attempts(self):
        counts = [self.cases("--attempts", str(n), name="attempts") for n in (1, 2, 3)]
        self.assertEqual(counts, sorted(set(counts)))

    def test_readers(self):
        """Readers that store are explored together; of others one stands for all."""
        one, two = (self.holds("mutex", "--readers", n, "--updates", "3") for n in ("1", "2"))
        for single, both in zip(one["models"], two["models"]):
            self.assertLess(single["executions"], both["executions"])
            self.assertEqual(both["bounds"]["readers"], 2)
        self.assertEqual(two["remarks"], [])
        result = self.holds("seqcount", "--updates", "3", "--readers", "2")
        self.assertIn("one stands for all 2", result["remarks"][0])

    def test_words(self):
        counts = []
        for words in ("2", "3", "5"):
            text, result = self.prove("seqcount", "--words", words, "--model", "weak")
            self.assertEqual(result["config"]["words"], int(words))
            self.assertIn(f", {words} words\n", text)
            counts.append(result["models"][0]["executions"])
        self.assertEqual(counts, sorted(set(counts)))
        text = self.broken("latch-wrong-copy", "--words", "4")[0]
        self.assertRegex(text, r"returned the words \d+ \d+ \d+ \d+,")
        done = contend("prove", "hres", "--words", "3")
        self.one_line(done)
        self.assertIn("--words: reader 'hres' is no lock", done.stderr)

    def test_counter_bits(self):
        """A counter that comes round while a read is under way is met only where it is short, and not before."""
        wraps = ("--counter-bits", "3", "--attempts", "1", "--updates")
        text, result = self.broken("counter-8-bit", *wraps, "4")
        self.assertEqual(set(self.verdicts(result).values()), {"broken"})
        self.assertEqual(result["config"]["counter_bits"], 3)
        self.assertIn(", counters 8 before their end\n", text)
        self.holds("counter-8-bit", *wraps, "3")
        for reader in ("seqcount", "latch", "c11:form=rmw", "raw"):
            self.holds(reader, *wraps, "4")
        # Who has none, or does not ask where it begins, is not said to have been near its end.
        for reader in ("rcu", "mutex", EXAMPLE):
            done = contend("prove", reader, "--counter-bits", "3")
            self.one_line(done)
            self.assertIn("has no counter that begins where it is told", done.stderr)
        with open(EXAMPLE, encoding="utf-8") as file:
            source = file.read().replace("lock_begins_zero", "begin").replace(
                "static void publish", "static void begin(struct ring *r)\n{\n\tr->count = COUNTER_FIRST(u32);\n}\n\n"
                "static void publish")
        self.holds(self.write(source), *wraps, "4")

    def test_model(self):
        for model in MODELS:
            text, result = self.prove("late-fence", "--model", model, status=2 * (model == "weak"))
            self.assertEqual(list(self.verdicts(result)), [model])
            self.assertEqual(re.findall(r"(?m)^(sc|tso|weak) ", text), [model])
            self.assertEqual(result["races"] is None, model != "weak")
        self.assertEqual(list(self.verdicts(self.prove("seqcount", "--model", "all")[1])),
                         list(MODELS))

    def test_writer(self):
        """Several take turns, but for those that take no lock."""
        one = self.holds("seqcount", "--updates", "1")
        two = self.holds("seqcount", "--updates", "1", "--writer", "tick", "--writer", "tick")
        self.assertEqual(two["writer"], ["tick", "tick"])
        for single, both in zip(one["models"], two["models"]):
            self.assertLess(single["executions"], both["executions"])
        self.holds("coarse", "--updates", "1", "--writer", "tick", "--writer", "tick")
        text = self.broken("seqcount", "--updates", "1", "--writer", "tick", "--writer", "no-lock")[0]
        self.assertRegex(text, r"writer 1 +writer 2 +reader 1")
        # Who differs from tick in other things than how it publishes is told to be explored as tick.
        for reader in ("coarse", "seqcount"):
            result = self.holds(reader, "--updates", "1", "--writer", "ntp", "--writer", "tick", "--writer", "storm")
            self.assertEqual((result["writer"], result["explored_writer"]), (["ntp", "tick", "storm"], ["tick"] * 3))
            self.assertEqual([remark for remark in result["remarks"] if ": explored as tick" in remark],
                             [remark for remark in result["remarks"]
                              if remark.startswith(("writer ntp: ", "writer storm: "))])
            self.assertEqual(len(result["remarks"]), 2)
        for name, result in (("no-end-wmb", self.prove("coarse", "--writer", "no-end-wmb", status=2)[1]),
                             ("tick", self.holds("coarse"))):
            self.assertEqual((result["explored_writer"], result["remarks"]), ([name], []))

    def test_strict(self):
        text, result = self.prove("seqcount", "--strict", status=2)
        weak = result["models"][-1]
        self.assertIn("plain accesses race", weak["fault"])
        self.assertRegex(text, r"(?m)^race +store at seqcount\.c:\d+, load at seqcount\.c:\d+$")
        self.assertEqual([side["does"] for side in result["races"][0]], ["store", "load"])
        self.assertEqual((weak["counterexample"], weak["returned"]), ([], None))
        self.assertTrue(self.holds("seqcount")["races"], "told, and no fault")
        for right in ("c11", "mutex", "rwlock"):
            self.assertEqual(self.holds(right, "--strict")["races"], [])
        source = PLAIN.format(before="", publish="", fetch="")
        self.prove(self.write(source), "--strict", status=2)

    def test_weaken(self):
        text, result = self.prove("seqcount", "--weaken")
        self.assertEqual([(each["does"], each["order"], each["weakened_to"])
                          for each in result["weakenings"]],
                         [("fence", "release", "none")] * 2 + [("fence", "acquire", "none")] * 2)
        for each in result["weakenings"]:
            self.assertEqual({need["model"]: need["verdict"] for need in each["models"]},
                             {"sc": "not needed", "tso": "not needed", "weak": "needed"})
            self.assertEqual(each["at"]["text"], {"release": "smp_wmb();", "acquire": "smp_rmb();"}
                             [each["order"]] if each["at"]["text"] != "GO_EVEN(lock);"
                             else "GO_EVEN(lock);")
        rows = re.findall(r"(?m)^seqcount\.c:\d+ +(acquire|release) fence left out +not needed +"
                          r"not needed +needed *$", text)
        self.assertEqual(rows, ["release", "release", "acquire", "acquire"])
        # What no model knows is told where it could be needed for that, and its columns stand below each other.
        note = "\nnote     no model here has load buffering: "
        self.assertNotIn(note, text)
        text = self.prove("c11:form=rmw", "--weaken")[0]
        self.assertIn(note, text)
        self.assertNotIn(note, self.prove("c11:form=rmw", "--weaken", "--model", "tso")[0])
        table = [line for line in text.splitlines() if line.startswith(("weakened ", "c11_rmw.c:"))]
        self.assertEqual({re.search(r"(not needed|needed|sc) ", line).start() for line in table},
                         {table[0].index("sc")})
        # One thing too many: it is told that it is not needed.
        source = PLAIN.format(before="", publish="", fetch="smp_rmb();")
        result = self.prove(self.write(source), "--weaken", "--model", "weak")[1]
        needs = [(each["does"], each["order"], each["models"][0]["verdict"])
                 for each in result["weakenings"]]
        self.assertIn(("load", "acquire", "not needed"), needs)
        self.assertIn(("fence", "acquire", "not needed"), needs)
        self.assertIn(("fence", "acquire", "needed"), needs)
        self.assertIn(("store", "release", "needed"), needs)
        text, result = self.prove("late-fence", "--weaken", status=2)
        self.assertEqual(result["weakenings"], [])
        self.assertIn("nothing is weakened: it is broken as it stands", result["remarks"])

    def test_limit(self):
        text, result = self.prove("hres", "--updates", "4", "--limit", "100ms", status=1)
        self.assertEqual(set(self.verdicts(result).values()), {"incomplete"})
        self.assertEqual(text.count(": cut short: the time was up\n"), 3)
        self.assertEqual(result["config"]["limit_ns"], 100000000)
        self.assertTrue(result["complete"])
        # Of what held, and was over, before the time was up, there is more to explore.
        result = self.prove("seqcount", "--reads", "8", "--limit", "1ms", status=1)[1]
        self.assertEqual(set(self.verdicts(result).values()), {"incomplete"})
        result = self.prove("mutex", "--updates", "8", "--readers", "4", "--reads", "4", "--limit", "1ms",
                            status=1)[1]
        self.assertEqual(set(self.verdicts(result).values()), {"incomplete"})
        # What is found before the time is up counts.
        self.prove("no-retry", "--updates", "4", "--limit", "5s", status=2)

    def test_json(self):
        done = contend("prove", "mutex", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_json(done.stdout)
        self.one_line(contend("prove", "mutex", "--json", "/nope/x"))
        self.one_line(contend("prove", "mutex", "--quiet", "--json", "/dev/full"))

    def test_quiet(self):
        done = contend("prove", "late-fence", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", ""))

    def test_help(self):
        done = contend("prove", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("load buffering", " ".join(done.stdout.split()))
        self.assertIn("\n  prove ", contend("--help").stdout)

    def test_format(self):
        """More of it in test_ktap.py."""
        done = contend("prove", "seqcount", "--model", "sc", "--format", "ktap")
        self.assertTrue(done.stdout.startswith("KTAP version 1\n1..1\n"), done.stdout)

    def test_there_is_a_test_for_every_option(self):
        options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)",
                                 contend("prove", "--help").stdout, re.MULTILINE))
        tested = {name[5:].replace("_", "-") for name in dir(self) if name.startswith("test_")}
        self.assertEqual(options - tested, set())


class Incomplete(ProveTest):
    once = True

    def test_no_read_ends(self):
        """Within these bounds: nothing has been shown."""
        source = PLAIN.format(before="", publish="",
                              fetch="_Pragma(\"GCC unroll 1\") for (u32 i = 0; i < 4; i++) "
                                    "READ_ONCE(lock->seq);")
        path = self.write(source)
        text, result = self.prove(path, "--attempts", "2", status=1)
        self.assertEqual(set(self.verdicts(result).values()), {"incomplete"})
        self.assertEqual(text.count("no read came to its end: it takes more attempts, or never ends"), 3)
        self.holds(path, "--attempts", "5")


class Refused(ProveTest):
    once = True

    def refused(self, because, *arguments):
        done = contend("prove", *arguments)
        with self.subTest(arguments=arguments):
            self.one_line(done)
            self.assertIn(because, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_usage(self):
        for arguments, because in (
                ((), "a reader is wanted"),
                (("nope",), "there is no reader 'nope'"),
                (("seqcount", "hres"), "'hres': no such argument"),
                (("image:host",), "an image is not compiled, and cannot be explored"),
                (("pvclock-version-ignored",), "paravirtual clock's record is not explored"),
                (("hres", "--writer", "nope"), "there is no writer 'nope'"),
                (("hres", "--writer", "irq"), "'irq' differs from tick in more than"),
                (("seqcount", "--writer", "irq"), "'irq' differs from tick in more than"),
                (("hres", "--writer", "stops-odd"), "'stops-odd' differs from tick"),
                (("hres", "--writer", "tick:hz=1000"), "--writer: 'tick:hz=1000': keys say when"),
                (("seqcount", "--writer", "step:every=1s"), "keys say when a writer acts"),
                (("seqcount", "--writer", "never-odd"), "'never-odd' publishes the kernel's page"),
                (("hres", *("--writer", "tick") * 5), "--writer: given more than 4 times"),
                (("./none.c",), "none.c cannot be read: No such file"),
                (("seqcount", "--model", "arm"), "'arm' is none of sc, tso, weak, all"),
                (("seqcount", "--limit", "3"), "--limit: '3' has no unit"),
                (("seqcount", "--limit", "0s"), "--limit: '0s' is not a time from 1ms to 24h"),
                (("seqcount", "--limit", "25h"), "--limit: '25h' is not a time from 1ms to 24h"),
                (("seqcount", "--hz", "3"), "no such option"),
                (("seqcount", "--json", "/nope/x"), "--json: cannot write '/nope/x'")):
            self.refused(because, *arguments)

    def test_numbers(self):
        for option, least, most in (("updates", 1, 8), ("readers", 1, 4), ("reads", 1, 8),
                                    ("attempts", 1, 8), ("words", 2, 16), ("counter-bits", 1, 31)):
            for value in (str(least - 1), str(most + 1), "-1", "x", "", "2.5", "99999999999999999999"):
                self.refused(f"--{option}: '{value}' is not a whole number from {least} to {most}",
                             "seqcount", f"--{option}={value}")

    def test_sources(self):
        for part, because in (
                ({"fetch": "words[0] = (u64)malloc(n);"}, "it allocates memory (malloc)"),
                ({"publish": "free((void *)words);"}, "it gives back memory (free)"),
                ({"fetch": 'printf("%u", n);'}, "it prints (printf)"),
                ({"publish": 'puts("");'}, "it prints (puts)"),
                ({"before": "static void *run(void *p) { return p; }",
                  "publish": "pthread_t t; pthread_create(&t, NULL, run, NULL);"},
                 "it starts threads (pthread_create)"),
                ({"before": "static u64 last;", "fetch": "words[0] = last++;"},
                 "it has a variable, 'last'"),
                ({"before": "static u64 last;", "publish": "last++;"}, "it has a variable, 'last'"),
                ({"publish": 'static u32 calls; if (calls++ > 2) smp_mb();'}, "it has a variable, 'calls"),
                # Stored by one part, loaded by the other.
                ({"before": "static u64 last;", "publish": "last = words[0];", "fetch": "words[0] = last;"},
                 "it has a variable, 'last'"),
                ({"publish": "((u64 *)lock)[600] = words[0];"}, "is neither in the lock nor its own"),
                ({"publish": "((u64 *)lock)[-3] = words[0];"}, "what it stores at mine.c:"),
                ({"publish": "__atomic_fetch_add((u64 *)lock + 600, 1, __ATOMIC_RELAXED);"},
                 "is neither in the lock nor its own"),
                ({"before": "static __thread u64 last;", "fetch": "words[0] = last++;"},
                 "it has a variable, 'last'"),
                ({"fetch": "if (__builtin_memcmp(lock->word, words, 7)) n--;"},
                 "it says __builtin_memcmp, whose accesses are not seen"),
                ({"before": "#include <string.h>", "fetch": "if (memcmp(lock->word, words, 7)) n--;"},
                 "it calls or uses 'memcmp', which is outside of it"),
                ({"fetch": "usleep(1);"}, "it calls the system (usleep)"),
                ({"publish": "getpid();"}, "it calls or uses 'getpid', which is outside of it"),
                ({"before": "u64 other(void);", "fetch": "words[0] = other();"},
                 "it calls or uses 'other', which is outside of it"),
                ({"publish": "for (;;) __asm__ __volatile__(\"\");"},
                 "its code does not end, though nobody else runs"),
                ({"fetch": "for (;;) __asm__ __volatile__(\"\");"},
                 "its code does not end, though nobody else runs")):
            parts = {"before": "", "publish": "", "fetch": "", **part}
            self.refused(because, self.write(PLAIN.format(**parts)))
        self.refused("has no CLOCK_READER(page, clock, ts, note) {...} and no LOCK(", self.write("\n"))

    def test_stores_elsewhere_later(self):
        """Over what it read, which shows only when it is explored."""
        source = PLAIN.format(before="", publish="", fetch="if (words[0] >= 200) ((u64 *)lock)[600] = 1;")
        self.holds(self.write(source), "--updates", "1")
        done = contend("prove", self.path("mine.c"), "--updates", "2")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("is neither in the lock nor its own", done.stderr)

    def test_blocks_are_seen(self):
        """Of whatever length, by whatever name, and bit fields, by both compilers."""
        before = "struct bits { u32 some : 5, more : 11; };"
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                continue
            for publish, fetch, unless in (
                    ("__builtin_memcpy(lock->word + 8, words, 7);",
                     "u8 block[7]; __builtin_memcpy(block, lock->word + 8, 7);", "block[6] == 99"),
                    ("__builtin_memset(lock->word + 8, (u8)words[0], 5);",
                     "u8 block[5]; __builtin_memmove(block, lock->word + 8, 5);", "block[4] == 99"),
                    ("((struct bits *)(lock->word + 8))->more = words[0] & 3;", "",
                     "((struct bits *)(lock->word + 8))->more == 9")):
                path = self.write(PLAIN.format(before=before, publish=publish,
                                               fetch=f"{fetch} if ({unless}) return;"))
                result = self.prove(f"{path}@cc={compiler}", "--model", "weak", "--attempts", "1", "--updates", "1")[1]
                self.assertIn([publish, f"{fetch} if ({unless}) return;".strip()],
                              [[side["at"]["text"] for side in race] for race in result["races"]])

    def test_stores_to_its_own(self):
        """The stack of its functions, the words and the note that it was given, and all of the lock."""
        before = "__attribute__((noinline)) static void fill(u64 *to, u32 n)\n{\n\tfor (u32 i = 0; i < n; i++)\n\t\tto[i] = i;\n}"
        own = "u64 own[9]; fill(own, 9); __asm__ __volatile__(\"\" : : \"r\"(own) : \"memory\");"
        self.holds(self.write(PLAIN.format(before=before, publish=own, fetch=own)))

    @unittest.skipUnless(os.uname().machine == "x86_64", "x86's instructions")
    def test_assembly(self):
        for code, because in (
                ('"mfence"', "it orders memory by assembly (mfence)"),
                ('"lock; addl $0, (%%rsp)" : : : "cc", "memory"', "it accesses memory by assembly (lock"),
                ('"syscall" : : "a"(39) : "rcx", "r11", "memory"', "calls the system by assembly (syscall)"),
                ('"rdtsc" : : : "eax", "edx"', "told by the processor what differs")):
            code = f"__asm__ __volatile__({code});" if ":" in code else f"__asm__ __volatile__({code} ::: \"memory\");"
            for part in ("publish", "fetch"):
                parts = {"before": "", "publish": "", "fetch": "", part: code}
                self.refused(because, self.write(PLAIN.format(**parts)))

    def test_never_ends_over_what_it_read(self):
        """Nobody can tell before, so it is given up."""
        source = PLAIN.format(before="", publish="", fetch='lock_load(lock->word, words, n);\n'
                              'if (words[0] >= 100) for (;;) __asm__ __volatile__("");')
        done = contend("prove", self.write(source))
        self.one_line(done)
        self.assertIn("the code does not come back", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^weak +n/a ")

    def test_no_compiler(self):
        self.refused("nocc", "seqcount@cc=/nope/nocc")


class Endings(ProveTest):
    once = True
    LONG = ("--updates", "3", "--reads", "2", "--attempts", "3", "--limit", "1h")

    def interrupt(self, until, number, *arguments, group=False):
        """Signals it once its progress names `until`."""
        file = self.path("partial.json")
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminals here: {error}")
        with subprocess.Popen([harness.binary, "prove", "--json", file, *arguments],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=slave,
                              text=True, start_new_session=True) as process:
            os.close(slave)
            seen = ""
            while until not in seen:
                if not select.select([master], [], [], HANG_S)[0]:
                    process.kill()
                    self.fail(f"nothing but {seen[-200:]!r}")
                seen += os.read(master, 4096).decode()
                if len(seen) > 1 << 16:
                    process.kill()
                    self.fail(f"no {until!r} in {seen[-200:]!r}")
            if group:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
            text = process.communicate(timeout=HANG_S)[0]
        os.close(master)
        self.assertEqual(process.returncode, 130, text)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual(result["exit_status"], 130)
        self.assertFalse(result["complete"])
        self.check_agreement(text, result)
        self.assertIn("interrupted: what is not done is n/a", result["remarks"])
        return text, result

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            text, result = self.interrupt(": sc, ", number, "hres", *self.LONG)
            self.assertEqual(set(self.verdicts(result).values()), {"incomplete"})
            self.assertEqual(result["unavailable"]["models.0"], "interrupted")
            self.assertRegex(text, r"(?m)^sc +n/a +interrupted$")

    def test_what_is_done_is_told(self):
        text, result = self.interrupt(": weak, ", signal.SIGINT, "hres", "--updates", "3", "--limit", "1h",
                                      group=True)
        self.assertEqual(self.verdicts(result), {"sc": "holds", "tso": "holds", "weak": "incomplete"})
        self.assertIsNone(result["models"][2]["executions"])


if __name__ == "__main__":
    harness.main()
