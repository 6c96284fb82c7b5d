"""The recording of a run: tables, flows and ports by name, and captures; to Arrow, data frames and files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parshall.errors import InputError, ParshallError, checked_path, shown
from parshall.support.results import opened, reading, replace_result, seal, verified

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.figure import Figure

    from parshall.recording.rounds import Rounds
    from parshall.recording.tables import Result
    from parshall.recording.views import FlowView, PortView
    from parshall.scenario import Scenario

__all__ = ["Recording"]

MANIFEST = "recording.json"
"""Says what a folder holds. It is written last: without it there is no recording."""

PCAPNG = b"\x0a\x0d\x0d\x0a"
"""First bytes of a file in the format pcapng."""


class Recording:
    """The result of one run.

    ``recording.flow("f1").goodput``, ``recording.flow("f1").rtt.srtt`` and
    ``recording.port("bottleneck").series`` are numbers and NumPy arrays; ``recording.table("rtt")`` is an
    Arrow table of all flows.
    """

    def __init__(
        self, scenario: Scenario, seed: int, result: Result, engine_version: str | None = None
    ) -> None:
        if engine_version is None:
            from parshall._core import ENGINE_VERSION

            engine_version = ENGINE_VERSION
        self.scenario = scenario
        self.seed = seed
        self.engine_version = engine_version
        """Engine version of this run."""
        self._result = result

    def __repr__(self) -> str:
        what = f"{self.scenario.summary}, seed {self.seed}"
        return f"<Recording {what}: tables {', '.join(self.tables)}>"

    def _repr_html_(self) -> str:
        from parshall.recording.pictures import recording_html

        return recording_html(self)

    def __getstate__(self) -> dict[str, Any]:
        """For pickles and deep copies: what the engine gave, as plain lists and arrays of its own."""
        result: dict[str, Any] = {"events": self.events, "pcap": dict(self.pcap)}
        result["names"] = {"flows": list(self.flows), "ports": list(self.ports)}
        for table in self.tables:
            columns = self.columns(table)
            result[table] = {name: columns[name].copy() for name in columns}
        return {
            "scenario": self.scenario,
            "seed": self.seed,
            "engine_version": self.engine_version,
            "_result": result,
        }

    @property
    def flows(self) -> tuple[str, ...]:
        """Names of the flows."""
        return tuple(self._result["names"]["flows"])

    @property
    def ports(self) -> tuple[str, ...]:
        """Names of the ports: that of the link for the forward port of a link with a name, else ``a->b``."""
        return tuple(self._result["names"]["ports"])

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables: ``flows``, ``ports`` and what the scenario records."""
        return tuple(name for name in self._result if name not in ("names", "pcap", "events"))

    @property
    def events(self) -> int:
        """Events that the engine executed."""
        return int(self._result["events"])

    @property
    def pcap(self) -> Mapping[str, bytes]:
        """Packet captures, as the bytes of a pcap or pcapng file, by the name of the port."""
        captures: Mapping[str, bytes] = self._result["pcap"]
        return captures

    @cached_property
    def flow_starts(self) -> tuple[float, ...]:
        """When each flow starts, in seconds and in the order of ``flows``."""
        from parshall.recording.starts import flow_starts

        return flow_starts(self.scenario, self.seed)

    def rounds(self, group: str = "") -> Rounds:
        """The rounds of flows with the application :class:`Barrier` and this ``group``; needs
        ``record.transfers``.
        """
        from parshall.recording.rounds import rounds

        return rounds(self, group)

    @property
    def counted_seconds(self) -> float:
        """Simulated seconds that the counters cover: from the warm-up to the end."""
        return self.scenario.duration - self.scenario.warm_up

    def table(self, name: str) -> pa.Table:
        """A table, with the names of flows and ports as dictionary-encoded text; docs/architecture.md lists
        the columns. Raises InputError for one that was not recorded.
        """
        from parshall.recording.tables import run_table

        if not isinstance(name, str) or name not in self.tables:
            raise InputError(
                "table", shown(name), f"one of {', '.join(self.tables)}, which this run recorded"
            )
        return run_table(self._result, name)

    def to_pandas(self, name: str = "flows") -> pd.DataFrame:
        """A table as a pandas data frame."""
        from parshall.recording.frames import to_pandas

        return to_pandas(self.table(name))

    def to_polars(self, name: str = "flows") -> pl.DataFrame:
        """A table as a Polars data frame."""
        from parshall.recording.frames import to_polars

        return to_polars(self.table(name))

    def flow(self, name: str) -> FlowView:
        """A flow: its counters, and its series where they were recorded."""
        from parshall.recording.views import FlowView, unknown, view

        index = self._flow_numbers.get(name) if isinstance(name, str) else None
        if index is None:
            raise unknown("flow", name, self.flows)
        return view(FlowView, self._result["flows"], index, name, _recording=self)

    def port(self, name: str) -> PortView:
        """A port, by its name or by ``a->b``: its counters and recorded series."""
        from parshall.recording.capacity import mean_rate
        from parshall.recording.views import PortView, unknown, view

        index = self._port_numbers.get(name) if isinstance(name, str) else None
        if index is None:
            raise unknown("port", name, tuple(self._port_numbers))
        rate = mean_rate(self.scenario, index)
        return view(PortView, self._result["ports"], index, self.ports[index], rate=rate, _recording=self)

    def plot(
        self,
        flows: Sequence[str] | None = None,
        ports: Sequence[str] | None = None,
        *,
        start: float | str = 0.0,
        end: float | str | None = None,
    ) -> Figure:
        """One sheet over time: cwnd, srtt, throughput, queue, delay and drops, from what was recorded.

        What is delivered is a mean over the last round trips, as many as take 0.2 s (in a run below 10 s a
        fiftieth of it). A panel without data says what to record. All flows and the ports of named links are
        drawn unless ``flows`` or ``ports`` name some; of more than 40 flows it is quantiles over them.
        ``start`` and ``end`` cut the time: seconds, or text such as ``"1.5 s"``. Returns the Matplotlib
        figure.
        """
        from parshall.recording.pictures import plot_recording

        return plot_recording(self, flows, ports, start=start, end=end)

    def qlog(self, flows: Sequence[str] | None = None) -> str:
        """The recovery events of flows as a sequential qlog, which qvis and other readers open.

        Its times are milliseconds of the simulated clock, and the group of an event is its flow. Without
        ``flows`` it has all flows that ``record.window`` names; ``record.rtt`` adds the RTT samples. Raises
        ParshallError if a flow's window is not recorded.

        >>> from parshall import DropTail, Dumbbell, FlowGroup, Record, Tcp, run
        >>> flows = [FlowGroup(count=1, transport=Tcp(), app="bulk")]
        >>> bell = Dumbbell(duration="2 s", rate="1 Mbit/s", delay="20 ms", queue=DropTail(limit_packets=10),
        ...     access_rate="1 Gbit/s", access_delay="1 ms", flows=flows, record=Record(window="*"))
        >>> run(bell, seed=1).qlog().count("quic:congestion_state_updated") > 1
        True
        """
        from parshall.recording.qlog import qlog_of

        if flows is not None and (isinstance(flows, str) or not isinstance(flows, Sequence)):
            raise InputError("flows", shown(flows), "a list of names")
        recorded = [name for name in self.flows if name in self._recorded("window")]
        if flows is None and not recorded:
            raise ParshallError("no flow's window is recorded; name flows in record.window")
        return qlog_of(self, recorded if flows is None else flows)

    def asked_columns(self, table: str, asked: str, name: str) -> Mapping[str, Any]:
        """Columns of a table. Raises ParshallError if ``record.<asked>`` left ``name`` out."""
        if not isinstance(name, str) or name not in self._recorded(asked) or table not in self._result:
            raise ParshallError(f"{name}: {asked} is not recorded; name it in record.{asked}")
        return self.columns(table)

    def columns(self, table: str) -> Mapping[str, Any]:
        """A table's columns as NumPy arrays, as the engine gave them: flows and ports are indices."""
        if not isinstance(table, str) or table not in self.tables:
            raise InputError("table", shown(table), f"one of {', '.join(self.tables)}")
        columns: Mapping[str, Any] = self._result[table]
        return columns

    @cached_property
    def _flow_numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._result["names"]["flows"])}

    @cached_property
    def _port_numbers(self) -> dict[str, int]:
        """The index of each port, by its name and by ``a->b``."""
        return self.scenario.port_numbers

    def _recorded(self, asked: str) -> set[str]:
        """The flows or ports that a field of the scenario's record asks for."""
        wanted = getattr(self.scenario.record, asked)
        names = () if wanted is None else getattr(wanted, "of", wanted)
        if "*" in names:
            return {*self.flows, *self.ports}
        numbers = (self._port_numbers.get(name) for name in names)
        return {self.ports[number] for number in numbers if number is not None} | set(names)

    def save(self, folder: str | Path) -> Path:
        """Writes the tables as Parquet, the captures, and the scenario as JSON and TOML; returns the folder.

        A recording that is there is replaced; other files are left alone, and never overwritten. When
        something goes wrong nothing is left behind. Raises OutputError.
        """
        target = checked_path("folder", folder, "a folder")
        captures = _capture_files(self.pcap)
        with replace_result(target, MANIFEST) as files:
            for name in self.tables:
                files.add_table(f"{name}.parquet", self.table(name))
            for port, name in captures.items():
                files.add(name, self.pcap[port])
            files.add("scenario.json", f"{self.scenario.to_json()}\n")
            files.add("scenario.toml", self.scenario.to_toml())
            seal(files, MANIFEST, self._facts(captures))
        return target

    def _facts(self, captures: Mapping[str, str]) -> dict[str, Any]:
        """Facts of the manifest; ``captures`` are the files of captures by port."""
        return {
            "scenario": self.scenario.hash,
            "title": self.scenario.title,
            "seed": self.seed,
            "engine_version": self.engine_version,
            "events": self.events,
            "tables": list(self.tables),
            "pcap": dict(captures),
        }

    @classmethod
    def load(cls, folder: str | Path) -> Recording:
        """Reads what :meth:`save` wrote. Raises ParshallError where there is no recording, or one that
        was damaged.
        """
        from parshall.scenario import Scenario

        source = checked_path("folder", folder, "the folder of a recording")
        with reading(source, "a recording"):
            manifest = opened(source / MANIFEST)
            content = partial(verified, source, manifest=manifest)
            scenario = Scenario.from_json(content("scenario.json").decode())
            names = {"flows": [flow.name for flow in scenario.flows], "ports": list(scenario.port_names)}
            numbers = {
                "flow": {name: number for number, name in enumerate(names["flows"])},
                "port": scenario.port_numbers,  # files of earlier versions have a->b for all ports
            }
            result: dict[str, Any] = {"names": names, "events": manifest["events"]}
            for table in manifest["tables"]:
                result[table] = _columns(content(f"{table}.parquet"), numbers)
            if "flow_series" in result:  # files of earlier versions do not count what waits beyond a gap
                series = result["flow_series"]
                series.setdefault("packets_arrived", series["packets_delivered"])
            result["pcap"] = {port: content(name) for port, name in manifest["pcap"].items()}
            titled = scenario.replace("title", manifest["title"])
            return cls(titled, manifest["seed"], result, manifest["engine_version"])


def _capture_files(captures: Mapping[str, bytes]) -> dict[str, str]:
    """A file name for each capture: the port's, with what a file system may not like replaced."""
    files: dict[str, str] = {}
    for port, content in captures.items():
        stem = re.sub(r"[^\w.-]+", "_", port.replace("->", "-to-")).lstrip(".") or "port"
        ending = "pcapng" if content.startswith(PCAPNG) else "pcap"
        name, number = f"pcap/{stem}.{ending}", 2
        while name in files.values():
            name, number = f"pcap/{stem}-{number}.{ending}", number + 1
        files[port] = name
    return files


def _columns(content: bytes, numbers: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """A table as the engine gives it, with indices in place of names."""
    import pyarrow as pa
    from pyarrow import parquet

    from parshall.recording.columns import indices, values

    table = parquet.ParquetFile(pa.BufferReader(content)).read()
    return {
        name: indices(column, numbers[name]) if name in numbers else values(column)
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
