"""Renders templates with Jinja2 and the filters that Home Assistant adds, to verify Sources/Jinja.

    python Tests/Interop/templates.py FILE     puts the results into a file of templates (Tests/Fixtures/announced)
"""
import base64
import datetime
import json
import math
import re
import statistics
import sys

import jinja2
import jinja2.filters
from jinja2.sandbox import ImmutableSandboxedEnvironment

MISSING = object()


def fallback(value, default):
    if default is MISSING:
        raise ValueError(f"not a number: {value!r}")
    return default


def to_float(value, default=MISSING):
    try:
        return float(value)
    except (ValueError, TypeError):
        return fallback(value, default)


def to_int(value, default=MISSING, base=10):
    result = jinja2.filters.do_int(value, default=MISSING, base=base)
    return fallback(value, default) if result is MISSING else result


def rounded(value, precision=0, method="common", default=MISSING):
    try:
        scale = 10**precision
        if method == "ceil":
            result = math.ceil(float(value) * scale) / scale
        elif method == "floor":
            result = math.floor(float(value) * scale) / scale
        elif method == "half":
            return round(float(value) * 2) / 2
        else:
            result = round(float(value), precision)
        return int(result) if precision == 0 else result
    except (ValueError, TypeError):
        return fallback(value, default)


def multiply(value, amount, default=MISSING):
    try:
        return float(value) * amount
    except (ValueError, TypeError):
        return fallback(value, default)


def add(value, amount, default=MISSING):
    try:
        return float(value) + amount
    except (ValueError, TypeError):
        return fallback(value, default)


def is_defined(value):
    if isinstance(value, jinja2.Undefined):
        raise jinja2.UndefinedError()
    return value


def is_number(value):
    try:
        return math.isfinite(float(value))
    except (ValueError, TypeError):
        return False


def iif(value, if_true=True, if_false=False, if_none=MISSING):
    if value is None and if_none is not MISSING:
        return if_none
    return if_true if bool(value) else if_false


