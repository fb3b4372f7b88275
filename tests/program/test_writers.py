#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything that a kernel does to the page, and the oracle beside it: test_writers.py BINARY [unittest options]."""

import glob
import os
import re
import resource
import signal
import subprocess
import sys
import time
import unittest

import harness
from harness import STORMS, ProgramTest, beside, contend, length, once

CPUS = sorted(os.sched_getaffinity(0))
SCENARIOS = os.path.join(harness.HERE, "..", "..", "scenarios")

HRES = ("hres:clock=realtime", "hres:clock=monotonic", "hres:clock=boottime", "hres:clock=tai")
RAW = ("raw",)
COARSE = ("coarse:clock=realtime_coarse", "coarse:clock=monotonic_coarse")
ALL = HRES + RAW + COARSE
TICK = "tick"

# Each kind of writer with what may be said of it, the readers it matters to, and for how long: a
# leap second comes at a second's end.
WRITERS = (
    (("tick",), ALL, "300ms"),
    (("tick:hz=10000,jitter=50us",), ALL, "300ms"),
    (("tick:arrivals=poisson,hold=2us",), ALL, "300ms"),
    (("tick:nohz=20ms",), ALL, "300ms"),
    (("irq",), ALL, "500ms"),
    (("ntp",), ALL, "300ms"),
    (("ntp:ppm=500,hz=10000",), ALL, "300ms"),
    ((TICK, "step:every=5ms"), ALL, "300ms"),
    ((TICK, "step:every=5ms,towards=backwards,by=1h"), ALL, "300ms"),
    ((TICK, "step:every=5ms,towards=forwards,by=1ns"), ALL, "300ms"),
    (("leap",), ALL, "2500ms"),
    ((TICK, "suspend:every=20ms"), ALL, "300ms"),
    ((TICK, "suspend:every=20ms,asleep=0,for=3ms"), ALL, "300ms"),
    ((TICK, "clocksource:every=10ms"), ALL, "300ms"),
    ((TICK, "clocksource:every=10ms,counters=none"), ALL, "300ms"),
    ((TICK, "clocksource:every=10ms,counters=other"), ALL, "300ms"),
    ((TICK, "timens:every=5ms"), ALL, "300ms"),
    (("storm:burst=100,hz=100",), ALL, "300ms"),
    (("stall:every=20ms,for=2ms",), ALL, "300ms"),
    ((TICK, "tz"), ALL, "300ms"),
)
STAMPED = ("tick", "irq", "timens", "storm:burst=100,hz=100", "stall:every=20ms,for=2ms", "tz")

# What changes what must not change, or is broken otherwise, and where that shows.
MUTANTS = (
    ("--writer", TICK, "--writer", "step-moves-monotonic:every=5ms"),
    ("--writer", "step-moves-monotonic:every=5ms"),
    ("--writer", "leap-moves-tai", "--reader", "hres:clock=tai", "--warmup", "1100ms"),
    ("--writer", TICK, "--writer", "suspend-moves-monotonic:every=5ms"),
    ("--writer", TICK, "--writer", "counter-loses-time:every=5ms"),
    ("--writer", "raw-not-raised", "--reader", "raw", "--hz", "1000000"),
    ("--writer", "raw-not-raised", "--reader", "raw", "--hz", "1000000", "--payload", "stamp"),
    ("--writer", "no-lock", "--writer", "no-lock", "--hz", "1000", "--payload", "stamp"),
    ("--writer", "store-early", "--hz", "1000000", "--payload", "stamp"),
    ("--writer", "store-late", "--hz", "1000000", "--payload", "stamp"),
    ("--reader", "late-load", "--writer", "storm", "--payload", "stamp"),
)

# The same where the fault is not, or cannot be seen: nobody may be accused.
INNOCENT = (
    ("--writer", TICK, "--writer", "step-moves-monotonic:every=5ms", "--reader", "raw"),
    ("--writer", "leap-moves-tai", "--reader", "hres:clock=monotonic", "--warmup", "1100ms"),
    ("--writer", TICK, "--writer", "suspend-moves-monotonic:every=5ms", "--reader", "hres:clock=realtime"),
    ("--writer", "raw-not-raised", "--hz", "1000", "--reader", "hres"),
    ("--writer", "no-lock", "--payload", "stamp"),
)


def under_tsan():
    return "ThreadSanitizer" in contend("--writer", "irq", "--duration", "1ms").stderr


