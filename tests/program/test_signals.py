#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What signals do to every command that makes a result: test_signals.py BINARY [unittest options]."""

import concurrent.futures
import json
import os
import signal
import subprocess
import time

import harness
from harness import HANG_S, ProgramTest, contend

COMMANDS = (("run", "--warmup", "0"), ("observe", "--simulate", "0"), ("calibrate", "--clock", "monotonic"))
# All that may take long; each as short as it may be.
ALL = (*((*command, "--duration", "500ms") for command in COMMANDS),
       ("observe", "--duration", "100ms", "--simulate", "500ms"),
       ("compare", "hres", "hres", "--duration", "500ms"),
       ("sweep", "--hz", "1000", "--readers", "1", "--max-time", "500ms"),
       ("verify", "--only", "never-odd"),
       ("settle", "scenarios/unlikely-read-begin.ini", "--only", "gcc-monotonic-1000hz", "--duration", "500ms"))
ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
SOURCES = os.path.join(harness.HERE, "..", "..")
# Long enough to begin on a busy machine; where it is not, what needs that is tried again.
BEGIN_S = 0.3


def works(command):
    return contend(*command, "--duration", "20ms", "--quiet").returncode != 1


def full_pipe():
    """Both ends of one that takes no more."""
    ends = os.pipe()
    os.set_blocking(ends[1], False)
    try:
        while os.write(ends[1], b"x" * 4096):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(ends[1], True)
    return ends


class Children(ProgramTest):
    alone = False

    def test_ignored_by_whoever_starts_it(self):
        """How a child process ended is known all the same, and nobody is accused."""
        for duration in ("200ms", "2s", "10s"):
            done = contend("compare", "hres", "hres", "--duration", duration,
                           preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
            # On a busy machine others may have left it no time.
            if "give it more time" not in done.stderr:
                break
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Ignored(ProgramTest):
    """Whoever starts a command with a signal ignored, as nohup does, has it go on when that comes."""
    once = True
    alone = False

    @staticmethod
    def ignore():
        for number in ENDING:
            signal.signal(number, signal.SIG_IGN)

    def end_among_signals(self, command):
        """They come to all of its processes, as from a terminal, all the time."""
        process = subprocess.Popen([harness.binary, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, cwd=SOURCES, start_new_session=True,
                                   preexec_fn=self.ignore)
        until = time.monotonic() + HANG_S
        while process.poll() is None and time.monotonic() < until:
            for number in ENDING:
                os.killpg(process.pid, number)
            time.sleep(0.01)
        process.kill()
        return process.returncode, process.communicate()[0]

    def test_it_stays_ignored(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for command, (status, text) in zip(ALL, pool.map(self.end_among_signals, ALL)):
                with self.subTest(command=command):
                    self.assertNotIn(status, (130, *(-number for number in ENDING)), text)
                    self.assertNotRegex(text, r"(?m)^partial |n/a: interrupted$")


class Signals(ProgramTest):
    once = True

    def start(self, *arguments, file, stdout=subprocess.DEVNULL, begin_s=BEGIN_S):
        """What ought to have begun by now."""
        process = subprocess.Popen([harness.binary, *arguments, "--json", file], stdout=stdout,
                                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(begin_s)
        return process

    def end_stuck(self, command, *numbers):
        """Of a process that can print no result."""
        file = self.path(f"stuck-{command[0]}.json")
        ends = full_pipe()
        process = self.start(*command, "--duration", "60s", file=file, stdout=ends[1])
        try:
            for number in numbers:
                process.send_signal(number)
                time.sleep(BEGIN_S)
            return process.wait(HANG_S), os.path.exists(file)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return None
        finally:
            os.close(ends[0])
            os.close(ends[1])

    def test_the_second_signal_ends_it_whichever_it_is(self):
        commands = list(filter(works, COMMANDS))
        for numbers in ((signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGHUP),
                        (signal.SIGINT, signal.SIGINT)):
            # Each waits for nothing most of the time.
            with concurrent.futures.ThreadPoolExecutor() as pool:
                ends = pool.map(lambda command, numbers=numbers: self.end_stuck(command, *numbers), commands)
                for command, end in zip(commands, ends):
                    with self.subTest(command=command, signals=numbers):
                        self.assertEqual(end, (130, False))

    def ends_late(self, command, begin_s):
        """
        Stopped until all its time is over, and only then told to end. Nothing shows from outside whether it has begun
        by then: if not, it has all its time left when it goes on, and the signal may cut that off.
        """
        file = self.path(f"late-{command[0]}.json")
        process = self.start(*command, "--duration", f"{begin_s + 1:g}s", file=file, begin_s=begin_s)
        process.send_signal(signal.SIGSTOP)
        time.sleep(begin_s + 1.1)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGCONT)
        status = process.wait(HANG_S)
        # It has not begun: then it ends at once, with no result.
        if status in (130, -signal.SIGINT) and not os.path.exists(file):
            return False
        with open(file, encoding="utf-8") as written:
            result = json.load(written)
        if not result:
            return False
        self.assertEqual(result["exit_status"], status)
        return status == 0 and result["complete"]

    def can_end_late(self, command):
        return any(self.ends_late(command, BEGIN_S * 2**nth) for nth in range(6))

    def test_a_signal_after_all_its_time_cuts_nothing_off(self):
        commands = list(filter(works, COMMANDS))
        # Each is stopped most of the time.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for command, late in zip(commands, pool.map(self.can_end_late, commands)):
                with self.subTest(command=command):
                    self.assertTrue(late)


if __name__ == "__main__":
    harness.main()
