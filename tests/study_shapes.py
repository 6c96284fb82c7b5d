"""Shapes of what studies measure: the labels of the tables that their claims are about, without any number.

They let claims and sentences be judged on imagined numbers without a run. ``python -m tests.study_lists``
writes them from brief runs.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from parshall_studies import study as st
from parshall_studies.study.results import dimensions_of
from parshall_studies.study.values import SEED

FOLDER = Path(__file__).parent / "data" / "studies"


def shape_of(study: st.Study, measures: st.Measures) -> bytes:
    """The shape of a study's tables, for a file."""
    used = {table for topic in study.loaded.topics for claim in topic.claims for table in claim.rule.tables}
    shapes = {name: _shape(measures[name]) for name in sorted(used & measures.keys())}
    return gzip.compress(json.dumps(shapes, separators=(",", ":")).encode(), mtime=0)


def _shape(table: pa.Table) -> dict[str, Any]:
    dims = dimensions_of(table)
    labelled = [dim for dim in dims if dim != SEED]
    rows = dict.fromkeys(zip(*(table[dim].to_pylist() for dim in labelled), strict=True))
    return {
        "dims": list(dims),
        "columns": [name for name in table.column_names if name not in dims],
        "labels": [list(labels) for labels in zip(*rows, strict=True)] or [[] for _ in labelled],
    }


def results_of(name: str) -> st.Results:
    """Results of a study's shape, with zeros for numbers and one seed."""
    shapes = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    return st.Results({table: _table(**shape) for table, shape in shapes.items()})


def _table(dims: list[str], columns: list[str], labels: list[list[Any]]) -> pa.Table:
    labelled = [dim for dim in dims if dim != SEED]
    count = len(labels[0]) if labelled else 1
    seeds = {SEED: [1] * count} if SEED in dims else {}
    numbers = {column: [0.0] * count for column in columns}
    return st.tidy({**dict(zip(labelled, labels, strict=True)), **seeds, **numbers}, dims)
