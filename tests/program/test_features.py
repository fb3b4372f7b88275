#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What contend --version says of the machine: test_features.py BINARY [unittest options]."""
import os
import re

import harness
from harness import ProgramTest, contend

PROGRAMS = ("cc", "clang", "gnuplot")


def features(**options):
    """By name: whether it is here, and the rest of the line."""
    done = contend("--version", **options)
    assert done.returncode == 0, done.stderr
    lines = re.search(r"\n\nhere, and for what\n((?:  .*\n)+)\Z", done.stdout)[1]
    rows = re.findall(r"(?m)^  (\S.*?) +(yes|no): (.+)$", lines)
    assert len(rows) == lines.count("\n"), lines
    return {name: (answer == "yes", text) for name, answer, text in rows}


class Features(ProgramTest):
    once = True
    alone = False

    def in_path(self, *folders):
        return features(env={**os.environ, "PATH": ":".join(folders)})

    def test_programs_are_looked_for_in_path(self):
        name = re.search(r"behind an @.*?default (\S+?),", contend("list", "readers").stdout, re.S | re.I)[1]
        empty, full = self.path("empty"), self.path("full")
        os.mkdir(empty)
        os.mkdir(full)
        for program in {os.path.basename(name), "clang", "gnuplot"}:
            os.makedirs(os.path.join(empty, "folder", program))  # a folder is no program
            with open(os.path.join(empty, program), "w", encoding="utf-8"):
                pass  # nor is what may not be run
            with open(os.path.join(full, program), "w", encoding="utf-8") as file:
                os.fchmod(file.fileno(), 0o755)
        for feature in PROGRAMS:
            here, text = self.in_path(empty, os.path.join(empty, "folder"), "/nowhere")[feature]
            self.assertFalse(here, feature)
            self.assertRegex(text, r"\Athere is no \S+ in PATH; goes without: .")
            self.assertTrue(self.in_path(empty, full)[feature][0], feature)

    def test_kernel_is_asked(self):
        here = features()
        for feature in ("urcu headers", "real time", "counters", "off-CPU", "ptrace", "vDSO", "pvclock"):
            self.assertIn(feature, here)
        self.assertEqual(here["pvclock"][0], harness.pvclock_is_usable())
        says_none = "no hardware counters" in contend("--duration", "20ms", "--warmup", "0").stderr
        self.assertEqual(here["counters"][0], not says_none)

    def test_real_time_that_is_forbidden(self):
        if os.geteuid():
            self.skipTest("only root has a right to lose")
        whole = contend("--version", user=65534, group=65534, extra_groups=[])
        if whole.returncode:
            self.skipTest("others may not run the program")
        self.assertIn("\n  real time     no: Operation not permitted; ", whole.stdout)


if __name__ == "__main__":
    harness.main()
