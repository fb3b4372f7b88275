#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""--format ktap of every command that has it: test_ktap.py BINARY [unittest options]."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import harness
from harness import HANG_S, ProgramTest, contend

# As kunit's parser takes them; SKIP and ERROR are the directives that are used here.
RESULT = re.compile(r"(ok|not ok) ([1-9]\d*) ([^#\n]+?)(?: # (SKIP|ERROR) (.+))?")
LIMIT = ("--limit", "1ms")


class NotKtap(Exception):
    """What is wrong with it."""


class Lines:
    """Of an output, one after the other."""

    def __init__(self, text):
        if not text.endswith("\n"):
            raise NotKtap("the last line has no end")
        self.lines = text.split("\n")[:-1]
        self.at = 0

    def peek(self):
        return self.lines[self.at] if self.at < len(self.lines) else None

    def take(self, pattern, indent):
        line = self.peek()
        match = line is not None and re.fullmatch("  " * indent + f"(?:{pattern})", line)
        if not match:
            raise NotKtap(f"line {self.at + 1}, {line!r}, is not {pattern} at depth {indent}")
        self.at += 1
        return match


def parse_tests(lines, depth):
    """[(name, outcome, why, tests within)], with all that KTAP version 1 asks for."""
    lines.take("KTAP version 1", depth)
    suite = depth and lines.take("# Subtest: ([^#]+)", depth)[1]
    plan = int(lines.take(r"1\.\.([1-9]\d*)", depth)[1])
    tests = []
    for number in range(1, plan + 1):
        within = None
        while (lines.peek() or "").startswith("  " * depth + "# "):
            lines.at += 1
        if lines.peek() == "  " * (depth + 1) + "KTAP version 1":
            name, within = parse_tests(lines, depth + 1)
        result = lines.take(RESULT.pattern, depth)
        if int(result[2]) != number:
            raise NotKtap(f"{result[0]!r} is number {number}")
        if within and result[3] != name:
            raise NotKtap(f"{result[0]!r} ends the suite {name!r}")
        outcome = result[4] or result[1]
        if outcome == "SKIP" and result[1] != "ok" or outcome == "ERROR" and result[1] == "ok":
            raise NotKtap(f"{result[0]!r} contradicts itself")
        if within and (result[1] == "ok") != all(test[1] in ("ok", "SKIP") for test in within):
            raise NotKtap(f"{result[0]!r} is not what its tests are")
        tests.append((result[3], outcome, result[5], within))
    while (lines.peek() or "").startswith("  " * depth + "# "):
        lines.at += 1
    return suite, tests


def parse(text):
    """{suite: {test: (outcome, why)}}, of an output that is nothing but KTAP."""
    lines = Lines(text)
    _, suites = parse_tests(lines, 0)
    if lines.peek() is not None:
        raise NotKtap(f"line {lines.at + 1}, {lines.peek()!r}, comes after the end")
    if any(tests is None for _, _, _, tests in suites):
        raise NotKtap("a test is in no suite")
    return {name: {test: (outcome, why) for test, outcome, why, _ in tests}
            for name, _, _, tests in suites}


class Parser(harness.unittest.TestCase):
    """The tests' own parser is no good if it takes anything."""
    alone = False
    once = True
    GOOD = ("KTAP version 1\n1..1\n  KTAP version 1\n  # Subtest: s\n  1..2\n  # note\n  ok 1 a\n"
            "  not ok 2 b # ERROR why\nnot ok 1 s\n")

    def test_it_takes_what_is_right(self):
        self.assertEqual(parse(self.GOOD), {"s": {"a": ("ok", None), "b": ("ERROR", "why")}})

    def test_it_refuses_what_is_wrong(self):
        for old, new in (("KTAP version 1\n1..1", "TAP version 13\n1..1"), ("1..2", "1..3"),
                         ("1..2", "1..1"), ("ok 2 b", "ok 3 b"), ("1..1\n", ""), ("  ok 1", " ok 1"),
                         ("not ok 1 s", "ok 1 s"), ("not ok 1 s", "not ok 1 t"), ("ok 1 a", "ok 1 a#"),
                         ("ok 1 a", "ok 1"), ("ERROR why", "ERROR"), ("# ERROR", "# OOPS"),
                         ("not ok 2", "ok 2"), ("ok 1 s\n", "ok 1 s"), ("ok 1 s\n", "ok 1 s\nmore\n"),
                         ("  # Subtest: s\n", ""), ("  # note", "  note"), ("\n1..1", "\n\n1..1")):
            bad = self.GOOD.replace(old, new, 1)
            self.assertNotEqual(bad, self.GOOD)
            with self.assertRaises(NotKtap, msg=(old, new)):
                parse(bad)


