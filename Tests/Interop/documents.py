"""The command blocks of README.md, GettingStarted.md and Operation.md, which tests execute as written.

A block of commands is indented by four spaces, or is a transcript fenced as `console`. A comment with the reason precedes a block
that no test can execute: `<!-- not executed: REASON -->`.
"""

import re
from dataclasses import dataclass

from daemon import ROOT

FENCE = re.compile(r"^```(\w*)$")


@dataclass
class Block:
    """A block of commands under a heading."""

    page: str
    chapter: str
    #: The number of its first line on the page, from 1.
    line: int
    text: str
    #: A Boolean value that indicates whether it shows the output of the commands.
    is_transcript: bool
    #: The reason why it isn't executed, or None.
    reason: str | None

    @property
    def commands(self):
        """The commands of a block without output, without comments and without sudo."""
        lines = [re.split(r"\s{2,}#", line)[0].strip() for line in self.text.splitlines()]
        return [line.removeprefix("sudo ") for line in lines if line]


def blocks(page, chapter=None):
    """Return the blocks of a page, or of one of its chapters, in order."""
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
    """Return the executed commands of a chapter in order, as root types them."""
    return [command for block in blocks(page, chapter) if not block.reason for command in block.commands]


def transcripts(page, chapter):
    """The transcripts of a chapter, in order."""
    return [block.text for block in blocks(page, chapter) if block.is_transcript and not block.reason]
