"""Kernels that `linux/emulate/fetch-kernel` unpacks, in every shape that Debian's packages have had.

The archive is a folder of small packages that two scripts in place of apt read. Unpacking is Debian's own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.linux_machine import LINUX

from parshall.errors import InputError
from parshall_dev.emulated import Kernel

pytestmark = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="unpacking needs dpkg-deb")

EMULATE = LINUX / "emulate"
APT_CACHE = """\
#!/bin/sh
case "$APT_CONFIG" in '') archive=$ARCHIVE;; *) [ -e "$APT_CONFIG" ] && archive=$OTHER;; esac
for word; do last=$word; done
case "$1" in
  depends) shift; for name; do cat "$archive/$name.depends" 2>/dev/null; done;;
  *) ls "$archive" | sed -n 's/\\.deb$//p' | grep -E "$last" | sed 's/$/ - a kernel/';;
esac
"""
APT_GET = """\
#!/bin/sh
case "$APT_CONFIG" in '') archive=$ARCHIVE;; *) [ -e "$APT_CONFIG" ] && archive=$OTHER;; esac
case " $* " in
  *" indextargets "*) echo mirror;;
  *" download "*) for name; do case $name in linux-*) cp "$archive/$name.deb" . || exit 100;; esac; done;;
  *" install "*) echo install "$@" >> "$archive/installed"; cp "$archive/compiler.deb" "$archive/cache/";;
esac
"""
APT_CONFIG = "#!/bin/sh\necho \"cache='$OTHER/cache'\"\n"


@dataclass
class Archive:
    """A folder of packages."""

    folder: Path

    def add(self, name: str, files: Mapping[str, str], *depends: str) -> None:
        tree = self.folder.parent / "tree"
        shutil.rmtree(tree, ignore_errors=True)
        for path, text in {"DEBIAN/control": _control(name), **files}.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        built = [
            "dpkg-deb",
            "--root-owner-group",
            "-Znone",
            "-b",
            str(tree),
            str(self.folder / f"{name}.deb"),
        ]
        subprocess.run(built, check=True, capture_output=True)
        lines = "".join(f"  Depends: {each}\n" for each in depends)
        (self.folder / f"{name}.depends").write_text(f"{name}\n{lines}")

    def add_headers(self, release: str, compiler: str = "gcc-0") -> None:
        version = release.removesuffix("-cloud-amd64")
        source = f"usr/src/linux-headers-{release}/Makefile"
        common = f"linux-headers-{version}-common"
        self.add(
            f"linux-headers-{release}", {source: f"include /usr/src/{common}/Makefile\n"}, common, compiler
        )
        self.add(common, {f"usr/src/{common}/Makefile": "\n"})

    def add_whole(self, release: str, modules: str = "lib/modules") -> None:
        """A kernel in one package, as until 6.18."""
        files = {f"boot/vmlinuz-{release}": "image", f"{modules}/{release}/kernel/net/veth.ko": "module"}
        self.add(f"linux-image-{release}", files, "kmod", "linux-base")

    def add_split(self, release: str, *, image: bool = True) -> None:
        """A kernel in three packages beside an empty one, as from 7.1 on."""
        parts = [f"linux-{kind}-{release}" for kind in ("base", "binary", "modules")]
        files = f"usr/lib/modules/{release}"
        self.add(f"linux-image-{release}", {}, "linux-base", *parts)
        self.add(parts[0], {f"{files}/modules.builtin": "kernel/net/tun.ko\n"})
        self.add(parts[1], {f"{files}/vmlinuz": "image"} if image else {})
        self.add(parts[2], {f"{files}/kernel/net/veth.ko": "module"})


def _control(name: str) -> str:
    return f"Package: {name}\nVersion: 1\nArchitecture: amd64\nMaintainer: nobody\nDescription: a kernel\n"


@dataclass
class Debian:
    """This machine's archive, and that of another release of Debian."""

    folder: Path
    here: Archive
    other: Archive

    def run(self, *command: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "ARCHIVE": str(self.here.folder),
            "OTHER": str(self.other.folder),
        }
        environment.pop("APT_CONFIG", None)
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    def fetch(self, series: str) -> tuple[subprocess.CompletedProcess[str], Path]:
        to = self.folder / "kernels" / series
        return self.run(str(EMULATE / "fetch-kernel"), series, str(to)), to


