#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Completion, in bash and as the program tells it: test_complete.py BINARY [unittest options]."""
import os
import pty
import re
import select
import shlex
import subprocess
import unittest

import harness
from harness import HANG_S, HERE, ProgramTest, contend
from test_man import commands, options_of_help

TOP = os.path.normpath(os.path.join(HERE, "..", ".."))
SCRIPT = os.path.join(TOP, "completion", "contend.bash")
SCENARIO = os.path.join(TOP, "scenarios", "unlikely-read-begin.ini")
# What a value of these may be there is no list of.
FREE = {"N", "T", "H", "P%", "LIST", "RANGE"}
BREAKS = "\"'@><=;|&(:"


def candidates(*words, **options):
    """What is offered, and whether any file would do."""
    done = contend("complete", "--", *words, **options)
    assert (done.returncode, done.stderr) == (0, ""), done
    lines = done.stdout.splitlines()
    return {*lines} - {":"}, ":" in lines


def bash(script, **options):
    environment = {**os.environ, "PATH": os.path.dirname(harness.binary) + ":" + os.environ["PATH"]}
    return subprocess.run(["bash", "--norc", "--noprofile", "-c", script], env=environment, text=True,
                          capture_output=True, check=True, timeout=HANG_S, **options).stdout


def pieces(line):
    """The words that bash makes of what has been typed."""
    found = re.findall(rf"[{re.escape(BREAKS)}]+|[^\s{re.escape(BREAKS)}]+", line)
    return found if found and line.endswith(found[-1]) else [*found, ""]


def completed(line, before="", **options):
    """What the function offers bash in the place of the last piece, and what it sets."""
    words = " ".join(shlex.quote(piece) for piece in pieces(line))
    said = bash(f"""
        compopt() {{ echo "option $*"; }}
        . {shlex.quote(SCRIPT)}
        {before}
        COMP_WORDBREAKS=$' \\t\\n'{shlex.quote(BREAKS)}
        COMP_WORDS=({words}) COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        _contend contend
        printf 'reply %s\\n' "${{COMPREPLY[@]}}"
        """, **options).splitlines()
    return ({word[6:] for word in said if word.startswith("reply ")} - {""},
            {word[7:] for word in said if word.startswith("option ")})


class Told(ProgramTest):
    once = True
    alone = False

    def test_each_option(self):
        for command in commands():
            with self.subTest(command=command):
                told = options_of_help([command])
                wanted = {f"--{name}{'=' if value else ''}" for name, (_, value, _) in told.items()}
                self.assertEqual(candidates(command, "--"), (wanted, False))
        self.assertEqual(candidates("--")[0], candidates("run", "--")[0] | {"--version"})

    def test_each_value_that_there_is_a_list_of(self):
        for command in commands():
            for name, (letter, value, _) in options_of_help([command]).items():
                if not value or value in FREE or (command, name) == ("settle", "only"):
                    continue
                with self.subTest(command=command, option=name):
                    offered, files = candidates(command, f"--{name}", "")
                    self.assertEqual(files, value == "FILE" or name == "reader")
                    self.assertTrue(offered or files)
                    self.assertEqual(candidates(command, f"--{name}=")[0], {f"--{name}={one}" for one in offered})
                    if letter:
                        self.assertEqual(candidates(command, f"-{letter}", "")[0], offered)
                    if "|" in value:
                        self.assertEqual(offered, {*value.split("|")})

    def test_a_number_is_no_file(self):
        self.assertEqual(candidates("run", "--hz", ""), (set(), False))
        self.assertEqual(candidates("run", "--json", ""), (set(), True))

    def test_commands_and_arguments(self):
        self.assertLessEqual({*commands(), "--version"}, candidates("")[0])
        self.assertEqual(candidates()[0], candidates("")[0])
        self.assertEqual(candidates("help", "")[0], {*commands()})
        self.assertIn("scenarios", candidates("list", "")[0])
        self.assertEqual(candidates("run", "--readers", "3", "--", "")[1], True)
        self.assertIn("hres", candidates("compare", "--duration", "1s", "raw", "h")[0])
        # One reader is all that prove takes, and observe takes none.
        self.assertEqual(candidates("prove", "hres", "h"), (set(), False))
        self.assertEqual(candidates("observe", ""), (set(), False))

    def check_specs(self, what, option):
        listed = contend("list", what, "--all").stdout
        entries = re.findall(r"(?m)^  (\S+)\n((?:    .*\n)+)", listed)
        self.assertGreater(len(entries), 10)
        for name, said in entries:
            if "/" in name or name == "image":
                continue
            keys = re.findall(r"(?m)^    (\S+) +.*; default \S+\n(?: {14}(\S+)$)?", said)
            with self.subTest(name):
                self.assertIn(name, candidates("run", option, name[:3])[0])
                self.assertEqual(candidates("run", option, f"{name}:")[0], {f"{name}:{key}=" for key, _ in keys})
                for key, choices in keys:
                    wanted = {f"{name}:{key}={one}" for one in choices.split("|") if one}
                    self.assertEqual(candidates("run", option, f"{name}:{key}=")[0], wanted)

    def test_readers(self):
        self.check_specs("readers", "--reader")
        self.assertEqual(candidates("inspect", "hres:clock=tai,cl"), (set(), False))
        self.assertEqual(candidates("inspect", "hres:clock=tai,h")[0], {"hres:clock=tai,hint="})
        self.assertEqual(candidates("inspect", "hres@cc=gcc,d")[0], {"hres@cc=gcc,define="})
        self.assertIn("./x:y.c:layout=", candidates("inspect", "./x:y.c:")[0])
        self.assertEqual(candidates("inspect", "image:h"), ({"image:host"}, True))
        self.assertIn("image:./v.so:call=gettimeofday", candidates("inspect", "image:./v.so:call=")[0])
        self.assertFalse({"no-retry", "late-fence"} & candidates("inspect", "")[0])

    def test_writers(self):
        self.check_specs("writers", "--writer")
        self.assertNotIn("never-odd", candidates("run", "--writer", "")[0])

    def test_scenarios(self):
        os.mkdir(self.path("jobs"))
        for name in ("mine.ini", "jobs/other.ini", "jobs/no.txt", "jobs/with blank.ini"):
            with open(self.path(name), "w", encoding="utf-8"):
                pass
        here = {"cwd": self.directory}
        self.assertEqual(candidates("m", **here)[0] & {"mine.ini"}, {"mine.ini"})
        self.assertEqual(candidates("run", "jobs/", **here), ({"jobs/other.ini"}, True))
        shipped = re.search(r"in (/.*):", contend("list", "scenarios").stdout)[1]
        self.assertIn(f"{shipped}/tick.ini", candidates("tic", **here)[0])
        self.assertIn(f"{shipped}/tick.ini", candidates("run", "", **here)[0])
        self.assertNotIn(f"{shipped}/tick.ini", candidates("", **here)[0])

    def test_sections_of_the_scenario_that_is_named(self):
        for first in (("settle", SCENARIO), (SCENARIO,)):
            self.assertIn("gcc-monotonic-0hz", candidates(*first, "--only", "gcc")[0])
        self.assertEqual(candidates("settle", "--only", "gcc"), (set(), False))

    def test_usage(self):
        for arguments in ((), ("run",), ("--no-such",)):
            self.one_line(contend("complete", *arguments))


