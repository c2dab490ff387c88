"""A pretend LAN of hosts, which are network namespaces on one switch.

Each host has a separate /run, and therefore a separate system D-Bus and Avahi daemon. IPv4, IPv6 link-local and multicast work
between them. `PretendLAN.close()` ends everything that was started on the hosts.
"""

import asyncio
import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

CLONE_NEWNET = 0x40000000
#: Capabilities, by their bits (capabilities(7)), that root in a container may lack.
CAPABILITIES = {"CAP_NET_ADMIN": 12, "CAP_SYS_ADMIN": 21}
TOOLS = ["ip", "nsenter", "unshare", "dbus-daemon", "avahi-daemon"]
SEARCH = "/usr/sbin:/usr/bin:/sbin:/bin"
#: The factor for all time limits, which is larger for slow builds (Scripts/sanitize).
PATIENCE = float(os.environ.get("PATIENCE", 1))


def missing_requirement():
    """Return the reason why this machine can't have a pretend LAN, or None."""
    effective = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff:"))
    held = int(effective.split()[1], 16)
    if missing := [name for name, bit in CAPABILITIES.items() if not held >> bit & 1]:
        return f"network namespaces need {' and '.join(missing)}; run as root, in a container with these capabilities"
    for tool in TOOLS:
        if not shutil.which(tool, path=SEARCH):
            return f"{tool} is not installed"
    return None


def until(condition, timeout, claim, interval=0.02):
    """Wait until the condition returns a true value, and return that value."""
    timeout *= PATIENCE
    deadline = time.monotonic() + timeout
    while True:
        if result := condition():
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {claim}")
        time.sleep(interval)


def threads(pid, file):
    """Return the text of a /proc file for each running thread of a process."""
    texts = {}
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            texts[int(task.name)] = (task / file).read_text()
    return texts


def open_to_all(directory):
    """Give other users access to a test's directory and its parents, which pytest creates without it."""
    for folder in (directory, *directory.parents):
        if folder.is_relative_to(tempfile.gettempdir()) and folder != Path(tempfile.gettempdir()):
            folder.chmod(0o755)


def run(*command, check=True):
    return subprocess.run(command, check=check, capture_output=True, text=True, timeout=60 * PATIENCE)


