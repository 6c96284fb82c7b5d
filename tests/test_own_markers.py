"""Markers of one's own at edges do what those of the engine do, in every form, to the last bit."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.own_controls import assert_equal, build
from tests.test_own_parts import EXAMPLES, example

import parshall
from parshall import Marker, SharedMarker
from parshall.cli.main import main
from parshall.errors import InputError, RunError, ScenarioError
from parshall.own import GREEN, RED, MeteredPacket, header

FILE = EXAMPLES.parent / "assured_forwarding.toml"
ROWS = "links[3].conditioner.rules[{}].{}"


def colours(rule: int, green: str, red: str) -> dict[str, Any]:
    """Changes of a rule that treats two colours."""
    given = {"if_green": green, "if_yellow": None, "if_red": red}
    return {ROWS.format(rule, name): value for name, value in given.items()}


def edge(
    meter: Any, rule: int = 0, green: str = "AF11", red: str = "AF13", **changes: Any
) -> parshall.Scenario:
    """Assured forwarding of 8 s, one of whose rules has a meter of two colours."""
    whole = {"duration": "8 s", "warm_up": "1 s", ROWS.format(rule, "meter"): meter}
    scenario = parshall.load(FILE).with_({**whole, **colours(rule, green, red), **changes})
    assert isinstance(scenario, parshall.Scenario)
    return scenario


def bulk(meter: Any) -> parshall.Scenario:
    return edge(meter)


def short_flows(meter: Any) -> parshall.Scenario:
    sizes = parshall.TransferSequence(packets=30, think="50 ms")
    return edge(meter, 1, **{"flows[1].app": sizes, "record.transfers": "*"})


def drops_at_the_edge(meter: Any) -> parshall.Scenario:
    return edge(meter, 1, "AF11", "drop")


def marks_and_udp(meter: Any) -> parshall.Scenario:
    changes = {"flows[0].transport.ecn": True, "flows[2].app.interval": "1 ms"}
    return edge(meter, 2, "EF", "AF13", **changes)


NETWORKS = {each.__name__: each for each in (bulk, short_flows, drops_at_the_edge, marks_and_udp)}


def tables(scenario: parshall.Scenario, seed: int = 3) -> dict[str, dict[str, Any]]:
    recording = parshall.run(scenario.with_({"record.window": "*", "record.packets": "*"}), seed)
    return {name: dict(recording.columns(name)) for name in recording.tables}


ENGINES: dict[str, tuple[Any, dict[str, Any]]] = {
    "sliding_window": (parshall.Tsw2cmMeter(cir="500 kbit/s", window=0.5), {"cir": 500_000, "window": 0.5}),
    "token_bucket": (
        parshall.TokenBucketMeter(cir="700 kbit/s", cbs_bytes=6000),
        {"cir": 700_000, "cbs_bytes": 6000},
    ),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("markers") / "token_bucket.so"
    flags = ["-O2", "-fPIC", "-shared", "-ffp-contract=off", "-Wall", "-Werror", f"-I{header.INSTALLED}"]
    command = ["cc", *flags, str(EXAMPLES / "token_bucket.c"), "-lm", "-o", str(made)]
    subprocess.run(command, check=True)
    return made


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("name", ENGINES)
def test_every_form_is_the_engines_own_to_the_last_bit(name: str, network: str, library: Path) -> None:
    engines, parameters = ENGINES[name]
    theirs = tables(NETWORKS[network](engines))
    assert theirs["aggregates"]["packets_red"].sum() > 0
    module, cls = example(name), name.title().replace("_", "")
    forms = [getattr(module, cls)(**parameters), getattr(module, f"Compiled{cls}")(**parameters)]
    if name == "token_bucket":
        forms.append(SharedMarker(library, **parameters))
    for own in forms:
        ours = tables(NETWORKS[network](own))
        assert ours.keys() == theirs.keys()
        assert_equal(ours, theirs)


class Seen(Marker):
    """Asserts what is told of packets; all are green."""

    def colour(self, packet: MeteredPacket) -> int:
        assert packet.size >= packet.metered > 0
        assert not packet.ack
        return GREEN


def test_a_marker_sees_the_packets_of_its_rule_and_no_marker_is_green() -> None:
    assert_equal(tables(bulk(Seen())), tables(bulk(None)))


def test_a_later_start_shifts_all() -> None:
    own = example("sliding_window").SlidingWindow(cir=100e3)
    early = edge(own, 2, "EF", "drop", warm_up=0)
    late = early.with_({"flows[*].start": "2 s", "duration": "10 s"})
    found = [tables(each) for each in (early, late)]
    for column, values in found[0]["aggregates"].items():
        np.testing.assert_array_equal(found[1]["aggregates"][column], values, err_msg=column)


class Draws(Marker):
    """Half of the packets are red, and the first draw is that of the start."""

    first: float = field(init=False, default=2.0)

    def on_start(self) -> None:
        self.first = self.random()

    def colour(self, packet: MeteredPacket) -> int:
        return RED if self.random() + self.first < 1.0 else GREEN


@parshall.native
class CompiledDraws(Draws):
    pass


def test_random_numbers_are_those_of_the_run_in_every_form() -> None:
    seeds = range(1, 5)
    ours, compiled = (
        parshall.run_many(bulk(own), seeds, tables=["aggregates"], cache=None).to_pandas("aggregates")
        for own in (Draws(), CompiledDraws())
    )
    assert ours.equals(compiled)
    red = ours[ours.rule == 0].packets_red
    assert red.nunique() == len(seeds)
    assert list(red) == [tables(bulk(Draws()), seed)["aggregates"]["packets_red"][0] for seed in seeds]


def test_rules_and_ports_have_markers_of_their_own() -> None:
    class Counts(Marker):
        seen: int = field(init=False, default=0)

        def colour(self, packet: MeteredPacket) -> int:
            self.seen += 1
            return RED if self.seen == 1 else GREEN

    twice = bulk(Counts()).with_(
        {ROWS.format(1, "meter"): Counts(), "warm_up": 0, **colours(1, "AF11", "AF13")}
    )
    red = tables(twice)["aggregates"]["packets_red"]
    assert list(red[:2]) == [1, 1]


class Faulty(Marker):
    answer: str = ""

    def colour(self, packet: MeteredPacket) -> Any:
        if packet.now < 1.0:
            return GREEN
        if self.answer == "raises":
            raise ZeroDivisionError("nothing left")
        while self.answer == "endless":
            pass
        wrong: dict[str, Any] = {"text": "no", "nan": float("nan"), "true": True, "three": 3, "none": None}
        return wrong[self.answer]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("raises", r"ZeroDivisionError: nothing left \(test_own_markers\.py, line \d+\)"),
        ("text", r"returned 'no', expected GREEN, YELLOW or RED of parshall\.own"),
        ("nan", r"returned nan, expected GREEN, YELLOW or RED of parshall\.own"),
        ("true", r"returned True, expected GREEN, YELLOW or RED of parshall\.own"),
        ("three", r"returned 3, expected GREEN, YELLOW or RED of parshall\.own"),
        ("none", r"returned None, expected GREEN, YELLOW or RED of parshall\.own"),
        ("endless", r"DoesNotReturn.*"),
    ],
)
def test_what_is_no_colour_ends_a_run_in_one_line(answer: str, told: str) -> None:
    own = type("Hasty", (Faulty,), {"time_limit": 0.3})(answer=answer)
    with pytest.raises(RunError, match=rf"seed 1: Hasty\.colour, .*, 1\.\d+ s: {told}$"):
        parshall.run(bulk(own), seed=1)


def test_a_library_with_another_answer_ends_a_run_in_one_line(tmp_path: Path) -> None:
    text = """#include "parshall_control.h"
