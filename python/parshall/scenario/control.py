"""Congestion controls: how a window grows and shrinks. Each default is the value of its source."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, ValidationInfo, model_validator
from typing_extensions import Self

from parshall.errors import InputError, shown
from parshall.scenario.base import FOLDER, Model, OrElse, one_of
from parshall.scenario.control_forecasting import ArimaVegas, Dual, TcpTp, check_order
from parshall.scenario.quantities import NO_VALUES, Flag, NotNegative, Part, Positive, Text, Values

if TYPE_CHECKING:
    from parshall._core import ControlBase
    from parshall.control.library import SharedControl
    from parshall.scenario.quantities import Given, Table

__all__ = [
    "Aimd",
    "ArimaVegas",
    "Bbr",
    "Binomial",
    "Copa",
    "Cubic",
    "Dctcp",
    "Dual",
    "TcpTp",
    "UserControl",
    "VegasControl",
    "Veno",
]


class Aimd(Model):
    """One packet a round trip up, half of the window down (RFC 5681)."""

    kind: Literal["aimd"] = "aimd"
    """Names this control."""


class Bbr(Model):
    """BBR, version 1: a model of the path, its rate at the bottleneck and its round trip without a queue,
    sets rate and window (Cardwell et al. 2016). Its packets are paced. Meant for the recovery ``sack``.
    """

    kind: Literal["bbr"] = "bbr"
    """Names this control."""
    bounds: Flag = False
    """Whether losses and marks bound rate and window, as in version 3 (draft-ietf-ccwg-bbr)."""
    variant: Literal["draft", "linux"] | None = None
    """Version 1 of the draft or of Linux, which also looks out for policers and makes room in the window for
    ACKs that come together. Left out it is ``linux`` with the profile of that name and without ``bounds``,
    and ``draft`` otherwise."""

    @classmethod
    def linux(cls) -> Self:
        """As Linux has it, under any profile."""
        return cls(variant="linux")


class Binomial(Model):
    """For a window ``w``, ``alpha / w^k`` packets a round trip up and ``beta w^l`` down (Bansal and
    Balakrishnan 2001). IIAD has k = 1 and l = 0, SQRT 1/2 for both. A loss in slow start and a timeout take
    half of the window, or what ``beta w^l`` is if that is more.
    """

    kind: Literal["binomial"] = "binomial"
    """Names this control."""
    k: NotNegative
    """Exponent of the increase."""
    l: NotNegative  # noqa: E741 - the paper's name
    """Exponent of the decrease."""
    alpha: Positive = 1.0
    """Factor of the increase."""
    beta: Positive = 0.5
    """Factor of the decrease."""

    @classmethod
    def iiad(cls, alpha: float = 1.0, beta: float = 0.5) -> Self:
        """Inverse increase, additive decrease: k = 1, l = 0."""
        return cls(k=1, l=0, alpha=alpha, beta=beta)

    @classmethod
    def sqrt(cls, alpha: float = 1.0, beta: float = 0.5) -> Self:
        """Increase and decrease by the square root of the window: k = l = 1/2."""
        return cls(k=0.5, l=0.5, alpha=alpha, beta=beta)


class Copa(Model):
    """Copa: steers towards a rate that falls with the queueing delay, so that each flow keeps ``1 / delta``
    packets in the queue (Arun and Balakrishnan 2018). Its packets are paced. Meant for the recovery ``sack``.
    """

    kind: Literal["copa"] = "copa"
    """Names this control."""
    delta: Positive = 0.5
    """How much delay counts beside throughput."""
    competitive: Flag = True
    """Whether a flow that does not see the queue empty lowers delta, to hold its own beside flows that fill
    the buffer. Several flows of Copa may take each other for such ones."""


class Cubic(Model):
    """CUBIC: a window that grows with the cube of the time since the last loss (RFC 9438)."""

    kind: Literal["cubic"] = "cubic"
    """Names this control."""
    c: Positive = 0.4
    """How steep the curve is (RFC 9438, section 5.1)."""
    beta: Part = 0.7
    """What is left of the window after a loss (section 4.6)."""
    fast_convergence: Flag = True
    """Whether a flow that loses early makes room (section 4.7)."""
    hystart: Literal["none", "classic", "plus-plus"] | None = None
    """What else than a loss ends slow start: nothing, trains of ACKs and round trips that grow (Ha and Rhee
    2011, as in Linux), or such round trips with a conservative slow start after them (RFC 9406). Left out it
    is ``classic`` with the profile ``linux``, and ``none`` with others."""
    variant: Literal["rfc", "linux"] | None = None
    """Growth by the RFC or by Linux, which counts whole packets and ticks of 4 ms, aims ahead by the least
    round trip, which leaves queues out, grows by a twentieth a round trip at least before the first loss, and
    keeps up with a flow of Reno that grows by 0.53 packets a round trip for ever. Left out it is ``linux``
    with the profile of that name, and ``rfc`` with others."""

    @classmethod
    def linux(cls) -> Self:
        """As Linux has it, with classic HyStart, under any profile."""
        return cls(hystart="classic", variant="linux")


class Dctcp(Model):
    """DCTCP: the window shrinks by as much as the share of packets that were marked asks for (RFC 8257). It
    takes ``ecn`` and a queue that marks, best each packet that finds K or more waiting: ``Red`` with both
    thresholds K, ``weight=1``, ``gentle=False``, ``ecn=True`` and ``hard_drop=False``. Its receiver reports
    marks packet by packet.
    """

    kind: Literal["dctcp"] = "dctcp"
    """Names this control."""
    gain: Part = 0.0625
    """Weight of the latest window in the share of marked packets (DCTCP.g)."""


class VegasControl(Model):
    """Vegas: keeps a number of packets in queues (Brakmo and Peterson 1995). This is its window alone; the
    recovery of the same name has its retransmissions as well.
    """

    kind: Literal["vegas"] = "vegas"
    """Names this control."""
    alpha: NotNegative = 1.0
    """Packets in queues below which the window grows."""
    beta: NotNegative = 3.0
    """Packets in queues above which it shrinks; at least alpha."""
    gamma: NotNegative = 1.0
    """Packets in queues above which slow start ends."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        check_order(self.alpha, self.beta)
        return self


