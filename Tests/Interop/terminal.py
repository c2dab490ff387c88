"""Runs a program in a terminal, as a user sees it."""

import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading

from lan import end, until


class Terminal:
    """A program in a separate terminal, and the terminal's output."""

    def __init__(self, host, *command, columns=80, **options):
        self.text = ""
        self._seen = 0
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **options.pop("env", {})}
        environment.pop("DBUS_SYSTEM_BUS_ADDRESS", None)

        def settle():
            # Make the terminal the program's controlling terminal, so that Ctrl-C reaches it. Background processes ignore Ctrl-C.
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        self.process = host.popen(
            *command, stdin=follower, stdout=follower, stderr=follower, env=environment, preexec_fn=settle, **options)
        os.close(follower)
        self._leader = leader
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        # On Linux, reading a terminal that no process has open is an error.
        try:
            while data := os.read(self._leader, 4096):
                self.text += data.decode(errors="replace")
        except OSError:
            pass

    def until(self, pattern, timeout):
        """Wait until the terminal has shown the text at any time."""

        def matches():
            if found := re.search(pattern, self.text, re.S):
                return found
            assert self.process.poll() is None, f"the program ended with {self.process.returncode}:\n{self.text[-3000:]}"
            return None

        return until(matches, timeout, f"the terminal shows {pattern}; it shows\n{self.text[-3000:]}")

    def shows(self, text, timeout=20):
        """Wait until the terminal shows the text after the previously awaited one."""

        def matches():
            place = self.screen.find(text, self._seen)
            if place < 0:
                assert self.process.poll() is None or place >= 0, f"the program ended before {text!r}:\n{self.screen[self._seen:]}"
                return False
            self._seen = place + len(text)
            return True

        try:
            until(matches, timeout, "")
        except AssertionError as error:
            raise AssertionError(f"{error}: no {text!r} in\n{self.screen[self._seen:]}") from None

    @property
    def screen(self):
        """The output with plain line endings."""
        return self.text.replace("\r\n", "\n")

    def type(self, text):
        """Type text, and press Enter."""
        os.write(self._leader, f"{text}\n".encode())

    def press(self, letter):
        """Hold Ctrl and press a letter."""
        os.write(self._leader, bytes([ord(letter) - ord("A") + 1]))

    def ends(self, timeout=20):
        """Wait until the program ends, and return its exit code."""
        return self.process.wait(timeout)

    def close(self):
        end(self.process)
