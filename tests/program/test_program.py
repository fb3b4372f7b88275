#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The program itself, run: test_program.py BINARY [unittest options].

No test depends on how long something takes, but for HANG_S and STOP_S, which only tell a
program that works from one that hangs.
"""

import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import harness
from harness import (BRIEF, HANG_S, STORMS, ProgramTest, contend, grouped, length, pairs,
                     pvclock_is_usable, scaled)

STOP_S = 2
CPUS = sorted(os.sched_getaffinity(0))
NOBODY = 65534
EXAMPLE = os.path.join(harness.HERE, "..", "..", "readers", "example", "atomic.c")
READER_MUTANTS = ("no-retry", "no-odd-check", "sequence-once", "half-outside")
WRITER_MUTANTS = ("never-odd", "early-end", "late-sequence")
PAYLOADS = ("time", "stamp")
PVCLOCK_MUTANT = "pvclock-version-ignored"


class Usage(ProgramTest):
    alone = False

    WRONG = (
        ("--readers", "0", "4097", "-1", "1.5", "x", "", "18446744073709551617", "1\n2"),
        ("--hz", "0", "10000001", "-1", "1k", ""),
        ("--duration", "10", "0s", "-1s", "1x", "s", "999us", "1001h", "1e3s",
         "99999999999999999999s", "0.0000000001s", ""),
        ("--warmup", "10", "-1s", "1d", "1001h"),
        ("--reader", "bogus", "hres:clock=bogus", "hres:bogus=1", "hres:clock", "hres:",
         "hres:clock=tai,clock=tai", "", "coarse:clock=monotonic", "x" * 300),
        ("--writer", "bogus", "tick:hz=0", "tick:hz=x", "tick:bogus=1", "tick:hold=2ms",
         "tick:hold=300", "never-odd:hold=300ns", "tick:jitter=2s", "tick:jitter=5",
         "tick:nohz=11s", "tick:arrivals=bogus", "tick:arrivals=poisson,jitter=1us",
         "tick:arrivals=poisson,nohz=1s", ""),
        ("--cpus", "", "1023", "99999", "0-", "3-2", "a", "0,,1", ","),
        ("--writer-cpu", "1023", "99999", "-1", "0-1", "x", ""),
        ("--priority", "0", "100", "-1", "high", ""),
        ("--payload", "bogus", "Time", ""),
        ("--work", "bogus", "alu", "alu:0", "alu:1000001", "cache:0", "cache:63", "cache:2G",
         "cache:1X", "alu:-1", ""),
        ("--seed", "-1", "x", "4294967296", ""),
        ("--clocksource", "bogus", "virtual", "", "monotonic_raw:hz=1", "pvclock:",
         "pvclock:hz=1000001", "pvclock:hz=-1", "pvclock:hz=1k", "pvclock:bogus=1"),
        ("--json", "/nope/x", "/", ""),
    )

    def test_wrong_values(self):
        for option, *values in self.WRONG:
            for value in values:
                with self.subTest(option=option, value=value):
                    done = contend(*BRIEF, option, value)
                    self.one_line(done)
                    self.assertTrue(done.stderr.startswith(f"contend: {option}: "), done.stderr)
                    self.assertEqual(done.stdout, "")

    def test_a_wrong_value_is_quoted_with_what_would_be_right(self):
        self.assertEqual(contend("--readers", "0").stderr,
                         "contend: --readers: '0' is not a whole number from 1 to 4096\n")
        self.assertEqual(contend("--json", "/nope/x").stderr,
                         "contend: --json: cannot write '/nope/x': No such file or directory\n")
        self.assertIn("has no unit", contend("--duration", "10").stderr)

    def test_wrong_options(self):
        for arguments in (("--bogus",), ("-x",), ("-qx",), ("--readers",), ("-r",), ("-d",),
                          ("--quiet=1",), ("--baseline=yes",), ("--re", "1"), ("--w", "1"),
                          ("stray",), ("run", "stray"), ("--quiet", "stray"), ("",), ("--", "x"),
                          ("list",), ("list", "bogus"), ("list", "readers", "writers"),
                          ("list", "readers", "--bogus"), ("run", "--help=1"), ("bogus\nline",),
                          ("--version", "stray"), ("--version", "--quiet"), ("--help", "run"),
                          ("-h", "--version")):
            with self.subTest(arguments=arguments):
                done = contend(*arguments)
                self.one_line(done)
                self.assertEqual(done.stdout, "")

    def test_ambiguous_option_names_its_candidates(self):
        stderr = contend("--writ", "1").stderr
        self.assertIn("--writer", stderr)
        self.assertIn("--writer-cpu", stderr)

    def test_hz_given_twice(self):
        done = contend(*BRIEF, "--hz", "5", "--writer", "tick:hz=5")
        self.one_line(done)
        self.assertIn("given twice", done.stderr)

    def test_work_that_no_memory_can_hold(self):
        self.one_line(contend("--work", "cache:1G", "--readers", "4096"))

    def test_cpu_not_allowed(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU")
        confine = {"preexec_fn": lambda: os.sched_setaffinity(0, CPUS[:1])}
        for option in ("--cpus", "--writer-cpu"):
            done = contend(*BRIEF, option, str(CPUS[1]), **confine)
            self.one_line(done)
            self.assertIn("not allowed", done.stderr)

    def test_mistake_leaves_an_old_result_alone(self):
        file = self.path("old.json")
        with open(file, "w", encoding="utf-8") as old:
            old.write("old")
        self.one_line(contend("--json", file, "--readers", "0"))
        with open(file, encoding="utf-8") as old:
            self.assertEqual(old.read(), "old")


class Help(ProgramTest):
    once = True
    alone = False

    def test_version(self):
        done = contend("--version")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\Acontend \d+\.\d+\.\d+\n")
        for word in ("compiler", "architecture", "counter"):
            self.assertIn(f"\n  {word} ", done.stdout)
        for library in ("liburcu", "libelf", "inih", "jansson", "hwloc", "gsl", "capstone"):
            self.assertRegex(done.stdout, rf"\n  {library} +\d")

    def test_help(self):
        whole, run, listing = (contend(*arguments) for arguments in
                               (("--help",), ("run", "--help"), ("list", "--help")))
        for done in (whole, run, listing):
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith("Usage: contend"))
            self.assertTrue(done.stdout.endswith("\n"))
        for word in ("run", "list", "--readers", "--json"):
            self.assertIn(word, whole.stdout)
        self.assertEqual(contend("-h").stdout, whole.stdout)

    def test_every_option_gives_its_default(self):
        text = contend("run", "--help").stdout
        for entry in re.split(r"\n(?=  (?:-\w,|   ) --)", text)[1:]:
            option = re.search(r"--([a-z-]+)", entry)[1]
            if option not in ("quiet", "help"):
                self.assertRegex(entry, r"[Dd]efault", f"--{option}")


class Listing(ProgramTest):
    once = True
    alone = False

    def names(self, *arguments):
        done = contend("list", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return re.findall(r"^  (\S+)", done.stdout, re.MULTILINE), done.stdout

    def test_readers(self):
        names, text = self.names("readers")
        self.assertEqual(names[:4], ["hres", "raw", "coarse", "timens"])
        self.assertIn("none|unlikely|likely", text)
        self.assertFalse(set(names) & set(READER_MUTANTS))
        self.assertLessEqual(set(READER_MUTANTS), set(self.names("readers", "--all")[0]))

    def test_writers(self):
        names, _ = self.names("writers")
        self.assertEqual(names, ["tick", "irq", "ntp", "step", "leap", "suspend", "clocksource", "timens",
                                 "storm", "stall", "tz"])
        everything, text = self.names("--all", "writers")
        self.assertLessEqual({*WRITER_MUTANTS, "stops-odd", "tick"}, set(everything))
        self.assertIn("mutant", text)

    def test_clocksources(self):
        names, text = self.names("clocksources")
        self.assertIn("monotonic_raw", names)
        self.assertIn("default", text)
        self.assertNotIn("virtual", names)
        self.assertIn("virtual", self.names("clocksources", "--all")[0])
        if "pvclock" in names:
            self.assertRegex(text, r"(?m)^  pvclock .*\n +hz= .*default 10$")
            self.assertIn(PVCLOCK_MUTANT, self.names("readers", "--all")[0])
        self.assertNotIn(PVCLOCK_MUTANT, self.names("readers")[0])

    def test_every_listed_reader_runs(self):
        examples = {"image": "image:host", "./FILE.c": EXAMPLE}
        for name in self.names("readers")[0]:
            with self.subTest(reader=name):
                text, result = self.brief("--reader", examples.get(name, name))
                self.assertEqual(result["config"]["reader"]["name"], name)
                self.assertGreater(result["readers"]["reads"], 0)
                self.assertIn(f", {result['readers']['path']} (", text)


class Agreement(ProgramTest):
    def line(self, text, first):
        match = re.search(rf"^{first} .*$", text, re.MULTILINE)
        self.assertIsNotNone(match, f"no line '{first}' in\n{text}")
        return match[0]

    def check_agreement(self, text, result):
        readers, writer = result["readers"], result["writer"]
        retries, read = readers["retries"], readers["read_ns"]

        head = self.line(text, "contend")
        self.assertIn(f" {result['config']['readers']} reader", head)
        self.assertIn(f" {readers['path']} ({result['config']['reader']['variation']}), ", head)
        self.assertIn(f" writer {writer['name']} at {result['config']['hz']} Hz", head)
        machine = self.line(text, "machine")
        self.assertIn(result["machine"]["cpu_model"], machine)
        self.assertIn(f"counter {result['counter']['name']} ", machine)
        self.assertIn(f"writer on CPU {writer['cpu']} ", machine)

        line = self.line(text, "writer")
        self.assertIn(f"updates {grouped(writer['updates'])} ({writer['rate_hz']:.1f} Hz)", line)
        hold = writer["hold_ns"]
        self.assertIn(f"hold p50 {length(hold['p50'])}  p99 {length(hold['p99'])}  "
                      f"max {length(hold['max'])}", line)
        self.assertIn(f"late p99 {length(writer['late_ns']['p99'])}", line)

        record = result["counter"]["record"]
        self.assertEqual(record is None, result["config"]["record_hz"] is None)
        if record:
            self.assertIn(f"updates {grouped(record['updates'])} ({record['rate_hz']:.1f} Hz of "
                          f"the {result['config']['record_hz']} asked for)",
                          self.line(text, result["counter"]["name"]))

        line = self.line(text, "reads")
        rate = scaled(readers["reads_per_second"], ("/s", "k/s", "M/s", "G/s"))
        self.assertIn(f"reads    {grouped(readers['reads'])} ({rate})", line)
        self.assertIn(f"mean {length(read['mean'])}  p50 {length(read['p50'])}  p99 {length(read['p99'])}  "
                      f"p99.99 {length(read['p99_99'])}  max {length(read['max'])}", line)

        line = self.line(text, "retries")
        self.assertIn(f"retries  {grouped(retries['total'])}  = {retries['per_million']:.1f} per",
                      line)
        off_cpu = "n/a" if retries["off_cpu"] is None else grouped(retries["off_cpu"])
        self.assertIn(f"odd wait {grouped(retries['odd_wait']):>10}      changed "
                      f"{grouped(retries['changed']):>10}      off-CPU {off_cpu:>10}      "
                      f"longest run {retries['longest_run']}\n", text)
        self.assertIn(f"torn     {grouped(readers['torn'])} of {grouped(readers['checked'])} "
                      f"checked, {grouped(readers['caught'])} mixture", text)
        self.assertIn(f"\nstale    {grouped(readers['stale'])} of "
                      f"{grouped(readers['checked'])} checked\n", text)
        if readers["backwards"] is None:
            self.assertIn("time     n/a: ", text)
        else:
            self.assertIn(f"time     {grouped(readers['backwards'])} backwards\n", text)

    def check_part(self, readers, each):
        self.assertEqual(len(each), readers["count"])
        for name in ("reads", "torn", "stale", "caught", "checked", "unchecked", "fallbacks"):
            self.assertEqual(sum(reader[name] for reader in each), readers[name], name)
        for name in ("total", "odd_wait", "spins", "changed"):
            self.assertEqual(sum(reader["retries"][name] for reader in each),
                             readers["retries"][name], name)
        retries = readers["retries"]
        self.assertEqual(retries["total"],
                         retries["odd_wait"] + retries["changed"] + (retries["off_cpu"] or 0))
        self.assertEqual(readers["fairness"]["slowest_reads"], min(r["reads"] for r in each))
        self.assertEqual(readers["fairness"]["fastest_reads"], max(r["reads"] for r in each))

    def check_sums(self, result):
        readers = result["readers"]
        self.check_part(readers, readers["each"])
        group = {name: value for name, value in readers.items() if name != "each"}
        self.assertEqual([{name: value for name, value in one.items() if name in group}
                          for one in result["groups"]], [group])

    def test_text_and_json_agree(self):
        for arguments in ((), ("--readers", "5", "--hz", "100000"), ("--payload", "stamp"),
                          ("--reader", "coarse"), ("--clocksource", "monotonic_raw"),
                          *((("--clocksource", "pvclock"),) if pvclock_is_usable() else ())):
            with self.subTest(arguments=arguments):
                text, result = self.brief(*arguments)
                self.check_agreement(text, result)
                self.check_sums(result)
                self.assertTrue(result["complete"])


class Output(ProgramTest):
    alone = False

    def test_all_is_well_by_default(self):
        text, result = self.brief()
        self.assertEqual(result["config"]["readers"], 1)
        self.assertEqual(result["config"]["hz"], 1000)
        self.assertEqual(result["readers"]["path"], "hres/monotonic")
        self.assertEqual((result["readers"]["torn"], result["readers"]["backwards"]), (0, 0))
        self.assertGreater(result["readers"]["checked"], 0)
        self.assertRegex(text, r"\n\nwriter   ")

    def test_run_is_the_default_command(self):
        for arguments in (BRIEF, ("run", *BRIEF)):
            done = contend(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(done.stdout.startswith("contend  1 reader, "), done.stdout)

    def test_json_replaces_text_on_standard_output(self):
        done = contend(*BRIEF, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.check_json(done.stdout)
        self.assertEqual(re.findall(r"^remark   (.*)$", done.stderr, re.MULTILINE),
                         result["remarks"])

    def test_quiet(self):
        done = contend(*BRIEF, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = contend(*BRIEF, "-q", "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check_json(done.stdout)

    def test_json_replaces_a_longer_file(self):
        with open(self.path("result.json"), "w", encoding="utf-8") as file:
            file.write("x" * 1000000)
        self.brief()

    def test_disk_full(self):
        done = contend(*BRIEF, "--quiet", "--json", "/dev/full")
        self.one_line(done)
        self.assertEqual(done.stderr,
                         "contend: --json: cannot write '/dev/full': No space left on device\n")
        done = contend(*BRIEF, "--json", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("\ntime     0 backwards\n", done.stdout)
        self.assertIn("cannot write '/dev/full'", done.stderr)

    def test_standard_output_full(self):
        for arguments in ((*BRIEF,), (*BRIEF, "--json", "-"), ("--help",), ("list", "readers")):
            with self.subTest(arguments=arguments), open("/dev/full", "w") as full:
                done = contend(*arguments, stdout=full)
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr.count("contend: "), 1, done.stderr)


def spoiled(value, path=()):
    """Copies of a result, each with one thing wrong, and what that is."""
    if isinstance(value, dict):
        if path != ("unavailable",):
            yield {**value, "stranger": 1}, path + ("stranger",)
        for name, part in value.items():
            if path != ("unavailable",) and name not in harness.LATER:
                yield {key: value[key] for key in value if key != name}, path + (name, "missing")
            for bad, what in spoiled(part, path + (name,)):
                yield {**value, name: bad}, what
    elif isinstance(value, list):
        yield {}, path + ("object",)
        for i, part in enumerate(value):
            for bad, what in spoiled(part, path + (i,)):
                yield value[:i] + [bad] + value[i + 1:], what
    else:
        yield [], path + ("list",)
        if isinstance(value, str):
            yield 1, path + ("number",)
        elif value is not None:
            yield "1", path + ("string",)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield -1, path + ("negative",)
        if isinstance(value, int) and not isinstance(value, bool):
            yield value + 0.5, path + ("fraction",)


class Progress(ProgramTest):
    alone = False
    once = True

    def test_progress_only_on_a_terminal_and_only_if_it_takes_longer(self):
        lasting = ("--duration", "1500ms", "--warmup", "0")
        seen = self.stderr_of_terminal(*lasting)
        self.assertRegex(seen, r"\r *\d+ % done, \d+ s left")
        drawn = seen.partition("remark")[0].split("\r")
        self.assertEqual((drawn[-2].strip(" "), drawn[-1]), ("", ""), "not erased")
        self.assertEqual(len(drawn[-2]), max(map(len, drawn)), "not wholly erased")
        self.assertNotIn("left", self.stderr_of_terminal(*lasting, "--quiet"))
        self.assertNotIn("left", self.stderr_of_terminal(*BRIEF))
        self.assertNotIn("left", contend(*lasting).stderr)


class Schema(ProgramTest):
    once = True
    alone = False

    def test_it_is_strict(self):
        counter = ("--clocksource", "pvclock") if pvclock_is_usable() else ()
        result = self.brief("--baseline", "--work", "alu:10", "--cpus", str(CPUS[0]), *counter)[1]
        # Each further bucket is as those before it, and is held against the schema as often.
        for part in (result["readers"], *result["groups"]):
            del part["read_ns"]["histogram"][2:]
        for part in (result["writer"], *result["writers"]):
            del part["hold_ns"]["histogram"][2:]
        kinds = 0
        for bad, what in spoiled(result):
            kinds += 1
            self.assertFalse(self.validator.is_valid(bad), what)
        self.assertGreater(kinds, 500)


class Options(ProgramTest):
    """Each option changes what the program says."""
    once = True

    def test_readers(self):
        text, result = self.brief("--readers", "3")
        self.assertEqual((result["config"]["readers"], result["readers"]["count"]), (3, 3))
        self.assertIn("contend  3 readers, ", text)
        self.assertIn("\nfairness slowest ", text)
        self.assertNotIn("\nfairness ", self.brief("-r", "1")[0])

    def test_many_readers(self):
        # Held against the schema it would take several times as long; each is as each of a few.
        done = contend(*BRIEF, "--readers", "4096", "--duration", "500ms", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(json.loads(done.stdout)["readers"]["each"]), 4096)

    def test_hz(self):
        slow, fast = (self.brief("--hz", hz) for hz in ("100", "10000"))
        self.assertIn(" at 10000 Hz, ", fast[0])
        # A late writer misses ticks, but none is lost from the count.
        for result, ticks in ((slow[1]["writer"], 20), (fast[1]["writer"], 2000)):
            self.assertAlmostEqual(result["updates"] + result["missed_ticks"], ticks, delta=1)

    def test_reader(self):
        text, result = self.brief("--reader", "hres:clock=tai,hint=likely,inline=never")
        self.assertEqual(result["config"]["reader"],
                         {"name": "hres", "source": None, "clock": "tai", "variation": "likely, not inlined",
                          "in_namespace": False, "image": None, "call": None})
        self.assertIn(" hres/tai (likely, not inlined), ", text)

    def test_every_clock(self):
        for reader, clocks in (("hres", "realtime monotonic boottime tai"),
                               ("coarse", "realtime_coarse monotonic_coarse"),
                               ("timens", "realtime monotonic_raw boottime monotonic_coarse")):
            for clock in clocks.split():
                with self.subTest(reader=reader, clock=clock):
                    result = self.brief("--reader", f"{reader}:clock={clock}", "--hz",
                                        "10000")[1]
                    self.assertEqual(result["readers"]["path"], f"{reader}/{clock}")
                    self.assertEqual(result["readers"]["torn"], 0)

    def test_writer(self):
        text, result = self.brief("--writer", "tick:hz=50")
        self.assertEqual((result["config"]["writer"], result["config"]["hz"]), ("tick", 50))
        self.assertIn(" writer tick at 50 Hz, ", text)
        result = self.brief("--writer", "tick:hold=20us")[1]
        self.assertEqual(result["config"]["hold_ns"], 20000)
        self.assertGreater(result["writer"]["hold_ns"]["p50"], 15000)

    def test_several_writers(self):
        specs = ("tick", "tick:hz=500,jitter=300us", "tick:hz=300,arrivals=poisson",
                 "tick:hz=700,nohz=20ms")
        text, result = self.brief(*(word for spec in specs for word in ("--writer", spec)),
                                  "--hz", "2000")
        self.assertIn(", writers tick at 2000 Hz, tick at 500 Hz, tick at 300 Hz on average, "
                      "tick at 700 Hz, ", text)
        self.assertEqual([(writer["spec"], writer["hz"]) for writer in result["config"]["writers"]],
                         list(zip(specs, (2000, 500, 300, 700))))
        self.assertEqual(result["config"]["hz"], 2000)
        writers = result["writers"]
        for count in ("updates", "missed_ticks", "stalls"):
            self.assertEqual(result["writer"][count], sum(writer[count] for writer in writers))
        self.assertEqual(result["writer"]["hold_ns"]["samples"], result["writer"]["updates"])
        # A late writer misses ticks, but none is lost from the count.
        for writer, hz in zip(writers[:2], (2000, 500)):
            self.assertAlmostEqual(writer["updates"] + writer["missed_ticks"], hz * 0.2, delta=2)
        # One in two stretches is idle.
        self.assertAlmostEqual(writers[3]["updates"] + writers[3]["missed_ticks"], 70, delta=16)
        for count in ("forbidden_jumps", "steered_back"):
            self.assertEqual(result[count], 0)
        for count in ("torn", "backwards"):
            self.assertEqual(result["readers"][count], 0)

    def test_most_writers(self):
        result = self.brief(*("--writer", "tick:hz=200") * 8, "--payload", "stamp")[1]
        self.assertEqual(len(result["writers"]), 8)
        self.one_line(contend(*BRIEF, *("--writer", "tick:hz=200") * 9))

    def test_rate_of_several_writers(self):
        """--hz is for all that do not say their own, and is refused if there is none."""
        mixed = self.brief("--hz", "70", "--writer", "tick:hz=50", "--writer", "tick")[1]
        self.assertEqual([writer["hz"] for writer in mixed["config"]["writers"]], [50, 70])
        self.one_line(contend(*BRIEF, "--hz", "5", *("--writer", "tick:hz=5") * 2))

    def test_payload(self):
        text, result = self.brief("--payload", "stamp")
        self.assertEqual(result["config"]["payload"], "stamp")
        self.assertIn(", payload stamp, ", text)
        self.assertGreater(result["readers"]["checked"], 0)

    def test_work(self):
        none = self.brief("--work", "none")
        self.assertNotIn("work", none[0])
        for work, said, config in (
                ("alu:3000", "alu:3000", {"kind": "alu", "operations": 3000}),
                ("cache:64K", "cache:64K", {"kind": "cache", "bytes": 65536})):
            text, result = self.brief("--work", work)
            self.assertEqual(result["config"]["work"], config)
            self.assertIn(f", work {said}, ", text)
            self.assertIn(f"work between reads {length(result['readers']['work_ns'])}, not in these",
                          text)
            self.assertGreater(result["readers"]["work_ns"], 0)
            self.assertLess(result["readers"]["reads"], none[1]["readers"]["reads"] / 2)

    def test_duration(self):
        short, long = (self.both("--warmup", "20ms", "--duration", d) for d in ("100ms", "0.5s"))
        self.assertEqual(long[1]["config"]["duration_ns"], 500000000)
        self.assertIn(", 500 ms\n", long[0])
        # A busy machine makes a run longer, nothing makes it shorter.
        self.assertGreaterEqual(short[1]["seconds"], 0.099)
        self.assertGreaterEqual(long[1]["seconds"], 0.499)
        self.assertEqual(self.both("--warmup", "0", "-d", "50ms")[1]["config"]["duration_ns"],
                         50000000)

    def test_warmup(self):
        result = self.both("--duration", "100ms", "--warmup", "0")[1]
        self.assertEqual(result["config"]["warmup_ns"], 0)
        self.assertEqual(result["readers"]["checked"], result["readers"]["reads"])
        warm = self.both("--duration", "100ms", "--warmup", "300ms")[1]
        self.assertEqual(warm["config"]["warmup_ns"], 300000000)
        self.assertGreater(warm["readers"]["checked"], warm["readers"]["reads"])

    def test_cpus(self):
        last = CPUS[-1]
        text, result = self.brief("--readers", "2", "--cpus", str(last))
        self.assertEqual(result["config"]["cpus"], [last])
        self.assertEqual({reader["cpu"] for reader in result["readers"]["each"]}, {last})
        self.assertIn(f", readers on CPU {last}\n", text)
        everywhere = self.brief("--readers", str(len(CPUS)), "--cpus",
                                ",".join(map(str, CPUS)))[1]
        self.assertEqual({reader["cpu"] for reader in everywhere["readers"]["each"]}, set(CPUS))

    def test_writer_cpu(self):
        for cpu in {CPUS[0], CPUS[-1]}:
            text, result = self.brief("--writer-cpu", str(cpu))
            self.assertEqual((result["config"]["writer_cpu"], result["writer"]["cpu"]), (cpu, cpu))
            self.assertIn(f"writer on CPU {cpu} ", text)

    def test_writer_and_reader_on_one_cpu(self):
        for more in ((), ("--priority", "none")):
            result = self.brief("--writer-cpu", str(CPUS[0]), "--cpus", str(CPUS[0]), *more)[1]
            self.assertGreater(result["readers"]["reads"], 0)
            self.assertGreater(result["writer"]["updates"], 0)

    def test_priority(self):
        text, result = self.brief("--priority", "none")
        self.assertEqual((result["config"]["priority"], result["writer"]["priority"]), (0, 0))
        self.assertIn("(not real-time)", text)
        if os.geteuid() == 0 and len(CPUS) > 1:
            text, result = self.brief("--priority", "7")
            self.assertEqual((result["config"]["priority"], result["writer"]["priority"]), (7, 7))
            self.assertIn("(FIFO 7)", text)

    def test_seed(self):
        self.assertEqual(self.brief()[1]["config"]["seed"], 1)
        self.assertEqual(self.brief("--seed", "77")[1]["config"]["seed"], 77)

    def test_clocksource(self):
        text, result = self.brief("--clocksource", "monotonic_raw")
        self.assertEqual(result["config"]["clocksource"], "monotonic_raw")
        self.assertEqual(result["counter"]["name"], "monotonic_raw")
        self.assertIn("counter monotonic_raw 1000 MHz", text)
        self.assertIsNone(result["counter"]["record"])

    def pvclock(self, *arguments, hz, **options):
        if not pvclock_is_usable():
            self.skipTest("no pvclock here")
        text, result = self.brief("--clocksource", f"pvclock:hz={hz}", *arguments, **options)
        self.assertEqual((result["config"]["clocksource"], result["config"]["record_hz"]),
                         ("pvclock", hz))
        self.assertIn("counter pvclock 1000 MHz", text)
        self.assertGreater(result["readers"]["reads"], 0)
        self.assertEqual((result["readers"]["torn"], result["readers"]["backwards"] or 0), (0, 0))
        return result

    def test_clocksource_pvclock(self):
        self.assertEqual(self.pvclock(hz=0)["counter"]["record"], {"updates": 0, "rate_hz": 0})
        # A busy machine makes them fewer, nothing makes them more.
        few = self.pvclock(hz=100)["counter"]["record"]["updates"]
        many = self.pvclock(hz=10000)["counter"]["record"]["updates"]
        self.assertLessEqual(0, few)
        self.assertLessEqual(few, 21)
        self.assertLessEqual(many, 2001)
        self.assertGreater(many, few)

    def test_clocksource_pvclock_with_all_kinds_of_readers(self):
        for arguments in (("--readers", "7"), ("--reader", "coarse"), ("--reader", "timens"),
                          ("--reader", "raw"), ("--payload", "stamp"), ("--work", "alu:50"),
                          ("--baseline",), ("--writer", "tick:hold=2us"), ("--hz", "100000")):
            with self.subTest(arguments=arguments):
                self.pvclock(*arguments, hz=20000)

    def test_clocksource_pvclock_where_everybody_shares_a_cpu(self):
        here = str(CPUS[0])
        result = self.pvclock("--readers", "3", hz=1000000,
                              preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))
        self.assertTrue(any("pvclock" in remark for remark in result["remarks"]),
                        result["remarks"])
        # And with a CPU left for the hypervisor.
        self.pvclock("--cpus", here, "--writer-cpu", here, hz=1000000)

    def test_baseline(self):
        text, result = self.brief()
        self.assertIsNone(result["baseline"])
        self.assertNotIn("\nbaseline ", text)
        text, result = self.brief("--baseline")
        baseline = result["baseline"]
        self.assertGreater(baseline["pairs"], 0)
        self.assertIn(f"baseline bare {length(baseline['bare_ns'])}  counted "
                      f"{length(baseline['counted_ns'])}", text)
        self.assertIn(f"counted / bare {baseline['counted_to_bare']:.4f}", text)

    def test_last_one_counts(self):
        result = self.brief("--readers", "2", "--readers", "3")[1]
        self.assertEqual(result["config"]["readers"], 3)

    def test_abbreviation(self):
        self.assertEqual(self.brief("--see", "5")[1]["config"]["seed"], 5)

    def test_format(self):
        """More of it in test_ktap.py."""
        done = contend(*BRIEF, "--format", "ktap")
        self.assertTrue(done.stdout.startswith("KTAP version 1\n1..1\n"), done.stdout)

    def test_there_is_a_test_for_every_option(self):
        options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", contend("run", "--help").stdout,
                                 re.MULTILINE))
        tested = {name[5:].replace("_", "-") for name in dir(self) if name.startswith("test_")}
        # Of intervals and of tables there are tests in a file of their own.
        self.assertEqual(options - tested, {"json", "quiet", "help", "interval", "csv", "histogram",
                                            "hgrm"})


class EndingsTest(ProgramTest):
    def await_run(self, process):
        """Until SIGINT and SIGTERM are the run's: before, there is no result to lose."""
        mask = 1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1
        deadline = time.monotonic() + HANG_S
        while time.monotonic() < deadline:
            # Of the readers' threads, since one that waits for a signal does not count as blocking it.
            tasks = glob.glob(f"/proc/{process.pid}/task/*/status")
            for status in tasks if len(tasks) > 1 else []:
                try:
                    with open(status, encoding="ascii") as file:
                        blocked = re.search(r"^SigBlk:\s*(\w+)", file.read(), re.MULTILINE)
                except OSError:
                    continue
                if blocked and int(blocked[1], 16) & mask == mask:
                    return
            time.sleep(0.005)
        process.kill()
        self.fail("the run does not see to signals")

    def interrupt(self, number, *arguments):
        file = self.path("partial.json")
        with subprocess.Popen([harness.binary, *arguments, "--json", file], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            self.await_run(process)
            time.sleep(0.3)
            start = time.monotonic()
            process.send_signal(number)
            text, remarks = process.communicate(timeout=HANG_S)
            took = time.monotonic() - start
        print(f"stopped by {signal.Signals(number).name}: after {took * 1000:.0f} ms",
              file=sys.stderr)
        self.assertEqual(process.returncode, 130, text + remarks)
        self.assertLess(took, STOP_S)
        self.assertIn("\npartial  interrupted after ", text)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual((result["complete"], result["outcome"], result["exit_status"]),
                         (False, "interrupted", 130))
        return text, result


class Endings(EndingsTest):
    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                text, result = self.interrupt(number, "--duration", "20s", "--warmup", "0",
                                              "--readers", "8")
                self.assertGreater(result["readers"]["reads"], 0)
                self.assertIn(f"reads    {grouped(result['readers']['reads'])} ", text)
                self.assertLess(result["seconds"], 20)

    def test_interrupted_in_warmup(self):
        text, result = self.interrupt(signal.SIGINT, "--warmup", "20s")
        self.assertEqual(result["readers"]["reads"], 0)
        self.assertIn("n/a: no read was timed", text)

    def test_writer_that_stops_while_odd(self):
        text, result = self.both("--writer", "stops-odd", "--duration", "20s", status=3)
        self.assertRegex(text, r"\nstalled  .*writer.*\n")
        self.assertEqual(result["outcome"], "stalled")
        self.assertIn("writer", result["stall"])
        self.assertIn(f"\nstalled  {result['stall']}\n", text)
        self.assertFalse(result["complete"])
        self.assertLess(result["seconds"], 20)


class RareEndings(EndingsTest):
    """At moments, and in numbers, to which the configuration is nothing."""
    once = True

    def test_interrupted_at_the_slowest_rate(self):
        self.interrupt(signal.SIGINT, "--duration", "20s", "--warmup", "0", "--hz", "1")
        if pvclock_is_usable():
            self.interrupt(signal.SIGINT, "--duration", "20s", "--clocksource", "pvclock:hz=1")

    @unittest.skipIf(len(CPUS) < 2, "one CPU: everybody waits for a turn")
    def test_interrupted_among_many_readers(self):
        """Whoever hears of the signal must not queue for a CPU behind all readers."""
        result = self.interrupt(signal.SIGINT, "--duration", "20s", "--readers", "600")[1]
        self.assertLess(result["seconds"], 20)

    def test_interrupted_at_the_end(self):
        """Not one signal, whenever it comes, may end the process without its result."""
        for delay in range(0, 100, 8):
            with subprocess.Popen([harness.binary, "--duration", "200ms", "--warmup", "0",
                                   "--readers", "64"], text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                self.await_run(process)
                time.sleep(0.15 + delay / 1000)
                process.send_signal(signal.SIGINT)
                text = process.communicate(timeout=HANG_S)[0]
            self.assertIn(process.returncode, (130, 0))
            self.assertIn("\ntorn     ", text)

    def test_interrupted_before_the_run(self):
        """There is no result to lose then, so none may be left behind or taken for one."""
        old, new = self.path("old.json"), self.path("new.json")
        for file in (old, new):
            with open(old, "w", encoding="utf-8") as written:
                written.write("{}")
            with subprocess.Popen([harness.binary, "--duration", "20s", "--work", "cache:1G", "--json",
                                   file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as process:
                time.sleep(0.05)
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=HANG_S)
            # A loaded machine may not have come to look for the signal by then.
            self.assertIn(process.returncode, (130, -signal.SIGTERM))
            if os.path.exists(file):
                with open(file, encoding="utf-8") as written:
                    text = written.read()
                if text != "{}":
                    self.assertFalse(self.check_json(text)["complete"])

    def starve(self):
        """Keeps a run from its CPUs for all of the time that is measured."""
        with subprocess.Popen([harness.binary, "--readers", "3", "--warmup", "1s", "--duration",
                               "1s"], text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.await_run(process)
            time.sleep(0.2)
            process.send_signal(signal.SIGSTOP)
            time.sleep(2.1)
            process.send_signal(signal.SIGCONT)
            remarks = process.communicate(timeout=HANG_S)[1]
        return process.returncode, remarks

    def test_no_read_for_want_of_a_cpu(self):
        """A machine too busy to begin in time is asked again."""
        for _ in range(3):
            status, remarks = self.starve()
            if status == 1:
                break
        self.assertEqual(status, 1, remarks)
        self.assertIn("no read was measured, so the run says nothing: 3 of 3 readers were given "
                      "no CPU in the measured time; give it more time", remarks)
        self.assertIn("3 of 3 readers finished no read in the measured time: 3 were given no CPU",
                      remarks)


@unittest.skipIf(len(CPUS) < 2, "one CPU")
class Mutants(ProgramTest):
    def kill_mutant(self, *arguments, duration, hz="1000000"):
        file = self.path("mutant.json")
        done = contend(*arguments, "--hz", hz, "--duration", duration, "--warmup", "20ms",
                       "--json", file)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        torn, backwards = (result["readers"][name] for name in ("torn", "backwards"))
        self.assertIn(f"torn     {grouped(torn)} of ", done.stdout)
        self.assertEqual(result["exit_status"], done.returncode)
        caught = torn + (backwards or 0) > 0
        fault = result["readers"]["first_fault_ns"]
        self.assertEqual((done.returncode == 2, fault is not None), (caught, caught))
        print(f"{'caught' if caught else 'missed'} {' '.join(arguments)}: torn {torn}, backwards "
              f"{backwards}, first after {length(fault) if caught else 'n/a'}", file=sys.stderr)
        if caught:
            self.assertIn(f"first fault after {length(fault)}\n", done.stdout)
        return done.returncode == 2

    def check_mutant(self, *arguments, **options):
        with self.subTest(mutant=arguments):
            self.assertTrue(any(self.kill_mutant(*arguments, duration=duration, **options)
                                for duration in STORMS), "not caught")

    def test_torn_outweighs_a_full_disk(self):
        for duration in STORMS:
            done = contend("--reader", "half-outside", "--hz", "1000000", "--duration", duration,
                           "--json", "/dev/full")
            if done.returncode == 2:
                break
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write '/dev/full'", done.stderr)

    def test_mutant_readers(self):
        # A read must lie within an update to show this one: stores alone are often over sooner.
        longer = {"no-odd-check": ("--writer", "tick:hold=200ns")}
        for name, payload in pairs(READER_MUTANTS, PAYLOADS):
            self.check_mutant("--reader", name, *longer.get(name, ()), "--payload", payload)

    def test_mutant_of_pvclock(self):
        if not pvclock_is_usable():
            self.skipTest("no pvclock here")
        # At a rate at which the writer sleeps: the hypervisor may have to share its CPU.
        for work, payload in pairs(("none", "alu:20"), PAYLOADS):
            self.check_mutant("--reader", PVCLOCK_MUTANT, "--clocksource", "pvclock:hz=100000",
                              "--work", work, "--payload", payload, hz="1000")
        # With any other clock source there is nothing wrong with it.
        self.assertEqual(contend(*BRIEF, "--reader", PVCLOCK_MUTANT, "--clocksource",
                                 "monotonic_raw").returncode, 0)

    def test_mutant_writers(self):
        for name, payload in pairs(WRITER_MUTANTS, PAYLOADS):
            self.check_mutant("--writer", name, "--payload", payload)


class Surroundings(ProgramTest):
    def test_one_cpu(self):
        text, result = self.brief("--readers", "3", preexec_fn=lambda:
                                  os.sched_setaffinity(0, CPUS[:1]))
        self.assertEqual(result["machine"]["cpus_allowed"], 1)
        self.assertEqual(result["writer"]["cpu"], CPUS[0])
        self.assertEqual(result["writer"]["priority"], 0)
        self.assertGreater(result["writer"]["updates"], 0)
        self.assertGreater(result["readers"]["reads"], 0)
        self.assertTrue(any("CPU" in remark for remark in result["remarks"]), result["remarks"])
        if len(CPUS) > 1:
            self.assertIn("(1 allowed)", text)

    def contend_as_ordinary_user(self, *arguments):
        """Without root's rights, nor a limit that lets anybody run in real time."""
        os.chmod(self.directory, 0o755)
        program = shutil.copy(harness.binary, self.path("contend"))
        os.chmod(program, 0o755)
        options = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))}
        if os.geteuid() == 0:
            options.update(user=NOBODY, group=NOBODY, extra_groups=[])
        return subprocess.run([program, *BRIEF, *arguments], text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=HANG_S, cwd="/", **options)

    def test_ordinary_user(self):
        done = self.contend_as_ordinary_user("--readers", "2", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.check_json(done.stdout)
        self.assertGreater(result["readers"]["reads"], 0)
        self.assertEqual(result["readers"]["torn"], 0)
        self.assertEqual(result["writer"]["priority"], 0)
        self.assertRegex("\n".join(result["remarks"]), "real[- ]time")
        self.assertRegex(done.stderr, r"(?m)^remark   .*real[- ]time")

    def test_priority_that_is_not_allowed(self):
        done = self.contend_as_ordinary_user("--priority", "50")
        self.one_line(done)
        self.assertIn("--priority", done.stderr)

    def test_a_limit_of_memory_is_named(self):
        """Where a reader has no memory for itself, and where it has none for its stack."""
        for limit in (100 << 20, 300 << 20):
            options = {"preexec_fn": lambda most=limit:
                       resource.setrlimit(resource.RLIMIT_AS, (most, most))}
            if contend("--version", **options).returncode:
                self.skipTest("a sanitizer needs more")
            done = contend(*BRIEF, "--readers", "4000", **options)
            self.one_line(done)
            self.assertIn("--readers: ", done.stderr)
            self.assertRegex(done.stderr, "Cannot allocate memory|temporarily unavailable")
            self.assertIn(f"ulimit -v {limit >> 10}", done.stderr)

    def test_closed_standard_streams(self):
        file = self.path("closed.json")
        done = subprocess.run(["/bin/sh", "-c", '"$0" "$@" <&- >&- 2>&-', harness.binary, *BRIEF,
                               "--json", file], timeout=HANG_S)
        self.assertEqual(done.returncode, 1)
        with open(file, encoding="utf-8") as written:
            self.check_json(written.read())


if __name__ == "__main__":
    harness.main()
