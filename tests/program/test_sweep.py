#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend sweep: test_sweep.py BINARY [unittest options]."""

import contextlib
import csv
import io
import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest

import harness
from harness import HANG_S, ProgramTest, contend, grouped, once

BRIEF = ("sweep", "--max-time", "200ms", "--retries", "1")
SMALL = (*BRIEF, "--hz", "100,5000", "--readers", "1,3")
# Whose points take long, so that there is time to interrupt it; the first one, of a retry, does not.
LONG = ("sweep", "--max-time", "1500ms", "--retries", "1000000", "--hz", "1000,2000", "--readers", "1,2")
EMPTY_JSON_IS_NO_SWEEP = "{}\n"


class SweepTest(ProgramTest):
    schema = "sweep.schema.json"

    def both(self, *arguments, **options):
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path("result.json"))  # of another grid
        return super().both(*arguments, **options)

    def sweep(self, *arguments, **options):
        return self.both(*SMALL, *arguments, **options)

    def load(self, file):
        with open(file, encoding="utf-8") as written:
            return self.check_json(written.read())


class Usage(SweepTest):
    once = True
    alone = False

    WRONG = (
        ("--hz", "", "0", "10000001", "1..", "..5", "5..2", "1..5/1", "1..5/10", "1..5/65", "1,1", "1,,2", "x",
         "1-5", "1..2..3"),
        ("--readers", "", "0", "4097", "1..4097", "64..1", "4,4", "1.5"),
        ("--retries", "", "0", "-1", "x", "1000000001"),
        ("--max-time", "", "8", "0s", "49ms", "25h"),
        ("--reader", "nobody", "", "hres:clock=none", "/nope.c"),
        ("--writer", "nobody", "", "tick:hz=100", "tick:hold=2ms"),
        ("--work", "alu", "cache:1", "x"),
        ("--clocksource", "x", ""),
        ("--seed", "-1", "4294967296", "x"),
        ("--cpus", "", "1023", "3-2", "a"),
        ("--writer-cpu", "1023", "x", ""),
        ("--priority", "0", "100", "x"),
        ("--json", "/nope/x", "/", ""),
        ("--csv", "/nope/x", "/", ""),
    )

    def test_wrong_values(self):
        for option, *values in self.WRONG:
            for value in values:
                with self.subTest(option=option, value=value):
                    done = contend(*SMALL, option, value)
                    self.one_line(done)
                    self.assertTrue(done.stderr.startswith(f"contend: {option}: "), done.stderr)
                    self.assertEqual(done.stdout, "")

    def test_wrong_options(self):
        for arguments in (("--bogus",), ("-x",), ("--hz",), ("--quiet=1",), ("stray",), ("--r", "1"),
                          ("--duration", "1s"), ("--", "x"), ("--csv", "-", "--json", "-"),
                          ("--csv", self.path("both"), "--json", self.path("both"))):
            with self.subTest(arguments=arguments):
                self.one_line(contend("sweep", *arguments))

    def test_an_image_tells_no_retries(self):
        done = contend(*SMALL, "--reader", "image:host")
        self.one_line(done)
        self.assertTrue(done.stderr.startswith("contend: --reader: "), done.stderr)

    def test_help(self):
        done = contend("sweep", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("Usage: contend sweep"))
        for entry in re.split(r"\n(?=  (?:-\w,|   ) --)", done.stdout)[1:]:
            option = re.search(r"--([a-z-]+)", entry)[1]
            if option not in ("quiet", "help"):
                self.assertRegex(entry, r"[Dd]efault", f"--{option}")
        self.assertIn("  sweep ", contend("--help").stdout)


