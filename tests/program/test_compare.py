#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend compare: test_compare.py BINARY [unittest options].

Times are whatever the machine makes of them; only a planted slowdown of many times a read has a
sign that must be found.
"""
import json
import os
import re
import signal
import subprocess
import time

import harness
from harness import HANG_S, HERE, ProgramTest, contend, grouped

SHORT = ("--duration", "600ms")
PAIR = ("hres:hint=none", "hres")
CPUS = sorted(os.sched_getaffinity(0))
EXAMPLE = os.path.normpath(os.path.join(HERE, "..", "..", "readers", "example", "atomic.c"))

# null here means that there is nothing to tell.
NOT_MEASURED = (r"config\.(writer|cpus|writer_cpu|priority|precision_percent)",
                r"machine\.hypervisor", r"writer", r"broken")

SLOW = """
static inline void idle(void)
{
	u64 value = 0;

	for (int i = 0; i < 200; i++) {
		value += 1;
		__asm__ volatile("" : "+r"(value));
	}
}

CLOCK_READER("""


def unexplained(result):
    for path in harness.nulls(result):
        if not any(re.fullmatch(known, path) for known in NOT_MEASURED):
            if path not in result["unavailable"]:
                yield path


class CompareTest(ProgramTest):
    schema = "compare.schema.json"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(EXAMPLE, encoding="utf-8") as file:
            cls.example = file.read()

    def check_json(self, text):
        result = json.loads(text, parse_constant=lambda name: self.fail(f"{name} is not JSON"))
        errors = [f"{error.json_path}: {error.message}"
                  for error in self.validator.iter_errors(result)]
        self.assertEqual(errors, [])
        self.assertEqual(list(unexplained(result)), [])
        self.check_sense(result)
        return result

    def check_sense(self, result):
        self.assertEqual(result["complete"], result["outcome"] == "complete")
        self.assertEqual(result["broken"] is not None, result["outcome"] == "broken")
        self.assertLessEqual(2 * result["placements"], result["visits"])
        for reader in (result["baseline"], *result["results"]):
            if retries := reader["retries"]:
                self.assertEqual(sum(retries[kind] or 0
                                     for kind in ("odd_wait", "changed", "off_cpu")),
                                 retries["total"])
        for reader in result["results"]:
            ci95, ci99 = reader["ci95_percent"], reader["ci99_percent"]
            if ci95:
                self.assertLessEqual(ci99[0], ci95[0])
                self.assertLessEqual(ci95[0], ci95[1])
                self.assertLessEqual(ci95[1], ci99[1])
            if not reader["same_code"]:
                sign = ("unclear" if not ci95 else "slower" if ci95[0] > 0 else
                        "faster" if ci95[1] < 0 else reader["verdict"])
                self.assertEqual(reader["verdict"], sign)

    def check_agreement(self, text, result):
        """What the text says, JSON says too."""
        self.assertIn(f"; {grouped(result['visits'])} visits of ", text)
        for reader in (result["baseline"], *result["results"]):
            # A long name has a line of its own.
            rows = re.findall(rf"(?m)^{re.escape(reader['reader'])}\n?( .*)$", text)
            self.assertGreaterEqual(len(rows), 2, reader["reader"])
            if reader["read_ns"] is not None:
                self.assertTrue(any(f" {reader['read_ns']:.3f}" in row for row in rows), rows)
            if reader["retries"]:
                self.assertTrue(any(f" {reader['retries']['per_million']:.1f}" in row
                                    for row in rows), rows)
        for reader in result["results"]:
            if reader["same_code"]:
                word = "same: same code"
            elif reader["verdict"] == "same":
                word = f"no difference larger than {reader['no_larger_percent']:.2g} %"
            else:
                word = {"unclear": "cannot tell"}.get(reader["verdict"], reader["verdict"])
            self.assertIn("   " + word, text)

    def run_compare(self, *arguments, **options):
        """A machine that is busy with other things needs more time for a first result."""
        for duration in ("500ms", "2s", "10s"):
            done = contend("compare", "--duration", duration, *arguments, **options)
            if "give it more time" not in done.stderr:
                break
        return done

    def compare(self, *arguments, status=0, **options):
        file = self.path("result.json")
        done = self.run_compare(*arguments, "--json", file, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual(result["exit_status"], status)
        self.check_agreement(done.stdout, result)
        self.stderr = done.stderr
        return done.stdout, result

    def source(self, name, old, new):
        """The example with something changed in it; returns its path."""
        self.assertIn(old, self.example)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(self.example.replace(old, new))
        return self.path(name)

    def need_two_cpus(self):
        if len(CPUS) < 2:
            self.skipTest("the writer needs a CPU of its own")


class Usage(CompareTest):
    once = True
    alone = False

    WRONG = (
        ("--readers", "0", "65", "-1", "x", ""),
        ("--hz", "-1", "10000001", "x", ""),
        ("--writer", "bogus", "tick:bogus=1", ""),
        ("--work", "bogus", "alu:0", "cache:1", ""),
        ("--clocksource", "bogus", "virtual", ""),
        ("--seed", "-1", "4294967296", "x", ""),
        ("--duration", "9ms", "25h", "10", ""),
        ("--max-time", "9ms", "25h", ""),
        ("--precision", "0", "51%", "-1%", "1%%", "%", "x", "nan", ""),
        ("--resolution", "0%", "51", "x", "inf", ""),
        ("--cpus", "9999", "x", ""),
        ("--writer-cpu", "9999", "x", ""),
        ("--priority", "0", "100", "x", ""),
        ("--format", "xml", ""),
        ("--json", "/nope/x", "/", ""),
    )

    def test_wrong_values(self):
        for option, *values in self.WRONG:
            for value in values:
                with self.subTest(option=option, value=value):
                    done = contend("compare", *PAIR, option, value)
                    self.one_line(done)
                    self.assertTrue(done.stderr.startswith(f"contend: {option}: "), done.stderr)
                    self.assertEqual(done.stdout, "")

    def test_wrong_usage(self):
        for arguments in ((), ("hres",), ("--bogus", *PAIR), ("hres",) * 9, ("--null", *PAIR),
                          ("--null",), ("--still=1", *PAIR), ("bogus", "hres"), ("hres", "bogus"),
                          (*PAIR, "--precision", "1%", "--duration", "1s"),
                          (*PAIR, "--max-time", "1s"),
                          (*PAIR, "--hz", "10", "--writer", "tick:hz=20"),
                          (*PAIR, "--hz", "0", "--writer", "tick"),
                          (*PAIR, "--writer-cpu", str(CPUS[0]), "--hz", "0"),
                          (*PAIR, "--hz", "0", "--priority", "none"),
                          (*PAIR, "--format", "commit", "--quiet"),
                          (*PAIR, "--json", "-", "--format", "commit"),
                          ("hres:clock=bogus", "hres"), ("/nope.c", "hres"), ("image:/nope", "hres")):
            with self.subTest(arguments=arguments):
                done = contend("compare", *arguments)
                self.one_line(done)
                self.assertEqual(done.stdout, "")

    def test_what_is_left_out(self):
        for option, value in (("--writer", "tick"), ("--writer-cpu", str(CPUS[0])),
                              ("--priority", "1")):
            done = contend("compare", *PAIR, "--hz", "0", option, value)
            self.assertIn(f"contend: {option}: ", done.stderr)
            self.assertIn("--hz 0", done.stderr)
        for option in (("--quiet",), ("--json", "-")):
            done = contend("compare", *PAIR, "--format", "commit", *option)
            self.assertIn("contend: --format: commit ", done.stderr)
            self.assertIn(" ".join(option), done.stderr)

    def test_help(self):
        done = contend("compare", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("whatever the verdict", done.stdout)
        self.assertRegex(contend("--help").stdout, r"(?m)^  compare  +\S")


class Verdicts(CompareTest):
    once = True

    def test_two(self):
        text, result = self.compare(*PAIR)
        self.assertEqual(result["baseline"]["reader"], PAIR[0])
        self.assertEqual([r["reader"] for r in result["results"]], [PAIR[1]])
        self.assertGreater(result["visits"], 0)
        self.assertGreater(result["placements"], 0)
        self.assertGreater(result["baseline"]["read_ns"], 0)
        self.assertGreater(result["baseline"]["retries"]["reads"], 0)
        self.assertIn("placements of their code, two each", text)

    def test_itself(self):
        text, result = self.compare("hres", "hres")
        only = result["results"][0]
        self.assertEqual((only["same_code"], only["verdict"], only["no_larger_percent"]),
                         (True, "same", 0))
        # What was measured is shown all the same.
        self.assertIsNotNone(only["ci95_percent"])
        self.assertIn(" same: same code", text)

    def test_same_code_of_another_clock(self):
        only = self.compare("hres", "hres:clock=realtime")[1]["results"][0]
        self.assertFalse(only["same_code"])

    def test_planted_slowdown(self):
        slow = self.source("slow.c", "\nCLOCK_READER(", SLOW)
        with open(slow, encoding="utf-8") as file:
            text = file.read()
        with open(slow, "w", encoding="utf-8") as file:
            file.write(text.replace("\tfor (; nsec >= NSEC", "\tidle();\n\tfor (; nsec >= NSEC"))
        text, result = self.compare(EXAMPLE, slow)
        only = result["results"][0]
        self.assertEqual(only["verdict"], "slower")
        self.assertGreater(only["ci99_percent"][0], 0)
        self.assertGreater(only["effect_ns"], 0)
        self.assertFalse(only["same_code"])
        self.assertNotEqual(only["text_bytes"], result["baseline"]["text_bytes"])
        only = self.compare(slow, EXAMPLE)[1]["results"][0]
        self.assertEqual(only["verdict"], "faster")
        self.assertLess(only["ci99_percent"][1], 0)

    def test_retries(self):
        result = self.compare(*PAIR, "--hz", "100000")[1]
        for reader in (result["baseline"], *result["results"]):
            self.assertGreater(reader["retries"]["total"], 0)

    def test_three(self):
        text, result = self.compare(*PAIR, "coarse")
        self.assertEqual([r["reader"] for r in result["results"]], ["hres", "coarse"])
        self.assertEqual(result["results"][1]["verdict"], "faster")
        self.assertIn("intervals hold for all 2 of them at once", text)

    def test_image(self):
        if contend("run", "--reader", "image:host", "--duration", "10ms").returncode:
            self.skipTest("this machine's vDSO cannot be run on a page of ours")
        text, result = self.compare("image:host", "hres")
        self.assertTrue(result["baseline"]["placement_still"])
        self.assertFalse(result["results"][0]["placement_still"])
        self.assertIsNone(result["baseline"]["retries"])
        self.assertIsNone(result["baseline"]["text_bytes"])
        self.assertIsNone(result["results"][0]["same_code"])
        self.assertIn("\nstill    image:host: an image's code cannot be moved", text)
        self.assertIn("\nn/a      image:host, retries: ", text)
        result = self.compare("image:host", "image:host:clock=realtime")[1]
        self.assertEqual(result["placements"], 0)
        self.assertIsNone(result["results"][0]["placement_sd_percent"])
        self.assertIn("there was one placement",
                      result["unavailable"]["results.0.placement_sd_percent"])

    def test_without_a_compiler(self):
        environment = {**os.environ, "PATH": "/nonexistent"}
        self.compare(*PAIR, env=environment)
        done = contend("compare", *SHORT, "hres", "hres@cflags=-O1 -DNEVER_SEEN_BEFORE",
                       env=environment)
        self.one_line(done)
        self.assertIn("compiler", done.stderr)

    def test_effects_at_single_placements(self):
        result = self.compare(*PAIR)[1]
        single = result["results"][0]["placement_effects_percent"]
        self.assertEqual(len(single), min(result["placements"], 256))
        if len(single) == result["placements"] and not result["results"][0]["placements_disturbed"]:
            # The mean of logarithms, which these are near enough to be as good.
            self.assertAlmostEqual(sum(single) / len(single), result["results"][0]["effect_percent"],
                                   delta=0.01 + (max(single) - min(single)) ** 2 / 100)
        still = self.compare("--still", *PAIR)[1]
        self.assertEqual(still["results"][0]["placement_effects_percent"], [])

    def test_schema_is_strict(self):
        result = self.compare(*PAIR)[1]
        for name in result.keys() - harness.LATER:
            lacking = {key: value for key, value in result.items() if key != name}
            self.assertFalse(self.validator.is_valid(lacking), name)
        only = result["results"][0]
        for name in only.keys() - harness.LATER:
            kept = only.pop(name)
            self.assertFalse(self.validator.is_valid(result), name)
            only[name] = kept
        for part in (result, only, result["baseline"], result["config"], result["counter"],
                     only["counters"], only["retries"]):
            part["stranger"] = 1
            self.assertFalse(self.validator.is_valid(result))
            del part["stranger"]
        self.assertTrue(self.validator.is_valid(result))


class Options(CompareTest):
    """Each option changes what the program says."""
    once = True
    alone = False

    def can_be_cold(self):
        return "does not let programs" not in contend("compare", *PAIR, "--work", "cold",
                                                       "--duration", "10ms").stderr

    def test_readers(self):
        text, result = self.compare(*PAIR, "--readers", "2")
        self.assertEqual(result["config"]["threads"], 2)
        self.assertEqual(len(result["cpus"]), 2)
        self.assertIn(" in 2 threads, ", text)

    def test_hz(self):
        text, result = self.compare(*PAIR, "--hz", "0")
        self.assertEqual((result["config"]["hz"], result["writer"]), (0, None))
        self.assertIn(", no writer, ", text)
        for reader in (result["baseline"], *result["results"]):
            self.assertEqual(reader["retries"]["total"], 0)
        text, result = self.compare(*PAIR, "--hz", "250")
        self.assertEqual(result["config"]["hz"], 250)
        self.assertIn(" at 250 Hz", text)

    def test_writer(self):
        result = self.compare(*PAIR, "--writer", "tick:hz=500,hold=300ns")[1]
        self.assertEqual(result["config"]["hold_ns"], 300)
        self.assertEqual(result["config"]["hz"], 500)

    def test_work(self):
        for work in ("alu:50", "cache:16K", *(("cold",) if self.can_be_cold() else ())):
            text, result = self.compare(*PAIR, "--work", work)
            self.assertEqual(result["config"]["work"],
                             {"alu:50": {"kind": "alu", "operations": 50},
                              "cache:16K": {"kind": "cache", "bytes": 16384},
                              "cold": {"kind": "cold"}}[work])
            self.assertIn(f", work {work}, ", text)
            self.assertIn("\nwork between reads takes ", text)
            self.assertGreater(result["work_ns"], 0)
            self.assertEqual(result["outcome"], "complete")
        self.assertEqual(self.compare(*PAIR)[1]["work_ns"], 0)

    def test_clocksource(self):
        result = self.compare(*PAIR, "--clocksource", "monotonic_raw")[1]
        self.assertEqual(result["config"]["clocksource"], "monotonic_raw")
        self.assertEqual(result["counter"]["frequency_hz"], 1000000000)

    def test_still(self):
        text, result = self.compare(*PAIR, "--still")
        self.assertEqual((result["config"]["still"], result["placements"]), (True, 0))
        self.assertTrue(all(r["placement_still"] for r in result["results"]))
        self.assertIsNone(result["results"][0]["placement_sd_percent"])
        self.assertIn(" visits of one placement of their code\n", text)
        self.assertIn("\nstill    no code was moved", text)

    def test_null(self):
        text, result = self.compare("hres", "--null")
        self.assertTrue(result["config"]["null"])
        self.assertTrue(result["results"][0]["same_code"])
        self.assertIn(result["fitness"]["text"], text)
        self.assertRegex(text, r"\nmachine  (not )?fit to tell differences of 0\.5 %, ")
        # Whatever the verdict: nothing is fit for this.
        result = self.compare("hres", "--null", "--resolution", "0.001%")[1]
        self.assertEqual(result["exit_status"], 0)

    def test_seed(self):
        self.assertEqual(self.compare(*PAIR, "--seed", "77")[1]["config"]["seed"], 77)

    def test_duration(self):
        text, result = self.both("compare", *PAIR, "-d", "2.5s")
        self.assertEqual(result["config"]["duration_ns"], 2500000000)
        self.assertIn(", 2.5 s\n", text)
        self.assertGreaterEqual(result["seconds"], 2.5)

    def check_precision(self, result, percent, max_time):
        """
        It ends when all is known so precisely, of 64 placements or more, or at the end. Visits that
        were still to be finished then may make it a little less precise.
        """
        if result["seconds"] >= max_time:
            return
        for reader in result["results"]:
            self.assertTrue(reader["precision_reached"])
            low, high = reader["ci95_percent"]
            self.assertGreaterEqual(result["placements"], 64)
            effect = reader["effect_percent"]
            self.assertLessEqual(max(high - effect, effect - low), 2 * percent)

    def test_precision_and_max_time(self):
        text, result = self.both("compare", *PAIR, "--precision", "50%", "--max-time", "20s")
        self.assertEqual(result["config"]["precision_percent"], 50)
        self.assertEqual(result["config"]["resolution_percent"], 50)
        self.assertEqual(result["config"]["duration_ns"], 20000000000)
        self.assertIn(", to +- 50 % in 20 s at most\n", text)
        self.assertLess(result["seconds"], 19)
        self.check_precision(result, 50, 20)
        # Hardly anything is known to that: it goes on to the end, unless it is.
        result = self.both("compare", *PAIR, "--precision", "0.001%", "--max-time", "3s")[1]
        self.check_precision(result, 0.001, 3)

    def test_precision_that_is_not_reached(self):
        """It takes 64 placements at least, for which there is no time."""
        file = self.path("imprecise.json")
        done = contend("compare", *PAIR, "--precision", "0.001%", "--max-time", "400ms", "--json",
                       file)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertIs(result["results"][0]["precision_reached"], False)
        self.assertRegex(done.stderr, r"(?m)^remark   --precision was not reached: .*hres/monotonic")
        self.assertTrue(any("--precision was not" in remark for remark in result["remarks"]))

    def test_resolution(self):
        text, result = self.compare(*PAIR, "--resolution", "50%")
        self.assertEqual(result["config"]["resolution_percent"], 50)
        self.assertNotEqual(result["results"][0]["verdict"], "unclear")

    def test_cpus(self):
        result = self.compare(*PAIR, "--cpus", str(CPUS[0]))[1]
        self.assertEqual((result["cpus"], result["config"]["cpus"]), ([CPUS[0]], [CPUS[0]]))

    def test_writer_cpu(self):
        result = self.compare(*PAIR, "--writer-cpu", str(CPUS[0]))[1]
        self.assertEqual((result["writer"]["cpu"], result["config"]["writer_cpu"]),
                         (CPUS[0], CPUS[0]))

    def test_priority(self):
        text, result = self.compare(*PAIR, "--priority", "none")
        self.assertEqual((result["writer"]["priority"], result["config"]["priority"]), (0, 0))
        self.assertIn(" (not real-time), ", text)

    def test_format(self):
        specs = (*PAIR, f"{EXAMPLE}:clock=boottime")
        done = self.run_compare(*specs, "--format", "commit")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        for line in lines:
            self.assertLessEqual(len(line), 75, line)
            self.assertRegex(line, r"\A(    \S.*|    +\S.*|)\Z")
            self.assertNotIn("\033", line)
        for label in ("before:", "after 1:", "after 2:", "method:", "CPU:", "kernel:", "compiler:"):
            self.assertTrue(any(line.startswith("    " + label) for line in lines), label)
        self.assertRegex(done.stdout, r"\n    after 1 +\d+\.\d+ +\d+\.\d+ +[+-][\d.]+ % +[+-]")
        self.assertRegex("".join(line.strip() for line in lines), re.escape(specs[2]))
        text = self.run_compare(*PAIR, "--format", "text").stdout
        self.assertIn("contend  compare 2 readers", text)

    def test_json_and_nothing_else(self):
        done = self.run_compare(*PAIR, "--json", "-")
        self.assertEqual(done.returncode, 0)
        self.check_json(done.stdout)

    def test_quiet(self):
        file = self.path("quiet.json")
        done = self.run_compare(*PAIR, "--quiet", "--json", file)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(file, encoding="utf-8") as written:
            self.check_json(written.read())

    def test_there_is_a_test_for_every_option(self):
        options = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)",
                                 contend("compare", "--help").stdout, re.MULTILINE))
        tested = {name[5:].replace("_", "-") for name in dir(self) if name.startswith("test_")}
        self.assertEqual(options - tested, {"json", "help", "precision", "max-time"})

    def test_progress(self):
        seen = self.stderr_of_terminal("compare", *PAIR, "--duration", "3s")
        self.assertRegex(seen, r"\r +\d+ % done, \d+ s left")


class Trouble(CompareTest):
    once = True

    def broken(self, name, old, new):
        self.need_two_cpus()
        spec = self.source(name, old, new)
        file = self.path("broken.json")
        done = contend("compare", *PAIR, spec, "--duration", "20s", "--hz", "1000000", "--writer",
                       "tick:hold=200ns", "--json", file)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual((result["outcome"], result["exit_status"]), ("broken", 3))
        self.assertTrue(result["broken"].startswith(f"{name}/monotonic"), result["broken"])
        self.assertIn(f"\nbroken   {result['broken']}\n", done.stdout)
        self.assertIn(f"contend: {result['broken']}\n", done.stderr)
        return result["broken"]

    def test_crashes_only_when_odd(self):
        why = self.broken("crashes.c", "\t\tNOTE_SPIN(note);", "\t\t__builtin_trap();")
        self.assertIn(" crashes: ", why)

    def test_hangs_only_when_odd(self):
        why = self.broken("hangs.c", "\t\tNOTE_SPIN(note);", "\t\tfor (;;)\n\t\t\tcpu_relax();")
        self.assertTrue(why.endswith(" does not return"), why)

    def test_refused(self):
        """The rest is compared all the same."""
        sources = {
            "unfinished.c": ("\treturn 0;\n}", "\treturn 0;"),
            "calls.c": ("\treturn 0;\n", "\textern int outside(void);\n\treturn outside();\n"),
            "endless.c": ("\tu32 seq;\n\n\tfor (;;) {", "\tu32 seq;\n\n\tfor (;;)\n\t\tcpu_relax();\n"
                          "\tfor (;;) {"),
            "traps.c": ("\treturn 0;\n", "\t__builtin_trap();\n"),
            "early.c": ("\treturn 0;\n", "\tif (ts->tv_nsec)\n\t\tts->tv_nsec--;\n\treturn 0;\n"),
        }
        bad = [self.source(name, *change) for name, change in sources.items()]
        text, result = self.compare("hres:hint=none", *bad, "hres", status=1)
        self.assertEqual([r["reader"] for r in result["results"]], ["hres"])
        self.assertIsNotNone(result["results"][0]["ci95_percent"])
        self.assertEqual([r["reader"] for r in result["refused"]], bad)
        self.assertEqual((result["outcome"], result["exit_status"]), ("complete", 1))
        for refused in result["refused"]:
            self.assertIn(f"\ncontend: {refused['reason']}\n", "\n" + self.stderr)
            self.assertIn(f"\nrefused  {refused['reader']}\n", text)

    def test_baseline_refused(self):
        bad = self.source("baseline.c", "\treturn 0;\n}", "\treturn 0;")
        done = contend("compare", *SHORT, bad, "hres")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        wrong = self.source("wrong.c", "\treturn 0;\n", "\tts->tv_sec++;\n\treturn 0;\n")
        done = contend("compare", *SHORT, wrong, "hres", "raw")
        self.one_line(done)
        self.assertIn("contend: the baseline cannot take part, so nothing is compared: ", done.stderr)
        self.assertIn("wrong.c", done.stderr)

    def test_all_refused(self):
        """Each is told."""
        traps = self.source("one.c", "\treturn 0;\n", "\t__builtin_trap();\n")
        wrong = self.source("other.c", "\treturn 0;\n", "\tts->tv_sec++;\n\treturn 0;\n")
        done = contend("compare", *SHORT, "hres", traps, wrong, "./nonexistent.c")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        for name in ("one.c", "other.c", "nonexistent.c"):
            self.assertRegex(done.stderr, rf"(?m)^contend: .*\b{name}")
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)

    def test_too_many_readers(self):
        done = contend("compare", *["hres"] * 9)
        self.one_line(done)
        self.assertIn("8 are the most", done.stderr)

    def test_writer_that_stops(self):
        self.need_two_cpus()
        file = self.path("stops.json")
        done = contend("compare", "hres", "coarse", "--writer", "stops-odd", "--duration", "20s",
                       "--json", file)
        self.assertEqual(done.returncode, 3, done.stderr)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertRegex(result["broken"], r"\Athe writer .* left the sequence odd")
        self.assertLess(result["seconds"], 10)

    def test_mutants(self):
        """That they are measured does not say that they are right."""
        for arguments in (("hres", "no-retry"), ("half-outside", "hres"),
                          (*PAIR, "--writer", "never-odd")):
            self.compare(*arguments)
            self.assertRegex(self.stderr, r"(?m)^remark   .*\b(no-retry|half-outside|never-odd)\b.* a "
                                          "mutant: compare does not look for torn reads")
        self.compare(*PAIR)
        self.assertNotIn("mutant", self.stderr)

    def test_too_short(self):
        file = self.path("short.json")
        done = contend("compare", *PAIR, "--duration", "10ms", "--json", file)
        self.assertIn("give it more time", done.stderr)
        self.assertEqual(done.returncode, 1)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual(result["visits"], 0)
        self.assertIn("n/a", done.stdout)

    def test_output_that_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.one_line(self.run_compare(*PAIR, "--quiet", "--json", "-", stdout=full))


class Endings(CompareTest):
    once = True
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

    def interrupt(self, number, after):
        file = self.path("partial.json")
        with open(file, "w", encoding="utf-8") as old:
            old.write("old")
        with subprocess.Popen([harness.binary, "compare", *PAIR, "--duration", "10s", "--json",
                               file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            self.await_begin(process, file)
            time.sleep(after)
            process.send_signal(number)
            text, remarks = process.communicate(timeout=HANG_S)
        self.assertEqual(process.returncode, 130, text + remarks)
        self.assertIn("\npartial  interrupted after ", text)
        with open(file, encoding="utf-8") as written:
            result = self.check_json(written.read())
        self.assertEqual((result["complete"], result["outcome"], result["exit_status"]),
                         (False, "interrupted", 130))
        self.assertLess(result["seconds"], 10)
        return result

    def test_interrupted(self):
        self.assertGreater(self.interrupt(signal.SIGINT, 3)["visits"], 0)

    def test_interrupted_at_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.interrupt(number, 0)

    def test_interrupted_as_by_a_terminal(self):
        """Ctrl-C reaches all processes of the group, the one that compares too."""
        with subprocess.Popen([harness.binary, "compare", *PAIR, "--duration", "20s"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as process:
            time.sleep(1.5)
            os.killpg(process.pid, signal.SIGINT)
            text, remarks = process.communicate(timeout=HANG_S)
        self.assertEqual(process.returncode, 130, text + remarks)
        self.assertIn("\npartial  interrupted after ", text)


if __name__ == "__main__":
    harness.main()
