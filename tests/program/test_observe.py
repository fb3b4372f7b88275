#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend observe, on whatever kernel this is: test_observe.py BINARY [unittest options].

The kernel may update its page from any CPU, at any rate, or not at all while it is looked at; nothing
here depends on that, but for what the parts of one result say of each other.
"""
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
from harness import HANG_S, ProgramTest, contend, grouped, length, once

CPUS = sorted(os.sched_getaffinity(0))
BRIEF = ("observe", "--duration", "300ms", "--simulate", "0")
NOBODY = 65534


class ObserveTest(ProgramTest):
    schema = "observe.schema.json"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = contend(*BRIEF, "--duration", "1ms")
        if done.returncode == 1 and "page cannot be found" in done.stderr:
            raise unittest.SkipTest(done.stderr)

    def observe(self, *arguments, **options):
        return self.both(*BRIEF, *arguments, **options)


class Usage(ObserveTest):
    alone = False
    sanitized = True

    WRONG = (
        ("--duration", "10", "0s", "-1s", "999us", "1001h", "1x", ""),
        ("--cpus", "", "1023", "99999", "0-", "3-2", "a", "0,,1"),
        ("--simulate", "1", "0s", "999us", "1001h", "-1s", "x", ""),
        ("--save", "/nope/x", "/", "", "-"),
        ("--json", "/nope/x", "/", ""),
    )

    def test_wrong_values(self):
        for option, *values in self.WRONG:
            for value in values:
                with self.subTest(option=option, value=value):
                    done = contend(*BRIEF, option, value)
                    self.one_line(done)
                    self.assertTrue(done.stderr.startswith(f"contend: {option}: "), done.stderr)
                    self.assertEqual(done.stdout, "")

    def test_wrong_options(self):
        for arguments in (("--bogus",), ("-x",), ("--duration",), ("--quiet=1",), ("stray",),
                          ("--s", "1"), ("--readers", "2"), ("--",  "x")):
            with self.subTest(arguments=arguments):
                self.one_line(contend("observe", *arguments))

    def test_cpu_not_allowed(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU")
        done = contend(*BRIEF, "--cpus", str(CPUS[1]),
                       preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))
        self.one_line(done)
        self.assertIn("not allowed", done.stderr)

    def test_help(self):
        done = contend("observe", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("Usage: contend observe"))
        for entry in re.split(r"\n(?=  (?:-\w,|   ) --)", done.stdout)[1:]:
            option = re.search(r"--([a-z-]+)", entry)[1]
            if option not in ("quiet", "help"):
                self.assertRegex(entry, r"[Dd]efault", f"--{option}")
        self.assertIn("observe", contend("--help").stdout)


class Result(ObserveTest):
    def line(self, text, first):
        match = re.search(rf"^{first} .*$", text, re.MULTILINE)
        self.assertIsNotNone(match, f"no line '{first}' in\n{text}")
        return match[0]

    def check_sums(self, result):
        cpus = result["cpus"]
        for name in ("seen", "made_elsewhere", "odd_seen"):
            self.assertEqual(sum(cpu[name] for cpu in cpus), result[name], name)
        self.assertEqual([cpu["cpu"] for cpu in cpus], result["config"]["cpus"])
        # One may have been in progress at the end.
        self.assertLessEqual(result["seen"], result["updates"] + 1)
        self.assertLessEqual(result["made_elsewhere"], result["seen"])
        self.assertLessEqual(result["odd_seen"], result["made_elsewhere"])
        self.assertIn(result["odd_seen"] - result["odd_ns"]["samples"] - result["odd_unmeasured"],
                      (0, 1))
        self.assertEqual(result["odd_seen"] + result["passed_ns"]["samples"],
                         result["made_elsewhere"])
        self.assertLess(result["interval_ns"]["samples"], max(1, result["seen"]))
        watched = sum(cpu["watched_seconds"] for cpu in cpus)
        self.assertLessEqual(watched, result["seconds"] * 1.0001)
        self.assertAlmostEqual(result["watcher"]["watched_share"] * result["seconds"], watched,
                               delta=result["seconds"] / 1000)

    def check_figures(self, result):
        self.assertAlmostEqual(result["rate_hz"] * result["seconds"], result["updates"], places=3)
        for lengths in (result[name] for name in ("interval_ns", "odd_ns", "passed_ns")):
            if lengths["samples"]:
                ordered = [lengths[name] for name in ("min", "p50", "p99", "max")]
                self.assertEqual(ordered, sorted(ordered))
                self.assertLessEqual(lengths["min"], lengths["mean"])
                self.assertLessEqual(lengths["mean"], lengths["max"] * 1.01)
        if result["gaps"]["count"]:
            self.assertEqual(result["gaps"]["longest_ns"], result["interval_ns"]["max"])
        if result["tick_cpu"] is not None:
            self.assertIn(result["tick_cpu"], result["config"]["cpus"])
            self.assertLess(result["tick_evidence"]["chance"], 0.01)
        hazard = result["hazard"]
        if hazard:
            per_ns = result["rate_hz"] / 1e3
            self.assertAlmostEqual(result["hazard_per_million"] / per_ns,
                                   hazard["read_ns"] + hazard["hold_ns"], places=3)
            self.assertAlmostEqual(hazard["tick_cpu_per_million"] / per_ns, hazard["read_ns"],
                                   places=3)
            self.assertLessEqual(hazard["least_per_million"], result["hazard_per_million"])

    def check_agreement(self, text, result):
        head = self.line(text, "contend")
        self.assertIn(" watching the kernel's page from CPU", head)
        self.assertIn(f", kernel {result['machine']['kernel']}, counter {result['counter']['name']} ",
                      self.line(text, "machine"))
        page = self.line(text, "page")
        self.assertIn(f"layout {result['layout']} (kernels {result['page']['kernels']}), "
                      f"{abs(result['page']['page'])} page", page)
        line = self.line(text, "updates")
        self.assertIn(f"{grouped(result['updates'])} ({result['rate_hz']:.1f} Hz)", line)
        interval = result["interval_ns"]
        if interval["samples"]:
            self.assertIn(f"interval p50 {length(interval['p50'])}  p99 {length(interval['p99'])}  "
                          f"min {length(interval['min'])}  max {length(interval['max'])}", line)
        else:
            self.assertIn("interval n/a: ", line)
        self.assertIn(f"; {grouped(result['seen'])} seen, {grouped(interval['samples'])} interval",
                      text)
        line = self.line(text, "tick")
        if result["tick_cpu"] is None:
            self.assertIn(f"cannot be told: {result['unavailable']['tick_cpu']}", line)
        else:
            self.assertIn(f"on CPU {result['tick_cpu']}: ", line)
        self.assertIn(f"mode {result['clock_mode'] or 'n/a'}", self.line(text, "clock"))
        line = self.line(text, "hazard")
        if result["hazard"]:
            self.assertIn(f"{result['hazard_per_million']:.1f} per million", line)
        else:
            self.assertIn(f"n/a: {result['unavailable']['hazard']}", line)

    def test_text_and_json_agree(self):
        for arguments in ((), ("--cpus", str(CPUS[0])), ("--duration", "1ms")):
            with self.subTest(arguments=arguments):
                text, result = self.observe(*arguments)
                self.check_sums(result)
                self.check_figures(result)
                self.check_agreement(text, result)
                self.assertTrue(result["complete"])

    @once
    def test_it_takes_as_long_as_it_should(self):
        result = self.observe("--duration", "1s")[1]
        asleep = result["asleep"]
        total = result["seconds"] + asleep["seconds"]
        # Less what it took to come to the first look.
        self.assertGreater(total, 0.5)
        self.assertGreater(asleep["seconds"], 0)
        self.assertAlmostEqual(asleep["rate_hz"] * asleep["seconds"], asleep["updates"], places=3)

    def test_the_page_is_where_an_image_of_this_kernel_wants_it(self):
        image = contend("--reader", "image:host", "--duration", "1ms", "--warmup", "0", "--json",
                        "-")
        wants = json.loads(image.stdout)["config"]["reader"]["image"]
        result = self.observe()[1]
        self.assertEqual(result["layout"], wants["layout"])
        self.assertEqual(result["page"]["page"], wants["namespace_page"]
                         if result["page"]["in_namespace"] else wants["time_page"])

    @once
    def test_one_cpu_cannot_tell_who_takes_the_tick(self):
        text, result = self.observe("--cpus", str(CPUS[-1]))
        self.assertEqual(result["config"]["cpus"], [CPUS[-1]])
        self.assertIsNone(result["tick_cpu"])
        self.assertIn("only one CPU", result["unavailable"]["tick_cpu"])
        self.assertIn(f"from CPU {CPUS[-1]}, ", text)

    @once
    def test_all_cpus_by_default(self):
        self.assertEqual(self.observe()[1]["config"]["cpus"], CPUS)
        confined = self.observe(preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))[1]
        self.assertEqual(confined["config"]["cpus"], CPUS[:1])

    @once
    def test_no_simulation(self):
        text, result = self.observe()
        self.assertIsNone(result["simulated"])
        self.assertNotIn("simulated", text)

    def test_simulation(self):
        for _ in range(5):
            text, result = self.both("observe", "--duration", "500ms", "--simulate", "300ms")
            run = result["simulated"]
            if run:
                break
            # Others may have left it no time for a read.
            self.assertIn(f"n/a: {result['unavailable']['simulated']}", text)
        else:
            self.skipTest(result["unavailable"]["simulated"])
        self.assertEqual(run["hz"], max(1, round(result["rate_hz"])))
        self.assertEqual(run["hold_ns"], round(result["hazard"]["hold_ns"]))
        self.assertLessEqual(run["reads_met"], run["reads"])
        self.assertAlmostEqual(run["per_million"], 1e6 * run["reads_met"] / run["reads"], places=3)
        low, high = run["ci95_per_million"]
        self.assertLess(low, high)
        self.assertTrue(low <= run["per_million"] <= high)
        self.assertRegex(text, r"\n +simulated (less than )?[0-9]")


def objects(value, path=()):
    """Paths and values of all objects."""
    if isinstance(value, dict):
        yield path, value
        for name, part in value.items():
            yield from objects(part, path + (name,))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from objects(part, path + (i,))


def replaced(value, path, part):
    """A copy with `part` in this place."""
    if not path:
        return part
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], part)
    return copy


class Schema(ObserveTest):
    once = True

    def test_schema_is_strict(self):
        result = self.both("observe", "--duration", "1s", "--simulate", "200ms")[1]
        may_be_negative = {"least_ppm", "most_ppm", "page"}
        for path, value in objects(result):
            for name in value:
                broken = replaced(result, path, {k: v for k, v in value.items() if k != name})
                if path != ("unavailable",):
                    self.assertEqual(self.validator.is_valid(broken), name in harness.LATER - {"interval_ns"},
                                     (path, name, "missing"))
                    wrong = replaced(result, path + (name,), [[]])
                    self.assertFalse(self.validator.is_valid(wrong), (path, name, "wrong"))
                if isinstance(value[name], (int, float)) and name not in may_be_negative and \
                        not isinstance(value[name], bool):
                    wrong = replaced(result, path + (name,), -1)
                    self.assertFalse(self.validator.is_valid(wrong), (path, name, "negative"))
            if path != ("unavailable",):
                stranger = replaced(result, path, {**value, "stranger": 1})
                self.assertFalse(self.validator.is_valid(stranger), (path, "stranger"))


class Output(ObserveTest):
    once = True
    alone = False

    def test_json_replaces_text_on_standard_output(self):
        done = contend(*BRIEF, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.check_json(done.stdout)
        self.assertEqual(re.findall(r"^remark   (.*)$", done.stderr, re.MULTILINE),
                         result["remarks"])

    def test_quiet(self):
        done = contend(*BRIEF, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = contend(*BRIEF, "-q", "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check_json(done.stdout)

    def test_disk_full(self):
        done = contend(*BRIEF, "--json", "/dev/full")
        self.assertEqual(done.returncode, 1)
        self.assertIn("\nhazard   ", done.stdout)
        self.assertIn("contend: --json: cannot write '/dev/full': No space left on device\n",
                      done.stderr)

    def test_progress_only_on_a_terminal_and_only_if_it_takes_longer(self):
        lasting = ("observe", "--duration", "1s", "--simulate", "300ms")
        self.assertRegex(self.stderr_of_terminal(*lasting), r"\r *\d+ % done, \d+ s left")
        self.assertNotIn("left", self.stderr_of_terminal(*lasting, "--quiet"))
        self.assertNotIn("left", self.stderr_of_terminal(*BRIEF))
        self.assertNotIn("left", contend(*lasting).stderr)


class Save(ObserveTest):
    def test_what_is_saved_runs_as_what_was_seen(self):
        path = self.path("saved.ini")
        result = self.both("observe", "--duration", "1s", "--simulate", "0", "--save", path)[1]
        if result["hazard"] is None:
            self.skipTest(result["unavailable"]["hazard"])
        run = contend(path, "--duration", "100ms", "--warmup", "0", "--json", "-")
        self.assertEqual(run.returncode, 0, run.stderr)
        config = json.loads(run.stdout)["config"]
        self.assertEqual(config["writer"], "tick")
        self.assertEqual(config["hz"], max(1, round(result["rate_hz"])))
        self.assertEqual(config["hold_ns"], min(1000000, round(result["hazard"]["hold_ns"])))
        self.assertEqual(config["writer_cpu"], result["tick_cpu"])
        self.assertEqual(config["readers"], 1)
        self.assertEqual(config["reader"]["clock"], "monotonic")
        self.assertEqual(config["reader"]["name"],
                         "timens" if result["page"]["in_namespace"] else "hres")
        if result["clock_mode"] in ("tsc", "pvclock"):
            self.assertEqual(config["clocksource"], result["clock_mode"])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(f"kernel {result['machine']['kernel']}\n", text)
        self.assertIn(f"layout {result['layout']}, clock mode {result['clock_mode']}\n", text)
        self.assertIn(f"; updates  {grouped(result['updates'])} in ", text)


class SavedFile(ObserveTest):
    once = True
    alone = False

    def test_it_replaces_a_longer_one(self):
        path = self.path("long.ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write("x" * 100000)
        result = self.observe("--duration", "1s", "--save", path)[1]
        if result["hazard"]:
            self.assertLess(os.path.getsize(path), 100000)

    def save_nothing(self, path):
        for _ in range(20):
            done = contend(*BRIEF, "--duration", "1ms", "--save", path)
            if done.returncode:
                return done
            os.unlink(path)
        self.skipTest("an update comes in every millisecond")

    def test_nothing_to_save(self):
        path = self.path("nothing.ini")
        done = self.save_nothing(path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("contend: --save: there is nothing to save: ", done.stderr)
        self.assertIn("\nhazard   n/a: ", done.stdout)
        self.assertFalse(os.path.exists(path))

    def test_a_mistake_leaves_nothing_behind(self):
        path = self.path("mistake.ini")
        self.one_line(contend(*BRIEF, "--save", path, "--json", "/nope/x"))
        self.assertFalse(os.path.exists(path))

    def test_disk_full(self):
        file = self.path("unsaved.json")
        done = contend("observe", "--duration", "1s", "--simulate", "0", "--save", "/dev/full",
                       "--json", file)
        self.assertEqual(done.returncode, 1)
        with open(file, encoding="utf-8") as written:
            self.assertEqual(self.check_json(written.read())["exit_status"], 1)
        self.assertRegex(done.stderr, r"(?m)^contend: --save: (cannot write '/dev/full': No space|"
                                      r"there is nothing to save)")
        self.assertIn("\nhazard   ", done.stdout)


class Endings(ObserveTest):
    alone = False
    sanitized = True

    def interrupt(self, *arguments, after=0.3):
        file = self.path("partial.json")
        with open(file, "w", encoding="utf-8") as old:
            old.write("x")
        with subprocess.Popen([harness.binary, "observe", *arguments, "--json", file], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            # It is emptied when there is a result to lose.
            deadline = time.monotonic() + HANG_S
            while os.path.getsize(file) and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(after)
            process.send_signal(signal.SIGINT)
            text, remarks = process.communicate(timeout=HANG_S)
        self.assertEqual(process.returncode, 130, text + remarks)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual((result["complete"], result["exit_status"]), (False, 130))
        return text, result

    def test_interrupted(self):
        text, result = self.interrupt("--duration", "1h")
        self.assertIn("\npartial  interrupted after watching for ", text)
        self.assertLess(result["seconds"], HANG_S)
        self.assertIsNone(result["simulated"])
        self.assertIn(f"updates  {grouped(result['updates'])} ", text)

    def test_interrupted_in_the_simulation(self):
        """Or just before it, on a busy machine: no moment may be one at which nobody listens."""
        for after in (0.2, 0.3, 1):
            self.interrupt("--duration", "200ms", "--simulate", "1h", after=after)

    @once
    def test_an_ordinary_user_sees_the_same(self):
        os.chmod(self.directory, 0o755)
        program = shutil.copy(harness.binary, self.path("contend"))
        os.chmod(program, 0o755)
        options = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_RTPRIO, (0, 0))}
        if os.geteuid() == 0:
            options.update(user=NOBODY, group=NOBODY, extra_groups=[])
        done = subprocess.run([program, *BRIEF, "--json", "-"], text=True, timeout=HANG_S,
                              stdin=subprocess.DEVNULL, capture_output=True, cwd="/", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.check_json(done.stdout)["layout"], self.observe()[1]["layout"])

    @once
    def test_in_a_time_namespace(self):
        unshare = ["unshare", "--time", "--boottime", "86400", harness.binary, *BRIEF, "--json",
                   "-"]
        try:
            done = subprocess.run(unshare, text=True, timeout=HANG_S, stdin=subprocess.DEVNULL,
                                  capture_output=True)
        except OSError as error:
            self.skipTest(str(error))
        if done.returncode and "unshare" in done.stderr:
            self.skipTest(done.stderr)
        result = self.check_json(done.stdout)
        self.assertTrue(result["page"]["in_namespace"])
        self.assertEqual(result["layout"], self.observe()[1]["layout"])


if __name__ == "__main__":
    harness.main()
