"""Builds the transfer, measures, prints, and writes the page of ``parshall validate quic``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from parshall.errors import InputError
from parshall.support.files import write_file
from parshall_dev.validate.quic.figure import figure
from parshall_dev.validate.quic.page import page
from parshall_dev.validate.quic.transfers import CANDIDATES, Compared, built, compared, uneven

__all__ = ["validate_quic"]


def validate_quic(only: Sequence[str], out: str) -> bool:
    """Compares controls, all or only those named as the transfer names them. Returns whether all agree that
    have the same code in the simulator and in quinn, and quinn with itself in simulated time.
    """
    known = {candidate.transfer: candidate for candidate in CANDIDATES}
    for name in only:
        if name not in known:
            raise InputError("--only", name, f"one of {', '.join(known)}")
    chosen = tuple(known[name] for name in only) or CANDIDATES
    results = []
    program = built()
    for result in compared(program, chosen):
        results.append(result)
        click.echo(_line(result), err=True)
    jittered = {
        result.candidate: uneven(program, result.candidate)
        for result in results
        if result.candidate.needs_even_acks
    }
    folder = Path(out)
    write_file(folder / "figures/quic.svg", figure(results))
    write_file(folder / "quic.md", "\n".join(page(results, jittered)))
    return all(
        (result.agrees or not result.candidate.is_same)
        and (result.is_same_network or result.candidate.needs_even_acks)
        for result in results
    )


def _line(result: Compared) -> str:
    real, timeless = result.real, result.timeless
    said = f"{real.goodput / 1e6:.2f} Mbit/s ({100 * result.goodput_off:+.1f} %)"
    said += f", delay {1e3 * real.delay:.1f} ms ({1e3 * result.delay_off:+.1f} ms)"
    said += f", in simulated time {timeless.goodput / 1e6:.2f} Mbit/s, {1e3 * timeless.delay:.1f} ms"
    parts = result.candidate.is_same and not result.agrees
    return f"{result.candidate.name}: {said}{'  parts' if parts else ''}"
