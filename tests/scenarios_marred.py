"""Tables of scenario files with something wrong in them, and TOML of tables."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

__all__ = ["marred", "toml"]

VALUES: list[Any] = [
    *(-1, 0, 1, 2, 5, 64, 70000, 2**40, 10**12, 1.5, -0.0, 0.3, 1e20, 1e-15, float("nan"), float("inf")),
    *("", "x", "5 ms", "5 MS", "28 Mbit/s", "3 kB", "1.5 B", "100 kB", "-5 ms", "1e9 s", "0.1 ps", ".5 s"),
    *("5.s", "+5 s", "5 e s", "1_0 s", "\t5 ms ", "5 \u00b5s", "a\u2028b", "5e3 kbit/s"),
    *("droptail", "bulk", "tcp", "all", "AF11", "drop", "red", "from-rate"),
    *(True, False, [], [1], [1, 2], [5, 3], ["a", "b"], ["5 ms", "3 ms"], [[1, 2]]),
    *({}, {"kind": "x"}, {"kind": 5}, {"a": 1}),
    *({"kind": "pareto", "mean": "5 s"}, {"kind": "constant", "value": -1}),
]
KEYS = ["foo", "kind", "limit", "rat", "time-out", "x.y", "a b"]


def marred(tables: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A copy with one to three values, or keys, that were changed, left out, or added."""
    changed = copy.deepcopy(tables)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        found = list(places(changed))
        if found:
            _mar(*chance.choice(found[:400]), chance)
    return changed


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each table or list with each of its keys or indices."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from places(inner)


def _mar(holder: Any, key: Any, chance: random.Random) -> None:
    way = chance.random()
    if isinstance(holder, list) and key >= len(holder):
        return
    if way < 0.6:
        holder[key] = copy.deepcopy(chance.choice(VALUES))
    elif way < 0.75:
        if isinstance(holder, list) or key in holder:
            del holder[key]
    elif isinstance(holder, dict) and way < 0.9 and key in holder:
        name = str(key)
        other = chance.choice([name[:-1] or "q", f"{name}x", name.replace("_", ""), name.upper(), "rate"])
        holder[other] = holder.pop(key)
    elif isinstance(holder, dict):
        holder[chance.choice(KEYS)] = copy.deepcopy(chance.choice(VALUES))


def toml(tables: dict[str, Any]) -> str:
    """A file with these tables, each on one line."""
    return "".join(f"{_text(key)} = {_value(value)}\n" for key, value in tables.items())


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\u2028", "\\u2028")


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(key)} = {_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return _text(value) if isinstance(value, str) else repr(value)
