#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend diff, run: test_diff.py BINARY [unittest options]."""

import copy
import glob
import json
import os
import re
import subprocess
import sys

import jsonschema

import harness
from harness import HERE, ProgramTest, contend

REPORT = os.path.join(HERE, "..", "..", "report")
# As they were written before histograms, intervals, command lines and dates.
RESULTS = os.path.join(HERE, "..", "results")
KINDS = ("run", "compare", "sweep", "observe", "calibrate", "inspect", "prove", "verify", "settle")


def schema_of(kind):
    with open(os.path.join(REPORT, f"{kind}.schema.json"), encoding="utf-8") as file:
        return json.load(file)


def kind_of(result):
    return re.fullmatch(r"contend\.(\w+)/1", result["schema"])[1]


def old_results():
    for path in sorted(glob.glob(os.path.join(RESULTS, "*.json"))):
        with open(path, encoding="utf-8") as file:
            yield path, json.load(file)


def old_result(name):
    with open(os.path.join(RESULTS, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def changed(result, path, value):
    """A copy of the result that has another value there."""
    result = copy.deepcopy(result)
    *way, last = [int(name) if name.isdigit() else name for name in path.split(".")]
    part = result
    for name in way:
        part = part[name]
    part[last] = value
    return result


class DiffTest(ProgramTest):
    alone = False
    once = True
    schema = "diff.schema.json"

    def check_json(self, text):
        result = json.loads(text)
        errors = [f"{error.json_path}: {error.message}"
                  for error in self.validator.iter_errors(result)]
        self.assertEqual(errors, [])
        for figure in result["figures"]:
            self.assertEqual(figure["why"] is None, figure["judgement"] != "n/a", figure)
        return result

    def write(self, name, result):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        return path

    def diff(self, old, new, *arguments, status=0):
        """Text and JSON, and what was remarked, of a difference between two results."""
        file = self.path("diff.json")
        done = contend("diff", self.write("old.json", old), self.write("new.json", new),
                       *arguments, "--json", file)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual(result["exit_status"], status)
        self.assertEqual([figure["path"] for figure in result["figures"] if figure["fails"]] != [] or
                         any(lone["fails"] for lone in result["only_in_one"]), status == 2)
        return done.stdout, result, done.stderr

    def figure(self, result, path):
        """By its path, or its name where that is one of two."""
        found = [figure for figure in result["figures"] if path in (figure["path"], figure["name"])]
        self.assertEqual(len(found), 1, path)
        return found[0]

    def refused(self, old, new, *lines):
        """Refused, and why, in these lines; with --force compared all the same."""
        done = contend("diff", self.write("old.json", old), self.write("new.json", new))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        told = done.stderr.splitlines()
        things = f"{len(lines)} things differ" if len(lines) > 1 else "1 thing differs"
        self.assertEqual(told[0], f"contend: {self.path('old.json')} and {self.path('new.json')} "
                                  f"cannot be compared: {things}; --force does it all the same")
        self.assertEqual(told[1:], [f"contend: {line}" for line in lines])
        forced = contend("diff", self.path("old.json"), self.path("new.json"), "--force")
        self.assertNotEqual(forced.returncode, 1, forced.stderr)
        for line in lines:
            self.assertIn(f"differs  {line} (--force)\n", forced.stderr)


class OlderResults(DiffTest):
    """Results as version 0.1.0 wrote them first."""
    once = False

    def test_there_is_one_of_each_kind(self):
        self.assertEqual({kind_of(result) for _, result in old_results()}, set(KINDS))
        for path, result in old_results():
            self.assertNotIn("command_line", result, path)

    def test_schemas_still_take_them(self):
        for path, result in old_results():
            validator = jsonschema.Draft202012Validator(schema_of(kind_of(result)))
            self.assertEqual([error.message for error in validator.iter_errors(result)], [], path)

    def test_each_is_the_same_as_itself(self):
        for path, result in old_results():
            text, found, _ = self.diff(result, result)
            figures = len(found["figures"])
            self.assertEqual(found["kind"], kind_of(result))
            self.assertGreater(figures, 2, path)
            self.assertEqual({figure["judgement"] for figure in found["figures"]}, {"same"}, path)
            self.assertEqual(found["differences"], [])
            self.assertEqual(found["only_in_one"], [])
            self.assertIn(f"same     {figures} of {figures} figures\n", text)

    def test_each_path_leads_to_its_figure(self):
        """And each number is in the result, as it is or as a rate of it."""
        for path, result in old_results():
            for figure in self.diff(result, result)[1]["figures"]:
                part = result
                for name in figure["path"].split("."):
                    part = part[int(name)] if isinstance(part, list) else part[name]
                if isinstance(part, list):
                    part = len(part)
                if figure["unit"] == "per million" and isinstance(part, int) or \
                   figure["name"] == "visible read" and kind_of(result) == "run":
                    self.assertEqual(figure["new"] > 0, part > 0)
                else:
                    self.assertEqual(part, figure["new"], (path, figure["path"]))

    def test_against_one_of_this_version(self):
        """What only the newer has is no difference; the machine may be another, and is told."""
        for old, arguments in (
                ("run", ("run", "--readers", "2", "--hz", "1000", "--duration", "500ms")),
                ("inspect", ("inspect", "hres", "coarse")),
                ("prove", ("prove", "late-fence"))):
            new = self.path("made.json")
            self.assertIn(contend(*arguments, "-q", "--json", new).returncode, (0, 2))
            path = os.path.join(RESULTS, old + ".json")
            done = contend("diff", path, new, "--force")
            self.assertIn(done.returncode, (0, 2), done.stderr)
            self.assertRegex(done.stdout, rf"\Adiff     two results of contend {old}\n")
            for line in re.findall(r"(?m)^differs  (\S+):", done.stderr):
                self.assertRegex(line, r"\A(machine|compiler|version|counter|config|readers|targets)")

    def test_members_may_be_missing(self):
        """Whatever a later version added: without it a result is read all the same."""
        musts = {"schema", "machine", "config", "writer", "readers", "groups", "baseline", "results",
                 "points", "interval_ns", "odd_ns", "cpus", "contestants", "clocks", "reader",
                 "models", "mutants", "accused", "comparisons", "inspections"}
        for path, result in old_results():
            for name in result.keys() - musts:
                lacking = {key: value for key, value in result.items() if key != name}
                done = contend("diff", self.write("old.json", lacking), path, "--force")
                self.assertEqual(done.returncode, 0, (path, name, done.stderr))


class Refusals(DiffTest):
    def test_other_jobs(self):
        run = old_result("run")
        name = run["machine"]["cpu_model"]
        for path, value, line in (
                ("machine.cpu_model", "Other", f"machine.cpu_model: {name} in OLD, Other in NEW"),
                ("compiler", "gcc 1.0", f"compiler: {run['compiler']} in OLD, gcc 1.0 in NEW"),
                ("config.payload", "stamp", "config.payload: time in OLD, stamp in NEW"),
                ("config.groups.0.readers", 3, "config.groups.0.readers: 2 in OLD, 3 in NEW"),
                ("config.groups.0.reader.variation", "none",
                 "config.groups.0.reader.variation: unlikely, inlined in OLD, none in NEW"),
                ("config.writers.0.hz", 100, "config.writers.0.hz: 1000 in OLD, 100 in NEW"),
                ("config.writers.0.spec", "storm", "config.writers.0.spec: tick in OLD, storm in NEW"),
                ("config.duration_ns", 5000000000,
                 "config.duration_ns: 500000000 in OLD, 5000000000 in NEW"),
                ("version", "1.0.0", "version: 0.1.0 in OLD, 1.0.0 in NEW"),
                ("outcome", "interrupted", "complete: true in OLD, true in NEW")):
            self.refused(run, changed(run, path, value), line)

    def test_all_that_differs_is_said(self):
        run = old_result("run")
        other = changed(changed(run, "machine.architecture", "s390x"), "config.clocksource", "stck")
        self.refused(run, other, "machine.architecture: x86_64 in OLD, s390x in NEW",
                     "config.clocksource: tsc in OLD, stck in NEW")

    def test_each_kind_has_conditions(self):
        for name, path, value in (
                ("compare", "config.hz", 50), ("compare", "baseline.reader", "other"),
                ("compare", "results.0.compiler", "other"), ("sweep", "config.writer", "storm"),
                ("sweep", "machine.cpus_online", 64), ("observe", "config.cpus", [3]),
                ("observe", "config.duration_ns", 10**12), ("calibrate", "compiler", "other"),
                ("inspect", "readers.0.compiler", "other"),
                ("inspect", "machine.architecture", "s390x"),
                ("inspect-target", "targets.0.compiler", "other"), ("prove", "reader", "latch"),
                ("prove", "config.updates", 3), ("verify", "counter", "other"),
                ("verify", "machine.cpu_model", "other"),
                ("settle", "comparisons.0.readers", ["a", "b"]),
                ("settle", "comparisons.0.comparison.config.hz", 5),
                ("settle", "inspections.0.readers", ["a", "b"])):
            result = old_result(name)
            done = contend("diff", self.write("old.json", result),
                           self.write("new.json", changed(result, path, value)))
            self.assertEqual(done.returncode, 1, (name, path))
            self.assertEqual(done.stderr.count(f"\ncontend: {path}: "), 1, done.stderr)

    def test_what_is_told_and_no_more(self):
        run = old_result("run")
        for path, value in (("machine.kernel", "7.0"), ("config.seed", 5), ("version", "0.1.9"),
                            ("config.duration_ns", 600000000)):
            text, result, remarks = self.diff(run, changed(run, path, value))
            self.assertEqual([(one["path"], one["refuses"]) for one in result["differences"]],
                             [(path, False)])
            self.assertRegex(remarks, rf"(?m)^differs  {path}: .* in OLD, .* in NEW$")
            self.assertFalse(result["forced"])

    def test_forced_is_told(self):
        run = old_result("run")
        result = self.diff(run, changed(run, "config.payload", "stamp"), "--force")[1]
        self.assertTrue(result["forced"])
        self.assertEqual(result["differences"], [{"path": "config.payload", "old": "time",
                                                  "new": "stamp", "refuses": True}])

    def test_kinds_cannot_be_mixed(self):
        run, sweep = (os.path.join(RESULTS, name + ".json") for name in ("run", "sweep"))
        for force in ((), ("--force",)):
            done = contend("diff", run, sweep, *force)
            self.one_line(done)
            self.assertIn("is of contend run, ", done.stderr)

    def test_no_results(self):
        good = os.path.join(RESULTS, "run.json")
        for text, why in (("", "line 1, column 0 is no JSON"), ("[]", "a JSON array"),
                          ("{}", "has no \"schema\""), ("{\n\"schema\":\n", "line 3, column 0"),
                          ('{"schema": "contend.run/2"}', "this contend reads contend.run/1"),
                          ('{"schema": "contend.diff/1"}', "none of a result that can be read"),
                          ('{"schema": "contend.run/1"}', 'has no object "machine"')):
            with open(self.path("bad.json"), "w", encoding="utf-8") as file:
                file.write(text)
            for order in ((good, self.path("bad.json")), (self.path("bad.json"), good)):
                done = contend("diff", *order)
                self.one_line(done)
                self.assertIn(self.path("bad.json") + ": ", done.stderr)
                self.assertIn(why, done.stderr)
        for path, why in (("/nowhere", "No such file"), ("/", "Is a directory")):
            done = contend("diff", good, path)
            self.one_line(done)
            self.assertIn(why, done.stderr)

    def test_usage(self):
        good = os.path.join(RESULTS, "run.json")
        for arguments, why in (
                ((), "two results are wanted"), ((good,), "there is one"),
                ((good, good, good), "one too many: 2 are the most"), (("-", "-"), "only one"),
                ((good, good, "--fail-above", "five"), "--fail-above: 'five' is not a percentage"),
                ((good, good, "--fail-above", "-1%"), "--fail-above: '-1%' is not a percentage"),
                ((good, good, "--fail-above", "5%%"), "--fail-above: '5%%' is not a percentage"),
                ((good, good, "--fail-above", "0x5"), "--fail-above: '0x5' is not a percentage"),
                ((good, good, "--fail-above", "nan"), "--fail-above: 'nan' is not a percentage"),
                ((good, good, "--forced"), "--forced: there is no such option")):
            done = contend("diff", *arguments)
            self.one_line(done)
            self.assertIn(why, done.stderr)

    def test_a_result_is_not_overwritten(self):
        old = self.write("old.json", old_result("run"))
        new = self.write("new.json", old_result("run"))
        os.symlink(old, self.path("link.json"))
        for path in (old, new, self.path("link.json")):
            done = contend("diff", old, new, "--json", path)
            self.one_line(done)
            self.assertIn("is one of the results", done.stderr)
        with open(old, encoding="utf-8") as file:
            self.assertEqual(json.load(file), old_result("run"))


class Judgements(DiffTest):
    def test_faults(self):
        for name, path in (("run", "readers.torn"), ("run", "readers.stale"),
                           ("run", "readers.backwards"), ("run", "forbidden_jumps"),
                           ("run-groups", "groups.1.torn"), ("sweep", "points.0.torn"),
                           ("calibrate", "values.disagreements")):
            old = old_result(name)
            text, result, _ = self.diff(old, changed(old, path, 1), status=2)
            self.assertEqual(self.figure(result, path)["judgement"], "worse")
            self.assertRegex(text, r"(?m)^fails    ")
            self.diff(changed(old, path, 1), old)

    def test_torn_in_both_is_no_change(self):
        torn = old_result("run-torn")
        self.assertGreater(torn["readers"]["torn"], 0)
        self.diff(torn, torn)

    def test_broken_verdicts(self):
        for name, path, value in (("prove", "models.0.verdict", "broken"),
                                  ("verify", "mutants.0.verdict", "survived"),
                                  ("run-groups", "expect.0.held", False),
                                  ("run", "outcome", "stalled"),
                                  ("compare", "outcome", "broken"),
                                  ("sweep", "points.1.state", "stalled")):
            old = old_result(name)
            text, result, _ = self.diff(old, changed(old, path, value), status=2)
            self.assertTrue(self.figure(result, path)["fails"])
            self.assertIn("worse, FAILS\n", text)
            self.diff(changed(old, path, value), old)

    def test_new_accusation(self):
        old = old_result("verify")
        new = changed(old, "accused", [{**old["survived"][0], "by": ["torn"]}])
        result = self.diff(old, new, status=2)[1]
        self.assertEqual([lone["fails"] for lone in result["only_in_one"]], [True])


    def test_fail_above(self):
        old = changed(old_result("inspect"), "readers.0.paths.fast.instructions", 100)
        new = changed(old, "readers.0.paths.fast.instructions", 104)
        path = "readers.0.paths.fast.instructions"
        for limit, status in (("3%", 2), ("3.99", 2), ("4%", 0), ("5%", 0), (None, 0)):
            option = ("--fail-above", limit) if limit else ()
            text, result, _ = self.diff(old, new, *option, status=status)
            figure = self.figure(result, path)
            self.assertEqual((figure["judgement"], figure["change"], figure["change_ci95"]),
                             ("worse", 4, [4, 4]))
            self.assertEqual(result["fail_above_percent"],
                             float(limit.rstrip("%")) if limit else None)
            self.assertEqual(text.count("FAILS"), int(status == 2))
        # The other way round it got better, which nobody minds.
        self.diff(new, old, "--fail-above", "0%")

    def test_noise_does_not_fail(self):
        """What is worse by half, if the interval holds 0, says nothing."""
        old = changed(old_result("run"), "readers.retries.changed", 4)
        result = self.diff(old, changed(old, "readers.retries.changed", 6), "--fail-above", "0%")[1]
        figure = self.figure(result, "visible read")
        self.assertEqual(figure["judgement"], "within noise")
        self.assertLess(figure["change_ci95"][0], 0)
        self.assertGreater(figure["change_ci95"][1], 100)

    def test_what_has_no_interval_does_not_fail(self):
        old = old_result("run")
        self.assertNotIn("histogram", old["readers"]["read_ns"])
        new = changed(old, "readers.read_ns.p99", 10 * old["readers"]["read_ns"]["p99"])
        figure = self.figure(self.diff(old, new, "--fail-above", "0%")[1], "readers.read_ns.p99")
        self.assertEqual((figure["judgement"], figure["why"]), ("n/a", "it has no interval"))
        self.assertIsNone(figure["change_ci95"])

    def test_reads_that_got_slower_fail(self):
        """With the histogram that a run has now: by 1 %, whatever the counter's steps."""
        old = old_result("run")
        lengths = old["readers"]["read_ns"]
        mean = lengths["mean"]
        lengths["histogram"] = [[0.9 * mean, 100000], [1.1 * mean, 100000]]
        for each in old["readers"]["each"]:
            each["read_ns"]["mean"] = mean
        new = copy.deepcopy(old)
        new["readers"]["read_ns"]["mean"] = 1.01 * mean
        for each in new["readers"]["each"]:
            each["read_ns"]["mean"] = 1.01 * mean
        new["readers"]["read_ns"]["histogram"] = [[0.91 * mean, 100000], [1.11 * mean, 100000]]
        for limit, status in (("0.5%", 2), ("2%", 0)):
            result = self.diff(old, new, "--fail-above", limit, status=status)[1]
            figure = self.figure(result, "readers.read_ns.mean")
            self.assertEqual(figure["judgement"], "worse")
            self.assertAlmostEqual(figure["change"], 1, places=5)
            self.assertGreater(figure["change_ci95"][0], 0.8)

    def test_effect_in_points(self):
        old = old_result("compare")
        effect = old["results"][0]["effect_percent"]
        new = changed(old, "results.0.effect_percent", effect + 3)
        new["results"][0]["ci95_percent"] = [effect + 2.9, effect + 3.1]
        new["results"][0]["verdict"] = "slower"
        for limit, status in (("2%", 2), ("4%", 0)):
            text, result, _ = self.diff(old, new, "--fail-above", limit, status=status)
            figure = self.figure(result, "results.0.effect_percent")
            self.assertAlmostEqual(figure["change"], 3)
            self.assertEqual((figure["change_unit"], figure["judgement"]), ("points", "worse"))
            self.assertRegex(text, r"(?m)^effect .* \+3\.00 pts ")
            self.assertRegex(text, rf"(?m)^verdict +{old['results'][0]['verdict']}, now slower  changed$")

    def test_points_of_only_one_sweep(self):
        old = old_result("sweep")
        new = changed(old, "points", old["points"][1:])
        text, result, _ = self.diff(old, new)
        self.assertEqual(result["only_in_one"], [{"what": "point 1000 Hz, 1 readers", "in": "old",
                                                  "fails": False}])
        self.assertIn("only in  OLD: point 1000 Hz, 1 readers\n", text)

    def test_two_runs_are_no_comparison(self):
        run = old_result("run")
        _, result, remarks = self.diff(run, run)
        self.assertIn("contend compare", result["remarks"][0])
        self.assertIn(f"remark   {result['remarks'][0]}\n", remarks)
        compare = old_result("compare")
        self.assertEqual(self.diff(compare, compare)[1]["remarks"], [])


class Output(DiffTest):
    def test_shape(self):
        old = old_result("run")
        new = changed(changed(old, "readers.retries.changed", 10000), "config.seed", 2)
        text, _, remarks = self.diff(old, new)
        shape = re.compile(
            r"diff     two results of contend run\n"
            r"OLD      \S+/old\.json \(contend 0\.1\.0\)\n"
            r"NEW      \S+/new\.json \(contend 0\.1\.0\)\n"
            r"\n"
            r"figure +OLD +NEW +change +95 % interval  judgement\n"
            r"changed per million +[\d.]+ +[\d ]*[\d.]+ +\+\d+ % +\+\d+ to \+\d+  changed\n"
            r"visible read +[\d.]+ ns +[\d.]+ [num]s +\+\d+ % +\+\d+ to \+\d+  worse\n"
            r"\n"
            r"same     (\d+) of (\d+) figures\n")
        self.assertRegex(text, rf"\A{shape.pattern}\Z")
        same, all_of_them = shape.fullmatch(text).groups()
        self.assertEqual(int(same) + 2, int(all_of_them))
        self.assertEqual(len(remarks.splitlines()), 2)

    def test_quiet(self):
        old = self.write("old.json", old_result("run"))
        new = self.write("new.json", changed(old_result("run"), "readers.torn", 1))
        done = contend("diff", "-q", old, new)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", ""))

    def test_json_on_standard_output(self):
        path = self.write("old.json", old_result("verify"))
        done = contend("diff", path, path, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_json(done.stdout)

    def test_standard_input(self):
        path = os.path.join(RESULTS, "prove.json")
        for order in (("-", path), (path, "-")):
            with open(path, encoding="utf-8") as file:
                done = subprocess.run([harness.binary, "diff", *order], stdin=file, text=True,
                                      capture_output=True, timeout=harness.HANG_S)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("standard input (contend 0.1.0)\n", done.stdout)

    def test_schema_is_strict(self):
        result = self.diff(old_result("run"), old_result("run"))[1]
        for name in result.keys() - harness.LATER:
            lacking = {key: value for key, value in result.items() if key != name}
            self.assertFalse(self.validator.is_valid(lacking), name)
        for name in result["figures"][0]:
            self.assertFalse(self.validator.is_valid(changed(result, f"figures.0.{name}", [[]])), name)
        self.assertFalse(self.validator.is_valid({**result, "stranger": 1}))

    def test_help(self):
        done = contend("diff", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("--fail-above=P%", "--force", "--json=FILE", "Exit status"):
            self.assertIn(word, done.stdout)

    def test_each_command_that_writes_json_has_a_schema(self):
        commands = re.findall(r"(?m)^  (\w+) +\w", contend("--help").stdout.partition("\n\n")[2]
                              .partition("\n\n")[2].partition("\n\n")[0])
        self.assertIn("diff", commands)
        writers = [name for name in commands
                   if re.search(r"(?m)^ +--json=FILE", contend(name, "--help").stdout)]
        self.assertEqual({*KINDS, "diff"} - {*writers}, set())
        for name in writers:
            schema = schema_of(name)
            jsonschema.Draft202012Validator.check_schema(schema)
            self.assertEqual(schema["properties"]["schema"], {"const": f"contend.{name}/1"})


if __name__ == "__main__":
    sys.exit(harness.main())
