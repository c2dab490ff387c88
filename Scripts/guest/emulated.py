"""An arm64 guest: a whole computer in QEMU, with Debian's kernel and systemd, on the switch of a pretend LAN."""

import base64
import fcntl
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path, PurePosixPath

from guest import CACHE, Guest, archives, missing_requirement as missing_guest_requirement
from lan import PATIENCE, end, run, until

TOOLS = ["qemu-system-aarch64", "mkfs.ext4", "ssh", "ssh-keygen"]
#: The packages for arm64 need Debian 13.
RELEASE = "trixie"
PACKAGES = "systemd,systemd-sysv,dbus,iproute2,openssh-server,linux-image-cloud-arm64"
DISK_SIZE = "4G"
# This kernel needs no initrd, because the drivers for NVMe and ext4 are built in.
QEMU = ["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53", "-smp", "2", "-m", "2048", "-accel", "tcg,thread=multi",
        "-nodefaults", "-display", "none", "-no-user-config", "-device", "virtio-rng-pci"]
# Debian's timers would lock apt while a test installs packages.
KERNEL_OPTIONS = ("root=/dev/nvme0n1 rw console=ttyAMA0 panic=-1 "
                  "systemd.mask=apt-daily.timer systemd.mask=apt-daily-upgrade.timer")
NETWORK = "[Match]\nType=ether\n[Network]\nAddress={}/24\nDefaultRouteOnDevice=yes\nIPv6AcceptRA=no\n"
# The first boot runs this as process 1, because only the emulated processor can run the scripts of the packages.
FIRST_BOOT = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive INITRD=No
mount -t sysfs sysfs /sys
/debootstrap/debootstrap --second-stage && apt-get clean && systemctl enable systemd-networkd && rm /first-boot && echo INSTALLED
exec systemctl --force --force poweroff
"""


def missing_requirement():
    """The reason why no arm64 guest can boot here, or None."""
    if reason := missing_guest_requirement():
        return reason
    for tool in TOOLS:
        if not shutil.which(tool):
            return f"{tool} is not installed; Scripts/install-packages arm64"
    return None


def disk_arguments(disk, snapshot):
    return ["-drive", f"file={disk},format=raw,if=none,id=disk,cache=unsafe,snapshot={'on' if snapshot else 'off'}",
            "-device", "nvme,drive=disk,serial=disk"]


def cached_disk(address):
    """Returns the kernel, and the disk of a fresh Debian with this IPv4 address. They are created once."""
    kernel, disk = CACHE / f"{RELEASE}-arm64.kernel", CACHE / f"{RELEASE}-arm64.disk"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock-arm64", "w") as lock, open(CACHE / "debootstrap-arm64.log", "w") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not disk.exists():
            half, root = CACHE / "half-arm64.disk", CACHE / "half-arm64"
            shutil.rmtree(root, ignore_errors=True)
            mirror = next(address for address, suite in archives(RELEASE) if suite == RELEASE)
            include = PACKAGES + (",ca-certificates" if mirror[:5] == "https" else "")
            subprocess.run(["debootstrap", "--arch=arm64", "--foreign", "--variant=minbase", f"--include={include}", RELEASE,
                            root, mirror], check=True, stdout=log, stderr=log)
            (image,) = (root / "var/cache/apt/archives").glob("linux-image-*-cloud-arm64_*.deb")
            files = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", image], stdout=subprocess.PIPE)
            with open(kernel, "wb") as file:
                subprocess.run(["tar", "-xO", "--wildcards", "./boot/vmlinuz-*"], check=True, stdin=files.stdout, stdout=file)
            (root / "etc/hostname").write_text("guest\n")
            (root / "etc/hosts").write_text("127.0.0.1 localhost guest\n::1 localhost\n")
            (root / "etc/systemd/network").mkdir(parents=True, exist_ok=True)
            (root / "etc/systemd/network/lan.network").write_text(NETWORK.format(address))
            (root / "first-boot").write_text(FIRST_BOOT)
            (root / "first-boot").chmod(0o755)
            half.unlink(missing_ok=True)
            subprocess.run(["mkfs.ext4", "-q", "-d", root, half, DISK_SIZE], check=True, stdout=log, stderr=log)
            shutil.rmtree(root)
            console = CACHE / "first-boot-arm64.log"
            subprocess.run([*QEMU, *disk_arguments(half, snapshot=False), "-no-reboot", "-serial", f"file:{console}", "-kernel", kernel,
                            "-append", f"{KERNEL_OPTIONS} init=/first-boot"], check=True, timeout=3600)
            text = console.read_text(errors="replace")
            if "INSTALLED" not in text:
                raise RuntimeError(f"the arm64 guest can't be installed:\n{text[-2000:]}")
            half.rename(disk)
    return kernel, disk


def files(guest):
    """Returns the root of the guest's file system, with the methods of `Path` that tests use."""
    class Files(PurePosixPath):
        def exists(self):
            return guest.run("test", "-e", self, check=False).returncode == 0

        def is_file(self):
            return guest.run("test", "-f", self, check=False).returncode == 0

        def read_text(self):
            return guest.run("cat", self).stdout

        def write_text(self, text):
            guest.run("tee", self, input=text)

        def unlink(self):
            guest.run("rm", self)

        def glob(self, pattern):
            return self.rglob(pattern, "-maxdepth", "1")

        def rglob(self, pattern, *options):
            # The folder may not exist.
            found = guest.run("find", self, "-mindepth", "1", *options, "-name", pattern, check=False).stdout
            return [Files(line) for line in found.splitlines()]

    return Files("/")


