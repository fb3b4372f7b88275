#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What README.md shows, done: test_readme.py BINARY [unittest options].

Every command that it gives is run, and what that prints must have the shape of what the README
shows: see shape.py. Commands run in a folder that looks like this tree with contend built, holds
the files that the README shows, and images where it names some.
"""

import errno
import os
import re
import shutil
import subprocess
import unittest

import harness
import readme
import shape
import wording
from harness import ProgramTest, contend

TOP = os.path.abspath(os.path.join(harness.HERE, "..", ".."))
HANG_S = 60
# On a busy machine others may have left a run no time.
TRIES = 3

# All that is shortened, here and nowhere else: what a command has behind it so that it takes less
# than the README lets it. Of an option given twice the last one counts. The first that fits;
# what is in none of them takes no longer than it must.
BRIEFLY = (
    (r"contend .*--(help|version)", ""),
    (r"contend compare .*", "--duration 1s"),
    (r"contend observe .*", "--duration 1s --simulate 200ms"),
    (r"contend calibrate .*", "--duration 500ms"),
    (r"contend sweep", "--hz 1000,10000 --readers 4"),
    (r"contend sweep .*", "--hz 1000 --readers 1,4 --max-time 1s"),
    (r"contend verify", "--duration 20ms" + "".join(f" --only {name}" for name in (
        "no-retry", "no-begin-rmb", "never-odd", "latch-wrong-copy", "seqcount"))),
    (r"contend verify .*", "--duration 20ms"),
    (r"contend (settle )?scenarios/unlikely-read-begin.ini",
     "--only gcc-monotonic-1000hz --duration 500ms"),
    (r"contend run .*--interval.*", "--duration 1s"),
    (r"contend .*--interval.*", "--duration 300ms --interval 50ms"),
    (r"contend (run |-|[\w/]+\.ini).*", "--duration 200ms --warmup 20ms"),
)

# What the README has a name for that stands for others.
STANDS_FOR = {
    "contend FILE.ini": "contend scenarios/tick.ini",
    "contend run FILE.ini": "contend run scenarios/tick.ini",
    "contend settle FILE.ini": "contend settle scenarios/unlikely-read-begin.ini",
    "contend inspect --diff A B": "contend inspect --diff hres hres:hint=none",
    "contend diff OLD.json NEW.json": "contend diff new.json new.json",
    "contend report RESULT.json... -o FILE": "contend report compare.json -o report.html",
}

# What has been done before.
BEFORE = ("contend --readers 2 --duration 300ms --interval 50ms --quiet --json old.json",)

# Images of the tests' own in place of kernels'.
IMAGES = {
    "arch/x86/entry/vdso/vdso64.so": "v6.15.so",
    "before/vdso64.so": "v6.15.so",
    "after/vdso64.so": "v6.15-rdtscp.so",
}

# Not run where something is not installed that contend does not need.
NEEDS = {
    "./contend inspect --target aarch64-linux-gnu hres ./begin.c": "aarch64-linux-gnu-gcc",
}

# Not run here, and why.
NOT_RUN = {
    "setup --m32": "fetches packages",
    "./setup --m32": "fetches packages",
    "cmake --preset m32 && cmake --build --preset m32": "takes minutes; tests/run does it",
    "build/m32/contend --reader image:host --hz 1000": "takes that build",
    "cmake --preset release": "takes a minute; setup does it",
    "cmake --install build/release --prefix /usr/local":
        "writes to the system; tests/install does it elsewhere",
    "tests/run": "runs this test, too",
    "tests/rooms": "is a test by itself",
    "tests/bench/kernel_images": "fetches and builds kernels",
    "cmake --preset release && cmake --build --preset release": "takes a minute; setup does it",
    "cmake --build build/release --target uninstall":
        "takes away what was installed; tests/install does it elsewhere",
    "tests/package": "makes a Debian in a folder, as root",
    "tests/bench/interval_numbers": "takes minutes, and a quiet machine",
    "tests/bench/prove_numbers": "takes minutes, and a quiet machine",
    "tests/bench/protocol_numbers": "takes minutes, and a quiet machine",
    "tests/bench/run_numbers": "takes minutes, and a quiet machine",
    "tests/bench/calibrate_numbers": "takes minutes, and a quiet machine",
    "for f in unlikely-read-begin always-inline inline-or-trust-the-compiler "
    "mult-shift-in-basetime; do ./contend scenarios/$f.ini; done":
        "takes minutes; test_settle has each of them",
}

# In so short a time there are not the updates that they expect.
UNFULFILLED = ("contend web.ini",)

# What is no longer so, and must be noticed: a word, a heading, a column, a line that is gone, was not
# there or stands elsewhere, an option, a name.
MUTANTS = (
    (r"odd wait( +[\d ]+changed)", r"odd weit\1"),
    (r"^    fairness .*\n", ""),
    (r"^(    fairness .*\n)(    retries .*\n)", r"\2\1"),
    (r"^(    fairness .*\n)", r"\1    unfairness 5 %\n"),
    (r"p99\.99 30\.0 ns", "p99.9 30.0 ns"),
    (r"^(    mutant +kind +torn) stale", r"\1"),
    (r"^(    correct +kind +runs +)reads checked", r"\1checked reads"),
    (r"^(    \$ ./contend) --readers 32", r"\1 --threads 32"),
    (r"^(    \$ ./contend prove) late-fence", r"\1 late-fences"),
    (r"^(    weak     )BROKEN", r"\1holds "),
    (r"vdso\.c:190( +acquire)", r"vdso.c:191\1"),
    (r"release fence left out", "release fence removed"),
    (r"^(    hres +)(20\.181 +)", r"\1"),
    (r"placement sd  retries/million", "retries/million  placement sd"),
    (r"^    ( +)branches taken ", r"    \1branches that jump "),
    (r"^(    expect +updates) >=", r"\1 >"),
    (r"contend list figures", "contend list figure"),
    (r"contend list readers --all", "contend list readers --every"),
    (r"by reads that only waited", "by reads that waited"),
)


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


README = read("README.md")


def plain(command):
    return command.removeprefix("./")


def in_full(command):
    """As it is run. A subcommand that is only mentioned is asked for its help."""
    command = STANDS_FOR.get(plain(command), plain(command))
    if re.fullmatch(r"contend (run|compare|prove|settle|report|diff)", command):
        command += " --help"
    for pattern, options in BRIEFLY:
        if re.fullmatch(pattern, command):
            return f"{command} {options}".rstrip()
    return command


ROW = re.compile(r"(\S+) +(reader|writer|protocol) ")


def with_rows_of(printed, shown):
    """Of verify's tables the rows, and in the order, that are in a shorter one."""
    rows = {ROW.match(line)[1]: line for line in shown if ROW.match(line)}
    tables = {}
    for line in printed:
        if line.startswith(("mutant ", "correct ")):
            heading = line.split()[0]
        elif ROW.match(line):
            name = ROW.match(line)[1]
            tables.setdefault(heading, []).append(rows.get(name, f"no row of {name}"))
    found = []
    for line in shown:
        if not ROW.match(line):
            found.append(line)
        if line.startswith(("mutant ", "correct ")):
            found.extend(tables[line.split()[0]])
    return found


