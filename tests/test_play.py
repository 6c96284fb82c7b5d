"""The playground: what its page is made of, and its modules in Node."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parshall
from parshall import play
from parshall._core import ENGINE_VERSION
from parshall.scenario import json_schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SITE = Path(play.__file__).with_name("site")
LESSONS = sorted((SITE / "lessons").glob("*.toml"))
BUILT = (SITE / "parshall.wasm").is_file() and play.engine_of(SITE) == ENGINE_VERSION

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node")


# --- What the page is made of ------------------------------------------------------------------------------


def test_every_lesson_is_a_scenario_that_runs() -> None:
    named = re.findall(
        r'^    id: "([\w-]+)",$', (SITE / "lessons.mjs").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(named) == [file.stem for file in LESSONS]
    assert len(named) == 9
    for file in LESSONS:
        scenario = parshall.load(file)
        events = scenario.expected.events
        assert events < 1e6, f"{file.stem} takes {events:g} events: too many to follow a slider"


def test_nothing_is_asked_of_another_server() -> None:
    for file in SITE.rglob("*"):
        if file.suffix in (".html", ".css", ".mjs") and file.name != "parshall.mjs":
            text = file.read_text(encoding="utf-8")
            assert not re.search(r"https?:|@import|//[a-z]+\.", text), file
    page = (SITE / "index.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert "connect-src 'self'" in page


def test_text_has_contrast() -> None:
    style = (SITE / "style.css").read_text(encoding="utf-8")
    light, dark = style.split("prefers-color-scheme: dark", 1)
    for part in (light, dark.split("}")[0]):
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", part))
        for name in ("ink", "faint", "drop", "accent"):
            for ground in ("paper", "raised"):
                assert _contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
        assert _contrast(colours["on-accent"], colours["accent"]) >= 4.5
        assert _contrast(colours["ink"], colours["warn"]) >= 4.5
        for number in range(1, 9):
            assert _contrast(colours[f"series-{number}"], colours["paper"]) >= 3


def _contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 has it."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


# --- Its modules, in Node ----------------------------------------------------------------------------------


def ask(*questions: dict[str, Any]) -> list[Any]:
    """The answers of the page's modules, each a value or a fault as text."""
    done = subprocess.run(
        ["node", Path(__file__).parent / "play_node.mjs", SITE],
        input="".join(json.dumps(one) + "\n" for one in questions),
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.get("answer", line.get("fault")) for line in map(json.loads, done.stdout.splitlines())]


def scenarios(repository: Path) -> list[str]:
    files = [*LESSONS, *sorted((repository / "examples").rglob("*.toml"))]
    return [file.read_text(encoding="utf-8") for file in files]


STRANGE = r"""
a.b = 'c\d' # x
"quoted key" = "\u00e9\t\"\\"
many = [1, 2.5e3, 0x1f, [true, false], # inner
  { x = 1, y.z = 2 }, ]
long = '''
two
lines'''
number = 1_000

[t]
[[t.list]]
x = 1
[t.list.inner]
y = 2
[[t.list]]
x = 3
"""


@needs_node
def test_toml_is_read_as_python_reads_it(repository: Path) -> None:
    texts = [*scenarios(repository), STRANGE]
    assert len(texts) > 25
    answers = ask(*({"ask": "read", "text": text} for text in texts))
    for text, answer in zip(texts, answers, strict=True):
        assert answer == tomllib.loads(text)


@needs_node
def test_a_change_leaves_all_else_as_it_was(repository: Path) -> None:
    """Whatever is set, removed and put back: the text differs in that alone, and comments stay."""
    cases = [(text, path) for text in scenarios(repository) for path in _scalars(tomllib.loads(text), ())]
    assert len(cases) > 500
    answers = ask(*({"ask": "set", "text": text, "path": path, "value": "other"} for text, path in cases))
    for (text, path), answer in zip(cases, answers, strict=True):
        expected = tomllib.loads(text)
        _at(expected, path[:-1])[path[-1]] = "other"
        assert tomllib.loads(answer) == expected
        assert _comments(answer) == _comments(text)
    removed = [(text, path) for text, path in cases if isinstance(path[-1], str)]
    answers = ask(*({"ask": "remove", "text": text, "path": path} for text, path in removed))
    for (text, path), answer in zip(removed, answers, strict=True):
        expected = tomllib.loads(text)
        del _at(expected, path[:-1])[path[-1]]
        assert tomllib.loads(answer) == expected