class Veno(Model):
    """Veno: AIMD that backs off less when a loss does not look like congestion (Fu and Liew 2003)."""

    kind: Literal["veno"] = "veno"
    """Names this control."""
    beta: Positive = 3.0
    """Packets in queues from which on a loss counts as congestion."""
    backlog: Literal["round", "smoothed"] = "round"
    """Estimate of these: from the mean of the last round trip and the least of the connection, or from the
    smoothed round trip of RFC 6298 and the least since the last loss (Jeyasekar et al. 2014, eq. 1 and 2)."""


class UserControl(Model):
    """A control of your own, as a scenario names it: an instance of a class derived from
    ``parshall.Control``, or a ``parshall.SharedControl``, becomes this. The code itself is not in the
    scenario; to run it again takes that code. In a file ``module:Class`` alone names it, too: the module is
    looked for beside the file, and imported when the file is read.
    """

    kind: Literal["user"] = "user"
    """Names this control."""
    form: Literal["python", "numba", "library"] | None = None
    """In what form its code comes; left out, it is found out."""
    source: Text
    """Where it is found: a class as ``module:Name``, a library as the path of its file."""
    code: Text = ""
    """SHA-256 of its code: of the source and what that refers to, or of the library's file. Left out, it is
    that of the code that is there; given, no other code runs.
    """
    values: Values = NO_VALUES
    """Its parameters, where they are not at their defaults."""

    @model_validator(mode="before")
    @classmethod
    def _found(cls, given: Any, info: ValidationInfo) -> Any:
        """Finds the code of a control that is named without it."""
        source = given.get("source") if isinstance(given, Mapping) else None
        if not isinstance(source, str) or given.get("code"):
            return given
        values = given.get("values")
        if values is not None and not isinstance(values, Mapping):
            raise InputError("values", shown(values), "a table")
        # By name, as the engine looks for it: what a scenario is made of does not depend on controls.
        find = import_module("parshall.control.found").named
        try:
            part = find(source, dict(values or {}), (info.context or {}).get(FOLDER))
        except InputError as error:
            raise InputError(
                error.path.removeprefix("control").lstrip("."), error.value, error.expected
            ) from None
        return {**given, "form": part.form, "source": part.source, "code": part.code}

    @model_validator(mode="after")
    def _has_a_form(self) -> Self:
        if self.form is None:
            raise InputError("form", "nothing", '"python", "numba" or "library"')
        return self

    def with_value(self, name: str, value: Any) -> Self:
        """The same control with another value of a parameter."""
        return type(self)(
            form=self.form, source=self.source, code=self.code, values={**self.values, name: value}
        )


def names_code(value: object) -> bool:
    """True for text that names a control of one's own: its class, or the file of its library."""
    return isinstance(value, str) and (":" in value or value.endswith((".so", ".dylib", ".dll")))


if TYPE_CHECKING:
    _Control: TypeAlias = (
        Aimd
        | ArimaVegas
        | Bbr
        | Binomial
        | Copa
        | Cubic
        | Dctcp
        | Dual
        | TcpTp
        | VegasControl
        | Veno
        | UserControl
    )
    _Name: TypeAlias = Literal[
        "aimd", "arima-vegas", "bbr", "copa", "cubic", "dctcp", "dual", "tcp-tp", "vegas", "veno"
    ]
    MaybeControl: TypeAlias = Given[
        _Control | None, _Control | ControlBase | SharedControl | _Name | Table | None
    ]
else:

    def _by_name(value: object) -> object:
        """A control of one's own may stand as text."""
        return {"kind": "user", "source": value} if names_code(value) else value

    _Any = one_of(
        Aimd, ArimaVegas, Bbr, Binomial, Copa, Cubic, Dctcp, Dual, TcpTp, VegasControl, Veno, UserControl
    )
    _Text = OrElse({"type": "string", "pattern": r":|\.(so|dylib|dll)$"})
    MaybeControl = Annotated[_Any, _Text, BeforeValidator(_by_name)] | None
