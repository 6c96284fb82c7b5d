"""The table of what runs where, and sentences of the docs that say so."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import get_args

import pytest

from parshall import estimators
from parshall.own.kinds import KINDS
from parshall.scenario import parts
from parshall.scenario.parts.queue_share import AnyMethod
from parshall_dev.where import rust
from parshall_dev.where.page import PAGE, page
from parshall_dev.where.places import PLACES, lent, lent_by_header, there
from parshall_dev.where.promises import Reading, faults, readings
from parshall_dev.where.rows import Row, left_out, rows
from parshall_dev.where.sentences import Sentence, places_of, promising, texts

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROWS = {row.name: row for row in rows()}


def test_the_page_is_what_the_sources_have(repository: Path) -> None:
    """``python -m parshall_dev.where.page`` writes it anew."""
    assert (repository / PAGE).read_text(encoding="utf-8") == page()


def test_each_estimator_has_a_row() -> None:
    assert left_out() == set()
    assert len(rust.streaming_types()) > 50
    assert len(ROWS) == len(rows())


def test_each_estimator_of_python_is_in_the_table() -> None:
    cells = {row.python.partition("(")[0] for row in rows()}
    kinds = {
        name
        for name in estimators.__all__
        if isinstance(value := getattr(estimators, name), type)
        and issubclass(value, estimators.Estimator)
        and not name.endswith("Estimator")
    }
    assert len(kinds) > 15
    assert kinds - cells == set()


@pytest.mark.parametrize("row", [row for row in rows() if row.python], ids=lambda row: row.name)
def test_what_python_has_is_there(row: Row) -> None:
    import parshall

    value = parshall if "." in row.python.partition("(")[0] else estimators
    for name in row.python.partition("(")[0].split("."):
        value = getattr(value, name)
    assert callable(value)
    assert there(row, "Python")


@pytest.mark.parametrize(
    ("group", "union"),
    [
        ("Retransmission timeouts", parts.RtoConfig),
        ("Forecasters", parts.ForecasterConfig),
        ("Traffic that does not respond", AnyMethod),
        ("Meters and markers", parts.AnyMeter),
        ("Congestion controls", parts.AnyControl),
    ],
)
def test_what_a_scenario_has_is_what_it_takes(group: str, union: object) -> None:
    taken = {part.model_fields["kind"].default for part in get_args(union)} - {"user"}
    kinds = "\n".join(row.kind for row in rows() if row.group == group)
    assert len(taken) > 3
    assert set(re.findall(r'kind = "([\w-]+)"', kinds)) == taken


def test_headers_promise_what_the_engine_lends(repository: Path) -> None:
    for kind in KINDS.values():
        header = repository / f"python/parshall/own/include/parshall_{kind.name}.h"
        assert lent_by_header(header) == set(lent().values()) == {"ewma", "median", "mad"}


@pytest.mark.parametrize(
    ("place", "has", "lacks"),
    [
        (
            "simulator",
            {"Midpath", "Treatment", "Srtcm", "PacketPair"},
            {"Alarm", "UdpCounter", "QuicPto", "Fitter"},
        ),
        ("Python", {"Mixture", "HurstEstimator", "Alarm"}, {"Srtcm", "Midpath", "QuicPto", "Copa"}),
        ("C", {"EwmaFilter", "SlidingMad", "Estmred"}, {"Ewma", "Responsiveness", "LinuxRto"}),
        (
            "capture",
            {"JacobsonTicksRto", "Responsiveness", "PacketPair", "PredictionInterval"},
            {"Lms", "Treatment", "NonresponsiveKalman"},
        ),
        ("browser", {"QuantileRto", "Srtcm", "Copa"}, {"EwmaFilter", "UdpCounter"}),
        ("quinn", {"Copa", "Holt", "ThroughputSampler"}, {"LinuxRto", "QuicPto", "Responsiveness"}),
        (
            "Linux kernel",
            {"Estmred", "NonresponsiveFixedPoint"},
            {"Responsiveness", "NonresponsiveKaczmarz", "Cubic"},
        ),
    ],
)
def test_places_have_some_and_lack_others(place: str, has: set[str], lacks: set[str]) -> None:
    found = {name for name in has | lacks if there(ROWS[name], place)}
    assert found == has


def test_sentences_of_the_docs_say_what_the_table_has() -> None:
    """A new sentence of that kind needs a reading in ``readings.toml``."""
    assert faults(promising(), readings()) == []


BROKEN = [
    (
        "Estimators run unchanged in the simulator, in Python, on captures and in the Linux kernel.",
        {"what": ("estimators",), "where": ("simulator", "Python", "capture", "Linux kernel")},
        "not in Linux kernel",
    ),
    (
        "All of them run sample by sample or on an array, in the simulator, from Python, Rust and C.",
        {"what": ("QuantileRto", "PacketPair"), "where": ("simulator", "Python", "Rust", "C")},
        "not in C: QuantileRto, PacketPair",
    ),
    (
        "Linux runs both in a router.",
        {"what": ("Responsiveness", "NonresponsiveFixedPoint"), "where": ("Linux kernel",)},
        "not in Linux kernel: Responsiveness",
    ),
    (
        "Most meters run from Python.",
        {"what": ("Meters and markers",), "where": ("Python",), "extent": "most"},
        "not in Python",
    ),
    (
        "The estimator of a capture does not run in a router.",
        {"what": ("Estmred",), "some": ("capture",), "nowhere": ("Linux kernel",)},
        "Estmred is in Linux kernel",
    ),
    ("Forecasters run in quinn and in C.", {"what": ("Forecasters",), "where": ("quinn",)}, "names C"),
    ("No such filter of mine runs in quinn.", {"what": ("Nothing",), "where": ("quinn",)}, "about no row"),
]


@pytest.mark.parametrize(("words", "reading", "fault"), BROKEN)
def test_a_promise_that_does_not_hold_is_told(
    words: str, reading: dict[str, tuple[str, ...]], fault: str
) -> None:
    told = faults([Sentence("docs/a.md", words)], [Reading("docs/a.md", words, **reading)])
    assert any(fault in line for line in told)
    assert all(line.startswith("docs/a.md: ") for line in told)


def test_each_sentence_has_one_reading_and_each_reading_a_sentence() -> None:
    sentence = Sentence("docs/a.md", "Every estimator runs in Rust.")
    reading = Reading("docs/a.md", "Every estimator", what=("estimators",), where=("Rust",))
    assert faults([sentence], [reading]) == []
    assert "0 readings" in faults([sentence], [])[0]
    assert "2 readings" in faults([sentence], [reading, reading])[0]
    assert faults([], [reading]) == ["docs/a.md: no sentence with the words 'Every estimator'"]


@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("from Python, Rust and C", {"Python", "Rust", "C"}),
        ("at a rate of C = 3 Mbit/s", set()),
        ("in the browser, as WebAssembly", {"browser"}),
        ("on a router or in QUIC", {"Linux kernel", "quinn"}),
    ],
)
def test_places_are_found_in_sentences(words: str, places: set[str]) -> None:
    assert places_of(words) == places
    assert places <= set(PLACES)


def test_nothing_is_to_be_had_from_an_index_that_lacks_it(repository: Path) -> None:
    """An extra is for what others publish, and a crate has its page here: nothing of ours is published."""
    extras = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    own = {name for name, needs in extras.items() if any(need.startswith("parshall") for need in needs)}
    assert own == {"studies"}
    for file, text in [
        *texts(),
        ("studies/README.md", (repository / "studies/README.md").read_text(encoding="utf-8")),
    ]:
        for name, extra in re.findall(r"pip install ['\"]?(parshall[\w-]*)(?:\[(\w+)\])?", text):
            assert name == "parshall", file
            assert extra in set(extras) - own, file
        assert "crates.io/crates/parshall" not in text, file
