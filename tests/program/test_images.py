#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""vDSO images as readers: test_images.py BINARY [unittest options].

The host's image is whatever the host's kernel has; all else is shown on images that the build makes.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

import harness
from harness import STORMS, ProgramTest, contend, once, pairs

CLOCKS = ("monotonic", "realtime", "boottime", "tai", "monotonic_raw", "realtime_coarse",
          "monotonic_coarse")
PAYLOADS = ("time", "stamp")
CALLS = ("clock_gettime", "gettimeofday", "time", "clock_getres")
# There are many of them.
BRIEF = ("--duration", "100ms", "--warmup", "10ms")

# Image, layout of its page, and which of its pages: data at, time page, namespace's, pvclock's.
RIGHT = (
    ("gtod", "gtod", 128, -3, None, -2),
    ("gtod-fence", "gtod", 128, -3, None, -2),
    ("gtod-basemult", "gtod-basemult", 128, -3, None, -2),
    ("v5.3", "v5.3", 128, -4, -1, -3),
    ("v5.3-no-namespace", "v5.3", 128, -3, None, -2),
    ("v5.3-entries-12", "v5.3", 128, -4, -1, -3),
    ("v5.3-entries-14", "v5.3", 128, -4, -1, -3),
    ("v6.10", "v6.10", 128, -4, -1, -3),
    ("v6.10-split", "v6.10", 128, -4, -3, -2),
    ("v6.15", "v6.15", 0, -6, -5, -2),
    ("v6.15-rdtscp", "v6.15", 0, -6, -5, -2),
    ("v6.17", "v6.17", 0, -6, -5, -2),
)

REFUSED = (
    ("hangs", "did not return within"),
    ("crashes", "crashed: Illegal instruction"),
    ("writes", r"wrote to byte \d+ of page -6"),
    ("reads-far", "where no page of an image can be"),
    ("reads-null", "where no page of an image can be"),
    ("always-falls-back", "without having looked at a page"),
    ("wrong-mult", r"no known layout .*v6\.17.*gtod.*MONOTONIC was \d+ ns, not \d+"),
    ("wrong-value", r"no known layout .*MONOTONIC was \d+ ns, not \d+"),
    ("unknown-layout", "no known layout"),
    ("hangs-on-odd", "MONOTONIC did not return .*: it never leaves an odd sequence"),
    ("crashes-on-odd", "MONOTONIC crashed: Illegal instruction while the sequence was odd"),
    ("no-symbol", "it has no __vdso_clock_gettime"),
)

TORN = ("no-recheck", "no-odd-check", "half-outside", "v5.3-no-recheck", "gtod-no-recheck")


class ImageTest(ProgramTest):
    def image(self, name):
        if not harness.images():
            self.skipTest("this build makes no images: they are for x86")
        return os.path.join(harness.images(), name + ".so")

    def read(self, spec, *arguments):
        text, result = self.both(*BRIEF, "--reader", "image:" + spec, *arguments)
        readers = result["readers"]
        self.assertEqual((readers["torn"], readers["fallbacks"], readers["unchecked"]), (0, 0, 0))
        self.assertIn(readers["backwards"], (0, None))
        self.assertGreater(readers["checked"], 0)
        self.assertIn("\nretries  n/a: ", text)
        return text, result

    def refused(self, spec, pattern, *arguments):
        done = contend("--duration", "50ms", "--reader", "image:" + spec, *arguments)
        self.one_line(done)
        self.assertRegex(done.stderr, pattern)


class Host(ImageTest):
    alone = False

    def setUp(self):
        self.image("v6.15")

    def test_every_clock(self):
        for clock, payload in pairs(CLOCKS, PAYLOADS):
            with self.subTest(clock=clock, payload=payload):
                text, result = self.read(f"host:clock={clock}", "--payload", payload,
                                         "--hz", "10000")
                self.assertIn(f"image:host/{clock} (page of ", text)
                self.assertIn("alternatives as the kernel applied them", text)
                self.assertTrue(result["config"]["reader"]["image"]["patched_by_kernel"])

    def test_every_call(self):
        for call, payload in pairs(CALLS, PAYLOADS):
            with self.subTest(call=call, payload=payload):
                _, result = self.read(f"host:call={call}", "--payload", payload, "--hz", "10000")
                # The one of them that has an entry for 64-bit seconds.
                suffix = "64" if call == "clock_gettime" and harness.has_32_bits() else ""
                self.assertEqual(result["config"]["reader"]["call"], f"__vdso_{call}{suffix}")

    def test_namespace(self):
        _, result = self.read("host")
        if result["config"]["reader"]["image"]["namespace_page"] is None:
            self.refused("host:namespace=yes", "knows no time namespaces")
            return
        for clock in CLOCKS:
            with self.subTest(clock=clock):
                _, result = self.read(f"host:namespace=yes,clock={clock}", "--hz", "10000")
                self.assertTrue(result["config"]["reader"]["in_namespace"])

    def test_many_readers_with_work(self):
        text, _ = self.read("host", "--readers", "5", "--work", "alu:50", "--hz", "10000")
        self.assertIn("work between reads ", text)

    def test_baseline(self):
        text, result = self.read("host", "--baseline")
        baseline = result["baseline"]
        self.assertIsNone(baseline["counted_ns"])
        self.assertGreater(baseline["bare_ns"], 0)
        self.assertIn("counted n/a", text)


