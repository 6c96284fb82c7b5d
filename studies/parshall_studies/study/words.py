"""Numbers, intervals and lists as a reader meets them, in reports and in the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from parshall.stats import Interval
from parshall_studies.study.grades import NEAR, Grade
from parshall_studies.study.rules import Verdict

__all__ = [
    "capital",
    "counted",
    "interval",
    "listed",
    "number",
    "percent",
    "plus_minus",
    "plus_minus_column",
    "reach",
    "signed",
    "signed_interval",
    "span",
    "tally",
    "worth",
]

_MINUS = "\N{MINUS SIGN}"
_NONE = "\N{EN DASH}"
_MOST_DECIMALS = 9


def number(value: float | None, digits: int = 3) -> str:
    """``digits`` significant digits or all before the point, thousands apart; 0 where nine decimals show
    nothing, as of what rounding leaves of a difference.
    """
    if value is None or not math.isfinite(value):
        return _NONE
    if abs(value) < 0.5 * 10.0**-_MOST_DECIMALS:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if round(abs(value), digits - 1 - magnitude) >= 10.0 ** (magnitude + 1):  # 99.97 has three digits as 100
        magnitude += 1
    return _fixed(value, min(max(0, digits - 1 - magnitude), _MOST_DECIMALS))


def capital(text: str) -> str:
    """Returns the text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


def percent(share: float, digits: int = 3) -> str:
    """A share in percent."""
    return f"{number(100 * share, digits)} %"


def signed(value: float, digits: int = 2) -> str:
    """A change: its sign and two significant digits."""
    if not math.isfinite(value):
        return _NONE
    return ("+" if value >= 0 else _MINUS) + number(abs(value), digits)


def interval(value: Interval, unit: str = "", digits: int = 2) -> str:
    """``1.91 (1.80 to 2.02)``: as many decimals as give the half width ``digits`` significant digits."""
    tail = f" {unit}" if unit else ""
    if not value.bounded:
        return f"{number(value.mean)}{tail} (no interval: n = {value.n})"
    if value.half_width == 0:  # what rests on no run of ours has no interval either
        return f"{number(value.mean)}{tail}" + (" in every run" if value.n else "")
    decimals = _decimals(value, digits)
    ends = f"{_fixed(value.low, decimals)} to {_fixed(value.high, decimals)}"
    return f"{_fixed(value.mean, decimals)}{tail} ({ends})"


def signed_interval(value: Interval, unit: str = "") -> str:
    """``+0.25 points (0.16 to 0.35)``."""
    return ("+" if value.mean > 0 else "") + interval(value, unit)


def reach(value: Interval | None, most: int = 9) -> str:
    """``1.80 to 2.02``: the ends alone, with so many decimals at most."""
    if value is None or not value.bounded:
        return _NONE
    decimals = min(_decimals(value, 3), most)
    return f"{_fixed(value.low, decimals)} to {_fixed(value.high, decimals)}"


def plus_minus(value: Interval, decimals: int | None = None, most: int = 9) -> str:
    """``2.02 ± 0.11``; with so many decimals, unless the half width had less than two digits then, and with
    ``most`` at most: ``2.0200 ± <0.0001``.
    """
    if not value.bounded:
        return number(value.mean)
    if value.half_width == 0:
        return _plain(value.mean, most)
    if decimals is None or value.half_width < 9.5 * 10.0**-decimals:
        decimals = min(_decimals(value, 2), most)
    small = value.half_width < 0.5 * 10.0**-decimals
    half = f"<{10.0**-decimals:.{decimals}f}" if small else _fixed(value.half_width, decimals)
    return f"{_fixed(value.mean, decimals)} ± {half}"


def plus_minus_column(values: Sequence[Interval]) -> list[str]:
    """Texts of intervals, with the decimals that suit the widest as far as they suit the others, and no more
    than two beyond these.
    """
    widest = max(
        (each for each in values if each.bounded and each.half_width > 0),
        key=lambda each: each.half_width,
        default=None,
    )
    if widest is None:
        return [plus_minus(each) for each in values]
    decimals = _decimals(widest, 2)
    return [plus_minus(each, decimals, most=decimals + 2) for each in values]


def span(values: Iterable[float], unit: str = "", digits: int = 2) -> str:
    """``0.2 to 3.1 s``: the least and the greatest."""
    every = list(values)
    tail = f" {unit}" if unit else ""
    low, high = number(min(every), digits), number(max(every), digits)
    return f"{low}{tail}" if low == high else f"{low} to {high}{tail}"


def listed(items: Iterable[object], last: str = "and") -> str:
    """``5, 35 and 100``."""
    *first, end = map(str, items)
    return f"{', '.join(first)} {last} {end}" if first else end


_FARED = {
    Grade.HOLDS: ("holds", "hold"),
    Grade.AGREES: ("agrees", "agree"),
    Grade.BETTER: ("is better than printed", "are better than printed"),
    Grade.CLOSE: ("is close", "are close"),
    Grade.PARTLY: ("holds in part", "hold in part"),
    Grade.READING: ("depends on a reading", "depend on a reading"),
    Grade.FAILS: ("does not hold", "do not hold"),
    Grade.INDISTINGUISHABLE: ("cannot be told apart", "cannot be told apart"),
    Grade.OPEN: ("is inconclusive", "are inconclusive"),
}
"""Predicates for one claim and for several."""


def tally(counts: Mapping[Grade, int]) -> str:
    """``12 hold, 3 do not hold and 1 is inconclusive``; a grade that no claim got is left out."""
    return _counted({_FARED[grade][count != 1]: count for grade, count in counts.items()})


def counted(counts: Mapping[Verdict, int], *said: str) -> str:
    """Numbers of claims by verdict, each with the words given for it, in the order of the verdicts."""
    return _counted(dict(zip(said, (counts[verdict] for verdict in Verdict), strict=True)))


def _counted(counts: Mapping[str, int]) -> str:
    whole = sum(counts.values())
    found = [
        f"{'all' if count == whole and count > 1 else count} {said}"
        for said, count in counts.items()
        if count
    ]
    return listed(found) if found else "none was made"


def worth(counts: Mapping[Grade, int]) -> str:
    """Judgement of an idea by the claims that it rests on: ``Works`` where all hold or are near, ``Does not
    work`` where none is, ``Works in part`` between, ``Inconclusive`` where nothing is decided.
    """
    near = sum(counts[grade] for grade in NEAR)
    decided = sum(counts.values()) - counts[Grade.OPEN] - counts[Grade.INDISTINGUISHABLE]
    if not decided:
        return "Inconclusive"
    if near == sum(counts.values()):
        return "Works"
    return "Works in part" if near or counts[Grade.PARTLY] or counts[Grade.READING] else "Does not work"


def _decimals(value: Interval, digits: int) -> int:
    """Decimals for so many significant digits of the half width; of the mean when there is no width."""
    scale = value.half_width if value.half_width > 0 else abs(value.mean) / 10
    if not math.isfinite(scale) or scale == 0:
        return 0
    return min(9, max(0, digits - 1 - math.floor(math.log10(scale))))


def _plain(value: float, most: int) -> str:
    """A number that is exact: without zeros at its end."""
    text = _fixed(value, most)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _fixed(value: float, decimals: int) -> str:
    text = f"{abs(value):,.{decimals}f}"
    negative = value < 0 and any(digit in "123456789" for digit in text)
    return f"{_MINUS}{text}" if negative else text