#include "parshall_marker.h"
static int32_t odd(void *s, const parshall_metered_packet *p) { (void)s; (void)p; return 17; }
static const parshall_marker_table table = {.version = PARSHALL_MARKER_VERSION, .name = "odd",
    .state_size = sizeof(parshall_edge), .colour = odd};
const parshall_marker_table *parshall_marker(void) { return &table; }
"""
    with pytest.raises(RunError, match=r"odd\.colour, .*: returned 17, expected GREEN, YELLOW or RED"):
        parshall.run(bulk(SharedMarker(build(tmp_path, "odd", text))), seed=1)


def test_a_marker_is_known_by_its_code() -> None:
    def made(limit: int) -> type[Marker]:
        class Small(Marker):
            extra: int = 0

            def colour(self, packet: MeteredPacket) -> int:
                return RED if packet.size > limit + self.extra else GREEN

        return Small

    same = {bulk(each).hash for each in (made(9)(), made(9)(), made(9)(extra=0))}
    others = {bulk(each).hash for each in (made(8)(), made(9)(extra=1), None)}
    assert (len(same), len(same | others)) == (1, 4)


MINE = """
import parshall
from parshall.own import GREEN, RED

class Small(parshall.Marker):
    limit: int = 600
    def colour(self, packet):
        return RED if packet.metered > self.limit else GREEN

class Other:
    pass
"""


def test_a_file_names_a_marker_and_the_command_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "marker_named.py").write_text(MINE)
    given = '{ kind = "srtcm", cir = "4 Mbit/s", cbs_bytes = "40 kB", ebs_bytes = "80 kB" }'
    text = FILE.read_text().replace('duration = "30 s"', 'duration = "6 s"')
    assert text.count(given) == 1
    red = []
    named = '"marker_named:Small"'
    for meter in (named, f'{{ kind = "user", source = {named}, values = {{ limit = 2000 }} }}'):
        (tmp_path / "edge.toml").write_text(text.replace(given, meter))
        assert main(["run", "edge.toml", "--format", "json", "--out", "out"]) == 0
        recording = parshall.Recording.load("out")
        red.append(recording.columns("aggregates")["packets_red"][0])
    assert red[0] > red[1] == 0
    for wrong in ("Other", "Missing"):
        (tmp_path / "edge.toml").write_text(text.replace(given, f'"marker_named:{wrong}"'))
        with pytest.raises(ScenarioError, match=r"meter.*expected a class derived from parshall\.Marker"):
            parshall.load("edge.toml")
    sys.modules.pop("marker_named")
    capsys.readouterr()


def test_errors_name_what_to_write(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="got the class Seen, expected one of it"):
        bulk(Seen)
    with pytest.raises(ScenarioError, match="meter"):
        bulk(example("jacobson").Jacobson())
    with pytest.raises(InputError, match="a method that nobody calls, expected"):
        type("Typo", (Marker,), {"color": lambda self, packet: 0, "colour": lambda self, packet: 0})
    with pytest.raises(InputError, match=r"got .*, expected a shared library"):
        SharedMarker(tmp_path / "none.so")