class EmulatedGuest(Guest):
    """An emulated computer in place of the LAN's host `bridge`. Commands run over SSH from the host `phone`."""

    patience = PATIENCE

    def __init__(self, lan):
        self.lan, self.address = lan, lan.bridge.address
        self.kernel, self.disk = cached_disk(self.address)
        self.directory = Path(tempfile.mkdtemp(prefix="lamplighter-guest-", dir="/var/tmp"))
        self.root = files(self)
        self.console = self.directory / "console"
        self._qemu = self._connection = None
        self._boots = set()
        self._key = self.directory / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._key], check=True)
        lan.isolate(lan.bridge)
        switch = ["ip", "-n", lan.switch]
        run(*switch, "tuntap", "add", "guest", "mode", "tap")
        run(*switch, "link", "set", "guest", "master", "br0", "up")

    def prepare(self, *command):
        """Runs a command in the guest, which must have booted."""
        return self.run(*command, timeout=600)

    # Boots

    def boot(self):
        """Boots the guest and waits until systemd is idle. Returns the duration in seconds."""
        began = time.monotonic()
        # romfile= leaves out the network card's ROM, whose package Debian's QEMU only recommends.
        key = base64.b64encode(self._key.with_suffix(".pub").read_bytes()).decode()
        with open(self.console, "ab") as log:
            self._qemu = subprocess.Popen(
                ["ip", "netns", "exec", self.lan.switch, *QEMU, *disk_arguments(self.disk, snapshot=True),
                 "-netdev", "tap,id=lan,ifname=guest,script=no,downscript=no", "-device", "virtio-net-pci,netdev=lan,romfile=",
                 "-serial", "stdio", "-kernel", self.kernel,
                 "-append", f"{KERNEL_OPTIONS} systemd.set_credential_binary=ssh.authorized_keys.root:{key}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        self._wait_for_systemd()
        return time.monotonic() - began

    def reboot(self):
        began = time.monotonic()
        self.run("systemctl", "reboot", check=False)
        end(self._connection)
        self._wait_for_systemd()
        return time.monotonic() - began

    def close(self):
        for process in self._connection, self._qemu:
            if process:
                end(process)
        subprocess.run(["rm", "-rf", "--one-file-system", self.directory], check=False)

    def _wait_for_systemd(self):
        def is_running():
            if self._qemu.poll() is not None:
                raise RuntimeError(f"the guest doesn't boot:\n{self.console.read_text(errors='replace')[-2000:]}")
            script = "cat /proc/sys/kernel/random/boot_id; systemctl is-system-running --wait"
            boot, _, state = self.run("sh", "-c", script, check=False).stdout.strip().partition("\n")
            return boot if boot not in self._boots and state in ("running", "degraded") else None

        self._boots.add(until(is_running, 60, "the guest runs", 1))
        # Later commands share one connection.
        self._connection = subprocess.Popen(self._ssh("-N", "-M"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until((self.directory / "connection").exists, 10, "a connection")

    # Commands

    def copy(self, package):
        place = f"/root/{Path(package).name}"
        with open(package, "rb") as content:
            subprocess.run(self._ssh(f"cat > {shlex.quote(place)}"), check=True, stdin=content, timeout=60 * PATIENCE)
        return place

    def run(self, *command, check=True, timeout=90, input=None):
        environment = ["env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"]
        return self._run(self._ssh(shlex.join(map(str, [*environment, *command]))), check, timeout * PATIENCE, input)

    def _ssh(self, *words):
        options = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
                   "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=20", "-i", self._key, "-S", self.directory / "connection"]
        return self.lan.phone.inside("ssh", *options, *(words if words[0] == "-N" else ()), f"root@{self.address}",
                                     *(() if words[0] == "-N" else words))
