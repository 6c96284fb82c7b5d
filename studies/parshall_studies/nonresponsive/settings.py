"""Statements about 'the algorithm' under each way to set it. The document prints gains and no start values,
and says that settings were picked by the least error (V.B): a statement that holds with one and not with the
other depends on how the settings are read.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from parshall_studies import study as st
from parshall_studies.study.rules import Rule, as_rule

Says = Callable[..., Any]


def by_settings(says: Says, kinds: Mapping[str, str]) -> Any:
    """The statement under each kind of settings: a rule, or a function of the labels that are left. ``says``
    has the kind among its labels.
    """
    left = [name for name in inspect.signature(says).parameters if name != "kind"]
    if not left:
        return _read(says, kinds)
    return lambda **labels: _read(lambda kind: says(**labels, kind=kind), kinds)


def _read(says: Says, kinds: Mapping[str, str]) -> st.ByReading:
    readings: dict[str, Rule] = {}
    for kind, name in kinds.items():
        rule = as_rule(says(kind=kind))
        if isinstance(rule, st.ByReading):
            readings |= {f"{name}, {reading}": each for reading, each in rule.readings.items()}
        else:
            readings[name] = rule
    return st.ByReading(readings)
