# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether an output has the shape of another one: the same words, columns and lines in the same
order, whatever the figures, their units and the machine are."""

import difflib
import re

MACHINE = r"^ *(machine|place|CPU:|kernel:|compiler:) .*"
INSTRUCTION = r"(?:push|mov|and|sub|lea|test|xor|je|call|cmp) .*"
# In the order in which they are replaced.
WILD = (
    # What the machine is, and what happened to it meanwhile.
    (MACHINE, r"\1"),
    (r"\(FIFO \d+\)|\(not real-time\)", "()"),
    (r"\d{4}-\d\d-\d\dT[\d:]+Z|\d+\.\d+\.\d+", "#"),
    # What a compiler made, or the kernel's.
    (rf"^{INSTRUCTION}", "INSTRUCTIONS"),
    # A figure, and what diff finds of it.
    (r"^\w.*  (within noise|better|worse|changed|n/a  n/a)(, FAILS)?$", "FIGURE"),
    # A figure, or why there is none; thousands are apart by one space, columns by more. A line of a
    # source is none.
    (r"(?<![\w.])(?<!\.[ch]:)([<+-] ?){0,2}\d+(?: \d{3}(?!\d))*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])",
     "#"),
    (r"(?<=[^\w-])n/a(?=\s|$)", "#"),
    (r"# ?(?:ns|us|ms|s|min|h|[kMG]?Hz|[kMG]/s|/s|%)(?![\w/])", "#"),
    # What was found.
    (r"(?<= )[x.](?= )", "."),
    (r"^(slowest) +\S+,", r"\1"),
    (r"\b(faster|slower|cannot tell yet[^;]*|no difference larger than #|same: same code)(?=;|$)",
     "VERDICT"),
    (r"^(verdict +).*|(not seen|seen|cannot tell|the other way round): VERDICT$", r"\1VERDICT"),
    (r"\b(held|did NOT hold)$", "HELD"),
    # A mark behind a figure, and one of a thing or many.
    (r"(?<=#) !", ""),
    (r"(?<=#) (\w+)s\b", r" \1"),
    (r"# to #|#-#|# \+- #", "#"),
    (r"#(, #)+", "#"),
    (r"\s+", " "),
)
ANYTHING = "..."
# They are there where there is something to say.
OCCASIONAL = re.compile("|".join((
    "remark .*",
    "differs .*",
    r"accused \./\S+ under .*",
    "# read not timed: the reader was descheduled",
    "# spin while odd",
    "# tick without an update of their own.*",
    "n/a .*",
    "# stall: held for # or more",
    "# read unchecked: the update was forgotten by then",
    "# attempt thrown away unjudged",
    "breaks down at .*",
    "# with .* readers?: #.*",
    "code .*: the first instructions that differ, from number # on",
    "(our reader|image:host|glibc) host's vDSO",
    "INSTRUCTIONS",
    "FIGURE",
    "same # of # figure",
    "fails .*",
)))


def line_shape(line):
    for pattern, replacement in WILD:
        line = re.sub(pattern, replacement, line)
    return line.strip()


def is_wild(line):
    """Whether it need not be there, or need not say that."""
    return bool(re.match(MACHINE, line) or OCCASIONAL.fullmatch(line_shape(line)))


def shape(lines):
    """Lines of one shape that follow each other are rows of a table, of whatever number."""
    shapes = []
    for line in map(line_shape, lines):
        if line and not OCCASIONAL.fullmatch(line) and line not in shapes[-1:]:
            shapes.append(line)
    return shapes


def labels(lines):
    """Of text in which each group of lines begins with a word, and further ones are indented."""
    return [line.split()[0] for line in lines if line and not line.startswith((" ", "remark "))]


def parts(shapes):
    """What stands between lines of dots, for which any lines may stand."""
    found = [[]]
    for line in shapes:
        if line == ANYTHING:
            found.append([])
        else:
            found[-1].append(line)
    return found


def place_of(part, shapes, begin):
    for place in range(begin, len(shapes) - len(part) + 1):
        if shapes[place:place + len(part)] == part:
            return place
    return None


def fits(shown, printed):
    first, *others = parts(shown)
    if printed[:len(first)] != first:
        return False
    place = len(first)
    for part in others[:-1]:
        found = place_of(part, printed, place)
        if found is None:
            return False
        place = found + len(part)
    left = printed[place:]
    if not others:
        return not left
    last = others[-1]
    return len(left) >= len(last) and left[len(left) - len(last):] == last


def difference(shown, printed, of=shape):
    """"" if what is printed has the shape of what is shown, else how they differ, line by line."""
    shown, printed = of(shown), of(printed)
    if fits(shown, printed):
        return ""
    return "\n".join(difflib.unified_diff(shown, printed, "shown", "printed", lineterm="", n=1))
