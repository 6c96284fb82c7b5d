"""A parameter: a name, the fields of the scenario that it sets, and the values that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import PlainValidator, WithJsonSchema

from parshall.errors import InputError, shown
from parshall.scenario.base import Part
from parshall.scenario.paths import as_step
from parshall.sweep.model import Model

__all__ = ["GivenParameter", "Parameter", "Setting", "parameter_of"]


@dataclass(frozen=True)
class Setting:
    """One value of a parameter at one point."""

    value: Any
    """Value for the fields, or for a callable base."""
    label: bool | int | float | str | None
    """Entry of the table; ``None`` for the value that the field holds afterwards."""
    place: str
    """Where the value was written, for errors."""
    changes: tuple[tuple[str, Any], ...] = ()
    """Paths into the scenario, and what is put there; for a callable base, the name and the value."""


def _paths(value: object) -> tuple[str, ...]:
    """One path or several, which are then set to the same value."""
    given = (value,) if isinstance(value, str) else value
    if not isinstance(given, Sequence) or not given or not all(isinstance(path, str) for path in given):
        raise InputError("", shown(value), "a path such as flows[*].transport.rto, or a list of paths")
    return tuple(given)


def _values(value: object) -> list[Any] | dict[str, Any]:
    """A list of values, or values by their labels."""
    if hasattr(value, "tolist"):  # a NumPy array is no Sequence
        value = value.tolist()
    if isinstance(value, Mapping):
        if value and all(isinstance(label, str) and label for label in value):
            return dict(value)
    elif isinstance(value, Sequence | range) and not isinstance(value, str) and len(value):
        return list(value)
    raise InputError("", shown(value), "a list of values, or a table of values by their labels")


def _cases(value: object) -> dict[str, dict[str, Any]]:
    """By its label, what each case sets: values by path."""
    if not isinstance(value, Mapping) or not value:
        raise InputError("", shown(value), "a table of cases by their labels")
    for label, fields in value.items():
        if not isinstance(fields, Mapping) or not fields or not all(isinstance(path, str) for path in fields):
            raise InputError(
                as_step(str(label)),
                shown(fields),
                'a table of values by path, such as { "rate" = "1 Mbit/s" }',
            )
    return {str(label): dict(fields) for label, fields in value.items()}


_NOT_EMPTY: dict[str, Any] = {"type": "array", "minItems": 1}
_TABLE: dict[str, Any] = {"type": "object", "minProperties": 1}
if TYPE_CHECKING:
    _Paths = str | Sequence[str] | None
    _Values = Sequence[Any] | Mapping[str, Any] | None
    _Cases = Mapping[str, Mapping[str, Any]] | None
else:

    def _read(held, read, schema):
        return Annotated[held, PlainValidator(read), WithJsonSchema(schema)] | None

    _Paths = _read(
        tuple,
        _paths,
        {"anyOf": [{"type": "string"}, {**_NOT_EMPTY, "items": {"type": "string"}}]},
    )
    _Values = _read(object, _values, {"anyOf": [_NOT_EMPTY, _TABLE]})
    _Cases = _read(dict, _cases, {**_TABLE, "additionalProperties": _TABLE})


class Parameter(Model):
    """Parameter. Either it takes ``values``, or it is sampled between ``low`` and ``high``, or each of its
    cases sets several fields (``set``).
    """

    path: _Paths = None
    """The field that is set, as a path into the scenario such as ``flows[*].transport.rto``; the parameter's
    name unless given. Several paths are set to the same value. A base that is a Python callable has no paths:
    it is given the value under the parameter's name."""
    values: _Values = None
    """Values to cross with those of the other parameters, or to pick from in a list of points: a list, or a
    table of values by label. Values that are tables of the same kind need labels."""
    set: _Cases = None
    """Cases by label, each a table of values by path: a parameter that sets several fields at once."""
    low: Any = None
    """Lower bound of a sampled parameter, in the field's own unit."""
    high: Any = None
    """Upper bound, which may be reached."""
    scale: Literal["linear", "log"] = "linear"
    """Spacing of samples between the bounds: even, or even in the logarithm."""
    whole: bool | None = None
    """True for samples that are whole numbers; as the field wants it unless given."""

    def sampled(self) -> bool:
        """True if a design has to draw its values."""
        return self.low is not None or self.high is not None

    def listed(self) -> bool:
        """True if its values are given."""
        return self.values is not None or self.set is not None

    def checked(self, place: str) -> Parameter:
        """The parameter itself. Raises InputError when its fields contradict each other."""
        ways = [name for name in ("values", "set") if getattr(self, name) is not None]
        ways += ["low and high"] if self.sampled() else []
        if len(ways) > 1:
            raise InputError(place, " together with ".join(ways), "one of values, set, or low and high")
        for bound in ("low", "high"):
            if self.sampled() and getattr(self, bound) is None:
                raise InputError(f"{place}.{bound}", "nothing", "a value: samples lie between low and high")
        if self.set is not None and self.path is not None:
            raise InputError(f"{place}.path", shown(self.path), "no path beside set, whose cases have paths")
        return self

    def paths(self, name: str) -> tuple[str, ...]:
        """The fields that it sets; ``name`` is the parameter's."""
        return (name,) if self.path is None else tuple(self.path)

    def setting(self, name: str, value: Any, place: str, label: str | None = None) -> Setting:
        """A value of it."""
        shown_as = label if label is not None else _plain(value)
        return Setting(value, shown_as, place, tuple((path, value) for path in self.paths(name)))

    def settings(self, name: str, place: str) -> list[Setting]:
        """The values that are given, in their order. Raises InputError when labels are needed."""
        if self.set is not None:
            return [
                Setting(fields, label, f"{place}.set.{as_step(label)}", tuple(fields.items()))
                for label, fields in self.set.items()
            ]
        if isinstance(self.values, Mapping):
            return [
                self.setting(name, value, f"{place}.values.{as_step(label)}", label)
                for label, value in self.values.items()
            ]
        values = list(self.values or ())
        labels = _labels(values, f"{place}.values")
        return [
            self.setting(name, value, f"{place}.values[{index}]", label)
            for index, (value, label) in enumerate(zip(values, labels, strict=True))
        ]

    def picked(self, name: str, value: Any, place: str, own: str) -> Setting:
        """The setting that a list of points names: by its label where there are labels. Raises InputError."""
        if not self.listed():
            (label,) = _labels([value], place)
            return self.setting(name, value, place, label)
        known = self.settings(name, own)
        for setting in known:
            if value == (setting.value if setting.label is None else setting.label):
                return setting
        labels = ", ".join(shown(each.label if each.label is not None else each.value) for each in known)
        raise InputError(place, shown(value), f"one of {labels}")