class WriterTest(ProgramTest):
    def options(self, writers):
        return [part for writer in writers for part in ("--writer", writer)]

    def scenario(self, readers, duration, name="job.ini"):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"[run]\nduration = {duration}\nwarmup = 50ms\n")
            for reader in readers:
                group = re.sub(r".*[=]", "", reader)
                file.write(f"[readers {group}]\nreader = {reader}\n")
        return path

    def not_accused(self, result):
        self.assertEqual(result["outcome"], "complete")
        self.assertEqual(result["forbidden_jumps"], 0)
        for group in result["groups"]:
            self.assertEqual((group["torn"], group["backwards"] or 0), (0, 0), group["name"])
            self.assertGreater(group["checked"], 0, group["name"])


class Correct(WriterTest):
    alone = False

    def some(self, writers):
        return "irq" not in writers or not under_tsan()

    def wanted(self):
        """All of them; elsewhere the first of each kind."""
        if not harness.everywhere:
            return WRITERS
        return {row[0][-1].partition(":")[0]: row for row in reversed(WRITERS)}.values()

    def test_no_clock_is_accused(self):
        for writers, readers, duration in self.wanted():
            with self.subTest(writers=writers):
                if not self.some(writers):
                    continue
                # On a busy machine the writer may be given next to no time: longer, and again.
                for longer in (duration, "2s", "2s", "2s"):
                    _, result = self.both(self.scenario(readers, longer), *self.options(writers))
                    self.not_accused(result)
                    if self.has_acted(writers[-1], result):
                        break
                else:
                    self.fail(f"{writers[-1]} has done nothing")

    def test_stamps(self):
        for writer in STAMPED:
            with self.subTest(writer=writer):
                if not self.some((writer,)):
                    continue
                more = [TICK] if writer in ("timens", "tz") else []
                _, result = self.both(self.scenario(ALL, "300ms"), "--payload", "stamp",
                                      *self.options(more + [writer]))
                self.not_accused(result)

    @once
    def test_what_is_no_update_is_not_counted(self):
        for kind in ("timens", "tz"):
            with self.subTest(writer=kind):
                _, result = self.both(self.scenario(ALL, "300ms"), "--writer", TICK, "--writer", kind)
                tick, other = result["writers"]
                self.assertEqual(result["writer"]["updates"], tick["updates"])
                self.assertEqual(result["writer"]["hold_ns"], tick["hold_ns"])
                self.assertEqual(other["hold_ns"]["samples"], 0)

    def has_acted(self, writer, result):
        """What the writer is there for has come about."""
        kind = writer.partition(":")[0]
        own = result["writers"][-1]
        fallbacks = result["readers"]["fallbacks"]
        if kind != "clocksource" or "other" in writer:
            self.assertEqual(fallbacks, 0)
        if kind == "suspend" and own["updates"]:
            self.assertGreaterEqual(own["hold_ns"]["p50"], 900000)
        return (own["updates"] > 0 and (kind != "stall" or own["stalls"] > 0)
                and (kind != "clocksource" or "other" in writer or fallbacks > 0))

    def test_every_writer_of_the_table_is_here(self):
        listed = set(re.findall(r"(?m)^  (\S+)$", contend("list", "writers").stdout))
        self.assertEqual({writer.partition(":")[0] for writers, _, _ in WRITERS for writer in writers}, listed)


class Mutants(WriterTest):
    def faults(self, arguments, duration):
        """Of a run; and what is to be said of them."""
        done = contend(*arguments, "--duration", duration, "--json", "-")
        # Two that write what neither has locked are a race, and there is somebody else who says so.
        if "no-lock" in arguments and "ThreadSanitizer: data race" in done.stderr:
            return 1, "by ThreadSanitizer"
        self.assertIn(done.returncode, (0, 2), done.stderr)
        result = self.check_json(done.stdout)
        readers = result["readers"]
        faults = readers["torn"] + (readers["backwards"] or 0) + result["forbidden_jumps"]
        self.assertEqual(done.returncode == 2, faults > 0)
        first = readers["first_fault_ns"]
        return faults, (f"torn {readers['torn']}, backwards {readers['backwards']}, forbidden jumps "
                        f"{result['forbidden_jumps']}, first after {'n/a' if first is None else length(first)}")

    def caught(self, arguments, duration):
        faults, found = self.faults(arguments, duration)
        print(f"{'caught' if faults else 'missed'} {' '.join(arguments)}: {found}", file=sys.stderr)
        return faults > 0

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_mutants_are_caught(self):
        for arguments in MUTANTS:
            with self.subTest(mutant=arguments):
                self.assertTrue(any(self.caught(arguments, duration) for duration in STORMS), "not caught")

    @once
    def test_who_cannot_see_the_fault_accuses_nobody(self):
        for arguments in INNOCENT:
            with self.subTest(arguments=arguments):
                self.assertEqual(self.faults(arguments, "300ms")[0], 0)