def unwrapped(lines):
    """Of a commit message: where its lines end hangs on how long the figures are."""
    return re.sub(r"\n {12,}(?=\S)", " ", "\n".join(lines)).split("\n")


def is_left_out(command):
    return command in NOT_RUN or command in NEEDS and not shutil.which(NEEDS[command])


def shape_of(command):
    """What observe says is all of the machine."""
    return shape.labels if " observe" in command.text else shape.shape


def statuses_of(command):
    """How it may end."""
    if "--fail-above" in command.text:
        return (0, 2)
    broken = any(re.search("BROKEN|not ok|^accused .* under ", line) for line in command.shown or ())
    return (2,) if broken or plain(command.text) in UNFULFILLED else (0,)


def not_there(text):
    """What is said above of commands that it does not have."""
    there = {command.text for command in readme.commands(text)}
    return [*(set(NOT_RUN) | set(NEEDS)) - there,
            *(set(STANDS_FOR) | set(UNFULFILLED)) - set(map(plain, there))]


def unknown_options(text, known):
    return [option for code in readme.code(text) if code not in NOT_RUN
            for option in re.findall(r"(?<!\S)--[a-z][\w-]*", re.sub(r"\$\(.*\)", "", code))
            if not re.search(rf"{option}\b(?!-)", known)]


def broken_links(text):
    """To files of the tree and to sections; and sections to which the contents have none."""
    titles = re.findall(r"^#+ (.*)$", text, re.M)
    anchors = {"#" + re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-")
               for title in titles}
    targets = re.findall(r"\]\(([^)]+)\)", text) + re.findall(r"(?:src|srcset)=\"([^\"]+)\"", text)
    reference = text.partition("\n## Contents\n")[2]
    return [*(target for target in targets
              if target not in anchors and not os.path.exists(os.path.join(TOP, target))),
            *(title for title in re.findall(r"^## (.*)$", reference, re.M)
              if f"[{title}](#" not in reference)]


