#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Jobs in files: test_scenario.py BINARY [unittest options]."""
import json
import os
import re
import signal
import subprocess
import time
import unittest

import harness
from harness import BRIEF, ProgramTest, beside, contend, once

CPUS = sorted(os.sched_getaffinity(0))

WHOLE = """
; all that a scenario with one group can say
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

[expect]
torn = 0
some.reads > 0
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
        """But for the names of groups, which options cannot say, and how specs were written."""
        config = self.both(*arguments)[1]["config"]
        for group in config["groups"]:
            del group["name"]
        for writer in config.pop("writers"):
            self.assertIn(writer["name"], writer["spec"])
        return config

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

    @once
    def test_what_it_does_not_say_is_the_default(self):
        wanted = self.config(*BRIEF)
        for text in ("; nothing\n[run]", "[run]", "[writer]\n[readers all]\n[run]"):
            self.assertEqual(self.config(self.scenario(text), *BRIEF), wanted, text)

    @once
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
                group = {name: changes[name] for name in ("readers", "work") if name in changes}
                changes["groups"] = [{**whole["groups"][0], **group}]
                self.assertEqual(self.config(path, *options), {**whole, **changes})
                self.assertEqual(self.config(*options, path), {**whole, **changes})


GROUPS = """
[expect]
torn = 0
time_backwards = 0
web.reads > 0
the log.reads > 0
updates >= 1
[run]
duration = 300ms
warmup = 20ms
[readers web]
count = 3
reader = hres:clock=tai
[readers the log]
reader = raw:layout=v5.3
work = alu:50
[readers inside]
reader = timens:clock=monotonic
[readers cheap]
count = 2
reader = coarse:layout=v5.3
cpus = {first}
""".format(first=CPUS[0])


class Groups(ScenarioTest):
    alone = False

    def test_each_has_its_own(self):
        text, result = self.both(self.scenario(GROUPS))
        self.assertIn("contend  7 readers in 4 groups, writer tick at 1000 Hz, 300 ms\n", text)
        names = ["web", "the log", "inside", "cheap"]
        self.assertEqual([group["name"] for group in result["config"]["groups"]], names)
        self.assertEqual([group["name"] for group in result["groups"]], names)
        self.assertEqual([group["count"] for group in result["groups"]], [3, 1, 1, 2])
        self.assertEqual([group["clock"] for group in result["groups"]],
                         ["tai", "monotonic_raw", "monotonic", "monotonic_coarse"])
        self.assertEqual([group["work"]["kind"] for group in result["groups"]],
                         ["none", "alu", "none", "none"])
        self.assertEqual(result["groups"][3]["cpus"], [CPUS[0]])
        self.assertEqual(result["config"]["readers"], 7)
        for group in result["groups"]:
            self.assertGreater(group["checked"], 0, group["name"])
            self.assertEqual((group["torn"], group["unchecked"]), (0, 0), group["name"])
        for name in names:
            self.assertRegex(text, rf"(?m)^group    {name}: \d reader.* on CPU")
            self.assertRegex(text, rf"\n\ngroup    {name}\nreads    ")
        for condition in result["expect"]:
            self.assertTrue(condition["held"], condition)
            self.assertRegex(text, rf"(?m)^expect   {re.escape(condition['condition'])} +found .*: held$")

    def test_all_is_the_sum_of_groups(self):
        _, result = self.both(self.scenario(GROUPS))
        readers, groups = result["readers"], result["groups"]
        for name in ("count", "reads", "torn", "stale", "caught", "checked", "unchecked", "fallbacks"):
            self.assertEqual(sum(group[name] for group in groups), readers[name], name)
        for name in ("total", "odd_wait", "spins", "changed"):
            self.assertEqual(sum(group["retries"][name] for group in groups),
                             readers["retries"][name], name)
        for group in groups:
            each = [one for one in readers["each"] if one["group"] == group["name"]]
            self.assertEqual(len(each), group["count"])
            self.assertEqual(sum(one["reads"] for one in each), group["reads"])
            self.assertEqual({one["cpu"] for one in each}, set(group["cpus"]))
        self.assertEqual(sum(group["read_ns"]["samples"] for group in groups),
                         readers["read_ns"]["samples"])

    def test_stamps(self):
        self.both(self.scenario(GROUPS.replace("time_backwards = 0", "") + "[writer]\nhz=5000\n"),
                  "--payload", "stamp")

    def test_an_image_beside_sources(self):
        """Its page is kept years ahead and its stamps still; the other readers do not mind."""
        if os.uname().machine not in ("x86_64", "i686"):
            self.skipTest("images are for x86")
        path = self.scenario("[readers own]\n[readers kernel]\nreader = image:host\n[run]\n"
                             "duration = 300ms\n[writer]\nhz = 5000\n[expect]\ntorn = 0\n"
                             "kernel.sequence_changed >= 0\nown.retries_total >= 0\n")
        for payload in ("time", "stamp"):
            text, result = self.both(path, "--payload", payload)
            self.assertIsNone(result["readers"]["retries"]["total"])
            self.assertIsNone(result["groups"][1]["caught"])
            self.assertIsNotNone(result["groups"][0]["caught"])
            self.assertIsNone(result["groups"][0]["sequence_changed"])
            self.assertEqual(result["readers"]["fallbacks"], 0)
            self.assertIn("retries  n/a: ", text)

    def test_options_of_groups_are_of_none(self):
        path = self.scenario(GROUPS)
        for option, value in (("--readers", "1"), ("--reader", "hres"), ("--work", "none"),
                              ("--cpus", str(CPUS[0]))):
            done = contend(path, option, value)
            self.one_line(done)
            self.assertIn(f"{option}: the scenario has 4 groups of readers, web and others", done.stderr)
        config = self.config(path, "--hz", "700", "--seed", "3")
        self.assertEqual((config["hz"], config["seed"]), (700, 3))


class Expect(ScenarioTest):
    BRIEFLY = "[run]\nduration = 200ms\nwarmup = 20ms\n"

    @once
    def test_what_does_not_hold_decides_the_status(self):
        path = self.scenario(self.BRIEFLY + "[expect]\ntorn = 0\nreads < 1\nupdates >= 1\n")
        text, result = self.both(path, status=2)
        self.assertEqual([each["held"] for each in result["expect"]], [True, False, True])
        self.assertRegex(text, r"(?m)^expect   reads < 1 +found \d+: did NOT hold$")
        self.assertEqual((result["readers"]["torn"], result["complete"]), (0, True))
        self.assertEqual(contend(path, "--quiet").returncode, 2)

    @once
    def test_what_cannot_be_measured_does_not_hold(self):
        path = self.scenario(self.BRIEFLY + "payload = stamp\n[expect]\ntime_backwards = 0\n")
        text, result = self.both(path, status=2)
        self.assertIn("n/a, because a stamp is no time: did NOT hold\n", text)
        self.assertIsNone(result["expect"][0]["found"])
        self.assertEqual(contend(path, "--payload", "time", "--quiet").returncode, 0)

    def test_the_figures_are_those_of_the_result(self):
        figures = re.findall(r"(?m)^  (\w+) ", contend("list", "figures").stdout)
        self.assertGreater(len(figures), 30)
        path = self.scenario(self.BRIEFLY + "[expect]\n" +
                             "".join(f"{figure} >= 0\n" for figure in figures))
        _, result = self.both(path, status=2)
        found = {each["figure"]: each["found"] for each in result["expect"]}
        self.assertEqual(list(found), figures)
        readers, writer = result["readers"], result["writer"]
        for figure, right in (
                *((name, readers[name]) for name in
                  ("torn", "stale", "reads", "reads_per_second", "caught", "lost_unjudged", "checked",
                   "unchecked", "fallbacks", "off_cpu_gaps", "sequence_changed", "began_odd",
                   "cpu_share", "work_ns")),
                *((f"retries_{name}", value) for name, value in readers["retries"].items()),
                *((f"read_{name}_ns", readers["read_ns"][name])
                  for name in ("mean", "p50", "p99", "p99_99", "max")),
                *((f"{what}_{name}_ns", writer[f"{what}_ns"][name])
                  for what in ("hold", "late") for name in ("p50", "p99", "max")),
                *((name, writer[name]) for name in
                  ("updates", "rate_hz", "missed_ticks", "stalls")),
                ("time_backwards", readers["backwards"]),
                ("forbidden_jumps", result["forbidden_jumps"]),
                ("fairness_ratio", readers["fairness"]["ratio"]),
                ("seconds", result["seconds"]), ("first_read_ns", result["first_read_ns"])):
            value = found.pop(figure)
            if right is None:
                self.assertIsNone(value, figure)
            else:
                self.assertAlmostEqual(value, right, delta=1e-6 * abs(right), msg=figure)
        self.assertEqual(found, {})
        self.assertEqual([each["figure"] for each in result["expect"] if not each["held"]],
                         ["sequence_changed", "began_odd"])

    @beside
    @once
    def test_an_interrupted_run_has_not_failed(self):
        path = self.scenario("[expect]\nreads > 1e15\n")
        process = subprocess.Popen([harness.binary, path, "--json", "-", "--warmup", "0"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=harness.HANG_S)
        if process.returncode == 1:
            self.skipTest("no read was measured until then")
        self.assertEqual(process.returncode, 130)
        if out:
            self.assertFalse(json.loads(out)["expect"][0]["held"])

    @beside
    def test_conditions_that_are_none(self):
        for line, because in (
                ("torn", "is no condition: it is FIGURE or GROUP.FIGURE, one of = < <= > >="),
                ("torn ! 0", "'!' is none of"),
                ("torn == 0", "'==' is none of = < <= > >="),
                ("bogus < 5", "there is no figure 'bogus': contend list figures"),
                ("reads > many", "'many' is no number from 0 to"),
                ("y.torn = 0", "there is no group 'y': there is x"),
                ("x.updates > 0", "updates is no group's, but the run's"),
                ("[torn = 0", "there is no figure '[torn'")):
            with self.subTest(line=line):
                self.refused(f"[expect]\n; first\n{line}\n[readers x]\n", 3, because)


class Mutants(ScenarioTest):
    once = True

    @unittest.skipUnless(len(CPUS) > 1, "readers and writer must meet")
    def test_a_mutant_among_the_correct(self):
        """What one group does wrong is told of it alone, and decides the status."""
        for duration in harness.STORMS:
            path = self.scenario(
                f"[run]\nduration = {duration}\n[writer]\nhz = 100000\nhold = 200ns\n"
                "[readers right]\n[readers wrong]\nreader = no-retry\n"
                "[readers elsewhere]\nreader = hres:layout=v5.3\n"
                "[expect]\nright.torn = 0\nright.time_backwards = 0\nelsewhere.torn = 0\n"
                "elsewhere.time_backwards = 0\nwrong.torn = 0\n")
            done = contend(path, "--json", "-", "--quiet")
            result = self.check_json(done.stdout)
            # On a busy machine a group may have had no time for a read.
            held = {each["condition"]: each["held"] for each in result["expect"]
                    if each["found"] is not None}
            wrong = held.pop("wrong.torn = 0", True)
            self.assertTrue(all(held.values()), held)
            if not wrong:
                break
        self.assertFalse(wrong)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(result["readers"]["torn"], result["groups"][1]["torn"])
        self.assertIsNotNone(result["groups"][1]["first_fault_ns"])
        self.assertIsNone(result["groups"][0]["first_fault_ns"])

    @beside
    def test_a_mutant_in_a_file(self):
        path = self.scenario("[writer]\nkind = stops-odd\n[run]\nduration = 20s\n")
        self.both(path, status=3)

    @beside
    def test_several_pages_of_a_writer_that_stops(self):
        """Readers of each of them must come out of their wait."""
        path = self.scenario("[writer]\nkind = stops-odd\n[run]\nduration = 20s\n[readers a]\n"
                             "[readers b]\nreader = hres:layout=v5.3\n[readers c]\n"
                             "reader = raw\n[expect]\nreads > 1e15\n")
        self.both(path, status=3)


class Lists(ScenarioTest):
    once = True
    alone = False

    def test_a_job(self):
        path = self.scenario("; SPDX-License-Identifier: X\n;\n; What it is about\n; and more\n" + GROUPS)
        done = contend("list", "scenarios", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.partition("\n\n")[2], f"""\
  job.ini
    What it is about
    run       duration 300ms, warmup 20ms
    writer    tick
    readers   web, 3 of them, hres:clock=tai
    readers   the log, raw:layout=v5.3, work alu:50
    readers   inside, timens:clock=monotonic
    readers   cheap, 2 of them, coarse:layout=v5.3, on CPUs {CPUS[0]}
    expect    torn = 0
    expect    time_backwards = 0
    expect    web.reads > 0
    expect    the log.reads > 0
    expect    updates >= 1
