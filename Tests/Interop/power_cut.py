"""Determines the possible states of a program's files after a power cut from a recording of its system calls.

`Recording` runs programs under strace and records every call that changes a folder. `Disk` replays the calls, and determines
the possible effect of each on the disk: data is durable after fsync; before that, it can be complete, incomplete or missing.
Nothing here depends on SQLite.
"""

import contextlib
import dataclasses
import os
import re
from pathlib import Path

from lan import until

CALLS = (
    "mkdir,mkdirat,rmdir,openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,ftruncate,truncate,fallocate,rename,"
    "renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,fsync,fdatasync,sync_file_range,copy_file_range,"
    "sendfile"
)
#: The calls at which a program is killed. They change files and aren't used for connections.
KILLABLE = "pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,link,linkat,mkdir,mkdirat"
SECTOR = 512

_LINE = re.compile(r"(\d+\.\d+) (\w+)\((.*)\) += (-?\w+)(?:<((?:\\x[0-9a-f]{2})*)>)?.*<(\d+\.\d+)>$", re.DOTALL)
_ARGUMENT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?|(?:-?\w+)<((?:\\x[0-9a-f]{2})*)>(\(deleted\))?|([^,"<]+)')


def _bytes(text):
    return bytes.fromhex(text.replace("\\x", ""))


def tracer(output, *options):
    """Return the prefix of a command that runs it under strace in the same process."""
    return ["strace", "-D", "-q", "-ff", "-e", "signal=none", "-o", str(output), *options]


@dataclasses.dataclass
class Call:
    """A system call that made a change, or made changes durable."""

    began: float
    ended: float
    name: str
    #: The path inside the folder. Its bytes are decoded like the system's file names.
    path: str
    #: The data, the length or the second path, depending on the name.
    value: object = None
    offset: int | None = None

    def __str__(self):
        size = f" {len(self.value)} bytes at {self.offset}" if isinstance(self.value, bytes) else f" {self.value or ''}"
        return f"{self.name} {self.path}{size}"


class Recording:
    """The changes that programs make to a folder, in order."""

    def __init__(self, folder, directory):
        self.folder = os.path.realpath(folder)
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self._count = 0

    @property
    def wrapper(self):
        """Return the prefix of a command to record."""
        self._count += 1
        return tracer(
            self.directory / f"life{self._count:02}", "--seccomp-bpf", "-y", "-xx", "-s", "16777216", "-T",
            "--absolute-timestamps=format:unix,precision:ns", "-e", f"trace={CALLS}")

    def calls(self):
        """Return all calls so far, once the programs have ended."""
        until(lambda: not self._tracers(), 20, "the end of every strace")
        lines = []
        for file in sorted(self.directory.iterdir()):
            lines += [(file.suffix, line) for line in file.read_text().splitlines() if "+++" not in line]
        lines.sort(key=lambda entry: entry[1])
        positions = {}
        calls = [call for _, line in lines for call in self._parse(line, positions)]
        return calls

    def _tracers(self):
        """Return the strace processes that are still writing: they end a moment after the program."""
        mark, found = os.fsencode(str(self.directory)), []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if mark in (folder / "cmdline").read_bytes():
                    found.append(folder.name)
        return found

    def _inside(self, path):
        path = os.fsdecode(path)
        return os.path.normpath(path) if path == self.folder or path.startswith(self.folder + "/") else None

    def _parse(self, line, positions):
        if "= ?" in line or "<unfinished" in line or " = -1 " in line:
            # A call that failed, or at which the program was killed, has no effect.
            return
        found = _LINE.match(line)
        assert found, f"unknown line: {line[:300]}"
        began, name, rest, result, opened, took = found.groups()
        began = float(began)
        words = []
        for argument in _ARGUMENT.finditer(rest):
            text, cut, described, _, bare = argument.groups()
            assert not cut, "strace has truncated data"
            if text is not None:
                words.append(_bytes(text))
            elif described is not None:
                words.append(_bytes(described))
            elif bare.strip():
                words.append(bare.strip())

        def call(path, *more):
            place = self._inside(path)
            return [Call(began, began + float(took), name, place, *more)] if place else []

        if name in ("openat", "open", "creat"):
            yield from self._opened(line, opened and _bytes(opened), began, took, positions)
        elif name == "write":
            place, data = self._inside(words[0]), words[1]
            if place:
                # Programs use write(2) only for newly opened files, so the position is known.
                offset = positions.get(place, 0)
                count = int(result)
                positions[place] = offset + count
                yield Call(began, began + float(took), "write", place, data[:count], offset)
        elif name == "pwrite64":
            for one in call(words[0], words[1][:int(result)], int(words[3])):
                one.name = "write"
                yield one
        elif name in ("ftruncate", "truncate"):
            for one in call(words[0], int(words[1])):
                one.name = "truncate"
                yield one
        elif name in ("fsync", "fdatasync"):
            for one in call(words[0]):
                one.name = "fsync"
                yield one
        elif name in ("rename", "renameat", "renameat2", "link", "linkat"):
            paths = [word for word in words if isinstance(word, bytes) and word.startswith(b"/")]
            paths = paths if name in ("rename", "link") else paths[-2:] if len(paths) == 2 else paths[1::2]
            source, target = map(self._inside, paths)
            assert bool(source) == bool(target), f"a file is moved into or out of the folder: {line[:300]}"
            if source:
                yield Call(began, began + float(took), "link" if "link" in name else "rename", source, target)
        elif name in ("unlink", "unlinkat", "rmdir"):
            path = [word for word in words if isinstance(word, bytes)][-1]
            for one in call(path):
                one.name = "unlink"
                yield one
        elif name in ("mkdir", "mkdirat"):
            path = [word for word in words if isinstance(word, bytes)][-1]
            for one in call(path):
                one.name = "mkdir"
                yield one
        elif any(isinstance(word, bytes) and self._inside(word) for word in words):
            raise AssertionError(f"unknown call: {line[:300]}")

    def _opened(self, line, path, began, took, positions):
        place = path and self._inside(path)
        if not place:
            return
        positions[place] = 0
        ended = began + float(took)
        if "O_CREAT" in line or "creat(" in line:
            yield Call(began, ended, "create", place)
        if "O_TRUNC" in line or "creat(" in line:
            yield Call(began, ended, "truncate", place, 0)


class File:
    """The content of a file: the durable part and later writes."""

    def __init__(self):
        self.durable = b""
        self.pending = []

    def content(self, choose=None):
        """Return the bytes, with all pending writes or only with the chosen ones."""
        data = bytearray(self.durable)
        for change in choose(self.pending) if choose else self.pending:
            if change[0] == "truncate":
                length = change[1]
                del data[length:]
                data.extend(bytes(length - len(data)))
            else:
                _, offset, piece = change
                data.extend(bytes(max(0, offset + len(piece) - len(data))))
                data[offset:offset + len(piece)] = piece
        return bytes(data)


class Disk:
    """The folder as seen by the program, and its possible states after a power cut."""

    def __init__(self, folder):
        self.folder = folder
        #: Durable names, and pending changes of names: lists of (path, file or None) that
        #: are applied together.
        self.durable = {}
        self.pending = []
        self.names = {}

    def apply(self, call):
        if call.name == "create":
            if call.path not in self.names:
                self._rename({call.path: File()})
        elif call.name == "mkdir":
            self._rename({call.path: "folder"})
        elif call.name == "unlink":
            self._rename({call.path: None})
        elif call.name == "rename":
            self._rename({call.path: None, call.value: self.names[call.path]})
        elif call.name == "link":
            self._rename({call.value: self.names[call.path]})
        elif call.name == "truncate":
            self.names[call.path].pending.append(("truncate", call.value))
        elif call.name == "write":
            if call.path in self.names:  # a deleted file that is still written has no name
                self.names[call.path].pending.append(("write", call.offset, call.value))
        elif call.name == "fsync":
            self._flush(call.path)

    def _rename(self, change):
        self.pending.append(change)
        self._put(self.names, change)

    @staticmethod
    def _put(names, change):
        for path, file in change.items():
            if file is None:
                names.pop(path, None)
            else:
                names[path] = file

    def _flush(self, path):
        entry = self.names.get(path)
        if isinstance(entry, File):
            entry.durable, entry.pending = entry.content(), []
            return
        # For a folder, make the changes of the names in it durable.
        rest = []
        for change in self.pending:
            if any(os.path.dirname(name) == path for name in change):
                self._put(self.durable, change)
            else:
                rest.append(change)
        self.pending = rest

    # States after an interruption

    def after_kill(self):
        """Return the state after a kill. The system still writes all pending data."""
        return {path: file if file == "folder" else file.content() for path, file in self.names.items()}

    def after_power_cut(self, random, keep=None):
        """Return a state after a power cut, with a random subset of the pending changes.

        If `keep` is "nothing", no pending change is kept. Otherwise, changes of names are kept either up to a random one, as
        in journaling file systems, or independently of each other. Data is kept by sectors, in any order.
        """
        if keep == "nothing":
            changes, choose = [], lambda pending: []
        else:
            cut = random.randrange(len(self.pending) + 1)
            share = random.choice([0.1, 0.5, 0.9])
            changes = self.pending[:cut] if random.random() < 0.7 else [
                change for change in self.pending if random.random() < 0.5]
            choose = lambda pending: torn(pending, random, share)
        names = dict(self.durable)
        for change in changes:
            self._put(names, change)
        return {path: file if file == "folder" else file.content(choose) for path, file in names.items()}

    def after_lost_names(self):
        """Return the states after a power cut with all changes except one change of a name."""
        for lost in range(len(self.pending)):
            names = dict(self.durable)
            for change in self.pending[:lost] + self.pending[lost + 1:]:
                self._put(names, change)
            yield {path: file if file == "folder" else file.content() for path, file in names.items()}

    @property
    def is_durable(self):
        return not self.pending and not any(
            file.pending for file in self.names.values() if isinstance(file, File))


def torn(pending, random, share):
    """Keep some sectors of pending writes, and less than a sector of the last one."""
    mode = random.randrange(3)
    if mode == 0:  # in order, up to a random one
        pending = pending[:random.randrange(len(pending) + 1)]
    kept = []
    for change in pending:
        if change[0] == "truncate":
            if mode == 0 or random.random() < share:
                kept.append(change)
            continue
        _, offset, data = change
        if mode == 0 and change is not pending[-1]:
            kept.append(change)
            continue
        if mode == 1 and random.random() < share:
            kept.append(change)
            continue
        start = 0
        while start < len(data):
            end = min(len(data), (offset + start) // SECTOR * SECTOR + SECTOR - offset)
            if random.random() < share:
                kept.append(("write", offset + start, data[start:end]))
            start = end
    return kept


def lay_out(state, folder, place):
    """Write a state into a separate folder."""
    place = Path(place)
    place.mkdir(mode=0o700)
    for path in sorted(state):
        target = place / os.path.relpath(path, folder) if path != folder else place
        if state[path] == "folder":
            target.mkdir(parents=True, exist_ok=True, mode=0o700)
        elif target.parent.is_dir():  # skip a file in a missing folder
            target.write_bytes(state[path])
            target.chmod(0o600)
    return place
