#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""contend report, run: test_report.py BINARY [unittest options]."""

import glob
import html.parser
import json
import os
import random
import re
import signal
import subprocess
import unittest
import xml.etree.ElementTree

import browser
import harness
from harness import HERE, ProgramTest, contend

RESULTS = os.path.join(HERE, "..", "results")
SVG = "{http://www.w3.org/2000/svg}"
NARROW, WIDE = 360, 1000
NASTY = "</title><script>x()</script>\"'>&<img src=x onerror=x()>`id`$(id)@m{b}^2_3\\n%d"
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Checker(html.parser.HTMLParser):
    """Each element is closed, within the one that it was opened in."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.seen = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if len(dict(attrs)) != len(attrs):
            self.wrong.append(f"{tag}: an attribute twice")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag} at line {self.getpos()[0]}")


def check_html(text):
    checker = Checker()
    checker.feed(text)
    checker.close()
    return checker


def old_results():
    return sorted(glob.glob(os.path.join(RESULTS, "*.json")))


def nasty(value):
    """The same, with each string but the schema's name another."""
    if isinstance(value, dict):
        return {name: part if name == "schema" else nasty(part) for name, part in value.items()}
    if isinstance(value, list):
        return [nasty(part) for part in value]
    return NASTY if isinstance(value, str) else value


class ReportTest(ProgramTest):
    alone = False
    once = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.made = {}
        for name, arguments in {
                "run": ("run", "--duration", "400ms", "--interval", "50ms", "--readers", "2"),
                "compare": ("compare", "--duration", "400ms", "hres", "hres:hint=none"),
                "late-fence": ("prove", "late-fence"),
                "pages": ("inspect", "--page", "hres")}.items():
            path = os.path.join(cls.directory, name + ".json")
            done = contend(*arguments, "-q", "--json", path)
            if done.returncode not in (0, 2):
                raise AssertionError(done.stderr)
            cls.made[name] = path

    def write(self, name, result):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        return path

    def old(self, name):
        with open(os.path.join(RESULTS, name + ".json"), encoding="utf-8") as file:
            return json.load(file)

    def report(self, *results, name="report.html"):
        path = self.path(name)
        done = contend("report", *results, "-o", path)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(path, encoding="utf-8") as file:
            return path, file.read()

    def all_results(self):
        return [*old_results(), *self.made.values()]


