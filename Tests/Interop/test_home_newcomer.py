"""The commands of README.md and GettingStarted.md, typed as written in a new clone."""

import re

import pytest

import documents
from daemon import ROOT, program
from lan import until
from terminal import Terminal
from web import browser

README, START = "README.md", "Documentation/GettingStarted.md"


def chapter(page, title):
    return (ROOT / page).read_text().split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def as_pattern(line):
    """Return the pattern of a line on the page, because codes, ids and times always differ."""
    pattern = re.escape(line)
    for example, meant in [
        (r"\d{4}\\-\d\d\\-\d\d", r"\d{4}-\d\d-\d\d"), (r"\d\d:\d\d:\d\d", r"\d\d:\d\d:\d\d"),
        (r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}", "(?:[0-9A-F]{2}:){5}[0-9A-F]{2}"),
        (r"Demo\\ [0-9A-F]{4}", "Demo [0-9A-F]{4}"),
    ]:
        pattern = re.sub(example, lambda _: meant, pattern)
    return pattern


class Shell(Terminal):
    """A shell in a terminal, in which the commands of the page are typed."""

    def __init__(self, host, directory):
        super().__init__(
            host, "env", f"--chdir={directory}", "bash", "--norc", "--noprofile", "--noediting", columns=120,
            env={"PS1": "$ ", "TERM": "dumb", "LAMPLIGHTER_CONTROL": "", "HOMEHUB_SOCKET": ""})

    def play(self, transcript, code=None):
        """Type the input of a transcript, and check that the terminal shows its output."""
        for line in transcript.splitlines():
            self._play(line, code)

    def _play(self, line, code):
        if line.startswith("$ "):
            self.expects("$ ")
            self._enter(line[2:])
        elif line == "^C":
            self.press("C")
            self.expects("^C\n")
        elif line.isdigit():
            self._enter(line)
        elif question := re.fullmatch(r"((?:Setup code|Keep|Name|Room|There's no)\b.*:)( .*)?", line):
            self.expects(question[1] + " ")
            if question[2] != " ^D":
                self._enter(code if question[1].startswith("Setup code") else question[2].strip())
            else:
                self.press("D")
                self.expects("\n")
        else:
            self.expects(line + "\n")

    def said(self, command):
        """Return the output of a command. The terminal must already show the prompt."""
        self._enter(command)
        until(lambda: self.rest.endswith("$ "), 60, f"{command} ends")
        said, self._seen = self.rest, len(self.screen)
        return said

    def succeeds(self, command):
        """Run a command that must succeed, and return its output."""
        shown = self.said(command)
        assert self.said("echo $?") == "0\n$ ", f"{command}: {shown}"
        return shown

    def play_more(self, command):
        """Run a command that must print nothing. The terminal must already show the prompt."""
        said = self.said(command)
        assert said == "$ ", f"{command} prints {said}"

    @property
    def rest(self):
        """The part of the screen that hasn't been checked yet."""
        return self.screen[self._seen:]

    def _enter(self, text):
        self.type(text)
        self.expects(text + "\n")

    def expects(self, text, timeout=60):
        """Wait until the next output matches the page."""
        pattern = as_pattern(text)

        def shown():
            found = re.match(pattern, self.rest)
            self._seen += found.end() if found else 0
            return found

        try:
            until(shown, timeout, f"the terminal shows {text!r}")
        except AssertionError as error:
            raise AssertionError(f"{error}, but\n{self.rest}") from None


