"""Values that each profile gives to what a ``Tcp`` leaves out, from the engine: for help and reference."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

from parshall.scenario.parts import Tcp
from parshall.scenario.toml import as_written

__all__ = ["PROFILES", "blank_defaults", "table"]

PROFILES: tuple[Literal["rfc", "linux", "ns2"], ...] = ("rfc", "linux", "ns2")
_OPEN = {
    "clock_phase": "drawn at random",
    "initial_ssthresh_packets": "the receiver's window",
    "quick_acks": "as the receive buffer grows",
    "receive_buffer": "none",
}
"""Fields that may be left open, and what happens then."""


@cache
def blank_defaults() -> dict[str, dict[str, str]]:
    """Values as a file would have them, by field without a default of its own and by profile."""
    filled = {profile: Tcp(profile=profile).resolved() for profile in PROFILES}
    blank = [name for name, field in Tcp.model_fields.items() if field.default is None]
    return {name: {profile: _text(tcp, name) for profile, tcp in filled.items()} for name in blank}


def _text(tcp: Tcp, name: str) -> str:
    value: Any = getattr(tcp, name)
    return _OPEN[name] if value is None else as_written(tcp, name)


def table() -> Iterator[str]:
    """As Markdown, line by line."""
    yield f"| field | {' | '.join(f'`{profile}`' for profile in PROFILES)} |"
    yield "|---" * (1 + len(PROFILES)) + "|"
    for name, values in blank_defaults().items():
        shown = [text if text in _OPEN.values() else f"`{text}`" for text in values.values()]
        yield f"| `{name}` | {' | '.join(shown)} |"