class Result(SweepTest):
    alone = False

    def check_point(self, point, law):
        self.assertEqual(point["state"], "done", point)
        self.assertLessEqual(point["waited"], point["retried"])
        self.assertLessEqual(point["retried"], point["reads"])
        self.assertEqual((point["torn"], point["backwards"]), (0, 0))
        self.assertEqual(point["is_bound"], point["retried"] < 1)
        if point["breaks_down"] is None:
            return
        share = point["retried"] / point["reads"]
        self.assertAlmostEqual(point["retries_per_million"], 1e6 * share, delta=1e-3 + share)
        self.assertLessEqual(point["low"], point["retries_per_million"])
        self.assertLess(point["retries_per_million"], point["high"])
        for name, count in (("visible_hold_ns", point["waited"]),
                            ("visible_read_ns", point["retried"] - point["waited"])):
            self.assertAlmostEqual(point[name] * point["reads"] * point["rate_hz"] / 1e9, count,
                                   delta=1e-3 * (1 + count), msg=name)
        ns = law["hold_ns"] + law["read_ns"]
        self.assertAlmostEqual(point["law_per_million"], point["rate_hz"] * ns / 1e3,
                               delta=1e-5 * point["law_per_million"] + 1e-6)

    def test_json(self):
        _, result = self.sweep()
        points = result["points"]
        self.assertEqual([(point["hz"], point["readers"]) for point in points],
                         [(100, 1), (100, 3), (5000, 1), (5000, 3)])
        self.assertTrue(result["complete"])
        self.assertEqual(result["points_kept"], 0)
        law = result["law"]
        if law is None:
            self.skipTest("a busy machine left no time for an update")
        for point in points:
            self.check_point(point, law)
        known = [point for point in points if point["breaks_down"] is not None]
        self.assertEqual(law["points"], len(known))
        self.assertEqual(law["points_held"], sum(not point["breaks_down"] for point in known))
        for name in ("hold", "read"):
            low, high = law[f"{name}_ci95_ns"]
            self.assertLessEqual(low, law[f"{name}_ns"])
            self.assertLessEqual(law[f"{name}_ns"], high)

    @once
    def test_text_agrees_with_json(self):
        text, result = self.sweep("--work", "alu:50", "--writer", "tick:hold=200ns")
        self.assertTrue(text.startswith(
            "contend  sweep of 2 rates x 2 numbers of readers, hres/monotonic (unlikely, inlined), "
            "writer tick, hold 200 ns, work alu:50; each point to 1 retries or for 200 ms\nmachine  "))
        rows = re.findall(r"(?m)^ +([\d ]*\d) +(\d+) +([\d.]+) +([\d.]+) s +([\d ]*\d) +(?:< )?([\d.]+)"
                          r" +([\d.]+) to ([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) +(?:[+-]\d|n/a)",
                          text)
        known = [point for point in result["points"] if point["breaks_down"] is not None]
        self.assertEqual([(hz.replace(" ", ""), readers, f"{float(rate):.1f}") for hz, readers, rate, *_
                          in rows],
                         [(str(point["hz"]), str(point["readers"]), f"{point['rate_hz']:.1f}")
                          for point in known], text)
        for row, point in zip(rows, known):
            self.assertEqual(row[4].split("  ")[-1].strip(), grouped(point["retried"]))
            self.assertEqual((row[8], row[9]), (f"{point['visible_hold_ns']:.2f}",
                                                f"{point['visible_read_ns']:.2f}"))
        law = result["law"]
        if law:
            self.assertIn(f"rate x (hold {law['hold_ns']:.2f} ns + read {law['read_ns']:.2f} ns)", text)
            self.assertIn(f"at the {law['points_held']} of {law['points']} points", text)

    def test_csv(self):
        file = self.path("points.csv")
        _, result = self.sweep("--csv", file)
        with open(file, encoding="utf-8") as written:
            rows = list(csv.DictReader(written))
        self.assertEqual(len(rows), 4)
        for row, point in zip(rows, result["points"]):
            self.assertEqual(list(row), [name for name in point if name != "why"])
            for name, value in row.items():
                right = point[name]
                if right is None:
                    self.assertEqual(value, "", name)
                elif isinstance(right, str):
                    self.assertEqual(value, right, name)
                else:
                    self.assertAlmostEqual(float(value), float(right), places=6, msg=name)

    @once
    def test_standard_output(self):
        done = contend(*SMALL, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_json(done.stdout)
        done = contend(*SMALL, "--csv", "-")
        self.assertEqual(len(list(csv.reader(io.StringIO(done.stdout)))), 5)
        done = contend(*SMALL, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    @once
    def test_pipe(self):
        """It is not looked into for a sweep to go on with."""
        ends = os.pipe()
        self.addCleanup(os.close, ends[0])
        done = contend(*SMALL, "--json", f"/dev/fd/{ends[1]}", pass_fds=ends[1:])
        os.close(ends[1])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_json(os.read(ends[0], 1 << 20).decode())

    @once
    def test_other_readers(self):
        for reader in ("coarse", "raw", "hres:clock=realtime,hint=likely"):
            with self.subTest(reader=reader):
                self.sweep("--reader", reader)

    def test_grid(self):
        _, result = self.both(*BRIEF, "--hz", "100..10000/3", "--readers", "2")
        self.assertEqual([point["hz"] for point in result["points"]], [100, 1000, 10000])
        self.assertEqual(result["config"]["readers"], [2])

    @once
    def test_progress(self):
        drawn = self.stderr_of_terminal("sweep", "--max-time", "600ms", "--retries", "1000000",
                                        "--hz", "1000,2000", "--readers", "1")
        self.assertRegex(drawn, r"\r +\d+ % done, \d+ s left: point 1 of 2, 1000 Hz with 1 reader")
        self.assertRegex(drawn, r" left: point 2 of 2, 2000 Hz with 1 reader")

    @once
    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for option in ("--json", "--csv"):
            with self.subTest(option=option):
                done = contend(*SMALL, option, "/dev/full")
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"contend: {option}: cannot write '/dev/full': ", done.stderr)
                self.assertIn("law  ", done.stdout)


class Found(SweepTest):
    """What is wrong at a point shows in the status, after all points were measured."""
    once = True

    def torn(self):
        return self.both("sweep", "--reader", "no-retry", "--hz", "50000,1000000", "--readers", "1",
                         "--max-time", "2s", "--retries", "1000000", status=2)

    def test_torn(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one CPU")
        text, result = self.torn()
        self.assertEqual(len(result["points"]), 2)
        self.assertTrue(result["complete"])
        self.assertIn(" torn, ", text)
        for point in result["points"]:
            if point["torn"] + point["backwards"]:
                self.assertIsNone(point["breaks_down"])

    def test_stalled(self):
        text, result = self.both("sweep", "--writer", "stops-odd", "--hz", "1000,5000", "--readers", "1",
                                 "--max-time", "5s", "--retries", "1000000", status=3)
        self.assertEqual([point["state"] for point in result["points"]], ["stalled", "stalled"])
        self.assertTrue(result["complete"])
        self.assertIn("stalled  at 1 000 Hz with 1 reader: ", text)
        self.assertIn("law      n/a", text)

    def test_failed(self):
        """A limit of memory that one reader keeps to, and 4000 do not."""
        options = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))}
        if contend("--version", **options).returncode:
            self.skipTest("a sanitizer needs more")
        done = contend(*BRIEF, "--hz", "1000", "--readers", "1,4000", **options)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^failed   at 1 000 Hz with 4000 readers: --readers: ")
        self.assertRegex(done.stderr, r"(?m)^contend: 1000 Hz with 4000 readers: --readers: ")
        self.assertRegex(done.stdout, r"(?m)^ +1 000 +1 +\d")


