#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
All that updates the page, for long: test_soak.py BINARY [SECONDS] [unittest options].

For half of SECONDS every writer in turn, for the rest scenarios/soak.ini, all of them at once. After a
warm-up a run has no more memory, threads or open files than before; no read is torn and no clock goes
back. Two minutes, or what is asked for: an hour is 3600.
"""

import contextlib
import os
import re
import subprocess
import sys
import time

import harness
from harness import HANG_S, ProgramTest, contend

SECONDS = 120.0
SOAK = os.path.join(harness.HERE, "..", "..", "scenarios", "soak.ini")

# Each with what makes it act often, at rates that leave its CPU to others too.
WRITERS = {
    "tick": "tick:hz=5000,jitter=50us,nohz=100ms",
    "irq": "irq:hz=2000",
    "ntp": "ntp:hz=5000",
    "step": "step:every=2ms",
    "leap": "leap:hz=1000",
    "suspend": "suspend:every=20ms",
    "clocksource": "clocksource:every=5ms",
    "timens": "timens:every=2ms",
    "storm": "storm:burst=100,hz=50",
    "stall": "stall:every=20ms,for=2ms",
    "tz": "tz:every=1ms",
}
WITHOUT_TICK = ("step", "suspend", "clocksource", "timens", "tz")
READERS = ("hres:clock=monotonic", "hres:clock=realtime", "hres:clock=boottime", "raw", "coarse")

# Nothing is allocated in a run, but a page of a histogram may be touched for the first time late.
GROWTH_KB = 128
WARM_SHARE = 0.25
LEAST_WARM_S = 0.5
SAMPLE_S = 0.2
LEAST_S = 60


def sample(pid):
    """Memory in KiB, threads and open files of a process."""
    with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
        status = file.read()
    memory, threads = (int(re.search(rf"(?m)^{name}:\s*(\d+)", status)[1]) for name in ("VmRSS", "Threads"))
    return memory, threads, len(os.listdir(f"/proc/{pid}/fd"))


def watch(pid, seconds):
    """Samples of a process from its warm-up on, for so long; fewer if it ends before."""
    begin = time.monotonic()
    samples = []
    with contextlib.suppress(OSError, TypeError):  # it has ended
        while (passed := time.monotonic() - begin) < seconds:
            if passed >= max(LEAST_WARM_S, WARM_SHARE * seconds):
                samples.append(sample(pid))
            time.sleep(SAMPLE_S)
    return samples


def growth(samples):
    """What is not flat; None: all of it is."""
    memory, threads, files = zip(*samples)
    if max(memory) - memory[0] > GROWTH_KB:
        return f"memory grew from {memory[0]} to {max(memory)} KiB"
    if len(set(threads)) > 1:
        return f"there were {min(threads)} to {max(threads)} threads"
    if len(set(files)) > 1:
        return f"there were {min(files)} to {max(files)} open files"
    return None


class Soak(ProgramTest):
    once = True
    alone = False

    def soak(self, seconds, *arguments):
        file = self.path("result.json")
        with subprocess.Popen([harness.binary, *arguments, "--duration", f"{seconds * 1000:.0f}ms", "--warmup", "20ms",
                               "--json", file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as process:
            # Until it has begun, which may last: then there are more threads than one.
            deadline = time.monotonic() + HANG_S
            while process.poll() is None and sample(process.pid)[1] < 3 and time.monotonic() < deadline:
                time.sleep(0.01)
            samples = watch(process.pid, seconds - 2 * SAMPLE_S)
            said = process.communicate(timeout=seconds + HANG_S)[0]
        self.assertEqual(process.returncode, 0, said)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        readers = result["readers"]
        self.assertEqual((readers["torn"], readers["backwards"], result["forbidden_jumps"]), (0, 0, 0), said)
        self.assertGreater(len(samples), 2, said)
        self.assertIsNone(growth(samples), said)
        job = " ".join(map(os.path.basename, arguments))
        print(f"survived {job} for {seconds:.1f} s: {result['readers']['reads']} reads, "
              f"{result['writer']['updates']} updates, {samples[0][0]} to {max(one[0] for one in samples)} KiB, "
              f"{samples[0][1]} threads, {samples[0][2]} files", file=sys.stderr)

    def job(self):
        path = self.path("job.ini")
        with open(path, "w", encoding="utf-8") as file:
            for number, reader in enumerate(READERS):
                file.write(f"[readers {number}]\nreader = {reader}\n")
        return path

    def test_every_writer_in_turn(self):
        job = self.job()
        for name, writer in WRITERS.items():
            with self.subTest(writer=writer):
                beside = ("--writer", "tick") if name in WITHOUT_TICK else ()
                self.soak(SECONDS / 2 / len(WRITERS), job, *beside, "--writer", writer)

    def test_of_writers_none_is_left_out(self):
        self.assertEqual(set(WRITERS), set(re.findall(r"(?m)^  (\S+)$", contend("list", "writers").stdout)))

    def test_everything_at_once(self):
        self.soak(SECONDS / 2, SOAK)


class Leaks(ProgramTest):
    """What the soak looks for, in a child that has it: the check must find it."""
    once = True
    alone = False

    CHILD = ("import os, sys, threading, time\nkept = []\nprint('ready', flush=True)\n"
             "for turn in range(10 ** 6):\n    {leak}\n    time.sleep(0.02)\n")
    KINDS = {
        "memory grew": "kept.append(b'x' * 32768)",
        "threads": "turn % 10 or threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "open files": "turn % 10 or kept.append(os.open('/dev/null', os.O_RDONLY))",
        None: "kept = [b'x' * 32768]",
    }

    def test_what_grows_is_found(self):
        for found, leak in self.KINDS.items():
            with self.subTest(leak=leak):
                child = subprocess.Popen([sys.executable, "-c", self.CHILD.format(leak=leak)], stdout=subprocess.PIPE)
                try:
                    child.stdout.readline()
                    said = growth(watch(child.pid, LEAST_WARM_S + 1.5))
                finally:
                    child.kill()
                    child.communicate()
                if found is None:
                    self.assertIsNone(said)
                else:
                    self.assertIn(found, said or "nothing")


if __name__ == "__main__":
    if len(sys.argv) > 2 and re.fullmatch(r"\d+(\.\d+)?", sys.argv[2]):
        SECONDS = float(sys.argv.pop(2))
        if SECONDS < LEAST_S:
            sys.exit(f"test_soak.py: {SECONDS:g} seconds leave nothing to sample after the warm-up: {LEAST_S} or more")
    harness.main()
