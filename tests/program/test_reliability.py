#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
What befalls a run from outside: test_reliability.py BINARY [unittest options].

It is stopped, loses its CPUs, runs out of memory, threads or disk, and the host's clocks are not
what they were: it goes on with nothing torn and a remark, or ends with a sentence.
"""

import contextlib
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

import harness
from harness import BRIEF, HANG_S, ProgramTest, contend, once

CPUS = sorted(os.sched_getaffinity(0))
NOBODY = 65534
CGROUPS = "/sys/fs/cgroup"
ON_X86 = os.uname().machine in ("x86_64", "i686")

GROUPS = """
[run]
duration = 300ms
warmup = 20ms
[writer]
kind = tick
[writer]
kind = step
every = 20ms
[readers web]
count = 2
reader = hres:clock=tai
[readers log]
reader = raw:layout=v5.3
[expect]
torn = 0
time_backwards = 0
web.reads > 0
"""


def is_sanitized():
    """Whether the program needs an address space without limits."""
    most = 1 << 30
    return contend("--version", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))).returncode != 0


def threads_of(pid):
    with contextlib.suppress(OSError):
        return [int(task) for task in os.listdir(f"/proc/{pid}/task")]
    return []


def sees_to_signals(pid):
    """One of the threads that a run has started does; before, there is no run."""
    mask = 1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1
    tasks = threads_of(pid)
    for task in tasks if len(tasks) > 1 else []:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/status", encoding="ascii") as file:
            blocked = re.search(r"^SigBlk:\s*(\w+)", file.read(), re.MULTILINE)
            if blocked and int(blocked[1], 16) & mask == mask:
                return True
    return False


def session_is_empty(session):
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                return False
    return True


class Run:
    """A run under way, with JSON into a file."""

    def __init__(self, test, *arguments, prefix=(), **options):
        self.test = test
        self.file = test.path(f"{id(self)}.json")
        self.process = subprocess.Popen([*prefix, harness.binary, *arguments, "--json", self.file], text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, **options)
        test.addCleanup(self.end)
        deadline = time.monotonic() + HANG_S
        while not sees_to_signals(self.process.pid):
            if self.process.poll() is not None or time.monotonic() > deadline:
                test.fail(f"no run: {self.process.communicate()}")
            time.sleep(0.005)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def signal(self, number):
        self.process.send_signal(number)

    def allow(self, cpus):
        """As taskset -a -p does."""
        for task in threads_of(self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(task, cpus)

    def result(self, status=0):
        text, remarks = self.process.communicate(timeout=HANG_S)
        self.test.assertEqual(self.process.returncode, status, text + remarks)
        with open(self.file, encoding="utf-8") as written:
            result = self.test.check_json(written.read())
        self.test.assertEqual(result["exit_status"], status)
        return result


class ReliabilityTest(ProgramTest):
    def unharmed(self, result):
        self.assertEqual(result["outcome"], "complete")
        self.assertIsNone(result["stall"])
        self.assertEqual(result["forbidden_jumps"], 0)
        self.assertEqual((result["readers"]["torn"], result["readers"]["backwards"] or 0), (0, 0))
        self.assertGreater(result["readers"]["checked"], 0)

    def told(self, result, what):
        return [remark for remark in result["remarks"] if re.search(what, remark)]

    def shim(self, text):
        """A library that stands before the C library's functions."""
        if not shutil.which("cc"):
            self.skipTest("no compiler")
        if is_sanitized():
            self.skipTest("sanitizers have functions of their own there")
        source, library = self.path("shim.c"), self.path("shim.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <sched.h>\n#include <time.h>\n" + text)
        bits = "-m32" if harness.has_32_bits() else "-m64" if ON_X86 else "-g"
        done = subprocess.run(["cc", bits, "-shared", "-fPIC", "-o", library, source], capture_output=True, text=True)
        if done.returncode:
            self.skipTest(f"no library can be made: {done.stderr}")
        return {**os.environ, "LD_PRELOAD": library}