class OwnImages(ImageTest):
    alone = False

    def test_every_layout(self):
        for name, layout, offset, page, namespace, pvclock in RIGHT:
            with self.subTest(image=name):
                text, result = self.read(self.image(name), "--hz", "10000")
                image = result["config"]["reader"]["image"]
                self.assertEqual(
                    (image["layout"], image["data_offset_bytes"], image["time_page"],
                     image["namespace_page"], image["pvclock_page"]),
                    (layout, offset, page, namespace, pvclock))
                self.assertFalse(image["patched_by_kernel"])
                self.assertIn(f"({layout}), at byte {offset} of page {page} ", text)

    def test_every_clock_of_every_layout(self):
        images = [name for name, *_ in RIGHT[:1] + RIGHT[2:4] + RIGHT[7:8] + RIGHT[9:10]]
        for name, clock in pairs(images, CLOCKS):
            if (name, clock) == ("gtod", "monotonic_raw"):
                continue
            with self.subTest(image=name, clock=clock):
                self.read(f"{self.image(name)}:clock={clock}", "--payload", "stamp",
                          "--hz", "10000")

    def test_namespaces(self):
        for name, _, _, _, namespace, _ in RIGHT:
            with self.subTest(image=name):
                spec = self.image(name) + ":namespace=yes"
                if namespace is None:
                    self.refused(spec, "knows no time namespaces")
                else:
                    self.read(spec, "--hz", "10000")

    def test_pvclock(self):
        """Code of a kernel, in mode 2, on a record that changes."""
        if not harness.pvclock_is_usable():
            self.skipTest("no pvclock here")
        for number, (name, *_) in enumerate(RIGHT):
            payload = ("time", "stamp")[number % 2]
            with self.subTest(image=name, payload=payload):
                _, result = self.read(self.image(name), "--clocksource", "pvclock:hz=10000",
                                      "--payload", payload)
                self.assertGreater(result["counter"]["record"]["updates"], 0)

    def test_alternatives(self):
        for name, entries in (("v6.15", True), ("v5.3-entries-12", True), ("v6.15-rdtscp", False)):
            with self.subTest(image=name):
                text, result = self.read(self.image(name))
                applied = [entry for entry in result["config"]["reader"]["image"]["alternatives"]
                           if entry["applied"]]
                self.assertEqual(bool(applied), entries)
                self.assertRegex(text, r"alternatives (rdtscp|lfence_rdtsc) at 0x"
                                 if entries else "alternatives none applied")

    def test_fallbacks_are_counted_apart(self):
        spec = self.image("gtod") + ":clock=monotonic_raw"
        # Long enough for one call at least, even where dozens of others want the CPU.
        done = contend("--duration", "500ms", "--warmup", "0", "--reader", "image:" + spec,
                       "--json", "-")
        self.assertEqual(done.returncode, 1)
        self.assertIn("always calls the system", done.stderr)
        readers = self.check_json(done.stdout)["readers"]
        self.assertEqual((readers["reads"], readers["torn"]), (0, 0))
        self.assertGreater(readers["fallbacks"], 0)
        self.assertEqual(readers["read_ns"]["samples"], 0)


class Refusals(ImageTest):
    alone = False
    sanitized = True

    def test_code_that_is_wrong(self):
        for name, pattern in REFUSED:
            with self.subTest(image=name):
                self.refused(self.image(name), pattern)

    def test_files_that_are_none(self):
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        short = self.path("short.so")
        with open(self.image("v6.15"), "rb") as whole, open(short, "wb") as file:
            file.write(whole.read()[:1000])
        empty = self.path("empty.so")
        with open(empty, "wb"):
            pass
        large = self.path("large.so")
        with open(large, "wb") as file:
            file.truncate(1 << 30)
        for name, pattern in (("/nonexistent", "No such file"), (fifo, "not a regular file"),
                              ("/", "not a regular file"), (short, "image"),
                              (empty, "image"), (large, "more than any vDSO has"),
                              (sys.executable, "image"), (__file__, "no ELF")):
            with self.subTest(file=name):
                self.refused(name, pattern)

    def test_specs(self):
        good = self.image("v6.15")
        for spec, pattern in (("", "an image is wanted"), (":clock=tai", "an image is wanted"),
                              (good + ":clock=bogus", "clock=bogus is not one of"),
                              (good + ":bogus=1", "no key 'bogus'"),
                              (good + ":call=time,clock=tai", "call=time has no clock=tai"),
                              (self.image("gtod") + ":call=clock_getres",
                               "it has no __vdso_clock_getres"),
                              ("x" * 300, "at most 255 characters")):
            with self.subTest(spec=spec):
                self.refused(spec, pattern)
        self.refused(good, "cannot read monotonic_raw", "--clocksource", "monotonic_raw")

    def test_a_colon_in_the_name(self):
        name = self.path("vdso:6.15.so")
        shutil.copy(self.image("v6.15"), name)
        self.assertEqual(self.read(name)[1]["config"]["reader"]["image"]["name"], name)
        self.read(name + ":clock=tai")


