"""Counts of UDP bytes and treatment by labels: what is counted against plain sums, and who is treated how."""

from __future__ import annotations

import numpy as np
import pytest

from parshall import run
from parshall_studies.nonresponsive import counting, mixes, networks, treatments
from parshall_studies.nonresponsive.applied import fair_part
from parshall_studies.nonresponsive.mixes import MIXES


def test_groups_are_told_apart_by_header_and_by_response() -> None:
    for mix in MIXES.values():
        groups = {group.name for group in mix.flows}
        assert mix.udp <= groups
        assert mix.deaf | mix.responsive == groups
        assert not mix.deaf & mix.responsive
    assert MIXES["udp-deaf"].udp == MIXES["udp-deaf"].deaf
    assert all(MIXES[name].udp != MIXES[name].deaf for name in mixes.OTHERS)
    assert MIXES["faked"].network().hash == MIXES["udp-deaf"].network().hash


@pytest.mark.parametrize("name", ["udp-deaf", "faked", "both"])
def test_the_count_and_the_truth_are_plain_sums_of_packets(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mixes, "DURATION", 6.6)
    monkeypatch.setattr(counting, "START", 0.66)
    mix = MIXES[name]
    recording = run(counting.watched(mix), seed=3)
    told = counting._told(name, (), recording)
    assert told.dims["entry"] == [counting.COUNTER]
    sent = recording.columns("flows")["packets_sent"].astype(float)

    def share(groups: frozenset[str]) -> float:
        chosen = [flow in set(mix.names(groups)) for flow in recording.flows]
        return float(sent[chosen].sum() / sent.sum())

    # The first interval is left out, and headers differ by 4 %.
    assert told.numbers["truth"][0] == pytest.approx(share(mix.deaf), abs=0.05)
    assert told.numbers["estimate"][0] == pytest.approx(share(mix.udp), abs=0.05)
    assert bool(told.numbers["off"][0] < 0.03) == (mix.udp == mix.deaf)


_AF13 = 14


def test_only_labelled_flows_are_treated_worse() -> None:
    mix = treatments.TREATED["cbr/22"]
    labelled = mix.names(mix.deaf)[:3]
    for treatment, beyond in (("demoted", _AF13), ("pushed-back", "drop")):
        scenario = treatments.network(mix, treatment, labelled)
        source = {flow.name: flow.source for flow in scenario.flows}
        of = {link.between[0]: link.conditioner for link in scenario.links}
        worse = {name for name in source if (rule := of[source[name]]) and rule.rules[0].if_red == beyond}
        assert worse == set(labelled)
    plain = treatments.network(mix, "red", labelled)
    assert all(link.conditioner is None for link in plain.links)


def test_equal_parts_of_the_link_are_by_flow() -> None:
    assert fair_part("cbr/22") == pytest.approx(28 * 35 / 57)
    assert fair_part("both") == pytest.approx(28 * 35 / 51)


def test_goodputs_of_both_kinds_fill_the_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treatments, "DURATION", 8.0)
    monkeypatch.setattr(treatments, "WARM_UP", 3.0)
    mix = treatments.TREATED["cbr/22"]
    found = treatments._goodputs(mix, run(treatments.network(mix, "red", ()), seed=2))
    total = sum(found.values())
    assert 0.9 * networks.RATE < 1e6 * total < networks.RATE
    assert np.isfinite(list(found.values())).all()