@pytest.fixture
def debian(tmp_path: Path) -> Debian:
    for name, text in (
        ("apt-cache", APT_CACHE),
        ("apt-get", APT_GET),
        ("apt-config", APT_CONFIG),
        ("gcc-0", "#!/bin/sh\n"),
    ):
        file = tmp_path / "bin" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
    for name in ("here", "other"):
        (tmp_path / name / "debs").mkdir(parents=True)
    return Debian(tmp_path, Archive(tmp_path / "here" / "debs"), Archive(tmp_path / "other" / "debs"))


def is_whole(folder: Path, release: str) -> None:
    """A kernel that can be booted and whose modules are found."""
    kernel = Kernel.load(folder)
    assert kernel.release == release
    assert kernel.image.read_text() == "image"
    assert set(kernel.modules(["veth"])) == {"veth"}


def test_kernels_of_every_shape_are_whole(debian: Debian) -> None:
    debian.here.add_whole("6.1.0-50-cloud-amd64")
    debian.here.add_whole("6.12.117+deb12-cloud-amd64", "usr/lib/modules")
    debian.other.add_split("7.3.4+deb13-cloud-amd64")
    for series, release in (("6.1", "6.1.0-50"), ("6.12", "6.12.117+deb12"), ("7.3", "7.3.4+deb13")):
        ended, folder = debian.fetch(series)
        assert ended.returncode == 0, ended.stderr
        assert f"Linux {release}-cloud-amd64" in ended.stdout
        is_whole(folder, f"{release}-cloud-amd64")


def test_a_kernel_that_no_image_came_out_of_is_an_error(debian: Debian) -> None:
    debian.here.add_split("7.3.4+deb13-cloud-amd64", image=False)
    ended, folder = debian.fetch("7.3")
    assert ended.returncode != 0
    assert "no vmlinuz of 7.3.4+deb13-cloud-amd64" in ended.stderr
    assert not folder.exists()
    with pytest.raises(InputError):
        Kernel.load(folder)


def test_a_package_that_cannot_be_had_is_an_error(debian: Debian) -> None:
    debian.here.add_split("7.3.4+deb13-cloud-amd64")
    (debian.here.folder / "linux-modules-7.3.4+deb13-cloud-amd64.deb").unlink()
    ended, folder = debian.fetch("7.3")
    assert ended.returncode != 0
    assert not (folder / "release").exists()


def test_a_series_that_is_nowhere_is_an_error_that_says_what_is_there(debian: Debian) -> None:
    debian.other.add_whole("6.12.117+deb13-cloud-amd64")
    debian.other.add_split("7.3.4+deb13-cloud-amd64")
    ended, folder = debian.fetch("6.1")
    assert ended.returncode == 1
    assert ended.stderr.splitlines() == ["fetch-kernel: no kernel 6.1 in Debian trixie; it has 6.12 7.3"]
    assert not folder.exists()


def test_newest_is_the_newest_of_the_other_release(debian: Debian) -> None:
    debian.here.add_whole("6.1.0-50-cloud-amd64")
    for release in ("6.12.117+deb13", "7.2.12+deb13", "7.10.1+deb13"):
        debian.other.add_split(f"{release}-cloud-amd64")
    ended, folder = debian.fetch("newest")
    assert "Linux 7.10.1+deb13-cloud-amd64 from Debian trixie" in ended.stdout
    is_whole(folder, "7.10.1+deb13-cloud-amd64")


