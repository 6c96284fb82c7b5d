"""Writes what was learned: trees and widths, where they come from, and rows that a test judges again.

The format is that of ``crates/estimators/src/responsiveness/calibration.rs``.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from parshall_dev.calibration.learning import DEPTH, UNKNOWN
from parshall_dev.checkout import ROOT

if TYPE_CHECKING:
    import lightgbm
    from numpy.typing import NDArray

    from parshall_dev.calibration.learning import Reals

FOLDER = ROOT / "crates/estimators/src/responsiveness"
VERSION = 1
_NODES = 2**DEPTH
_LETTERS = b"PARSHALL"
_LEAF_SCALE = 4096
_EVERYTHING = 0x7F80
"""Upper half of infinity: the threshold of a node that asks nothing, of which both sides are alike."""


class Tree:
    """A whole binary tree: of each inner node a number and a threshold, of each leaf what it adds to the
    log-odds.
    """

    def __init__(self, learned: Mapping[str, Any]) -> None:
        self.numbers = np.zeros(_NODES, np.uint8)
        self.thresholds = np.full(_NODES, _EVERYTHING, np.uint16)
        self.leaves = np.zeros(_NODES, np.int16)
        self._fill(learned, 0)

    def _fill(self, node: Mapping[str, Any], place: int) -> None:
        if place >= _NODES - 1:
            self.leaves[place - _NODES + 1] = round(_LEAF_SCALE * node["leaf_value"])
            return
        sides = (node, node)
        if "split_feature" in node:
            self.numbers[place] = node["split_feature"]
            self.thresholds[place] = upper_half(node["threshold"])
            sides = (node["left_child"], node["right_child"])
        for side, child in enumerate(sides):
            self._fill(child, 2 * place + 1 + side)

    def bytes(self) -> bytes:
        """As they stand in the file."""
        parts = (self.numbers, self.thresholds.astype("<u2"), self.leaves.astype("<i2"))
        return b"".join(part.tobytes() for part in parts)


def upper_half(threshold: float) -> int:
    """The upper half of the greatest float that has no lower half and is not above a threshold: it parts such
    floats as the threshold does.
    """
    bits = int(np.float32(threshold).view(np.uint32)) >> 16
    while float(np.uint32(bits << 16).view(np.float32)) > threshold:
        bits += -1 if threshold >= 0 else 1
    return bits


@dataclass(frozen=True)
class Made:
    """Files of a table, by their names in :data:`FOLDER`."""

    digest: str
    """The table's SHA-256."""
    files: Mapping[str, bytes]

    def write(self) -> None:
        """Replaces the table that was there."""
        for name, content in self.files.items():
            (FOLDER / name).write_bytes(content)


def made(
    model: lightgbm.Booster,
    widths: tuple[Reals, Reals],
    about: Mapping[str, Any],
    rows: tuple[NDArray[np.float32], Reals],
) -> Made:
    """The table, where it comes from, and evidence with what the learner's own library makes of it."""
    trees = [Tree(each["tree_structure"]) for each in model.dump_model()["tree_info"]]
    pairs = np.column_stack(widths).astype("<f4")
    head = _LETTERS + struct.pack("<3H", VERSION, len(pairs), len(trees))
    table = head + pairs.tobytes() + b"".join(tree.bytes() for tree in trees)
    digest = hashlib.sha256(table).hexdigest()
    lines = [
        "# Where calibration.bin comes from; `parshall calibrate learn` wrote both.",
        f"version = {VERSION}",
        f'sha256 = "{digest}"',
        *(f"{name} = {json.dumps(value)}" for name, value in about.items()),
        "# Doubt of an interval, and half the width of its bounds.",
        f"widths = {[[round(float(x), 4) for x in pair] for pair in pairs]}",
    ]
    texts = {"calibration.toml": lines, "judgement/rows.txt": _judged(*rows)}
    files = {name: "\n".join([*text, ""]).encode() for name, text in texts.items()}
    return Made(digest, {"calibration.bin": table, **files})


def _judged(numbers: NDArray[np.float32], probabilities: Reals) -> list[str]:
    lines = []
    for row, probability in zip(numbers, probabilities, strict=True):
        shown = ("NaN" if value == UNKNOWN else f"{float(value):.9g}" for value in row)
        lines.append(f"{float(probability):.6f} {' '.join(shown)}")
    return lines
