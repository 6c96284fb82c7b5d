"""``python -m parshall_dev.bench.readme`` writes the README's table of neighbours.

Every figure is read from a page that a command has made: docs/performance.md (``make bench``), those below
docs/validation of ns-2's means (``parshall validate statistics``), of ns-3's controls and queues
(``parshall_dev.bench``) and of Linux (``parshall validate linux``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from parshall_dev.checkout import ROOT

__all__ = ["BEGIN", "END", "table"]

BEGIN = "<!-- this table is made by dev/parshall_dev/bench/readme.py -->\n"
END = "<!-- end of the table -->\n"

_SPEED = {
    "P2": "100 TCP flows over 1 Gbit/s",
    "P3": "1,000 TCP flows over 1 Gbit/s",
    "P6": "10 bottlenecks, 130 flows",
}
_MEMORY = "P2"
_UNMEASURED = "not measured"


def table() -> str:
    """The table in Markdown."""
    speed = _rows("docs/performance.md")
    lines = [
        "| | Parshall | ns-2.35 | ns-3.37 | htsim | made by |",
        "|---|---|---|---|---|---|",
        *(_line(text, *_seconds(speed, case)) for case, text in _SPEED.items()),
        _line("memory of the first", *_memory(speed)),
        _line("packet for packet", "", _traces(), "", "`parshall validate traces`"),
        _line("random scenarios", "", _means(), "", "`parshall validate statistics`"),
        _line("BBR and DCTCP", "", "", _controls(), "`parshall_dev.bench.controls_ns3.run`"),
        _line("CoDel and FQ-CoDel", "", "", _queues(), "`parshall_dev.bench.queues.run`"),
        _line("real Linux, in 405 emulated cells", _linux(), "", "", "`parshall validate linux`"),
        _line("1,000 short runs on two cores", _sweep(), "", "", "`make bench`"),
        _line("a control of your own, a callback", _callbacks(), "", "", "`make bench`"),
    ]
    return "\n".join(lines) + "\n"


def _line(what: str, ours: str, ns2: str, ns3: str, command: str, htsim: str = _UNMEASURED) -> str:
    return f"| {what} | {ours} | {ns2} | {ns3} | {htsim} | {command} |"


def _text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def _rows(page: str) -> list[list[str]]:
    return _cells(_text(page))


def _cells(text: str) -> list[list[str]]:
    """Rows of the tables in a text."""
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines() if line[:1] == "|"]


def _contest(rows: Iterable[list[str]], case: str, rival: str) -> list[str] | None:
    """The line of a case beside a rival: case, beside, simulated, ours, theirs, ratio, with start, memory."""
    return next((row for row in rows if row[:2] == [case, rival]), None)


def _seconds(rows: list[list[str]], case: str) -> tuple[str, ...]:
    ours = next(row[2] for row in rows if row[0] == case)
    return _speeds(rows, case, f"**{ours} s**", lambda found: f"{float(found[5][:-1]):,g} times as long")


def _memory(rows: list[list[str]]) -> tuple[str, ...]:
    ours = next(row[7] for row in rows if row[0] == _MEMORY)
    return _speeds(rows, _MEMORY, f"**{ours}** beside Python", lambda found: f"{found[7]}, whole process")


def _speeds(
    rows: list[list[str]], case: str, ours: str, cell: Callable[[list[str]], str]
) -> tuple[str, str, str, str, str]:
    """Arguments of a line that ``make bench`` has measured."""
    ns2, ns3, htsim = (
        _UNMEASURED if (found := _contest(rows, case, rival)) is None else cell(found)
        for rival in ("ns-2", "ns-3", "htsim")
    )
    return ours, ns2, ns3, "`make bench`", htsim


def _traces() -> str:
    """Number of traces of ns-2 in the repository; ``tests/test_validate.py`` holds the engine to each."""
    scenarios = json.loads(_text("tests/data/ns2/scenarios.json"))
    count = len(scenarios if isinstance(scenarios, list) else scenarios["scenarios"])
    return f"all {count} traces in `tests/data/ns2`, within 1 ns"


def _means() -> str:
    found = re.findall(
        r"^- study \w+: (\d+) means .*?, (\d+) differ", _text("docs/validation.md"), re.MULTILINE
    )
    compared, differ = (sum(int(pair[index]) for pair in found) for index in (0, 1))
    return f"{differ:,} of {compared:,} means differ beyond chance"


def _controls() -> str:
    """Settings in which goodput is within 5 % of ns-3.37's; the page marks the others with °."""
    section = _text("docs/validation/controls.md").split("## Beside ns-3.37")[1].split("\n## ")[0]
    goodputs = [row[2] for row in _cells(section) if "±" in row[2]]
    near = sum("°" not in cell for cell in goodputs)
    return f"goodput within 5 % in {near} of {len(goodputs)} settings; [the rest](docs/validation.md)"


def _queues() -> str:
    """Agreement of single packets where our queues use ns-3's arithmetic: the last column of the page."""
    shares = [
        float(row[-1]) for row in _rows("docs/validation/queues.md") if re.fullmatch(r"\d+\.\d\d", row[-1])
    ]
    return f"{min(shares):g} % of packets alike with ns-3's arithmetic"


def _linux() -> str:
    found = re.search(
        r"Of (\d+) comparisons (\d+) agree \((\d+ %)\)", _text("docs/validation/linux-machines.md")
    )
    assert found is not None
    return f"{int(found[2]):,} of {int(found[1]):,} comparisons agree ({found[3]})"


def _sweep() -> str:
    found = re.search(r"P7: 1,000 runs take .* and ([\d.]+ s) on two", _text("docs/performance.md"))
    assert found is not None
    return found[1]


def _callbacks() -> str:
    found = re.search(r"P8: .*python (\d+ ns).*numba (\d+ ns).*; c (\d+ ns)", _text("docs/performance.md"))
    assert found is not None
    return f"Python {found[1]}, Numba {found[2]}, C {found[3]}"


@click.command()
@click.option("--page", default=str(ROOT / "README.md"), metavar="FILE", help="The README.")
def write(page: str) -> None:
    """Write the table of neighbours into the README."""
    path = Path(page)
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise click.ClickException(f"{page}: expected the lines {BEGIN.strip()!r} and {END.strip()!r}")
    path.write_text(before + begin + table() + end + after, encoding="utf-8")


if __name__ == "__main__":
    write()
