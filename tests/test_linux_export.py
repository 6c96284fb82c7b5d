"""`parshall qdisc export`: recorded netlink messages, and as root a network namespace with queues in it."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from parshall.cli.main import main
from parshall.errors import InputError
from parshall.estimators import Quality
from parshall.qdisc import parse, prometheus_text, read
from parshall.qdisc.estmred import LAYOUT
from parshall.qdisc.message import DONE, HEADER, MARKS_AT
from parshall.qdisc.socket import QdiscError, collect

MARKED = {"red": "marked", "codel": "ecn_mark", "fq_codel": "qdisc_stats.ecn_mark", "pie": "ecn_mark"}

RECORDED = Path(__file__).parent / "data" / "linux"


def recorded(name: str) -> bytes:
    """Messages of a kernel 6.1 in an emulated machine, written down as hexadecimal numbers."""
    return bytes.fromhex((RECORDED / f"{name}.hex").read_text())


def test_every_stock_discipline_has_its_counters() -> None:
    found = {qdisc.kind: qdisc for qdisc in parse(recorded("stock"))}
    assert set(found) == {"red", "codel", "fq_codel", "pie", "tbf"}
    red = found["red"]
    # As `tc -s qdisc` printed them beside the messages.
    assert (red.handle, red.parent, red.bytes, red.packets, red.drops) == ("1:", "root", 4280, 6, 0)
    tbf = found["tbf"]
    assert (tbf.backlog_bytes, tbf.backlog_packets, tbf.packets, tbf.overlimits) == (2526, 3, 3, 3)
    assert {kind: qdisc.marks for kind, qdisc in found.items()} == {
        "tbf": None,
        "red": 0,
        "codel": 0,
        "fq_codel": 0,
        "pie": 0,
    }


def test_an_estimate_is_read() -> None:
    (qdisc,) = [each for each in parse(recorded("estmred")) if each.kind == "estmred"]
    estmred = qdisc.estmred
    assert estmred is not None
    assert estmred.state == "estimating"
    assert estmred.estimates > 0
    assert 0.0 <= (estmred.share or 0.0) <= 1.0
    assert estmred.rtt >= 0.02
    text = prometheus_text([qdisc], lambda _: 'we"ird\\')
    labels = 'device="we\\"ird\\\\",kind="estmred",handle="2:",parent="1:"'
    assert f"parshall_estmred_share{{{labels}}} {estmred.share!r}\n" in text
    assert f"parshall_estmred_estimates_total{{{labels}}} {estmred.estimates}\n" in text
    for flag in Quality:
        is_set = int(flag in estmred.quality)
        assert f'parshall_estmred_doubt{{{labels},reason="{str(flag.name).lower()}"}} {is_set}\n' in text


def test_marks_and_estimates_stand_where_the_headers_have_them(tmp_path: Path) -> None:
    if shutil.which("gcc") is None or sys.platform != "linux":
        pytest.skip("the kernel's headers are read by gcc on Linux")
    fields = [f"tc_{kind}_xstats, {field}" for kind, field in MARKED.items()]
    fields += [f"tc_estmred_xstats, {field}" for field in ("share", "quality", "state", "prob_drop", "max_p")]
    prints = "".join(f'printf("%zu\\n", offsetof(struct {field}));' for field in fields)
    headers = (
        "#include <stddef.h>\n#include <stdio.h>\n#include <linux/pkt_sched.h>\n#include <pkt_estmred.h>\n"
    )
    (tmp_path / "offsets.c").write_text(headers + f"int main(void) {{ {prints} return 0; }}")
    there = str(Path(__file__).parent.parent / "linux" / "qdisc")
    subprocess.run(["gcc", "-I", there, "offsets.c", "-o", "offsets"], cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "offsets"], capture_output=True, text=True, check=True).stdout
    assert [int(each) for each in said.split()] == [*MARKS_AT.values(), 80, 92, 96, 100, LAYOUT.size - 4]


def test_what_prometheus_wants_of_its_format() -> None:
    text = prometheus_text(parse(recorded("stock")) + parse(recorded("estmred")), str)
    seen: set[str] = set()
    current = ""
    for line in text.splitlines():
        if line.startswith("# HELP"):
            current = line.split()[2]
            assert current not in seen
            seen.add(current)
        elif not line.startswith("#"):
            name, value = line.split("{")[0], line.rsplit(" ", 1)[1]
            assert name == current
            float(value)
            assert name.endswith("_total") == (f"# TYPE {name} counter" in text)
    assert text.endswith("\n")


@given(st.sampled_from(["stock", "estmred"]), st.data())
def test_what_is_cut_off_or_spoilt_never_fails(name: str, data: st.DataObject) -> None:
    whole = bytearray(recorded(name))
    for _ in range(data.draw(st.integers(0, 5))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))])
    prometheus_text(parse(cut), str)


def test_a_dump_ends_with_its_end_and_fails_with_the_kernels_error() -> None:
    done = HEADER.pack(HEADER.size + 4, DONE, 2, 1, 0) + bytes(4)
    parts = iter([b"", done])
    with pytest.raises(QdiscError, match="cut off"):
        collect(lambda: next(parts))
    parts = iter([recorded("estmred"), done])
    assert parse(collect(lambda: next(parts))) == parse(recorded("estmred"))
    refused = HEADER.pack(HEADER.size + 4, 2, 0, 1, 0) + struct.pack("=i", -1)
    with pytest.raises(QdiscError, match="netlink: Operation not permitted"):
        collect(lambda: refused)


@pytest.mark.skipif(sys.platform != "linux", reason="netlink is Linux's")
def test_wrong_arguments_are_one_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["qdisc", "export", "--device", "no-such-device"]) == 1
    assert 'device: got "no-such-device", expected a network device' in capsys.readouterr().err
    (tmp_path / "folder").mkdir()
    for out in (tmp_path / "folder", tmp_path / "file" / "x"):
        (tmp_path / "file").write_text("kept")
        assert main(["qdisc", "export", "--out", str(out)]) == 1
        error = capsys.readouterr().err
        assert error.startswith("parshall: ")
        assert error.count("\n") == 1
    assert main(["qdisc", "export", "surplus"]) == 2
    with pytest.raises(InputError):
        read("no-such-device")


@pytest.fixture
def namespace() -> Iterator[list[str]]:
    """A network namespace with a queue of our own in it."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("network namespaces need root on Linux, and iproute2")
    name = f"parshall-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode:
        pytest.skip("this kernel lets nobody add a network namespace")
    try:
        yield ["ip", "netns", "exec", name]
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False)


def test_a_namespace_of_ones_own(namespace: list[str], tmp_path: Path) -> None:
    def run(*words: str) -> str:
        return subprocess.run([*namespace, *words], check=True, capture_output=True, text=True).stdout

    queue = ["root", "handle", "5:", "tbf", "rate", "1mbit", "burst", "2k", "limit", "9k"]
    run("tc", "qdisc", "add", "dev", "lo", *queue)
    script = "import sys; from parshall.cli.main import main; sys.exit(main(sys.argv[1:]))"
    parshall = [sys.executable, "-c", script, "qdisc", "export", "--device", "lo"]
    labels = '{device="lo",kind="tbf",handle="5:",parent="root"}'
    assert f"parshall_qdisc_backlog_bytes{labels} 0\n" in run(*parshall)
    assert run(*parshall, "--out", str(tmp_path / "text.prom")) == ""
    assert f"parshall_qdisc_requeues_total{labels} 0\n" in (tmp_path / "text.prom").read_text()