class Resume(SweepTest):
    once = True
    alone = False

    def interrupt(self, file, number=signal.SIGINT):
        """After its first point was kept."""
        process = subprocess.Popen([harness.binary, *LONG, "--json", file], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + HANG_S
        while time.monotonic() < deadline and process.poll() is None and not self.kept(file):
            time.sleep(0.1)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=HANG_S)
        return process.returncode, stdout, stderr

    def kept(self, file):
        try:
            with open(file, encoding="utf-8") as written:
                return len(json.load(written)["points"])
        except (OSError, ValueError):
            return 0

    def test_after_an_interruption(self):
        file = self.path("interrupted.json")
        status, stdout, _ = self.interrupt(file)
        self.assertEqual(status, 130)
        before = self.load(file)
        self.assertFalse(before["complete"])
        self.assertEqual(before["exit_status"], 130)
        done = len(before["points"])
        self.assertIn(done, (1, 2, 3))
        self.assertIn(f"partial  interrupted after {done} of 4 points\n", stdout)
        self.assertIn("law  ", stdout)

        again = contend(*LONG, "--json", file)
        self.assertEqual(again.returncode, 0, again.stderr)
        after = self.load(file)
        self.assertTrue(after["complete"])
        self.assertEqual(after["points_kept"], done)
        self.assertEqual(len(after["points"]), 4)
        figures = ("hz", "readers", "seconds", "reads", "retried", "waited", "updates")
        for was, now in zip(before["points"], after["points"]):
            self.assertEqual([was[name] for name in figures], [now[name] for name in figures])

    def begin(self, file, *arguments):
        """A sweep that has a result to lose: then there is something in its file."""
        process = subprocess.Popen([harness.binary, *arguments, "--json", file], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        deadline = time.monotonic() + HANG_S
        while time.monotonic() < deadline and not (os.path.exists(file) and os.path.getsize(file)):
            time.sleep(0.01)
        return process

    def end(self, process, number):
        process.send_signal(number)
        stdout = process.communicate(timeout=HANG_S)[0]
        self.assertEqual(process.returncode, 130)
        return stdout

    def test_before_the_first_point(self):
        file = self.path("nothing.json")
        stdout = self.end(self.begin(file, *LONG), signal.SIGTERM)
        self.assertIn("partial  interrupted after 0 of 4 points\n", stdout)
        self.assertIn("law      n/a", stdout)
        self.assertEqual(self.load(file)["points"], [])

    def test_whenever_it_comes(self):
        """Within a run or between two: points so short that both are likely."""
        for i in range(12):
            file = self.path(f"whenever-{i}.json")
            process = self.begin(file, "sweep", "--max-time", "50ms", "--retries", "1000000",
                                 "--hz", "1000..2000/64", "--readers", "1")
            time.sleep(i * 0.0137)
            self.assertIn("partial  interrupted after ", self.end(process, signal.SIGINT))

    def test_after_it_was_killed(self):
        file = self.path("killed.json")
        self.assertEqual(self.interrupt(file, signal.SIGKILL)[0], -signal.SIGKILL)
        before = self.load(file)
        self.assertFalse(before["complete"])
        self.assertGreaterEqual(len(before["points"]), 1)

    def test_of_another_sweep(self):
        file = self.path("other.json")
        self.assertEqual(self.interrupt(file)[0], 130)
        with open(file, encoding="utf-8") as written:
            text = written.read()
        for options, name in ((("--hz", "1000,3000"), "config.hz"), (("--seed", "5"), "config.seed"),
                              (("--work", "alu:5"), "config.work"),
                              (("--reader", "hres:clock=tai"), "config.reader.clock")):
            with self.subTest(options=options):
                done = contend(*LONG, *options, "--json", file)
                self.one_line(done)
                self.assertIn(f"--json: '{file}': it holds an interrupted sweep with another {name}",
                              done.stderr)
                self.assertEqual(done.stdout, "")
                with open(file, encoding="utf-8") as written:
                    self.assertEqual(written.read(), text)
        other = json.loads(text)
        other["machine"]["cpu_model"] = "another CPU"
        with open(file, "w", encoding="utf-8") as out:
            json.dump(other, out)
        done = contend(*LONG, "--json", file)
        self.one_line(done)
        self.assertIn("another machine.cpu_model: \"another CPU\" there", done.stderr)

    def refused_as_it_is(self, file, sentence, *options):
        with open(file, encoding="utf-8") as before:
            content = before.read()
        done = contend(*SMALL, *options, "--json", file)
        self.one_line(done)
        self.assertIn(f"--json: '{file}': {sentence}", done.stderr)
        self.assertEqual(done.stdout, "")
        with open(file, encoding="utf-8") as after:
            self.assertEqual(after.read(), content)

    def test_file_of_something_else(self):
        file = self.path("else.json")
        for content in (EMPTY_JSON_IS_NO_SWEEP, "no JSON at all", '{"schema": "contend.run/1", "complete": true}'):
            with self.subTest(content=content):
                with open(file, "w", encoding="utf-8") as out:
                    out.write(content)
                self.refused_as_it_is(file, "it holds something that is no sweep; ")

    def test_empty_file(self):
        file = self.path("empty.json")
        with open(file, "w", encoding="utf-8"):
            pass
        done = contend(*SMALL, "--json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.load(file)["points_kept"], 0)

    def test_complete_begins_anew(self):
        """Unless it is of another grid."""
        file = self.path("complete.json")
        for _ in range(2):
            self.assertEqual(contend(*SMALL, "--json", file).returncode, 0)
            self.assertEqual(self.load(file)["points_kept"], 0)
        self.refused_as_it_is(file, "it holds a sweep with another config.readers: ", "--readers", "2")
        self.refused_as_it_is(file, "it holds a sweep with another config.hz: ", "--hz", "200")


if __name__ == "__main__":
    harness.main()
