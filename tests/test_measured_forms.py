"""The forms in which round-trip times come: what ping and fping print on many systems, and many tables.

Each file of tests/data/measured is a form; none was recorded, all have the same few round-trip times.
"""

from __future__ import annotations

import codecs
import gzip
import math
import re
from pathlib import Path

import numpy as np
import pytest

from parshall.errors import InputError
from parshall.forecast import MeasuredSeries, read
from parshall.forecast.reading import read_quietly

DATA = Path(__file__).parent / "data/measured"
NONE = math.nan
FIRST = [21.6, NONE, 20.8]
EXACT = [21.619, 20.754]

PINGS: dict[str, list[float]] = {
    "iputils": [NONE, 20.8, 1013, NONE, NONE, 23.3, 0.051, NONE],
    "iputils-icmp-req": FIRST,
    "iputils-stamps": FIRST,
    "iputils-ipv6-interface": [21.6, 20.8],
    "iputils-german": FIRST,
    "iputils-japanese": [21.6, 20.8],
    "iputils-two-runs": [21.6, 20.8, NONE, NONE, 23.3, 20.4],
    "iputils-replies-of-two-runs": [21.6, 20.8, 23.3, 20.4],
    "busybox": [NONE, *EXACT, NONE],
    "macos": [21.619, NONE, 20.754, 1020.362, NONE],
    "macos-apple-time": EXACT,
    "bsd-ping6": [NONE, *EXACT],
    "solaris": FIRST,
    "inetutils": EXACT,
    "hping3": FIRST,
    "windows-english": [21, 0.5, NONE, NONE, 20],
    **{
        f"windows-{language}": [21, 0.5, NONE, 20]
        for language in (
            "german", "french", "spanish", "portuguese", "italian", "russian", "chinese", "japanese",
            "unknown-language", "ipv6",
        )
    },
    "windows-two-runs": [21, NONE, 21, NONE],
    "fping-loop": FIRST,
    "fping-count": [*FIRST, NONE],
    "fping-values": [*FIRST, NONE],
    "fping-count-values": [21.6, 20.8],
    "fping-two-runs": [21.6, 20.8, NONE, 23.3],
}  # fmt: skip
PREFIXES = {
    "ts": [0, 1, 2],
    "ts-seconds": [0, 1, 2],
    "ts-relative": [0, 1, 2],
    "iso": [0, 1, 2],
    "brackets": [0, 1, 2],
    "date": [0, 1, 2],
    "syslog": [0, 1, 2],
    "half-day": [0, 1, 2],
    "unknown": None,
}
"""Times in front of each line, and the seconds that they lie apart."""


def ms(series: MeasuredSeries) -> list[float]:
    return [round(value, 9) for value in (series.rtts * 1000).tolist()]


def same(found: list[float], expected: list[float]) -> None:
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("form", PINGS)
def test_every_ping_is_read_in_seconds(form: str) -> None:
    series = read(DATA / f"{form}.txt")
    same(ms(series), PINGS[form])
    assert series.unit == "ms"
    assert series.gaps == sum(map(math.isnan, PINGS[form]))


@pytest.mark.parametrize("form", PREFIXES)
def test_a_time_in_front_of_lines_is_read_or_left_out(form: str) -> None:
    series = read(DATA / f"prefix-{form}.txt")
    same(ms(series), FIRST)
    if PREFIXES[form] is None:
        assert series.times is None
    else:
        assert series.times is not None
        np.testing.assert_allclose(series.times - series.times[0], PREFIXES[form])


def test_times_are_seconds_of_the_calendar() -> None:
    for form in ("iputils-stamps", "fping-count", "prefix-ts-seconds"):
        times = read(DATA / f"{form}.txt").times
        assert times is not None
        assert times[0] == 1700000000.25
    times = read(DATA / "prefix-iso.txt").times
    assert times is not None
    assert times[0] == 1699996380  # 2023-11-14 21:13 UTC
    clock = read(DATA / "macos-apple-time.txt").times
    assert clock is not None
    assert (clock[1] - clock[0]) == 1  # across midnight


def test_every_file_is_in_the_table() -> None:
    forms = {*PINGS, *(f"prefix-{form}" for form in PREFIXES)}
    assert {path.stem for path in DATA.glob("*.txt")} == forms


