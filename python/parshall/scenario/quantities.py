"""Types of the scenario's fields: what may be given, what is stored, and what the JSON Schema says.

A field of type ``Rate`` takes ``28e6``, ``28 * Mbit`` or ``"28 Mbit/s"`` and holds a float in bit/s. Type
checkers see both sides: :class:`Given` is what is read from a field and what may be put into it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeAlias, TypeVar

from pydantic import PlainValidator, WithJsonSchema

from parshall.scenario import readers
from parshall.scenario.code_points import CODE_POINTS, MOST, code_point, treatment
from parshall.scenario.readers import I64_MAX, U32_MAX
from parshall.units import (
    DURATION,
    RATE,
    SIZE,
    Dimension,
    format_duration,
    format_rate,
    parse_duration,
    parse_rate,
    parse_size,
)

__all__ = [
    "ABSENT",
    "DEFAULT_CLASS",
    "NO_NAMES",
    "NO_NUMBERS",
    "NO_VALUES",
    "ZERO",
    "Amount",
    "Amounts",
    "BurstSize",
    "CodePoint",
    "CodePoints",
    "Count",
    "CountOrNone",
    "Counts",
    "Differences",
    "Duration",
    "DurationOrList",
    "DurationRange",
    "Flag",
    "FlowCount",
    "Given",
    "HeaderSize",
    "Instants",
    "Level",
    "MaybeDuration",
    "MaybeDurationOrList",
    "MaybeLevel",
    "MaybeNotNegative",
    "MaybePart",
    "MaybePeriod",
    "MaybeRate",
    "MaybeSize",
    "MaybeTreatment",
    "Name",
    "NamePair",
    "Names",
    "NotNegative",
    "Numbers",
    "OrderOf",
    "PacketSize",
    "Part",
    "PartOrZero",
    "Payloads",
    "Period",
    "Positive",
    "Probability",
    "QueueCount",
    "Rate",
    "RateOrZero",
    "RateRange",
    "RatesOrZero",
    "Real",
    "Risk",
    "Share",
    "Size",
    "SizeOrZero",
    "TailExponent",
    "Text",
    "TurnWeights",
    "Values",
    "Weights",
    "Window",
    "Writes",
    "Written",
]

ABSENT: Any = None
"""The default of a quantity that may be left out; its type is that of any field."""
DEFAULT_CLASS: Any = 0
"""The code point of packets that were not given another one."""
ZERO: Any = 0.0
"""The default of a duration that may be left out."""
NO_NAMES: Any = ()
"""The default of a list of names."""
NO_NUMBERS: Any = ()
"""The default of a list of numbers."""
NO_VALUES: Any = {}
"""The default of a table of plain values."""
MAX_FLOWS = 2**22
"""Most flows of one group."""
MAX_QUEUES = 2**16
"""Most queues of one FQ-CoDel."""
MAX_WINDOW = 2**24
"""Most samples that a sliding median looks back on."""
MAX_WEIGHTS = 63
"""Most samples that a recursive weighted median weighs."""
MAX_CHOICES = 10_000
MAX_ORDER = 5
"""Most coefficients of each kind that an ARIMA model has."""
MAX_DIFFERENCES = 2
"""How often an ARIMA model differences a series at most."""


@dataclass(frozen=True)
class Written:
    """How the numbers of a field stand in a file, with their unit."""

    text: Callable[[float], str]


_Held_co = TypeVar("_Held_co", covariant=True)
_Taken_contra = TypeVar("_Taken_contra", contravariant=True)


def _quantity(dimension: Dimension, *, zero: bool, whole: bool = False) -> dict[str, Any]:
    """A number in base units, or text that ends in one of the units."""
    units = "|".join(dimension.units)
    return {
        "anyOf": [
            {"type": "integer" if whole else "number", "minimum" if zero else "exclusiveMinimum": 0},
            {"type": "string", "pattern": rf"^\s*\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*({units})\s*$"},
        ],
        "examples": [dimension.example],
    }


def _array(items: dict[str, Any], least: int = 0, most: int | None = None) -> dict[str, Any]:
    bounds = {"minItems": least} | ({} if most is None else {"maxItems": most})
    return {"type": "array", "items": items, **bounds}


if TYPE_CHECKING:

    class Given(Generic[_Held_co, _Taken_contra]):
        """A field that holds one type and takes a wider one."""

        def __get__(self, instance: object, owner: type | None = None) -> _Held_co: ...
        def __set__(self, instance: object, value: _Taken_contra) -> None: ...

    Table: TypeAlias = Mapping[str, Any]
    _Number: TypeAlias = float | str | Decimal
    _Bytes: TypeAlias = int | str | Decimal
    Rate: TypeAlias = Given[float, _Number]
    MaybeRate: TypeAlias = Given[float | None, _Number | None]
    RateRange: TypeAlias = Given[tuple[float, float], Sequence[_Number]]
    Duration: TypeAlias = Given[float, _Number]
    MaybeDuration: TypeAlias = Given[float | None, _Number | None]
    DurationOrList: TypeAlias = Given[float | tuple[float, ...], _Number | Sequence[_Number]]
    MaybeDurationOrList: TypeAlias = Given[
        float | tuple[float, ...] | None, _Number | Sequence[_Number] | None
    ]
    Period: TypeAlias = Given[float, _Number]
    MaybePeriod: TypeAlias = Given[float | None, _Number | None]
    Instants: TypeAlias = Given[tuple[float, ...], Sequence[_Number]]
    DurationRange: TypeAlias = Given[tuple[float, float], Sequence[_Number]]
    Size: TypeAlias = Given[int, _Bytes]
    MaybeSize: TypeAlias = Given[int | None, _Bytes | None]
    PacketSize: TypeAlias = Given[int, _Bytes]
    HeaderSize: TypeAlias = Given[int, _Bytes]
    BurstSize: TypeAlias = Given[int, _Bytes]
    SizeOrZero: TypeAlias = Given[int, _Bytes]
    RateOrZero: TypeAlias = Given[float, _Number]
    RatesOrZero: TypeAlias = Given[tuple[float, ...], Sequence[_Number]]
    CodePoint: TypeAlias = Given[int, int | str]
    CodePoints: TypeAlias = Given[tuple[int, ...], Sequence[int | str] | int | str]
    MaybeTreatment: TypeAlias = Given[int | str | None, int | str | None]
    Payloads: TypeAlias = Given[tuple[int, ...], Sequence[_Bytes]]
    TurnWeights: TypeAlias = Given[tuple[int, ...], Sequence[int]]
    Count: TypeAlias = int
    CountOrNone: TypeAlias = int
    Counts: TypeAlias = Given[tuple[int, ...], Sequence[int]]
    Differences: TypeAlias = int
    OrderOf: TypeAlias = int
    Amount: TypeAlias = Given[float, _Number]
    Level: TypeAlias = Given[float, _Number]
    MaybeLevel: TypeAlias = Given[float | None, _Number | None]
    Numbers: TypeAlias = Given[tuple[float, ...], Sequence[float]]
    Amounts: TypeAlias = Given[tuple[float, ...], Sequence[_Number]]
    ChoiceWeights: TypeAlias = Given[tuple[float, ...], Sequence[float]]
    Real: TypeAlias = float
    Positive: TypeAlias = float
    Probability: TypeAlias = float
    NotNegative: TypeAlias = float
    MaybeNotNegative: TypeAlias = float | None
    Share: TypeAlias = float
    Risk: TypeAlias = float
    Part: TypeAlias = float
    MaybePart: TypeAlias = float | None
    PartOrZero: TypeAlias = float
    TailExponent: TypeAlias = float
    FlowCount: TypeAlias = int
    QueueCount: TypeAlias = int
    Window: TypeAlias = int
    Weights: TypeAlias = int
    Flag: TypeAlias = bool
    Text: TypeAlias = str
    Values: TypeAlias = Given[dict[str, Any], Mapping[str, Any]]
    Name: TypeAlias = str
    NamePair: TypeAlias = Given[tuple[str, str], Sequence[str]]
    Names: TypeAlias = Given[tuple[str, ...], Sequence[str]]
    Writes: TypeAlias = Given[tuple[tuple[float, int], ...], Sequence[tuple[_Number, int]]]

else:
    _RATE = _quantity(RATE, zero=False)
    _DURATION = _quantity(DURATION, zero=True)
    _PERIOD = _quantity(DURATION, zero=False)
    _COUNT = {"type": "integer", "minimum": 1, "maximum": U32_MAX}
    _NAME = {"type": "string", "minLength": 1}

    def _field(held, read, schema, mark=None):
        field = Annotated[held, PlainValidator(read), WithJsonSchema(schema)]
        return field if mark is None else Annotated[field, mark]

    def _number(holds, expected, **bounds):
        return _field(float, readers.real(holds, expected), {"type": "number", **bounds})

    _AS_RATE = Written(format_rate)
    _AS_DURATION = Written(format_duration)

    Rate = _field(float, parse_rate, _RATE, _AS_RATE)
    MaybeRate = Rate | None
    RateRange = _field(tuple[float, float], readers.rate_range, _array(_RATE, 2, 2), _AS_RATE)

    _RATE_OR_ZERO = _quantity(RATE, zero=True)
    RateOrZero = _field(float, readers.rate_or_zero, _RATE_OR_ZERO, _AS_RATE)
    RatesOrZero = _field(
        tuple[float, ...], readers.list_of(readers.rate_or_zero), _array(_RATE_OR_ZERO), _AS_RATE
    )

    Duration = _field(float, parse_duration, _DURATION, _AS_DURATION)
    MaybeDuration = Duration | None
    Period = _field(float, readers.period, _PERIOD, _AS_DURATION)
    MaybePeriod = Period | None
    DurationRange = _field(
        tuple[float, float], readers.range_of(readers.period), _array(_PERIOD, 2, 2), _AS_DURATION
    )
    # Many thousands of bare numbers: units would only make a file longer.
    Instants = _field(tuple[float, ...], readers.instants, _array(_DURATION, 1))
    _ONE_OR_MORE = {"anyOf": [*_DURATION["anyOf"], _array(_DURATION, 1)], "examples": _DURATION["examples"]}
    DurationOrList = _field(float | tuple[float, ...], readers.duration_or_list, _ONE_OR_MORE, _AS_DURATION)
    MaybeDurationOrList = DurationOrList | None

    Size = _field(int, parse_size, _quantity(SIZE, zero=False, whole=True))
    MaybeSize = Size | None
    PacketSize = _field(int, readers.packet_size(1), _quantity(SIZE, zero=False, whole=True))
    HeaderSize = _field(int, readers.packet_size(0), _quantity(SIZE, zero=True, whole=True))

    SizeOrZero = _field(int, readers.size_or_zero, _quantity(SIZE, zero=True, whole=True))
    _PAYLOAD = _quantity(SIZE, zero=False, whole=True)
    Payloads = _field(tuple[int, ...], readers.list_of(readers.packet_size(1)), _array(_PAYLOAD))

    _POINT = {"anyOf": [{"type": "integer", "minimum": 0, "maximum": MOST}, {"enum": list(CODE_POINTS)}]}
    _TREATMENT = {"anyOf": [_POINT["anyOf"][0], {"enum": [*CODE_POINTS, "drop"]}]}
    CodePoint = _field(int, code_point, _POINT)
    CodePoints = _field(
        tuple[int, ...],
        readers.code_points,
        {"anyOf": [*_POINT["anyOf"], _array(_POINT)]},
    )
    MaybeTreatment = _field(int | str, treatment, _TREATMENT) | None

    BurstSize = _field(int, readers.size(U32_MAX), _quantity(SIZE, zero=False, whole=True))

    Count = _field(int, readers.whole(1, U32_MAX), _COUNT)
    CountOrNone = _field(int, readers.whole(0, U32_MAX), {**_COUNT, "minimum": 0})
    FlowCount = _field(
        int, readers.whole(1, MAX_FLOWS), {"type": "integer", "minimum": 1, "maximum": MAX_FLOWS}
    )
    QueueCount = _field(
        int, readers.whole(1, MAX_QUEUES), {"type": "integer", "minimum": 1, "maximum": MAX_QUEUES}
    )
    Window = _field(
        int, readers.whole(1, MAX_WINDOW), {"type": "integer", "minimum": 1, "maximum": MAX_WINDOW}
    )
    Weights = _field(
        int, readers.whole(1, MAX_WEIGHTS), {"type": "integer", "minimum": 1, "maximum": MAX_WEIGHTS}
    )
    Counts = _field(
        tuple[int, ...], readers.list_of(readers.whole(1, I64_MAX)), _array({"type": "integer", "minimum": 1})
    )

    TurnWeights = _field(tuple[int, ...], readers.list_of(readers.whole(1, U32_MAX), 1), _array(_COUNT, 1))

    Differences = _field(
        int, readers.whole(0, MAX_DIFFERENCES), {"type": "integer", "minimum": 0, "maximum": MAX_DIFFERENCES}
    )
    OrderOf = _field(
        int, readers.whole(0, MAX_ORDER), {"type": "integer", "minimum": 0, "maximum": MAX_ORDER}
    )
    _LEVELS = [{"type": "number"}, _DURATION["anyOf"][1]]
    Level = _field(float, readers.level, {**_DURATION, "anyOf": _LEVELS})
    MaybeLevel = Level | None
    AMOUNT = {**_DURATION, "anyOf": [{"type": "number", "minimum": 0}, _DURATION["anyOf"][1]]}
    Amount = _field(float, readers.level_not_negative, AMOUNT)
    Amounts = _field(
        tuple[float, ...],
        readers.list_of(readers.level_not_negative, 1, MAX_CHOICES),
        _array(AMOUNT, 1, MAX_CHOICES),
    )
    ChoiceWeights = _field(
        tuple[float, ...],
        readers.list_of(readers.not_negative, 1, MAX_CHOICES),
        _array({"type": "number", "minimum": 0}, 1, MAX_CHOICES),
    )
    Numbers = _field(
        tuple[float, ...], readers.list_of(readers.finite), _array({"type": "number"}, 0, MAX_ORDER)
    )

    Real = _field(float, readers.finite, {"type": "number"})
    Positive = _number(lambda x: x > 0, "a number above 0", exclusiveMinimum=0)
    NotNegative = _number(lambda x: x >= 0, "a number of at least 0", minimum=0)
    MaybeNotNegative = NotNegative | None
    Probability = _number(lambda x: 0 <= x <= 1, "a number from 0 to 1", minimum=0, maximum=1)
    Share = _number(lambda x: 0 < x <= 1, "a number above 0, at most 1", exclusiveMinimum=0, maximum=1)
    Risk = _number(lambda x: 1e-6 <= x <= 0.2, "a share from 0.000001 to 0.2", minimum=1e-6, maximum=0.2)
    Part = _number(lambda x: 0 < x < 1, "a number between 0 and 1", exclusiveMinimum=0, exclusiveMaximum=1)
    MaybePart = Part | None
    PartOrZero = _number(lambda x: 0 <= x < 1, "a number from 0 to below 1", minimum=0, exclusiveMaximum=1)
    TailExponent = _number(lambda x: x > 1, "a number above 1", exclusiveMinimum=1)

    Flag = _field(bool, readers.flag, {"type": "boolean"})
    Text = _field(str, readers.text, {"type": "string"})
    Values = _field(dict[str, Any], readers.values, {"type": "object"})
    Name = _field(str, readers.name, _NAME)
    NamePair = _field(tuple[str, str], readers.list_of(readers.name, 2, 2), _array(_NAME, 2, 2))
    Names = _field(tuple[str, ...], readers.names, {"anyOf": [_NAME, _array(_NAME)]})
    Writes = _field(
        tuple[tuple[float, int], ...],
        readers.writes,
        _array({"type": "array", "prefixItems": [_DURATION, _COUNT], "minItems": 2, "maxItems": 2}),
    )
