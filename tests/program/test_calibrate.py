#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend calibrate: test_calibrate.py BINARY [unittest options].

Ratios are whatever the machine makes of them. The kernel's page need not be one that can be copied;
where it is not, only what must then be said is tested.
"""
import ctypes
import json
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import time

import harness
from harness import HANG_S, ProgramTest, contend, grouped, once

CLOCKS = ["realtime", "monotonic", "monotonic_raw", "realtime_coarse", "monotonic_coarse",
          "boottime", "tai"]
CONTESTANTS = [("our reader", "reader"), ("image:host", "image"), ("host's vDSO", "host"),
               ("glibc", "libc"), ("system call", "system")]
SHORT = ("--duration", "300ms")
CPUS = sorted(os.sched_getaffinity(0))
NOBODY = 65534

# null here means that there is nothing to tell.
NOT_MEASURED = (r"config\.cpu", r"machine\.hypervisor",
                r"clocks\.\d+\.contestants\.\d+\.values\.example",
                r"clocks\.\d+\.contestants\.\d+\.code\.difference",
                r"clocks\.\d+\.pairs\.\d+\.difference")


def unexplained(result):
    for path in harness.nulls(result):
        if not any(re.fullmatch(known, path) for known in NOT_MEASURED):
            if path not in result["unavailable"]:
                yield path


def forbid_ptrace():
    """In the child, before it becomes contend: what a sandbox does."""
    number = {"x86_64": 101}[platform.machine()]
    allow, deny = 0x7fff0000, 0x00050001  # and say EPERM
    program = b"".join(struct.pack("HBBI", *statement) for statement in (
        (0x20, 0, 0, 0),            # load the number of the call
        (0x15, 0, 1, number),       # is it this one?
        (0x06, 0, 0, deny),
        (0x06, 0, 0, allow)))
    code = ctypes.create_string_buffer(program)
    filter_program = struct.pack("HxxxxxxP", 4, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filter_program, 0, 0):
        raise OSError(ctypes.get_errno(), "no seccomp here")


class CalibrateTest(ProgramTest):
    schema = "calibrate.schema.json"
    without_page = None  # why there is none; "" where there is one

    def check_json(self, text):
        result = json.loads(text, parse_constant=lambda name: self.fail(f"{name} is not JSON"))
        errors = [f"{error.json_path}: {error.message}"
                  for error in self.validator.iter_errors(result)]
        self.assertEqual(errors, [])
        self.assertEqual(list(unexplained(result)), [])
        return result

    def calibrate(self, *arguments, **options):
        return self.both("calibrate", *SHORT, *arguments, **options)

    def image(self, name):
        if not harness.images():
            self.skipTest("this build makes no images: they are for x86")
        return os.path.join(harness.images(), name + ".so")

    def need_page(self):
        """Skips where the kernel's page cannot be copied."""
        if why := self.no_page():
            self.skipTest(f"no copies of this page: {why}")

    def no_page(self):
        if CalibrateTest.without_page is None:
            result = self.calibrate("--clock", "tai")[1]
            CalibrateTest.without_page = result["unavailable"].get("page", "")
        return CalibrateTest.without_page

    def check_shape(self, result, clocks, images=()):
        names = CONTESTANTS + [(f"image:{os.path.basename(image)}", "image") for image in images]
        self.assertEqual([(c["name"], c["kind"]) for c in result["contestants"]], names)
        self.assertEqual([c["image"] for c in result["contestants"] if c["kind"] == "image"],
                         ["host", *images])
        self.assertEqual([clock["clock"] for clock in result["clocks"]], clocks)
        for clock in result["clocks"]:
            self.assertEqual([c["name"] for c in clock["contestants"]], [n for n, _ in names])
            self.assertEqual([pair["name"] for pair in clock["pairs"]],
                             [name for name, _ in names[6:]])

    def check_sums(self, result):
        cells = [cell for clock in result["clocks"] for cell in clock["contestants"]]
        if result["values"]:
            for name in ("compared", "disagreements"):
                self.assertEqual(sum(cell["values"][name] for cell in cells if cell["values"]),
                                 result["values"][name])
        for cell in cells:
            if cell["values"]:
                self.assertGreater(cell["values"]["compared"], 0)
                self.assertEqual(cell["values"]["example"] is not None,
                                 cell["values"]["disagreements"] > 0)
            if cell["ratio_ci95"]:
                low, high = cell["ratio_ci95"]
                self.assertLessEqual(low, cell["ratio_to_host"])
                self.assertLessEqual(cell["ratio_to_host"], high)

    def check_agreement(self, text, result):
        self.assertIn(f"contend  calibrate {len(result['clocks'])} clock", text)
        self.assertIn(f" on CPU {result['cpu']}, ", text)
        self.assertIn(f" medians of {grouped(result['rounds'])} round", text)
        for clock in result["clocks"]:
            line = re.search(rf"^{clock['clock']} .*$", text, re.MULTILINE)[0]
            at = 0
            for cell, contestant in zip(clock["contestants"], result["contestants"]):
                shown = ("system" if cell["calls_system"] else
                         f"{cell['read_ns']:.2f}" if cell["read_ns"] else "n/a")
                self.assertIn(f" {shown}", line[at:])
                at = line.index(f" {shown}", at) + len(shown)
                if cell["ratio_to_host"] and contestant["kind"] != "host":
                    ratio = cell["ratio_to_host"]
                    digits = 4 if ratio < 2 else 3 if ratio < 10 else 2
                    self.assertIn(f"{ratio:.{digits}f}", line[at:])
        if result["values"]:
            self.assertIn(f"values   {grouped(result['values']['disagreements'])} disagree of "
                          f"{grouped(result['values']['compared'])}, ", text)
        else:
            self.assertIn("values   n/a: ", text)


