#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Readers that are compiled on demand: test_recipe.py BINARY [unittest options].

Slow in one place: code that sleeps is waited for.
"""

import os
import shutil
import time
import unittest

import harness
from harness import BRIEF, STORMS, ProgramTest, beside, contend

TOP = os.path.join(harness.HERE, "..", "..")
EXAMPLE = os.path.join(TOP, "readers", "example", "atomic.c")
PATH_SOURCE = os.path.join(TOP, "readers", "path", "vdso.c")
LAYOUTS = ("v6.17", "v6.15", "v6.10", "v5.3", "gtod", "gtod-basemult", "raw-separate")
SOURCE = """#include "readers/reader.h"
%s
CLOCK_READER(page, clock, ts, note)
{
	(void)page;
	(void)clock;
	(void)note;
	ts->tv_sec = 0;
	ts->tv_nsec = 0;
	%s
	return 0;
}
"""
# What makes a system call with one argument, its number, and those of nanosleep and exit_group.
SYSTEM_CALLS = {
    "x86_64": ('"syscall" : "=a"(r) : "a"(%dL), "D"((long)(%s)), "S"(0L) : "rcx", "r11", "memory"',
               35, 231),
    "i686": ('"int $0x80" : "=a"(r) : "a"(%dL), "b"((long)(%s)), "c"(0L) : "memory"', 162, 252),
}


def machine():
    return "i686" if os.uname().machine == "x86_64" and harness.has_32_bits() else os.uname().machine


def system_call(name, argument):
    assembly, sleep, leave = SYSTEM_CALLS[machine()]
    number = {"sleep": sleep, "exit": leave}[name]
    return f"long r; __asm__ volatile({assembly % (number, argument)}); (void)r;"


class RecipeTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.environ["XDG_CACHE_HOME"] = os.path.join(cls.directory, "cache")

    def source(self, body="", before="", name="mine.c"):
        file = self.path(name)
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "w", encoding="utf-8") as out:
            out.write(SOURCE % (before, body))
        return file

    def refused(self, spec, *words):
        """One line by contend, the last one; the compiler's may stand before it."""
        done = contend(*BRIEF, "--reader", spec)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        *compiler, last = done.stderr.splitlines()
        self.assertTrue(last.startswith("contend: --reader: "), done.stderr)
        self.assertEqual([line for line in compiler if line.startswith("contend:")], [])
        for word in words:
            self.assertIn(word, last)
        return "\n".join(compiler)