class KtapTest(ProgramTest):
    def ktap(self, *arguments, status=0):
        """Suites, and the JSON of the same."""
        file = self.path("result.json")
        done = contend(*arguments, "--format", "ktap", "--json", file)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        with open(file, encoding="utf-8") as written:
            result = json.load(written)
        suites = parse(done.stdout)
        well = all(outcome in ("ok", "SKIP") for tests in suites.values() for outcome, _ in tests.values())
        shown = any(outcome != "SKIP" for tests in suites.values() for outcome, _ in tests.values())
        self.assertEqual(well and shown, status == 0, done.stdout)
        return suites, result

    def interrupted(self, *arguments):
        """What comes of one that gets a signal a while after it began."""
        with subprocess.Popen([harness.binary, *arguments, "--format", "ktap"], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            text, _ = process.communicate(timeout=HANG_S)
        self.assertEqual(process.returncode, 130)
        return parse(text)


class Run(KtapTest):
    alone = False
    OWN = ["no stall", "reads > 0", "torn = 0", "stale = 0", "time_backwards = 0", "forbidden_jumps = 0"]

    def scenario(self, text):
        path = self.path("job.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write("[run]\nduration = 200ms\nwarmup = 20ms\n" + text)
        return path

    def test_plain(self):
        suites, _ = self.ktap("run", *harness.BRIEF)
        self.assertEqual(list(suites), ["run"])
        self.assertEqual(list(suites["run"]), self.OWN)
        self.assertEqual({outcome for outcome, _ in suites["run"].values()}, {"ok"})

    def test_what_is_expected(self):
        path = self.scenario("[expect]\ntorn = 0\nreads > 0\nreads < 1\nretries_per_million >= 0\n")
        suites, result = self.ktap(path, status=2)
        self.assertEqual(list(suites["run"]), self.OWN + [f"expect {condition['condition']}"
                                                          for condition in result["expect"]])
        for condition in result["expect"]:
            self.assertEqual(suites["run"][f"expect {condition['condition']}"],
                             ("ok" if condition["held"] else "not ok", None))
        self.assertEqual(suites["run"]["expect reads < 1"], ("not ok", None))

    def test_what_could_not_be_looked_for(self):
        """Stamps have no time to run backwards; what was expected of it did not hold."""
        path = self.scenario("payload = stamp\n[expect]\ntime_backwards = 0\n")
        suites, _ = self.ktap(path, status=2)
        self.assertEqual(suites["run"]["time_backwards = 0"][0], "SKIP")
        self.assertEqual(suites["run"]["expect time_backwards = 0"], ("not ok", None))

    def test_interrupted(self):
        path = self.scenario("[expect]\ntorn = 0\n")
        suites = self.interrupted(path, "--duration", "60s")
        why = "interrupted before its end"
        for name in ("no stall", "torn = 0", "stale = 0", "expect torn = 0"):
            self.assertEqual(suites["run"][name], ("ERROR", why))

    def test_lines_of_intervals_stay_on_standard_error(self):
        done = contend("run", *harness.BRIEF, "--interval", "50ms", "--format", "ktap")
        parse(done.stdout)
        self.assertGreaterEqual(len(done.stderr.splitlines()), 4)

    def test_remarks_stay_on_standard_error(self):
        done = contend("run", *harness.BRIEF, "--readers", "8", "--cpus",
                       str(min(os.sched_getaffinity(0))), "--format", "ktap")
        self.assertIn("remark   ", done.stderr)
        parse(done.stdout)


class Faults(KtapTest):
    def test_torn(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("on one CPU no reader is there in the middle of an update")
        for duration in harness.STORMS:
            file = self.path("result.json")
            done = contend("run", "--reader", "no-retry", "--writer", "storm", "--payload", "stamp",
                           "--duration", duration, "--format", "ktap", "--json", file)
            if done.returncode:
                break
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(parse(done.stdout)["run"]["torn = 0"], ("not ok", None))

    def test_stalled(self):
        suites, _ = self.ktap("run", "--writer", "stops-odd", "--duration", "20s", status=3)
        self.assertEqual(suites["run"]["no stall"], ("not ok", None))
        self.assertEqual(suites["run"]["torn = 0"], ("ERROR", "the run stalled before its end"))


class Verify(KtapTest):
    def test_mutants_and_what_is_correct(self):
        suites, result = self.ktap("verify", "--only", "step-moves-monotonic", "--only", "late-fence",
                                   "--only", "latch", "--duration", "100ms")
        self.assertEqual(list(suites), ["mutants", "correct"])
        self.assertEqual(list(suites["mutants"]), [mutant["name"] for mutant in result["mutants"]])
        outcomes = {"killed": "ok", "survived": "not ok", "hidden": "SKIP", "absent": "SKIP",
                    "unknown": "ERROR"}
        for mutant in result["mutants"]:
            self.assertEqual(suites["mutants"][mutant["name"]][0], outcomes[mutant["verdict"]])
        told = [outcome for outcome, _ in suites["correct"].values()]
        self.assertEqual(told.count("ok"), len(result["survived"]))
        self.assertEqual(told.count("SKIP"), len(result["left_out"]))

    def test_interrupted(self):
        suites = self.interrupted("verify")
        told = [test for tests in suites.values() for test in tests.values()]
        self.assertGreater(len(told), 100)
        self.assertIn(("ERROR", "interrupted before its end"), told)
        self.assertEqual(list(suites), ["mutants", "correct"])


class Prove(KtapTest):
    alone = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if "fsanitize=thread" in contend("prove", "mutex").stderr:
            raise harness.unittest.SkipTest("nothing can be explored here")

    def test_holds(self):
        suites, _ = self.ktap("prove", "seqcount")
        self.assertEqual(suites, {"prove seqcount": {model: ("ok", None) for model in ("sc", "tso", "weak")}})

    def test_broken(self):
        suites, _ = self.ktap("prove", "late-fence", "--model", "all", status=2)
        self.assertEqual({name: outcome for name, (outcome, _) in suites["prove late-fence"].items()},
                         {"sc": "ok", "tso": "ok", "weak": "not ok"})

    def test_one_model(self):
        suites, _ = self.ktap("prove", "seqcount", "--model", "tso")
        self.assertEqual(list(suites["prove seqcount"]), ["tso"])

    def test_incomplete_is_no_success(self):
        suites, _ = self.ktap("prove", "hres", "--model", "weak", "--updates", "4", "--reads", "4",
                              *LIMIT, status=1)
        self.assertEqual(suites["prove hres"]["weak"], ("ERROR", "cut short: the time was up"))

    def test_interrupted(self):
        suites = self.interrupted("prove", "hres", "--updates", "8", "--reads", "8", "--limit", "60s")
        self.assertEqual(list(suites["prove hres"]), ["sc", "tso", "weak"])
        self.assertIn("ERROR", {outcome for outcome, _ in suites["prove hres"].values()})

    def test_weakenings_are_notes(self):
        file = self.path("result.json")
        done = contend("prove", "seqcount", "--weaken", "--model", "weak", "--format", "ktap", "--json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        parse(done.stdout)
        with open(file, encoding="utf-8") as written:
            weakened = json.load(written)["weakenings"]
        self.assertEqual(len(re.findall(r"(?m)^  # .* under weak$", done.stdout)), len(weakened))

    def test_names_without_signs_of_comments(self):
        path = self.path("a#b.c")
        with open(os.path.join(harness.HERE, "..", "..", "readers", "example", "lock.c"),
                  encoding="utf-8") as source, open(path, "w", encoding="utf-8") as copy:
            copy.write(source.read())
        done = contend("prove", path, "--format", "ktap")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(parse(done.stdout)), [f"prove {path}".replace("#", "_")])


class Option(KtapTest):
    alone = False
    once = True

    def test_it_is_a_format_of_the_text(self):
        for command in (("run",), ("prove", "seqcount"), ("verify",)):
            for arguments, why in ((("-q",), "--quiet leaves that out"),
                                   (("--json", "-"), "--json - leaves that out")):
                done = contend(*command, "--format", "ktap", *arguments)
                self.one_line(done)
                self.assertIn(why, done.stderr)
            if command == ("run",):
                for option in ("--csv", "--histogram", "--hgrm"):
                    done = contend("run", "--interval", "50ms", "--format", "ktap", option, "-")
                    self.one_line(done)
                    self.assertIn(f"{option} - leaves that out", done.stderr)
            done = contend(*command, "--format", "tap")
            self.one_line(done)
            self.assertIn("--format: 'tap' is neither text nor ktap", done.stderr)

    def test_text_is_the_default(self):
        for arguments in ((), ("--format", "text")):
            self.assertTrue(contend("run", *harness.BRIEF, *arguments).stdout.startswith("contend  1 reader"))


if __name__ == "__main__":
    sys.exit(harness.main())
