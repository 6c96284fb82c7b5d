"""Tables and figures of what the document leaves open: sizes of queues, delay and loss on symmetric paths,
ACKs alone upstream, and a timeout by ARTT.
"""

from __future__ import annotations

from parshall_studies import study as st
from parshall_studies.arima_vegas import controls
from parshall_studies.arima_vegas.document import KS
from parshall_studies.arima_vegas.quantities import of, queued, queued_gain
from parshall_studies.arima_vegas.queues import PATHS, QUEUES
from parshall_studies.arima_vegas.runs import ERRORS, PLACED
from parshall_studies.arima_vegas.senders import ALWAYS, ARTT, TIMERS, VEGAS


def growing_alone(queue: int | list[int]) -> st.Expression:
    """Throughput of a window that only grows, as a multiple of CA-ARTT's, at each upstream rate."""
    return of("queues", "throughput", ALWAYS, errors="none", queue=queue) / of(
        "queues", "throughput", ARTT, errors="none", queue=queue
    )


_RATES = st.each("{cr} kbit/s", cr={rate: f"{rate:g}" for rate in sorted(PATHS)})
_QUEUE_LOOKS = st.looks({queue: f"{queue} packets" for queue in QUEUES})
_TRIPS = {rtt: f"{rtt} ms" for rtt in controls.TRIPS}
_BUFFERS = {buffer: f"buffer {buffer}" for buffer in controls.BUFFERS}
_FLOWS = {flows: f"{flows} flow{'s' if flows > 1 else ''}" for flows in controls.FLOWS}


def _of_controls() -> dict[str, st.Expression]:
    """Columns of what each control delivers, and the delay that it makes."""
    labels = {name: label for name, (label, _) in controls.SENDERS.items()}
    heads = {"throughput": "Mbit/s", "delay": "delay, ms"}
    return {
        f"{label}, {head}": st.quantity(f"controls.{metric}", sender=name)
        for metric, head in heads.items()
        for name, label in labels.items()
    }


SHOWN: tuple[st.Shown, ...] = (
    st.drawing(
        "queue-gains",
        [
            st.Means(
                of("queues", "throughput", ARTT, errors="none")
                / of("queues", "throughput", VEGAS, errors="none"),
                "cr",
                _QUEUE_LOOKS,
                "queue",
            )
        ],
        st.Axis("upstream rate", "kbit/s", log=True),
        st.Axis("CA-ARTT / Vegas", log=True),
        marks=[st.Mark(y=1.0)],
    ),
    st.means_table(
        "queues",
        "Upstream rate",
        _RATES,
        {f"gain, {queue} (%)": queued_gain(queue) for queue in QUEUES}
        | {f"lost ACKs, {queue}": queued("acks_dropped", VEGAS, queue) for queue in QUEUES},
    ),
    st.means_table(
        "growing-alone",
        "Upstream rate",
        _RATES,
        {f"queues of {queue}": growing_alone(queue) for queue in QUEUES},
    ),
    st.means_table(
        "controls",
        "Path",
        st.each("{rtt}, {buffer}, {flows}", rtt=_TRIPS, buffer=_BUFFERS, flows=_FLOWS),
        _of_controls(),
    ),
    st.means_table(
        "saturation",
        "Path",
        st.each("K = {k}", k={k: str(k) for k in KS}),
        {
            "upstream full after, s": "saturation.upstream_full",
            "downstream full after, s": "saturation.downstream_full",
            "upstream sends, %": 100 * st.quantity("saturation.upstream"),
            "downstream sends, %": 100 * st.quantity("saturation.downstream"),
        },
    ),
    st.means_table(
        "timers",
        "Sender",
        st.each("{sender.label}, {errors}", sender=TIMERS, errors={name: ERRORS[name] for name in PLACED}),
        {f"K = {k}": st.quantity("timers.throughput", k=k) for k in KS},
        "matrix",
    ),
)