class Usage(CalibrateTest):
    alone = False

    WRONG = (
        ("--clock", "bogus", "", "tai,", ",tai", "tai,tai", "TAI", "x" * 300),
        ("--cpu", "1023", "99999", "-1", "0-1", "x", ""),
        ("--duration", "10", "0s", "-1s", "2h", "999us", ""),
        ("--image", "/nope", "/", "", "/dev/null", __file__),
        ("--json", "/nope/x", "/", ""),
    )

    def test_wrong_values(self):
        for option, *values in self.WRONG:
            for value in values:
                with self.subTest(option=option, value=value):
                    done = contend("calibrate", *SHORT, option, value)
                    self.one_line(done)
                    self.assertTrue(done.stderr.startswith(f"contend: {option}: "), done.stderr)
                    self.assertEqual(done.stdout, "")

    def test_wrong_options(self):
        for arguments in (("--bogus",), ("-x",), ("--clock",), ("--quiet=1",), ("--c", "tai"),
                          ("stray",), ("--readers", "1"),
                          ("--clock", "tai", "--clock", "monotonic,tai")):
            with self.subTest(arguments=arguments):
                done = contend("calibrate", *SHORT, *arguments)
                self.one_line(done)
                self.assertEqual(done.stdout, "")

    def test_refused_images(self):
        good = self.image("v6.15")
        for name, why in (("unknown-layout", "no known layout"), ("hangs", "did not return"),
                          ("no-symbol", "it has no __vdso_clock_gettime")):
            done = contend("calibrate", *SHORT, "--image", good, "--image", self.image(name))
            self.one_line(done)
            self.assertIn(why, done.stderr)

    def test_too_many_images(self):
        image = self.image("v6.15")
        done = contend("calibrate", *SHORT, *("--image", image) * 5)
        self.one_line(done)
        self.assertIn("4 images at most", done.stderr)

    def test_cpu_not_allowed(self):
        if len(CPUS) < 2:
            self.skipTest("one CPU")
        done = contend("calibrate", *SHORT, "--cpu", str(CPUS[1]),
                       preexec_fn=lambda: os.sched_setaffinity(0, CPUS[:1]))
        self.one_line(done)
        self.assertIn("not allowed", done.stderr)

    def test_mistake_leaves_an_old_result_alone(self):
        file = self.path("old.json")
        with open(file, "w", encoding="utf-8") as old:
            old.write("old")
        self.one_line(contend("calibrate", "--json", file, "--clock", "bogus"))
        with open(file, encoding="utf-8") as old:
            self.assertEqual(old.read(), "old")

    def test_help(self):
        done = contend("calibrate", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith("Usage: contend calibrate"))
        self.assertIn("RUN", done.stdout)
        self.assertRegex(done.stdout, r"host,\s+the\s+running\s+kernel's\s+own,")
        self.assertIn("calibrate", contend("--help").stdout)
        for entry in re.split(r"\n(?=  (?:-\w,|   ) --)", done.stdout)[1:]:
            option = re.search(r"--([a-z-]+)", entry)[1]
            if option not in ("quiet", "help"):
                self.assertRegex(entry, r"[Dd]efault", f"--{option}")


