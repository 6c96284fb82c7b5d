"""Tables of what is counted and treated."""

from __future__ import annotations

from parshall_studies import study as st
from parshall_studies.nonresponsive import networks as net
from parshall_studies.nonresponsive.applied import fair_part, goodput, told
from parshall_studies.nonresponsive.counting import COUNTER
from parshall_studies.nonresponsive.mixes import MIXES
from parshall_studies.nonresponsive.treatments import TREATED, TREATMENTS

_COUNTED = {
    COUNTER: "Count of UDP bytes",
    "zero-drops/tuned": "Modified, tuned",
    "zero-drops/printed": "Modified, printed gains",
    "responsiveness/none": "Responsiveness",
    "constant/tuned": "One number",
}


def _counting(results: st.Results, judged: object) -> st.Table:
    of = st.NumbersOf(results)
    rows = [
        (
            mix.label,
            st.Number(of.mean(told(name, COUNTER, "truth")), decimals=2),
            *(of.over_seeds(told(name, entry)) for entry in _COUNTED),
        )
        for name, mix in MIXES.items()
    ]
    columns: tuple[st.Column | str, ...] = (
        st.Column("Mix", "text", key=True),
        "True share",
        *_COUNTED.values(),
    )
    return st.Table("counting", columns, rows)


def _treated(results: st.Results, judged: object) -> st.Table:
    of = st.NumbersOf(results)
    rows = [
        (
            treatment.label,
            *(
                cell
                for mix in TREATED
                for cell in (
                    of.over_seeds(goodput(mix, name)),
                    st.Number(of.mean("treated.deaf", mix=mix, treatment=name), decimals=1),
                )
            ),
        )
        for name, treatment in TREATMENTS.items()
    ]
    fair = [
        cell
        for mix in TREATED
        for cell in (
            st.Number(fair_part(mix), decimals=1),
            st.Number(1e-6 * net.RATE - fair_part(mix), decimals=1),
        )
    ]
    rows.append(("equal parts of the link", *fair))
    heads = [
        f"{label}, {kind}"
        for label in (mix.label for mix in TREATED.values())
        for kind in ("respond", "do not")
    ]
    return st.Table("treated", (st.Column("Treatment", "text", key=True), *heads), rows)


SHOWN: tuple[st.Shown, ...] = (st.Made(_counting), st.Made(_treated))