class Endless(WriterTest):
    def test_no_clock_is_accused(self):
        for more in ((), ("--payload", "stamp")):
            for duration in STORMS:
                _, result = self.both(self.scenario(ALL, duration), "--writer", "storm", *more)
                self.not_accused(result)
                if result["writer"]["updates"]:
                    break
            self.assertGreater(result["writer"]["updates"], 0)


class Interruptions(WriterTest):
    """Of an update on its own CPU a reader sees one changed attempt in the read, and never an odd one."""
    alone = False

    def setUp(self):
        if under_tsan():
            self.skipTest("readers cannot be interrupted under ThreadSanitizer")

    def test_one_changed_attempt_and_never_an_odd_wait(self):
        for reader in ("hres", "raw", "hres:inline=never,callers=2"):
            with self.subTest(reader=reader):
                for duration in STORMS:
                    _, result = self.both("--writer", "irq:hz=5000,hold=2us", "--readers", "1", "--reader", reader,
                                          "--duration", duration)
                    retries = result["readers"]["retries"]
                    self.not_accused(result)
                    self.assertEqual((retries["odd_wait"], retries["spins"]), (0, 0))
                    self.assertLessEqual(retries["longest_run"], 1)
                    # Each interruption can have cost one attempt, and those of the warm-up none.
                    self.assertLessEqual(retries["total"], result["writer"]["updates"] + 1)
                    if retries["changed"]:
                        break
                self.assertGreater(retries["changed"], 0)
                self.assertEqual(retries["longest_run"], 1)

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_the_same_writer_elsewhere_is_met_while_odd(self):
        """Or the test above could not fail."""
        for duration in STORMS:
            _, result = self.both("--writer", "tick:hz=5000,hold=2us", "--readers", "1", "--duration", duration)
            if result["readers"]["retries"]["odd_wait"]:
                break
        self.assertGreater(result["readers"]["retries"]["odd_wait"], 0)


class Crowd(WriterTest):
    once = True

    def test_more_readers_than_cpus(self):
        """Each must get the CPU for its turn; the run ends in time all the same."""
        if under_tsan():
            self.skipTest("readers cannot be interrupted under ThreadSanitizer")
        for readers in (3 * len(CPUS), 500):
            with self.subTest(readers=readers):
                _, result = self.both("--writer", "irq", "--readers", str(readers), "--duration", "1s")
                self.not_accused(result)
                self.assertLess(result["seconds"], 10)

    @beside
    def test_no_signal_may_be_queued(self):
        """One is enough, whoever else has one on its way."""
        if under_tsan():
            self.skipTest("readers cannot be interrupted under ThreadSanitizer")
        for most in (0, 1):
            done = contend("--writer", "irq", "--duration", "200ms",
                           preexec_fn=lambda m=most: resource.setrlimit(resource.RLIMIT_SIGPENDING, (m, m)))
            self.assertEqual(done.returncode, 0 if most else 1, done.stdout + done.stderr)
            if not most:
                self.one_line(done)
                self.assertIn("--writer: 'irq' has a signal queued for a reader, and ulimit -i 0 allows none", done.stderr)

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_who_is_aside_when_asked_is_off_its_cpu(self):
        """Of many on one CPU it is hardly ever the turn of who runs."""
        if under_tsan():
            self.skipTest("readers cannot be interrupted under ThreadSanitizer")
        for duration in STORMS:
            _, result = self.both("--writer", "irq", "--readers", "8", "--cpus", str(CPUS[0]), "--writer-cpu",
                                  str(CPUS[1]), "--duration", duration)
            self.not_accused(result)
            retries, updates = result["readers"]["retries"], result["writer"]["updates"]
            if retries["off_cpu"] is None:
                self.skipTest("off-CPU retries are not told apart here")
            if updates > 20:
                break
        self.assertGreater(updates, 20)
        self.assertLess(5 * retries["changed"], updates)

    def test_two_that_ask_the_same_readers(self):
        """Both wait for the same reader until it runs, and neither is forgotten."""
        for duration in STORMS:
            _, result = self.both("--writer", "irq:hz=200", "--writer", "irq:hz=200",
                                  "--readers", str(8 * len(CPUS)), "--duration", duration)
            self.not_accused(result)
            updates = [writer["updates"] for writer in result["writers"]]
            if min(updates) > 10:
                return
        self.fail(f"updates {updates}")

    @beside
    def test_signals_of_others(self):
        """They are ignored as they were before, and interruptions go on: the end would be a stall."""
        signals = (signal.SIGURG, signal.SIGRTMIN)

        def ignore():
            for number in signals:
                signal.signal(number, signal.SIG_IGN)

        with subprocess.Popen([harness.binary, "--writer", "irq", "--duration", "4s"], preexec_fn=ignore,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(1)
            for number in signals:
                process.send_signal(number)
            self.assertEqual(process.wait(60), 0)


class Stalls(WriterTest):
    @beside
    @once
    def test_who_waited_was_not_without_a_cpu(self):
        """A stall before the measured time: readers wait in it to the end, on their CPU."""
        done = contend("--writer", "stall:for=forever,every=20ms", "--duration", "4s")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stdout, "(?m)^stalled .* odd")
        for wrong in ("of their CPU", "no CPU", "finished no read"):
            self.assertNotIn(wrong, done.stderr)

    @once
    def test_who_waits_to_the_end_is_told_so(self):
        """From the warm-up on, and past the end: it is no matter of CPU time."""
        done = contend("--writer", "stall:for=1s,every=10ms", "--duration", "600ms", "--warmup", "20ms")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("waited for the writer all that time", done.stderr)
        for wrong in ("of their CPU", "no CPU"):
            self.assertNotIn(wrong, done.stderr)


