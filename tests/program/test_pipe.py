#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Whoever reads what contend prints may go: test_pipe.py BINARY [unittest options]."""
import json
import os
import subprocess

import harness
from harness import HERE, ProgramTest, contend

SCENARIO = os.path.normpath(os.path.join(HERE, "..", "..", "scenarios", "unlikely-read-begin.ini"))
COMMANDS = {
    "run": ("--duration", "200ms", "--warmup", "20ms"),
    "compare": ("hres:hint=none", "hres", "--duration", "300ms"),
    "inspect": ("hres",),
    "settle": (SCENARIO, "--duration", "100ms"),
    "observe": ("--duration", "300ms", "--simulate", "0"),
    "calibrate": ("--duration", "300ms"),
}


def closed_pipe():
    """What is written there nobody will read."""
    end, begin = os.pipe()
    os.close(end)
    return begin


class Pipe(ProgramTest):
    once = True
    alone = False

    def run_into_pipe(self, *arguments, **places):
        """What it says where somebody listens."""
        pipe = closed_pipe()
        try:
            return contend(*arguments, **{name: pipe if place == "pipe" else place
                                          for name, place in places.items()})
        finally:
            os.close(pipe)

    def check_result(self, file, command):
        with open(file, encoding="utf-8") as written:
            result = json.load(written)
        self.assertEqual(result["schema"], f"contend.{command}/1")

    def test_no_result_is_lost(self):
        for command in COMMANDS:
            for name, other in (("stdout", "stderr"), ("stderr", "stdout")):
                with self.subTest(command=command, stream=name):
                    file = self.path(f"{command}-{name}.json")
                    done = self.run_into_pipe(command, *COMMANDS[command], "--json", file,
                                              **{name: "pipe", other: subprocess.PIPE})
                    if done.returncode == 1 and "cannot" in (done.stderr or ""):
                        continue  # it could not begin here
                    self.check_result(file, command)
                    if name == "stdout":
                        self.assertNotEqual(done.returncode, 0)
                        self.assertGreater(done.returncode, 0, "ended by a signal")
                        self.assertNotIn("contend: standard output", done.stderr)

    def test_nothing_but_text(self):
        for arguments in (("--help",), ("--version",), ("list", "readers"), ("compare", "--help")):
            done = self.run_into_pipe(*arguments, stdout="pipe", stderr=subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr), (1, ""))

    def test_json_into_it(self):
        done = self.run_into_pipe("inspect", "hres", "--json", "-", stdout="pipe",
                                  stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (1, ""))


if __name__ == "__main__":
    harness.main()
