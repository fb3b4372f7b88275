#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Locks, built in and one's own, under each command: test_locks.py BINARY [unittest options]."""

import json
import os
import re
import resource
import sys
import unittest

import harness
from harness import BRIEF, STORMS, ProgramTest, contend, pairs

CPUS = os.sched_getaffinity(0)
TOP = os.path.join(harness.HERE, "..", "..")
EXAMPLE = os.path.join(TOP, "readers", "example", "lock.c")
ALONE = ("seqcount", "latch", "c11:form=fences", "c11:form=rmw", "c11:form=seqcst")
LIBRARY = ("rcu:flavour=memb", "rcu:flavour=qsbr", "rcu:flavour=bp", "rwlock:prefer=readers",
           "rwlock:prefer=writers", "mutex", "spinlock")
# They make a mixture of half an update and another half, where the writer takes its time between them.
MUTANTS = ("latch-wrong-copy", "sequence-halves", "counter-8-bit")
PAYLOADS = ("time", "stamp")
STALE_MUTANTS = ("stops-publishing", "every-other", "keeps-snapshot")
RCU_MUTANTS = ("rcu-outside", "rcu-early-free")
SOURCE = """#include "readers/reader.h"
struct mine {
	u32 seq;
	u64 word[LOCK_MAX_WORDS];
	u8 more[%d];
};
static void setup(struct mine *lock)
{
	lock->seq = 2;
	%s
}
static void publish(struct mine *lock, const u64 *words, u32 n)
{
	%s
	WRITE_ONCE(lock->seq, lock->seq + 1);
	smp_wmb();
	lock_store(lock->word, words, n);
	smp_wmb();
	WRITE_ONCE(lock->seq, lock->seq + 1);
}
static inline void fetch(struct mine *lock, u64 *words, u32 n, struct read_note *note)
{
	for (;;) {
		u32 seq = READ_ONCE(lock->seq);

		smp_rmb();
		lock_load(lock->word, words, n);
		smp_rmb();
		%s
		if (!(seq & 1) && READ_ONCE(lock->seq) == seq)
			return;
		NOTE_LOST(note, words, n);
	}
}
LOCK(struct mine, setup, publish, fetch);
"""


def sanitizer():
    """What the binary was built with, by what of it asks the environment."""
    with open(harness.binary, "rb") as file:
        text = file.read()
    return "tsan" if b"TSAN_OPTIONS" in text else "asan" if b"ASAN_OPTIONS" in text else None


class LockTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.environ["XDG_CACHE_HOME"] = os.path.join(cls.directory, "cache")

    def source(self, setup="", publish="", fetch="", more=8, name="mine.c"):
        file = self.path(name)
        with open(file, "w", encoding="utf-8") as out:
            out.write(SOURCE % (more, setup, publish, fetch))
        return file


class Run(LockTest):
    alone = False

    def check_run(self, spec, *more):
        text, result = self.brief("--reader", spec, "--readers", "2", "--hz", "1000", *more)
        readers = result["readers"]
        self.assertEqual(readers["torn"], 0)
        self.assertIn(readers["backwards"], (0, None))
        self.assertGreater(readers["checked"], 1000)
        self.assertEqual(readers["fallbacks"], 0)
        return text, result

    def test_alone(self):
        for number, spec in enumerate(ALONE):
            with self.subTest(reader=spec):
                text, result = self.check_run(spec, "--payload", PAYLOADS[number % 2])
                self.assertIsNotNone(result["readers"]["retries"]["total"])
                self.assertIn("(lock", text)

    def test_libraries(self):
        for number, spec in enumerate(LIBRARY):
            with self.subTest(reader=spec):
                # Who prefers readers may keep the writer waiting for longer than a watch's patience.
                text, result = self.check_run(spec, "--payload", PAYLOADS[number % 2])
                self.assertIsNone(result["readers"]["retries"]["total"])
                reason = result["unavailable"]["readers.retries"]
                self.assertIn(f"\nretries  n/a: {reason}\n", text)
                self.assertNotIn("sequence changed during", text)

    def test_clocks(self):
        for spec in ("seqcount", "rcu"):
            for clock in ("realtime", "boottime", "tai"):
                with self.subTest(reader=spec, clock=clock):
                    self.check_run(f"{spec}:clock={clock}")

    def test_counters(self):
        """Of whichever the clock is made, a system call included."""
        for spec in ("seqcount", "mutex"):
            self.check_run(spec, "--clocksource", "monotonic_raw")
        if "pvclock" in contend("list", "clocksources").stdout and harness.pvclock_is_usable():
            self.check_run("latch", "--clocksource", "pvclock:hz=1000")

    def test_baseline(self):
        for spec in ("seqcount", "rcu:flavour=qsbr"):
            _, result = self.check_run(spec, "--baseline")
            self.assertGreater(result["baseline"]["bare_ns"], 0)

    def test_hold(self):
        """A writer that is slow is so in the middle of the publication."""
        for spec in ("seqcount", "rcu", "spinlock", EXAMPLE):
            _, result = self.check_run(spec, "--writer", "tick:hold=300us")
            self.assertGreater(result["writer"]["hold_ns"]["p50"], 250000)

    def test_listed(self):
        listed = contend("list", "readers").stdout
        for name in ("seqcount", "latch", "c11", "rcu", "rwlock", "mutex", "spinlock"):
            self.assertRegex(listed, f"(?m)^  {name}\n    a lock: ")
        self.assertNotIn("counter-8-bit", listed)
        self.assertIn("  counter-8-bit\n", contend("list", "readers", "--all").stdout)


