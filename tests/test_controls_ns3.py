"""BBR and DCTCP beside ns-3's: how its output is read, what the tables show. Nothing here needs ns-3."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from parshall import DropTail, Red
from parshall_dev.bench.controls_ns3.page import beside_linux, section
from parshall_dev.bench.controls_ns3.run import main
from parshall_dev.bench.controls_ns3.settings import SETTINGS, Setting
from parshall_dev.bench.controls_ns3.sides import OUTCOMES, Outcome, Pair, ours, parse
from parshall_dev.bench.process import ProcessError

BBR = Setting("bbr", 2e7, 0.04, 1.0, 2)
DCTCP = Setting("dctcp", 1e8, 0.001, 20.0, 1, slow_start=False, seconds=6.0, warm_up=2.0)
PRINTED = "RESULT dropped 10 marked 45 started 90 wait 0.0042 bytes {}\n"


def outcome(**changes: float) -> Outcome:
    return {**dict.fromkeys(OUTCOMES, 1.0), **changes}


def pair(setting: Setting, mine: Outcome, theirs: Outcome, peer: str = "ns-3.37") -> Pair:
    return Pair(setting, [mine] * 2, [theirs] * 2, peer)


# --- ns-3's program ---------------------------------------------------------------------------------------


def test_what_ns3_prints_becomes_rates_and_shares() -> None:
    found = parse("a warning\n" + PRINTED.format("10000000 30000000"), BBR)
    assert found == pytest.approx(
        # 40 MB in the 20 s that count, shared 1 to 3.
        {"goodput": 16.0, "wait": 4.2, "dropped": 10.0, "marked": 50.0, "fairness": 0.8}
    )


@pytest.mark.parametrize(
    "output",
    ["", "dropped 1", PRINTED.format("10000000"), PRINTED.format("1 x"), "RESULT dropped 1 bytes 1 2"],
    ids=["nothing", "no-mark", "a-flow-is-missing", "no-number", "a-count-is-missing"],
)
def test_what_is_not_whole_is_an_error_that_names_the_setting(output: str) -> None:
    with pytest.raises(ProcessError, match="20 Mbit/s, 40 ms, 1 BDP, 2 flows"):
        parse(output, BBR)


def test_the_flow_of_a_queue_that_let_nothing_through_has_no_fairness() -> None:
    assert str(parse(PRINTED.format("0 0"), BBR)["fairness"]) == "nan"


# --- The two sides of a setting ---------------------------------------------------------------------------


def test_both_sides_hold_as_many_packets() -> None:
    queue, options = BBR.scenario(1).links[0].queue, BBR.options(1)
    # 100 kB in packets of 1502 bytes, two of which ns-3's discipline does not see.
    assert isinstance(queue, DropTail)
    assert queue.limit_packets == 67
    assert options["set"] == "MaxSize=65p"


def test_both_sides_mark_from_the_same_packet_on() -> None:
    queue, options = DCTCP.scenario(1).links[0].queue, DCTCP.options(1)
    assert isinstance(queue, Red)
    assert (queue.min_threshold_packets, queue.ecn, options["ecn"]) == (20, True, "On")
    settings = dict(word.split("=") for word in options["set"].split(","))
    low, high = float(settings["MinTh"]), float(settings["MaxTh"])
    # One of ours is in ns-3's device: 19 there are 20 here, and 39 there are twice 20 here.
    assert 18 < low < 19 < high
    assert 38 < 2 * high < 39


def test_flows_start_at_the_same_times() -> None:
    starts = [flow.start for flow in BBR.scenario(3).flows]
    assert ",".join(map(str, starts)) == BBR.options(3)["starts"]
    assert len(set(starts)) == 2


def test_without_slow_start_both_begin_with_two_packets() -> None:
    tcp = DCTCP.scenario(1).flows[0].transport
    assert tcp.initial_window_packets == tcp.initial_ssthresh_packets == 2
    assert (DCTCP.options(1)["window"], DCTCP.options(1)["ssthresh"]) == ("2", "2920")
    assert "ssthresh" not in BBR.options(1)


def test_no_two_settings_of_a_table_have_one_name() -> None:
    for settings in SETTINGS.values():
        assert len({setting.title for setting in settings}) == len(settings)


def test_our_side_fills_the_link_and_marks_where_it_shall() -> None:
    found = ours(Setting("dctcp", 1e7, 0.02, 20.0, 2, slow_start=False, seconds=8.0, warm_up=4.0), 1)
    assert found["goodput"] > 9.5
    assert found["marked"] > 5
    assert found["dropped"] == 0


# --- The page ---------------------------------------------------------------------------------------------


def test_a_table_marks_what_differs_by_more_than_is_allowed() -> None:
    near = pair(BBR, outcome(goodput=10.4, wait=11), outcome(goodput=10, wait=10))
    far = pair(DCTCP, outcome(goodput=10.6, wait=7), outcome(goodput=10, wait=10))
    lines = section([near, far]).splitlines()
    rows = [line for line in lines if line.startswith(("| 20 Mbit/s", "| 100 Mbit/s"))]
    assert "2 seeds" in lines[0]
    assert "| 10.400 / 10.000 | +4.0 ± 0.0 | 11.000 / 10.000 | +10.0 ± 0.0 |" in rows[0]
    assert "+6.0 ± 0.0 °" in rows[1]
    assert "-30.0 ± 0.0 °" in rows[1]


def test_seeds_that_differ_widen_the_interval() -> None:
    values = [outcome(goodput=9), outcome(goodput=11)]
    centre, half = Pair(BBR, values, [outcome(goodput=10)] * 2, "ns-3.37").difference("goodput")
    # Student's t of one degree of freedom times a standard error of 1, in percent of 10.
    assert centre == pytest.approx(0)
    assert half == pytest.approx(127.06, abs=0.01)


def test_one_flow_has_no_fairness_and_drop_tail_no_marks() -> None:
    text = section([pair(BBR, outcome(), outcome()), pair(DCTCP, outcome(), outcome())])
    bbr, dctcp = text.split("**DCTCP")
    assert "marked" not in bbr
    assert "marked" in dctcp
    assert dctcp.rstrip().endswith("|  |")


def test_each_version_has_its_own_tables_and_conclusions() -> None:
    pairs = [pair(BBR, outcome(), outcome(), "ns-3.37"), pair(BBR, outcome(), outcome(wait=3.5), "ns-3.44")]
    parts = section(pairs).split("## Beside ")[1:]
    for part, version, near in zip(parts, ("ns-3.37", "ns-3.44"), (1, 0), strict=True):
        assert part.startswith(f"{version}\n")
        assert f"within 5 % of {version}'s in 1 of 1 settings" in part
        assert f"within 20 % in {near}" in part
        assert f"ours / {version} |" in part


def test_the_version_that_is_nearer_to_linux_is_named() -> None:
    alone = Setting("bbr", 1e7, 0.02, 4.0, 1)
    peers = {"ns-3.37": 6.8, "ns-3.44": 24.1}
    pairs = [pair(alone, outcome(), outcome(wait=wait), peer) for peer, wait in peers.items()]
    linux = {"10 Mbit/s, 20 ms": {"7.3.4": 7.63}}
    text = beside_linux([*pairs, pair(BBR, outcome(), outcome())], linux)
    assert "| 1.00 | 6.80 | 24.10 | 7.63 |" in text
    assert "ns-3.37 in 1 of 1 settings" in text


def test_without_ns3_the_comparison_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(main, ["--seeds", "2"])
    assert result.exit_code == 1
    assert "not compared, for want of ns-3" in result.output
