#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend inspect: test_inspect.py BINARY [unittest options].

What other machines' compilers make is held against what their objdump says of it, where they are
installed.
"""
import json
import os
import platform
import re
import shutil
import subprocess
import unittest

import harness
from harness import ProgramTest, contend

X86 = platform.machine() in ("x86_64", "i386", "i686")
CLOCKS = ["realtime", "monotonic", "monotonic_raw", "realtime_coarse", "monotonic_coarse",
          "boottime", "tai"]
TARGETS = {
    "powerpc-linux-gnu": "gcc-powerpc-linux-gnu",
    "arm-linux-gnueabihf": "gcc-arm-linux-gnueabihf",
    "aarch64-linux-gnu": "gcc-aarch64-linux-gnu",
    "riscv64-linux-gnu": "gcc-riscv64-linux-gnu",
    "s390x-linux-gnu": "gcc-s390x-linux-gnu",
}

# A reader whose figures are known, but for what a compiler puts around them.
SOURCE = """#include "readers/reader.h"

CLOCK_READER(page, clock, ts, note)
{
	const struct vdso_clock *vc = page->clock_data;
	u32 seq;

	(void)clock;
	do {
		while ((seq = READ_ONCE(vc->seq)) & 1) /* the first look */
			cpu_relax();
		smp_rmb();
		ts->tv_sec = (time_t)vc->basetime[CLOCK_TAI].sec;
		ts->tv_nsec = 0;
		smp_rmb();
	} while (READ_ONCE(vc->seq) != seq);
	NOTE_USED_SEQ(note, seq);
	return 0;
}
"""

# Two values, of which the second is returned as the seconds.
ASSEMBLY = """#include "readers/reader.h"
__asm__(".text\\n.globl reader\\n.type reader, @function\\nreader: mov 40(%rdi), ONE\\n"
	"mov 56(%rdi), TWO\\n mov END, (%rdx)\\n movq $0, 8(%rdx)\\n xor %eax, %eax\\n ret\\n"
	".size reader, .-reader");