@pytest.mark.parametrize("form", ["iputils", "windows-german", "windows-chinese", "fping-loop"])
@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
    ],
)
def test_marks_and_encodings_make_no_difference(
    form: str, mark: bytes, encoding: str, tmp_path: Path
) -> None:
    text = (DATA / f"{form}.txt").read_text(encoding="utf-8")
    path = tmp_path / "ping.txt"
    path.write_bytes(mark + text.encode(encoding))
    same(ms(read(path)), PINGS[form])
    # As two files joined: a mark in the middle, and two runs.
    path.write_bytes(mark + text.encode(encoding) + mark + text.encode(encoding))
    same(ms(read(path)), PINGS[form] * 2)


@pytest.mark.parametrize(
    ("form", "encoding"),
    [
        ("windows-german", "cp850"),
        ("windows-french", "cp1252"),
        ("windows-spanish", "cp850"),
        ("windows-portuguese", "cp850"),
        ("windows-russian", "cp866"),
        ("windows-russian", "cp1251"),
        ("windows-chinese", "cp936"),
        ("windows-japanese", "cp932"),
    ],
)
def test_code_pages_of_windows_are_read(form: str, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "ping.txt"
    path.write_bytes((DATA / f"{form}.txt").read_text(encoding="utf-8").encode(encoding, errors="replace"))
    same(ms(read(path)), PINGS[form])


@pytest.mark.parametrize("form", PINGS)
def test_packed_files_and_other_ends_of_lines_make_no_difference(form: str, tmp_path: Path) -> None:
    data = (DATA / f"{form}.txt").read_bytes().replace(b"\r\n", b"\n")
    path = tmp_path / "ping.txt.gz"
    for end in (b"\n", b"\r\n", b"\r\r\n"):
        path.write_bytes(gzip.compress(data.replace(b"\n", end)))
        same(ms(read(path)), PINGS[form])


def test_what_was_joined_or_left_out_is_said() -> None:
    assert read(DATA / "iputils-two-runs.txt").remarks == (
        "2 runs of ping, one behind the other: 3, 3 requests.",
    )
    assert read(DATA / "fping-loop.txt").remarks == ()
    assert read(DATA / "prefix-unknown.txt").remarks == (
        "What stands in front of the lines is no time that is known, and was left out.",
    )


# --- Tables -------------------------------------------------------------------------------------------------

BOTH = [21.6, 20.8]
TABLES: dict[str, tuple[str, list[float], list[float] | None]] = {
    "names": ("rtt_ms\n21.6\n20.8\n", BOTH, None),
    "quotes": ('"time","rtt_ms"\n"0.5","21.6"\n"1.5",""\n', [21.6, NONE], [0.5, 1.5]),
    "quoted names": ('"time","rtt, measured (ms)"\n0.5,21.6\n1.5,20.8\n', BOTH, [0.5, 1.5]),
    "semicolons and commas": ("time;rtt_ms\n0,5;21,6\n1,5;20,800\n", BOTH, [0.5, 1.5]),
    "commas in quotes": ('time,rtt_ms\n"0,5","21,6"\n"1,5","20,8"\n', BOTH, [0.5, 1.5]),
    "one column of commas": ("rtt_ms\n21,619\n20,29\n", [21.619, 20.29], None),
    "commas and tabs": ("t\trtt_ms\n0\t0,435\n1\t20,8\n", [0.435, 20.8], [0, 1]),
    "groups of thousands": ('rtt_us\n"21,600.5"\n"1,020,800"\n', [21.6005, 1020.8], None),
    "groups of thousands, German": ("zeit;rtt_us\n0;21.600,5\n1;1.020.800,0\n", [21.6005, 1020.8], [0, 1]),
    "sep of Excel": ("sep=;\r\ntime;rtt_ms\r\n0;21,6\r\n1;20,8\r\n", BOTH, [0, 1]),
    "index of pandas": (",time,rtt_ms\n0,0.5,21.6\n1,1.5,\n", [21.6, NONE], [0.5, 1.5]),
    "units in cells": ("time,rtt\n0,21.6 ms\n1,800us\n2,1.5 s\n", [21.6, 0.8, 1500], [0, 1, 2]),
    "bars": ("time|rtt_ms\n0|21.6\n1|20.8\n", BOTH, [0, 1]),
    "spaces": ("t rtt_ms\n0 21.6\n1   20.8\n", BOTH, [0, 1]),
    "words for lost": (
        "rtt_ms\n21.6\nNaN\n*\ntimeout\nN/A\nnull\n20.8\n",
        [21.6, NONE, NONE, NONE, NONE, NONE, 20.8],
        None,
    ),
    "comments": ("# by hand\n\nrtt_ms\n21.6\n# later\n20.8\n", BOTH, None),
    "powers of ten": ("rtt_s\n2.16e-2\n2.08E-02\n", BOTH, None),
    "microseconds": ("time_ms,rtt_us\n500,21600\n1500,20800\n", BOTH, [0.5, 1.5]),
    "nanoseconds": ("ts,rtt (ns)\n0,21600000\n1,20800000\n", BOTH, [0, 1]),
    "Greek": ("rtt [µs]\n21600\n20800\n", BOTH, None),
    "written out": ("RTT in milliseconds\n21.6\n20.8\n", BOTH, None),
    "camels": ("sentAt,rttMs\n0,21.6\n1,20.8\n", BOTH, [0, 1]),
    "latency": ("timestamp,host,latency (ms),ttl\n0,a,21.6,57\n1,a,20.8,57\n", BOTH, [0, 1]),
    "rtt among others": ("time,flow,rtt_ms,srtt_ms,rto_ms\n0,a,21.6,1,2\n1,a,20.8,1,2\n", BOTH, [0, 1]),
    "tshark": (
        '"frame.time_relative","tcp.analysis.ack_rtt"\n"0.5","0.0216"\n"1.5","0.0208"\n',
        [21.6, 20.8],
        [0.5, 1.5],
    ),
    "tshark, ICMP": (
        "frame.time_epoch\ticmp.resptime\n1700000000.5\t21.6\n1700000001.5\t20.8\n", BOTH, [0, 1]),
    "surplus separator": ("time,rtt_ms,\n0,21.6,\n1,20.8,\n", BOTH, [0, 1]),
    "ISO 8601": ("time,rtt_ms\n2023-11-14T22:13:20Z,21.6\n2023-11-14T22:13:21Z,20.8\n", BOTH, [0, 1]),
    "ISO 8601 with a zone": (
        "time,rtt_ms\n2023-11-14T23:59:59.250+01:00,21.6\n2023-11-15T00:00:00.250+0100,20.8\n", BOTH, [0, 1],
    ),
    "ISO 8601, basic": ("time,rtt_ms\n20231114T221320Z,21.6\n20231114T221321Z,20.8\n", BOTH, [0, 1]),
    "ISO 8601, nine digits": (
        "time,rtt_ms\n2023-11-14 22:13:20.123456789 UTC,21.6\n2023-11-14 22:13:21.123456789 UTC,20.8\n",
        [21.6, 20.8],
        [0, 1],
    ),
    "ISO 8601 and commas": (
        "time;rtt_ms\n2023-11-14 22:13:20,5;21,6\n2023-11-14 22:13:21,5;20,8\n", BOTH, [0, 1]),
    "ISO 8601 without names": ("2023-11-14T22:13:20Z,21.6 ms\n2023-11-14T22:13:21Z,20.8 ms\n", BOTH, [0, 1]),
    "date and time": ("date,time,rtt_ms\n2023-11-14,23:59:59,21.6\n2023-11-15,00:00:00,20.8\n", BOTH, [0, 1]),
    "dots": ("Datum;rtt_ms\n14.11.2023 22:13:20;21,6\n14.11.2023 22:13:21;20,8\n", BOTH, [0, 1]),
    "clocks": ("time,rtt_ms\n23:59:59.5,21.6\n00:00:00.5,20.8\n", BOTH, [0, 1]),
    "milliseconds since 1970": ("timestamp,rtt_ms\n1700000000500,21.6\n1700000001500,20.8\n", BOTH, [0, 1]),
}  # fmt: skip


@pytest.mark.parametrize("form", TABLES)
def test_every_table_is_read_in_seconds(form: str, tmp_path: Path) -> None:
    text, rtts, times = TABLES[form]
    path = tmp_path / "rtts.csv"
    path.write_text(text, encoding="utf-8", newline="")
    series = read(path)
    same(ms(series), rtts)
    if times is None:
        assert series.times is None
    else:
        assert series.times is not None
        np.testing.assert_allclose(np.diff(series.times), np.diff(times), atol=1e-6)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("rtt_ms\n21,619\n20,754\n", ":2: got 21,619, expected a point or no thousands"),
        ("21,619\n20,754\n", ":1: got 21,619, expected a header: two columns, or a comma"),
        ("time,rtt_ms\n0,0,21,6\n", ":2: got 4 cells (does a comma stand before a fraction?), expected 2"),
        ("time,rtt_ms\n0,21.6\n1\n", ":3: got 1 cell, expected 2, as the names have"),
        ("time;rtt_ms\n0;21,6\n1;20.8\n", ":3: got 20.8, expected a number with a comma, as in other lines"),
        ("time,rtt_ms\n11/12/2023 22:13:20,21.6\n", ":2: got 11/12/2023 22:13:20, expected a time: seconds"),
        ("time,rtt_ms\n2023-11-14T22:13:20Z,21.6\nlater,20.8\n", ":3: got later, expected a time"),
        ("time,rtt_ms\n2023-11-14T22:13:20Z,21.6\n,20.8\n", ":3: got nothing, expected a time"),
        ("time,rtt_ms\n20231114T221320Z,1\n20231114T221319Z,2\n", ":3: got .*, expected a time that is"),
        ("rtt_ms\n21.6\nabc\n", ":3: got abc, expected a number"),
        ("rtt_ms\n21.6\n1_000\n", ":3: got 1_000, expected a number"),
        ("rtt_ms\n21.6\n0x1f\n", ":3: got 0x1f, expected a number"),
        ("rtt_ms\n21.6\n-1\n", ":3: got -1, expected a round-trip time"),
        ("rtt_ms\n21.6\ninf\n", ":3: got inf, expected a round-trip time"),
        ("rtt (ticks)\n3\n", ":1: got rtt \\(ticks\\), expected one of the units s, ms, us, ns"),
        ("seq,ttl\n1,57\n", ":1: got seq, ttl, expected one column whose name holds rtt"),
        ("seq,time_ms\n1,21.6\n", ":1: got seq, time_ms, expected one column whose name holds rtt"),
        ("rtt_min_ms,rtt_max_ms\n1,2\n", ":1: got .*, expected one column whose name holds rtt"),
        ('time,rtt_ms\n0,"21.6\n1,20.8\n', ": got a row that is no CSV"),
    ],
)  # fmt: skip
def test_a_table_is_never_misread(text: str, line: str, tmp_path: Path) -> None:
    refused(text, line, tmp_path)


