"""Finds the sources of packages whose tests are used as peers, because wheels don't contain tests."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / ".venv/sources"


def unpacked(package):
    """Return the folder of a package's source, which `make test` fetches (Tests/Interop/sources.txt)."""
    found = sorted(FOLDER.glob(f"{package}-*/"))
    assert len(found) == 1, f"the source of {package} is not in {FOLDER}: run make test, which fetches it"
    return found[0]