def _plain(value: Any) -> bool | int | float | None:
    """A label that is a number; text is one only for a callable, for a field may read it as a quantity."""
    item = value.item() if hasattr(value, "item") else value
    return item if isinstance(item, bool | int | float) else None


def _labels(values: Sequence[Any], place: str) -> list[str | None]:
    """The kinds of values that are tables, if these differ; other values need no label."""
    kinds = [_kind(value) for value in values]
    for index, kind in enumerate(kinds):
        if kind == "" or (kind is not None and kinds.count(kind) > 1):
            raise InputError(
                f"{place}[{index}]", shown(values[index]), "values by label, as in values = { NAME = ... }"
            )
    return kinds


def _kind(value: Any) -> str | None:
    """Label of a table: its kind, or nothing (empty) for one without. None for what is no table."""
    if isinstance(value, Mapping):
        return str(value.get("kind", ""))
    if isinstance(value, Part):
        return str(getattr(value, "kind", ""))
    return "" if isinstance(value, list | tuple) else None


def parameter_of(value: Any, place: str) -> Parameter:
    """A parameter as it may be written: in full, as a table, or as a bare list of values."""
    if isinstance(value, Parameter):
        return value.checked(place)
    table = value if isinstance(value, Mapping) else {"values": value}
    try:
        return Parameter.from_dict(table).checked(place)
    except InputError as error:
        if error.path.startswith(place):
            raise
        bare = error.path.removeprefix("values") if not isinstance(value, Mapping) else error.path
        joined = f"{place}{bare}" if bare.startswith("[") or not bare else f"{place}.{bare}"
        raise InputError(joined, error.value, error.expected) from None


GivenParameter = Parameter | Sequence[Any] | Mapping[str, Any]
"""Forms in which a parameter may be given."""