class Result(CalibrateTest):
    alone = False

    def test_all_clocks(self):
        text, result = self.calibrate()
        self.check_shape(result, CLOCKS)
        self.check_sums(result)
        self.check_agreement(text, result)
        self.assertEqual(result["config"]["clocks"], CLOCKS)
        self.assertEqual((result["complete"], result["outcome"]), (True, "complete"))
        self.assertEqual(result["cpu"], CPUS[-1])
        for clock in result["clocks"]:
            system = clock["contestants"][4]
            self.assertGreater(system["read_ns"], 0)
            self.assertFalse(system["calls_system"])
            self.assertIsNone(system["code"])

    def test_copies_of_the_page(self):
        self.need_page()
        result = self.calibrate()[1]
        self.assertGreater(result["values"]["compared"], 0)
        self.assertEqual(result["values"]["disagreements"], 0)
        places = [c["code_at_byte_of_page"] for c in result["contestants"]]
        self.assertEqual(places[1], places[2])
        for clock in result["clocks"]:
            for cell in clock["contestants"][:3]:
                self.assertFalse(cell["calls_system"])
                self.assertGreater(cell["read_ns"], 0)
            for cell in clock["contestants"]:
                self.assertEqual(cell["values"] is None, cell["name"] == "host's vDSO")
            image, host = clock["contestants"][1:3]
            if image["code"] and host["code"]:
                self.assertTrue(image["code"]["same_as_host"])
                self.assertEqual(image["code"]["instructions"], host["code"]["instructions"])

    def test_images(self):
        self.need_page()
        images = [self.image(name) for name in ("gtod", "v6.10", "v5.3", "gtod-basemult")]
        options = [word for image in images for word in ("--image", image)]
        text, result = self.calibrate("--clock", "monotonic,monotonic_raw", *options)
        self.check_shape(result, ["monotonic", "monotonic_raw"], images)
        self.check_sums(result)
        self.check_agreement(text, result)
        self.assertEqual(result["config"]["images"], images)
        monotonic, raw = result["clocks"]
        for pair in monotonic["pairs"]:
            self.assertEqual(pair["against"], "image:gtod.so")
            self.assertGreater(pair["ratio"], 0)
        gtod = raw["contestants"][5]
        self.assertTrue(gtod["calls_system"])
        self.assertIsNone(gtod["read_ns"])
        # It is right all the same.
        self.assertGreater(gtod["values"]["compared"], 0)
        self.assertEqual(gtod["values"]["disagreements"], 0)
        self.assertIn("system   image:gtod.so does not answer for monotonic_raw", text)
        self.assertIn("\nratio to image:gtod.so", text)
        self.assertTrue(all(pair["ratio"] is None for pair in raw["pairs"]))

    def test_images_of_other_code(self):
        self.need_page()
        images = [self.image(name) for name in ("v6.15", "v6.10")]
        text, result = self.calibrate("--clock", "tai", "--image", images[0], "--image", images[1])
        pair = result["clocks"][0]["pairs"][0]
        if pair["same_code"] is None:
            self.skipTest("calls cannot be traced here")
        self.assertFalse(pair["same_code"])
        difference = pair["difference"]
        self.assertNotEqual(difference["lines"], difference["first_lines"])
        self.assertRegex(text, r"\n           image:v6.10.so  +image:v6.15.so\n")
        self.assertIn(f"           {difference['lines'][0]} ", text)

    @once
    def test_code_that_fails(self):
        """It is tried in a child, and not called here."""
        self.need_page()
        for name, why in (("crashes-today", "was ended by a signal"),
                          ("hangs-today", "did not return within 1 s of CPU time")):
            text, result = self.calibrate("--clock", "tai,monotonic", "--image", self.image(name))
            self.check_sums(result)
            self.check_agreement(text, result)
            for i, clock in enumerate(result["clocks"]):
                cell = clock["contestants"][5]
                for part in ("calls_system", "read_ns", "ratio_to_host", "code", "values"):
                    self.assertIsNone(cell[part])
                    self.assertIn(why, result["unavailable"][f"clocks.{i}.contestants.5.{part}"])
                self.assertIn(f"\nn/a      image:{name}.so for {clock['clock']}: the call {why}",
                              text)
                self.assertGreater(clock["contestants"][3]["values"]["compared"], 0)

    def test_disagreement(self):
        self.need_page()
        image = self.image("wrong-later")
        text, result = self.calibrate("--image", image, status=2)
        self.check_sums(result)
        self.check_agreement(text, result)
        for clock in result["clocks"]:
            *others, wrong = clock["contestants"]
            self.assertGreater(wrong["values"]["disagreements"], 0)
            self.assertTrue(all(cell["values"]["disagreements"] == 0
                                for cell in others if cell["values"]))
            example = wrong["values"]["example"]
            self.assertGreater(example["value_ns"], example["host_after_ns"])
            self.assertIn(f"{clock['clock']}, image:wrong-later.so: ", text)

    def test_images_without_a_page(self):
        if not self.no_page():
            self.skipTest("there is a page")
        self.one_line(contend("calibrate", *SHORT, "--image", self.image("v6.15")))


