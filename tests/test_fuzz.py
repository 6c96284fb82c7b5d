"""Scenario files that somebody has spoiled are read or refused in a line; what is read runs or ends so.

``PARSHALL_FUZZ_S`` is how many seconds to try; the compiled engine has targets of its own in crates/fuzz.
"""

from __future__ import annotations

import os
import random
import re
import time
from pathlib import Path

import pytest

import parshall
from parshall.errors import ParshallError

ROOT = Path(__file__).parent.parent
TEXTS = [
    file.read_text(encoding="utf-8")
    for file in sorted(
        [*ROOT.glob("examples/*.toml"), *ROOT.glob("python/parshall/cli/commands/templates/*.toml")]
    )
]
ODD = (
    *("0", "-1", "1e308", "1e-12", "18446744073709551615", '""', '"*"', '"a->b"', "[]", "{}", "true", "nan"),
    *('"1 ps"', '"0 s"', '"1 Tbit/s"', '"0.1 bit/s"', '"5 MB"', '"bulk"', '"udp"', '"tcp"', '"red"', "inf"),
    *("1979-05-27", '["*", "*"]', "[[0, 1]]", '{ kind = "bulk" }', '"../../etc/passwd"', '"\\u0000"'),
    '"' + "x" * 300 + '"',
)
SECONDS = float(os.environ.get("PARSHALL_FUZZ_S", "3"))


def spoiled(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 3)):
        lines = text.split("\n")
        place = chance.randrange(len(lines))
        kind = chance.randrange(6)
        if kind < 3:
            values = list(re.finditer(r'=\s*("[^"]*"|[\d.]+|\[[^\]]*\]|\w+)', text))
            if values:
                match = chance.choice(values)
                text = text[: match.start(1)] + chance.choice(ODD) + text[match.end(1) :]
        elif kind == 3:
            text = "\n".join([*lines[:place], *lines[place + 1 :]])
        elif kind == 4:
            text = "\n".join([*lines[: place + 1], lines[place], *lines[place + 1 :]])
        elif text:
            index = chance.randrange(len(text))
            text = text[:index] + chr(chance.choice((0, 34, 61, 91, 123, 233, 0x1F600))) + text[index + 1 :]
    return text


@pytest.mark.timeout(SECONDS + 60)
def test_spoiled_files_are_read_or_refused_in_a_line() -> None:
    chance, tried, read, ran = random.Random(1), 0, 0, 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        tried += 1
        text = spoiled(chance.choice(TEXTS), chance)
        said = "-"
        try:
            scenario = parshall.loads(text, folder=ROOT / "examples")
            read += 1
            if scenario.expected.memory_bytes < 2e8:
                parshall.run(scenario, max_events=20_000)
                ran += 1
        except ParshallError as error:
            said = str(error)
        assert re.fullmatch(r"[^\n]+", said), text
    print(f"{tried} files, {read} of them scenarios, {ran} ran to their end")
    assert tried > 30
    assert 0.05 < read / tried < 0.95