class Refused(RecipeTest):
    alone = False
    once = True

    def test_source_that_does_not_compile(self):
        said = self.refused(self.source("return no_such_name;"), "did not take it", "mine.c/monotonic")
        self.assertIn("no_such_name", said)
        self.assertIn("mine.c:", said)

    def test_calls_something_outside(self):
        said = self.refused(self.source("return getpid_();", "int getpid_(void);"), "did not take it")
        self.assertIn("getpid_", said)

    def test_variable(self):
        for variable in ("static int calls;", "static int calls = 1;", "int calls;"):
            with self.subTest(variable=variable):
                said = self.refused(self.source("calls++;", variable), "variables of its own")
                self.assertEqual(said, "")

    def test_table_of_pointers(self):
        self.refused(self.source("return table[clock](clock);",
                                 "static int f(int n) { return n; }\n"
                                 "static int g(int n) { return n * n; }\n"
                                 "static int (*const table[])(int) = {f, g, g, f, f, g};"),
                     "holds addresses")

    def test_never_returns(self):
        self.refused(self.source('for (;;) __asm__ volatile("");'), "does not return")

    def test_crashes(self):
        # Where ThreadSanitizer is to see who reads it, readers have the writer's page.
        with open(harness.binary, "rb") as file:
            write = ("__builtin_trap()" if b"__tsan_init" in file.read()
                     else "*(volatile u32 *)(uintptr_t)page = 1")
        for body, word in (("*(volatile int *)64 = 1;", "0x40"), ("__builtin_trap();", "crashes"),
                           (write + ";", "crashes"), ("for (volatile char *c = (volatile char *)&body;; c -= 512) *c = 1;",
                            "crashes")):
            with self.subTest(body=body):
                self.refused(self.source("int body = 0; " + body), "its code", word)

    def test_one_path_alone_crashes(self):
        self.refused(self.source("if (READER_COUNTED) __builtin_trap();"), "with READER_COUNTED 1")
        self.refused(self.source("if (!READER_COUNTED) __builtin_trap();"), "its code crashes, by")

    def test_fails(self):
        self.refused(self.source("return -22;"), "returns -22, where 0 is right")

    @unittest.skipUnless(os.uname().machine in SYSTEM_CALLS, "system calls written for x86 only")
    def test_ends_the_process(self):
        self.refused(self.source(system_call("exit", 0)), "ended the process")

    @unittest.skipUnless(os.uname().machine in SYSTEM_CALLS, "system calls written for x86 only")
    def test_sleeps(self):
        # Fields of 64 bits are long enough for either's struct timespec.
        self.refused(self.source("long t[4] = {1000, 0, 0, 0}; " + system_call("sleep", "t")),
                     "its code makes a system call")

    def test_files_that_are_none(self):
        self.refused(self.path("none.c"), "none.c cannot be read: No such file")
        self.refused(self.directory, "is a folder")
        self.refused(self.directory + "/", "is a folder")
        self.refused("/dev/zero", "no file of the usual kind")
        self.refused("mine.c", "there is no reader 'mine.c'", "./FILE.c")

    def test_recipe_is_named(self):
        self.refused(self.path("none.c") + "@cflags=-O3 -g1", "-O3 -g1")

    def test_compilers_that_are_none(self):
        for spec in ("hres@cc=nosuch", EXAMPLE + "@cc=nosuch"):
            self.assertEqual(self.refused(spec, "there is no compiler 'nosuch'"), "")

    def test_wrong_recipes(self):
        for spec, word in (("hres@bogus=1", "no such key"), ("hres@cc=", "no value"),
                           ("hres@define=READER_COUNTED=1", "defined by contend"),
                           ("image:host@cc=gcc", "an image is not compiled"),
                           ("bogus@cc=gcc", "no reader 'bogus'"), ("hres:clock=a/b", "clock=a/b"),
                           ("hres@cc=" + "x" * 600, "longer"), ("./" + "x" * 800, "longer"),
                           ("./" + "x" * 600 + ".c", "too long"),
                           (EXAMPLE + ":hint=none", "has no key 'hint'"),
                           (EXAMPLE + ":layout=gtod,clock=monotonic_raw", "does not tell")):
            with self.subTest(spec=spec[:40]):
                self.assertEqual(self.refused(spec, word), "")

    def test_code_for_another_machine(self):
        if not shutil.which("aarch64-linux-gnu-gcc") or machine() == "aarch64":
            self.skipTest("there is no compiler for another machine")
        # Flags for 32 bits are none of that compiler's.
        self.refused("hres@cc=aarch64-linux-gnu-gcc",
                     "did not take it" if harness.has_32_bits() else "for another machine")

    def test_tells_nothing(self):
        done = contend(*BRIEF, "--reader", self.source())
        self.one_line(done)
        self.assertIn("does not tell what it used", done.stderr)
        self.assertIn("NOTE_USED_SEQ", done.stderr)


class SoundTest(RecipeTest):
    def sound(self, spec, *arguments, **options):
        _, result = self.brief("--reader", spec, *arguments, **options)
        self.assertEqual(result["readers"]["torn"], 0)
        self.assertGreater(result["readers"]["checked"], 0)
        return result

    def default_cc(self):
        for one in ("gcc", "clang", "cc"):
            if shutil.which(one) and (one == "gcc" or not harness.has_32_bits()):
                return one
        self.skipTest("no compiler that has a usual name")


class Names(SoundTest):
    """What does not hang on how contend was built."""
    alone = False
    once = True

    def test_example(self):
        for keys in ("", ":clock=realtime", ":clock=tai@cflags=-O3", "@cc=" + self.default_cc()):
            with self.subTest(keys=keys):
                self.sound(EXAMPLE + keys, "--hz", "100000")

    def test_kept(self):
        def kept():
            contend(*BRIEF, "--reader", EXAMPLE)
            cache = os.path.join(os.environ["XDG_CACHE_HOME"], "contend")
            return {name: os.stat(os.path.join(cache, name)).st_mtime_ns
                    for name in os.listdir(cache) if name.endswith((".elf", ".key"))}

        first = kept()
        self.assertGreater(len(first), 0)
        self.assertEqual(kept(), first)

    def test_names(self):
        for name in ("a b.c", "a:b.c", "a@b.c", "a:x=y.c", "-a@cc.c", "d,r/a.c"):
            with self.subTest(name=name):
                shutil.copy(EXAMPLE, self.path("copy.c"))
                os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
                os.rename(self.path("copy.c"), self.path(name))
                result = self.sound(self.path(name) + ":clock=tai@define=X=1")
                self.assertEqual(result["config"]["reader"]["source"], self.path(name))

    def test_mutant_on_every_layout(self):
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("it takes two CPUs to be torn")
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                for duration in STORMS:
                    done = contend("--duration", duration, "--warmup", "0", "--hz", "1000000", "--payload",
                                   "stamp", "--reader", f"{PATH_SOURCE}:layout={layout}"
                                   "@define=SEQUENCE_CHANGED(a,b)=0", "--json", "-")
                    if done.returncode == 2:
                        break
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertGreater(self.check_json(done.stdout)["readers"]["torn"], 0)


