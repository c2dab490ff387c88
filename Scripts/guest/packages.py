"""Variants of the built packages with other versions."""

import re
import subprocess
import tempfile
from pathlib import Path


def version(package):
    return subprocess.run(["dpkg-deb", "--field", package, "Version"], check=True, capture_output=True, text=True).stdout.strip()


def repacked(package, new, folder):
    """Returns a copy of a package with a different version. The programs in it are the same."""
    package, folder = Path(package).resolve(), Path(folder)
    name, _, rest = package.name.partition("_")
    target = folder / f"{name}_{new}_{rest.rpartition('_')[2]}"
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        place = Path(temporary)
        subprocess.run(["dpkg-deb", "--control", package, place / "control"], check=True)
        control = place / "control/control"
        control.write_text(re.sub(r"^Version: .*$", f"Version: {new}", control.read_text(), flags=re.M))
        subprocess.run(["ar", "x", package], cwd=place, check=True)
        subprocess.run(["tar", "--owner=0", "--group=0", "--numeric-owner", "-C", "control", "-cJf", "control.tar.xz", "."],
                       cwd=place, check=True)
        (data,) = place.glob("data.tar*")
        target.unlink(missing_ok=True)
        subprocess.run(["ar", "rc", target.resolve(), "debian-binary", "control.tar.xz", data.name], cwd=place, check=True)
    return target


def first_version(package, folder):
    """Returns a copy of a package with version 0.1.0, in which the configuration was a conffile."""
    package, folder = Path(package).resolve(), Path(folder)
    name = package.name.partition("_")[0]
    target = folder / f"{name}_0.1.0_{package.name.rpartition('_')[2]}"
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        place = Path(temporary) / "package"
        subprocess.run(["dpkg-deb", "--raw-extract", package, place], check=True)
        control = place / "DEBIAN/control"
        control.write_text(re.sub(r"^Version: .*$", "Version: 0.1.0", control.read_text(), flags=re.M))
        default = place / f"usr/share/{name}/{name}.yaml"
        if default.exists():
            default.rename(place / f"etc/{name}/{name}.yaml")
            (place / "DEBIAN/conffiles").write_text(f"/etc/{name}/{name}.yaml\n")
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", place, target], check=True, capture_output=True)
    return target


def later(version):
    """Returns the version of a commit that is one second newer or, for a release, of the next release."""
    if between := re.fullmatch(r"(.+~git)(\d+)\.[0-9a-f]+", version):
        return f"{between[1]}{int(between[2]) + 1}.0000000"
    start, last = version.rsplit(".", 1)
    return f"{start}.{int(last) + 1}"
