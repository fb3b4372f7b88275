#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs in files: test_scenario.py BINARY [unittest options]."""
import os
import re

import harness
from harness import BRIEF, ProgramTest, contend

CPUS = sorted(os.sched_getaffinity(0))

WHOLE = """
; all that a scenario can say so far
[run]
duration = 150ms
warmup = 20ms
payload = stamp
clocksource = monotonic_raw
seed = 77
priority = none
writer-cpu = {first}

[writer]
kind = tick
hz = 500
hold = 300ns

[readers some]
count = 2
reader = hres:clock=tai,hint=likely
work = alu:10
cpus = {last}
""".format(first=CPUS[0], last=CPUS[-1])

AS_OPTIONS = ("--duration", "150ms", "--warmup", "20ms", "--payload", "stamp", "--clocksource",
              "monotonic_raw", "--seed", "77", "--priority", "none", "--writer-cpu", str(CPUS[0]),
              "--writer", "tick:hold=300ns", "--hz", "500", "--readers", "2", "--reader",
              "hres:clock=tai,hint=likely", "--work", "alu:10", "--cpus", str(CPUS[-1]))


class ScenarioTest(ProgramTest):
    def scenario(self, text, name="job.ini"):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def config(self, *arguments):
        return self.both(*arguments)[1]["config"]

    def refused(self, text, line, because):
        path = self.scenario(text)
        done = contend(path)
        self.one_line(done)
        self.assertTrue(done.stderr.startswith(f"contend: {path}:{line}: "), done.stderr)
        self.assertIn(because, done.stderr)
        self.assertEqual(done.stdout, "")


class Running(ScenarioTest):
    alone = False

    def test_it_is_the_options_that_it_says(self):
        path = self.scenario(WHOLE)
        wanted = self.config(*AS_OPTIONS)
        for arguments in ((path,), ("run", path), ("--quiet", path), ("run", path, "--quiet")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.config(*arguments), wanted)

    def test_what_it_does_not_say_is_the_default(self):
        wanted = self.config(*BRIEF)
        for text in ("", "; nothing", "[run]", "[writer]\n[readers all]\n[run]"):
            self.assertEqual(self.config(self.scenario(text), *BRIEF), wanted, text)

    def test_options_override_it_wherever_they_stand(self):
        path = self.scenario(WHOLE)
        whole = self.config(path)
        for options, changes in (
                (("--hz", "700"), {"hz": 700}),
                (("--seed", "5", "--readers", "1"), {"seed": 5, "readers": 1}),
                (("--writer", "tick:hold=400ns"), {"hold_ns": 400}),
                (("--writer", "tick:hz=900"), {"hz": 900, "hold_ns": 0}),
                (("--writer", "tick", "--hz", "900"), {"hz": 900, "hold_ns": 0}),
                (("--work", "none", "--payload", "time"),
                 {"work": {"kind": "none"}, "payload": "time"})):
            with self.subTest(options=options):
                self.assertEqual(self.config(path, *options), {**whole, **changes})
                self.assertEqual(self.config(*options, path), {**whole, **changes})


class Mutants(ScenarioTest):
    once = True

    def test_a_mutant_in_a_file(self):
        path = self.scenario("[writer]\nkind = stops-odd\n[run]\nduration = 20s\n")
        self.both(path, status=3)


class Refused(ScenarioTest):
    """Every sentence is that of the option, at the line of what is wrong."""
    once = True
    alone = False

    def test_values(self):
        for section, key, value, because in (
                ("run", "duration", "10", "has no unit"),
                ("run", "duration", "1001h", "is not a time from 1ms to 1000h"),
                ("run", "warmup", "x", "is not a time"),
                ("run", "payload", "Time", "neither time nor stamp"),
                ("run", "clocksource", "bogus", "bogus"),
                ("run", "seed", "-1", "from 0 to 4294967295"),
                ("run", "priority", "100", "from 1 to 99 nor none"),
                ("run", "writer-cpu", "1023", "CPU 1023"),
                ("writer", "kind", "bogus", "no writer 'bogus'"),
                ("writer", "hz", "0", "from 1 to 10000000"),
                ("writer", "hold", "2ms", "from 0s to 1ms"),
                ("writer", "hold", "300", "has no unit"),
                ("writer", "bogus", "1", "bogus"),
                ("writer", "hold", "1us,hz=5", "no single value"),
                ("readers x", "count", "4097", "from 1 to 4096"),
                ("readers x", "reader", "bogus", "bogus"),
                ("readers x", "work", "alu", "one of none, alu:N, cache:SIZE"),
                ("readers x", "cpus", "1023", "CPU 1023"),
                ("readers x", "cpus", "", "not a list of CPUs")):
            with self.subTest(key=key, value=value):
                self.refused(f"; one\n[{section}]\n\n{key} = {value}\n", 4, because)

    def test_form(self):
        for text, line, because in (
                ("seed = 1\n", 1, "belongs to no section"),
                ("[bogus]\n", 1, "there is no section [bogus]: there are [run], [writer] and"),
                ("[expect]\ntorn = 0\n", 1, "not supported yet"),
                ("[run]\nbogus = 1\n", 2, "there are duration, warmup, "),
                ("[run]\nseed = 1\nseed = 1\n", 3, "line 2 says it already"),
                ("[run]\n\n[run]\n", 3, "line 1 has one"),
                ("[readers a]\n[readers b]\n", 2, "no more"),
                ("[readers]\n", 1, "[readers NAME]"),
                ("[run]\nwhat\n", 2, "neither [section] nor key = value"),
                ("[run]\nseed = " + "1" * 500 + "\n", 2, "longer than"),
                ("[run]\nse\0ed = 1\n", 2, "zero byte")):
            with self.subTest(text=text):
                self.refused(text, line, because)

    def test_files(self):
        for path, because in (("/nope/x.ini", "No such file or directory"),
                              ("/", "Is a directory")):
            done = contend("run", path)
            self.one_line(done)
            self.assertIn(because, done.stderr)
        self.one_line(contend("nope.ini"))
        done = contend("nope")
        self.one_line(done)
        self.assertIn("neither a command", done.stderr)
        path = self.scenario("")
        self.one_line(contend("run", path, path))
        self.one_line(contend("run", "/dev/zero"))

    def test_binary(self):
        self.one_line(contend("run", harness.binary))

    def test_help_tells_of_it(self):
        self.assertIn("FILE.ini", contend("run", "--help").stdout)
        self.assertIn("FILE.ini", contend("--help").stdout)
        text = " ".join(contend("run", "--help").stdout.split())
        for section, keys in (("run", "duration, warmup, payload, clocksource, seed, priority"),
                              ("readers NAME", "count, reader, work and cpus")):
            self.assertRegex(text, re.escape(f"[{section}], with") + f".*{keys}")


if __name__ == "__main__":
    harness.main()
