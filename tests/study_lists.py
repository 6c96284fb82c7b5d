"""Promises of a study to those who build on it, as text: the id of each claim with its statement and numbers,
and the tables with their labels. ``python -m tests.study_lists [STUDY ...]`` writes the lists anew, and the
shapes of the tables (:mod:`tests.study_shapes`).
"""

from __future__ import annotations

import dataclasses
import sys
import tempfile
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from tests.brief_studies import BRIEF, SEEDS, OneRun, brief
from tests.study_shapes import FOLDER, shape_of

from parshall_studies import study as st
from parshall_studies.study import data
from parshall_studies.study.quantity import Expression, Relation
from parshall_studies.study.results import dimensions_of

_MOST = 60
"""Labels of a dimension that are listed; of more, there are as many as a run is long."""


def listed(study: st.Study, measures: st.Measures) -> str:
    """The list of a study."""
    return "\n".join((*_claims(study), "", *_tables(measures))) + "\n"


def _claims(study: st.Study) -> Iterator[str]:
    for topic in study.loaded.topics:
        for claim in topic.claims:
            whose = "" if topic.of_document else "beyond "
            of = f" of {', '.join(sorted(claim.rule.tables))}" if claim.rule.tables else ""
            yield f"{claim.id} | {whose}{claim.rule.kind}{of} | {_said(claim)}"


def _said(claim: st.Claim) -> str:
    """The fields of the rule and the document's number."""
    printed = f"printed {claim.paper}" if claim.paper is not None else ""
    return "; ".join(filter(None, (_fields(claim.rule), printed)))


def _fields(rule: st.Rule) -> str:
    """The fields of a rule, as far as they are not as usual."""
    values = ((field.default, getattr(rule, field.name)) for field in dataclasses.fields(rule))
    return "; ".join(_text(value) for default, value in values if value != default)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return " / ".join(f"{name}: {_fields(rule)}" for name, rule in value.items())
    if isinstance(value, tuple):
        return " and ".join(map(_text, value))
    if isinstance(value, float):
        return f"{value:.9g}"
    assert isinstance(value, Expression | Relation | st.Printed | str | int | Enum), value
    return str(value)


def _tables(measures: st.Measures) -> Iterator[str]:
    results = st.Results(measures)
    for name, table in sorted(measures.items()):
        dims = dimensions_of(table)
        numbers = [column for column in table.column_names if column not in dims]
        yield f"{name}: {', '.join(numbers)}"
        for dim in dims:
            labels = [] if dim == "seed" else results.labels(name, dim)
            few = 0 < len(labels) <= _MOST and not any(isinstance(label, float) for label in labels)
            yield f"    {dim}{': ' + ', '.join(map(str, labels)) if few else ''}"


def _write(names: list[str]) -> None:
    for name in names or BRIEF:
        with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
            study = brief(name, patch, Path(folder))
            files = data.find(study.loaded.data, [Path(folder)]).files
            bench = OneRun(range(1, SEEDS + 1), cache=False, files=files)
            measures = study.loaded.measure(bench)
            (FOLDER / f"{name}.txt").write_text(listed(study, measures), encoding="utf-8")
            (FOLDER / f"{name}.json.gz").write_bytes(shape_of(study, measures))


if __name__ == "__main__":
    _write(sys.argv[1:])
