"""The version of packages and programs."""

import os
import re
import shutil
import subprocess

import pytest

from daemon import ROOT

NEXT = re.search(r'nextRelease = "(.+)"', (ROOT / "Package.swift").read_text())[1]
COMMIT = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost", "GIT_COMMITTER_NAME": "a",
          "GIT_COMMITTER_EMAIL": "a@localhost"}


@pytest.fixture
def source(tmp_path):
    """A clone with one commit, and functions that add a commit or a tag to it and print its version."""
    (tmp_path / "Scripts").mkdir()
    for name in "Scripts/version", "Package.swift":
        shutil.copy(ROOT / name, tmp_path / name)

    def git(*words, date="2026-11-26T23:30:00+01:00"):
        subprocess.run(["git", "-C", tmp_path, *words], check=True, capture_output=True,
                       env={**os.environ, **COMMIT, "GIT_COMMITTER_DATE": date})

    def version():
        return subprocess.run([tmp_path / "Scripts/version"], check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "One")
    return git, version


def is_higher(version, other):
    return subprocess.run(["dpkg", "--compare-versions", version, "gt", other]).returncode == 0


def test_later_commits_and_releases_have_higher_package_versions(source):
    git, version = source
    first = version()
    assert first.startswith(f"{NEXT}~git20261126223000.") and is_higher(first, "0.1.0")
    git("commit", "-q", "--allow-empty", "-m", "Two", date="2026-11-26T22:30:01Z")
    second = version()
    assert is_higher(second, first)
    git("tag", f"v{NEXT}")
    assert version() == NEXT and is_higher(NEXT, second)



@pytest.mark.parametrize("sudo", [None, "exit 1"], ids=["no sudo", "sudo refuses"])
@pytest.mark.parametrize("missing", ["", "curl strace"], ids=["everything is installed", "packages are missing"])
def test_install_step_needs_root_only_for_missing_packages(tmp_path, missing, sudo):
    (tmp_path / "Scripts").mkdir()
    shutil.copy(ROOT / "Scripts/install-packages", tmp_path / "Scripts")
    programs = {
        "id": "echo 1000", "swift": "", "dpkg-query": f"for last; do :; done; case ' {missing} ' in *\" $last \"*) exit 1;; esac; "
        "echo installed", "apt-get": '[ "$1" = download ] && touch nginx.deb', "dpkg-deb": "", **({"sudo": sudo} if sudo else {})}
    for name, lines in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{lines}\n")
        (tmp_path / name).chmod(0o755)
    for name in "sh", "grep", "dirname", "mkdir", "rm", "touch", "env":
        (tmp_path / name).symlink_to(shutil.which(name))
    result = subprocess.run([tmp_path / "Scripts/install-packages", "test"], capture_output=True, text=True,
                            env={"PATH": str(tmp_path)})
    assert result.returncode == (77 if missing else 0), result.stderr
    assert (tmp_path / ".build-proxies/ready").exists() == (not missing)
    if missing:
        assert result.stderr.endswith("run as root: apt-get update && apt-get install curl strace\n")