def refused(text: str, line: str, folder: Path) -> None:
    path = folder / "rtts.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(path)
    said = str(caught.value).replace('"', "")
    assert "\n" not in said
    assert re.search(line if ".*" in line or "\\" in line else re.escape(line), said), said


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "HOST: here        Loss%   Snt   Last   Avg\n  1.|-- gw  0.0%  10  0.4  0.4\n",
            ":1: got what mtr prints",
        ),
        (
            "traceroute to x (192.0.2.1), 30 hops max\n 1  gw  0.4 ms  0.4 ms  0.4 ms\n",
            ":1: got what traceroute",
        ),
        ("22:13:20.5 IP a > b: ICMP echo request, id 1, seq 1, length 64\n", ":1: got what tcpdump prints"),
        ("Reply from 192.0.2.1: seq=000a time=21.6ms TTL=57 ID=6a3c\n", ":1: got what hrping prints"),
        ("Starting Nping 0.7.93\nSENT (0.03s) ICMP\n", ":1: got what nping prints"),
        (
            "Sending 5, 100-byte ICMP Echos to 192.0.2.1, timeout is 2 seconds:\n!!!!!\n",
            ":1: got what a Cisco router",
        ),
        ('{"rtt_ms": [21.6]}\n', ":1: got JSON"),
        ("<html>\n", ":1: got HTML or XML"),
        ("192.0.2.1 is alive (21.6 ms)\n", ":1: got what fping says of a host that is alive"),
        ("192.0.2.1 : xmt/rcv/%loss = 3/3/0%, min/avg/max = 1/2/3\n", ":1: got a summary of fping alone"),
        (
            "192.0.2.1 : [0], 64 bytes, 21.6 ms (21.6 avg, 0% loss)\n"
            "192.0.2.7 : [0], 64 bytes, 20.8 ms (20.8 avg, 0% loss)\n",
            ":2: got fping to 192.0.2.7, expected one target: 192.0.2.1, as before",
        ),
        (
            "PING a (192.0.2.1) 56(84) bytes of data.\n64 bytes from a: icmp_seq=1 ttl=57 time=21.6 ms\n"
            "PING b (192.0.2.7) 56(84) bytes of data.\n64 bytes from b: icmp_seq=1 ttl=57 time=20.8 ms\n",
            ":3: got ping to b, expected one target: a, as before",
        ),
        (
            "PING a (192.0.2.1) 56(84) bytes of data.\n\n--- a ping statistics ---\n"
            "3 packets transmitted, 3 received, 0% packet loss, time 2003ms\n",
            ":4: got statistics of ping alone (-q or -f), expected a line for each reply",
        ),
        (
            "PING a (192.0.2.1) 56(84) bytes of data.\n64 bytes from a: icmp_seq=1 ttl=57 time=21.6 ms\n"
            "64 bytes from a: icmp_seq=2 ttl=57 time=20.",
            ":3: got 64 bytes from a: icmp_seq=2 ttl=57 time=20., expected a reply with a time",
        ),
        (
            "PING a (192.0.2.1) 56(84) bytes of data.\n64 bytes from a: icmp_seq=1 ttl=57 time=21.6 ms\n"
            "64 bytes from a: icmp_seq=2",
            ":3: got 64 bytes from a: icmp_seq=2, expected a whole line",
        ),
        (
            "12 bytes from a: icmp_seq=1 ttl=57\n12 bytes from a: icmp_seq=2 ttl=57\n",
            ":1: got replies without a time (ping -s below 16), expected a time in each",
        ),
        (
            "Pinging 192.0.2.1 with 32 bytes of data:\n"
            "Reply from 192.0.2.1: bytes=32 time=21ms TTL=57\nXyz.\n",
            ":3: got Xyz., expected a reply, or a line that tells of its loss",
        ),
        (
            "PING a (192.0.2.1): 56 data bytes\n64 bytes from a: seq=0 ttl=57 time=-3.0 ms\n",
            ":2: got -3.0, expected a round-trip time",
        ),
        ("Pinging 192.0.2.1 with 32 bytes of data:\nRequest timed out.\n", ": got no reply"),
    ],
)
def test_what_is_no_series_of_ping_is_named(text: str, line: str, tmp_path: Path) -> None:
    refused(text, line, tmp_path)