class PageTest(ReportTest):
    def test_all_kinds_together(self):
        _, text = self.report(*self.all_results())
        checker = check_html(text)
        self.assertEqual(checker.wrong, [])
        self.assertEqual(checker.open, [])
        sections = re.findall(r'<section id="result-(\d+)"', text)
        self.assertEqual(sorted(map(int, sections)), list(range(1, len(self.all_results()) + 1)))
        # Runs stand together, where the first of them is.
        kinds = re.findall(r"<h2 [^>]*>contend (\w+)</h2>", text)
        self.assertEqual(kinds.count("run"), 1)
        self.assertLess(kinds.index("prove"), kinds.index("run"))
        self.assertIn("<nav ", text)

    def test_the_mutant_of_the_check(self):
        for broken in ("<p><b></p></b>", "<table><tr></table>", "<p class=a class=b></p>"):
            checker = check_html(broken)
            self.assertTrue(checker.wrong or checker.open, broken)

    def test_it_loads_nothing(self):
        _, text = self.report(*self.all_results())
        for tag, attributes in check_html(text).seen:
            self.assertNotIn(tag, {"script", "img", "iframe", "object", "embed", "style:import"})
            for name in ("src", "href", "data", "action", "srcset"):
                value = attributes.get(name) or "#"
                self.assertTrue(value.startswith(("#", "data:,")), (tag, name, value))
        self.assertNotIn("@import", text)
        self.assertNotIn("url(", text)

    def test_each_picture_is_xml_with_a_title_and_words(self):
        _, text = self.report(*self.all_results())
        pictures = re.findall(r"<svg.*?</svg>", text, re.S)
        self.assertGreater(len(pictures), 8)
        for picture in pictures:
            root = xml.etree.ElementTree.fromstring(picture)
            self.assertEqual(root.get("role"), "img")
            self.assertTrue(root.find(SVG + "title").text)
            self.assertGreater(len(root.find(SVG + "desc").text), 40)

    def test_what_made_it(self):
        path = self.made["run"]
        _, text = self.report(path)
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        self.assertIn(result["date"], text)
        self.assertIn(result["machine"]["kernel"], text)
        self.assertIn("--interval 50ms", text)
        for remark in result["remarks"]:
            self.assertIn(remark.replace("'", "&#39;"), text)
        self.assertIn(harness.grouped(result["readers"]["reads"]), text)
        self.assertNotIn("<nav ", text)

    def test_a_command_line_can_be_pasted(self):
        result = self.old("run")
        words = ["contend", "run", "--reader", "./it's a reader.c", "-q", "$HOME"]
        result["command_line"] = words
        _, text = self.report(self.write("words.json", result))
        line = html.unescape(re.search(r"<code>(.*?)</code>", text, re.S)[1])
        done = subprocess.run(["sh", "-c", f"printf '%s\\n' {line}"], stdout=subprocess.PIPE,
                              text=True, check=True)
        self.assertEqual(done.stdout.splitlines(), words)

    def test_nothing_of_a_result_is_markup(self):
        names = [os.path.splitext(os.path.basename(path))[0] for path in old_results()]
        paths = [self.write(f"nasty-{name}.json", nasty(self.old(name))) for name in names]
        with open(self.made["late-fence"], encoding="utf-8") as file:
            result = json.load(file)
        paths.append(self.write("<script>.json", nasty(result)))
        _, text = self.report(*paths, name="nasty.html")
        checker = check_html(text)
        self.assertEqual(checker.wrong, [])
        self.assertFalse({"script", "img"} & {tag for tag, _ in checker.seen})
        self.assertIn("&lt;script&gt;x()", text)

    def test_a_counterexample_is_told_step_by_step(self):
        _, text = self.report(self.made["late-fence"])
        with open(self.made["late-fence"], encoding="utf-8") as file:
            broken = [model for model in json.load(file)["models"] if model["counterexample"]][0]
        table = re.search(r"<table><caption>One execution.*?</table>", text, re.S)[0]
        self.assertEqual(table.count("<tr>"), len(broken["counterexample"]) + 1)
        for heading in ("writer 1", "reader 1", "source"):
            self.assertIn(f'<th scope="col">{heading}</th>', table)
        old = [line for line in broken["counterexample"] if line.get("newer")]
        self.assertTrue(old)
        self.assertEqual(table.count("An old value:"), len(old))
        self.assertIn(broken["mendings"][0], text)
        self.assertIn(broken["returned"], text)

    def test_a_run_without_intervals_tells_how_to_get_them(self):
        _, text = self.report(os.path.join(RESULTS, "run.json"))
        self.assertEqual(len(re.findall("contend run --interval 1s", text)), 1)
        self.assertEqual(text.count("<svg"), 1)

    def test_standard_streams(self):
        path = os.path.join(RESULTS, "sweep.json")
        with open(path, encoding="utf-8") as file:
            done = subprocess.run([harness.binary, "report", "-", "-o", "-"], stdin=file,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=harness.HANG_S)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(check_html(done.stdout).wrong, [])


class FoundTest(ReportTest):
    """What is not known is n/a, never 0, none or no; what was wrong is told."""
    once = False

    def page_of(self, kind, change):
        with open(os.path.join(RESULTS, kind + ".json"), encoding="utf-8") as file:
            result = json.load(file)
        change(result)
        return self.report(self.write(kind + ".json", result))[1]

    def test_whether_it_calls_the_system(self):
        def change(result):
            for clock in result["clocks"]:
                for contestant in clock["contestants"]:
                    contestant["calls_system"] = None
        text = self.page_of("calibrate", change)
        self.assertNotIn("<td>no</td>", text)
        self.assertNotIn("<td>yes</td>", text)
        self.assertIn("<td>n/a</td>", text)

    def test_lines_that_are_touched(self):
        def change(result):
            for reader in result["readers"]:
                for clock in reader["clocks"]:
                    clock["page_lines_at_bytes"] = None
        text = self.page_of("inspect", change)
        self.assertNotIn("<td>none</td>", text)
        self.assertIn("<td>n/a</td><td>n/a</td>", text.replace("\n", ""))

    def test_mutants_are_counted_by_their_verdicts(self):
        def change(result):
            result["mutants"] = [{**result["mutants"][0], "verdict": verdict} for verdict in (
                "killed", "killed", "survived", "hidden", "hidden", "absent", "unknown")]
        self.assertIn("2 of 3 were killed; 2 cannot show on this CPU, 1 are not here, of 1 it",
                      self.page_of("verify", change))


    def test_what_was_wrong_is_told_at_the_head(self):
        for kind, words in (("run", "torn or stale"), ("sweep", "torn or stale"),
                            ("prove", "a proof failed"), ("calibrate", "values disagree"),
                            ("verify", "a mutant survived")):
            for status, told in ((0, False), (2, True)):
                text = self.page_of(kind, lambda result: result.update(exit_status=status))
                self.assertEqual(bool(re.search(r'class="warning">Wrong: [^<]*' + words, text)),
                                 told, (kind, status))
        text = self.page_of("run", lambda result: result.update(exit_status=3, stall="r0 hangs"))
        self.assertIn("Stalled: r0 hangs", text)
        self.assertIn("forbidden jumps</th>", text)


