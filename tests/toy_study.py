"""A study of the seeds themselves, which other tests run: small, quick, and with a bit of everything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from parshall_studies import study as st

SEED = st.Quantity("seeds", "value", "s", "seed")
TABLE = st.printed_table(
    "table-1",
    "Table 1",
    "Means & <more>",
    "In seconds.",
    ("Doubled",),
    (
        (f"table-1.{kind}", (kind,), f"The <mean> seed, {kind}.", st.Printed(text, "s"), SEED.at(kind=kind))
        for kind, text in (("once", "6.5"), ("twice", "99"))
    ),
)
TOPICS = (
    st.Topic(
        "What is said",
        (
            st.Claim("text.positive", "Section 1", "Seeds are above zero.", SEED.at(kind="once") > 0.0),
            st.Claim("text.doubled", "Section 1", "Twice is more & more.", st.rises(SEED, "kind")),
        ),
    ),
    TABLE.topic,
    st.beyond(
        "Zeros", [st.Claim("zero", "Every run", "No seed is zero.", st.Never(0 - SEED.at(kind="once")))]
    ),
)
PAGE = """
{% set once = quantity("seeds.value", kind="once") %}
- **Does it work?** The mean seed is {{ over_seeds(once) | interval("s") }}, as *none* <expected>.
- **When to use it:** Always.
- **What to use instead:** Nothing.
- **How sure:** {{ seeds }} seeds.

{{ figure("growth", "Growth & <decay>", "Means over %d seeds." % seeds) }}

## Findings

### Doubling

It {{ judged["text.doubled"].clause }}.

{{ show("table-1") }}

### Two views

{{ show("views") }}

## Details

Some `code`.

{% if has("extra") %}Measured data was there.{% endif %}

{{ table("by-kind", "By kind", "Means.") }}

## Assumptions

### Seeds
- The document: silent.
"""


def measure(bench: st.Workbench) -> st.Measures:
    """Seeds, once and twice."""
    kinds = {"once": 1.0, "twice": 2.0}
    columns: dict[str, list[Any]] = {"kind": [], "seed": [], "value": []}
    for kind, factor in kinds.items():
        for seed in bench.work("Seeds", list(bench.seeds), lambda seed: seed):
            for name, value in (("kind", kind), ("seed", seed), ("value", factor * seed)):
                columns[name].append(value)
    tables = {"seeds": st.tidy(columns, ("kind", "seed"))}
    if "extra/numbers.csv" in bench.files:
        numbers = bench.files["extra/numbers.csv"].read_text().split()
        tables["extra"] = st.tidy({"number": [float(each) for each in numbers]}, ())
    return tables


def _growth(id: str, unit: str, factor: float = 1.0) -> st.Made[st.Figure]:
    line = st.Means(factor * SEED, "kind", st.Look("all seeds", marker="o"), places={"once": 1, "twice": 2})
    return st.drawing(id, [line], st.Axis("kind"), st.Axis("mean seed", unit))


def _views(results: st.Results, judged: st.Judgements) -> st.Picker:
    views = {"view-s": _growth("view-s", "s"), "view-ms": _growth("view-ms", "ms", 1e3)}
    figures = (each.made(results, judged).with_words(id, "One view.") for id, each in views.items())
    return st.Picker("views", "Views", "Unit", tuple(figures))


SHOWN: tuple[st.Shown, ...] = (
    TABLE,
    _growth("growth", "s"),
    st.means_table("by-kind", "Kind", "seeds.kind", {"s": "seeds.value"}),
    st.Made(_views),
)
QUICK_PAGE = """
The mean seed is {{ over_seeds("seeds.value", kind="once") | interval("s") }}.

{{ figure("growth", "Growth", "Means.") }}
"""


def measure_quickly(bench: st.Workbench) -> st.Measures:
    """Seeds, once."""
    values = list(map(float, bench.seeds))
    columns = {"kind": ["once"] * len(values), "seed": list(bench.seeds), "value": values}
    return {"seeds": st.tidy(columns, ("kind", "seed"))}


CONTENT = st.Content(measure, TOPICS, PAGE, SHOWN, quick=st.Quick(measure_quickly, QUICK_PAGE))
STUDY = st.Study("toy", "A toy & <more>", st.Document("On Seeds", "A. Nobody", "Nowhere 2004"), 12, CONTENT)


def toy(
    during: Callable[[st.Workbench], None] = lambda bench: None, data: Sequence[st.Data] = (), **changes: Any
) -> st.Study:
    """The study, with something that happens before it measures."""

    def measured(bench: st.Workbench) -> st.Measures:
        during(bench)
        return measure(bench)

    return replace(STUDY, content=replace(CONTENT, measure=measured, data=data, **changes))