class ScenarioTest(WriterTest):
    # Those that want all of the machine.
    LARGE = ("4096-readers.ini", "storm.ini", "tick.ini")

    def run_those(self, large):
        """Each for a second, with what it expects; the others compare, or look at code."""
        ran = 0
        for path in sorted(glob.glob(os.path.join(SCENARIOS, "*.ini"))):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if re.search(r"(?m)^\[(compare|inspect)", text) or (os.path.basename(path) in self.LARGE) != large:
                continue
            with self.subTest(scenario=os.path.basename(path)):
                ran += 1
                # What is to come about may not, where others take the CPUs.
                for duration in ("1s", "2s", "4s"):
                    done = contend(path, "-d", duration, "--json", "-")
                    result = self.check_json(done.stdout)
                    self.not_accused(result)
                    broken = [each["condition"] for each in result["expect"] if not each["held"]]
                    if not broken:
                        break
                self.assertEqual((done.returncode, broken), (0, []))
                self.assertGreater(len(result["expect"]), 0)
        return ran


class NoUpdate(WriterTest):
    """What is told of writers that make none."""

    REMARK = r"remark +the page was never updated while measured: (?:timens exchanged it \d+ times, )?" \
             r"tz wrote outside of the sequence [1-9]\d* times\n"

    def test_what_they_did_is_told(self):
        for writers in (("--writer", "tz"), ("--writer", "timens:every=10ms", "--writer", "tz")):
            done = contend(*writers, "--duration", "300ms", "--warmup", "20ms")
            self.assertRegex(done.stderr, self.REMARK)
            self.assertEqual("timens" in done.stderr, len(writers) > 2)
        done = contend("--writer", "tz", "--writer", "tick", "--duration", "300ms", "--warmup", "20ms")
        self.assertNotIn("never updated", done.stderr)


class Large(ScenarioTest):
    once = True

    def test_the_large_ones(self):
        self.assertEqual(self.run_those(True), len(self.LARGE))


class Others(ScenarioTest):
    once = True
    alone = False

    def test_the_others(self):
        self.assertGreater(self.run_those(False), 10)

    def test_there_is_one_for_each_writer(self):
        listed = set(re.findall(r"(?m)^  (\S+)$", contend("list", "writers").stdout))
        shipped = set()
        for path in glob.glob(os.path.join(SCENARIOS, "*.ini")):
            with open(path, encoding="utf-8") as file:
                shipped |= set(re.findall(r"(?m)^kind = (\S+)$", file.read()))
        self.assertEqual(listed - shipped, set())


if __name__ == "__main__":
    harness.main()
