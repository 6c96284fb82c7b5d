"""Reprs are short, and results and scenarios show themselves in a notebook."""

from __future__ import annotations

import base64
import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

import parshall
from parshall import Bulk, Dumbbell, FlowGroup, Link, Recording, Scenario, Series, Sweep, Tcp
from parshall.scenario.picture import network_svg


def _dumbbell(flows: int) -> Dumbbell:
    group = FlowGroup(count=flows, transport=Tcp(), app=Bulk())
    rates = {"rate": "5 Mbit/s", "delay": "10 ms", "access_rate": "1 Gbit/s", "access_delay": "1 ms"}
    return Dumbbell(title="Bell & co", duration="2 s", flows=[group], **rates)  # type: ignore[arg-type]


def _picture(html: str) -> bytes:
    found = re.search(r'src="data:image/png;base64,([^"]+)"', html)
    assert found is not None
    return base64.b64decode(found[1])


def test_a_scenario_of_thousands_of_flows_has_a_repr_of_a_line() -> None:
    scenario = _dumbbell(3000).scenario()
    expected = "<Scenario Bell & co: 6,000 hosts, 2 routers, 6,001 links, 3,000 flows, 2 s>"
    assert repr(scenario) == expected


def test_the_repr_of_a_part_has_what_differs_from_the_defaults() -> None:
    link = Link(between=("a", "b"), rate="1 Mbit/s", delay="1 ms")
    assert repr(link) == "Link(between=('a', 'b'), rate=1000000.0, delay=0.001)"
    assert repr(Tcp()) == "Tcp()"
    assert eval(repr(link), {"Link": Link}) == link
    long = parshall.ListedLoss(arrivals=range(1, 1001))
    assert repr(long) == "ListedLoss(arrivals=(1, 2, 3, ... 1000 in all))"


def test_a_network_is_drawn_with_hosts_that_are_alike_in_one_box() -> None:
    drawn = network_svg(_dumbbell(3000).scenario())
    assert drawn is not None
    texts = [element.text for element in ET.fromstring(drawn).iter() if element.tag.endswith("text")]
    assert {"r0", "r1", "s1 +2999", "d1 +2999", "5 Mbit/s, 10 ms"} <= set(texts)
    assert len(drawn) < 5000


def test_boxes_do_not_overlap_and_lie_inside_the_picture() -> None:
    for name in ("parking_lot", "assured_forwarding", "recorded_link", "four_drops"):
        drawn = network_svg(parshall.load(f"examples/{name}.toml").scenario())
        assert drawn is not None
        root = ET.fromstring(drawn)
        sides = ("x", "y", "width", "height")
        boxes = [
            [float(box.attrib[side]) for side in sides] for box in root.iter() if box.tag.endswith("rect")
        ]
        for x, y, width, height in boxes:
            assert x >= 0
            assert y >= 0
            assert x + width <= float(root.attrib["width"])
            assert y + height <= float(root.attrib["height"])
        for number, (x, y, width, height) in enumerate(boxes):
            for x2, y2, width2, height2 in boxes[:number]:
                assert x >= x2 + width2 or x2 >= x + width or y >= y2 + height2 or y2 >= y + height


def test_a_network_with_too_many_parts_has_no_picture_but_a_line() -> None:
    routers = [f"r{i}" for i in range(100)]
    links = [Link(between=(a, b), rate=1e6, delay=0.001) for a, b in pairwise(routers)]
    chain = Scenario(
        duration=1,
        hosts=["a"],
        routers=routers,
        links=[*links, Link(between=("a", "r0"), rate=1e6, delay=0)],
        flows=[],
    )
    assert network_svg(chain) is None
    assert chain._repr_html_() == "<div><p>1 host, 100 routers, 100 links, 0 flows, 1 s</p></div>"


def test_a_scenario_shows_its_network_and_what_it_is() -> None:
    html = _dumbbell(2)._repr_html_()
    assert "<svg" in html
    assert "<p>Bell &amp; co: 4 hosts, 2 routers, 5 links, 2 flows, 2 s</p>" in html


@pytest.fixture(scope="module")
def recording() -> Recording:
    return parshall.run(_dumbbell(2))


def test_a_recording_shows_its_series_or_else_its_flows(recording: Recording) -> None:
    assert repr(recording) == (
        "<Recording Bell & co: 4 hosts, 2 routers, 5 links, 2 flows, 2 s, seed 1: tables flows, ports>"
    )
    html = recording._repr_html_()
    assert "<td>f1</td>" in html
    assert "<img" not in html
    series = _dumbbell(2).with_({"record.flow_series": Series(of=["*"], interval=0.1)})
    assert _picture(parshall.run(series)._repr_html_()).startswith(b"\x89PNG")


def test_an_ensemble_shows_means_and_a_sweep_its_first_metric() -> None:
    ensemble = parshall.run_many({"two": _dumbbell(2), "three": _dumbbell(3)}, seeds=2, cache=None)
    assert repr(ensemble) == "<Ensemble two, three with 2 seeds: tables flows, ports>"
    assert _picture(ensemble._repr_html_()).startswith(b"\x89PNG")
    sweep = Sweep(_dumbbell(2), {"delay": ["5 ms", "20 ms"]}, seeds=2, metrics=["goodput", "fairness"])
    result = sweep.run(cache=None)
    assert repr(result) == "<SweepResult 2 points of delay, 4 runs: goodput, fairness>"
    assert _picture(result._repr_html_()).startswith(b"\x89PNG")


def test_a_list_of_starts_gives_one_to_each_flow() -> None:
    group = FlowGroup(count=3, transport=Tcp(), app=Bulk(), start=["0 s", "100 ms", 0.5])
    scenario = _dumbbell(1).with_(flows=[group]).scenario()
    assert [flow.start for flow in scenario.flows] == [0.0, 0.1, 0.5]
    with pytest.raises(
        parshall.ScenarioError, match=r"flows\[0\].start: got 2 starts, expected one for each of 3"
    ):
        _dumbbell(1).with_(flows=[group.replace("start", [0, 1])]).scenario()


def test_ports_are_named_in_the_order_of_the_engine(recording: Recording) -> None:
    scenario = recording.scenario
    assert recording.ports == scenario.port_names
    assert scenario.named_ports == {"bottleneck": "r0->r1"}
    assert scenario.links[0].ports == ("r0->r1", "r1->r0")
