"""Examples of names whose docstring has none: docs/reference/examples.txt, run as doctests.

A section begins with the names that it is for, in brackets. ``bell`` is a small dumbbell with one download,
``np`` is NumPy, and ``Path`` is that of ``pathlib``; each section runs in a folder of its own.
"""

from __future__ import annotations

import doctest
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from parshall_dev.checkout import ROOT

__all__ = ["FILE", "broken", "examples"]

FILE = ROOT / "docs" / "reference" / "examples.txt"


def examples() -> dict[str, str]:
    """Examples by the path of the name."""
    found: dict[str, str] = {}
    for names, text in _sections():
        found |= dict.fromkeys(names, text)
    return found


def broken() -> list[str]:
    """A text for each section whose output is not as it stands there."""
    faults: list[str] = []
    for names, text in _sections():
        test = doctest.DocTestParser().get_doctest(text, dict(_given()), names[0], str(FILE), 0)
        runner = doctest.DocTestRunner(verbose=False)
        with _elsewhere():
            runner.run(test, out=faults.append)
    return faults


def _sections() -> Iterator[tuple[list[str], str]]:
    for section in re.split(r"^\[(?=parshall\.)", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        names, _, text = section.partition("]\n")
        yield names.split(", "), text.strip() + "\n"


def _given() -> Mapping[str, Any]:
    import numpy as np

    import parshall

    bell = parshall.Dumbbell(
        duration="1 s",
        rate="5 Mbit/s",
        delay="5 ms",
        access_rate="1 Gbit/s",
        access_delay="1 ms",
        flows=[parshall.FlowGroup(transport=parshall.Tcp(), app=parshall.Bulk())],
    )
    return {"parshall": parshall, "np": np, "Path": Path, "bell": bell}


@contextmanager
def _elsewhere() -> Iterator[None]:
    """Runs what is inside in a folder of its own, with a cache of its own."""
    before, cache = Path.cwd(), os.environ.get("PARSHALL_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["PARSHALL_CACHE"] = "kept"
        try:
            yield
        finally:
            os.chdir(before)
            if cache is None:
                del os.environ["PARSHALL_CACHE"]
            else:
                os.environ["PARSHALL_CACHE"] = cache
