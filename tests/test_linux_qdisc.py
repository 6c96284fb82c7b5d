"""The queue discipline estmred in an emulated machine, with Debian's kernels 6.1, 6.12 and 7.3."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests import linux_machine as linux

from parshall.errors import InputError
from parshall_dev.emulated import EmulationError, Kernel, Machine
from parshall_dev.emulated.cpio import Archive
from parshall_dev.emulated.kernel import needs

RECORDED = Path(__file__).parent / "data" / "linux"


class Built:
    """A module that was built and put through everything."""

    def __init__(self, series: str, folder: Path) -> None:
        self.kernel = linux.kernel(series)
        self.folder = linux.source(folder)
        self.build = linux.build_module(self.folder, self.kernel, "W=1")
        linux.make(self.folder, "plugin")
        linux.build_tools(self.folder)
        self.machine = linux.machine(self.folder, self.kernel)
        script = (self.folder / "emulate" / "check-qdisc.sh").read_text()
        self.parts = linux.parts(self.machine.run(script, timeout_s=280))


@pytest.fixture(
    scope="module",
    params=["6.1", *(pytest.param(each, marks=pytest.mark.exhaustive) for each in ("6.12", "7.3"))],
)
def tested(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(request.param, tmp_path_factory.mktemp("linux"))


def test_it_builds_without_a_warning_loads_and_goes(tested: Built) -> None:
    assert "sch_estmred.ko" in tested.build
    # The kernel's build says so of tools, not of the module.
    assert "warning" not in re.sub("warning: (the compiler|pahole version) differs", "", tested.build)
    assert tested.parts["release"].strip() == tested.kernel.release
    assert tested.parts["load"] == "loaded\n"
    assert tested.parts["remove"] == "removed\n"


def test_the_kernel_never_complains(tested: Built) -> None:
    assert tested.parts["complaints"] == ""


@pytest.mark.parametrize("part", ["options", "change", "errors"])
def test_tc_prints_what_it_always_printed(tested: Built, part: str) -> None:
    assert tested.parts[part] == linux.parts((RECORDED / "tc.txt").read_text())[part]


def test_tc_prints_json(tested: Built) -> None:
    (qdisc,) = json.loads(tested.parts["json"])
    assert qdisc["kind"] == "estmred"
    options = qdisc["options"]
    expected = {
        "limit": 61440,
        "min": 15360,
        "max": 46080,
        "avpkt": 1000,
        "ecn": True,
        "bandwidth": 12_500_000,
    }
    assert expected.items() <= options.items()
    assert options["delay"] == 50_000_000
    assert qdisc["estimate"]["state"] == "estimating"
    assert "share" not in qdisc["estimate"]


def test_the_share_moves_the_thresholds(tested: Built) -> None:
    tuned, still = (json.loads(line)[1] for line in tested.parts["tune"].splitlines())
    options = tuned["options"]
    assert (options["tune-above"], options["tune-band"]) == (pytest.approx(0.2, abs=1e-3), 0)
    assert tuned["estimate"]["average"] > 0.2
    assert (options["min"], options["max"]) == (15360, 46080)
    assert (tuned["min_now"], tuned["max_now"]) == (options["limit"], options["limit"])
    assert (still["min_now"], still["max_now"]) == (15360, 46080)


def test_it_survives_what_it_is_put_through(tested: Built) -> None:
    assert tested.parts["again"] == "added and removed 1000 times\n"
    assert tested.parts["sizes"] == "sizes 1664\nsizes 1664\n1\n"
    assert tested.parts["fuzz"].startswith("asked 5000, some taken 1, some refused 1\n")
    assert tested.parts["memory"] == "with little memory, too\n"


def test_traffic_passes_while_settings_change_and_a_share_is_told(tested: Built) -> None:
    traffic = tested.parts["traffic"].splitlines()
    assert traffic.count("changed") == 6
    assert any("estm " in line and "quality" in line for line in traffic)
    (estmred,) = [each for each in json.loads(tested.parts["estimate"]) if each["kind"] == "estmred"]
    estimate = estmred["estimate"]
    # 6 Mbit/s of UDP and four TCP flows arrive at a link of 10 Mbit/s.
    assert estmred["packets"] > 5000
    assert estmred["early"] > 0
    assert estimate["estimates"] >= 10
    assert 0.4 < estimate["average"] < 0.9
    assert 0.04e9 < estimate["rtt"] < 0.1e9
    assert isinstance(estimate["quality"], list)


@pytest.mark.exhaustive
def test_the_same_machine_says_the_same(tested: Built) -> None:
    script = """
        ip link add va type veth peer name vb; ip link set va up; ip link set vb up
        insmod /lib/sch_estmred.ko
        tc qdisc add dev va root estmred limit 60kB avpkt 1000 bandwidth 1mbit delay 1ms start-load 1
        ip addr add 10.0.0.1/24 dev va; ip neigh add 10.0.0.2 lladdr 02:00:00:00:00:02 dev va
        send_sizes 10.0.0.2; tc -s -d qdisc show dev va; cat /proc/uptime
    """
    if not tested.kernel.release.startswith("6.1."):
        pytest.skip("one kernel is enough for what QEMU does")
    first, second = (tested.machine.run(script, timeout_s=120) for _ in range(2))
    assert first == second
    assert "estmred" in first


def test_sparse_has_nothing_to_say(tested: Built) -> None:
    if shutil.which("sparse") is None or not tested.kernel.release.startswith("6.1."):
        pytest.skip("sparse checks it with the headers of 6.1, where it is installed")
    said = linux.build_module(tested.folder, tested.kernel, "C=2", "CHECK=sparse")
    assert "CHECK" in said
    assert "sch_estmred.c:" not in said
    assert "estmred_" not in said.replace("sch_estmred", "")


def test_install_puts_things_where_they_are_looked_for(tmp_path: Path) -> None:
    if shutil.which("make") is None or shutil.which("cc") is None:
        pytest.skip("tc's plug-in is built with make and cc")
    folder = linux.source(tmp_path)
    there = tmp_path / "there"
    linux.make(folder, "install", f"DESTDIR={there}")
    assert (there / "usr/lib/tc/q_estmred.so").is_file()
    assert (there / "usr/share/man/man8/tc-estmred.8").is_file()
    # DKMS builds from this folder alone.
    dkms = there / "usr/src/estmred-0.1.0"
    needed = {
        "Kbuild",
        "dkms.conf",
        "sch_estmred.c",
        "estmred_core.h",
        "estmred_fixed.h",
        "estmred_settings.h",
    }
    assert needed <= {file.name for file in dkms.iterdir()}
    assert 'PACKAGE_VERSION="0.1.0"' in (dkms / "dkms.conf").read_text()
    if linux.why_not("6.1") is None:
        headers = (linux.kernel("6.1").folder / "build").resolve()
        linux.make(headers, f"M={dkms}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules")
        assert (dkms / "sch_estmred.ko").is_file()


def test_a_kernel_that_is_none_and_modules_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"kernel: got .*, expected a folder with a kernel"):
        Kernel.load(tmp_path)
    (tmp_path / "release").write_text("1.0\n")
    (tmp_path / "vmlinuz").write_bytes(b"")
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "modules.builtin").write_text("kernel/net/core/inside.ko\n")
    (folder / "upper.ko").write_bytes(b"ELF\0depends=lower,inside\0name=upper\0")
    (folder / "lower.ko").write_bytes(b"ELF\0depends=\0name=lower\0")
    made = Kernel.load(tmp_path)
    assert list(made.modules(["upper"])) == ["lower", "upper"]
    assert needs(b"no module") == []
    with pytest.raises(InputError, match="modules: got absent"):
        made.modules(["absent"])


def test_an_archive_is_what_cpio_reads(tmp_path: Path) -> None:
    archive = Archive()
    archive.file("/bin/tool", b"#!/bin/sh\n", executable=True)
    archive.link("/bin/other", "tool")
    archive.folder("/a/b")
    data = archive.to_bytes()
    assert data.startswith(b"070701")
    names = [b"a\0", b"a/b\0", b"bin\0", b"bin/other\0", b"bin/tool\0", b"TRAILER!!!\0"]
    places = [data.index(name) for name in names]
    assert places == sorted(places)
    assert "/bin/tool" in archive
    assert "/bin/nothing" not in archive


def test_a_machine_that_does_not_end_its_script_says_its_last_words() -> None:
    machine = Machine(linux.kernel("6.1"), [])
    with pytest.raises(EmulationError, match=r"did not end its script; its last words: .*farewell"):
        machine.run("echo farewell; poweroff -f")
    with pytest.raises(EmulationError, match=r"did not end in 1 s; its last words: "):
        machine.run("sleep 1000000", timeout_s=1)