class Refused(LockTest):
    alone = False
    sanitized = True

    def refused(self, *arguments):
        done = contend(*arguments)
        self.one_line(done)
        return done.stderr

    def test_library_is_not_compiled(self):
        for spec in LIBRARY + RCU_MUTANTS:
            self.assertIn("calls a library", self.refused("--reader", f"{spec}@cflags=-O1"))
        self.assertIn("calls a library", self.refused("inspect", "--target", "i386", "rcu"))

    def test_writers_of_the_sequence(self):
        for writer in ("never-odd", "early-end", "late-sequence", "stops-odd"):
            for spec in ("seqcount", "rcu"):
                self.assertIn("has a lock of its own",
                              self.refused("--reader", spec, "--writer", writer))

    def test_no_middle(self):
        sentence = self.refused("--reader", self.source(), "--writer", "tick:hold=1us")
        self.assertIn("PUBLISH_MIDDLE", sentence)

    def test_keys(self):
        self.assertIn("realtime, monotonic, boottime, tai",
                      self.refused("--reader", f"{EXAMPLE}:clock=monotonic_raw"))
        self.assertIn("realtime, monotonic, boottime, tai",
                      self.refused("--reader", f"{EXAMPLE}:clock=monotonic_coarse"))
        self.assertIn("no layout=", self.refused("--reader", f"{EXAMPLE}:layout=v5.3"))
        self.assertIn("is not one of", self.refused("--reader", "seqcount:clock=monotonic_coarse"))
        self.assertIn("form", self.refused("--reader", "c11:form=release"))

    def test_page(self):
        self.assertIn("a lock", self.refused("inspect", "--page", "seqcount"))

    def test_a_record_goes_with_one_page(self):
        if not harness.pvclock_is_usable():
            self.skipTest("no pvclock here")
        sentence = self.refused("compare", "seqcount", "latch", "--clocksource", "pvclock")
        self.assertIn("--clocksource: the record of pvclock goes with one page, and these readers read 2, as each "
                      "layout has a page and each lock", sentence)


class Held(LockTest):
    once = True

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_each_lock_is_held_alike(self):
        """Or the second of two that are compared would have the easier life."""
        file = self.path("held.ini")
        with open(file, "w", encoding="utf-8") as out:
            out.write("[writer]\nhold = 300us\n[readers first]\nreader = seqcount\n"
                      "[readers second]\nreader = c11\n")
        for duration in STORMS:
            _, result = self.both(file, "--duration", duration)
            first, second = (group["retries"]["odd_wait"] for group in result["groups"])
            if first > 20:
                break
        self.assertGreater(first, 20)
        self.assertGreater(10 * second, first)


