"""Scenarios drawn to judge the share's estimator, and the truth by response."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import parshall
from parshall import Bulk, Cbr, Dumbbell, FlowGroup, Red, Tcp, Transfer, Udp
from parshall.scenario import DitherLoss
from parshall_studies.responsiveness import (
    aggregate,
    attacks,
    drawn,
    held_out,
    response,
    sampled,
    senders,
)
from parshall_studies.study import Workbench


def test_the_split_is_what_it_always_was() -> None:
    design, judging = drawn.design_set(), drawn.judging_set()
    assert (len(design), len(judging)) == (116, 124)
    assert [each.number for each in design[:8]] == [0, 2, 3, 5, 6, 7, 9, 16]
    assert not {each.number for each in design} & {each.number for each in judging}


def test_all_kinds_and_ranges_are_in_both_parts() -> None:
    for part in (drawn.design_set(), drawn.judging_set()):
        assert {each.queue for each in part} == set(drawn.QUEUES)
        assert {each.responsive for each in part} == set(drawn.RESPONSIVE)
        assert {each.deaf for each in part} == set(drawn.DEAF)
        assert {each.shape for each in part} == set(drawn.SHAPES)
        rates = [each.rate for each in part]
        assert min(rates) < 2e6
        assert max(rates) > 1e9
        assert min(each.share for each in part) == 0
        assert max(each.share for each in part) == 1


@pytest.mark.parametrize("number", [0, 63, 228])
def test_a_drawn_scenario_runs(number: int) -> None:
    each = drawn.drawn()[number]
    seen = parshall.run(each.network(), 1).port("bottleneck").responsiveness
    assert len(seen) == int(each.duration / drawn.INTERVAL)
    assert (seen.acks.sum() > 0) == (each.shape == "acks")


@pytest.fixture(scope="module")
def network() -> Dumbbell:
    tcp = Tcp(recovery="sack")
    return Dumbbell(
        duration=40.0,
        rate="10 Mbit/s",
        delay="10 ms",
        queue=Red(min_threshold_packets=15, max_threshold_packets=45, limit_packets=80),
        access_rate="100 Mbit/s",
        access_delay="5 ms",
        flows=[
            FlowGroup(name="t", count=10, transport=tcp, app=Bulk(), start_spread=1.0),
            FlowGroup(name="u", count=4, transport=Udp(), app=Cbr(rate="1 Mbit/s"), start_spread=1.0),
            FlowGroup(name="m", count=100, transport=tcp, app=Transfer(packets=5), start_spread=30.0),
            FlowGroup(name="back", count=2, transport=tcp, app=Bulk(), direction="reverse"),
        ],
    )


def test_twins_tell_what_responds_whatever_its_protocol_is(network: Dumbbell) -> None:
    run = parshall.run(network, 1)
    given = response.treatment(network, response.loss_at(run))
    assert {name: len(flows) for name, flows in given.treated.items()} == {"t": 1, "u": 1, "m": 10}
    twin = response.twin(network, given)
    pairs = [
        (response.sent(parshall.run(network, seed)), response.sent(parshall.run(twin, seed)))
        for seed in (1, 2)
    ]
    found = response.elasticities(given, pairs)
    assert found["t"] > 0.3, "TCP responds"
    assert found["u"] == 0, "a constant rate does not"
    assert found["m"] < 0.1, "nor do transfers of a few packets, which are TCP"
    assert response.deaf(found) == ("u", "m")


def test_a_twin_differs_in_the_losses_of_the_treated_alone(network: Dumbbell) -> None:
    given = response.treatment(network, 0.02)
    plain, twin = network.scenario(), response.twin(network, given)
    changed = [one for one, other in zip(plain.links, twin.links, strict=True) if one != other]
    treated = {
        flow.source for flow in plain.flows if any(flow.name in some for some in given.treated.values())
    }
    assert {link.between[0] for link in changed} == treated
    assert plain.flows == twin.flows


def test_flows_that_are_named_deaf_are_counted_apart(network: Dumbbell) -> None:
    watched = network.with_(
        {
            "record.responsiveness": {
                "of": "bottleneck",
                "interval": 0.7,
                "signals": "both",
                "deaf": ["u1", "u2", "u3", "u4"],
            },
            "loss": DitherLoss(part=0.5, of="data"),
        }
    )
    seen = parshall.run(watched, 1).port("bottleneck").responsiveness
    np.testing.assert_array_equal(seen.packets_deaf, seen.packets_udp)
    assert (seen.acks[5:] > 0).all()


def test_drawn_scenarios_are_judged_against_both_truths() -> None:
    """The smallest two of those to design on."""
    chosen = sorted(drawn.design_set(), key=lambda each: each.rate * each.duration)[:2]
    tables = held_out.measure(Workbench(seeds=(1,), cache=False), chosen)
    table = tables["drawn"].to_pydict()
    assert table["case"] == [each.name for each in chosen for _ in held_out.DITHERS]
    assert table["dither"] == [*held_out.DITHERS, *held_out.DITHERS]
    for place in range(6):
        row = {name: column[place] for name, column in table.items()}
        assert 0 <= row["clear"] <= row["intervals"]
        assert row["wrong"] <= row["clear"]
        assert row["covered"] <= row["clear"]
        assert row["intervals"] > 0 or row["mse_of_all"] != row["mse_of_all"]
        if row["intervals"]:
            assert 0 <= row["mse_of_all"] <= 1
            assert 0 <= row["share_by_response"] <= 1
    assert tables["aggregate"]["case"].to_pylist() == [each.name for each in aggregate.chosen(chosen)]
    errors = [tables["aggregate"][name].to_numpy() for name in ("half", "kalman", *aggregate.HORIZONS)]
    assert all(((each >= 0) & (each <= 1)).all() for each in errors)


@pytest.mark.parametrize(("answers", "least", "most"), [(True, 0.0, 0.5), (False, 0.85, 1.0)])
def test_a_lock_in_hears_what_a_loss_costs_a_flow_that_is_alone(
    answers: bool, least: float, most: float
) -> None:
    """No link that is full hides its answer, and it wins back its rate within eight round trips."""
    scenario = next(each for each in drawn.drawn() if 0.25 < each.rtt < 0.35)
    shares = [
        aggregate.lock_in(scenario, _Alone(answers, seed), 8.0)  # type: ignore[arg-type]
        for seed in range(20)
    ]
    assert least <= np.mean(shares) <= most


class _Alone:
    """Packets of one flow, all of whose drops are a dither's."""

    def __init__(self, answers: bool, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sender = senders.honest if answers else senders.hostile
        times, lost = sender(rng, 0.01)
        # Each packet arrives (0), and some are lost right then (3).
        rows = 1 + lost
        self.times = np.repeat(times, rows)
        self.events = np.zeros(len(self.times), int)
        self.events[np.cumsum(rows)[lost] - 1] = 3

    def columns(self, name: str) -> dict[str, np.ndarray]:
        assert name == "packets"
        acks = np.zeros(len(self.times), bool)
        return {"time": self.times, "event": self.events, "ack": acks}


def test_who_goes_on_is_found_out() -> None:
    found = attacks.scored(attacks.ATTACKS["none"], 1)
    assert abs(found["share"] - found["truth"]) < 0.05
    assert found["flagged"] < 20


@pytest.mark.parametrize("name", ["second", "packet"])
def test_keys_that_do_not_last_are_doubted_and_the_truth_is_within_bounds(name: str) -> None:
    found = attacks.scored(attacks.ATTACKS[name], 1)
    assert found["flagged"] == 100
    assert found["share"] < found["truth"] < found["share_upper"] + 0.01


def test_keys_that_do_not_last_are_judged_together_by_prefix() -> None:
    for prefix in (10, 20):
        attack = replace(attacks.ATTACKS["prefix"], prefix=prefix)
        found = [attacks.scored(attack, seed) for seed in (1, 2, 3)]
        assert all(abs(each["share"] - each["truth"]) < 0.05 for each in found)
        assert np.mean([each["flagged"] for each in found]) < 20


def test_who_makes_good_what_he_gave_up_is_found_out_by_a_dither_alone() -> None:
    found = attacks.scored(attacks.ATTACKS["short-pause"], 1)
    assert found["share"] < 0.1
    assert found["share_dithered"] > 0.5
    assert found["truth"] > 0.5


def test_who_sends_less_where_more_is_dropped_responds() -> None:
    asked = ("none", "short-pause", "long-pause")
    deaf = {name: attacks.is_deaf(attacks.ATTACKS[name], 1) for name in asked}
    assert deaf["none"]
    assert deaf["short-pause"]
    assert not deaf["long-pause"]


def test_a_stream_is_in_order_and_half_of_it_is_hostile() -> None:
    for attack in (attacks.ATTACKS["long-pause"], attacks.ATTACKS["buckets"]):
        times, keys, dropped, hostile = attacks.stream(attack, 1)
        assert len(times) == len(keys) == len(dropped) == len(hostile)
        assert (np.diff(times) >= 0).all()
        assert dropped.mean() == pytest.approx(0.01, rel=0.15)
        assert 0.45 < hostile.mean() < 0.65


def test_a_sample_of_the_flows_says_how_well_it_stands_for_the_rest() -> None:
    """A table watches most of what it has room for, though large flows are more of the packets than of the
    flows, and errs as it says.
    """
    for size, row in sampled.scored(1).items():
        watched, mse, variance, covered = (row[name] for name in ("watched", "mse", "variance", "covered"))
        room = 100 * size / sampled.FLOWS
        assert watched == 100 if room > 100 else room / 4 < watched < 1.5 * room
        assert mse < 3 * variance
        assert covered > 85