"""


def unexplained(result):
    for path in harness.nulls(result):
        if path not in ("difference", "machine.hypervisor", "machine.l1d_bytes"):
            if path not in result["unavailable"]:
                yield path


class InspectTest(ProgramTest):
    schema = "inspect.schema.json"

    def check_json(self, text):
        result = json.loads(text, parse_constant=lambda name: self.fail(f"{name} is not JSON"))
        errors = [f"{error.json_path}: {error.message}"
                  for error in self.validator.iter_errors(result)]
        self.assertEqual(errors, [])
        self.assertEqual(list(unexplained(result)), [])
        return result

    def inspect(self, *arguments, **options):
        return self.both("inspect", *arguments, **options)

    def source(self, text=SOURCE, name="mine.c"):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def need_traces(self):
        result = self.inspect("hres")[1]
        if not result["readers"][0]["paths"]["fast"]:
            self.skipTest(result["unavailable"]["readers.0.paths.fast"])

    def need_compiler(self, name="cc"):
        if not shutil.which(name):
            self.skipTest(f"there is no {name} here")


class Usage(InspectTest):
    alone = False
    once = True

    def complains(self, *arguments, about):
        done = contend("inspect", *arguments)
        self.one_line(done)
        self.assertIn(about, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_bad_input(self):
        self.complains(about="a reader is wanted")
        self.complains("nobody", about="there is no reader 'nobody'")
        self.complains("hres:bogus=1", about="bogus")
        self.complains("hres", "--bogus", about="there is no such option")
        self.complains("--diff", "hres", about="two readers")
        self.complains("--diff", "hres", "raw", "coarse", about="two readers")
        self.complains("--disasm", about="a reader is wanted")
        self.complains("--target", "i386", about="a reader is wanted")
        self.complains("--target", "vax", "hres", about="there is no target 'vax'")
        self.complains("--target", "", "hres", about="there is no target ''")
        self.complains("--target", "i386,i386", "hres", about="given twice")
        self.complains("--target", "i386", "--page", "hres", about="no --page")
        self.complains("--target", "i386", "--diff", "hres", "raw", about="no --diff")
        self.complains("--target", "i386", "image:host", about="is not compiled")
        self.complains("--target", "i386", "hres@bogus=1", about="no such key")
        self.complains("--target", "i386", "./nothing.c", about="cannot be read")
        self.complains("--json", "/nope/x", "hres", about="--json")
        self.complains(*["hres"] * 9, about="8 are the most")

    def test_a_compiler_that_is_not_here(self):
        self.complains("--target", "i386", "hres@cc=nonesuch", about="no compiler 'nonesuch'")
        self.complains("--target", "powerpc-linux-gnu", "hres@cc=nonesuch",
                       about="no compiler 'powerpc-linux-gnu-nonesuch'")
        environment = dict(os.environ, PATH="/nowhere")
        done = contend("inspect", "--target", "s390x-linux-gnu", "hres", env=environment)
        self.one_line(done)
        self.assertIn("Debian's package gcc-s390x-linux-gnu", done.stderr)

    def test_a_compiler_of_another_machine(self):
        self.need_compiler("gcc")
        done = contend("inspect", "--target", "riscv64-linux-gnu", "hres@cc=" + shutil.which("gcc"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^contend: riscv64-linux-gnu, reader ")

    def test_one_of_several(self):
        """What cannot be looked at keeps nobody else from it."""
        bad = self.source("#include <nothing.h>\n", "bad.c")
        text, result = self.inspect("hres", "nobody", bad, "coarse", status=1)
        self.assertEqual([reader["reader"] for reader in result["readers"]],
                         ["hres/monotonic", "coarse/monotonic_coarse"])
        self.assertEqual([refused["reader"] for refused in result["refused"]], ["nobody", bad])
        for refused in result["refused"]:
            self.assertIn(f"\nrefused  {refused['reader']}: {refused['reason']}\n", text)
        self.assertIn("\nreader   coarse/", text)
        done = contend("inspect", "nobody", "hres:no=1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        done = contend("inspect", "hres", "nobody", "--diff")
        self.one_line(done)
        self.assertEqual(done.stdout, "")

    def test_one_of_several_targets(self):
        self.need_compiler("gcc")
        result = self.inspect("hres", "hres@cc=nonesuch", "--target", "i386", status=1)[1]
        self.assertEqual(len(result["targets"]), 1)
        self.assertEqual([refused["reader"] for refused in result["refused"]], ["hres@cc=nonesuch"])

    def test_help(self):
        text = contend("inspect", "--help").stdout
        for option in ("--disasm", "--diff", "--target", "--page", "--json"):
            self.assertIn(option, text)
        self.assertIn("inspect", contend("--help").stdout)

    def test_quiet(self):
        done = contend("inspect", "--quiet", "hres")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_json_alone_on_standard_output(self):
        self.check_json(contend("inspect", "hres", "--json", "-").stdout)


class Readers(InspectTest):
    alone = False

    def setUp(self):
        self.need_traces()

    def test_text_and_json_agree(self):
        text, result = self.inspect("hres", "timens", "raw:layout=v5.3")
        for reader in result["readers"]:
            self.assertIn(f"reader   {reader['reader']} ({reader['variation']})", text)
            paths = [reader["paths"][name] for name in ("fast", "one_retry", "odd_wait")]
            for name, key in (("instructions", "instructions"), ("branches taken",
                              "branches_taken"), ("lines of code", "code_lines")):
                row = name + r" +" + r" +".join(str(path[key]) for path in paths) + "$"
                self.assertRegex(text, "(?m)" + row)
            self.assertIn(f"entry {harness.grouped(reader['entry_bytes'])} bytes", text)
            self.assertEqual([clock["clock"] for clock in reader["clocks"]], CLOCKS)

    def test_what_a_read_must_do(self):
        for reader in self.inspect("hres", "timens", "coarse", "image:host")[1]["readers"]:
            fast, retry, odd = (reader["paths"][name] for name in ("fast", "one_retry", "odd_wait"))
            self.assertGreater(retry["instructions"], fast["instructions"])
            self.assertGreater(retry["loads"]["page"], odd["loads"]["page"])
            self.assertGreater(odd["instructions"], fast["instructions"])
            for path in (fast, retry, odd):
                self.assertEqual(path["stores"]["page"], 0)
                self.assertGreater(path["stores"]["elsewhere"], 0)  # the timespec
                self.assertIn(0, path["page_lines_at_bytes"])  # the sequence
            self.assertEqual(reader["paths"]["fast"]["page_lines_at_bytes"],
                             next(clock["page_lines_at_bytes"] for clock in reader["clocks"]
                                  if clock["clock"] == reader["clock"]))

    def test_broken_readers_show(self):
        result = self.inspect("no-retry", "no-odd-check")[1]
        self.assertIsNone(result["readers"][0]["paths"]["one_retry"])
        self.assertIn("does not try again",
                      result["unavailable"]["readers.0.paths.one_retry"])
        self.assertIsNone(result["readers"][1]["paths"]["odd_wait"])
        self.assertIn("does not wait", result["unavailable"]["readers.1.paths.odd_wait"])

    def test_inlined_or_called(self):
        inlined, called = self.inspect("hres:inline=always", "hres:inline=never")[1]["readers"]
        self.assertEqual(inlined["paths"]["fast"]["calls"], 0)
        self.assertGreater(called["paths"]["fast"]["calls"], 0)
        self.assertIn("clock_gettime_common", [one["name"] for one in inlined["inlined"]])
        self.assertNotIn("clock_gettime_common", [one["name"] for one in called["inlined"]])
        self.assertTrue(any(function["name"].startswith("clock_gettime_common")
                            for function in called["functions"]))

    def test_own_source(self):
        self.need_compiler()
        path = self.source()
        text, result = self.inspect("--disasm", path)
        reader = result["readers"][0]
        fast, retry, odd = (reader["paths"][name] for name in ("fast", "one_retry", "odd_wait"))
        seconds = 2 if harness.has_32_bits() else 1
        self.assertEqual(fast["loads"]["page"], 2 + seconds)
        self.assertEqual(retry["loads"]["page"], 2 * fast["loads"]["page"])
        self.assertEqual(odd["loads"]["page"], fast["loads"]["page"] + 1)
        self.assertEqual(fast["branches_taken"] + fast["branches_not_taken"], 2)
        self.assertEqual(retry["branches_taken"] + retry["branches_not_taken"], 4)
        self.assertEqual(fast["page_lines_at_bytes"], [0, 192])
        self.assertEqual(len(reader["code"]), fast["instructions"])
        looks = [step for step in reader["code"] if "the first look" in step.get("source", "")]
        self.assertTrue(looks)
        self.assertTrue(all(step["file"].endswith("mine.c") for step in looks))
        self.assertIn("the first look", text)

    def test_source_that_has_moved(self):
        """What was compiled in one folder is known in another, and its source read from there."""
        self.need_compiler()
        for folder in ("here", "there"):
            os.mkdir(self.path(folder))
            self.source(name=f"{folder}/mine.c")
            text = contend("inspect", "--disasm", "./mine.c", cwd=self.path(folder)).stdout
            self.assertRegex(text, r"\./mine\.c:10  while .* the first look")
            os.remove(self.path(f"{folder}/mine.c"))

    def test_disassembly_of_ours(self):
        text, result = self.inspect("--disasm", "hres")
        reader = result["readers"][0]
        taken = [step for step in reader["code"] if step.get("taken")]
        self.assertEqual(len(taken), reader["paths"]["fast"]["branches_taken"])
        self.assertEqual(text.count("<- taken"), len(taken))
        sources = " ".join(step.get("source", "") for step in reader["code"])
        self.assertIn("READ_ONCE(vc->seq)", sources)
        self.assertIn("readers/path/vdso.c", text)
        self.assertEqual(reader["code"][0]["at_byte"], 0)

    def test_images_have_no_source(self):
        text, result = self.inspect("--disasm", "image:host")
        self.assertIn("n/a      sources of an image", text)
        self.assertIsNone(result["readers"][0]["text_bytes"])
        self.assertNotIn("file", result["readers"][0]["code"][0])


class Difference(InspectTest):
    alone = False
    once = True

    def setUp(self):
        self.need_traces()

    def diff(self, a, b):
        text, result = self.inspect("--diff", a, b)
        return text, result["difference"]

    def test_a_reader_and_itself(self):
        text, difference = self.diff("hres", "hres")
        self.assertEqual(difference["fast"]["code"], "same")
        self.assertEqual(difference["all"]["code"], "same")
        self.assertRegex(text, r"(?m)^fast     same code; ")
        self.assertNotRegex(text, r"(?m)^ {9}.{44} [~<>]")

    def test_different_readers(self):
        text, difference = self.diff("hres", "coarse@define=HINT_BEGIN=likely")
        self.assertEqual(difference["fast"]["code"], "different")
        self.assertEqual(difference["all"]["code"], "different")
        self.assertRegex(text, r"the second has \d+ instructions? fewer")
        self.assertRegex(text, r"(?m)^ {9}.{44} [<>]")

    @unittest.skipUnless(platform.machine() == "x86_64", "written in its registers")
    def test_only_registers(self):
        self.need_compiler()
        if harness.has_32_bits():
            self.skipTest("written in registers of 64 bits")
        first, second, crossed = (
            self.source(ASSEMBLY.replace("ONE", one).replace("TWO", two).replace("END", end), name)
            for name, one, two, end in (("first.c", "%r8", "%r9", "%r9"),
                                        ("second.c", "%r10", "%rcx", "%rcx"),
                                        ("crossed.c", "%r10", "%rcx", "%r10")))
        text, difference = self.diff(first, second)
        self.assertEqual(difference["fast"]["code"], "same_but_registers")
        self.assertEqual(difference["all"]["code"], "same_but_registers")
        self.assertRegex(text, r"(?m)^fast     same but for registers; ")
        self.assertRegex(text, r"(?m)^ {9}.{44} ~")
        difference = self.diff(first, crossed)[1]
        self.assertEqual(difference["all"]["code"], "different")
        self.assertTrue(difference["all"]["only_registers_differ"])

    def test_primitives_are_liburcu_s(self):
        """What other machines are given instead of liburcu's makes the same code here."""
        self.need_compiler()
        for name in ("hres", "coarse"):
            difference = self.diff(f"{name}@define=CONTEND_WITHOUT_URCU=1",
                                   f"{name}@define=CONTEND_WITHOUT_URCU=0")[1]
            self.assertEqual(difference["all"]["code"], "same")

    def test_images(self):
        text, difference = self.diff("hres", "image:host")
        self.assertIsNone(difference["all"])
        self.assertIsNotNone(difference["fast"])
        self.assertRegex(text, r"(?m)^all      n/a: ")