class Shape(CalibrateTest):
    """What is said of what was measured."""
    alone = False
    once = True

    def test_remarks_go_with_ratios(self):
        images = []
        if harness.images() and not self.no_page():
            images = [word for name in ("v6.15", "gtod")
                      for word in ("--image", self.image(name))]
        result = self.calibrate(*images)[1]
        for clock in result["clocks"]:
            for cell in clock["contestants"]:
                if cell["name"] not in ("host's vDSO", "system call"):
                    self.check_remark(result, clock, cell["name"], "the host's time",
                                      cell["ratio_to_host"])
            for pair in clock["pairs"]:
                self.check_remark(result, clock, pair["name"], "the first image's time",
                                  pair["ratio"])

    def check_remark(self, result, clock, name, against, ratio):
        said = any(f"({clock['clock']})" in remark and remark.startswith(f"{name} takes ")
                   and f" of {against}: " in remark for remark in result["remarks"])
        self.assertEqual(said, ratio is not None and not 0.97 <= ratio <= 1.03,
                         (clock["clock"], name, ratio))

    def test_one_image_has_no_pairs(self):
        self.need_page()
        image = self.image("v6.17")
        text, result = self.calibrate("--clock", "tai", "--image", image)
        self.check_shape(result, ["tai"], [image])
        self.assertNotIn("\nratio to ", text)

    def test_images_of_one_name(self):
        """Before and after a patch: every kernel's build calls its file the same."""
        self.need_page()
        images = []
        for name in ("before", "after"):
            os.mkdir(self.path(name))
            images.append(shutil.copy(self.image("v6.15"), self.path(f"{name}/vdso64.so")))
        text, result = self.calibrate("--clock", "tai", "--image", images[0], "--image", images[1])
        names = [contestant["name"] for contestant in result["contestants"]]
        self.assertEqual(names[-2:], ["image:before/vdso64.so", "image:after/vdso64.so"])
        self.assertIn("\nratio to image:before/vdso64.so, ", text)
        pair = result["clocks"][0]["pairs"][0]
        if pair["same_code"] is None:
            self.assertIn("traced", result["unavailable"]["clocks.0.pairs.0.same_code"])
        else:
            self.assertTrue(pair["same_code"])
            self.assertIn("\nsame     image:after/vdso64.so executes what "
                          "image:before/vdso64.so does for tai\n", text)

    def test_images_against_the_host_s(self):
        self.need_page()
        image = self.image("v6.15")
        text, result = self.calibrate("--clock", "tai", "--image", "host", "--image", image)
        self.check_shape(result, ["tai"], ["host", image])
        pair = result["clocks"][0]["pairs"][0]
        self.assertEqual(pair["against"], "image:host")
        self.assertIsNotNone(pair["ratio"])
        self.assertIn("\nratio to image:host, ", text)

    def test_schema_is_strict(self):
        result = self.calibrate("--cpu", str(CPUS[0]), "--clock", "tai")[1]
        for name in result.keys() - harness.LATER:
            lacking = {key: value for key, value in result.items() if key != name}
            self.assertFalse(self.validator.is_valid(lacking), name)
        cell = result["clocks"][0]["contestants"][4]
        for name in list(cell):
            kept = cell.pop(name)
            self.assertFalse(self.validator.is_valid(result), name)
            cell[name] = kept
        for part in (result, cell, cell["values"] or cell, result["config"], result["counter"],
                     result["contestants"][0], result["clocks"][0]):
            part["stranger"] = 1
            self.assertFalse(self.validator.is_valid(result))
            del part["stranger"]
        self.assertTrue(self.validator.is_valid(result))


