#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend settle: test_settle.py BINARY [unittest options].

What is found is whatever the machine makes of it; that a verdict follows from the figures is not.
"""
import configparser
import glob
import json
import os
import re
import signal
import subprocess
import time

import jsonschema

import harness
import test_compare
from harness import HANG_S, HERE, ProgramTest, contend, once

CPUS = sorted(os.sched_getaffinity(0))
def is_argument(path):
    with open(path, encoding="utf-8") as file:
        return "\n[argument]\n" in file.read()


SCENARIOS = sorted(filter(is_argument, glob.glob(os.path.join(HERE, "..", "..", "scenarios", "*.ini"))))
# All four arguments at once make some fifty comparisons, the first time with as many compilations.
LONG_S = 200

HEAD = "[argument]\ntitle = A title\nclaim = what was claimed\nby = somebody\n"
PAIR = "baseline = hres:hint=none\nreader = hres\n"
ONE = HEAD + "[compare one]\n" + PAIR
THREE = HEAD + "".join(f"[compare {name}]\n{PAIR}claim = claim of {name}\n"
                       for name in ("one", "two", "three"))
LACKING = "[compare lacking]\nbaseline = hres@cc=no-such-compiler\nreader = hres\n"
LOOK_HERE = "[inspect look]\nreader = hres\nclaim = 176 bytes\n"
LOOK = "[inspect look]\nreader = hres:inline=auto\ntarget = powerpc-linux-gnu\nclaim = 176 bytes\n"

CANNOT_BE_HERE = r"there is no compiler|does not let programs put lines|size of this machine's L1"


def wanted_verdict(part):
    """The rule, once more, of the figures in JSON."""
    comparison, claimed = part["comparison"], part["claimed_percent"]
    result = comparison["results"][0]
    interval = result["ci95_percent"]
    if result["same_code"]:
        return "same_code"
    if not interval or not comparison["complete"]:
        return "cannot_tell"
    resolution = comparison["config"]["resolution_percent"]
    farther = max(map(abs, interval))
    definite = claimed and claimed[0] * claimed[1] > 0
    least = min(map(abs, claimed)) if definite else float("inf")
    if farther <= resolution < least:
        return "not_seen"
    if interval[0] <= 0 <= interval[1]:
        return "not_seen" if definite and farther < least else "cannot_tell"
    if not claimed:
        return "seen"
    if interval[0] <= claimed[1] and claimed[0] <= interval[1]:
        return "as_large"
    if definite and (interval[0] > 0) != (claimed[0] > 0):
        return "other_way"
    return "smaller" if definite and farther < least else "larger"


class SettleTest(ProgramTest):
    schema = "settle.schema.json"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(os.path.join(HERE, "..", "..", "report", "compare.schema.json"),
                  encoding="utf-8") as file:
            cls.comparison_validator = jsonschema.Draft202012Validator(json.load(file))

    def argument(self, text, name="argument.ini"):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def check_json(self, text):
        result = json.loads(text, parse_constant=lambda name: self.fail(f"{name} is not JSON"))
        errors = [f"{error.json_path}: {error.message}"
                  for error in self.validator.iter_errors(result)]
        self.assertEqual(errors, [])
        nulls = [path for path in harness.nulls(result)
                 if ".comparison." not in path and ".inspection." not in path]
        self.assertEqual(sorted(nulls), sorted(result["unavailable"]))
        for part in result["comparisons"]:
            self.check_comparison(part)
        return result

    def check_comparison(self, part):
        comparison = part["comparison"]
        if comparison is None:
            self.assertEqual((part["verdict"], part["verdict_text"]), (None, None))
            return
        errors = [f"{error.json_path}: {error.message}"
                  for error in self.comparison_validator.iter_errors(comparison)]
        self.assertEqual(errors, [])
        self.assertEqual(list(test_compare.unexplained(comparison)), [])
        self.assertEqual([comparison["baseline"]["reader"], comparison["results"][0]["reader"]],
                         part["readers"])
        self.assertEqual(part["verdict"], wanted_verdict(part), part)

    def settle(self, path, *arguments, status=0, command=("settle",)):
        """Text and JSON; a machine that is busy with other things needs more time for a result."""
        file = self.path("result.json")
        for duration in ("300ms", "2s", "10s"):
            done = contend(*command, path, "--duration", duration, "--json", file, *arguments)
            if "give it more time" not in done.stderr:
                break
        self.stderr = done.stderr
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual(result["exit_status"], status)
        return done.stdout, result

    def check_agreement(self, text, result):
        """What the text says, JSON says too, the claim next to what was found."""
        for line in (result["title"], *result["claim"], *result["by"]):
            self.assertRegex(text, rf"(?m)^(settle|claim|by|  ) +{re.escape(line)}$")
        head, *table = re.split(r"(?m)^ +claimed +measured +95 % interval   verdict$", text)
        sections = {section.split("\n", 1)[0]: section for section in head.split("\n\n")[1:]}
        for part in (*result["comparisons"], *result["inspections"]):
            section = sections[part["name"]]
            for line in part["claim"]:
                self.assertIn(line, section)
            for reader in part["readers"]:
                self.assertIn(reader, section)
        for part in result["comparisons"]:
            if part["comparison"]:
                self.assertRegex(sections[part["name"]],
                                 rf"(?m)^  verdict   {re.escape(part['verdict_text'])}$")
                self.assertRegex(table[0], rf"(?m)^{re.escape(part['name'])} .*"
                                           rf"   {re.escape(part['verdict_text'])}$")


class Scenarios(SettleTest):
    """Those that come with contend."""
    once = True
    alone = False

    def run_scenario(self, name):
        path = next(path for path in SCENARIOS if os.path.basename(path) == f"{name}.ini")
        file = self.path(f"{name}.json")
        done = subprocess.run([harness.binary, path, "--duration", "300ms", "--json", file],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LONG_S)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        short = "give it more time" in done.stderr
        self.assertEqual(done.returncode, result["exit_status"])
        self.assertEqual(done.returncode, int(short or bool(
            {path.split(".")[2] for path in result["unavailable"]} & {"comparison", "inspection"})))
        for reason in result["unavailable"].values():
            self.assertRegex(reason, CANNOT_BE_HERE + "|nothing was claimed")
        self.check_agreement(done.stdout, result)
        parser = configparser.ConfigParser(strict=False)
        parser.read(path)
        self.assertEqual([part["name"] for part in result["comparisons"]],
                         [name[8:] for name in parser.sections() if name.startswith("compare ")])
        return {part["name"]: part for part in result["comparisons"]}, result

    def test_all_have_a_test(self):
        tested = {name[5:].replace("_", "-") for name in dir(self) if name.startswith("test_")}
        names = {os.path.basename(path)[:-4] for path in SCENARIOS}
        self.assertEqual(names - tested, set())
        self.assertEqual(len(names), 4)

    def test_no_longer_than_two_minutes(self):
        for path in SCENARIOS:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            each = [int(s) for s in re.findall(r"(?m)^duration = (\d)s$", text)]
            self.assertEqual(len(each), len(re.findall(r"(?m)^\[compare ", text)))
            self.assertLessEqual(sum(each), 120, path)

    def test_unlikely_read_begin(self):
        parts = self.run_scenario("unlikely-read-begin")[0]
        self.assertEqual(len(parts), 8)
        self.assertEqual(parts["gcc-monotonic-0hz"]["claimed_percent"], [-2, -2])

    def test_always_inline(self):
        parts, result = self.run_scenario("always-inline")
        self.assertEqual(len(parts), 18)
        self.assertEqual([part["targets"] for part in result["inspections"]],
                         [["powerpc-linux-gnu"], ["arm-linux-gnueabihf"]])

    def test_inline_or_trust_the_compiler(self):
        parts = self.run_scenario("inline-or-trust-the-compiler")[0]
        self.assertEqual(len(parts), 12)
        for name, part in parts.items():
            if part["comparison"]:
                self.assertEqual(part["comparison"]["config"]["still"], name.startswith("still-"))

    def test_mult_shift_in_basetime(self):
        parts = self.run_scenario("mult-shift-in-basetime")[0]
        works = [part["comparison"]["config"]["work"] for part in parts.values()
                 if part["comparison"]]
        self.assertIn({"kind": "alu", "operations": 20}, works)
        self.assertEqual(len(parts), 12)


class Output(SettleTest):
    alone = False

    def test_claim_next_to_measurement(self):
        text, result = self.settle(self.argument(
            ONE + "claim = twice as slow\nclaimed_percent = 100\nresolution = 50%\n"
            "[compare two]\nbaseline = hres\nreader = hres\nclaimed_percent = -4 to 5\nhz = 0\n"))
        self.check_agreement(text, result)
        one, two = result["comparisons"]
        self.assertEqual((one["line"], two["line"]), (5, 11))
        self.assertEqual(one["claimed_percent"], [100, 100])
        self.assertIn("\n  claimed   twice as slow\n            +100 %\n", text)
        self.assertIn("\n  claimed   -4 to +5 %\n", text)
        self.assertIn("\n  readers   hres against hres:hint=none\n", text)
        self.assertIn(", writer tick at 1000 Hz, ", text)
        self.assertIn(", no writer, ", text)
        self.assertEqual((two["verdict"], two["verdict_text"]),
                         ("same_code", "not seen: same code"))
        self.assertIn("\n  code      the same, ", text)
        self.assertRegex(text, r"\n            \S+ % sd between \d+ placements; retries/million ")
        self.assertRegex(text, r"\nmachine  .*, kernel ")
        self.assertNotIn("each page lies", text)

    @once
    def test_two_pages(self):
        text = self.settle(self.argument(HEAD + "[compare one]\nbaseline = hres\n"
                                         "reader = hres:layout=gtod\n"))[0]
        self.assertIn("\n            each page lies in memory where it was put", text)

    @once
    def test_remarks_once(self):
        self.settle(self.argument(THREE))
        remarks = re.findall(r"(?m)^remark   (.*)$", self.stderr)
        self.assertEqual(len(remarks), len(set(remarks)))

    def test_a_planted_difference(self):
        """Of a coarse clock, which reads no counter; whichever way it was claimed."""
        parts = "".join(f"[compare {name}]\nbaseline = hres\nreader = coarse\n"
                        f"claimed_percent = {claimed}\n"
                        for name, claimed in (("as_large", "-99 to -20"), ("smaller", "-99.99"),
                                              ("larger", "-10"), ("other_way", "5")))
        result = self.settle(self.argument(HEAD + parts))[1]
        self.assertEqual([part["verdict"] for part in result["comparisons"]],
                         [part["name"] for part in result["comparisons"]])

    @once
    def test_what_cannot_be_done_here(self):
        """The rest is done all the same."""
        text, result = self.settle(self.argument(
            HEAD + LACKING + "[compare one]\n" + PAIR + "[compare where]\n" + PAIR +
            "cpus = 1023\n" + LOOK), status=1)
        lacking, one, where = result["comparisons"]
        self.assertIsNone(lacking["comparison"])
        self.assertIsNotNone(one["comparison"])
        self.assertIsNone(where["comparison"])
        self.assertEqual(result["inspections"][0]["targets"], ["powerpc-linux-gnu"])
        for path, line, name, because in (
                ("comparisons.0.comparison", 5, "compare lacking", "there is no compiler"),
                ("comparisons.2.comparison", 11, "compare where", "--cpus: ")):
            why = result["unavailable"][path]
            self.assertIn(because, why)
            self.assertIn(f"\n  n/a       {why}\n", text)
            self.assertIn(f"argument.ini:{line}: [{name}]: {why}\n", self.stderr)
        self.assertRegex(text, r"\nlacking .* n/a, see there\n")

    def test_schema_is_strict(self):
        result = self.settle(self.argument(ONE + LOOK_HERE))[1]
        part, look = result["comparisons"][0], result["inspections"][0]
        for object_ in (result, part, look):
            for name in object_.keys() - harness.LATER:
                kept = object_.pop(name)
                self.assertFalse(self.validator.is_valid(result), name)
                object_[name] = kept
            object_["stranger"] = 1
            self.assertFalse(self.validator.is_valid(result))
            del object_["stranger"]
        part["comparison"]["schema"] = "contend.run/1"
        self.assertFalse(self.validator.is_valid(result))

    @once
    def test_which_command(self):
        """The file decides."""
        path = self.argument(ONE)
        for command in ((), ("settle",)):
            self.settle(path, command=command)
        job = self.argument("[run]\nduration = 50ms\nwarmup = 1ms\n", "job.ini")
        done = contend(job, "--json", "-")
        self.assertEqual(json.loads(done.stdout)["schema"], "contend.run/1", done.stderr)
        done = contend("settle", job)
        self.one_line(done)
        self.assertIn(f"{job}:1: there is no section [run]", done.stderr)


class Options(SettleTest):
    """Each option changes what the program says."""
    once = True
    alone = False

    def test_only(self):
        path = self.argument(THREE)
        for names in (("two",), ("one", "three")):
            text, result = self.settle(path, *(word for name in names
                                               for word in ("--only", name)))
            self.assertEqual([part["name"] for part in result["comparisons"]], list(names))
            self.check_agreement(text, result)
            self.assertNotIn("claim of " + ("one" if names == ("two",) else "two"), text)
        done = contend("settle", path, "--only", "four")
        self.one_line(done)
        self.assertIn("there are one, two, three", done.stderr)

    def test_duration(self):
        path = self.argument(ONE + "duration = 20h\n[compare two]\n" + PAIR +
                             "precision = 40%\nmax-time = 20h\n")
        for part in self.settle(path)[1]["comparisons"]:
            self.assertLessEqual(part["comparison"]["config"]["duration_ns"], 10**10)
            self.assertIsNone(part["comparison"]["config"]["precision_percent"])
        # Without it the file has its way.
        done = contend("settle", self.argument(ONE + "duration = 310ms\nseed = 7\n"), "--json", "-")
        config = json.loads(done.stdout)["comparisons"][0]["comparison"]["config"]
        self.assertEqual((config["duration_ns"], config["seed"]), (310000000, 7))

    def test_json(self):
        done = contend("settle", self.argument(ONE), "--duration", "300ms", "--json", "-")
        self.check_json(done.stdout)
        self.one_line(contend("settle", self.argument(ONE), "--json", "/nope/x.json"))

    def test_quiet(self):
        text, result = self.settle(self.argument(ONE), "--quiet")
        self.assertEqual((text, self.stderr), ("", ""))
        self.assertEqual(len(result["comparisons"]), 1)

    def test_duration_of_inspections(self):
        done = contend("settle", self.argument(HEAD + LOOK_HERE), "--duration", "1s")
        self.one_line(done)
        self.assertIn("--duration: nothing is compared", done.stderr)

    def test_interrupted_while_it_compiles(self):
        """What there is is printed: that nothing was begun."""
        compiler, begun = self.path("slow-cc"), self.path("begun")
        with open(compiler, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n: >{begun}\nexec sleep 1000\n")
        os.chmod(compiler, 0o755)
        path = self.argument(HEAD + f"[compare one]\nbaseline = hres\nreader = hres@cc={compiler}\n")
        file = self.path("interrupted.json")
        with subprocess.Popen([harness.binary, path, "--json", file], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + HANG_S
            while not os.path.exists(begun) and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            text, errors = process.communicate(timeout=HANG_S)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("\npartial  interrupted", text)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual((result["complete"], result["exit_status"]), (False, 130))

    def test_mark_before_the_first_line(self):
        """Some editors put one there. What was in the file for JSON is gone, however long it was."""
        with open(self.path("result.json"), "w", encoding="utf-8") as file:
            file.write("old " * 100000)
        text = self.both("settle", self.argument("\ufeff" + HEAD + LOOK_HERE))[0]
        self.assertIn("reader   hres/", text)

    def test_inspection_of_some(self):
        """One reader that cannot be looked at is told, and the other is there."""
        text, result = self.both("settle", self.argument(
            HEAD + "[inspect look]\nreader = hres\nreader = nobody\n"), status=1)
        inspection = result["inspections"][0]["inspection"]
        self.assertEqual([reader["reader"] for reader in inspection["readers"]], ["hres/monotonic"])
        self.assertEqual([refused["reader"] for refused in inspection["refused"]], ["nobody"])
        self.assertIn("\nrefused  nobody: ", text)

    def test_help(self):
        done = contend("settle", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("[argument]", "[compare NAME]", "[inspect NAME]", "claimed_percent"):
            self.assertIn(word, done.stdout)
        self.assertIn("\n  settle ", contend("--help").stdout)

    def test_there_is_a_test_for_every_option(self):
        options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)",
                                 contend("settle", "--help").stdout, re.MULTILINE))
        tested = {name[5:] for name in dir(self) if name.startswith("test_")}
        self.assertEqual(options - tested, set())
        self.assertGreaterEqual(options, {"only", "duration", "json", "quiet", "help"})

    def test_progress(self):
        seen = self.stderr_of_terminal("settle", self.argument(THREE), "--duration", "1s")
        shares = [int(share) for share in re.findall(r"\r *(\d+) % done, \d+ s left", seen)]
        self.assertGreater(len(shares), 3)
        # Of all three, not of each.
        self.assertEqual(shares, sorted(shares))


class Refused(SettleTest):
    once = True
    alone = False

    def refused(self, text, line, because):
        path = self.argument(text)
        for command in ((), ("settle",)):
            done = contend(*command, path)
            self.one_line(done)
            self.assertTrue(done.stderr.startswith(f"contend: {path}:{line}: "), done.stderr)
            self.assertIn(because, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_form(self):
        for text, line, because in (
                (ONE + "hz = many\n", 8, "hz: 'many'"),
                (ONE + "what\n", 8, "neither [section] nor key = value"),
                (ONE + "quiet = yes\n", 8, "there is no key 'quiet'"),
                (ONE + "claimed_percent = 2 to 1\n", 8, "nor LOW to HIGH"),
                (HEAD, 4, "no [compare NAME]"),
                (HEAD + "[compare one]\nreader = hres\n", 5, "has no baseline"),
                (HEAD + "[inspect one]\n", 5, "has no reader"),
                (ONE + "[compare one]\n", 8, "a second section named one")):
            with self.subTest(text=text):
                self.refused(text, line, because)

    def test_usage(self):
        path = self.argument(ONE)
        for arguments, because in ((("settle",), "a file is wanted"),
                                   (("settle", path, path), "no such argument"),
                                   (("settle", path, "--duration", "3"), "--duration: "),
                                   (("settle", path, "--hz", "3"), "no such option"),
                                   ((path, "--readers", "3"), "no such option"),
                                   (("settle", "/nope/x.ini"), "No such file"),
                                   (("settle", "/"), "Is a directory"),
                                   (("settle", harness.binary), ":1: ")):
            done = contend(*arguments)
            self.one_line(done)
            self.assertIn(because, done.stderr)


class Endings(SettleTest):
    once = True

    def start(self, path, file, *arguments):
        return subprocess.Popen([harness.binary, "settle", path, "--json", file, *arguments],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def interrupt(self, kill):
        file = self.path("partial.json")
        path = self.argument(THREE.replace("[compare one]", LACKING + "[compare one]"))
        with self.start(path, file, "--duration", "1500ms") as process:
            text = ""
            for line in process.stdout:
                text += line
                if line == "two\n":
                    break
            time.sleep(0.5)
            kill(process)
            rest, remarks = process.communicate(timeout=HANG_S)
        text += rest
        self.assertEqual(process.returncode, 130, text + remarks)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual((result["complete"], result["exit_status"]), (False, 130))
        _, one, two, three = result["comparisons"]
        self.assertTrue(one["comparison"]["complete"])
        self.assertFalse(two["comparison"]["complete"])
        self.assertEqual(two["verdict_text"], "cannot tell: interrupted")
        self.assertIsNone(three["comparison"])
        self.assertIn("interrupted", result["unavailable"]["comparisons.3.comparison"])
        self.assertIn("\npartial  interrupted; ", text)
        self.assertIn(f"\n  verdict   {one['verdict_text']}\n", text)
        self.assertNotIn("\nthree\n", text)
        self.assertRegex(text, r"\nthree .* n/a: interrupted\n")

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.interrupt(lambda process, number=number: process.send_signal(number))

    def test_interrupted_as_by_a_terminal(self):
        """Ctrl-C reaches all processes of the group, the one that compares too."""
        self.interrupt(lambda process: os.killpg(process.pid, signal.SIGINT))

    def test_code_that_breaks(self):
        """It is named, the rest is done, and the status is 3."""
        if len(CPUS) < 2:
            self.skipTest("no update is met on one CPU")
        with open(test_compare.EXAMPLE, encoding="utf-8") as example:
            source = example.read().replace("\t\tNOTE_SPIN(note);", "\t\t__builtin_trap();")
        crashes = self.path("crashes.c")
        with open(crashes, "w", encoding="utf-8") as file:
            file.write(source)
        path = self.argument(HEAD + LACKING + f"[compare bad]\nbaseline = hres\nreader = {crashes}\n"
                             "hz = 1000000\nwriter = tick:hold=200ns\n[compare one]\n" + PAIR)
        file = self.path("broken.json")
        with self.start(path, file, "--duration", "2s") as process:
            text, remarks = process.communicate(timeout=HANG_S)
        self.assertEqual(process.returncode, 3, text + remarks)
        with open(file, encoding="utf-8") as written:
            lacking, bad, one = self.check_json(written.read())["comparisons"]
        self.assertIsNone(lacking["comparison"])
        self.assertEqual(bad["verdict_text"], "cannot tell: a reader's code broke")
        self.assertTrue(one["comparison"]["complete"])
        self.assertIn(f"\n  broken    {bad['comparison']['broken']}\n", text)
        self.assertRegex(remarks, r"(?m)^contend: .*argument\.ini:8: \[compare bad\]: crashes\.c/")


if __name__ == "__main__":
    harness.main()
