# SPDX-License-Identifier: GPL-2.0-or-later
"""A real browser, without a window or a network, that opens a page and tells what it makes of it."""

import html
import json
import os
import re
import shutil
import subprocess
import tempfile

NAME = "chromium"
HANG_S = 120
LIGHT, DARK = 1, 0  # as its settings number them

# In the page that frames the one in question, so that nothing is added to that.
LOOK = """
const page = frame.contentDocument, view = frame.contentWindow;
const box = element => element.getBoundingClientRect();
const words = id => (page.getElementById(id) || {textContent: ''}).textContent;
const pictures = [...page.querySelectorAll('svg')].map(svg => {
  const texts = [...svg.querySelectorAll('text')];
  const outer = box(svg), clipped = [], overlapping = [];
  for (const text of texts) {
    const inner = box(text);
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1 ||
        inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1)
      clipped.push(text.textContent);
  }
  const level = texts.filter(text => !/rotate/.test(text.parentNode.getAttribute('transform')));
  level.forEach((text, i) => level.slice(0, i).forEach(other => {
    const one = box(text), two = box(other);
    if (Math.min(one.right, two.right) - Math.max(one.left, two.left) > 2 &&
        Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 4)
      overlapping.push(text.textContent + ' | ' + other.textContent);
  }));
  return {role: svg.getAttribute('role'), clipped, overlapping,
          names: (svg.getAttribute('aria-labelledby') || '').split(' ').map(words)};
});
const ids = [...page.querySelectorAll('[id]')].map(element => element.id);
const line = page.querySelector('svg [class~=line-muted]');
const seen = {
  pictures, width: page.documentElement.scrollWidth, room: page.documentElement.clientWidth,
  requests: view.performance.getEntriesByType('resource').length,
  scripts: page.scripts.length, twice: ids.filter((id, i) => ids.indexOf(id) !== i),
  paper: view.getComputedStyle(page.body).backgroundColor,
  ink: view.getComputedStyle(page.body).color,
  line: line && view.getComputedStyle(line).stroke,
  links: [...page.links].filter(link => !page.getElementById(link.hash.slice(1))).length,
  unnamed: [...page.querySelectorAll('[role=region]')].filter(
    region => !region.getAttribute('aria-label')).length,
  headless: [...page.querySelectorAll('table')].filter(
    table => !table.caption || [...table.querySelectorAll('th')].some(
      heading => !heading.scope)).length,
};
document.body.textContent = JSON.stringify(seen);
"""


def is_there():
    return shutil.which(NAME) is not None


def _run(arguments, scheme):
    with tempfile.TemporaryDirectory(prefix="contend-browser-") as profile:
        done = subprocess.run(
            [NAME, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             f"--user-data-dir={profile}", "--enable-logging=stderr",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--allow-file-access-from-files",
             f"--blink-settings=preferredColorScheme={scheme}", *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=HANG_S, check=True)
    console = [line for line in done.stderr.splitlines() if re.search(r"\bCONSOLE\b", line)]
    return done.stdout, console


def look(path, width, scheme=LIGHT):
    """What there is on a page that is so wide, and what was complained of."""
    frame = path + ".frame.html"
    with open(frame, "w", encoding="utf-8") as file:
        file.write(f"<!DOCTYPE html><meta charset=utf-8><body><iframe id=frame "
                   f"src='{os.path.basename(path)}' style='width:{width}px;height:800px;border:0'>"
                   f"</iframe><script>window.onload = () => {{{LOOK}}}</script></body>")
    text, console = _run([f"--window-size={max(width + 40, 600)},900", "--dump-dom",
                          "file://" + frame], scheme)
    seen = re.search(r"<body>(.*)</body>", text, re.S)[1]
    return json.loads(html.unescape(seen)), console


def shoot(path, picture, width, scheme=LIGHT):
    """A screenshot of the upper part of a page, as PNG."""
    _run([f"--window-size={width},2400", f"--screenshot={picture}", "file://" + path], scheme)
    with open(picture, "rb") as file:
        return file.read()
