"""``parshall validate utilisation``: every control alone on a clean link, by recovery and profile.

A flow that nothing disturbs, on a link with a queue of one bandwidth-delay product, has nearly all of it.
Less is a fault, or has a reason that ``docs/validation.md`` tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from parshall.engine.measure import measure
from parshall.scenario import Bulk, DropTail, Flow, Link, Scenario, Tcp
from parshall.scenario.parts import Bbr, Binomial, Cubic
from parshall_studies import study as st

if TYPE_CHECKING:
    from parshall.recording import Recording

__all__ = ["CONTROLS", "EXPECTED", "PATHS", "PROFILES", "RECOVERIES", "Setting", "found", "page", "settings"]

EXPECTED = 0.85
"""Share of the link that a flow alone has."""
PROFILES = ("rfc", "linux", "ns2")
RECOVERIES: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "Tahoe": {"recovery": "tahoe"},
    "Reno": {"recovery": "reno"},
    "NewReno": {"recovery": "newreno"},
    "SACK": {"recovery": "sack", "rack": False},
    "RACK": {"recovery": "sack", "rack": True},
    "Vegas": {"recovery": "vegas"},
}
CONTROLS: Mapping[str, Any] = {
    "AIMD": "aimd",
    "IIAD": Binomial.iiad(),
    "SQRT": Binomial.sqrt(),
    "CUBIC": "cubic",
    "CUBIC, Linux": Cubic.linux(),
    "BBR": "bbr",
    "BBR, Linux": Bbr.linux(),
    "Copa": "copa",
    "DCTCP": "dctcp",
    "Veno": "veno",
    "Vegas": "vegas",
    "CA-ARTT": "arima-vegas",
    "DUAL": "dual",
    "TCP-TP": "tcp-tp",
}
PATHS: Mapping[str, tuple[float, float]] = {
    "10 Mbit/s, 40 ms": (10e6, 0.04),
    "50 Mbit/s, 80 ms": (50e6, 0.08),
}
_PACKET_BYTES, _PAYLOAD = 1040, 1000
_FROM, _UNTIL = 10.0, 60.0


@dataclass(frozen=True)
class Setting:
    """A control, a recovery and a profile on a path, each by its name here."""

    profile: str
    control: str
    recovery: str
    path: str

    def scenario(self) -> Scenario:
        """A bulk flow alone, counted when its start is over."""
        rate, rtt = PATHS[self.path]
        product = round(rate * rtt / 8 / _PACKET_BYTES)
        options: dict[str, Any] = {"control": CONTROLS[self.control], **RECOVERIES[self.recovery]}
        if self.profile == "ns2":
            # Its receiver's window of 20 packets is less than the path holds.
            options["max_window_packets"] = 4 * product
        if self.control == "DCTCP":
            options["ecn"] = True
        link = Link(between=("a", "b"), rate=rate, delay=rtt / 2, queue=DropTail(limit_packets=product))
        transport = Tcp(profile=self.profile, **options)  # type: ignore[arg-type]
        flow = Flow(name="f", source="a", destination="b", transport=transport, app=Bulk())
        return Scenario(duration=_UNTIL, warm_up=_FROM, hosts=["a", "b"], links=[link], flows=[flow])


def settings() -> Iterator[Setting]:
    """All that can be: ns-2's SACK has no RACK, and the recovery Vegas has a window of its own."""
    for profile, control, recovery, path in product(PROFILES, CONTROLS, RECOVERIES, PATHS):
        if recovery == "RACK" and profile == "ns2":
            continue
        if recovery == "Vegas" and control not in ("Vegas", "CA-ARTT"):
            continue
        yield Setting(profile, control, recovery, path)


def found(chosen: Iterator[Setting], jobs: int | None = None) -> dict[Setting, float]:
    """Share of the link that each has."""

    def share(setting: Setting, run: Recording) -> float:
        rate, _ = PATHS[setting.path]
        return 8 * run.flow("f").bytes_delivered * _PACKET_BYTES / _PAYLOAD / run.counted_seconds / rate

    scenarios = {setting: setting.scenario() for setting in chosen}
    runs = measure(scenarios, [1], share, jobs=jobs, cache=None)
    return {setting: shares[0] for setting, shares in runs.items()}


def page(shares: Mapping[Setting, float]) -> Iterator[str]:
    """As Markdown, line by line: a table a profile and path, in percent; what falls short in bold."""
    yield "# Every control alone on a clean link"
    yield ""
    for profile, path in product(PROFILES, PATHS):
        columns = [
            name for name in RECOVERIES if any(s.recovery == name and s.profile == profile for s in shares)
        ]
        rows = [
            (control, *(_cell(shares.get(Setting(profile, control, name, path))) for name in columns))
            for control in CONTROLS
        ]
        yield f"## Profile `{profile}`, {path}"
        yield ""
        heads = [st.Column("control", "text"), *(st.Column(name, "text") for name in columns)]
        yield from st.markdown(st.Table("utilisation", heads, rows))
        yield ""


def _cell(share: float | None) -> str:
    if share is None:
        return ""
    percent = f"{100 * share:.0f}"
    return percent if share >= EXPECTED else f"**{percent}**"