class Options(CalibrateTest):
    """Each option changes what the program says."""
    once = True
    alone = False

    def test_clock(self):
        for arguments in (("--clock", "tai,boottime"), ("--clock", "tai", "--clock", "boottime")):
            text, result = self.calibrate(*arguments)
            self.check_shape(result, ["tai", "boottime"])
            self.assertIn("contend  calibrate 2 clocks by ", text)
            self.assertNotIn("\nmonotonic ", text)

    def test_image(self):
        self.need_page()
        image = self.image("v6.15")
        result = self.calibrate("--clock", "tai", "--image", image)[1]
        self.assertEqual(result["config"]["images"], [image])

    def test_cpu(self):
        for cpu in {CPUS[0], CPUS[-1]}:
            text, result = self.calibrate("--clock", "tai", "--cpu", str(cpu))
            self.assertEqual((result["config"]["cpu"], result["cpu"]), (cpu, cpu))
            self.assertIn(f" on CPU {cpu}, ", text)

    def test_duration(self):
        text, result = self.both("calibrate", "--clock", "tai", "--duration", "0.5s")
        self.assertEqual(result["config"]["duration_ns"], 500000000)
        self.assertIn(", 500 ms\n", text)
        # A busy machine makes it longer, nothing makes it much shorter.
        self.assertGreaterEqual(result["seconds"], 0.3)
        self.assertEqual(self.both("calibrate", "--clock", "tai", "-d", "1ms")[1]["config"]
                         ["duration_ns"], 1000000)

    def test_json_and_nothing_else(self):
        done = contend("calibrate", *SHORT, "--clock", "tai", "--json", "-")
        self.assertEqual(done.returncode, 0)
        self.check_json(done.stdout)

    def test_quiet(self):
        file = self.path("quiet.json")
        done = contend("calibrate", *SHORT, "--clock", "tai", "--quiet", "--json", file)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(file, encoding="utf-8") as written:
            self.check_json(written.read())

    def test_there_is_a_test_for_every_option(self):
        options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)",
                                 contend("calibrate", "--help").stdout, re.MULTILINE))
        tested = {name[5:] for name in dir(self) if name.startswith("test_")}
        self.assertEqual(options - tested, {"json", "help"})


