#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend verify, run: test_verify.py BINARY [unittest options]."""

import os
import re
import signal
import subprocess
import sys
import time
import unittest

import harness
from harness import HANG_S, ProgramTest, contend, grouped, length

CPUS = sorted(os.sched_getaffinity(0))
WHOLE_S = 120
# Each detector has one that shows on any machine, whatever else runs there, but for torn and crash,
# which take two CPUs.
ON_ONE_CPU = ("stops-odd", "step-moves-monotonic", "suspend-moves-monotonic", "counter-loses-time")
DETECTORS = ("torn", "stale", "backwards", "jump", "stall", "crash")


class VerifyTest(ProgramTest):
    schema = "verify.schema.json"

    def nulls_are_explained(self, result):
        """As harness.unexplained, but that what nobody has to say is null, too."""
        for path in harness.nulls(result):
            if not path.endswith(".detail") and path != "machine.hypervisor":
                self.assertIn(path, result["unavailable"])

    def check_json(self, text):
        result = harness.json.loads(text)
        errors = [f"{error.json_path}: {error.message}"
                  for error in self.validator.iter_errors(result)]
        self.assertEqual(errors, [])
        self.nulls_are_explained(result)
        return result

    def verify(self, *arguments, status=0, timeout=HANG_S, **options):
        """Text and JSON of one verification."""
        file = self.path("verify.json")
        done = subprocess.run([harness.binary, "verify", *arguments, "--json", file], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout,
                              **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual(result["exit_status"], status)
        self.check_agreement(done.stdout, result)
        return done.stdout, result

    def only(self, *names, **options):
        return self.verify(*(word for name in names for word in ("--only", name)), **options)

    def check_agreement(self, text, result):
        # But for the machine's name, and sentences about what went wrong.
        for line in text.splitlines()[2:]:
            if not line.startswith(("n/a ", "absent ", "accused  ", "tries  ")):
                self.assertLessEqual(len(line), 80, line)
        for mutant in result["mutants"]:
            row = re.search(rf"(?m)^{mutant['name']} +{mutant['kind']} +(.*)$", text)
            self.assertIsNotNone(row, text)
            if mutant["verdict"] == "killed":
                marks = ["x" if name in mutant["killed_by"] else "." for name in DETECTORS]
                self.assertEqual(row[1].split(maxsplit=6),
                                 [*marks, length(mutant["seconds"] * 1e9)])
            elif mutant["verdict"] == "hidden":
                self.assertEqual(row[1], "not on this CPU; see prove")
        checked = sum(run["checked"] for run in result["survived"])
        if result["survived"] and not result["accused"]:
            self.assertIn(f"\naccused  none of {len(result['survived'])} runs: {grouped(checked)} "
                          "reads checked, ", text)
        for name in DETECTORS:
            self.assertEqual(result["detectors"][name],
                             sum(name in mutant["killed_by"] for mutant in result["mutants"]))


class Whole(VerifyTest):
    once = True

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_all(self):
        # Half as long as by default: test_survive.py has what is correct run for longer.
        text, result = self.verify("--duration", "100ms", timeout=WHOLE_S)
        listed = "".join(contend("list", what, "--all").stdout for what in ("readers", "writers"))
        mutants = re.findall(r"(?m)^  (\S+)\n    .*\n    mutant: ", listed)
        names = [mutant["name"] for mutant in result["mutants"]]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual({name.partition("/")[0] for name in names}, set(mutants))
        for mutant in result["mutants"]:
            self.assertIn(mutant["verdict"], ("killed", "hidden", "absent"))
            took = mutant["seconds"]
            print(f"{'caught' if took else 'missed'} {mutant['name']}: "
                  f"{', '.join(mutant['killed_by'])}, first after "
                  f"{length(took * 1e9) if took else 'n/a'}, try {mutant['tries']}",
                  file=sys.stderr)
        self.assertEqual(result["accused"], [])
        self.assertTrue(result["complete"])
        self.assertTrue(all(result["detectors"].values()), result["detectors"])
        # Not only by standing still: they have met their writers.
        self.assertGreater(sum(run["caught"] or 0 for run in result["survived"]), 0)
        told = {}
        for run in result["survived"]:
            told.setdefault(run["reader"], []).append(run["retries"])
            if run["retries"] is None:
                place = result["survived"].index(run)
                self.assertIn(f"survived.{place}.retries", result["unavailable"])
        for reader, retries in told.items():
            self.assertTrue(None in retries or sum(retries) > 0, reader)
        for name in ("hres", "raw", "coarse", "timens"):
            self.assertRegex(text, rf"\n{name} +reader +\d+ ")
        for name in re.findall(r"(?m)^  (\S+)$", contend("list", "writers").stdout):
            self.assertRegex(text, rf"\n{name} +writer +\d+ ")
        print(f"survived verify: {sum(run['checked'] for run in result['survived'])} reads, "
              f"{len(result['survived'])} runs, {result['seconds']:.1f} s in all", file=sys.stderr)


class Some(VerifyTest):
    def test_on_one_cpu(self):
        for mutant in self.only(*ON_ONE_CPU, preexec_fn=lambda:
                                os.sched_setaffinity(0, CPUS[:1]))[1]["mutants"]:
            self.assertEqual(mutant["verdict"], "killed", mutant)

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_torn_and_crash(self):
        torn, crash = self.only("half-outside", "acts-too-early")[1]["mutants"]
        self.assertEqual(torn["killed_by"], ["torn"])
        self.assertGreater(torn["torn"], 0)
        self.assertEqual(crash["killed_by"], ["crash"])
        self.assertIn("the run crashed: ", crash["detail"])

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_coarse(self):
        """Named apart from the same mutant that reads with a counter."""
        for name in ("no-retry/coarse", "no-odd-check/coarse"):
            mutant = self.only(name)[1]["mutants"][0]
            self.assertEqual(mutant["killed_by"], ["torn"])
            self.assertIn("_coarse", mutant["reader"])

    def test_what_a_cpu_cannot_show_is_no_failure(self):
        if os.uname().machine not in ("x86_64", "i686") or len(CPUS) < 2:
            self.skipTest("it may show here")
        mutant = self.only("no-end-rmb")[1]["mutants"][0]
        self.assertEqual((mutant["verdict"], mutant["tries"]), ("hidden", 1))
        self.assertGreater(mutant["checked"], 0)


class Options(VerifyTest):
    """Each option changes what the program says."""
    once = True
    alone = False

    def test_only(self):
        result = self.verify("--only", "suspend-moves-monotonic", "--only", "suspend",
                             "--duration", "50ms")[1]
        self.assertEqual([mutant["name"] for mutant in result["mutants"]],
                         ["suspend-moves-monotonic"])
        self.assertGreater(len(result["survived"]), 3)
        for run in result["survived"]:
            self.assertTrue(any(writer.startswith("suspend:") for writer in run["writers"]))

    def test_duration(self):
        for duration, ns in (("100ms", 100000000), ("250ms", 250000000)):
            text, result = self.verify("--only", "clocksource", "--duration", duration)
            self.assertEqual(result["config"]["duration_ns"], ns)
            for run in result["survived"]:
                self.assertGreaterEqual(run["seconds"], 0.99 * ns / 1e9)
            self.assertIn(f", {length(ns).replace('.0 ', ' ')} each\n", text)

    def test_json(self):
        done = contend("verify", "--only", "stops-odd", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_json(done.stdout)
        self.one_line(contend("verify", "--only", "stops-odd", "--json", "/nope/x"))
        done = contend("verify", "--only", "stops-odd", "--quiet", "--json", "/dev/full")
        self.one_line(done)

    def test_quiet(self):
        done = contend("verify", "--only", "stops-odd", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_help(self):
        done = contend("verify", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\n  verify ", contend("--help").stdout)

    def test_format(self):
        """More of it in test_ktap.py."""
        done = contend("verify", "--only", "stops-odd", "--format", "ktap")
        self.assertTrue(done.stdout.startswith("KTAP version 1\n1..1\n"), done.stdout)

    def test_there_is_a_test_for_every_option(self):
        options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)",
                                 contend("verify", "--help").stdout, re.MULTILINE))
        tested = {name[5:] for name in dir(self) if name.startswith("test_")}
        self.assertEqual(options - tested, set())

    def test_progress(self):
        seen = self.stderr_of_terminal("verify", "--only", "stops-odd", "--only", "clocksource",
                                       "--duration", "300ms")
        self.assertRegex(seen, r"\r +\d+ % done, \d+ s left: mutant \d of \d, stops-odd")
        self.assertRegex(seen, r" left: correct run \d+ of \d+, hres")
        shares = [int(share) for share in re.findall(r"\r +(\d+) % done", seen)]
        self.assertEqual(shares, sorted(shares))
        drawn = seen.partition("remark")[0].split("\r")
        self.assertEqual((drawn[-2].strip(" "), drawn[-1]), ("", ""), "not erased")


class Refused(VerifyTest):
    once = True
    alone = False

    def test_usage(self):
        for arguments, because in ((("stray",), "no such argument"),
                                   (("--only", "bogus"), "--only: 'bogus' is neither a mutant"),
                                   (("--only", "hres:clock=tai"), "neither"),
                                   (("--only", "image:host"), "neither"),
                                   (("--duration", "3"), "--duration: '3' has no unit"),
                                   (("--duration", "9ms"), "--duration: "),
                                   (("--hz", "3"), "no such option")):
            done = contend("verify", *arguments)
            self.one_line(done)
            self.assertIn(because, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_one_cpu(self):
        """What cannot show there is named."""
        done = contend("verify", preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))
        self.one_line(done)
        self.assertIn("one CPU only", done.stderr)
        self.assertIn("no-retry", done.stderr)
        self.assertNotIn("stops-odd", done.stderr)


class Endings(VerifyTest):
    once = True

    def interrupt(self, kill, *arguments):
        file = self.path("partial.json")
        with subprocess.Popen([harness.binary, "verify", "--json", file, *arguments],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as process:
            time.sleep(1.5)
            kill(process)
            text, remarks = process.communicate(timeout=HANG_S)
        self.assertEqual(process.returncode, 130, text + remarks)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertFalse(result["complete"])
        self.assertIn("\npartial  interrupted after ", text)
        return text, result

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            text, result = self.interrupt(lambda process, number=number:
                                          process.send_signal(number), "--only", "stops-odd",
                                          "--only", "hres", "--duration", "20s")
            self.assertEqual(result["mutants"][0]["verdict"], "killed")
            self.assertIn("interrupted", result["left_out"][0]["reason"])
            self.assertIn("\nkilled   1 of 1 mutant that ", text)

    def test_interrupted_as_by_a_terminal(self):
        """Ctrl-C reaches the process that runs it, too."""
        self.interrupt(lambda process: os.killpg(process.pid, signal.SIGINT), "--only", "hres",
                       "--duration", "20s")

    def test_nobody_is_left_behind(self):
        """Whoever is killed takes what it has started with it."""
        with subprocess.Popen([harness.binary, "verify", "--only", "hres", "--duration", "20s"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            children = ""
            deadline = time.monotonic() + HANG_S
            while not children and time.monotonic() < deadline:
                path = f"/proc/{process.pid}/task/{process.pid}/children"
                with open(path, encoding="ascii") as file:
                    children = file.read().strip()
                time.sleep(0.01)
            time.sleep(0.2)
            process.kill()
        self.assertNotEqual(children, "")
        while os.path.exists(f"/proc/{children}") and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(os.path.exists(f"/proc/{children}"))


if __name__ == "__main__":
    harness.main()