def to_json(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def to_bool(value, default=MISSING):
    words = {"1": True, "true": True, "yes": True, "on": True, "enable": True}
    words |= {"0": False, "false": False, "no": False, "off": False, "disable": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value != 0
    if isinstance(value, str) and value.lower() in words:
        return words[value.lower()]
    return fallback(value, default)


def spread(values):
    return values[0] if len(values) == 1 else values


def average(*values):
    return statistics.fmean(spread(values))


def median(*values):
    return statistics.median(spread(values))


def statistical_mode(*values):
    return statistics.mode(spread(values))


def flags(ignorecase):
    return re.IGNORECASE if ignorecase else 0


def regex_match(value, find="", ignorecase=False):
    return re.match(find, str(value), flags(ignorecase)) is not None


def regex_search(value, find="", ignorecase=False):
    return re.search(find, str(value), flags(ignorecase)) is not None


def regex_replace(value="", find="", replace="", ignorecase=False):
    return re.sub(find, replace, str(value), flags=flags(ignorecase))


def regex_findall(value, find="", ignorecase=False):
    return re.findall(find, str(value), flags(ignorecase))


def regex_findall_index(value, find="", index=0, ignorecase=False):
    return regex_findall(value, find, ignorecase)[index]


def clamp(value, min_value, max_value):
    return max(float(min_value), min(float(max_value), float(value)))


def wrap(value, min_value, max_value):
    value, low, high = float(value), float(min_value), float(max_value)
    return low if low == high else low + (value - low) % (high - low)


def remap(value, in_min, in_max, out_min, out_max, *, steps=0, edges="none"):
    share = (float(value) - float(in_min)) / (float(in_max) - float(in_min))
    if edges == "clamp":
        share = max(0, min(1, share))
    elif edges == "wrap":
        share %= 1
    elif edges == "mirror":
        share %= 2
        share = 2 - share if share > 1 else share
    if steps:
        share = round(share * steps) / steps
    return float(out_min) + share * (float(out_max) - float(out_min))


def as_datetime(value, default=MISSING):
    if isinstance(value, datetime.datetime):
        return value
    try:
        return datetime.datetime.fromtimestamp(float(value), datetime.timezone.utc)
    except (ValueError, TypeError):
        pass
    try:
        return datetime.datetime.fromisoformat(value)
    except (ValueError, TypeError):
        return fallback(value, default)


def as_timestamp(value, default=MISSING):
    result = as_datetime(value, default)
    return result.timestamp() if isinstance(result, datetime.datetime) else result


def strptime(value, fmt, default=MISSING):
    try:
        return datetime.datetime.strptime(value, fmt)
    except (ValueError, TypeError):
        return fallback(value, default)


def timestamp_custom(value, date_format="%Y-%m-%d %H:%M:%S", local=True, default=MISSING):
    try:
        date = datetime.datetime.fromtimestamp(value, datetime.timezone.utc)
        return (date.astimezone() if local else date).strftime(date_format)
    except (ValueError, TypeError):
        return fallback(value, default)


def timestamp_utc(value, default=MISSING):
    try:
        return datetime.datetime.fromtimestamp(value, datetime.timezone.utc).isoformat()
    except (ValueError, TypeError):
        return fallback(value, default)


def slugify(value, separator="_"):
    """Home Assistant's slugify, for ASCII text."""
    return re.sub(r"[^a-z0-9]+", separator, str(value).lower().replace("'", "")).strip(separator)


SHARED = {
    "clamp": clamp, "wrap": wrap, "remap": remap, "median": median, "statistical_mode": statistical_mode,
    "as_datetime": as_datetime, "as_timestamp": as_timestamp, "strptime": strptime, "slugify": slugify,
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
}


def environment():
    result = ImmutableSandboxedEnvironment()
    result.filters |= {
        "float": to_float, "int": to_int, "round": rounded, "multiply": multiply, "add": add,
        "is_defined": is_defined, "is_number": is_number, "iif": iif, "to_json": to_json, "from_json": json.loads,
        "average": average, "sqrt": math.sqrt, "log": lambda value, base=math.e: math.log(value, base),
        "regex_match": regex_match, "regex_search": regex_search, "regex_replace": regex_replace,
        "regex_findall": regex_findall, "regex_findall_index": regex_findall_index, "bool": to_bool, "ord": ord,
        "base64_encode": lambda value: base64.b64encode(value.encode()).decode(),
        "base64_decode": lambda value, encoding="utf-8": base64.b64decode(value).decode(encoding),
        "contains": lambda sequence, value: value in sequence,
        "timestamp_custom": timestamp_custom, "timestamp_utc": timestamp_utc,
        "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b, "bitwise_xor": lambda a, b: a ^ b,
    }
    result.filters |= SHARED
    result.globals |= SHARED
    result.tests |= {"match": regex_match, "search": regex_search, "is_number": is_number, "contains": lambda sequence, value: value in sequence,
                     "list": lambda value: isinstance(value, list)}
    result.globals |= {"float": to_float, "int": to_int, "is_number": is_number, "iif": iif, "bool": to_bool,
                       "sqrt": math.sqrt, "log": lambda value, base=math.e: math.log(value, base), "average": average,
                       "max": lambda *v: max(*v), "min": lambda *v: min(*v), "pi": math.pi, "e": math.e, "tau": math.tau}
    return result


def render(template, variables):
    """Return the text, or None if the template fails with these variables."""
    variables = dict(variables)
    if isinstance(variables.get("value"), str):
        try:
            variables.setdefault("value_json", json.loads(variables["value"]))
        except ValueError:
            pass
    try:
        return environment().from_string(template).render(variables).strip()
    except Exception:
        return None


def with_results(entries):
    for entry in entries:
        entry["results"] = [render(entry["template"], variables) for variables in entry["variables"]]
    return entries


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = json.load(file)
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(with_results(found), file, indent=1, ensure_ascii=False)
        file.write("\n")
