#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The manual pages against --help: test_man.py BINARY [unittest options]."""
import glob
import os
import re
import shlex
import shutil
import subprocess
import unittest

import harness
from harness import ProgramTest, contend

SECTIONS = ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO")
OPTION = r"(?:-(\w), +)?--([a-z0-9-]+)(?:=(\S+))?"


def words(text):
    return " ".join(text.split())


def commands():
    return re.findall(r"(?m)^  ([a-z]+) +\S", contend("--help").stdout.split("\n\n")[2])


def options_of_help(command):
    """By name: its letter, what its value is called, and what is said of it."""
    done = contend(*command, "--help", env={**os.environ, "ARGP_HELP_FMT": "rmargin=250,no-dup-args-note"})
    entries = re.findall(rf"(?m)^ +{OPTION}((?: .*)?(?:\n {{20,}}.*)*)$", done.stdout)
    return {name: (letter, value, words(said)) for letter, name, value, said in entries}


def pages():
    found = glob.glob(os.path.join(os.path.dirname(harness.binary), "man", "*.1"))
    return {os.path.basename(path)[:-2]: path for path in found}


def source(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def roff(text, *options):
    return subprocess.run(["groff", "-man", *options], input=text, text=True, capture_output=True,
                          check=True)


def sections(text):
    """By name: what is printed of it."""
    shown = roff(text, "-Tascii", "-P-cbou", "-rLL=900n").stdout
    parts = re.split(r"(?m)^([A-Z][A-Z ]+)$", shown)
    return dict(zip(parts[1::2], parts[2::2]))


def options_of_page(text):
    # What is said begins on the line of an option that is short enough.
    entries = re.findall(rf"(?m)^ {{7}}{OPTION}(?:\n {{14}}| +)(\S.*\n(?: {{14}}.*\n)*)", sections(text)["OPTIONS"])
    return {name: (letter, value, words(said)) for letter, name, value, said in entries}


def differences(help_options, page_options):
    return sorted(name for name in {*help_options, *page_options}
                  if help_options.get(name) != page_options.get(name))


def complaints(text):
    said = roff(text, "-ww", "-z").stderr
    if shutil.which("mandoc"):
        lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=text, text=True,
                              capture_output=True, check=False).stdout
        # A date would change with each build.
        said += "".join(line for line in lint.splitlines(True) if "missing date" not in line)
    return said


@unittest.skipUnless(shutil.which("groff"), "no groff here")
class Man(ProgramTest):
    once = True
    alone = False

    def of_commands(self):
        self.assertLessEqual({"run", "list", "help"}, {*commands()})
        return [(command, source(pages()[f"contend-{command}"])) for command in commands()]

    def test_each_command_has_a_page(self):
        self.assertEqual({"contend", *(f"contend-{command}" for command in commands())}, {*pages()})

    def test_options_are_those_of_help(self):
        for command, page in self.of_commands():
            with self.subTest(command=command):
                told = options_of_help([command])
                self.assertIn("help", told)
                self.assertTrue(all(said for _, _, said in told.values()), told)
                self.assertEqual(differences(told, options_of_page(page)), [])

    def test_a_page_that_differs_is_found(self):
        told, page = options_of_help(["run"]), source(pages()["contend-run"])
        entry = re.search(r"\.TP\n\\fB\\-\\-warmup\\fR.*\n.*\n", page)[0]
        for name, other in {
                "lacks one": page.replace(entry, ""),
                "has another": page.replace(entry, entry.replace("warmup", "cooldown") + entry),
                "other value": page.replace(entry, entry.replace("fIT", "fIN")),
                "other letter": page.replace("\\-d\\fR", "\\-D\\fR"),
                "other text": page.replace("200ms", "300ms")}.items():
            with self.subTest(name):
                self.assertNotEqual(other, page)
                self.assertNotEqual(differences(told, options_of_page(other)), [])

    def test_roff_has_no_complaints(self):
        for name, path in pages().items():
            with self.subTest(name):
                self.assertEqual(complaints(source(path)), "")
        broken = source(path)
        self.assertNotEqual(complaints(broken.replace(".SH OPTIONS", ".SHH OPTIONS")), "")

    def test_sections(self):
        version = contend("--version").stdout.split("\n")[0]
        for name, path in pages().items():
            with self.subTest(name):
                text = source(path)
                there = sections(text)
                self.assertEqual([section for section in SECTIONS if section not in there], [])
                self.assertRegex(there["NAME"], rf"\A\n {{7}}{name} - \S")
                self.assertIn(version, roff(text, "-Tascii", "-P-cbou").stdout)
                named = re.findall(r"contend[a-z-]*(?=\(1\))", there["SEE ALSO"])
                self.assertEqual([page for page in named if page not in pages()], [])

    def test_examples_have_options_that_there_are(self):
        tried = 0
        for path in pages().values():
            for line in re.findall(r"(?m)^ +contend (.*)$", sections(source(path))["EXAMPLES"]):
                arguments = shlex.split(re.sub(r"^.* -- | \| .*", "", line))
                command = arguments[0] if arguments[0] in commands() else "run"
                for option in re.findall(r"(?<= )--[a-z-]+", shlex.join(["", *arguments])):
                    self.assertIn(option[2:], options_of_help([command]), line)
                    tried += 1
        self.assertGreater(tried, 10)

    def test_help_tells_what_the_option_does(self):
        for command in commands():
            self.assertEqual(contend("help", command).stdout, contend(command, "--help").stdout)
        self.assertEqual(contend("help").stdout, contend("--help").stdout)
        self.one_line(contend("help", "no-such"))
        self.one_line(contend("help", "run", "list"))
        self.one_line(contend("help", "--mann"))


if __name__ == "__main__":
    harness.main()
