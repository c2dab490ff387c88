"""The OpenPGP key that signs releases and repositories."""

import contextlib
import subprocess
import tempfile
from pathlib import Path


class Failure(Exception):
    """A problem that the caller can fix."""


def output(*command, cwd=None):
    """Returns the output of a program."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{command[0]} failed: {done.stderr.strip() or f'exit code {done.returncode}'}")
    return done.stdout


class Key:
    """An OpenPGP key that signs files."""

    def __init__(self, name, directory=None):
        self._gpg = ["gpg", "--batch", "--quiet", "--no-tty", *(["--homedir", directory] if directory else [])]
        lines = output(*self._gpg, "--with-colons", "--list-secret-keys", *([name] if name else [])).splitlines()
        found = [line.split(":")[9] for kind, line in zip(lines, lines[1:]) if kind[:4] == "sec:" and line[:4] == "fpr:"]
        if len(found) != 1:
            raise Failure(f"there are {len(found)} secret keys for --key; use the fingerprint of one")
        self.fingerprint = found[0]

    @classmethod
    @contextlib.contextmanager
    def opened(cls, name):
        """Opens a key of the caller's GnuPG directory, or a file, which is imported into a temporary directory."""
        if not Path(name).is_file():
            yield cls(name)
            return
        with tempfile.TemporaryDirectory(prefix="lamplighter-key-") as directory:
            try:
                output("gpg", "--batch", "--quiet", "--homedir", directory, "--import", Path(name).resolve())
                yield cls(None, directory)
            finally:
                subprocess.run(["gpgconf", "--homedir", directory, "--kill", "all"], capture_output=True)

    @property
    def public(self):
        """The public key as text."""
        return output(*self._gpg, "--armor", "--export-options", "export-minimal", "--export", self.fingerprint)

    def sign(self, kind, file):
        """Returns a signature of a file (`--detach-sign`), or the file with its signature (`--clear-sign`)."""
        return output(*self._gpg, "--armor", "--digest-algo", "SHA512", "--local-user", self.fingerprint, "--output", "-",
                      kind, file).encode()