class Stopped(ReliabilityTest):
    """SIGSTOP and SIGCONT, for longer than a page may stand still."""
    alone = False
    sanitized = True
    JOBS = ((), ("--writer", "irq"), ("--writer", "stall:every=4ms,for=3ms"), ("--writer", "tick", "--writer", "step"),
            ("--writer", "tick", "--writer", "suspend:every=4ms,for=3ms", "--reader", "hres:clock=boottime"),
            *((("--reader", "image:host"),) if ON_X86 else ()))
    REMARK = r"stopped and continued (\d+) times?, for (\d+\.\d+) s at most"

    def jobs(self):
        refused = {"irq": contend("--writer", "irq", "--duration", "1ms").returncode == 1}
        return [job for job in self.JOBS if not refused.get(job[-1] if job else None)]

    def test_a_stop_is_told_and_is_no_stall(self):
        jobs = self.jobs()
        # All are stopped before one is started anew, so that they take no longer than one.
        runs = [Run(self, *job, "--duration", "4s", "--warmup", "20ms") for job in jobs]
        time.sleep(0.3)
        for number, rest in ((signal.SIGSTOP, 2.6), (signal.SIGCONT, 0)):
            for run in runs:
                run.signal(number)
            time.sleep(rest)
        for job, run in zip(jobs, runs):
            with self.subTest(job=job):
                result = run.result()
                self.unharmed(result)
                remarks = self.told(result, self.REMARK)
                self.assertEqual(len(remarks), 1, result["remarks"])
                found = re.search(self.REMARK, remarks[0])
                self.assertEqual(found[1], "1")
                self.assertGreaterEqual(float(found[2]), 2.59)

    @once
    def test_stopped_again_and_again(self):
        runs = [Run(self, *job, "--duration", "4s", "--warmup", "20ms") for job in self.jobs()]
        # What comes before a run begins is no matter of the run's.
        time.sleep(1)
        for turn in range(20):
            for run in runs:
                run.signal(signal.SIGSTOP if turn % 2 == 0 else signal.SIGCONT)
            time.sleep(0.01 + 0.013 * (turn // 2))
        for run in runs:
            result = run.result()
            self.unharmed(result)
            self.assertEqual(len(self.told(result, self.REMARK)), 1, result["remarks"])

    def test_who_is_not_stopped_is_not_said_to_be(self):
        _, result = self.brief()
        self.assertEqual(self.told(result, self.REMARK), [])


class Starved(ReliabilityTest):
    """Its writer's CPU is taken by another program's thread in real time, for longer than a page may stand still."""
    once = True

    HOG = ("import os, time\nos.sched_setaffinity(0, {cpu})\n"
           "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(60))\nprint('ready', flush=True)\n"
           "end = time.monotonic() + float(input())\nwhile time.monotonic() < end:\n    pass\n")

    def starved_for(self, seconds, *arguments):
        """What a run gives whose writer's CPU is taken away for so long."""
        with subprocess.Popen(["python3", "-c", self.HOG.replace("cpu", str(CPUS[-1]))], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as hog:
            if hog.stdout.readline() != "ready\n":
                self.skipTest("no thread may run in real time")
            run = Run(self, *arguments, "--writer-cpu", str(CPUS[-1]), "--duration", "6s", "--warmup", "20ms")
            time.sleep(1)
            hog.communicate(f"{seconds}\n")
            return run.result()

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_a_writer_without_cpu_is_not_stuck(self):
        result = self.starved_for(4)
        self.unharmed(result)
        self.assertEqual(len(self.told(result, r"ready to run and got no CPU for \d+\.\d+ s")), 1, result["remarks"])
        _, result = self.brief()
        self.assertEqual(self.told(result, "got no CPU"), [])

    GREEDY = ("import os, time\nos.sched_setaffinity(0, {cpu})\nos.nice(-40)\nprint('ready', flush=True)\n"
              "end = time.monotonic() + float(input())\nwhile time.monotonic() < end:\n    pass\n")

    def idle_readers(self):
        """A run whose readers come last on their CPU, behind a program that takes it for longer than is measured."""
        with subprocess.Popen(["python3", "-c", self.GREEDY.replace("cpu", str(CPUS[0]))], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as greedy:
            self.assertEqual(greedy.stdout.readline(), "ready\n")
            run = Run(self, "--readers", "1", "--writer-cpu", str(CPUS[-1]), "--warmup", "1s", "--duration", "100ms")
            for task in threads_of(run.process.pid):
                if os.sched_getaffinity(task) == {CPUS[0]} and os.sched_getscheduler(task) == os.SCHED_OTHER:
                    os.sched_setscheduler(task, os.SCHED_IDLE, os.sched_param(0))
            greedy.communicate("1.5\n")
            return run.result(run.process.wait(HANG_S))

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_the_end_is_put_off(self):
        """Until a reader has been given a CPU, so that something is read."""
        for _ in range(5):
            result = self.idle_readers()
            # A machine too busy to look before the end is asked again.
            if result["exit_status"] == 0 and result["seconds"] > 0.101:
                break
        self.assertEqual(result["exit_status"], 0)
        self.assertEqual(len(self.told(result, "no reader was given a CPU in the 0.1 s asked for")), 1,
                         result["remarks"])
        self.assertGreater(result["seconds"], 0.101)
        self.assertGreater(result["readers"]["reads"], 0)
        self.assertGreater(result["writer"]["updates"], 100)
        _, result = self.brief()
        self.assertEqual(self.told(result, "asked for"), [])


class Clocks(ReliabilityTest):
    once = True
    STEP_S = 0.002

    def step_forth_and_back(self, times):
        """
        The host's clock; not for longer than a few milliseconds, as others look at it, and by
        MONOTONIC, which no step moves, back to where it was.
        """
        def offset():
            before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            real = time.clock_gettime_ns(time.CLOCK_REALTIME)
            return real - (before + time.clock_gettime_ns(time.CLOCK_MONOTONIC)) // 2

        def put(nanoseconds):
            time.clock_settime_ns(time.CLOCK_REALTIME, time.clock_gettime_ns(time.CLOCK_MONOTONIC) + nanoseconds)

        right = offset()
        for turn in range(times):
            try:
                put(right + int((-1) ** turn * self.STEP_S * 1e9))
                time.sleep(0.002)
            finally:
                put(right)
            time.sleep(0.05)
        self.assertLess(abs(offset() - right), 1000000)

    def test_a_step_of_the_host_s_clock_goes_unnoticed(self):
        try:  # to where it is: nothing but the question whether it may be set
            time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME))
        except OSError as error:
            self.skipTest(f"the clock may not be set here: {error}")
        jobs = ((), ("--clocksource", "monotonic_raw"), ("--reader", "hres:clock=realtime"),
                ("--writer", "tick", "--writer", "clocksource"), *((("--reader", "image:host"),) if ON_X86 else ()))
        runs = [Run(self, *job, "--duration", "1500ms", "--warmup", "20ms") for job in jobs]
        self.step_forth_and_back(10)
        for job, run in zip(jobs, runs):
            with self.subTest(job=job):
                self.unharmed(run.result())

    @unittest.skipUnless(ON_X86, "images are for x86")
    def test_a_deadline_does_not_hang_on_realtime(self):
        """As if it was set an hour forth whenever one has been made of it; readers get the CPU in turn."""
        environment = self.shim("""
int clock_gettime(clockid_t clock, struct timespec *time)
{
	static int (*next)(clockid_t, struct timespec *);
	static int calls;

	if (!next)
		next = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	if (next(clock, time))
		return -1;
	if (clock == CLOCK_REALTIME)
		time->tv_sec -= calls++ ? 3600 : 0;
	return 0;
}
int __clock_gettime64(clockid_t clock, struct timespec *time) { return clock_gettime(clock, time); }
""")
        for _ in range(6):
            run = Run(self, "--reader", "image:host", "--readers", "200", "--duration", "20s", env=environment)
            time.sleep(0.1)
            run.signal(signal.SIGINT)
            result = run.result(status=130)
            self.assertEqual(result["outcome"], "interrupted")
            self.assertIsNone(result["stall"])


class TimeNamespace(ReliabilityTest):
    """All of the program in one: the page that the kernel gives it is a namespace's."""
    alone = False
    sanitized = True
    ENTER = ("unshare", "--time", "--boottime", "100000", "--monotonic", "5000")

    def enter(self, *arguments):
        if not shutil.which("unshare") or subprocess.run([*self.ENTER, "true"], capture_output=True).returncode:
            self.skipTest("no time namespace may be made here")
        return subprocess.run([*self.ENTER, harness.binary, *arguments, "--json", "-"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=HANG_S)

    @once
    def test_runs(self):
        jobs = [(), ("--writer", "tick", "--writer", "suspend"), ("--writer", "tick", "--writer", "clocksource"),
                ("--writer", "tick", "--writer", "timens"), ("--reader", "hres:clock=boottime"),
                ("--reader", "timens"), ("--clocksource", "monotonic_raw")]
        if ON_X86:
            jobs += [("--reader", "image:host"), ("--reader", "image:host:clock=boottime")]
        for job in jobs:
            with self.subTest(job=job):
                done = self.enter(*BRIEF, *job)
                self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
                self.unharmed(self.check_json(done.stdout))

    @unittest.skipUnless(ON_X86, "the page is found on x86 only")
    def test_what_is_held_against_the_host(self):
        done = self.enter("calibrate", "--clock", "monotonic", "--duration", "500ms")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["values"]["disagreements"], 0)
        done = self.enter("observe", "--duration", "500ms", "--simulate", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["updates"], 0)


class Processors(ReliabilityTest):
    once = True
    alone = False
    REMARK = r"CPUs changed under the run: (\d+) of (\d+) readers and (\d+) of (\d+) writers"
    JOBS = (("--readers", "3"), ("--readers", "2", "--writer", "irq"), ("--writer", "storm:burst=100,hz=500"),
            ("--writer", "tick", "--writer", "step"))

    def setUp(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU")

    def jobs(self):
        irq = contend("--writer", "irq", "--duration", "1ms").returncode != 1
        return [job for job in self.JOBS if irq or "irq" not in job]

    def moved(self, result):
        remarks = self.told(result, self.REMARK)
        self.assertLessEqual(len(remarks), 1)
        return tuple(map(int, re.search(self.REMARK, remarks[0]).groups())) if remarks else None

    def test_who_is_left_alone_stays(self):
        for job in self.jobs():
            self.assertIsNone(self.moved(self.brief(*job)[1]), job)

    def test_other_cpus_by_affinity(self):
        jobs = self.jobs()
        runs = [Run(self, *job, "--duration", "2500ms", "--warmup", "20ms") for job in jobs]
        # Everybody onto one, onto another, and wherever they like.
        for cpus in (CPUS[:1], CPUS[-1:], CPUS):
            time.sleep(0.4)
            for run in runs:
                run.allow(cpus)
        for job, run in zip(jobs, runs):
            with self.subTest(job=job):
                result = run.result()
                self.unharmed(result)
                readers, of_readers, writers, of_writers = self.moved(result)
                self.assertEqual((readers, writers), (of_readers, of_writers))
                self.assertEqual((of_readers, of_writers), (result["config"]["readers"], len(result["writers"])))
                self.assertLessEqual(result["readers"]["cpu_share"], 1)

    def cpuset(self):
        """A group of CPUs of our own, as either version of cgroups has it; what to write where."""
        for root, members in ((f"{CGROUPS}/cpuset", "tasks"), (CGROUPS, "cgroup.procs")):
            path = f"{root}/contend-test-{os.getpid()}"
            try:
                with open(f"{root}/cpuset.mems{'' if members == 'tasks' else '.effective'}", encoding="ascii") as file:
                    mems = file.read().strip()
                os.mkdir(path)
                self.addCleanup(self.remove, path)
                self.write(f"{path}/cpuset.cpus", ",".join(map(str, CPUS)))
                self.write(f"{path}/cpuset.mems", mems)
                return path
            except OSError:
                continue
        return self.skipTest("no cpuset can be made here")

    def remove(self, path):
        for _ in range(100):
            try:
                return os.rmdir(path)
            except OSError:
                time.sleep(0.05)
        return self.fail(f"{path} stays")

    def write(self, path, text):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)

    def test_a_cpuset_that_shrinks(self):
        path = self.cpuset()
        enter = lambda: self.write(f"{path}/cgroup.procs", "0")
        jobs = self.jobs()
        runs = [Run(self, *job, "--duration", "2500ms", "--warmup", "20ms", preexec_fn=enter) for job in jobs]
        for cpus in (CPUS[:1], CPUS[-1:], CPUS):
            time.sleep(0.4)
            self.write(f"{path}/cpuset.cpus", ",".join(map(str, cpus)))
        for job, run in zip(jobs, runs):
            with self.subTest(job=job):
                result = run.result()
                self.unharmed(result)
                readers, of_readers, writers, of_writers = self.moved(result)
                self.assertEqual((readers, writers), (of_readers, of_writers))

    def take_away(self, cpu):
        """From all of the machine, for as short as it may be."""
        path = f"/sys/devices/system/cpu/cpu{cpu}/online"
        try:
            self.write(path, "0")
        except OSError as error:
            self.skipTest(f"{path} cannot be written here: {error}")
        self.addCleanup(self.write, path, "1")
        time.sleep(0.4)
        self.write(path, "1")

    def test_a_cpu_that_is_unplugged(self):
        """Who was on it is put elsewhere, and told; nobody waits for it."""
        if os.environ.get("CONTEND_TEST_HOTPLUG") != "1":
            self.skipTest("whatever else runs here would lose its CPU, too: CONTEND_TEST_HOTPLUG=1 allows it")
        jobs = self.jobs()
        runs = [Run(self, *job, "--duration", "2500ms", "--warmup", "20ms") for job in jobs]
        time.sleep(0.4)
        self.take_away(CPUS[-1])
        for job, run in zip(jobs, runs):
            with self.subTest(job=job):
                result = run.result()
                self.unharmed(result)
                # Writers are on the last CPU, and readers on the others.
                self.assertEqual(result["writer"]["cpu"], CPUS[-1])
                _, _, writers, of_writers = self.moved(result)
                self.assertEqual(writers, of_writers)

    def test_what_was_taken_away_before(self):
        path = self.cpuset()
        self.write(f"{path}/cpuset.cpus", str(CPUS[-1]))
        enter = {"preexec_fn": lambda: self.write(f"{path}/cgroup.procs", "0")}
        _, result = self.brief(**enter)
        self.unharmed(result)
        self.assertEqual((result["writer"]["cpu"], result["readers"]["each"][0]["cpu"]), (CPUS[-1], CPUS[-1]))
        self.assertIsNone(self.moved(result))
        for option in ("--cpus", "--writer-cpu"):
            done = contend(*BRIEF, option, str(CPUS[0]), **enter)
            self.one_line(done)
            self.assertIn(option, done.stderr)

    def test_a_cpu_that_goes_between_the_plan_and_the_start(self):
        """As if one was there when it was asked for, and offline when a thread was put on it."""
        gone = 1023
        if os.path.exists(f"/sys/devices/system/cpu/cpu{gone}"):
            self.skipTest("so many CPUs")
        environment = self.shim("""
int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *set)
{
	static int (*next)(pid_t, size_t, cpu_set_t *);

	if (!next)
		next = (int (*)(pid_t, size_t, cpu_set_t *))dlsym(RTLD_NEXT, "sched_getaffinity");
	if (next(pid, bytes, set))
		return -1;
	CPU_SET(1023, set);
	return 0;
}
""")
        among = str(len(CPUS) + 1)
        for option, who in (((), "the writer's thread"),
                            (("--readers", among, "--writer-cpu", str(CPUS[0])), rf"--readers: thread \d of {among}")):
            done = contend(*BRIEF, *option, env=environment)
            self.one_line(done)
            self.assertRegex(done.stderr, rf"\Acontend: {who} cannot be started: this process may not use CPU {gone} "
                             "any more, or it is offline\n")


class Limits(ReliabilityTest):
    """Of 4096 readers, who need more than there is: one sentence, and nobody is left running."""
    once = True
    alone = False
    MANY = (*BRIEF, "--readers", "4096")

    def refused(self, program, *arguments, before=lambda: None, **options):
        process = subprocess.Popen([program, *self.MANY, *arguments], stdin=subprocess.DEVNULL, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                   preexec_fn=before, **options)
        out, err = process.communicate(timeout=HANG_S)
        done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
        self.one_line(done)
        self.assertEqual(out, "")
        self.assertTrue(err.startswith("contend: --readers: "), err)
        self.assertTrue(session_is_empty(process.pid), "somebody is left running")
        return err

    def test_a_limit_of_the_process_s_memory(self):
        """Where readers have none, where their threads have none, where the oracle has none."""
        if is_sanitized():
            self.skipTest("a sanitizer needs more")
        for kind, name in ((resource.RLIMIT_AS, "ulimit -v"), (resource.RLIMIT_DATA, "ulimit -d")):
            for most in (30 << 20, 100 << 20, 250 << 20, 400 << 20):
                with self.subTest(limit=name, most=most):
                    err = self.refused(harness.binary, before=lambda k=kind, m=most: resource.setrlimit(k, (m, m)))
                    self.assertIn(f"{name} {most >> 10}", err)
                    self.assertRegex(err, r"Cannot allocate memory|temporarily unavailable")

    def test_a_limit_of_the_user_s_threads(self):
        if os.geteuid() != 0:
            self.skipTest("only root can become somebody whom the limit binds")
        os.chmod(self.directory, 0o755)
        program = shutil.copy(harness.binary, self.path("contend"))
        os.chmod(program, 0o755)
        for most in (3, 200):
            # After the change of user, as root's processes are not bound by it.
            err = self.refused(program, before=lambda m=most: resource.setrlimit(resource.RLIMIT_NPROC, (m, m)),
                               user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")
            self.assertIn(f"ulimit -u {most}", err)
            self.assertIn("cannot be started: Resource temporarily unavailable", err)

    def cgroup(self, controller, file, value):
        for root in (f"{CGROUPS}/{controller}", CGROUPS):
            path = f"{root}/contend-test-{os.getpid()}"
            try:
                os.mkdir(path)
            except OSError:
                continue
            self.addCleanup(self.remove, path)
            try:
                with open(f"{path}/{file if root == CGROUPS else file.replace('memory.max', 'memory.limit_in_bytes')}",
                          "w", encoding="ascii") as limit:
                    limit.write(str(value))
                return path
            except OSError:
                continue
        return self.skipTest(f"no cgroup with {file} can be made here")

    def remove(self, path):
        for _ in range(100):
            with contextlib.suppress(OSError):
                return os.rmdir(path)
            time.sleep(0.05)
        return self.fail(f"{path} stays")

    def enter(self, path):
        def now():
            with open(f"{path}/cgroup.procs", "w", encoding="ascii") as file:
                file.write("0")
        return now

    def test_a_cgroup_s_limit_of_threads(self):
        path = self.cgroup("pids", "pids.max", 300)
        err = self.refused(harness.binary, before=self.enter(path))
        self.assertIn("the cgroup's pids.max 300", err)

    def test_a_cgroup_s_limit_of_memory(self):
        """The kernel would kill it, without a word."""
        if is_sanitized():
            self.skipTest("a sanitizer needs more")
        path = self.cgroup("memory", "memory.max", 64 << 20)
        err = self.refused(harness.binary, before=self.enter(path))
        self.assertIn("the cgroup's memory", err)
        # What fits is not refused.
        done = contend(*BRIEF, "--readers", "64", preexec_fn=self.enter(path))
        self.assertEqual(done.returncode, 0, done.stderr)


class FullDisk(ReliabilityTest):
    """The result is shown all the same, and says that it could not be written."""
    once = True
    alone = False

    def scenario(self, text):
        path = self.path("job.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def shown_in_full(self, text):
        self.assertIn("contend  3 readers in 2 groups, writers tick at 1000 Hz, step every 20 ms, 300 ms\n", text)
        for line in (r"writer   updates ", r"reads    ", r"torn     0 of ", r"stale    0 of ", r"time     0 backwards$", r"group    web$",
                     r"group    log$", r"expect   torn = 0 +found 0: held$", r"expect   web\.reads > 0 "):
            self.assertRegex(text, f"(?m)^{line}")

    def test_a_device_that_is_full(self):
        path = self.scenario(GROUPS)
        done = contend(path, "--json", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.shown_in_full(done.stdout)
        self.assertEqual(re.findall(r"(?m)^contend: .*$", done.stderr),
                         ["contend: --json: cannot write '/dev/full': No space left on device"])

    def test_a_file_system_that_is_full(self):
        """There is room for the file, and for its beginning."""
        room = self.path("room")
        os.mkdir(room)
        script = 'mount -t tmpfs -o size=4k none "$1" || exit 77; shift; exec "$@"'
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script, "sh", room, harness.binary,
                               self.scenario(GROUPS), "--json", f"{room}/result.json"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=HANG_S)
        if done.returncode not in (0, 1, 2) or "unshare" in done.stderr:
            self.skipTest(f"no file system can be made here: {done.stderr}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.shown_in_full(done.stdout)
        self.assertIn("No space left on device", done.stderr)

    def test_a_condition_that_did_not_hold_outweighs_it(self):
        done = contend(self.scenario(GROUPS + "reads < 1\n"), "--json", "/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write '/dev/full'", done.stderr)


if __name__ == "__main__":
    harness.main()
