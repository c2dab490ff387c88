"""The source that the packages, the image and the manual are built from."""
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def epoch():
    """Returns the time of the source's last change, which makes builds of the same source reproducible."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    git = subprocess.run(["git", "-c", f"safe.directory={ROOT}", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True)
    return int(git.stdout) if git.returncode == 0 else int((ROOT / "CHANGELOG.md").stat().st_mtime)