@pytest.fixture
def clone(tmp_path):
    """A directory that programs treat like the clone, with separate state."""
    for name in (".build", "Config", "Makefile", "Package.swift", "Scripts", "Sources", "Examples", "Tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


@pytest.fixture
def make(lan, clone):
    made = []

    def make(goal):
        # The package is built in place, but the state is separate.
        terminal = Terminal(
            lan.bridge, "make", "-C", ROOT, "--no-print-directory", goal, f"STATE={clone}/.lamplighter")
        made.append(terminal)
        return terminal

    yield make
    for terminal in reversed(made):
        terminal.close()


@pytest.fixture
def shell(lan, clone):
    made = []

    def shell():
        made.append(Shell(lan.bridge, clone))
        return made[-1]

    yield shell
    for terminal in made:
        terminal.close()


@pytest.mark.alone
def test_getting_started_commands_print_the_documented_output(lan, clone, make, shell):
    """Every command is typed as written, and prints the output that the page shows."""
    code = make("run").until(r"ready to pair.*?(\d{3}-\d\d-\d{3})", 900)[1]
    make("run-home").until("hub started", 900)
    setup, watch, other, groups = documents.transcripts(START, "Your home in the terminal")
    first = shell()
    first.play(setup, code)
    first.expects("$ ")

    # All terminals use the same programs.
    (path,) = re.findall(r"^\$ (export PATH=.*)$", setup, re.M)
    begun, told = watch.splitlines()[:2], watch.splitlines()[2:]
    second, third = shell(), shell()
    second.play("\n".join([f"$ {path}", *begun]))
    third.play(other)
    third.expects("$ ")
    second.play("\n".join(told))

    third.play_more(groups.splitlines()[0].removeprefix("$ "))
    second.expects("2026-01-01 00:00:00  Living Room  Reading Lamp  on\n")
    third._seen -= len("$ ")
    third.play("\n".join(groups.splitlines()[1:]))
    third.expects("$ ")
    second.expects("2026-01-01 00:00:00  Living Room  Reading Lamp  brightness 50 %\n")
    third.play_more('homehub write "reading lamp" off')
    second.expects("2026-01-01 00:00:00  Living Room  Reading Lamp  off\n")
    third.play_more("homehub write kettle on=yes")
    second.expects("2026-01-01 00:00:00  Kitchen  Kettle  on\n")
    app = Terminal(lan.bridge, "env", f"--chdir={clone}", program("all-off"))
    try:
        # The app waits for the permission that the page explains.
        (allow,) = re.findall(r"`(homehub privacy allow [^`]*)`", chapter(START, "Your home in Swift"))
        until(lambda: "org.example.all-off" in third.said("homehub privacy"), 20, "the app requests access to the home")
        assert app.process.poll() is None, app.text
        assert "Allowed for " in third.said(allow)
        assert app.ends() == 0, app.text
    finally:
        app.close()
    second.expects("2026-01-01 00:00:00  Kitchen  Kettle  off\n")

    make("run-web").until("page ready", 900)
    page = chapter(START, "Your home in a browser")
    (allow,) = re.findall(r"^    \.build/debug/(homehub privacy allow .*)$", page, re.M)
    until(lambda: "org.lamplighter.homeweb" in third.said("homehub privacy"), 20, "the page requests access to the home")
    assert "Allowed for " in third.said(allow)
    (address,) = re.findall(r"<(http://[^>]*)>", page)
    with browser(lan.bridge, clone) as chromium:
        visitor = chromium.open(address)
        visitor.until_text("Kettle")
        visitor.page.locator(".tile", has_text="Kettle").get_by_role("button").click()
        second.expects("2026-01-01 00:00:00  Kitchen  Kettle  on\n")
        visitor.go("/bridge")
        visitor.until_text("Lamplighter Demo")
    second.press("C")
    second.expects("^C\n$ ")


@pytest.mark.alone
def test_readme_bridge_commands_work_in_a_fresh_clone(lan, clone, make, shell):
    make("run").until(r"ready to pair", 900)
    goals, *commands = documents.blocks(README, "Quick start")
    assert goals.commands == ["make run"]
    (clone / "my.yaml").write_text(re.search(r"```yaml\n(.*?)```", chapter(README, "Your own lights"), re.S)[1])
    first, second = shell(), shell()
    for terminal in first, second:
        terminal.expects("$ ")
    check, start, status = documents.commands(README, "Your own lights")
    for command in [each for block in commands if not block.reason for each in block.commands] + [check]:
        if command.endswith(" watch"):
            first._enter(command)
            second.said(".build/debug/lamplighter simulate simulated/reading on=true")
            first.shows("simulated/reading  on  (device)\n")
            first.press("C")
            until(lambda: first.rest.endswith("$ "), 10, "watch ends")
            first._seen = len(first.screen)
        else:
            first.succeeds(command)
    second._enter(start)
    second.shows("bridge started")
    until(lambda: "advertised" in first.succeeds(status), 20, "the other bridge answers")


def test_every_documented_command_is_executed_or_marked_with_a_reason():
    executed = {
        README: ["Quick start", "Install it as a service", "Your own lights", "If a controller does not find the bridge"],
        START: ["Your home in the terminal", "Your home in a browser"],
    }
    for page, chapters in executed.items():
        for block in documents.blocks(page):
            assert block.reason or block.chapter in chapters, f"{page}:{block.line}: {block.text}"


def test_documented_swift_code_matches_the_example():
    (lines,) = re.findall(r"```swift\n(.*?)```", chapter(START, "Your home in Swift"), re.S)
    example = (ROOT / "Examples/AllOff/AllOff.swift").read_text()
    assert example.endswith(lines), "the page shows the built code"
    assert 10 <= len(lines.splitlines()) <= 20