@needs_node
def test_parts_are_added_changed_and_removed() -> None:
    text = next(file for file in LESSONS if file.stem == "bufferbloat").read_text(encoding="utf-8")
    flows, known = ["dumbbell", "flows"], tomllib.loads(text)
    first = [*flows, 0]
    more, codel, packets = {"name": "x", "app": "bulk"}, {"kind": "codel"}, {"kind": "bulk", "packets": 3}
    changes: list[tuple[dict[str, Any], Any]] = [
        ({"ask": "append", "path": flows, "value": more}, lambda to: to["dumbbell"]["flows"].append(more)),
        ({"ask": "remove", "path": first}, lambda to: to["dumbbell"]["flows"].pop(0)),
        ({"ask": "remove", "path": [*flows, 1]}, lambda to: to["dumbbell"]["flows"].pop(1)),
        ({"ask": "set", "path": ["warm_up"], "value": "1 s"}, lambda to: to.update(warm_up="1 s")),
        ({"ask": "set", "path": ["record", "rtt"], "value": "*"}, lambda to: to.update(record={"rtt": "*"})),
        (
            {"ask": "set", "path": [*first, "app", "packets"], "value": 3},
            lambda to: to["dumbbell"]["flows"][0].update(app=packets),
        ),
        (
            {"ask": "set", "path": ["dumbbell", "queue"], "value": codel},
            lambda to: to["dumbbell"].update(queue=codel),
        ),
    ]
    for (question, change), answer in zip(
        changes, ask(*({**each, "text": text} for each, _ in changes)), strict=True
    ):
        expected = json.loads(json.dumps(known))
        change(expected)
        assert tomllib.loads(answer) == expected, question


@needs_node
def test_text_that_is_no_toml_is_told_with_its_line() -> None:
    wrong = ["a = 1\nb = tcp\n", "a = 1\na = 2\n", 'a = "x\n', "[t\n", "a = [1, 2\n", "a\n", "a = 1 b = 2\n"]
    for text, told in zip(wrong, ask(*({"ask": "read", "text": text} for text in wrong)), strict=True):
        assert re.match(r"line [12345]: ", told), text


@needs_node
def test_links_hold_what_is_shared() -> None:
    shared = {
        "toml": "# \u00e9\n" + "x = 1\n" * 5000,
        "seed": 7,
        "engine": "1",
        "lesson": "phase",
        "a": {"toml": "b", "seed": 2},
    }
    fragments = ({"ask": "unpacked", "fragment": each} for each in ("#phase", "#s=AAAA"))
    opened, nothing, damaged = ask({"ask": "link", "shared": shared}, *fragments)
    assert opened == {"form": 1, **shared}
    assert nothing is None
    assert damaged == "The link is damaged: it holds no scenario."


@needs_node
def test_python_is_the_same_scenario(repository: Path) -> None:
    files = [*LESSONS, *sorted((repository / "examples").glob("*.toml"))]
    files = [file for file in files if "mahimahi" not in file.read_text(encoding="utf-8")]
    known = json_schema()
    programs = ask(
        *({"ask": "python", "text": file.read_text(encoding="utf-8"), "known": known} for file in files)
    )
    for file, program in zip(files, programs, strict=True):
        names: dict[str, Any] = {}
        exec(program.partition("recording =")[0], names)
        assert names["scenario"].scenario().hash == parshall.load(file).hash, file
        compile(program, file.name, "exec")


@needs_node
def test_questions_outlive_the_run_in_their_way() -> None:
    """The run is ended with its worker, by hand or as the next one waits for it."""
    questions = [["run", "one"], ["settle"], ["timeouts", [0.1]], ["schema"], ["settle"]]
    by_hand, by_the_next = ask(
        {"ask": "heard", "steps": [*questions, ["stop"], ["answer"], ["settle"]]},
        {"ask": "heard", "steps": [*questions, ["late"], ["run", "two"], ["settle"], ["answer"], ["settle"]]},
    )
    answers = [{"asked": "schema", "answer": True}, {"asked": [0.1], "answer": [0.1]}]
    assert by_hand == answers
    assert by_the_next == [{"text": "two"}, *answers]


@needs_node
def test_each_question_has_its_own_answer() -> None:
    steps = [["timeouts", [0.1]], ["timeouts", [0.2]], ["settle"], ["answer"], ["settle"]]
    (found,) = ask({"ask": "heard", "steps": steps})
    assert found == [{"asked": rtts, "answer": rtts} for rtts in ([0.2], [0.1])]


