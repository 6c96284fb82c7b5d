"""Options beside which no Linux of a profile exists any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parshall.scenario.parts import Scenario

__all__ = ["gone_option", "gone_options"]

_NEWEST = ("linux", "linux-7.3")


def gone_option(profile: str, rack: bool | None) -> str | None:
    """A sentence about an option that the Linux of a profile does not have; none where there is none."""
    if profile in _NEWEST and rack is False:
        return (
            f"rack = false beside the profile {profile}: Linux has no such TCP since 6.17, where tcp_recovery"
            " has no effect; the profile linux-6.12 is the last that has"
        )
    return None


def gone_options(scenario: Scenario) -> str | None:
    """A sentence about the first flow of a scenario that has such an option; none where there is none."""
    for flow in scenario.flows:
        transport: Any = flow.transport
        if getattr(transport, "rack", None) is False and (remark := _of(transport)) is not None:
            return f"flows[{flow.name}].transport: {remark}"
    return None


def _of(transport: Any) -> str | None:
    return gone_option(transport.profile, transport.rack)
