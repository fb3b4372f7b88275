#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Correct readers must survive what kills the mutants: usage test_survive.py BINARY [SECONDS]

Each kind of reader runs SECONDS at 1 000 000 updates a second with each payload, each other clock of
it for a fifth of that, or 200 ms. Not one read may be torn or go backwards, and readers must really
have met the writer.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BINARY = None
SECONDS = 2.0

KINDS = ["hres", "raw", "coarse", "timens"]
IMAGES = ["image:host", "image:host:namespace=yes", "image:host:call=gettimeofday"]
CLOCKS = ["hres:clock=realtime", "hres:clock=boottime", "hres:clock=tai", "coarse:clock=realtime_coarse",
          "timens:clock=realtime", "timens:clock=boottime", "timens:clock=tai",
          "timens:clock=monotonic_raw", "timens:clock=monotonic_coarse",
          "timens:clock=realtime_coarse"]
VARIATIONS = ["hres:inline=never", "hres:inline=auto,callers=2", "hres:hint=none,retry=none",
              "hres:hint=likely,retry=likely", "coarse:inline=auto,callers=2",
              "raw:inline=never,callers=2"]
GROUPS = ["hres", "raw", "coarse", "timens:clock=monotonic", "hres:layout=v5.3", "raw:layout=v5.3",
          "hres:clock=realtime,layout=gtod", "raw:layout=raw-separate"]


def run(test, payload, seconds, *more):
    done = subprocess.run([BINARY, "--payload", payload, "--hz", "1000000",
                           "--duration", f"{seconds * 1000:.0f}ms", "--warmup", "0", "--json", "-",
                           "--quiet", *more],
                          capture_output=True, text=True, timeout=seconds + 60, check=False)
    test.assertEqual(done.returncode, 0, done.stderr + done.stdout)
    result = json.loads(done.stdout)
    test.assertEqual((result["readers"]["torn"], result["readers"]["stale"]), (0, 0))
    test.assertIn(result["readers"]["backwards"], (0, None))
    test.assertGreater(result["readers"]["checked"], 1000)
    test.assertEqual(result["readers"]["unchecked"], 0)
    return result


def survive(test, spec, payload, seconds, *more):
    return run(test, payload, seconds, "--reader", spec, *more)["readers"]


class Survive(unittest.TestCase):
    def test_kinds(self):
        for spec in KINDS:
            for payload in ("time", "stamp"):
                with self.subTest(reader=spec, payload=payload):
                    readers = survive(self, spec, payload, SECONDS)
                    print(f"survived {spec} {payload}: {readers['reads']} reads, "
                          f"{readers['retries']['total']} retries, {readers['caught']} caught")
                    if len(os.sched_getaffinity(0)) > 1:
                        self.assertGreater(readers["retries"]["total"], 0)

    @unittest.skipUnless(os.uname().machine in ("x86_64", "i686"), "images are for x86")
    def test_images(self):
        for number, spec in enumerate(IMAGES):
            payload = ("time", "stamp")[number % 2]
            with self.subTest(reader=spec, payload=payload):
                readers = survive(self, spec, payload, SECONDS)
                print(f"survived {spec} {payload}: {readers['reads']} reads, the sequence changed "
                      f"in {readers['sequence_changed']}, {readers['began_odd']} began on odd")
                if len(os.sched_getaffinity(0)) > 1:
                    self.assertGreater(readers["sequence_changed"], 0)

    def test_pvclock(self):
        """Two writers at a time: the page's, and the hypervisor's of the record behind it."""
        listed = subprocess.run([BINARY, "list", "clocksources"], capture_output=True, text=True,
                                check=True).stdout.partition("  pvclock ")[2]
        if not listed or "not usable" in listed.partition("  monotonic_raw ")[0]:
            self.skipTest("no pvclock here")
        for number, spec in enumerate(KINDS):
            payload = ("time", "stamp")[number % 2]
            with self.subTest(reader=spec, payload=payload):
                readers = survive(self, spec, payload, SECONDS, "--clocksource",
                                  "pvclock:hz=1000000", "--hz", "1000")
                print(f"survived pvclock {spec} {payload}: {readers['reads']} reads, "
                      f"{readers['retries']['total']} retries")

    def test_all_at_once(self):
        """Groups of every kind, on pages of several layouts, under one writer."""
        for payload in ("time", "stamp"):
            with self.subTest(payload=payload), tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
                for number, spec in enumerate(GROUPS):
                    file.write(f"[readers {number}]\nreader = {spec}\n")
                file.write("[writer]\nhold = 100ns\n")
                file.flush()
                for group in run(self, payload, SECONDS, file.name)["groups"]:
                    print(f"survived beside others {group['path']} {payload}: {group['reads']} reads, "
                          f"{group['retries']['total']} retries, {group['caught']} caught")
                    self.assertEqual((group["torn"], group["unchecked"]), (0, 0), group["path"])
                    self.assertGreater(group["checked"], 1000, group["path"])

    def test_other_clocks(self):
        for number, spec in enumerate(CLOCKS + VARIATIONS):
            payload = ("time", "stamp")[number % 2]
            with self.subTest(reader=spec, payload=payload):
                survive(self, spec, payload, max(SECONDS / 5, 0.2))


if __name__ == "__main__":
    BINARY = sys.argv[1]
    if len(sys.argv) > 2:
        SECONDS = float(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