class DamageTest(ReportTest):
    """In each configuration: a sanitizer may see what is done with it."""
    once = False
    STRANGE = (None, 0, -1, 1e308, -1e308, 1e-300, "", [], {}, "x" * 500, True, [1, 2], [None])

    def damaged(self, value, share):
        if isinstance(value, dict):
            return {name: part if name == "schema" else self.damaged(part, share)
                    for name, part in value.items()}
        if isinstance(value, list):
            value = [self.damaged(part, share) for part in value]
        return self.dice.choice(self.STRANGE) if self.dice.random() < share else value

    def test_results_that_were_damaged(self):
        self.dice = random.Random(1)
        reported = 0
        for path in self.all_results() * 2:
            with open(path, encoding="utf-8") as file:
                result = self.damaged(json.load(file), self.dice.choice((0.005, 0.03)))
            done = contend("report", "-o", "-", self.write("damaged.json", result))
            self.assertNotIn("gnuplot failed", done.stderr + done.stdout)
            if done.returncode == 0:
                reported += 1
                self.assertEqual(check_html(done.stdout).wrong, [])
            else:
                self.one_line(done)
                self.assertNotIn("gnuplot failed", done.stderr)
        self.assertGreater(reported, 5)

    def test_of_what_is_told_nothing_there_is_no_picture(self):
        """Locks that tell of no retries, and intervals without reads."""
        for change in ({"retries": dict.fromkeys(("total", "per_million", "odd_wait", "changed", "off_cpu"))},
                       {"reads": 0}):
            with self.subTest(change=change):
                with open(self.made["run"], encoding="utf-8") as file:
                    result = json.load(file)
                result["intervals"] = [{**interval, **change} for interval in result["intervals"]]
                done = contend("report", "-o", "-", self.write("untold.json", result))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("nothing is known of retries", done.stdout)

    def test_all_kinds_together(self):
        _, text = self.report(*self.all_results())
        self.assertEqual(check_html(text).wrong, [])