@pytest.mark.parametrize(
    ("data", "got"),
    [
        (b"PAR1\x15\x04", "a Parquet file"),
        (b"\xd4\xc3\xb2\xa1\x02\x00", "a packet capture .*"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "bytes that are not text"),
        (b"\x1f\x8b\x08\x00\x00\x00", "half a compressed file"),
        (codecs.BOM_UTF16_LE + b"r\x00t\x00t", "bytes that are not text"),
        (b"", "nothing"),
    ],
)
def test_files_that_are_no_text_are_one_line(data: bytes, got: str, tmp_path: Path) -> None:
    path = tmp_path / "rtts.csv"
    path.write_bytes(data)
    with pytest.raises(InputError, match=f"^{path}: got {got}, expected [^\n]*$"):
        read(path)


def test_numbers_without_a_unit_are_seconds_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "rtts.csv"
    path.write_text("0.0216\n0.0208\n")
    with pytest.warns(UserWarning, match="The file names no unit: its numbers were taken for seconds"):
        series = read(path)
    assert series.rtts.tolist() == [0.0216, 0.0208]
    assert series.unit == "s"
    assert read_quietly(path).remarks == series.remarks
    in_ms = read(path, unit="ms")
    assert in_ms.rtts.tolist() == [0.0216 / 1000, 0.0208 / 1000]
    assert (in_ms.unit, in_ms.remarks) == ("ms", ())
    with pytest.raises(InputError, match=r'^unit: got "minutes", expected one of s, ms, us, ns$'):
        read(path, unit="minutes")
