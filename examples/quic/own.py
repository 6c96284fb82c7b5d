"""A transfer by QUIC whose sender asks a class in Python for its window, through the interface of
``parshall_control.h``.

    cargo build --release -p parshall-quinn --features library,sim --examples
    python examples/quic/own.py gentle:Gentle
    python examples/quic/own.py gentle:Gentle --scenario examples/quic/bottleneck.toml     in simulated time
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import parshall
from parshall import _core

HERE = Path(__file__).resolve().parent
BUILT = [HERE.parents[1] / f"target/{kind}/examples/libtransfer_library.so" for kind in ("release", "debug")]

_TYPES = {"double": ctypes.c_double, "int64_t": ctypes.c_int64, "bool": ctypes.c_bool}


def _structure(name: str) -> type[ctypes.Structure]:
    """A structure of the header, from the description that the header itself is made of."""
    described = _core.part_interface("control")["structures"][name]
    fields = [(field, _TYPES.get(kind, ctypes.c_void_p)) for field, kind, _ in described]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


Window, Ack, Loss, Moment = (_structure(name) for name in ("window", "ack", "loss", "moment"))
OnStart = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(Window))
OnAck = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(Window), ctypes.POINTER(Ack))
OnLoss = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(Window), ctypes.POINTER(Loss))
OnMoment = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(Window), ctypes.POINTER(Moment))


class Table(ctypes.Structure):
    """``parshall_control_table``."""

    _fields_ = (
        ("version", ctypes.c_uint32),
        ("exact_echo", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("state_size", ctypes.c_size_t),
        ("parameters", ctypes.c_void_p),
        ("on_start", OnStart),
        ("on_ack", OnAck),
        ("on_loss", OnLoss),
        ("on_mark", OnLoss),
        ("on_timeout", OnLoss),
        ("on_restart", OnMoment),
        ("on_timer", OnMoment),
    )


class Outcome(ctypes.Structure):
    """The outcome of a transfer."""

    _fields_ = (
        ("bytes", ctypes.c_uint64),
        ("goodput", ctypes.c_double),
        ("packets_sent", ctypes.c_uint64),
        ("packets_lost", ctypes.c_uint64),
        ("congestion_events", ctypes.c_uint64),
        ("srtt", ctypes.c_double),
    )


class Queue(ctypes.Structure):
    """Counters of the queue of a scenario's first link in simulated time."""

    _fields_ = (
        ("mean_delay", ctypes.c_double),
        ("packets_arrived", ctypes.c_uint64),
        ("packets_dropped", ctypes.c_uint64),
    )


_ANSWERS = ("cwnd", "ssthresh", "pacing_rate", "wake_at")


def table_of(control: Any) -> Table:
    """The functions of a control, for one connection."""

    def method(name: str, kind: Any, failed: Any) -> Any:
        own = getattr(control, name, None)
        if own is None or own.__func__ is getattr(parshall.Control, name, None):
            return kind()

        def called(window: Any, *told: Any) -> Any:
            try:
                for answer in _ANSWERS:
                    setattr(control, answer, getattr(window[0], answer))
                result = own(*(each[0] for each in told))
                for answer in _ANSWERS:
                    setattr(window[0], answer, getattr(control, answer))
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                return failed
            return 0 if result is None else result

        return kind(called)

    table = Table(version=1, name=type(control).__name__.encode(), state_size=ctypes.sizeof(Window))
    for name, kind, failed in (
        ("on_start", OnStart, 1),
        ("on_ack", OnAck, 1),
        ("on_loss", OnLoss, float("nan")),
        ("on_mark", OnLoss, float("nan")),
        ("on_timeout", OnLoss, float("nan")),
        ("on_restart", OnMoment, 1),
        ("on_timer", OnMoment, 1),
    ):
        setattr(table, name, method(name, kind, failed))
    return table


def library() -> ctypes.CDLL:
    """The library of the transfer."""
    found = next((file for file in BUILT if file.exists()), None)
    if found is None:
        raise SystemExit("own.py: expected the library of the transfer; the first lines say how to build it")
    return ctypes.CDLL(str(found))


def simulated(control: Any, scenario: str) -> dict[str, Any]:
    """Sends from a client to a server in simulated time, in the place of a scenario's first flow."""
    done, queue, table = Outcome(), Queue(), table_of(control)
    send = library().parshall_quic_transfer_simulated
    send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
    if send(ctypes.byref(table), scenario.encode(), ctypes.byref(done), ctypes.byref(queue)) != 0:
        raise SystemExit("own.py: the transfer failed; the reason stands above")
    return fields(done) | fields(queue)


def fields(structure: ctypes.Structure) -> dict[str, Any]:
    """The fields of a structure by their names."""
    return {name: getattr(structure, name) for name, *_ in structure._fields_}


def transfer(control: Any, relay: str, server: str, time: float, warm_up: float) -> Outcome:
    """Sends from a client to a server, both in this process, over a relay."""
    done = Outcome()
    send = library().parshall_quic_transfer
    send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_double, ctypes.c_double]
    table = table_of(control)
    addresses = relay.encode(), server.encode()
    if send(ctypes.byref(table), *addresses, time, warm_up, ctypes.byref(done)) != 0:
        raise SystemExit("own.py: the transfer failed; the reason stands above")
    return done


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("source", help="module:Class")
    parser.add_argument("--scenario", help="do it in simulated time, in the place of this file's first flow")
    parser.add_argument("--relay", help="a relay that is there; one for bottleneck.toml is started otherwise")
    parser.add_argument("--server", default="127.0.0.1:6000")
    parser.add_argument("--time", type=float, default=10.0)
    parser.add_argument("--warm-up", type=float, default=0.0)
    given = parser.parse_args()
    sys.path[:0] = [str(HERE), "."]
    module, _, name = given.source.partition(":")
    control = getattr(importlib.import_module(module), name)()
    rest = given.server, given.time, given.warm_up
    if given.scenario is not None:
        print(json.dumps(simulated(control, given.scenario)))
        return
    if given.relay is not None:
        done = transfer(control, given.relay, *rest)
    else:
        with parshall.Relay(HERE / "bottleneck.toml", to=given.server, duration="1000 s") as relay:
            done = transfer(control, relay.listening, *rest)
    print(json.dumps(fields(done)))


if __name__ == "__main__":
    main()