@needs_node
def test_the_newer_of_two_runs_at_once_is_not_lost() -> None:
    """The first of them ends the run that is in the way."""
    steps = [["run", "one"], ["settle"], ["late"], ["run", "two"], ["run", "three"], ["settle"], ["answer"]]
    (found,) = ask({"ask": "heard", "steps": steps})
    assert found == [{"text": "three"}]


@needs_node
@pytest.mark.parametrize("least", [3.0, 31.5, 180.0], ids=lambda least: f"{least:g} ms")
def test_round_trips_of_ones_own_become_those_of_the_path(least: float) -> None:
    """Lone packets have the smallest round trip and the median of the file, as the page says, also where the
    file has no jitter and the scenario had some.
    """
    draws = np.random.default_rng(1)
    lesson = next(file for file in LESSONS if file.stem == "bufferbloat").read_text(encoding="utf-8")
    for spread in (0.0, 0.1, 2.0):
        rtts = [least, *(least * (1 + spread * draws.exponential(1.0, 400)))]
        text = "".join(f"64 bytes: icmp_seq={n} time={rtt:.3f} ms\n" for n, rtt in enumerate(rtts))
        (first,) = ask({"ask": "own", "name": "ping.txt", "text": text, "scenario": lesson})
        (found,) = ask({"ask": "own", "name": "ping.txt", "text": text, "scenario": first["text"]})
        path = {**tomllib.loads(found["text"])["dumbbell"], "duration": "600 s"}
        tiny = parshall.Tcp(header_bytes=1, ack_bytes=1, payload_bytes=1, handshake=False, delayed_ack=False)
        once = parshall.Transfer(packets=1)
        lone = parshall.FlowGroup(count=200, transport=tiny, app=once, start_spread="590 s")
        bell = parshall.Dumbbell(**{**path, "flows": [lone], "record": parshall.Record(rtt="*")})
        run = parshall.run(bell, seed=1)
        simulated = 1e3 * run.columns("rtt")["rtt"]
        middle = np.median(rtts)
        assert simulated.min() == pytest.approx(least, rel=0.02, abs=0.02 * (middle - least))
        assert np.median(simulated) == pytest.approx(middle, rel=0.02, abs=0.15 * (middle - least))
        assert f"the smallest of them, {least:g} ms" in found["told"]
        assert ("no jitter" in found["told"]) == (spread == 0.0)
        for most in re.findall("jitter of 0 to ([^,]+),", found["told"]):
            assert f'most = "{most}"' in found["text"]


@needs_node
def test_damaged_lines_of_ping_are_no_round_trips() -> None:
    line = "64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time={} ms\n"
    times = ["31.5", "9" * 310, "1.2.3", "1000000000", "40"]
    text = "".join(map(line.format, times))
    found, nothing = ask(
        {"ask": "recognised", "name": "ping.txt", "text": text},
        {"ask": "recognised", "name": "ping.txt", "text": line.format("9" * 310)},
    )
    assert found == {"kind": "ping", "rtts": [0.0315, 0.04]}
    assert nothing.startswith("ping.txt: expected a scenario")


@needs_node
@pytest.mark.skipif(not BUILT, reason="no parshall.wasm of this engine: make wasm")
def test_the_worker_answers_whatever_it_is_asked() -> None:
    questions = [
        {"id": 1, "rtts": [0.1, None]},
        {"id": 2, "rtts": [0.1, 0.2] * 20},
        {"id": 3, "schema": True},
    ]
    few, many, schema = ask({"ask": "said", "wasm": str(SITE / "parshall.wasm"), "messages": questions})[0]
    assert few == {"id": 1, "answer": []}
    assert many["id"] == 2
    assert {row["samples"] for row in many["answer"]} != {0}
    assert (schema["id"], schema["answer"]["title"]) == (3, "Parshall scenario")


def _scalars(value: Any, path: tuple[str | int, ...]) -> Iterator[list[str | int]]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _scalars(each, (*path, key))
    elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        for index, each in enumerate(value):
            yield from _scalars(each, (*path, index))
    elif not isinstance(value, list):
        yield list(path)


def _at(value: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        value = value[step]
    return value


def _comments(text: str) -> list[str]:
    return re.findall(r"#.*", text)