""")

    def test_nothing_is_run(self):
        made = self.path("made")
        source = self.path("mine.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#error\n")
        path = self.scenario(f"[readers x]\nreader = {source}@cc={made}\n")
        done = contend("list", "scenarios", path)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"readers   x, {source}@cc={made}\n", done.stdout)
        self.assertIn("writer    tick\n", done.stdout)

    def test_what_is_there(self):
        done = contend("list", "scenarios")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        folder = os.path.join(harness.HERE, "..", "..", "scenarios")
        names = sorted(name for name in os.listdir(folder) if name.endswith(".ini"))
        self.assertEqual(re.findall(r"(?m)^  (\S+\.ini)\n    \S", done.stdout), names)
        self.assertIn("unlikely-read-begin.ini\n    unlikely() on the loop of read_begin\n"
                      "    argument  8 comparisons, 0 inspections\n    claim     +2 % for MONOTONIC\n",
                      done.stdout)

    def test_one_that_is_none(self):
        good, bad = self.scenario("[run]\n", "good.ini"), self.scenario("[run]\nbogus = 1\n", "bad.ini")
        done = contend("list", "scenarios", bad, "/nope.ini", good)
        self.assertEqual(done.returncode, 1)
        self.assertIn("\n  good.ini\n", done.stdout)
        self.assertNotIn("bad.ini", done.stdout)
        self.assertRegex(done.stderr, r"\Acontend: \S+bad\.ini:2: .*\ncontend: the scenario '/nope.ini'"
                                      r" cannot be read: .*\n\Z")

    def test_words(self):
        for arguments in (("list",), ("list", "bogus"), ("list", "figures", "more")):
            self.one_line(contend(*arguments))


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
                ("[bogus]\n", 1, "there is no section [bogus]: there are [run], [writer],"),
                ("[readers a]\ncount = 4000\n[readers b]\ncount = 97\n", 4,
                 "count: with this group there are 4097 readers: all groups together have no more than 4096"),
                ("[readers a]\ncount = 4096\n[readers b]\n", 3, "[readers b]: with this group"),
                ("[readers a]\n[readers b]\n[readers a]\n", 3, "a second [readers a]: line 1"),
                ("[writer]\n" * 9, 9, "no more than 8 sections [writer]"),
                ("[run]\nbogus = 1\n", 2, "there are duration, warmup, "),
                ("[run]\nseed = 1\nseed = 1\n", 3, "line 2 says it already"),
                ("[run]\n\n[run]\n", 3, "line 1 has one"),
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
