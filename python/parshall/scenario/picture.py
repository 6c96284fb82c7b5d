"""A small picture of a network, for notebooks: routers from left to right, away from the first source.

Hosts of the first router stand to its left, those of the last ones to their right, and those of the others
above and below them. Hosts that are linked to the same nodes are drawn as one box.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from parshall.units import format_duration, format_rate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from parshall.scenario.parts import Scenario

__all__ = ["network_svg"]

_COLUMN, _ROW, _BOX_HEIGHT, _MARGIN = 190, 56, 24, 12
"""Pixels; columns are apart from centre to centre."""
_LETTER, _LONGEST = 6.5, 14
"""Pixels of a letter, and most letters in a box."""
_MOST_BOXES = 60
"""A picture of more would not be read."""


@dataclass(frozen=True)
class _Box:
    """A router, a host, or hosts that are alike."""

    label: str
    router: bool
    column: int

    @property
    def width(self) -> float:
        return max(40.0, 16 + _LETTER * len(self.label))


def network_svg(scenario: Scenario) -> str | None:
    """The network as an SVG element; ``None`` when it has more parts than a small picture can show."""
    columns = _columns(scenario)
    box_of = _boxes(scenario, columns)
    boxes = list(dict.fromkeys(box_of.values()))
    if len(boxes) > _MOST_BOXES:
        return None
    places = _places(boxes)
    lines = "".join(_lines(scenario, box_of, places))
    drawn = "".join(_drawn(box, *places[box]) for box in boxes)
    width = max(x + box.width / 2 for box, (x, _) in places.items()) + _MARGIN
    height = max(y for _, y in places.values()) + _BOX_HEIGHT / 2 + _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="network" width="{width:g}"'
        f' height="{height:g}" viewBox="0 0 {width:g} {height:g}" style="max-width:100%;height:auto"'
        ' font-family="sans-serif" font-size="11" text-anchor="middle" fill="currentColor"'
        f' stroke="none">{lines}{drawn}</svg>'
    )


def _columns(scenario: Scenario) -> dict[str, int]:
    """The column of each node."""
    neighbours = _neighbours(scenario)
    routers = set(scenario.routers)
    source = scenario.flows[0].source if scenario.flows else scenario.hosts[0]
    first = next((node for node in neighbours[source] if node in routers), source)
    distance = {first: 0}
    waiting = deque([first])
    while waiting:
        node = waiting.popleft()
        for other in neighbours[node]:
            if other not in distance and (other in routers or not routers):
                distance[other] = distance[node] + 1
                waiting.append(other)
    last = max(distance.values())
    columns = {node: 1 + place for node, place in distance.items()}
    for host in (*scenario.hosts, *scenario.routers):
        if host not in columns:
            near = min((distance[node] for node in neighbours[host] if node in distance), default=0)
            columns[host] = 0 if near == 0 else last + 2 if near == last else 1 + near
    return columns


def _neighbours(scenario: Scenario) -> dict[str, list[str]]:
    """The nodes that each node is linked to."""
    neighbours: dict[str, list[str]] = defaultdict(list)
    for link in scenario.links:
        for one, other in (link.between, link.between[::-1]):
            neighbours[one].append(other)
    return neighbours


def _boxes(scenario: Scenario, columns: Mapping[str, int]) -> dict[str, _Box]:
    """The box of each node."""
    neighbours = _neighbours(scenario)
    senders = {flow.source for flow in scenario.flows}
    alike: dict[tuple[frozenset[str], bool], list[str]] = defaultdict(list)
    for host in scenario.hosts:
        alike[frozenset(neighbours[host]), host in senders].append(host)
    boxes = {router: _Box(_cut(router), True, columns[router]) for router in scenario.routers}
    for hosts in alike.values():
        more = f" +{len(hosts) - 1}" if len(hosts) > 1 else ""
        boxes |= dict.fromkeys(hosts, _Box(_cut(hosts[0], more), False, columns[hosts[0]]))
    return boxes


def _places(boxes: Iterable[_Box]) -> dict[_Box, tuple[float, float]]:
    """Centres in pixels: columns from left to right, each centred on the same height."""
    by_column: dict[int, list[_Box]] = defaultdict(list)
    for box in boxes:
        by_column[box.column].append(box)
    most = max(len(column) for column in by_column.values())
    left = _MARGIN + max(box.width for box in by_column[min(by_column)]) / 2
    places = {}
    for place, number in enumerate(sorted(by_column)):
        column = _routers_amid(by_column[number])
        for row, box in enumerate(column):
            x = left + place * _COLUMN
            y = _MARGIN + _BOX_HEIGHT / 2 + (row + (most - len(column)) / 2) * _ROW
            places[box] = (x, y)
    return places


def _routers_amid(column: list[_Box]) -> list[_Box]:
    """The boxes of a column from top to bottom."""
    hosts = [box for box in column if not box.router]
    half = len(hosts) // 2 + len(hosts) % 2
    return [*hosts[:half], *(box for box in column if box.router), *hosts[half:]]


def _lines(
    scenario: Scenario, box_of: Mapping[str, _Box], places: Mapping[_Box, tuple[float, float]]
) -> Iterable[str]:
    """A line between boxes, with the rate and delay of a link between two nodes of their own."""
    between: dict[frozenset[_Box], list[int]] = defaultdict(list)
    for number, link in enumerate(scenario.links):
        between[frozenset(box_of[node] for node in link.between)].append(number)
    for ends, numbers in between.items():
        if len(ends) < 2:
            continue
        (x1, y1), (x2, y2) = (places[box] for box in sorted(ends, key=lambda box: places[box]))
        links = [scenario.links[number] for number in numbers]
        named = any(link.name for link in links)
        width = 2.5 if named else 1
        yield f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="currentColor" stroke-width="{width:g}"/>'
        if len({(link.rate, link.delay) for link in links}) == 1:
            text = f"{format_rate(_rounded(links[0].rate))}, {format_duration(_rounded(links[0].delay))}"
            upright = x1 == x2
            x, y = (x1 + x2) / 2 + 5 * upright, (y1 + y2) / 2 + (3 if upright else -5)
            anchor = ' text-anchor="start"' if upright else ""
            yield f'<text x="{x:g}" y="{y:g}" font-size="9"{anchor}>{escape(text)}</text>'


def _drawn(box: _Box, x: float, y: float) -> str:
    left, top = x - box.width / 2, y - _BOX_HEIGHT / 2
    corner = 3 if box.router else 12
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{box.width:g}" height="{_BOX_HEIGHT}" rx="{corner}"'
        ' fill="canvas" stroke="currentColor"/>'
        f'<text x="{x:g}" y="{y + 4:g}">{escape(box.label)}</text>'
    )


def _rounded(value: float) -> float:
    """To four digits."""
    return float(f"{value:.4g}")


def _cut(name: str, more: str = "") -> str:
    """A name that fits into a box, before how many more there are."""
    return (name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…") + more
