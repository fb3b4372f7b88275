#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The histograms of a run, and what a result says of who made it: test_histogram.py BINARY."""

import datetime
import math
import sys

import harness
from harness import ProgramTest


class Histograms(ProgramTest):
    alone = False

    def check(self, lengths):
        histogram = lengths["histogram"]
        self.assertEqual(sum(count for _, count in histogram), lengths["samples"])
        uppers = [upper for upper, _ in histogram]
        self.assertEqual(uppers, sorted(set(uppers)))
        self.assertEqual(uppers[-1], lengths["max"])
        for name, share in (("p50", 0.5), ("p99", 0.99), ("p99_99", 0.9999)):
            self.check_percentile(histogram, share, lengths[name])

    def check_percentile(self, histogram, share, said):
        """The one that is said is the middle of a bucket, of which the upper bound is known."""
        left = max(1, math.ceil(share * sum(count for _, count in histogram)))
        for upper, count in histogram:
            left -= count
            if left <= 0:
                break
        self.assertLessEqual(said, upper * (1 + 1e-9))
        self.assertGreaterEqual(said, upper * (1 - 1 / 128) - 1e-6)

    def test_of_a_run(self):
        _, result = self.brief("--readers", "2", "--hz", "10000")
        for lengths in (result["readers"]["read_ns"], result["groups"][0]["read_ns"],
                        result["writer"]["hold_ns"], result["writers"][0]["hold_ns"]):
            self.check(lengths)
        self.assertEqual(result["readers"]["read_ns"], result["groups"][0]["read_ns"])

    def test_of_a_coarse_clock(self):
        """Its timer is taken out of each length, which may leave nothing of many."""
        _, result = self.brief("--reader", "coarse")
        histogram = result["readers"]["read_ns"]["histogram"]
        self.assertEqual(sum(count for _, count in histogram), result["readers"]["read_ns"]["samples"])
        uppers = [upper for upper, _ in histogram]
        self.assertEqual(uppers, sorted(set(uppers)))

    def test_of_several_groups(self):
        file = self.path("groups.ini")
        with open(file, "w", encoding="utf-8") as out:
            out.write("[readers one]\ncount = 1\n[readers two]\ncount = 2\n")
        _, result = self.brief(file)
        groups = [group["read_ns"] for group in result["groups"]]
        for lengths in (*groups, result["readers"]["read_ns"]):
            self.check(lengths)
        self.assertEqual(sum(lengths["samples"] for lengths in groups),
                         result["readers"]["read_ns"]["samples"])

    def test_of_a_writer_that_holds_nothing(self):
        _, result = self.brief("--writer", "tz:every=1ms")
        self.assertIsNone(result["writer"]["hold_ns"]["histogram"])


class Invocation(ProgramTest):
    alone = False

    def test_command_line_and_date(self):
        before = datetime.datetime.now(datetime.timezone.utc)
        _, result = self.brief("--readers", "2")
        self.assertEqual(result["command_line"],
                         [harness.binary, *harness.BRIEF, "--readers", "2", "--json",
                          self.path("result.json")])
        date = datetime.datetime.strptime(result["date"], "%Y-%m-%dT%H:%M:%S%z")
        self.assertLessEqual(before.replace(microsecond=0), date)
        self.assertLessEqual(date, datetime.datetime.now(datetime.timezone.utc))


if __name__ == "__main__":
    sys.exit(harness.main())
