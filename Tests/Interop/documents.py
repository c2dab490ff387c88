"""The command blocks of README.md and Operation.md, which tests execute as they are written.

A block of commands is indented by four blanks, or a transcript fenced as `console`. A block that no test can execute has a comment
with the reason before it: `<!-- not executed: REASON -->`.
"""

import re
from dataclasses import dataclass

from daemon import ROOT

PAGES = ["README.md", "Documentation/Operation.md"]
FENCE = re.compile(r"^```(\w*)$")


@dataclass
class Block:
    """A block of commands under a heading."""

    page: str
    chapter: str
    #: The line of the page it begins at, from 1.
    line: int
    text: str
    #: Whether it shows the output of the commands.
    is_transcript: bool
    #: Why it isn't executed, or None.
    reason: str | None

    @property
    def commands(self):
        """The commands of a block without output, without comments and without sudo."""
        lines = [re.split(r"\s{2,}#", line)[0].strip() for line in self.text.splitlines()]
        return [line.removeprefix("sudo ") for line in lines if line]


def blocks(page, chapter=None):
    """The blocks of a page in order, or of a chapter of it."""
    found, heading, reason, rest = [], "", None, list(enumerate((ROOT / page).read_text().splitlines(), 1))
    while rest:
        number, line = rest.pop(0)
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif remark := re.fullmatch(r"<!-- not executed: (.+) -->", line):
            reason = remark[1]
            continue
        elif fence := FENCE.match(line):
            text = []
            while rest and not FENCE.match(rest[0][1]):
                text.append(rest.pop(0)[1])
            rest.pop(0)
            if fence[1] == "console":
                found.append(Block(page, heading, number, "\n".join(text) + "\n", True, reason))
        elif line.startswith("    "):
            text = [line]
            while rest and rest[0][1].startswith("    "):
                text.append(rest.pop(0)[1])
            if not line.startswith("    Sources/"):
                found.append(Block(page, heading, number, "\n".join(text) + "\n", False, reason))
        elif not line:
            continue
        reason = None
    return [block for block in found if chapter in (None, block.chapter)]


def commands(page, chapter):
    """The commands of a chapter that are executed, in order, as root types them."""
    return [command for block in blocks(page, chapter) if not block.reason for command in block.commands]


def transcripts(page, chapter):
    """What a chapter shows of terminals, in order."""
    return [block.text for block in blocks(page, chapter) if block.is_transcript and not block.reason]
