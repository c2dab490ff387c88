"""Runs programs that exchange JSON lines with a test."""

import json
import queue
import subprocess
import threading
import time

from lan import PATIENCE, end


class Talker:
    """A program on a host that exchanges JSON lines with a test."""

    def __init__(self, host, log, *command):
        self.log = log
        self.process = host.popen(
            *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(log, "ab"), text=True, bufsize=1)
        self.lines = queue.Queue()
        self.kept = []
        self.received = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def say(self, value):
        self.process.stdin.write(json.dumps(value) + "\n")
        self.process.stdin.flush()

    def until(self, condition, timeout=20, keeping=False):
        """Wait for the first unread line that meets the condition, and return it.

        Earlier lines count as read, unless `keeping` is set: other lines can come between a request and its answer.
        """
        timeout *= PATIENCE
        deadline = time.monotonic() + timeout
        passed = []
        while True:
            line = self.kept.pop(0) if self.kept else self._next(timeout, deadline)
            if condition(line):
                if keeping:
                    self.kept = passed + self.kept
                return line
            passed.append(line)

    def _next(self, timeout, deadline):
        try:
            line = self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise AssertionError(f"not within {timeout} s; received {self.received[-20:]}; {self.log.read_text()[-2000:]}")
        assert line is not None, f"the program has ended: {self.log.read_text()[-2000:]}"
        self.received.append(line)
        return line

    def close(self):
        end(self.process)
