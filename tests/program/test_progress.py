#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The line of progress, of each command: test_progress.py BINARY [unittest options].

What a terminal would show is worked out from what is written to one.
"""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import harness
from harness import HANG_S, ProgramTest, contend

# Of each command a job that takes some seconds, and the figures that its line is to have.
JOBS = {
    "run": (("--duration", "2s", "--readers", "2"), r"[\d.e+-]+ M reads/s, [\d.]+ retries per million"),
    "compare": (("hres", "hres:hint=likely", "--duration", "4s"),
                r"95 % interval within \+/- [\d.e+-]+ %"),
    "sweep": (("--hz", "1000,10000", "--readers", "1", "--max-time", "1s", "--retries", "1000000"),
              r"point 2 of 2, 10000 Hz with 1 reader"),
    "prove": (("hres", "--limit", "2s"), r"weak, [\d.e+-]+ M executions/s"),
    "verify": (("--duration", "300ms", "--only", "stops-odd", "--only", "clocksource"),
               r"mutant \d of \d, \S+"),
    "calibrate": (("--duration", "2s"), r"\d+ turns, realtime at \d\.\d+ of the host's vDSO"),
    "observe": (("--duration", "2s"), r"\d+ updates, \d+ of them seen in progress"),
    "settle": ((), r"hint, 95 % interval within \+/- [\d.e+-]+ %"),
}
ARGUMENT = """[argument]
title = hints
claim = none
by = nobody

[compare hint]
baseline = hres
reader = hres:hint=likely
duration = 4s
claim = none
"""


class Screen:
    """A terminal of one line that matters: what is on it, and whether progress ever needed two."""

    def __init__(self, columns):
        self.columns, self.cells, self.at, self.wrapped = columns, [" "] * columns, 0, False
        self.shown = []

    def take(self, text):
        for char in text:
            if char == "\r":
                self.shown.append("".join(self.cells).rstrip())
                self.at = 0
            elif char == "\n":
                self.cells, self.at = [" "] * self.columns, 0
            elif self.at == self.columns:
                self.wrapped |= "% done" in "".join(self.cells)
            else:
                self.cells[self.at] = char
                self.at += 1
        return self

    def left(self):
        return "".join(self.cells).rstrip()


class Progress(ProgramTest):
    alone = False
    once = True

    def arguments(self, command):
        path = self.path("argument.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write(ARGUMENT)
        return (command, *JOBS[command][0], *((path,) if command == "settle" else ()))

    def start(self, arguments, columns):
        """On a terminal of its own, whose Ctrl-C it hears; its text goes elsewhere."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        process = subprocess.Popen([harness.binary, *arguments], stdin=slave,
                                   stdout=subprocess.DEVNULL, stderr=slave, preexec_fn=own_terminal)
        os.close(slave)
        self.addCleanup(process.kill)
        return process, master

    def read(self, master, until=None):
        """All that comes, or until something of that kind has."""
        seen = b""
        try:
            while chunk := os.read(master, 4096):
                seen += chunk
                if until and re.search(until, seen.decode(errors="replace")):
                    return seen.decode()
        except OSError:  # what Linux says at the end of a terminal
            pass
        return seen.decode()

    def watch(self, arguments, columns=120):
        process, master = self.start(arguments, columns)
        text = self.read(master)
        os.close(master)
        process.wait(HANG_S)
        return text

    def drawn(self, text):
        """The line, each time; remarks, which follow it, are none of it."""
        return re.findall(r"\r( *\d+ % done, \d+ (?:s|min) left[^\r\n]*)", text)

    def test_it_says_how_it_is_going_and_is_erased(self):
        for command, (_, figures) in JOBS.items():
            with self.subTest(command=command):
                text = self.watch(self.arguments(command))
                lines = self.drawn(text)
                self.assertTrue(lines, text)
                self.assertTrue([line for line in lines
                                 if re.search(rf" left: {figures} *\Z", line)], lines[-3:])
                last = [match.start() for match in re.finditer(r"\r *\d+ % done", text)][-1]
                rest = Screen(120).take(text[last:])
                # The line, blanks over it, and what follows from the first column on.
                self.assertIn("", rest.shown[1:])
                self.assertNotRegex(rest.left(), "left|done")

    def test_narrow_terminals_do_not_wrap(self):
        for columns in (20, 40, 61):
            for command in ("run", "sweep", "verify"):
                with self.subTest(command=command, columns=columns):
                    process, master = self.start((*self.arguments(command), "--json", "/dev/null"),
                                                 columns)
                    text = self.read(master)
                    os.close(master)
                    process.wait(HANG_S)
                    lines = re.findall(r"\r([^\r\n]*)(?=\r[^\n])", text)
                    self.assertTrue([line for line in lines if "done" in line], text)
                    for line in lines:
                        self.assertLess(len(line), columns)

    def test_ctrl_c_erases_it(self):
        """The first, which ends it in order, and a second one, which ends it at once."""
        for command in JOBS:
            for times in (1, 2):
                with self.subTest(command=command, times=times):
                    arguments = self.arguments(command)
                    if command == "run":
                        arguments = ("run", "--duration", "60s")
                    process, master = self.start((*arguments, "--json", "/dev/null"), 120)
                    text = self.read(master, until=r"\d+ % done")
                    os.write(master, b"\x03" * times)
                    text += self.read(master)
                    os.close(master)
                    self.assertIn(process.wait(HANG_S), (130, 0))
                    self.assertIn("^C", text)
                    screen = Screen(120).take(text)
                    self.assertFalse(screen.wrapped)
                    self.assertNotRegex(screen.left(), r"left|done|\^C")

    def test_nowhere_else(self):
        for command in JOBS:
            with self.subTest(command=command):
                arguments = self.arguments(command)
                self.assertNotIn(" done,", self.watch((*arguments, "--quiet")))
                self.assertNotIn(" done,", contend(*arguments).stderr)

    def test_not_of_what_is_over_at_once(self):
        self.assertNotIn(" done,", self.watch(("run", *harness.BRIEF)))

    def test_intervals_that_go_elsewhere_leave_it_alone(self):
        text = self.watch(("run", "--duration", "2s", "--interval", "1s"))
        self.assertTrue(self.drawn(text), text)


if __name__ == "__main__":
    sys.exit(harness.main())
