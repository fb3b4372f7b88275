# SPDX-License-Identifier: GPL-2.0-or-later
"""What a README in Markdown shows: commands, what they print, and files.

In an indented block a line that begins with `$ ` is a command, and what follows is its output, up
to the next one; after `$ cat NAME` that is a file's content. A line that begins as a call of the
program does, in a block without a `$ `, is a command of which no output is shown, and so is code
within a sentence.
"""

import collections
import re

INDENT = "    "
CALL = re.compile(r"(\./)?(contend|setup|cmake|tests/[\w/]+|build/[\w/]+/contend)( .*)?")
CALL_IN_A_SENTENCE = re.compile(r"(\./)?(contend|setup|cmake) .*|tests/(bench/)?\w+|for .*; done")
FILE = re.compile(r"cat (\S+)")

# shown is None where no output is.
Command = collections.namedtuple("Command", "line text shown")


def blocks(text):
    """The indented blocks: number of the first line, and their lines without the indent."""
    block, before = [], ""
    for number, line in enumerate([*text.split("\n"), "end"], 1):
        if line.startswith(INDENT) and (block or before == ""):
            block.append(line[len(INDENT):])
        elif block and line == "":
            block.append("")
        elif block:
            yield number - len(block), block
            block = []
        before = line


def of_block(first, lines):
    shows_output = any(line.startswith("$ ") for line in lines)
    found = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            found.append(Command(number, without_comment(line[2:]), []))
        elif found and shows_output:
            found[-1].shown.append(line)
        elif CALL.fullmatch(line) and not shows_output:
            found.append(Command(number, without_comment(line), None))
    return [command if command.shown != [] else command._replace(shown=None) for command in found]


def without_comment(line):
    return re.sub(r" +# .*", "", line)


def spans(text):
    """Code within sentences: number of the line, and its words."""
    lines = text.split("\n")
    for first, block in blocks(text):
        lines[first - 1:first - 1 + len(block)] = [""] * len(block)
    prose = "\n".join(lines)
    for code in re.finditer(r"`([^`]+)`", prose):
        yield prose.count("\n", 0, code.start()) + 1, " ".join(code[1].split())


def code(text):
    """All of it, within sentences and without comments in blocks, but for what is printed."""
    return [*(words for _, words in spans(text)), *(command.text for command in commands(text))]


def commands(text):
    """In the order of their lines; without those that only show a file."""
    found = [command for block in blocks(text) for command in of_block(*block)]
    found += [Command(line, words, None) for line, words in spans(text)
              if CALL_IN_A_SENTENCE.fullmatch(words)]
    return sorted((command for command in found if not FILE.fullmatch(command.text)),
                  key=lambda command: command.line)


def files(text):
    """Contents by name."""
    return {FILE.fullmatch(command.text)[1]: "\n".join(command.shown).rstrip("\n") + "\n"
            for block in blocks(text) for command in of_block(*block)
            if FILE.fullmatch(command.text)}
