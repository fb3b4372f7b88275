# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a program may say what it does not say today: whether the wording is in the program."""

import re

DIRECTIVE = re.compile(r"%[-+ 0#]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z)?[a-zA-Z%]|\n")
# Shorter ones are in every line.
MIN_LENGTH = 7
# A piece of a line: what stands between figures, and what is in brackets or behind a colon apart.
PIECES = re.compile(r"[:;()]|[<+-]*\d[\d .]*")
PIECE_WORDS = 5
# Names are in it, and endings of many.
ENOUGH = 0.35


def literals(path):
    """What stands between the directives of each string of a binary, that has more than a word."""
    with open(path, "rb") as file:
        strings = re.findall(rb"[\n\x20-\x7e]{5,}", file.read())
    found = set()
    for string in strings:
        for part in DIRECTIVE.split(string.decode()):
            part = " ".join(part.split())
            if len(part) >= MIN_LENGTH and " " in part:
                found.add(part)
    return found


def covered(line, known):
    """Of each character, whether a literal that is in the line has it."""
    marks = [False] * len(line)
    for literal in known:
        at = line.find(literal)
        while at >= 0:
            marks[at:at + len(literal)] = [True] * len(literal)
            at = line.find(literal, at + 1)
    return marks


def unknown(line, known):
    """Pieces of a line that are no wording of the program's."""
    line = " ".join(line.split())
    marks = covered(line, known)
    found, begin = [], 0
    for end in [*PIECES.finditer(line), None]:
        piece = slice(begin, end.start() if end else len(line))
        letters = [mark for mark, char in zip(marks[piece], line[piece]) if char.isalpha()]
        if len(line[piece].split()) >= PIECE_WORDS and sum(letters) < ENOUGH * len(letters):
            found.append(line[piece].strip())
        begin = end.end() if end else 0
    return found