class Left(LockTest):
    """A writer that never comes back from the middle: not every lock has a sequence to leave odd."""
    once = True
    alone = False

    def test_run(self):
        for spec in ("rcu", "mutex", "latch"):
            with self.subTest(reader=spec):
                _, result = self.both("--reader", spec, "--writer", "stall:for=forever,every=20ms", "--duration", "500ms",
                                      status=3)
                self.assertRegex(result["stall"], r"\Athe writer ended within update \d+ and did not finish publishing it "
                                 rf"through {spec}/monotonic")

    def test_compare(self):
        for readers, through in ((("rcu", "latch"), "rcu"), (("latch", "hres"), "latch")):
            with self.subTest(readers=readers):
                done = contend("compare", *readers, "--writer", "stall:for=forever,every=20ms", "--duration", "30s")
                self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r"(?m)^broken   the writer ended within update \d+ and did not finish "
                                 rf"publishing it through {through}/monotonic")


class Own(LockTest):
    """Sanitizers do not see into what is compiled on demand."""
    once = True
    alone = False

    def test_example(self):
        for recipe in ("", "@cflags=-O3"):
            text, result = self.brief("--reader", EXAMPLE + recipe, "--hz", "10000")
            self.assertIn("lock.c/monotonic (lock", text)
            self.assertEqual(result["readers"]["torn"], 0)
            self.assertEqual(result["readers"]["backwards"], 0)
        with open(EXAMPLE, encoding="utf-8") as file:
            text = file.read()
        lines = [line for line in text.splitlines()
                 if line.strip() and not line.strip().startswith(("/*", "*", "//"))]
        self.assertLessEqual(len(lines), 30)

    def test_setup_is_called(self):
        self.brief("--reader", self.source(fetch="if (seq < 2) __builtin_trap();"))

    def test_too_large(self):
        done = contend("--reader", self.source(more=4000))
        self.assertEqual(done.returncode, 1)
        self.assertIn("a lock has 3968 bytes at most", done.stderr)

    def test_crashes_at_once(self):
        for where in ("setup", "publish", "fetch"):
            with self.subTest(where=where):
                done = contend("--reader", self.source(**{where: "__builtin_trap();"}))
                self.one_line(done)
                self.assertIn("crashes", done.stderr)
                self.assertEqual("when it publishes" in done.stderr, where != "fetch")

    def test_hangs_at_once(self):
        for where in ("publish", "fetch"):
            with self.subTest(where=where):
                done = contend("--reader", self.source(**{where: "for (;;) cpu_relax();"}))
                self.one_line(done)
                self.assertIn("does not return", done.stderr)

    def test_goes_wrong_later(self):
        """After the first updates, in the midst of the run: it is told, and ends."""
        later = "if (words[0] > 100) %s"
        for where, what, said in (("publish", "__builtin_trap();", "crashed"),
                                  ("publish", "for (;;) cpu_relax();", "does not return"),
                                  ("fetch", "__builtin_trap();", "crashed")):
            with self.subTest(where=where, what=what):
                text, result = self.both("--reader", self.source(**{where: later % what}),
                                         "--duration", "60s", status=3)
                self.assertIn(said, result["stall"])
                self.assertEqual("publisher of" in result["stall"], where == "publish")
                self.assertIn("mine.c/monotonic", result["stall"])
                self.assertLess(result["seconds"], 50)

    def test_what_was_done_before_counts(self):
        _, result = self.both("--reader", self.source(fetch="if (words[0] > 1000) __builtin_trap();"),
                              "--warmup", "0", "--duration", "60s", status=3)
        self.assertGreater(result["readers"]["reads"], 0)
        self.assertGreaterEqual(result["readers"]["checked"], result["readers"]["reads"])

    def test_compare_goes_wrong_later(self):
        """Whosever page is updated first."""
        for what, said in (("__builtin_trap();", "crashes: "), ("for (;;) cpu_relax();", "does not return")):
            source = self.source(publish=f"if (words[0] > 100) {what}")
            for readers in ((source, "latch"), ("latch", "hres", source)):
                with self.subTest(what=what, readers=readers):
                    done = contend("compare", *readers, "--duration", "30s")
                    self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
                    self.assertRegex(done.stdout, rf"(?m)^broken   the publisher of mine.c/monotonic {said}")

    def test_compare_goes_wrong_without_a_writer(self):
        """Each visit tries it on a page of its own as well."""
        done = contend("compare", "hres", self.source(publish="if (words[0] > 30) __builtin_trap();"), "--hz", "0",
                       "--duration", "30s")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^broken   (the publisher of )?mine.c/monotonic crashes: ")

    def test_compare_tells_them_from_readers(self):
        """One that crashes where it fetches, beside one whose publisher is at work all the time."""
        wrong = self.source(fetch="if (words[0] > 100) __builtin_trap();")
        done = contend("compare", "rcu", wrong, "--duration", "30s", "--hz", "100000")
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^broken   mine.c/monotonic.* crashes: ")

    def test_has_no_variables(self):
        done = contend("--reader", self.source(publish="static u32 times; lock->more[0] = (u8)++times;"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("variables of its own", done.stderr)


class Stale(LockTest):
    """One whole update, but one that was replaced: it takes neither two CPUs nor luck."""
    alone = False

    def test_mutants(self):
        file = self.path("stale.json")
        for spec in STALE_MUTANTS:
            for payload, work in (("time", "none"), ("stamp", "none"), ("stamp", "alu:100")):
                with self.subTest(mutant=spec, payload=payload, work=work):
                    for duration in STORMS:
                        done = contend("--reader", spec, "--payload", payload, "--work", work, "--readers", "2",
                                       "--hz", "10000", "--duration", duration, "--warmup", "20ms", "--json", file)
                        if done.returncode == 2:
                            break
                    self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                    with open(file, encoding="utf-8") as written:
                        readers = self.check_json(written.read())["readers"]
                    self.assertGreater(readers["stale"], 0)
                    self.assertEqual((readers["torn"], readers["backwards"] or 0), (0, 0))
                    self.assertEqual(readers["unchecked"], 0)
                    self.assertIsNotNone(readers["first_fault_ns"])
                    print(f"caught {spec} --payload {payload} --work {work}: stale {readers['stale']} of "
                          f"{readers['checked']}", file=sys.stderr)


@unittest.skipIf(len(CPUS) < 2, "one CPU")
class Mutants(LockTest):
    def kill(self, spec, *more):
        file = self.path("mutant.json")
        for duration in STORMS:
            done = contend("--reader", spec, "--hz", "1000000", "--duration", duration, "--warmup",
                           "20ms", "--json", file, *more)
            if done.returncode == 2:
                break
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        with open(file, encoding="utf-8") as written:
            readers = self.check_json(written.read())["readers"]
        self.assertGreater(readers["torn"], 0)
        print(f"caught {spec} {' '.join(more)}: torn {readers['torn']}, first after "
              f"{harness.length(readers['first_fault_ns'])}", file=sys.stderr)

    def test_mutants(self):
        for spec, payload in pairs(MUTANTS, PAYLOADS):
            with self.subTest(mutant=spec, payload=payload):
                self.kill(spec, "--payload", payload, "--writer", "tick:hold=200ns")

    def test_halves_meet(self):
        """Its reader is held until there is a mixture to accept, not until it is too late for it."""
        file = self.path("halves.json")
        contend("--reader", "sequence-halves", "--payload", "stamp", "--writer",
                "tick:hz=10000,hold=5us", "--duration", "2s", "--json", file)
        with open(file, encoding="utf-8") as written:
            readers = json.load(written)["readers"]
        self.assertGreater(readers["torn"], readers["caught"] / 4)

    def test_rcu(self):
        if sanitizer():
            self.skipTest("a sanitizer ends it where freed memory is read")
        for spec, payload in pairs(RCU_MUTANTS, PAYLOADS):
            with self.subTest(mutant=spec, payload=payload):
                self.kill(spec, "--payload", payload)

    def compare_cost(self, *specs):
        """CPU time that a comparison without a writer takes."""
        for duration in ("300ms", "1s", "3s"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            done = contend("compare", *specs, "--hz", "0", "--duration", duration, "--quiet")
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            # On a busy machine it may compare nothing to the end.
            if done.returncode == 0:
                break
        self.assertEqual(done.returncode, 0, done.stderr)
        return after.ru_utime - before.ru_utime

    def test_who_is_held_without_a_writer(self):
        """Once with a publication, not in every read until the next one, which never comes."""
        for correct, mutant in (("rcu", "rcu-outside"), ("seqcount", "sequence-halves")):
            with self.subTest(mutant=mutant):
                self.assertLess(self.compare_cost(correct, mutant), 15 * self.compare_cost(correct, correct) + 0.5)

    def test_beside_what_is_correct(self):
        """The writer, too, is a thread of their library once."""
        if sanitizer():
            self.skipTest("a sanitizer ends it where freed memory is read")
        file = self.path("mixed.ini")
        with open(file, "w", encoding="utf-8") as scenario:
            scenario.write("[run]\nduration = 200ms\n[writer]\nkind = tick\n")
            for name, spec in (("right", "rcu"), ("wrong", "rcu-outside")):
                scenario.write(f"[readers {name}]\ncount = 1\nreader = {spec}\n")
        done = contend(file)
        self.assertIn(done.returncode, (0, 2), done.stdout + done.stderr)

    def test_sanitizer_sees_it(self):
        """And nothing in what is correct, which the other tests show."""
        if not sanitizer():
            self.skipTest("no sanitizer")
        seen = {"asan": "heap-use-after-free", "tsan": "ThreadSanitizer: data race"}[sanitizer()]
        for spec in RCU_MUTANTS:
            with self.subTest(mutant=spec):
                for duration in STORMS:
                    done = contend("--reader", spec, "--hz", "1000000", "--duration", duration)
                    if seen in done.stderr:
                        break
                self.assertIn(seen, done.stderr)

    def test_late_fence(self):
        """A machine that keeps stores in order does not show it, and nobody may be accused of it."""
        if os.uname().machine not in ("x86_64", "i686"):
            self.skipTest("here it may show")
        done = contend("--reader", "late-fence", "--hz", "1000000", *BRIEF)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class TellsLess(LockTest):
    # null here means that there is nothing to tell.
    nothing = ""

    def check_json(self, text):
        result = json.loads(text)
        self.assertEqual(list(self.validator.iter_errors(result)), [])
        for path in harness.nulls(result):
            if not re.fullmatch(self.nothing, path):
                self.assertIn(path, result["unavailable"])
        return result


class Compare(TellsLess):
    once = True
    alone = False

    schema = "compare.schema.json"
    nothing = (r"config\.(writer|cpus|writer_cpu|priority|precision_percent)|machine\.hypervisor|writer"
               r"|broken")

    def test_compare(self):
        text, result = self.both("compare", "hres", "seqcount", "rcu", "rcu:flavour=qsbr", "mutex",
                                 EXAMPLE, "--duration", "2s")
        for spec in ("rcu", "rcu:flavour=qsbr", "mutex"):
            self.assertIn(f"\nstill    {spec}: a library's code cannot be moved", text)
            self.assertIn(f"\nn/a      {spec}, code bytes: its code calls a library\n", text)
        for spec in ("seqcount", EXAMPLE):
            self.assertNotIn(f"\nstill    {spec}", text)
        self.assertEqual([one["reader"] for one in result["results"] if one["text_bytes"] is None],
                         ["rcu", "rcu:flavour=qsbr", "mutex"])

    def test_without_a_writer(self):
        self.both("compare", "rcu", "rcu:flavour=bp", "rcu:flavour=qsbr", "--hz", "0",
                  "--duration", "1s")

    def test_of_one_library(self):
        """It knows a thread once, by whichever of its locks."""
        self.both("compare", "rcu", "rcu:flavour=memb,clock=tai", "rcu-outside", "rcu-early-free",
                  "--duration", "1s")

    def test_same_code(self):
        text, _ = self.both("compare", "latch", "latch", "--duration", "1s")
        self.assertIn("same", text)


class Inspect(TellsLess):
    once = True
    alone = False
    schema = "inspect.schema.json"
    nothing = r"machine\.hypervisor|difference"

    @unittest.skipUnless(os.uname().machine in ("x86_64", "i686"), "x86 only")
    def test_inspect(self):
        text, result = self.both("inspect", "seqcount", "rcu")
        self.assertRegex(text, r"\n         instructions +\d+ +n/a +n/a\n")
        self.assertIn("n/a: its code calls a library", text)
        self.assertIn("the lock is told monotonic only", text)
        self.assertGreater(result["readers"][0]["text_bytes"], 100)
        self.assertIsNone(result["readers"][1]["text_bytes"])


if __name__ == "__main__":
    harness.main()
