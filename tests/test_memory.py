"""A run that needs more memory than there is ends with one line, whatever grew, and the process lives on."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from tests.growing import RUNS, network

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="only Linux tells how large an address space is"
)

COMMAND = str(Path(sys.executable).parent / "parshall")
RELIABILITY = Path(__file__).parent.parent / "docs" / "reliability.md"

CHILD_S = 60
"""Seconds after which the system ends a child: it would outlive a parent that is killed."""

CHILDREN = f"""
import json, os, resource, signal, sys
import parshall

def bound(mebibytes):
    used = int(open("/proc/self/statm").read().split()[0]) * 4096
    resource.setrlimit(resource.RLIMIT_AS, (used + (mebibytes << 20), -1))

small = parshall.loads(json.loads(sys.stdin.readline()))
for line in sys.stdin:
    if os.fork() == 0:
        signal.alarm({CHILD_S})
        said = "nothing"
        try:
            exec(json.loads(line))
        except (parshall.ParshallError, MemoryError) as error:
            said = str(error)
        # The process lives on.
        print(json.dumps([said, parshall.run(small).events]), flush=True)
        os._exit(0)
    if (status := os.wait()[1]) != 0:
        print(json.dumps(["status " + str(status), 0]), flush=True)
"""

RUN = """
scenario = parshall.loads({!r})
bound(128)
parshall.run(scenario, max_events=10**9)
"""


@pytest.fixture(scope="module")
def said() -> dict[str, tuple[str, int]]:
    """The line that each says in a process of its own, and the events of a small run after it."""
    codes = {what: RUN.format(text) for what, text in RUNS.items()}
    lines = [json.dumps(text) for text in [network(duration="10 ms"), *codes.values()]]
    done = subprocess.run(
        [sys.executable, "-c", CHILDREN],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=2 * CHILD_S * len(codes),
    )
    assert done.stderr == ""
    return dict(zip(codes, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("what", RUNS)
def test_what_grows_ends_with_a_line(what: str, said: dict[str, tuple[str, int]]) -> None:
    line, events = said[what]
    assert "memory runs low: " in line
    assert len(line.splitlines()) == 1
    assert events > 0
    if what.startswith("rows of"):
        assert what.partition(",")[0] in line


def test_the_page_lists_what_is_tested() -> None:
    section = RELIABILITY.read_text().split("| what grows |")[1].split("\n\n")[0]
    assert re.findall(r"^\| (.*?) \|", section, re.MULTILINE) == [*RUNS]


@pytest.mark.parametrize("limit_kib", [None, 3 << 19])
@pytest.mark.parametrize("more", [(), ("--max-events", "1000000000000")])
def test_a_packet_each_picosecond_is_one_line(
    limit_kib: int | None, more: tuple[str, ...], tmp_path: Path
) -> None:
    if limit_kib is None and more:
        pytest.skip("it would take all memory of this computer")
    (tmp_path / "fast.toml").write_text(RUNS["packets in flight"])

    def bounded() -> None:
        if limit_kib is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit_kib << 10, limit_kib << 10))

    done = subprocess.run(
        [COMMAND, "run", "fast.toml", *more],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        preexec_fn=bounded,
        timeout=120,
    )
    assert done.returncode == 1
    announced, *last = done.stderr.splitlines()
    assert "will take about" in announced
    assert "memory" in last[0]
    assert len(last) == 1
