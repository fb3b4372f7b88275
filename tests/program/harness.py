# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the program share: running it, and holding its JSON against the schema."""

import itertools
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

HANG_S = 30
HERE = os.path.dirname(os.path.abspath(__file__))
BRIEF = ("--duration", "200ms", "--warmup", "20ms")

# null here means that it was not asked for, or that there is none.
NULL_WITHOUT_REASON = {"machine.hypervisor", "config.cpus", "config.writer_cpu",
                       "config.priority", "config.reader.image", "config.reader.source", "config.reader.call",
                       "config.reader.image.namespace_page", "config.reader.image.pvclock_page",
                       "config.record_hz", "counter.record",
                       "readers.sequence_changed", "readers.began_odd", "baseline", "stall",
                       "readers.first_fault_ns", "expect.group", "config.hz", "config.writers.hz",
                       "config.interval_ns"}

# A mutant is mostly caught at once. Where a machine is busy, its writer or its reader may get next to
# no time; so longer, and again.
STORMS = ("200ms", "500ms", "2s", "2s", "2s", "4s", "4s")

# What results of older versions lack, and so no schema requires.
LATER = {"command_line", "date", "histogram", "intervals", "interval_ns",
         "placement_effects_percent"}

binary = None
# Without what is asked in another configuration.
everywhere = False


def pairs(ones, others):
    """All of them; if `everywhere` only so many that each of either is in one."""
    if not everywhere:
        return list(itertools.product(ones, others))
    length = max(len(ones), len(others))
    return list(itertools.islice(zip(itertools.cycle(ones), itertools.cycle(others)), length))


def once(test):
    """A test that is asked in one configuration, beside others of its class that each is asked."""
    test.once = True
    return test


def images():
    """Where the build has put the vDSO images of the tests' own; None if it makes none."""
    directory = os.path.join(os.path.dirname(binary), "tests", "images")
    return directory if os.path.isdir(directory) else None


def has_32_bits():
    with open(binary, "rb") as file:
        return file.read(5)[4] == 1  # ELFCLASS32


def contend(*arguments, **options):
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.run([binary, *arguments], stdin=subprocess.DEVNULL, text=True,
                          timeout=HANG_S, **options)


def pvclock_is_usable():
    """It is where rdtscp is, and a TSC that the kernel trusts."""
    entry = re.search(r"(?m)^  pvclock .*\n(?:   .*\n)*", contend("list", "clocksources").stdout)
    return entry is not None and "not usable" not in entry[0]


def grouped(count):
    return f"{count:,}".replace(",", " ")


def scaled(value, units):
    for unit in units[:-1]:
        if value < 999.5:
            break
        value /= 1000
    else:
        unit = units[-1]
    return f"{value:.{1 if value < 99.95 else 0}f} {unit}"


def length(ns):
    return scaled(ns, ("ns", "us", "ms", "s"))


def nulls(value, path=""):
    """Paths of all nulls."""
    if value is None:
        yield path
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from nulls(part, f"{path}.{name}".lstrip("."))
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from nulls(part, f"{path}.{i}")


def names_of(path, result):
    """The names under which there may be a reason for a null: what a group lacks, its readers may."""
    yield path
    asked = re.match(r"(?:config\.groups\.\d+|groups\.\d+(?=\.reader\.))\.(.*)", path)
    if asked:
        yield f"config.{asked[1]}"
    listed = re.fullmatch(r"(expect|config\.writers)\.\d+\.(group|hz)", path)
    if listed:
        yield f"{listed[1]}.{listed[2]}"
    one = re.match(r"groups\.\d+\.(.*)", path)
    if one:
        yield f"readers.{one[1]}"
    of_interval = re.match(r"intervals\.\d+\.(.*)", path)
    if of_interval:
        yield f"intervals.{of_interval[1]}"
    single = re.match(r"readers\.each\.(\d+)\.(.*)", path)
    if single:
        name = result["readers"]["each"][int(single[1])]["group"]
        group = [each["name"] for each in result["groups"]].index(name)
        yield from names_of(f"groups.{group}.{single[2]}", result)


