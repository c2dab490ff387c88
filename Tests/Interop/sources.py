"""Sources of packages whose tests are peers here: wheels do not hold tests."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / ".venv/sources"


def unpacked(package):
    """The folder of a package's source, which `make test` fetches (Tests/Interop/sources.txt)."""
    found = sorted(FOLDER.glob(f"{package}-*/"))
    assert len(found) == 1, f"the source of {package} is not in {FOLDER}: make test fetches it"
    return found[0]