class Page(InspectTest):
    alone = False
    once = True

    def test_every_layout(self):
        text, result = self.inspect("--page")
        self.assertEqual([page["layout"] for page in result["pages"]],
                         ["v6.17", "v6.15", "v6.10", "v5.3", "gtod-basemult", "gtod",
                          "raw-separate"])
        for page in result["pages"]:
            self.assertIn(f"page     {page['layout']}: ", text)
            self.check_fields(page)

    def check_fields(self, page):
        """Each field begins where the one before it ends, or behind that, and no two overlap."""
        end = 0
        for field in page["fields"]:
            self.assertGreaterEqual(field["at_byte"], end, (page["layout"], field))
            end = field["at_byte"] + field["bytes"]
        self.assertLessEqual(end, 4096)
        self.assertEqual(page["fields"][0]["name"], "seq")

    def test_lines_are_those_of_fields(self):
        result = self.inspect("--page")[1]
        for page in result["pages"]:
            for clock in page["clocks"]:
                lines = clock["page_lines_at_bytes"]
                if lines is None:
                    continue
                base = next(field for field in page["fields"]
                            if field["name"].endswith("] " + clock["clock"]))
                start = page["data_at_byte_of_page"]
                for at in (base["at_byte"], base["at_byte"] + base["bytes"] - 1):
                    self.assertIn((start + at) // 64 * 64 - start, lines, (page["layout"], clock))

    def test_borders(self):
        text = self.inspect("--page")[0]
        if not X86:
            self.skipTest("no reads can be traced")
        part = text[text.index("page     gtod-basemult"):text.index("page     gtod:")]
        border = part.index("--- line of bytes 64 to 127")
        self.assertLess(part.index("basetime[1] monotonic"), border)
        self.assertIn("basetime[4] monotonic_raw  | over the border at 128", part)
        self.assertRegex(part, r"realtime +reads 1 line\n")
        self.assertRegex(part, r"monotonic +reads 2 lines\n")

    def test_of_a_reader(self):
        result = self.inspect("--page", "raw:layout=v5.3")[1]
        self.assertEqual([page["layout"] for page in result["pages"]], ["v5.3"])
        self.assertEqual(result["pages"][0]["clocks"], result["readers"][0]["clocks"])

    def test_what_a_page_does_not_tell(self):
        result = self.inspect("--page", "hres:layout=gtod")[1]
        raw = result["pages"][0]["clocks"][CLOCKS.index("monotonic_raw")]
        self.assertIsNone(raw["page_lines_at_bytes"])


class Targets(InspectTest):
    alone = False
    once = True

    def need(self, target):
        if not shutil.which(f"{target}-gcc"):
            self.skipTest(f"there is no {target}-gcc here: Debian's package {TARGETS[target]}")

    def compile(self, target, *readers):
        text, result = self.inspect("--target", target, *readers)
        self.assertEqual([one["target"] for one in result["targets"]], [target] * len(readers))
        return text, result["targets"]

    def check_target(self, target):
        self.need(target)
        text, (one, two, forced) = self.compile(
            target, "hres:inline=auto", "hres:inline=auto,callers=2",
            "hres:inline=always,callers=2")
        for result in (one, two, forced):
            for function in result["functions"]:
                self.assertGreater(function["bytes"], 0)
            self.assertLessEqual(sum(f["bytes"] for f in result["functions"]),
                                 result["text_bytes"])
            self.assertGreater(result["instructions"], result["branches"])
        self.check_common(one, "reader", times=1)
        self.check_common(two, "reader, reader_time32", times=None)
        self.check_common(forced, "reader, reader_time32", times=2)
        self.assertGreater(forced["text_bytes"], two["text_bytes"])
        more = two["text_bytes"] - one["text_bytes"]
        self.assertIn(f"{more:+d} bytes against the first", text)
        print(f"{target}: 1 caller {one['text_bytes']} bytes {one['instructions']} instructions, "
              f"2 callers {two['text_bytes']} {two['instructions']}, "
              f"forced {forced['text_bytes']} {forced['instructions']}")

    def check_common(self, result, callers, times):
        """The common function is put into its callers, or there, and called by them."""
        there = [f for f in result["functions"] if f["name"].startswith("clock_gettime_common")]
        inlined = sum(one["times"] for one in result["inlined"]
                      if one["name"] == "clock_gettime_common")
        if times is not None:
            self.assertEqual((len(there), inlined), (0, times), result["reader"])
        elif there:
            self.assertEqual(", ".join(there[0]["called_by"]), callers)
        else:
            self.assertEqual(inlined, 2)

    def test_powerpc(self):
        self.check_target("powerpc-linux-gnu")

    def test_arm(self):
        self.check_target("arm-linux-gnueabihf")

    def test_aarch64(self):
        self.check_target("aarch64-linux-gnu")

    def test_riscv64(self):
        self.check_target("riscv64-linux-gnu")

    def test_s390x(self):
        self.check_target("s390x-linux-gnu")

    def test_i386(self):
        self.need_compiler("gcc")
        if platform.machine() != "x86_64":
            self.skipTest("gcc -m32 is x86-64's")
        text, (one, two) = self.compile("i386", "hres:inline=always", "hres:inline=never")
        self.assertIn("target   i386: hres/monotonic (inline=always), by gcc", text)
        self.check_common(one, "reader", times=1)
        self.check_common(two, "reader", times=None)

    def test_own_source(self):
        self.need("arm-linux-gnueabihf")
        result = self.compile("arm-linux-gnueabihf", self.source())[1][0]
        self.assertEqual([function["name"] for function in result["functions"]], ["reader"])
        self.assertEqual(result["functions"][0]["branches"], 2)
        self.assertEqual(result["calls"], 0)
        self.assertEqual(result["reader"], "mine.c/monotonic")
        compiler = shutil.which("arm-linux-gnueabihf-gcc")
        for spec, name in ((f"{self.source()}:clock=tai@cflags=-Os", "mine.c/tai (clock=tai@cflags=-Os)"),
                           (f"raw@cc={compiler}", f"raw/monotonic_raw (@cc={compiler})")):
            self.assertEqual(self.compile("arm-linux-gnueabihf", spec)[1][0]["reader"], name)

    def test_clang(self):
        self.need("aarch64-linux-gnu")
        self.need_compiler("clang")
        result = self.compile("aarch64-linux-gnu", "hres@cc=clang")[1][0]
        self.assertEqual(result["compiler"], "clang")

    BRANCHES = {
        "powerpc-linux-gnu": r"b(?!l\b|lr\b|\b|ctr|cl\b|rinc)\w+[+-]?",
        "arm-linux-gnueabihf": r"(cbn?z|b(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)(\.[nw])?)",
        "aarch64-linux-gnu": r"(b\.\w+|cbn?z|tbn?z)",
        "riscv64-linux-gnu": r"b(eq|ne|lt|ge|le|gt)(u|z)?",
    }

    def test_counts_are_objdump_s(self):
        checked = 0
        for target, branches in self.BRANCHES.items():
            if shutil.which(f"{target}-objdump") and shutil.which(f"{target}-gcc"):
                self.check_counts(target, branches)
                checked += 1
        if not checked:
            self.skipTest("no other machine's compiler and objdump are here")

    def check_counts(self, target, branches):
        cache = self.path(f"cache-{target}")
        os.mkdir(cache)
        done = contend("inspect", "--target", target, "hres:inline=never,callers=2", "--json", "-",
                       env=dict(os.environ, XDG_CACHE_HOME=cache))
        result = self.check_json(done.stdout)["targets"][0]
        folder = os.path.join(cache, "contend")
        elf = next(os.path.join(folder, name) for name in os.listdir(folder)
                   if name.endswith(".elf"))
        listing = subprocess.run([f"{target}-objdump", "-dw", elf], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        listed = [line.strip().split("\t") for line in listing.splitlines()
                  if re.match(r" *[0-9a-f]+:\t.*\t", line)]
        for function in result["functions"]:
            start = int(re.search(rf"(?m)^(\w+) <{re.escape(function['name'])}>:$", listing)[1], 16)
            words = [words[2].strip().split()[0] for words in listed
                     if start <= int(words[0].rstrip(":"), 16) < start + function["bytes"]
                     and not words[2].startswith(".")]
            seen = sum(1 for word in words if re.fullmatch(branches, word))
            self.assertEqual(function["branches"], seen, (target, function["name"]))
            self.assertEqual(function["instructions"], len(words), (target, function["name"]))


if __name__ == "__main__":
    harness.main()