class Runs(SoundTest):
    once = True

    def test_example_stamp(self):
        self.sound(EXAMPLE, "--payload", "stamp", "--hz", "1000000")

    def test_every_layout(self):
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                self.sound(f"hres:layout={layout}", "--payload", "stamp", "--hz", "1000000")

    def test_layout_compiled_on_demand(self):
        self.sound("hres:layout=v5.3,hint=none", "--hz", "100000")
        self.sound("raw:layout=raw-separate,inline=never@cflags=-O1", "--payload", "stamp")

    @beside
    def test_built_in_in_pieces(self):
        for spec in ("timens@cflags=-O3", "coarse@cflags=-Os", "hres:callers=2,inline=auto@define=N",
                     "hres@define=HINT_BEGIN=likely,define=HINT_RETRY="):
            with self.subTest(spec=spec):
                self.sound(spec)

    @beside
    def test_recipe_is_told(self):
        text, _ = self.brief("--reader", "hres@cflags=-O3 -g0,define=N=1")
        self.assertRegex(text, r"hres/monotonic \(unlikely, inlined @\S+ -O3 -g0 N=1\)")

    @beside
    def test_crashes_or_hangs_at_an_update(self):
        """Nothing of it shows on the quiet page on which it is tried."""
        for what, word in (("__builtin_trap()", "crashed at byte 0x"),
                           ("({for (;;) __asm__ volatile(\"\");})", "does not return")):
            with self.subTest(what=what):
                begun = time.monotonic()
                _, result = self.both("--duration", "1s", "--warmup", "0", "--reader",
                                      f"{PATH_SOURCE}@define=SEQUENCE_CHANGED(v,s)="
                                      f"(READ_ONCE((v)->seq)!=(s)||((s)>60?({what},0):0))", status=3)
                self.assertRegex(result["stall"], "the code of vdso.c/monotonic " + word)
                # Nor is that it was waited for a part of what the figures are of.
                self.assertGreater(result["readers"]["reads"], 0)
                if word == "does not return":
                    self.assertLess(result["seconds"], (time.monotonic() - begun) / 2)

    @beside
    def test_what_a_compiler_prints_is_not_the_result(self):
        script = self.path("loud-cc")
        with open(script, "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\necho loud\nexec {self.default_cc()} \"$@\"\n")
        os.chmod(script, 0o755)
        done = contend(*BRIEF, "--reader", f"hres@cc={script}", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_json(done.stdout)
        self.assertIn("loud\n", done.stderr)

    @beside
    def test_without_a_compiler(self):
        bare = {"env": {"PATH": "/nowhere", "XDG_CACHE_HOME": "/nowhere", "HOME": "/nowhere"}}
        for spec in ("hres", "hres:hint=none,inline=never", "raw:layout=raw-separate", "coarse",
                     "timens"):
            with self.subTest(spec=spec):
                self.sound(spec, **bare)
        for spec in ("hres@cflags=-O3", "hres:layout=gtod,hint=none", EXAMPLE):
            with self.subTest(spec=spec):
                done = contend(*BRIEF, "--reader", spec, **bare)
                self.one_line(done)
                self.assertIn("there is no compiler", done.stderr)

    @beside
    def test_in_a_scenario(self):
        scenario = self.path("recipe.ini")
        with open(scenario, "w", encoding="utf-8") as out:
            out.write(f"[run]\nduration = 200ms\n[readers mine]\nreader = {os.path.abspath(EXAMPLE)}"
                      ":clock=tai@cflags=-O3\n")
        done = contend(scenario)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("atomic.c/tai", done.stdout)


class Told(RecipeTest):
    alone = False
    once = True

    def test_list(self):
        text = contend("list", "readers").stdout
        for word in ("./FILE.c", "@cc=", "cflags=", "define=", "layout"):
            self.assertIn(word, text)

    def test_help(self):
        text = " ".join(contend("run", "--help").stdout.split())
        for word in ("@cc=", "./FILE.c", "cflags=", "define="):
            self.assertIn(word, text)


if __name__ == "__main__":
    harness.main()
