#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Intervals of a run, and the files that come of it: test_interval.py BINARY [unittest options]."""

import csv
import math
import os
import pty
import signal
import subprocess
import sys
import time

import harness
from harness import BRIEF, HANG_S, ProgramTest, contend, pairs

SOME = ("--warmup", "20ms", "--duration", "200ms", "--interval", "20ms")
HEAD = "     time        reads "


def lines_of(text):
    """Each line of an interval, as its fields."""
    return [line.split() for line in text.splitlines() if line[:9].strip().replace(".", "").isdigit()]


class IntervalTest(ProgramTest):
    alone = False

    def intervals(self, *arguments, **options):
        stdout, result = self.both(*SOME, *arguments, **options)
        return stdout, result, result["intervals"]

    def check_sums(self, result):
        """All of them together are the run, to the last read."""
        intervals, readers = result["intervals"], result["readers"]
        for name in ("reads", "torn"):
            self.assertEqual(sum(each[name] for each in intervals), readers[name], name)
        for name in ("total", "odd_wait", "changed", "off_cpu"):
            if readers["retries"][name] is not None:
                self.assertEqual(sum(each["retries"][name] for each in intervals),
                                 readers["retries"][name], name)
        self.assertEqual(sum(each["updates"] for each in intervals), result["writer"]["updates"])
        for name, whole in (("read_ns", readers["read_ns"]), ("hold_ns", result["writer"]["hold_ns"])):
            self.assertEqual(sum(each[name]["samples"] for each in intervals), whole["samples"], name)
        holds = [each["hold_ns"]["max"] for each in intervals if each["hold_ns"]["samples"]]
        if holds:
            self.assertAlmostEqual(max(holds), result["writer"]["hold_ns"]["max"], places=3)

    def check_times(self, result):
        """One begins where the one before it has ended, and the last ends with the run."""
        end = 0
        for each in result["intervals"]:
            self.assertAlmostEqual(each["start_s"], end, places=6)
            end = each["start_s"] + each["seconds"]
        self.assertGreaterEqual(end + 1e-6, result["seconds"])


class Sums(IntervalTest):
    def test_of_kinds_of_readers(self):
        for arguments in ((), ("--readers", "3"), ("--reader", "coarse"), ("--work", "alu:100"),
                          ("--reader", "mutex", "--hz", "100"), ("--payload", "stamp"),
                          ("--baseline",), ("--clocksource", "monotonic_raw")):
            with self.subTest(arguments=arguments):
                _, result, intervals = self.intervals(*arguments)
                self.check_sums(result)
                self.check_times(result)
                self.assertLessEqual(len(intervals), 10)
                self.assertEqual(result["config"]["interval_ns"], 20000000)

    def test_of_kinds_of_writers(self):
        for arguments in (("--writer", "tz:every=5ms"), ("--writer", "tick", "--writer", "step:every=5ms"),
                          ("--writer", "tick:jitter=100us")):
            with self.subTest(arguments=arguments):
                self.check_sums(self.intervals(*arguments)[1])

    def test_of_groups_that_are_timed_differently(self):
        file = self.path("groups.ini")
        with open(file, "w", encoding="utf-8") as out:
            out.write("[run]\nduration = 200ms\nwarmup = 20ms\ninterval = 50ms\n"
                      "[readers fine]\ncount = 2\n[readers coarse]\nreader = coarse\n")
        _, result = self.both(file)
        self.check_sums(result)
        self.assertEqual(result["config"]["interval_ns"], 50000000)
        self.assertGreater(len(result["intervals"]), 0)
        _, result = self.both(file, "--interval", "100ms")
        self.assertEqual(result["config"]["interval_ns"], 100000000)

    def test_of_an_image(self):
        directory = harness.images()
        if not directory:
            self.skipTest("no images are made here")
        _, result, intervals = self.intervals("--reader", "image:host")
        self.check_sums(result)
        self.assertIsNone(intervals[0]["retries"]["total"])

    def test_none_are_asked_for(self):
        stdout, result = self.brief()
        self.assertEqual(result["intervals"], [])
        self.assertIsNone(result["config"]["interval_ns"])
        self.assertNotIn(HEAD, stdout)

    def test_longer_than_the_run(self):
        _, result = self.brief("--interval", "1h")
        self.assertEqual(len(result["intervals"]), 1)
        self.check_sums(result)

    def test_faults(self):
        """A mutant's torn reads are in the intervals, too, those of the warm-up in the first."""
        for duration in harness.STORMS:
            done = contend("--warmup", "20ms", "--duration", duration, "--interval", "50ms",
                           "--reader", "no-retry", "--hz", "1000000", "--json", "-")
            result = self.check_json(done.stdout)
            if result["readers"]["torn"]:
                break
        self.assertGreater(result["readers"]["torn"], 0)
        self.check_sums(result)