class PlotTest(ReportTest):
    OF = {"percentiles": "run", "retries": "run", "holds": "run", "forest": "compare"}

    def plot(self, name, *results, file="picture.svg"):
        path = self.path(file)
        done = contend("report", "--plot", name, "-o", path, *results)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(path, "rb") as written:
            return written.read()

    def names(self):
        return [line.split()[0] for line in contend("report", "--plot", "list").stdout.splitlines()]

    def of(self, name):
        kinds = dict(line.split()[:2] for line in
                     contend("report", "--plot", "list").stdout.splitlines())
        if name == "layout":
            return "layout:v6.15", self.made["pages"]
        if name in self.OF:
            return name, self.made[self.OF[name]]
        if name == "observed":
            result = self.old("observe")
            result["interval_ns"] = {"samples": 9, "mean": 4e6, "min": 3.9e6, "p50": 4e6,
                                     "p99": 4.1e6, "max": 4.2e6}
            return name, self.write("observed.json", result)
        return name, os.path.join(RESULTS, kinds[name] + ".json")

    def test_each_one(self):
        self.assertEqual(len(self.names()), 10)
        for name in self.names():
            with self.subTest(name):
                root = xml.etree.ElementTree.fromstring(self.plot(*self.of(name)))
                texts = [text.text for text in root.iter(SVG + "text")]
                self.assertIn(root.find(SVG + "title").text, texts)
                self.assertIn("prefers-color-scheme:dark", root.find(SVG + "style").text)
                # Axes tell their units.
                self.assertTrue([text for text in texts if text and re.search(
                    r"\((ns|s|%|Hz|bytes|count)\)$| / |per million", text)], texts)

    def test_png(self):
        picture = self.plot("percentiles", self.made["run"], file="picture.png")
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(picture[16:20], "big"), 1120)

    def test_runs_lie_over_one_another(self):
        text = self.plot("percentiles", self.made["run"], os.path.join(RESULTS, "run-groups.json"),
                         os.path.join(RESULTS, "sweep.json")).decode()
        self.assertIn("run-groups, ", text)
        self.assertNotIn(">sweep", text)

    def test_names_that_gnuplot_would_run(self):
        result = self.old("compare")
        flag = self.path("flag")
        for i, text in enumerate((f"`touch {flag}`", f"'; system('touch {flag}') #",
                                  f"$(touch {flag})", f"a'''; system('touch {flag}')",
                                  f"\"; system('touch {flag}') #", f"x\\'; !touch {flag}")):
            result["results"][0]["reader"] = text
            picture = self.plot("forest", self.write(f"run-{i}.json", result)).decode()
            self.assertIn("touch", picture)
            self.assertFalse(os.path.exists(flag))

    def refused(self, words, *arguments):
        done = contend("report", *arguments)
        self.one_line(done)
        self.assertIn(words, done.stderr)

    def test_refusals(self):
        out = self.path("none.svg")
        run, compare = self.made["run"], self.made["compare"]
        self.refused("'pie' is none of the pictures: percentiles,", "--plot", "pie", "-o", out, run)
        self.refused("and there is none", "--plot", "forest", "-o", out, run)
        self.refused("and there are 2", "--plot", "forest", "-o", out, compare, compare)
        self.refused("--interval", "--plot", "retries", "-o", out,
                     os.path.join(RESULTS, "run.json"))
        self.refused("which one? layout:", "--plot", "layout:none", "-o", out, self.made["pages"])
        self.refused("without ':a'", "--plot", "heat:a", "-o", out, run)
        self.refused("ends in .svg or .png", "--plot", "forest", "-o", "picture.pdf", compare)
        self.assertFalse(os.path.exists(out))


class RefusalTest(ReportTest):
    def refused(self, words, *arguments, **options):
        done = contend("report", *arguments, **options)
        self.one_line(done)
        self.assertIn(words, done.stderr)

    def test_results(self):
        out = self.path("none.html")
        newer = self.old("run")
        newer["schema"] = "contend.run/2"
        other = {"schema": "contend.dance/1"}
        self.refused("no result is named", "-o", out)
        self.refused("cannot be read", "-o", out, self.path("missing.json"))
        self.refused("none of a result", "-o", out, self.write("other.json", other))
        self.refused("this contend reads contend.run/1", "-o", out,
                     self.write("newer.json", newer))
        self.refused("no more than 64", "-o", out, *[self.made["run"]] * 65)
        self.refused("only one of the results can be standard input", "-o", out, "-", "-")
        self.refused("-o FILE", self.made["run"])
        self.assertFalse(os.path.exists(out))

    def test_output(self):
        path = self.write("mine.json", self.old("sweep"))
        link = self.path("link.json")
        os.symlink(path, link)
        with open(path, "rb") as file:
            before = file.read()
        self.refused("is one of the results", "-o", link, path)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), before)
        self.refused("cannot write", "-o", self.path("no/such/folder.html"), path)
        self.refused("No space left", "-o", "/dev/full", path)
        with open("/dev/full", "w") as full:
            self.refused("standard output could not be written", "-o", "-", path, stdout=full)

    def test_without_gnuplot(self):
        out = self.path("none.html")
        alone = {**os.environ, "PATH": self.directory}
        for plot in ((), ("--plot", "heat")):
            name = out if not plot else self.path("none.svg")
            self.refused("there is no gnuplot here", *plot, "-o", name,
                         os.path.join(RESULTS, "sweep.json"), env=alone)
            self.assertFalse(os.path.exists(name))

    def with_gnuplot(self, script):
        path = self.path("bin")
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, "gnuplot"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(file.name, 0o755)
        return {**os.environ, "PATH": path + ":" + os.environ["PATH"]}

    def test_gnuplot_that_fails(self):
        """One picture's failure is told in its place; who asked for that picture is refused."""
        sweep = os.path.join(RESULTS, "sweep.json")
        for script, words in (("echo 'line 3: unknown terminal' >&2; exit 1\n",
                               "gnuplot failed: line 3: unknown terminal"),
                              ("kill -SEGV $$\n", "gnuplot failed: it does not say why")):
            env = self.with_gnuplot(script)
            self.refused(words, "--plot", "heat", "-o", self.path("none.svg"), sweep, env=env)
            done = contend("report", "-o", "-", sweep, env=env)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(words + ".</p>", done.stdout)
            self.assertIn("<caption>Points</caption>", done.stdout)
            self.assertEqual(check_html(done.stdout).wrong, [])

    def test_interrupted(self):
        out = self.path("interrupted.html")
        mark = self.path("mark")
        environment = self.with_gnuplot(f"echo $$ >{mark}; exec sleep 30\n")
        process = subprocess.Popen([harness.binary, "report", "-o", out,
                                    os.path.join(RESULTS, "sweep.json")], env=environment,
                                   stdin=subprocess.DEVNULL, process_group=0)
        while not (os.path.exists(mark) and os.path.getsize(mark)):
            self.assertIsNone(process.poll())
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.wait(harness.HANG_S), 130)
        self.assertFalse(os.path.exists(out))


