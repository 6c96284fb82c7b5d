"""The ns-2 variables of a TCP flow, checked against the neutral fields that they stand behind.

A trace was made with the variables, we rebuild from the fields. Where the two say different things, or where
a variable is set that no field tells of, there is nothing to compare.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from parshall.errors import shown
from parshall_dev.validate.fields import Fields

__all__ = ["check_ns2_settings"]

Values: TypeAlias = Mapping[str, Any]

_SENDERS = {
    "tahoe": "Agent/TCP",
    "reno": "Agent/TCP/Reno",
    "newreno": "Agent/TCP/Newreno",
    "sack1": "Agent/TCP/Sack1",
    "vegas": "Agent/TCP/Vegas",
}


def _sink(flow: Values) -> str:
    sack = "/Sack1" if flow["variant"] == "sack1" else ""
    delayed = "/DelAck" if flow["delayed_ack"] else ""
    return f"Agent/TCPSink{sack}{delayed}"


def _adds_headers(flow: Values) -> bool:
    # Vegas never adds them.
    return bool(flow["syn_packet"]) and flow["variant"] != "vegas"


def _payload(flow: Values) -> int:
    header: int = flow["syn_wire_bytes"] if _adds_headers(flow) else 0
    return int(flow["data_wire_bytes"]) - header


def _field(name: str) -> Callable[[Values], Any]:
    return lambda flow: flow[name]


_VARIABLES: dict[str, Callable[[Values], Any]] = {
    "packetSize_": _payload,
    "useHeaders_": _adds_headers,
    "tcpip_base_hdr_size_": lambda flow: flow["syn_wire_bytes"] or 40,
    "window_": _field("max_window_pkts"),
    "windowInit_": _field("initial_window_pkts"),
    "windowInitOption_": lambda flow: 1,
    "syn_": _field("syn_packet"),
    "delay_growth_": _field("syn_packet"),
    "tcpTick_": _field("tick_s"),
    "minrto_": _field("min_rto_s"),
    "maxrto_": _field("max_rto_s"),
    "rtxcur_init_": _field("initial_rto_s"),
    "singledup_": _field("limited_transmit"),
    "numdupacks_": _field("dupack_threshold"),
    "overhead_": lambda flow: 0,
    "bugFix_": _field("one_fast_retransmit_per_window"),
    "slow_start_restart_": _field("restart_after_idle"),
    "newreno_changes1_": lambda flow: flow["newreno_timer_restart"] != "every partial ACK",
    "v_alpha_": lambda flow: flow["vegas"]["alpha_pkts"],
    "v_beta_": lambda flow: flow["vegas"]["beta_pkts"],
    "v_gamma_": lambda flow: flow["vegas"]["gamma_pkts"],
}


def check_ns2_settings(flow: Fields, variant: str) -> None:
    """Raises InputError for a class or a variable that the neutral fields, read before, contradict."""
    if "ns2_classes" in flow.read:
        flow.exactly("ns2_classes", [_SENDERS[variant], _sink(flow.read)], "the classes of this variant")
    if "ns2_settings" not in flow.read:
        return
    settings = flow.table("ns2_settings")
    for name in settings.left():
        if name not in _VARIABLES:
            raise settings.error(name, "a variable that a field of the flow tells of")
        value = _number(settings.plain(name))
        try:
            expected = _VARIABLES[name](flow.read)
        except KeyError:
            raise settings.error(name, f"no such variable of {variant}") from None
        if value != _number(expected):
            raise settings.error(name, f"{shown(expected)}, as the fields of the flow say")


def _number(value: object) -> object:
    """ns-2 writes true and false as words or as 1 and 0."""
    if isinstance(value, bool):
        return int(value)
    return {"true": 1, "false": 0}.get(value, value) if isinstance(value, str) else value
