"""Methods of parts of the user's own."""

from __future__ import annotations

from typing import Any, cast

from typing_extensions import Self

from parshall.scenario.methods import made

__all__ = [
    "UserAppMethods",
    "UserControlMethods",
    "UserForecasterMethods",
    "UserMarkerMethods",
    "UserQueueMethods",
    "UserRtoMethods",
]


class UserControlMethods:
    """Methods of ``UserControl``, and of other parts of the user's own."""

    def with_value(self, name: str, value: Any) -> Self:
        """Returns the part with another value of a parameter."""
        own = cast(Any, self)
        values = {**own.values, name: value}
        return made(type(self), form=own.form, source=own.source, code=own.code, values=values)


class UserAppMethods(UserControlMethods):
    """Methods of ``UserApp``."""


class UserForecasterMethods(UserControlMethods):
    """Methods of ``UserForecaster``."""


class UserMarkerMethods(UserControlMethods):
    """Methods of ``UserMarker``."""


class UserQueueMethods(UserControlMethods):
    """Methods of ``UserQueue``."""


class UserRtoMethods(UserControlMethods):
    """Methods of ``UserRto``."""