@unittest.skipUnless(browser.is_there(), f"there is no {browser.NAME} here")
class BrowserTest(ReportTest):
    def check(self, seen, console):
        self.assertEqual(console, [])
        self.assertEqual((seen["requests"], seen["scripts"], seen["links"], seen["unnamed"],
                          seen["headless"]), (0, 0, 0, 0, 0))
        self.assertEqual(seen["twice"], [])
        self.assertLessEqual(seen["width"], seen["room"])
        for picture in seen["pictures"]:
            self.assertEqual(picture["role"], "img")
            self.assertEqual(len(picture["names"]), 2)
            self.assertTrue(all(picture["names"]))
            self.assertEqual((picture["clipped"], picture["overlapping"]), ([], []), picture["names"])

    def test_wide_and_narrow_light_and_dark(self):
        path, _ = self.report(*self.all_results())
        for width in (NARROW, WIDE):
            light, console = browser.look(path, width)
            self.assertGreater(len(light["pictures"]), 8)
            self.check(light, console)
            dark, console = browser.look(path, width, browser.DARK)
            self.check(dark, console)
            self.assertEqual((light["paper"], dark["paper"]), ("rgb(255, 255, 255)", "rgb(20, 23, 28)"))
            for name in ("ink", "line"):
                self.assertNotEqual(light[name], dark[name])

    def test_nasty_names(self):
        names = [os.path.splitext(os.path.basename(path))[0] for path in old_results()]
        path, _ = self.report(*[self.write(f"nasty-{name}.json", nasty(self.old(name)))
                                for name in names], name="nasty.html")
        seen, console = browser.look(path, NARROW)
        self.assertEqual((console, seen["scripts"], seen["requests"]), ([], 0, 0))
        self.assertLessEqual(seen["width"], seen["room"])

    def test_screenshots(self):
        path, _ = self.report(self.made["run"], self.made["compare"])
        shots = {browser.shoot(path, self.path("shot.png"), width, scheme)
                 for width in (500, WIDE) for scheme in (browser.LIGHT, browser.DARK)}
        self.assertEqual(len(shots), 4)
        for shot in shots:
            self.assertEqual(shot[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(len(shot), 20000)

    def test_a_picture_alone(self):
        path = self.path("alone.svg")
        done = contend("report", "--plot", "percentiles", "-o", path, self.made["run"])
        self.assertEqual(done.returncode, 0, done.stderr)
        light, dark = (browser.shoot(path, self.path("alone.png"), 600, scheme)
                       for scheme in (browser.LIGHT, browser.DARK))
        self.assertNotEqual(light, dark)

    def test_the_mutants_of_the_looks(self):
        page, text = self.report(self.made["run"])
        mutants = {
            "console": text.replace("</main>", "<script>console.error('x')</script></main>").replace(
                "Content-Security-Policy", "x"),
            "width": text.replace(".wide,.plot{overflow-x:auto", ".wide,.plot{overflow-x:visible"),
            "twice": text.replace('id="picture-2-title"', 'id="picture-1-title"'),
            "names": text.replace(' id="picture-1-desc"', ""),
            "clipped": text.replace(">time per read (ns)<", f">{'m' * 200}<"),
            "headless": re.sub(r"<caption>.*?</caption>", "", text),
        }
        for name, mutant in mutants.items():
            with self.subTest(name):
                self.assertNotEqual(mutant, text)
                with open(page, "w", encoding="utf-8") as file:
                    file.write(mutant)
                seen, console = browser.look(page, NARROW)
                with self.assertRaises(AssertionError):
                    self.check(seen, console)


if __name__ == "__main__":
    harness.main()
