"""The version of packages and programs, and the bills of materials."""

import json
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


COPYRIGHT = """\
Comment: No program contains swift-tools.

Files: *
Copyright: The Lamplighter authors
License: Apache-2.0

Files: swift swift-nio
Copyright: Apple Inc.
License: Apache-2.0 with Swift-exception

Files: llhttp
Copyright: Fedor Indutny
License: MIT

Files: icu
Copyright: Unicode, Inc.
License: Unicode-3.0 and ICU
"""
LICENSE = "Apache License\nRuntime Library Exception\n"


@pytest.fixture
def bill(tmp_path):
    """A source with a package of one program, and a function that creates the bills of materials."""
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    for name in "Scripts/generate-bill", "Scripts/packaging/source.py":
        write(name, (ROOT / name).read_text()).chmod(0o755)
    write("bin/swift", "#!/bin/sh\necho 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'\n").chmod(0o755)
    write("Sources/CLocaleData/data.c", "const struct CommonData icudt76_dat;  // Swift 6.3\n")
    write("Scripts/debian/copyright", COPYRIGHT)
    write("Package.resolved", json.dumps({"pins": [
        {"location": f"https://github.com/apple/{name}.git", "state": {"revision": "0a" * 20, "version": "2.1.0"}}
        for name in ("swift-nio", "swift-tools")]}))
    checkouts, release = ".build-static/checkouts", ".build-static/release"
    write(f"{checkouts}/swift-nio/LICENSE.txt", LICENSE)
    write(f"{checkouts}/swift-nio/NOTICE.txt", "A notice")
    write(f"{checkouts}/swift-nio/Sources/CNIOLLHTTP/include/c_nio_llhttp.h",
          "#define LLHTTP_VERSION_MAJOR 9\n#define LLHTTP_VERSION_MINOR 3\n#define LLHTTP_VERSION_PATCH 0\n")
    for program in "lamplighterd", "homehubd", "homeweb":
        write(f"{release}/{program}.product/Objects.LinkFileList", "".join(
            f"'/source/.build-static/release/{module}.build/a.o'\n" for module in ("NIOCore", "CNIOLLHTTP", program)))
        write(f"{release}/{program}.build/sources", f"/source/Sources/{program}/main.swift\n")
        package = program.removesuffix("d")
        write(f"debian/{package}/usr/sbin/{program}", "")
        (tmp_path / f"debian/{package}/usr/sbin/link").symlink_to(program)
        write(f"debian/{package}.substvars", "shlibs:Depends=libc6 (>= 2.35), libstdc++6 (>= 12)\n")
    write(f"{release}/NIOCore.build/sources", "/source/.build-static/checkouts/swift-nio/Sources/NIOCore/a b.swift\n")
    write(f"{release}/CNIOLLHTTP.build/a.d", "dependencies: /source/.build-static/checkouts/swift-nio/Sources/CNIOLLHTTP/a.c\n")
    write("debian/changelog", "lamplighter (0.2.0) unstable; urgency=medium\n")

    def create(*words):
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1795000000", "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
        return subprocess.run([tmp_path / "Scripts/generate-bill", *(words or ["debian"])], cwd=tmp_path, env=environment,
                              capture_output=True, text=True)

    return tmp_path, create


def test_bill_lists_the_contents_of_the_package(bill):
    folder, create = bill
    assert create().stderr == ""
    place = folder / "debian/lamplighter/usr/share/doc/lamplighter"
    text = (place / "lamplighter.spdx.json").read_text()
    document = json.loads(text)
    assert (document["spdxVersion"], document["dataLicense"], document["SPDXID"]) == ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT")
    assert document["creationInfo"]["created"] == "2026-11-18T11:06:40Z" and document["creationInfo"]["creators"]
    assert document["documentNamespace"].startswith("urn:uuid:") and document["name"] == "lamplighter-0.2.0"
    assert {package["name"]: (package.get("versionInfo"), package.get("licenseDeclared")) for package in document["packages"]} == {
        "lamplighter": ("0.2.0", "Apache-2.0"), "swift-nio": ("2.1.0", "Apache-2.0 WITH Swift-exception"), "llhttp": ("9.3.0", "MIT"),
        "swift": ("6.3.1", "Apache-2.0 WITH Swift-exception"), "icu": ("76", "Unicode-3.0 AND ICU"), "libc6": (None, None),
        "libstdc++6": (None, None)}
    names = {package["SPDXID"]: package["name"] for package in document["packages"]}
    assert len(names) == 7 and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identifier) for identifier in names)
    assert [(names.get(relation["spdxElementId"]), relation["relationshipType"], names[relation["relatedSpdxElement"]])
            for relation in document["relationships"]] == [
        (None, "DESCRIBES", "lamplighter"), ("lamplighter", "STATIC_LINK", "swift-nio"), ("swift-nio", "CONTAINS", "llhttp"),
        ("lamplighter", "STATIC_LINK", "swift"), ("swift", "CONTAINS", "icu"), ("lamplighter", "DYNAMIC_LINK", "libc6"),
        ("lamplighter", "DYNAMIC_LINK", "libstdc++6")]
    nio = next(package for package in document["packages"] if package["name"] == "swift-nio")
    assert nio["downloadLocation"] == f"git+https://github.com/apple/swift-nio@{'0a' * 20}"
    assert nio["externalRefs"][0]["referenceLocator"] == "pkg:swift/github.com/apple/swift-nio@2.1.0"
    assert (place / "NOTICE.swift-nio").read_text() == "A notice"
    create()
    assert (place / "lamplighter.spdx.json").read_text() == text


@pytest.mark.parametrize("file, old, new, error", [
    ("Scripts/debian/copyright", "swift-tools", "another", "must name swift-tools"),
    ("Scripts/debian/copyright", "Files: swift swift-nio", "Comment: swift-nio\n\nFiles: swift", "a paragraph with Files: swift-nio"),
    (".build-static/checkouts/swift-nio/LICENSE.txt", LICENSE, "GNU General Public License", "swift-nio has another license"),
], ids=["a package without a license", "a package without a paragraph", "a changed license"])
def test_packages_need_complete_licenses(bill, file, old, new, error):
    folder, create = bill
    path = folder / file
    path.write_text(path.read_text().replace(old, new))
    result = create()
    assert result.returncode != 0 and error in result.stderr
    assert ("must name" in error) == (create("--check").returncode != 0)