class InBash(ProgramTest):
    once = True
    alone = False

    def test_pieces(self):
        for line, wanted in {
                "contend prov": {"prove"},
                "contend run --reader hres:hint=un": {"unlikely"},
                "contend run --reader=hres:hint=un": {"unlikely"},
                "contend compare hres hres@c": {"cc=", "cflags="},
                "contend  calibrate  --clock=realtime,b": {"realtime,boottime"},
                "contend prove --model=": {"sc", "tso", "weak", "all"},
                "contend run --hz 5 --payload ": {"time", "stamp"}}.items():
            with self.subTest(line):
                self.assertEqual(completed(line)[0], wanted)

    def test_files_are_named_where_they_are_wanted(self):
        self.assertEqual(completed("contend run --json x"), (set(), set()))
        self.assertEqual(completed("contend run --hz 1"), (set(), {"+o default"}))

    def test_what_goes_on_gets_no_blank(self):
        self.assertIn("-o nospace", completed("contend run --read" "ers")[1])
        self.assertIn("-o nospace", completed("contend run --reader hres:hin")[1])
        self.assertNotIn("-o nospace", completed("contend run --quie")[1])

    def test_only_what_is_before_the_cursor_counts(self):
        said = bash(f"""
            compopt() {{ :; }}
            . {shlex.quote(SCRIPT)}
            COMP_WORDS=(contend prove --quiet) COMP_LINE="contend prove --quiet" COMP_POINT=11 COMP_CWORD=1
            _contend contend
            echo "${{COMPREPLY[@]}}" """)
        self.assertEqual(said, "prove\n")

    def tab(self, line, setup):
        """What a terminal's line is after a Tab."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(PATH=os.path.dirname(harness.binary) + ":" + os.environ["PATH"], TERM="dumb", PS1="$ ")
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        os.write(terminal, f"""{setup}; bind -x '"\\C-g": echo "[$READLINE_LINE]"'; echo rea''dy\n""".encode())
        try:
            self.await_text(terminal, "ready")
            os.write(terminal, line.encode() + b"\t\x07")
            return self.await_text(terminal, r"\[(.*)\]")[1]
        finally:
            os.close(terminal)
            os.kill(pid, 9)
            os.waitpid(pid, 0)

    def await_text(self, terminal, pattern):
        seen = ""
        while not (found := re.search(rf"(?m)^{pattern}\r?$", seen)):
            self.assertTrue(select.select([terminal], [], [], HANG_S)[0], seen)
            seen += os.read(terminal, 4096).decode()
        return found

    @unittest.skipUnless(os.path.exists("/dev/ptmx"), "no terminals here")
    def test_tab(self):
        setup = f". {shlex.quote(SCRIPT)}"
        for line, wanted in {
                "contend insp": "contend inspect ",
                "contend run --writer=tick:hol": "contend run --writer=tick:hold=",
                "contend compare raw hres:hint=unl": "contend compare raw hres:hint=unlikely ",
                "contend run --hz /et": "contend run --hz /et",
                "contend run --json /et": "contend run --json /etc/"}.items():
            with self.subTest(line):
                self.assertEqual(self.tab(line, setup), wanted)
        # Without it they stay as they are: it is not bash itself that knows.
        self.assertEqual(self.tab("contend insp", "true"), "contend insp")


if __name__ == "__main__":
    harness.main()
