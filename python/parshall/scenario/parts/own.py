"""Parts of the user's own: all are named alike."""

# Made by python -m parshall_dev.scenario_classes of crates/scenario/src/parts/own.rs

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from parshall.scenario.base import Part, default
from parshall.scenario.methods.own import (
    UserAppMethods,
    UserControlMethods,
    UserForecasterMethods,
    UserMarkerMethods,
    UserQueueMethods,
    UserRtoMethods,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parshall.scenario.quantities import Given

__all__ = [
    "UserApp",
    "UserControl",
    "UserForecaster",
    "UserMarker",
    "UserQueue",
    "UserRto",
]


class UserQueue(UserQueueMethods, Part):
    """A queue of your own, as a scenario names it: an instance of a class derived from ``parshall.Queue``, or
    a ``parshall.SharedQueue``, becomes this. As with a control of your own, the code is not in the scenario,
    and in a file ``module:Class`` alone names it, too.
    """

    kind: Literal["user"] = "user"
    """Names this queue discipline."""
    form: Literal["python", "numba", "library"] | None = None
    """In what form its code comes; left out, it is found out."""
    source: str
    """Where it is found: a class as ``module:Name``, a library as the path of its file."""
    code: str = ""
    """SHA-256 of its code: of the source and what that refers to, or of the library's file. Left out, it is
    that of the code that is there; given, no other code runs.
    """
    values: Given[dict[str, Any], Mapping[str, Any]] = default({})
    """Its parameters, where they are not at their defaults."""


class UserMarker(UserMarkerMethods, Part):
    """A marker of your own, as a scenario names it: an instance of a class derived from ``parshall.Marker``,
    or a ``parshall.SharedMarker``, becomes this. As with a control of your own, the code is not in the
    scenario, and in a file ``module:Class`` alone names it, too.
    """

    kind: Literal["user"] = "user"
    """Names this meter."""
    form: Literal["python", "numba", "library"] | None = None
    """In what form its code comes; left out, it is found out."""
    source: str
    """Where it is found: a class as ``module:Name``, a library as the path of its file."""
    code: str = ""
    """SHA-256 of its code: of the source and what that refers to, or of the library's file. Left out, it is
    that of the code that is there; given, no other code runs.
    """
    values: Given[dict[str, Any], Mapping[str, Any]] = default({})
    """Its parameters, where they are not at their defaults."""


class UserForecaster(UserForecasterMethods, Part):
    """A forecaster of your own, as a scenario names it: an instance of a class derived from
    ``parshall.Forecaster``, or a ``parshall.SharedForecaster``, becomes this. As with a control of your own,
    the code is not in the scenario, and in a file ``module:Class`` alone names it, too.
    """

    kind: Literal["user"] = "user"
    """Names this forecaster."""
    form: Literal["python", "numba", "library"] | None = None
    """In what form its code comes; left out, it is found out."""
    source: str
    """Where it is found: a class as ``module:Name``, a library as the path of its file."""
    code: str = ""
    """SHA-256 of its code: of the source and what that refers to, or of the library's file. Left out, it is
    that of the code that is there; given, no other code runs.
    """
    values: Given[dict[str, Any], Mapping[str, Any]] = default({})
    """Its parameters, where they are not at their defaults."""


class UserControl(UserControlMethods, Part):
    """A control of your own, as a scenario names it: an instance of a class derived from
    ``parshall.Control``, or a ``parshall.SharedControl``, becomes this. The code itself is not in the
    scenario; to run it again takes that code. In a file ``module:Class`` alone names it, too: the module is
    looked for beside the file, and imported when the file is read.
    """

    kind: Literal["user"] = "user"
    """Names this control."""
    form: Literal["python", "numba", "library"] | None = None
    """In what form its code comes; left out, it is found out."""
    source: str
    """Where it is found: a class as ``module:Name``, a library as the path of its file."""
    code: str = ""
    """SHA-256 of its code: of the source and what that refers to, or of the library's file. Left out, it is
    that of the code that is there; given, no other code runs.
    """
    values: Given[dict[str, Any], Mapping[str, Any]] = default({})
    """Its parameters, where they are not at their defaults."""


class UserRto(UserRtoMethods, Part):
    """A filter of timeouts of your own, as a scenario names it: an instance of a class derived from
    ``parshall.RtoFilter``, or a ``parshall.SharedRtoFilter``, becomes this. As with a control of your own,
    the code is not in the scenario, and in a file ``module:Class`` alone names it, too.
    """

    kind: Literal["user"] = "user"
    """Names this estimator."""
    form: Literal["python", "numba", "library"] | None = None
    """In what form its code comes; left out, it is found out."""
    source: str
    """Where it is found: a class as ``module:Name``, a library as the path of its file."""
    code: str = ""
    """SHA-256 of its code: of the source and what that refers to, or of the library's file. Left out, it is
    that of the code that is there; given, no other code runs.
    """
    values: Given[dict[str, Any], Mapping[str, Any]] = default({})
    """Its parameters, where they are not at their defaults."""


class UserApp(UserAppMethods, Part):
    """An application of your own, as a scenario names it: an instance of a class derived from
    ``parshall.Source``, or a ``parshall.SharedSource``, becomes this. As with a control of your own, the code
    is not in the scenario, and in a file ``module:Class`` alone names it, too.
    """

    kind: Literal["user"] = "user"
    """Names this application."""
    form: Literal["python", "numba", "library"] | None = None
    """In what form its code comes; left out, it is found out."""
    source: str
    """Where it is found: a class as ``module:Name``, a library as the path of its file."""
    code: str = ""
    """SHA-256 of its code: of the source and what that refers to, or of the library's file. Left out, it is
    that of the code that is there; given, no other code runs.
    """
    values: Given[dict[str, Any], Mapping[str, Any]] = default({})
    """Its parameters, where they are not at their defaults."""