class Readme(ProgramTest):
    once = True
    # Some have a writer that spins, for a fifth of a second; the shape of nothing hangs on time.
    alone = False
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not harness.images() or len(os.sched_getaffinity(0)) < 2:
            raise unittest.SkipTest("the README is of an x86 with two CPUs or more")
        cls.done = {}
        cls.tree = os.path.join(cls.directory, "tree")
        os.mkdir(cls.tree)
        for name in ("readers", "scenarios", "sim", "tests", "writers"):
            os.symlink(os.path.join(TOP, name), os.path.join(cls.tree, name))
        os.symlink(harness.binary, os.path.join(cls.tree, "contend"))
        for name, content in readme.files(README).items():
            with open(os.path.join(cls.tree, name), "w", encoding="utf-8") as file:
                file.write(content)
        for name, image in IMAGES.items():
            os.makedirs(os.path.dirname(os.path.join(cls.tree, name)), exist_ok=True)
            shutil.copy(os.path.join(harness.images(), image), os.path.join(cls.tree, name))
        for command in BEFORE:
            cls.run_once(command, (0,))

    @classmethod
    def run_once(cls, command, statuses):
        """How it ended, and what it printed; of up to TRIES times until it ends like that."""
        if command not in cls.done:
            for _ in range(TRIES):
                cls.done[command] = subprocess.run(
                    ["sh", "-c", command], cwd=cls.tree, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=HANG_S,
                    check=False, env={**os.environ, "PATH": f"{cls.tree}:{os.environ['PATH']}"})
                if cls.done[command].returncode in statuses:
                    break
        return cls.done[command]

    def complaint(self, command):
        """What is wrong with what the README says of this one."""
        full = in_full(command.text)
        done = self.run_once(full, statuses_of(command))
        if done.returncode not in statuses_of(command):
            return f"'{full}' ended with {done.returncode}: {done.stderr}"
        if command.shown is None:
            return ""
        shown, printed = command.shown, done.stdout.split("\n")
        if plain(command.text) == "contend verify":
            shown = with_rows_of(printed, shown)
        if "--format commit" in command.text:
            shown, printed = unwrapped(shown), unwrapped(printed)
        return shape.difference(shown, printed, shape_of(command))

    def last_complaint(self, command):
        """Where others had the machine, once more."""
        for _ in range(TRIES):
            complaint = self.complaint(command)
            if not complaint:
                break
            self.done.pop(in_full(command.text))
        return complaint

    def test_commands(self):
        for command in readme.commands(README):
            if not is_left_out(command.text):
                with self.subTest(line=command.line, command=command.text):
                    self.assertEqual(self.last_complaint(command), "")

    def test_mutants(self):
        """Each is something in it that is no longer so."""
        right = [command[1:] for command in readme.commands(README)]
        for old, new in MUTANTS:
            with self.subTest(old=old, new=new):
                mutant = re.sub(old, new, README, count=1, flags=re.M)
                wrong = [command for command in readme.commands(mutant)
                         if command[1:] not in right]
                self.assertEqual(len(wrong), 1)
                self.assertNotEqual(self.complaint(wrong[0]), "")

    def each_mutant_is_noticed(self, complaints, *mutants):
        self.assertEqual(complaints(README), [])
        for old, new in mutants:
            with self.subTest(old=old, new=new):
                self.assertIn(old, README)
                self.assertNotEqual(complaints(README.replace(old, new)), [])

    def test_what_is_said_here_of_commands_is_of_some(self):
        self.each_mutant_is_noticed(not_there, ("tests/rooms", "tests/room"), ("web.ini", "b.ini"),
                                    ("contend inspect --diff A B", "contend inspect A B"))

    def test_what_need_not_be_printed_can_be(self):
        known = wording.literals(harness.binary) | {os.strerror(errno.ENOENT)}
        for command in readme.commands(README):
            for line in command.shown or ():
                if not shape.is_wild(line) and shape_of(command) == shape.shape:
                    continue
                # Words of results, and of specs.
                if line.startswith(("differs ", "accused ")):
                    continue
                with self.subTest(line=command.line, shown=line):
                    self.assertEqual(wording.unknown(line, known), [])
        for line in ("remark   32 readers share 1 CPU: retries that came off-CPU are counted apart",
                     "n/a      no hardware counters: the CPU, or its guest, offers none"):
            self.assertNotEqual(wording.unknown(line, known), [])

    def test_each_row_of_verify_is_of_something(self):
        """Also of what the short run leaves out."""
        known = "".join(contend("list", what, "--all").stdout for what in ("readers", "writers"))
        rows = [ROW.match(line)[1] for command in readme.commands(README)
                if plain(command.text) == "contend verify"
                for line in command.shown or () if ROW.match(line)]
        self.assertGreater(len(rows), 30)
        for name in rows:
            self.assertTrue(re.search(rf"^ +{name.split('/')[0]}\b(?!-)", known, re.M), name)

    def test_options(self):
        """Also those that are only spoken of."""
        commands = re.findall(r"^  (\w+)  ", contend("--help").stdout, re.M)
        known = " --version ".join(contend(command, "--help").stdout for command in commands)
        self.each_mutant_is_noticed(lambda text: unknown_options(text, known),
                                    ("`--null READER`", "`--nil READER`"),
                                    ("`--target powerpc", "`--machine powerpc"))

    def test_links(self):
        self.each_mutant_is_noticed(broken_links, ("(report/run.schema.json)", "(run.schema.json)"),
                                    ("(#words)", "(#word)"), ("\n## Words\n", "\n## Terms\n"),
                                    ("[Words](#words) ·", ""))


if __name__ == "__main__":
    harness.main()
