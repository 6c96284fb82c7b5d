"""Recorded capacities: links that serve packets at given instants instead of at a rate."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator
from typing_extensions import Self

from parshall.errors import InputError, ParshallError, ScenarioError, shown
from parshall.scenario.base import FOLDER, Model, OrElse
from parshall.scenario.quantities import BurstSize, Instants, Period

if TYPE_CHECKING:
    from parshall.scenario.quantities import Given, Table

__all__ = ["Capacity"]

_MTU: Any = 1500


class Capacity(Model):
    """A recorded capacity: at each of ``times`` a number of bytes may leave; what is not used then is gone.
    After ``period`` all repeats. In its place ``{ mahimahi = "FILE" }`` may stand: FILE, which is looked for
    beside the scenario's own file, has on each line a time in milliseconds at which 1500 bytes may leave, and
    repeats from its last time.
    """

    times: Instants = Field(repr=False)
    """When packets may leave, in ascending order; equal times are allowed, and add up."""
    period: Period
    """After which all repeats; at least the last of the times."""
    bytes: BurstSize = _MTU
    """How much may leave at one of the times."""

    @classmethod
    def from_mahimahi(cls, path: str | Path) -> Self:
        """Reads a file of times in milliseconds, plain or compressed by gzip.

        Raises ParshallError for a file that cannot be read, and ScenarioError, which names the line, for one
        that is no recording.
        """
        from parshall.scenario.mahimahi import PACKET_BYTES, read_times

        times = read_times(path)
        return cls(times=times, period=times[-1], bytes=PACKET_BYTES)

    @model_validator(mode="after")
    def _repeats_after_the_last(self) -> Self:
        if self.period < self.times[-1]:
            expected = f"at least the last of the times, {self.times[-1]} s"
            raise InputError("period", shown(self.period), expected)
        return self

    def mean_rate(self, start: float, end: float) -> float:
        """What may leave from ``start`` until before ``end``, in bit/s."""
        return 8 * self.bytes * (self._instants_before(end) - self._instants_before(start)) / (end - start)

    def _instants_before(self, time: float) -> int:
        """How many of the times, repeated for ever, lie before ``time``."""
        repeats, rest = divmod(time, self.period)
        if repeats and rest == 0:  # a last time that is the period lies at this instant, not before it
            repeats, rest = repeats - 1, self.period
        return int(repeats) * len(self.times) + bisect_left(self.times, rest)


if TYPE_CHECKING:
    MaybeCapacity: TypeAlias = Given[Capacity | None, Capacity | Table | None]
else:

    def _recorded(value: object, info: ValidationInfo) -> object:
        """Reads the file that a table names."""
        if not isinstance(value, Mapping) or "mahimahi" not in value:
            return value
        if len(value) > 1:
            other = next(key for key in value if key != "mahimahi")
            raise InputError("", f"the key {shown(other)} beside mahimahi", "either a file or times")
        return _from_file(value["mahimahi"], (info.context or {}).get(FOLDER))

    def _from_file(name: object, folder: Path | None) -> Capacity:
        if not isinstance(name, str) or not name:
            raise InputError("mahimahi", shown(name), "the name of a file")
        try:
            return Capacity.from_mahimahi(Path(folder or "", name))
        except ScenarioError as error:
            line = "" if error.line is None else f", line {error.line}"
            raise InputError("mahimahi", f"{error.value} in {shown(name)}{line}", error.expected) from None
        except ParshallError as error:
            reason, _, expected = (
                str(error).removeprefix(f"{Path(folder or '', name)}: ").rpartition(", expected ")
            )
            raise InputError("mahimahi", f"{shown(name)} ({reason})", expected) from None

    MaybeCapacity = (
        Annotated[
            Capacity,
            BeforeValidator(_recorded),
            OrElse(
                {
                    "type": "object",
                    "properties": {"mahimahi": {"type": "string", "minLength": 1}},
                    "required": ["mahimahi"],
                    "additionalProperties": False,
                }
            ),
        ]
        | None
    )
