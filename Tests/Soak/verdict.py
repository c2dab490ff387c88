"""The verdict of a soak: errors and log lines with the simultaneous provocations, the daemons' resources, and the promises."""

import datetime
import json
import statistics

#: The limit for the growth of resident memory in percent, and the length of the two compared windows in seconds.
GROWTH, WINDOW = 2, 600
#: The limit for the growth of a daemon's own memory since the start, in KiB.
RISE = 5 * 1024
#: The daemons whose memory is checked; the annexe isn't, because it restarts in each round.
LASTING = ("bridge", "home")


def growth(samples, begin, end, figure):
    """Return the medians of a figure in the windows after the warm-up and at the end, and the change in percent."""
    length = min(WINDOW, (end - begin) / 2)
    before = [values[figure] for at, values in samples if begin <= at < begin + length]
    after = [values[figure] for at, values in samples if end - length <= at < end]
    if not before or not after:
        return None
    before, after = statistics.median(before), statistics.median(after)
    return {"before": before, "after": after, "percent": round((after / before - 1) * 100, 2)}


def left_over(before, after, samples, warm):
    """Return the resources that are held after the load but weren't held before.

    Pools start threads under load and end them late, so an idle daemon may have as many threads as in the first round, which
    had every provocation once.
    """
    left = {}
    for name, held in after.items():
        # The hub keeps its session with the annexe.
        descriptors = before[name]["descriptors"] + (1 if name != "bridge" else 0)
        threads = max([before[name]["threads"]] + [values["threads"] for at, values in samples[name] if at < warm])
        for figure, allowed in (("descriptors", descriptors), ("threads", threads)):
            if held[figure] > allowed:
                left[f"{name}: {figure}"] = [allowed, held[figure]]
    return left


def log_lines(daemons, otherwise):
    """Yield log lines of level warning or worse, and lines without a level: (daemon, time, line)."""
    for name, daemon in daemons.items():
        for line in daemon.log.splitlines():
            words = line.split(" ", 3)
            try:
                # The log truncates times to milliseconds, so the line may be up to a millisecond later.
                at = datetime.datetime.fromisoformat(words[0].replace("Z", "+00:00")).timestamp() + 0.001
            except ValueError:
                yield name, otherwise, line
                continue
            if words[1] in ("warning", "error", "critical"):
                yield name, at, line


def judge(soak):
    world, provocations = soak.world, soak.provocations
    provoked, errors, lines = {"errors": {}, "log": {}}, [], []
    for error in world.errors:
        if name := provocations.explains(error):
            provoked["errors"].setdefault(name, []).append(error)
        else:
            errors.append({**error, "meanwhile": provocations.around(error["began"], error["at"])})
    for daemon, at, line in log_lines(soak.daemons, soak.began):
        if name := provocations.explains_line(line, at):
            provoked["log"].setdefault(name, []).append(f"{daemon}: {line}")
        else:
            lines.append({"daemon": daemon, "line": line, "meanwhile": provocations.around(at, at)})
    warm = soak.began + soak.turn
    memory = {f"{name}: {figure}": growth(soak.samples[name], warm, soak.over, figure)
              for name in LASTING for figure in ("resident", "dirty")}
    cores = {name: round((soak.samples[name][-1][1]["processor"] - soak.samples[name][0][1]["processor"])
                         / (soak.over - soak.began), 3) for name in LASTING}
    counts = dict(soak.watch.counts)
    for worker in world.workers:
        for name, value in worker.counts.items():
            counts[name] = counts.get(name, 0) + value
    counts.pop("errors", None)
    metrics = soak.metrics[-1][1]
    left = left_over(soak.before, soak.after, soak.samples, warm)
    promises = {
        "no error that was not provoked": not errors and not lines,
        "no last value lost": not counts.get("lost_values"),
        f"resident memory has risen by less than {GROWTH} %": all(
            (risen := memory[f"{name}: resident"]) and risen["percent"] < GROWTH for name in LASTING),
        # Resident memory isn't compared, because released pages of code become resident again when they are used.
        f"memory of its own has risen by less than {RISE // 1024} MiB since the start": all(
            soak.after[name]["dirty"] - soak.before[name]["dirty"] < RISE for name in LASTING),
        "descriptors and threads are back": not left,
        "everything was stored": not metrics.get("lamplighter_database_writes_total{result=failed}"),
    }
    return {
        "promises": promises, "minutes": soak.minutes, "turn_seconds": soak.turn, "memory": memory, "cores": cores,
        "before": soak.before, "after": soak.after, "left_over": left, "errors": errors, "log": lines, "counts": counts,
        "provoked": provoked, "provocations": provocations.all, "metrics": soak.metrics, "samples": soak.samples,
    }


def show(result):
    rows = [(name, f"{now['before']:.0f} → {now['after']:.0f} KiB ({now['percent']:+} %)")
            for name, now in result["memory"].items() if now]
    for name, held in result["after"].items():
        before = result["before"][name]
        rows.append((f"{name}: at the start and at the end", "; ".join(
            f"{figure} {before[figure]} → {held[figure]}" for figure in ("resident", "descriptors", "threads"))))
    rows += [(f"{name}: processor", f"{share * 100:.1f} % of one") for name, share in result["cores"].items()]
    rows += result["counts"].items()
    rows.append(("provocations", len(result["provocations"])))
    for kind in ("errors", "log"):
        counts = {name: len(those) for name, those in result["provoked"][kind].items()}
        rows.append((f"{kind} that they explain", json.dumps(counts)))
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")
    for error in result["errors"][:40]:
        print(f"error: {error['worker']}: {error['error']} (about {error['about']}, meanwhile {error['meanwhile']})")
    for line in result["log"][:40]:
        print(f"log: {line['daemon']}: {line['line']} (meanwhile {line['meanwhile']})")
    for left, (allowed, held) in result["left_over"].items():
        print(f"left over: {left}: {held}, not {allowed}")
    for promise, kept in result["promises"].items():
        print(f"{'kept  ' if kept else 'BROKEN'}  {promise}")