def has_no_reads_for(path, result):
    single = re.match(r"readers\.each\.(\d+)\.(.*)", path)
    reader = single and result["readers"]["each"][int(single[1])]
    return single and (single[2].startswith("read_ns.") and reader["read_ns"]["samples"] == 0
                       or single[2] == "retries.per_million" and reader["reads"] == 0)


def unexplained(result):
    """Nulls without a reason."""
    for path in nulls(result):
        known = {*NULL_WITHOUT_REASON, *result.get("unavailable", ())}
        names = {part for name in names_of(path, result) for part in (name, name.rpartition(".")[0])}
        if not names & known and not has_no_reads_for(path, result):
            yield path


class ProgramTest(unittest.TestCase):
    # Whether the machine should have nothing else to do: it should where a test asks how much, how
    # soon, or for what only comes about if all get their time. False for those that ask only what is
    # said, have no more than a few readers, and no writer beyond 10 kHz, which would spin and leave
    # its CPU to nobody: they run beside those of other files.
    alone = True
    # Whether it is enough to ask in one configuration, as how contend was built changes nothing of it.
    # Single tests of a class of which others are asked in each say @once; what needs only some of its
    # combinations elsewhere takes them from pairs().
    once = False
    schema = "run.schema.json"

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="contend-test-")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        with open(os.path.join(HERE, "..", "..", "report", cls.schema), encoding="utf-8") as file:
            schema = json.load(file)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def path(self, name):
        return os.path.join(self.directory, name)

    def check_json(self, text):
        def no_constant(name):
            self.fail(f"{name} is not JSON")

        result = json.loads(text, parse_constant=no_constant)
        errors = [f"{error.json_path}: {error.message}"
                  for error in self.validator.iter_errors(result)]
        self.assertEqual(errors, [])
        self.assertEqual(list(unexplained(result)), [])
        self.assertEqual(os.path.basename(result["command_line"][0]), "contend")
        self.assertIn("date", result)
        return result

    def both(self, *arguments, status=0, **options):
        """Text and JSON of one run."""
        file = self.path("result.json")
        for _ in range(10):
            done = contend(*arguments, "--json", file, **options)
            # On a busy machine others may have left it no time for one.
            if "no read was measured" not in done.stderr:
                break
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual(result["exit_status"], status)
        return done.stdout, result

    def brief(self, *arguments, **options):
        return self.both(*BRIEF, *arguments, **options)

    def stderr_of_terminal(self, *arguments):
        try:
            master, slave = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminals here: {error}")
        process = subprocess.Popen([binary, *arguments], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        seen = b""
        try:
            while chunk := os.read(master, 4096):
                seen += chunk
        except OSError:  # what Linux says at the end of a terminal
            pass
        os.close(master)
        self.assertEqual(process.wait(HANG_S), 0)
        return seen.decode()

    def one_line(self, done, status=1):
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, r"\Acontend: [^\n]+\n\Z")


class Loader(unittest.TestLoader):
    """
    Those that must have the machine alone, those that need not, or, if that is None, all; without
    those that are asked once if `everywhere`.
    """
    alone = None

    def loadTestsFromTestCase(self, case):
        if self.alone in (None, case.alone) and not (everywhere and case.once):
            return super().loadTestsFromTestCase(case)
        return self.suiteClass()

    def getTestCaseNames(self, case):
        return [name for name in super().getTestCaseNames(case)
                if not (everywhere and getattr(getattr(case, name), "once", False))]


def main():
    """The tests of the script that was started, on the binary that is its first argument."""
    global binary, everywhere
    if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK):
        sys.exit(f"usage: {sys.argv[0]} BINARY [--everywhere] [--alone | --beside] [unittest options]")
    binary = os.path.abspath(sys.argv[1])
    loader, options = Loader(), sys.argv[2:]
    if options[:1] == ["--everywhere"]:
        everywhere = bool(options.pop(0))
    if options[:1] in (["--alone"], ["--beside"]):
        loader.alone = options.pop(0) == "--alone"
    program = unittest.main(argv=[sys.argv[0], *options], testLoader=loader, exit=False)
    # None is no success, unless all are asked elsewhere, or beside others.
    some = program.result.testsRun or everywhere or loader.alone
    sys.exit(not (some and program.result.wasSuccessful()))
