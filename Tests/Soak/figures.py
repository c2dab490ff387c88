"""What a process holds, sampled; and the verdict on it."""

import os
import statistics


def sample(process):
    """Memory in KiB, file descriptors, threads, and processor time in seconds, of a process."""
    memory = {}
    with open(f"/proc/{process}/smaps_rollup") as file:
        for line in file:
            name, _, rest = line.partition(":")
            if name in ("Rss", "Private_Dirty", "Anonymous"):
                memory[name] = int(rest.split()[0])
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return {
        "resident": memory["Rss"], "dirty": memory["Private_Dirty"], "anonymous": memory["Anonymous"],
        "descriptors": len(os.listdir(f"/proc/{process}/fd")), "threads": int(fields[17]),
        "processor": (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
    }


def descriptors(process):
    """What the descriptors of a process lead to, counted by kind."""
    kinds = {}
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            target = os.readlink(f"/proc/{process}/fd/{name}")
        except OSError:
            continue
        kind = target if target.startswith(("/", "anon_inode")) else target.split(":")[0]
        kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def window(samples, begin, end, figure):
    """The median of a figure between two times."""
    values = [values[figure] for at, values in samples if begin <= at < end]
    return statistics.median(values) if values else None


def growth(samples, warm, over, figure, length):
    """A figure at the end against the same behind the warm-up: both medians, and the change in percent."""
    length = min(length, (over - warm) / 2)
    before = window(samples, warm, warm + length, figure)
    after = window(samples, over - length, over, figure)
    if not before or after is None:
        return None
    return {"before": before, "after": after, "percent": round((after / before - 1) * 100, 2)}