def end(process, limit=5):
    """End a process that was started here, even if it hangs."""
    if process.poll() is not None:
        return
    for number in (signal.SIGTERM, signal.SIGCONT):
        process.send_signal(number)
    try:
        process.wait(limit * PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Host:
    """One host: `popen` and `run` start programs there, `run_async` runs a coroutine on its network."""

    def __init__(self, prefix, name, address, directory):
        self.name = name
        self.namespace = f"{prefix}-{name}"
        self.address = address
        self.directory = directory
        self.bus = None
        self.avahi = None
        self.avahi_log = directory / f"{name}-avahi.log"
        self._processes = []
        run("ip", "netns", "add", self.namespace)
        run("ip", "-n", self.namespace, "link", "set", "lo", "up")
        # This process keeps the host's mount and host-name namespaces open.
        setup = 'hostname "$1"; mount -t tmpfs tmpfs /run && mkdir -p /run/dbus /run/avahi-daemon && '
        setup += "chown avahi:avahi /run/avahi-daemon && echo ready && exec sleep infinity"
        self._holder = subprocess.Popen(
            ["ip", "netns", "exec", self.namespace, "unshare", "-m", "-u", "--propagation", "private"]
            + ["sh", "-c", setup, "sh", name],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
        assert self._holder.stdout.readline() == b"ready\n", "can't create the host's /run"

    # Programs

    def inside(self, *command):
        """Return the command line that runs a command on this host without a further process."""
        enter = ["nsenter", f"--net=/run/netns/{self.namespace}"]
        enter += [f"--mount=/proc/{self._holder.pid}/ns/mnt", f"--uts=/proc/{self._holder.pid}/ns/uts"]
        return enter + [str(part) for part in command]

    def popen(self, *command, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        process = subprocess.Popen(self.inside(*command), start_new_session=True, **options)
        self._processes.append(process)
        return process

    def run(self, *command, check=True):
        return run(*self.inside(*command), check=check)

    # Coroutines

    def run_async(self, coroutine, timeout=600):
        """Run a coroutine in a thread and an event loop whose sockets are on this host."""
        outcome = {}
        timeout *= PATIENCE

        def body():
            try:
                self.enter_network()
                outcome["value"] = asyncio.run(asyncio.wait_for(coroutine, timeout))
            except BaseException as error:  # any error is raised in the caller
                outcome["error"] = error

        thread = threading.Thread(target=body, name=f"on {self.name}", daemon=True)
        thread.start()
        thread.join(timeout + 10)
        assert not thread.is_alive(), f"the scenario on {self.name} hangs"
        if "error" in outcome:
            raise outcome["error"]
        return outcome["value"]

    def enter_network(self):
        """Move the calling thread and all threads that it starts to this host's network, permanently."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open(f"/run/netns/{self.namespace}", "rb") as namespace:
            if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")

    # D-Bus, Avahi and the network cable

    def start_bus(self):
        with open(self.directory / f"{self.name}-bus.log", "ab") as log:
            self.bus = self.popen(
                "dbus-daemon", "--system", "--nofork", "--nopidfile", "--nosyslog", stdout=log, stderr=log)
        until(lambda: self.run("test", "-S", "/run/dbus/system_bus_socket", check=False).returncode == 0, 10,
              f"a D-Bus on {self.name}")

    def stop_bus(self):
        if self.bus:
            end(self.bus)
        self.bus = None
        self.run("rm", "-f", "/run/dbus/system_bus_socket")

    def start_avahi(self):
        if not self.bus:
            self.start_bus()
        configuration = self.directory / f"{self.name}-avahi.conf"
        configuration.write_text(
            f"[server]\nhost-name={self.name}\nuse-ipv4=yes\nuse-ipv6=yes\n"
            "[publish]\npublish-hinfo=no\npublish-workstation=no\n[rlimits]\n")
        with open(self.avahi_log, "ab") as log:
            self.avahi = self.popen(
                "avahi-daemon", "--no-chroot", "--no-rlimits", "-f", configuration, stdout=log, stderr=log)
        until(lambda: self.run("test", "-S", "/run/avahi-daemon/socket", check=False).returncode == 0, 10,
              f"an Avahi daemon on {self.name}")

    def stop_avahi(self):
        if self.avahi:
            end(self.avahi)
        self.avahi = None

    def change_address(self, address):
        """Replace the IPv4 address, as a DHCP client does: remove the old address, then add the new one."""
        run("ip", "-n", self.namespace, "addr", "del", f"{self.address}/24", "dev", "eth0")
        run("ip", "-n", self.namespace, "addr", "add", f"{address}/24", "dev", "eth0")
        run("ip", "-n", self.namespace, "route", "replace", "default", "dev", "eth0")
        self.address = address

    def link(self, state):
        """Plug (`up`) or unplug (`down`) the cable."""
        run("ip", "-n", self.namespace, "link", "set", "eth0", state)

    def close(self):
        for process in reversed(self._processes):
            end(process)
        end(self._holder)
        self._holder.stdout.close()
        # Kill all processes that programs left behind on this host. Its process namespace contains no other processes.
        for pid in run("ip", "netns", "pids", self.namespace, check=False).stdout.split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        until(lambda: not run("ip", "netns", "pids", self.namespace, check=False).stdout.split(), 5, "an empty host")
        run("ip", "netns", "del", self.namespace)


class PretendLAN:
    """Two hosts: `bridge`, with a D-Bus and an Avahi daemon, and `phone`, without either, because controllers bring their own.

    `add_host` adds another host.
    """

    def __init__(self):
        prefix = self._prefix = f"lamp{os.getpid()}"
        self.directory = Path(tempfile.mkdtemp(prefix="lamplighter-lan-"))
        self.hosts = []
        self.switch = f"{prefix}-switch"
        run("ip", "netns", "add", self.switch)
        try:
            # Turn off snooping: without a multicast querier, it would block multicast after some minutes.
            run("ip", "-n", self.switch, "link", "add", "br0", "type", "bridge", "mcast_snooping", "0")
            run("ip", "-n", self.switch, "link", "set", "br0", "up")
            self.bridge = self._add_host("bridge", "10.77.0.1")
            self.phone = self._add_host("phone", "10.77.0.2")
            for host in self.hosts:
                self._await_ipv6(host)
            self.bridge.start_avahi()
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def add_host(self, name, address):
        """Add a temporary host with a D-Bus and an Avahi daemon."""
        host = self._add_host(name, address)
        try:
            self._await_ipv6(host)
            host.start_avahi()
            yield host
        finally:
            self.hosts.remove(host)
            # Remove the interface now, because the kernel does so later and the next host may have the same name.
            run("ip", "-n", self.switch, "link", "del", f"to-{name}", check=False)
            host.close()

    def isolate(self, host):
        """Disconnect a host from the switch. Its interface stays up."""
        run("ip", "-n", self.switch, "link", "set", f"to-{host.name}", "nomaster")

    def join(self, host):
        """Connect a host to the switch. The host notices this as if its cable had been plugged in."""
        run("ip", "-n", self.switch, "link", "set", f"to-{host.name}", "master", "br0")
        host.link("down")
        host.link("up")
        run("ip", "-n", host.namespace, "route", "replace", "default", "dev", "eth0")

    def _await_ipv6(self, host):
        until(lambda: "tentative" not in run("ip", "-n", host.namespace, "-6", "addr").stdout, 10,
              f"IPv6 on {host.name}")

    def _add_host(self, name, address):
        host = Host(self._prefix, name, address, self.directory)
        self.hosts.append(host)
        port, space = f"to-{name}", host.namespace
        run("ip", "-n", self.switch, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space)
        run("ip", "-n", self.switch, "link", "set", port, "master", "br0", "up")
        run("ip", "-n", space, "link", "set", "eth0", "up")
        run("ip", "-n", space, "addr", "add", f"{address}/24", "dev", "eth0")
        run("ip", "-n", space, "route", "add", "default", "dev", "eth0")
        return host

    def close(self):
        for host in self.hosts:
            host.close()
        run("ip", "netns", "del", self.switch, check=False)
        shutil.rmtree(self.directory, ignore_errors=True)