class Endings(ImageTest):
    """What only an update brings out cannot be tried beforehand."""
    alone = False

    ON_RETRY = (("hangs-on-retry", r"does not return: \d of 2 readers were in it, at byte 0x"),
                ("crashes-on-retry", r"crashed at byte 0x[0-9a-f]+ of it: Illegal instruction"),
                ("loses-stack-on-retry", r"crashed at byte 0x[0-9a-f]+ of it: "))

    def test_code_that_ends_a_run(self):
        for name, pattern in self.ON_RETRY:
            with self.subTest(image=name):
                text, result = self.both("--reader", "image:" + self.image(name), "--hz", "10000",
                                         "--duration", "1s", "--readers", "2", status=3)
                self.assertRegex(text, r"\nstalled  the code of image:\S+ " + pattern)
                self.assertRegex(result["stall"], pattern)
                self.assertEqual((result["outcome"], result["readers"]["torn"]), ("stalled", 0))

    @once
    def test_code_that_ends_a_run_of_others_too(self):
        """It is its own group that is named, and the other ends as well."""
        for name, pattern in self.ON_RETRY:
            path = self.path("groups.ini")
            with open(path, "w", encoding="utf-8") as file:
                file.write("[run]\nduration = 1s\n[writer]\nhz = 10000\n[readers own]\ncount = 2\n"
                           f"[readers foreign]\nreader = image:{self.image(name)}\n")
            with self.subTest(image=name):
                _, result = self.both(path, status=3)
                self.assertRegex(result["stall"], r"the code of image:\S+ " +
                                 pattern.replace("2 readers", "3 readers"))
                self.assertEqual((result["outcome"], result["readers"]["torn"]), ("stalled", 0))


class Accused(ImageTest):
    """Who is, and when, is a matter of time alone."""
    alone = False
    once = True

    def test_code_that_had_no_time_is_not_accused(self):
        """The process stands still while its readers should have returned."""
        with subprocess.Popen([harness.binary, "--reader", "image:" + self.image("v6.15"),
                               "--duration", "1s"], text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(1.15)
            process.send_signal(signal.SIGSTOP)
            time.sleep(2.5)
            process.send_signal(signal.SIGCONT)
            text, remarks = process.communicate(timeout=harness.HANG_S)
        self.assertNotIn("does not return", text)
        self.assertEqual(process.returncode, 0, text + remarks)

    def test_interrupted_in_code_that_hangs(self):
        """However many of them there are: they are taken out together, and not one after the other."""
        for readers in ("1", "64"):
            with self.subTest(readers=readers), subprocess.Popen(
                    [harness.binary, "--reader", "image:" + self.image("hangs-on-retry"), "--hz", "10000",
                     "--duration", "1h", "--readers", readers], text=True, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                time.sleep(1)
                process.send_signal(signal.SIGINT)
                text, remarks = process.communicate(timeout=harness.HANG_S)
                self.assertEqual(process.returncode, 3, text + remarks)
                self.assertIn("does not return", text)


class Mutants(ImageTest):
    def tear(self, name, *arguments, duration):
        done = contend("--reader", "image:" + self.image(name), "--hz", "1000000", "--duration",
                       duration, "--warmup", "0", "--json", "-", *arguments)
        readers = self.check_json(done.stdout)["readers"]
        torn = readers["torn"] > 0
        self.assertEqual(done.returncode == 2, torn, done.stderr)
        if torn:
            print(f"caught image {name} {' '.join(arguments)}: {readers['torn']} torn, first after "
                  f"{harness.length(readers['first_fault_ns'])}", file=sys.stderr)
        return torn

    def test_torn(self):
        for name, payload in pairs(TORN, PAYLOADS):
            # What is read outside or too early is mixed only if the update takes a while.
            held = ("--writer", "tick:hold=200ns") if name in ("no-odd-check", "half-outside") else ()
            with self.subTest(image=name, payload=payload):
                self.assertTrue(any(self.tear(name, *held, "--payload", payload, duration=duration)
                                    for duration in STORMS), "not caught")


if __name__ == "__main__":
    harness.main()
