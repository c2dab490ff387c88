"""A Debian guest: a real systemd in a separate container, with the network of a namespace."""

import fcntl
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

TOOLS = ["debootstrap", "systemd-nspawn", "nsenter", "dpkg-deb"]
#: Debian 12 and 13.
RELEASES = ["bookworm", "trixie"]
RELEASE = RELEASES[0]
# The exit code of systemd-nspawn --keep-unit when the guest reboots.
WANTS_REBOOT = 133
CACHE = Path("/var/cache/lamplighter-guest")


def missing_requirement():
    """The reason why no guest can boot here, or None."""
    if os.geteuid() != 0:
        return "a guest needs root"
    # systemd-nspawn mounts and creates namespaces.
    if subprocess.run(["unshare", "--mount", "--net", "true"], capture_output=True).returncode != 0:
        return "a guest needs root with CAP_SYS_ADMIN, which root in a container can lack"
    for tool in TOOLS:
        if not shutil.which(tool):
            return f"{tool} is not installed; Scripts/install-packages guest"
    if not archives():
        return "apt has no archive of Debian"
    return None


def archives(release=RELEASE):
    """The archives of a release of Debian, as (address, suite), on this machine's mirrors."""
    asked = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages"],
        capture_output=True, text=True)
    found = [line.split() for line in asked.stdout.splitlines()]
    pattern = re.compile(rf"({'|'.join(RELEASES)})(-updates|-security)?")
    return sorted({(line[0].rstrip("/"), release + (suite[2] or "")) for line in found
                   if len(line) == 3 and line[2] == "main" and (suite := pattern.fullmatch(line[1]))})


def cached_root(release=RELEASE):
    """A fresh Debian, created once and copied for each guest."""
    CACHE.mkdir(parents=True, exist_ok=True)
    root = CACHE / release
    with open(CACHE / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not root.exists():
            half = CACHE / "half"
            shutil.rmtree(half, ignore_errors=True)
            address = next(address for address, suite in archives(release) if suite == release)
            packages = "systemd,systemd-sysv,dbus,iproute2" + (",ca-certificates" if address[:5] == "https" else "")
            with open(CACHE / "debootstrap.log", "w") as log:
                subprocess.run(["debootstrap", "--variant=minbase", f"--include={packages}", release, half, address],
                               check=True, stdout=log, stderr=log)
            (half / "etc/hostname").write_text("guest\n")
            (half / "etc/hosts").write_text("127.0.0.1 localhost guest\n::1 localhost\n")
            (half / "etc/machine-id").write_text("")
            half.rename(root)
    (root / "etc/apt/sources.list").write_text(
        "".join(f"deb {address} {suite} main\n" for address, suite in archives(release)))
    return root


class Guest:
    """A guest whose root file system persists across boots. `run` runs a command in it."""

    #: The factor for time limits in the guest.
    patience = 1

    def __init__(self, namespace, release=RELEASE):
        self.namespace = namespace
        self.directory = Path(tempfile.mkdtemp(prefix="lamplighter-guest-", dir="/var/tmp"))
        self.root = self.directory / "root"
        self.console = self.directory / "console"
        self._nspawn = None
        subprocess.run(["cp", "-a", "--reflink=auto", cached_root(release), self.root], check=True)

    def prepare(self, *command):
        """Runs a command in the root file system before the boot, with this machine's network."""
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        return self._run(["chroot", self.root, *command])

    # Boots

    def boot(self):
        """Boots the guest and waits until systemd is idle. Returns the duration in seconds."""
        began = time.monotonic()
        with open(self.console, "ab") as console:
            self._nspawn = subprocess.Popen(
                ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--settings=no", "--console=pipe",
                 "--resolv-conf=off", f"--machine={self.namespace}", f"--directory={self.root}",
                 f"--network-namespace-path=/run/netns/{self.namespace}", "--boot"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True)
        self._wait_for_systemd()
        return time.monotonic() - began

    def reboot(self):
        """Reboots the guest with `systemctl reboot`. Returns the duration of the boot in seconds."""
        self.run("systemctl", "reboot", check=False)
        code = self._nspawn.wait(60)
        assert code == WANTS_REBOOT, f"the guest ended with {code}"
        return self.boot()

    def shut_down(self):
        self.run("systemctl", "poweroff", check=False)
        self._nspawn.wait(60)

    def close(self):
        if self._nspawn and self._nspawn.poll() is None:
            # The guest ends together with its init.
            for process in (self._init(), self._nspawn.pid):
                if process:
                    os.kill(process, signal.SIGKILL)
            self._nspawn.wait(20)
        subprocess.run(["rm", "-rf", "--one-file-system", self.directory], check=False)

    def _init(self):
        """The process id of the guest's init on this machine."""
        try:
            children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children").read_text().split()
        except FileNotFoundError:
            return None
        return int(children[0]) if children else None

    def _wait_for_systemd(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._nspawn.poll() is not None:
                break
            if self._init():
                state = self.run("systemctl", "is-system-running", "--wait", check=False).stdout.strip()
                if state in ("running", "degraded"):
                    return
            time.sleep(0.1)
        raise RuntimeError(f"the guest doesn't boot:\n{self.console.read_text(errors='replace')[-2000:]}")

    # Commands

    def run(self, *command, check=True, timeout=90):
        """Runs a command in the guest. Returns the finished process with its output as text."""
        return self._run(["nsenter", f"--target={self._init()}", "--all", *command], check, timeout)

    def out(self, *command):
        return self.run(*command).stdout.strip()

    def copy(self, package):
        """Copies a package to the guest. Returns its path there."""
        shutil.copy(package, self.root / "root")
        return f"/root/{Path(package).name}"

    def _run(self, command, check=True, timeout=600, input=None):
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
            **{name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")},
        }
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout,
                              input=input or "", env=environment)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command[-6:]))}: {done.returncode}: {done.stderr[-1500:]}{done.stdout[-500:]}")
        return done


class Running:
    """A command in the guest that prints one JSON object per line. It runs in a separate unit, which is stopped at the end."""

    _numbers = itertools.count(1)

    def __init__(self, guest, user, *command):
        self.guest = guest
        self.unit = f"test-{next(self._numbers)}.service"
        output = f"/root/{self.unit}.out"
        self.output = guest.root / output[1:]
        guest.run("systemd-run", "--quiet", f"--unit={self.unit}", f"--uid={user}",
                  f"--property=StandardOutput=file:{output}", "--setenv=LC_ALL=C.UTF-8", "--", *command)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.guest.run("systemctl", "stop", self.unit, check=False)
        self.guest.run("systemctl", "reset-failed", self.unit, check=False)

    @property
    def lines(self):
        """Returns the complete lines of the command's output."""
        text = self.output.read_text() if self.output.exists() else ""
        return [json.loads(line) for line in text.splitlines(True) if line.endswith("\n")]

    def until(self, event, timeout=15, **members):
        """Waits for an event with these members and returns it."""
        timeout *= self.guest.patience
        deadline = time.monotonic() + timeout
        while True:
            lines = self.lines
            for line in lines:
                if line["event"] == event and members.items() <= line.items():
                    return line
            if time.monotonic() > deadline:
                raise AssertionError(f"no {event} {members} within {timeout} s: {lines[-20:]}")
            time.sleep(0.05)
