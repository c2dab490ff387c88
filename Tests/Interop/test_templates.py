"""The examples that the Swift tests hold Sources/Jinja to are what Jinja2 makes of them."""
import json
from pathlib import Path

import pytest

from templates import with_results

FIXTURES = Path(__file__).resolve().parent.parent / "Fixtures"


@pytest.mark.parametrize("path", [FIXTURES / "templates.json", FIXTURES / "templates-announced.json"], ids=lambda path: path.name)
def test_jinja2_renders_the_examples_so(path):
    entries = json.loads(path.read_text(encoding="utf-8"))
    wrong = []
    for entry, judged in zip(entries, with_results(json.loads(json.dumps(entries)))):
        if entry["results"] != judged["results"]:
            wrong.append((entry["template"], entry["results"], judged["results"]))
    assert wrong == []
