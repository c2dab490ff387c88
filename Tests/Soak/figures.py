"""The resources of a process, from the kernel."""

import collections
import os
import pathlib


def sample(process):
    """Return memory in KiB, the numbers of file descriptors and threads, and processor time in seconds."""
    memory = {}
    for line in pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in ("Rss", "Private_Dirty"):
            memory[name] = int(rest.split()[0])
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return {
        "resident": memory["Rss"], "dirty": memory["Private_Dirty"],
        "descriptors": len(os.listdir(f"/proc/{process}/fd")), "threads": int(fields[17]),
        "processor": (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
    }


def held(process):
    """Return the same figures, with the targets of descriptors and the names of threads, to identify leaks."""
    kinds = collections.Counter()
    for path in pathlib.Path(f"/proc/{process}/fd").iterdir():
        try:
            target = os.readlink(path)
        except FileNotFoundError:
            continue
        kinds[target if target.startswith(("/", "anon_inode")) else target.split(":")[0]] += 1
    names = collections.Counter(
        path.read_text().strip() for path in pathlib.Path(f"/proc/{process}/task").glob("*/comm"))
    return {**sample(process), "descriptor_kinds": dict(kinds), "thread_names": dict(names)}