class Lines(IntervalTest):
    def check_line(self, fields, interval):
        def shown(value, decimals):
            return "n/a" if value is None else f"{value:.{decimals}f}"

        def kind(name):
            value = interval["retries"][name]
            return "n/a" if value is None or not interval["reads"] else \
                f"{1e6 * value / interval['reads']:.2f}"

        self.assertEqual(fields, [
            f"{interval['start_s'] + interval['seconds']:.3f}", shown(interval["reads_per_second"], 0),
            shown(interval["read_ns"]["p50"], 1), shown(interval["read_ns"]["p99"], 1),
            kind("odd_wait"), kind("changed"), kind("off_cpu"),
            shown(interval["update_rate_hz"], 1), shown(interval["hold_ns"]["max"], 1)])

    def test_they_are_those_of_the_json(self):
        for arguments in (("--readers", "2"), ("--reader", "mutex", "--hz", "100")):
            stdout, _, intervals = self.intervals(*arguments)
            shown = lines_of(stdout)
            self.assertEqual(len(shown), len(intervals))
            for fields, interval in zip(shown, intervals):
                self.check_line(fields, interval)

    def test_where_they_go(self):
        """Before the result; beside it if that is no text; nowhere if none is wanted."""
        done = contend(*SOME)
        self.assertTrue(done.stdout.startswith(HEAD), done.stdout)
        self.assertEqual(done.stdout.count(HEAD), 1)
        self.assertLess(done.stdout.index(HEAD), done.stdout.index("\n\ncontend  "))
        self.assertNotIn(HEAD, done.stderr)
        for files in (("--json", "-"), ("--csv", "-"), ("--histogram", "-"), ("--hgrm", "-")):
            done = contend(*SOME, *files)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn(HEAD, done.stdout)
            self.assertNotIn("\nreads ", done.stdout)
            self.assertTrue(done.stderr.startswith(HEAD), done.stderr)
        done = contend(*SOME, "--quiet")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_the_head_comes_again_on_a_terminal(self):
        """And no line of progress is drawn between them."""
        master, slave = pty.openpty()
        process = subprocess.Popen([harness.binary, "--warmup", "0", "--duration", "1200ms",
                                    "--interval", "10ms"], stdin=subprocess.DEVNULL, stdout=slave,
                                   stderr=slave)
        os.close(slave)
        seen = b""
        try:
            while chunk := os.read(master, 4096):
                seen += chunk
        except OSError:
            pass
        os.close(master)
        self.assertEqual(process.wait(HANG_S), 0)
        text = seen.decode().replace("\r\n", "\n")
        shown = len(lines_of(text))
        self.assertEqual(text.count(HEAD), (shown + 19) // 20)
        self.assertNotIn("left", text)

    def test_they_come_while_it_runs(self):
        process = subprocess.Popen([harness.binary, "--duration", "10m", "--interval", "20ms"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.kill)
        for _ in range(4):
            line = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=HANG_S)[0]
        self.assertEqual(len(lines_of(line)), 1, line)
        self.assertEqual(process.returncode, 130)
        self.assertIn("\ncontend  ", rest)

    def interrupt(self, *arguments):
        """What a run has said, and its result, that was cut off in the middle."""
        for attempt in range(1, 11):
            process = subprocess.Popen(
                [harness.binary, "--warmup", "0", "--duration", "30m", "--json",
                 self.path("cut.json"), *arguments],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            self.addCleanup(process.kill)
            time.sleep(0.3 * attempt)
            process.send_signal(signal.SIGINT)
            stdout = process.communicate(timeout=HANG_S)[0]
            self.assertEqual(process.returncode, 130)
            # One that had not begun to read has left nothing.
            if os.path.exists(self.path("cut.json")):
                with open(self.path("cut.json"), encoding="utf-8") as file:
                    return stdout, self.check_json(file.read())
        self.fail("it never came to read")

    def test_interrupted(self):
        """The last one is what there was of it, and all of them are still the run."""
        for interval in ("20ms", "10m"):
            stdout, result = self.interrupt("--interval", interval)
            self.assertFalse(result["complete"])
            self.check_sums(result)
            self.check_times(result)
            self.assertEqual(len(lines_of(stdout)), len(result["intervals"]))
            if interval == "10m":
                self.assertEqual(len(result["intervals"]), 1)


class Files(IntervalTest):
    def rows(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_csv(self):
        for arguments in (("--readers", "2"), ("--reader", "mutex", "--hz", "100")):
            _, result, intervals = self.intervals("--csv", self.path("intervals.csv"), *arguments)
            rows = self.rows(self.path("intervals.csv"))
            self.assertEqual(len(rows), len(intervals))
            for row, each in zip(rows, intervals):
                flat = {**each, "read_samples": each["read_ns"]["samples"],
                        "read_p50_ns": each["read_ns"]["p50"], "read_p99_ns": each["read_ns"]["p99"],
                        "retries": each["retries"]["total"],
                        "retries_per_million": each["retries"]["per_million"],
                        **{name: each["retries"][name] for name in ("odd_wait", "changed", "off_cpu")},
                        "hold_samples": each["hold_ns"]["samples"], "hold_max_ns": each["hold_ns"]["max"]}
                for name, value in row.items():
                    if flat[name] is None:
                        self.assertEqual(value, "", name)
                    else:
                        self.assertTrue(math.isclose(float(value), flat[name], rel_tol=1e-9), name)

    def test_histogram(self):
        _, result = self.brief("--histogram", self.path("h.csv"))
        lengths = result["readers"]["read_ns"]
        rows = self.rows(self.path("h.csv"))
        self.assertEqual(list(rows[0]), ["lower_ns", "upper_ns", "count", "cumulative_share"])
        seen = 0
        for row, (upper, count) in zip(rows, lengths["histogram"], strict=True):
            seen += count
            self.assertLessEqual(float(row["lower_ns"]), float(row["upper_ns"]))
            self.assertTrue(math.isclose(float(row["upper_ns"]), upper, rel_tol=1e-9))
            self.assertEqual(int(row["count"]), count)
            self.assertEqual(float(row["cumulative_share"]), seen / lengths["samples"])

    def test_hgrm(self):
        """Read as its plotter reads it: lines of four numbers that are no comments."""
        _, result = self.brief("--hgrm", self.path("reads.hgrm"))
        lengths = result["readers"]["read_ns"]
        with open(self.path("reads.hgrm"), encoding="utf-8") as file:
            text = file.read()
        self.assertRegex(text, r"\A +Value +Percentile +TotalCount 1/\(1-Percentile\)\n\n")
        points = []
        for line in text.splitlines()[2:]:
            if line.startswith("#"):
                continue
            value, percentile, count, inverse = map(float, line.split())
            points.append((value, percentile, count))
            if math.isfinite(inverse):
                self.assertAlmostEqual(inverse * (1 - percentile), 1, delta=0.02 * inverse)
            self.assertGreaterEqual(count / lengths["samples"], percentile - 1e-6)
        self.assertEqual(points, sorted(points))
        self.assertEqual(points[-1][2], lengths["samples"])
        self.assertAlmostEqual(points[-1][0], lengths["max"], places=2)
        self.assertIn(f"#[Max     = {lengths['max']:12.3f}, Total count    = {lengths['samples']:12d}]",
                      text)
        mean = float(text.split("#[Mean    =")[1].split(",")[0])
        self.assertTrue(math.isclose(mean, lengths["mean"], rel_tol=0.01))
        self.assertEqual(text.count("\n#[Buckets = "), 1)

    def test_what_could_not_be_written(self):
        for option in ("--csv", "--histogram", "--hgrm"):
            done = contend(*SOME, "-q", option, "/dev/full")
            self.one_line(done)
            self.assertEqual(done.stderr,
                             f"contend: {option}: cannot write '/dev/full': No space left on device\n")
            done = contend(*SOME, option, "/nope/x")
            self.one_line(done)
            self.assertEqual(done.stdout, "")
            self.assertTrue(done.stderr.startswith(f"contend: {option}: cannot write '/nope/x'"))

    def test_others_are_left_alone_by_one_that_cannot_be(self):
        """None is made, or emptied, for a run that never was."""
        kept = self.path("kept.csv")
        with open(kept, "w", encoding="utf-8") as file:
            file.write("kept")
        done = contend(*SOME, "--json", self.path("new.json"), "--csv", kept, "--hgrm", "/nope/x")
        self.one_line(done)
        self.assertFalse(os.path.exists(self.path("new.json")))
        with open(kept, encoding="utf-8") as file:
            self.assertEqual(file.read(), "kept")


class Usage(IntervalTest):
    def test_wrong_values(self):
        for value in ("", "1", "9ms", "0", "-1s", "1001h", "x"):
            done = contend(*BRIEF, "--interval", value)
            self.one_line(done)
            self.assertTrue(done.stderr.startswith("contend: --interval: "), done.stderr)
        done = contend("--duration", "1000h", "--interval", "1s")
        self.one_line(done)
        self.assertIn("3600000 of them", done.stderr)

    def test_csv_of_no_intervals(self):
        done = contend(*BRIEF, "--csv", self.path("x.csv"))
        self.one_line(done)
        self.assertIn("--interval 1s", done.stderr)
        self.assertFalse(os.path.exists(self.path("x.csv")))

    def test_one_file_for_two(self):
        options = ("--json", "--csv", "--histogram", "--hgrm")
        for one, other in pairs(options, options):
            for path in ("-", self.path("x")):
                if one != other:
                    done = contend(*SOME, one, path, other, path)
                    self.one_line(done)
                    self.assertIn(one, done.stderr)
                    self.assertIn(other, done.stderr)

    def test_scenario(self):
        file = self.path("job.ini")
        with open(file, "w", encoding="utf-8") as out:
            out.write("[run]\nduration = 100ms\ninterval = 5ms\n")
        done = contend(file)
        self.one_line(done)
        self.assertIn("job.ini:3: ", done.stderr)


if __name__ == "__main__":
    sys.exit(harness.main())