class Surroundings(CalibrateTest):
    alone = False

    @once
    def test_no_privilege(self):
        if os.geteuid() != 0:
            self.skipTest("not root: every other test shows it")
        readable = subprocess.run([harness.binary, "--version"], user=NOBODY, check=False,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if readable.returncode != 0:
            self.skipTest("nobody else may run this build")
        done = contend("calibrate", *SHORT, "--json", "-", user=NOBODY, group=NOBODY)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.check_json(done.stdout)
        if result["page"]:
            self.assertEqual(result["values"]["disagreements"], 0)

    def calibrate_without_ptrace(self, *arguments, status=0):
        if platform.machine() != "x86_64" or struct.calcsize("P") != 8:
            self.skipTest("the filter is for x86-64")
        with open(harness.binary, "rb") as file:
            if file.read(5)[4] != 2:
                self.skipTest("the filter is for programs of 64 bits")
        try:
            # What looks for leaks at the end needs ptrace as well.
            done = contend("calibrate", *SHORT, "--clock", "tai", "--json", "-", *arguments,
                           preexec_fn=forbid_ptrace,
                           env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
        except subprocess.SubprocessError:
            self.skipTest("no seccomp here")
        self.assertEqual(done.returncode, status, done.stderr)
        return self.check_json(done.stdout)

    def test_no_ptrace(self):
        """What could not be seen is not denied."""
        result = self.calibrate_without_ptrace()
        for i, cell in enumerate(result["clocks"][0]["contestants"][:4]):
            path = f"clocks.0.contestants.{i}."
            self.assertIsNone(cell["code"])
            if result["page"]:
                self.assertIn("may not be traced", result["unavailable"][path + "code"])
                # A page of ours tells who does not read it.
                self.assertIs(cell["calls_system"], False if i < 2 else None)
            if i >= 2:
                self.assertIn("may not be traced", result["unavailable"][path + "calls_system"])
        said = [remark for remark in result["remarks"] if "calls of the system" in remark]
        self.assertEqual(len(said), 1)
        self.assertIn("could not be seen of host's vDSO, glibc: a child process may not be traced",
                      said[0])

    def test_code_that_fails_without_ptrace(self):
        self.need_page()
        result = self.calibrate_without_ptrace("--image", self.image("crashes-today"))
        cell = result["clocks"][0]["contestants"][5]
        self.assertIsNone(cell["read_ns"])
        self.assertIn("was ended by a signal",
                      result["unavailable"]["clocks.0.contestants.5.read_ns"])

    def test_time_namespace(self):
        self.need_page()
        command = ["unshare", "--time", "--boottime", "1000000", "--monotonic", "5000", "--fork"]
        try:
            if subprocess.run([*command, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
                self.skipTest("no time namespaces may be made here")
        except FileNotFoundError:
            self.skipTest("there is no unshare")
        done = subprocess.run([*command, harness.binary, "calibrate", *SHORT, "--json", "-"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=HANG_S, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        result = self.check_json(done.stdout)
        self.assertTrue(result["page"]["in_namespace"])
        self.assertGreater(result["values"]["compared"], 0)
        self.assertEqual(result["values"]["disagreements"], 0)

    @once
    def test_output_that_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.one_line(contend("calibrate", *SHORT, "--clock", "tai", "--quiet", "--json", "-",
                                  stdout=full))
        self.one_line(contend("calibrate", *SHORT, "--clock", "tai", "--quiet", "--json",
                              "/dev/full"))


class Endings(CalibrateTest):
    alone = False

    def await_begin(self, process, file):
        """Until an earlier result has been thrown away: before, there is none to lose."""
        deadline = time.monotonic() + HANG_S
        while time.monotonic() < deadline and process.poll() is None:
            if os.path.getsize(file) == 0:
                return
            time.sleep(0.005)
        process.kill()
        self.fail("it does not begin")

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            file = self.path("partial.json")
            with open(file, "w", encoding="utf-8") as old:
                old.write("old")
            with subprocess.Popen([harness.binary, "calibrate", "--duration", "60s", "--json",
                                   file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as process:
                self.await_begin(process, file)
                process.send_signal(number)
                text, remarks = process.communicate(timeout=HANG_S)
            self.assertEqual(process.returncode, 130, text + remarks)
            self.assertIn("\npartial  interrupted after ", text)
            with open(file, encoding="utf-8") as written:
                result = self.check_json(written.read())
            self.assertEqual((result["complete"], result["outcome"], result["exit_status"]),
                             (False, "interrupted", 130))
            self.assertGreaterEqual(result["rounds"], 1)
            self.assertLess(result["seconds"], 60)

    @once
    def test_interrupted_at_any_time(self):
        """No signal leaves half a result, or one that is not its own."""
        for delay in range(0, 300, 20):
            file = self.path(f"at-{delay}.json")
            with subprocess.Popen([harness.binary, "calibrate", "--duration", "60s", "--json",
                                   file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as process:
                time.sleep(delay / 1000)
                process.send_signal(signal.SIGINT)
                text, remarks = process.communicate(timeout=HANG_S)
            # Before main is reached, the signal does what it does to every program.
            self.assertIn(process.returncode, (130, -signal.SIGINT), text + remarks)
            if process.returncode == 130 and text:
                with open(file, encoding="utf-8") as written:
                    self.check_json(written.read())
            else:
                self.assertFalse(os.path.exists(file))


if __name__ == "__main__":
    harness.main()