def test_a_folder_may_be_relative(debian: Debian) -> None:
    """As make gives it."""
    debian.other.add_split("7.3.4+deb13-cloud-amd64")
    debian.other.add_headers("7.3.4+deb13-cloud-amd64")
    ended = debian.run(str(EMULATE / "fetch-kernel"), "7.3", "kernels/7.3", folder=debian.folder)
    assert ended.returncode == 0, ended.stderr
    is_whole(debian.folder / "kernels" / "7.3", "7.3.4+deb13-cloud-amd64")


def test_a_release_with_headers_goes_before_a_newer_one_without(debian: Debian) -> None:
    for number in (9, 50, 52):
        debian.here.add_whole(f"6.1.0-{number}-cloud-amd64")
    debian.here.add_headers("6.1.0-9-cloud-amd64")
    debian.here.add_headers("6.1.0-50-cloud-amd64")
    ended, folder = debian.fetch("6.1")
    assert ended.returncode == 0, ended.stderr
    is_whole(folder, "6.1.0-50-cloud-amd64")
    makefile = (folder / "build" / "Makefile").read_text()
    assert Path(re.findall(r"include (\S+)", makefile)[0]).is_file()


def test_a_kernel_without_headers_runs_but_no_module_is_built_for_it(debian: Debian) -> None:
    debian.here.add_whole("6.18.15+deb13-cloud-amd64")
    ended, folder = debian.fetch("6.18")
    assert ended.returncode == 0
    assert "no module can be built" in ended.stderr
    is_whole(folder, "6.18.15+deb13-cloud-amd64")
    built = debian.run(str(EMULATE / "build-module"), str(folder), str(LINUX))
    assert built.returncode == 1
    assert built.stderr.splitlines() == [
        f"build-module: {folder} has no headers of 6.18.15+deb13-cloud-amd64"
    ]


@pytest.mark.parametrize("here", [True, False], ids=["here", "elsewhere"])
def test_a_compiler_that_this_machine_lacks_is_fetched_with_the_kernel(debian: Debian, here: bool) -> None:
    """Wherever the kernel comes from."""
    archive = debian.here if here else debian.other
    archive.add_split("7.3.4+deb13-cloud-amd64")
    archive.add_headers("7.3.4+deb13-cloud-amd64", "gcc-99-for-host")
    debian.other.add("compiler", {"usr/bin/gcc-99": "compiler"})
    (debian.other.folder / "cache").mkdir()
    ended, folder = debian.fetch("7.3")
    assert ended.returncode == 0, ended.stderr
    assert " gcc-99 " in (debian.other.folder / "installed").read_text()
    assert (folder / "root/usr/bin/gcc-99").read_text() == "compiler"


def test_without_a_compiler_for_its_headers_a_kernel_still_runs(debian: Debian) -> None:
    debian.here.add_whole("6.1.0-50-cloud-amd64")
    debian.here.add_headers("6.1.0-50-cloud-amd64", "gcc-99")
    ended, folder = debian.fetch("6.1")
    assert ended.returncode == 0
    assert "no module can be built" in ended.stderr
    is_whole(folder, "6.1.0-50-cloud-amd64")


def test_a_kernel_that_is_there_is_left_alone(debian: Debian) -> None:
    debian.here.add_whole("6.1.0-50-cloud-amd64")
    _, folder = debian.fetch("6.1")
    debian.here.add_whole("6.1.0-52-cloud-amd64")
    ended, _ = debian.fetch("6.1")
    assert (ended.returncode, ended.stdout) == (0, "")
    is_whole(folder, "6.1.0-50-cloud-amd64")


@pytest.mark.parametrize("series", ["6.1", "7.3"])
def test_a_series_is_no_prefix_of_another(debian: Debian, series: str) -> None:
    for archive in (debian.here, debian.other):
        archive.add_whole(f"{series}2.4-cloud-amd64")
    ended, _ = debian.fetch(series)
    assert ended.returncode == 1
