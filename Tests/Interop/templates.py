"""Templates as Jinja2 itself renders them, with the filters that Home Assistant adds: the judge of Sources/Jinja.

    python Tests/Interop/templates.py FILE     puts the results into a file of templates (Tests/Fixtures/announced)
"""
import json
import math
import statistics
import sys

import jinja2
import jinja2.filters
from jinja2.sandbox import ImmutableSandboxedEnvironment

MISSING = object()


def fallback(value, default):
    if default is MISSING:
        raise ValueError(f"no number: {value!r}")
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


def average(*values):
    return statistics.fmean(values[0] if len(values) == 1 else values)


def environment():
    result = ImmutableSandboxedEnvironment()
    result.filters |= {
        "float": to_float, "int": to_int, "round": rounded, "multiply": multiply, "add": add,
        "is_defined": is_defined, "is_number": is_number, "iif": iif, "to_json": to_json, "from_json": json.loads,
        "average": average, "sqrt": math.sqrt, "log": lambda value, base=math.e: math.log(value, base),
        "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b, "bitwise_xor": lambda a, b: a ^ b,
    }
    result.tests |= {"is_number": is_number, "contains": lambda sequence, value: value in sequence,
                     "list": lambda value: isinstance(value, list)}
    result.globals |= {"float": to_float, "int": to_int, "is_number": is_number, "iif": iif, "bool": to_bool,
                       "sqrt": math.sqrt, "log": lambda value, base=math.e: math.log(value, base), "average": average,
                       "max": lambda *v: max(*v), "min": lambda *v: min(*v), "pi": math.pi, "e": math.e, "tau": math.tau}
    return result


def render(template, variables):
    """The text, or None if the template fails with these variables."""
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
