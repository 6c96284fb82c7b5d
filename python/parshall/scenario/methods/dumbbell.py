"""Methods of the dumbbell, which stands for a network."""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, cast

from parshall.errors import ScenarioError
from parshall.scenario.base import remembered
from parshall.scenario.canonical import canonical_json

if TYPE_CHECKING:
    from parshall.scenario.parts.network import Scenario

__all__ = ["DumbbellMethods"]


class DumbbellMethods:
    """Methods of ``Dumbbell``."""

    _unwritten: ClassVar[Collection[str]] = ("title",)

    def scenario(self: Any) -> Scenario:
        """The network that it stands for. Raises ScenarioError for a list without one value for each flow."""
        own = (self.title, canonical_json(self))
        network, known = remembered(self, "network", own, self._built)
        if network.hash == known:
            return cast("Scenario", network)
        # Somebody has changed the network that was handed out.
        return cast("Scenario", self._built()[0])

    def _built(self: Any) -> tuple[Scenario, str]:
        """The network, and its hash."""
        from parshall import _core
        from parshall.scenario.parts.network import Scenario

        with _no_collection():
            fields, faults = _core.network_fields(canonical_json(self))
            if fields is None:
                path, value, expected, _ = faults[0]
                raise ScenarioError(path, value, expected)
            network = Scenario.known(**({"title": self.title} if self.title else {}), **fields).made_from(
                self
            )
        return network, network.hash

    def _repr_html_(self: Any) -> str:
        """For notebooks: that of the network that it stands for."""
        return cast(str, self.scenario()._repr_html_())

    @property
    def hash(self: Any) -> str:
        """The hash of the network that the dumbbell stands for."""
        return cast(str, self.scenario().hash)

    def to_json(self: Any) -> str:
        """The canonical JSON of the network that the dumbbell stands for."""
        return cast(str, self.scenario().to_json())

    def to_toml(self: Any) -> str:
        """A scenario file with a ``[dumbbell]`` table."""
        from parshall.scenario.toml import write

        return write(self)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keeps Python from looking for garbage while millions of objects are made: none of them is any."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
