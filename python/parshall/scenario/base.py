"""The base of all parts of a scenario: frozen, closed, read by the crate ``parshall-scenario``."""

from __future__ import annotations

import copy as copies
import inspect
import json
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from typing_extensions import Self, dataclass_transform

from parshall.errors import InputError, InputTypeError, ScenarioError, shown
from parshall.scenario import paths
from parshall.scenario.canonical import canonical_json
from parshall.scenario.files import find_own

__all__ = ["Field", "Part", "default", "faults_of", "remembered"]

_T = TypeVar("_T")

_MOST_SHOWN = 6
"""Items of a list that a repr shows."""


class _Needed:
    """The default of a field that has to be given."""

    def __repr__(self) -> str:
        return "needed"


_NEEDED: Any = _Needed()


@dataclass(frozen=True)
class Field:
    """A field of a class of parts."""

    default: Any
    """Its value where none is given; of a field that has to be given, something else than all values."""
    exclude: bool = False
    """True for a field that leaves no trace in the canonical form."""

    def is_required(self) -> bool:
        """True for a field that has to be given."""
        return self.default is _NEEDED


def faults_of(faults: Iterable[tuple[str, str, str, int | None]]) -> ScenarioError:
    """The first of the crate's faults, which has the others."""
    first, *others = (ScenarioError(path, value, expected) for path, value, expected, _ in faults)
    first.others = tuple(others)
    return first


def default(value: Any) -> Any:
    """The default of a field; for type checkers its type is that of any field."""
    return value


class _Some(tuple[Any, ...]):
    """A long list, whose repr has its first three items and how many there are."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self[:3]))}, ... {len(self)} in all)"


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Described(type):
    """Makes the signature and the text of a class when somebody asks, as ``help`` does: making those of
    all classes would take longer than starting the command.
    """

    if not TYPE_CHECKING:

        @property
        def __signature__(cls):
            from parshall.scenario.described import signature_of

            return signature_of(cls)

        @property
        def __doc__(cls):
            from parshall.scenario.described import text_of

            return text_of(cls)


class Part(metaclass=Described):
    """A part of a scenario: a value that never changes. Equal values write the same canonical form.

    An instance's ``__dict__`` has the fields that are not at their defaults. Python cannot keep anybody from
    changing it all the same, as by ``object.__setattr__``. So nothing that is derived from its fields is
    kept, unless what it was derived from is compared whenever it is asked for; see :func:`remembered`.
    """

    model_fields: ClassVar[dict[str, Field]] = {}
    """The fields of the class, by their names."""
    _part: ClassVar[str] = ""
    """The name of the part, as the crate has it."""
    _changed: ClassVar[dict[str, Any]] = {}
    """The part's defaults of those fields to which a derived class gives others."""
    _unwritten: ClassVar[Collection[str]] = ()
    """Fields that leave no trace in the canonical form."""
    _unshown: ClassVar[Collection[str]] = ()
    """Fields that a repr leaves out."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if Part in cls.__bases__:
            cls._part = cls.__name__
            names = [name for name in inspect.get_annotations(cls) if not name.startswith("_")]
            cls.model_fields = {
                name: Field(cls.__dict__.get(name, _NEEDED), name in cls._unwritten) for name in names
            }
            return
        for name in inspect.get_annotations(cls):
            if not name.startswith("_") and name not in cls.model_fields:
                expected = "other defaults and methods of a derived class"
                raise InputTypeError(f"{cls.__name__}.{name}", f"no field of {cls._part}", expected)
        own = [name for name in cls.model_fields if name in cls.__dict__]
        cls._changed = {**cls._changed, **{name: cls.model_fields[name].default for name in own}}

    def __init__(self, /, **values: Any) -> None:
        """An instance of these values, each by the name of its field. ``help`` of the class has the text of
        each, and so has an editor at its name. Raises ScenarioError for a value that does not fit.
        """
        if not self._part:
            raise InputTypeError("", "Part itself", "one of its classes, such as DropTail")
        self.__dict__.update(self._read(values))

    @classmethod
    def _read(cls, values: object, folder: Path | None = None) -> dict[str, Any]:
        """The fields that are not at their defaults. Raises ScenarioError."""
        from parshall import _core

        if cls._changed and isinstance(values, Mapping):
            values = {**{name: getattr(cls, name) for name in cls._changed}, **values}
        fields, faults = _core.part_fields(cls._part, values, folder, find_own)
        if fields is None:
            raise faults_of(faults)
        return {**cls._changed, **fields} if cls._changed else fields

    @classmethod
    def table_schema(cls) -> dict[str, Any]:
        """The JSON Schema of its table in a file."""
        from parshall.scenario.schema import part_schema

        return part_schema(cls._part)

    @classmethod
    def known(cls, **values: Any) -> Self:
        """An instance of values that are known to fit, for defaults: reading them would load the engine,
        which only users' values need, whenever the package is imported.
        """
        made = object.__new__(cls)
        made.__dict__.update(values)
        return made

    @classmethod
    def from_dict(cls, values: object, *, folder: Path | None = None) -> Self:
        """From nested tables as TOML or JSON give them. Raises ScenarioError.

        Files that they name are looked for in ``folder``, or else in the current one.
        """
        if folder is not None and not isinstance(folder, str | Path):
            raise InputError("folder", shown(folder), "the name of a folder")
        if isinstance(values, cls):
            return values
        return cls.known(**cls._read(values, folder))

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """An instance of these values: another name for calling the class. Raises ScenarioError."""
        return cls(**values)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, with other values by the names of fields in ``update``, which are checked as any other:
        ``with_(**update)``. Raises ScenarioError.
        """
        copied = copies.deepcopy(self) if deep else copies.copy(self)
        return self.from_dict({**copied.given(), **update}) if update else copied

    def copy(
        self,
        *,
        include: Collection[str] | None = None,
        exclude: Collection[str] | None = None,
        update: Mapping[str, Any] | None = None,
        deep: bool = False,
    ) -> Self:
        """As :meth:`model_copy`, with the fields to keep or to leave out besides. Raises ScenarioError."""
        copied = copies.deepcopy(self) if deep else self
        kept = {
            name: value
            for name, value in copied.given().items()
            if (include is None or name in include) and name not in (exclude or ())
        }
        return self.from_dict({**kept, **(update or {})})

    def model_dump(self, *, exclude: Collection[str] = ()) -> dict[str, Any]:
        """All fields as plain tables and lists, but for those in ``exclude``."""
        kept = [name for name, field in self.model_fields.items() if not (field.exclude or name in exclude)]
        return {name: _plain(getattr(self, name)) for name in kept}

    def alike(self, **values: Any) -> Self:
        """A copy with other values that are known to fit."""
        return self.known(**{**self.given(), **values})

    def given(self) -> dict[str, Any]:
        """The fields that make it: those that are not at their defaults."""
        own = self.__dict__
        return {name: own[name] for name in self.model_fields if name in own}

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """The fields and their values."""
        yield from ((name, getattr(self, name)) for name in self.model_fields)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(value == getattr(other, name) for name, value in self)

    def __hash__(self) -> int:
        return hash((type(self), tuple(_hashable(value) for _, value in self)))

    def __getstate__(self) -> dict[str, Any]:
        """For pickles: the fields, without what was derived from them."""
        return self.given()

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(
            f"a {type(self).__name__} never changes; replace({name!r}, ...) makes another one"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a {type(self).__name__} never changes")

    def replace(self, path: str, value: Any) -> Self:
        """A copy with another value at ``path``, for example ``links[bottleneck].queue.limit_packets``.

        ``[3]`` picks an item of a list by its index, ``[f1]`` by its name (shell patterns such as ``[tcp*]``
        too), ``[*]`` all items. A pattern changes the items that have the rest of the path, of which there
        must be one. Raises ScenarioError for a path that does not exist and for a value that does not fit.
        """
        if not isinstance(path, str):
            raise InputError("path", shown(path), "a path such as flows[0].transport")
        return paths.replace(self, path, value)

    def with_(self, changes: Mapping[str, Any] | None = None, /, **fields: Any) -> Self:
        """A copy with several values replaced: by path in ``changes``, or by the name of a field."""
        changed = self
        for path, value in {**(changes or {}), **fields}.items():
            changed = changed.replace(path, value)
        return changed

    def _shown_fields(self) -> list[str]:
        """The fields that differ from their defaults; of long lists the first three items."""
        fields = []
        for name, field in self.model_fields.items():
            value = getattr(self, name)
            if name not in self._unshown and value != field.default:
                many = isinstance(value, tuple) and len(value) > _MOST_SHOWN
                fields.append(f"{name}={_Some(value) if many else value!r}")
        return fields

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._shown_fields())})"

    def canonical(self) -> dict[str, Any]:
        """Plain tables and lists without what is at its default: equal for equal values."""
        plain: dict[str, Any] = json.loads(canonical_json(self))
        return plain


def _hashable(value: Any) -> Any:
    """A value, or the set of its items if it is a table, such as the parameters of code of one's own."""
    if isinstance(value, dict):
        return frozenset((key, _hashable(each)) for key, each in value.items())
    if isinstance(value, list):
        return tuple(_hashable(each) for each in value)
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        return value.model_dump()
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def remembered(part: Part, name: str, key: Hashable, make: Callable[[], _T]) -> _T:
    """The value that ``make`` returns, made again once ``key`` is another one: that tells all that it was
    made from.
    """
    place = f"<{name}>"  # no name of an attribute
    known = part.__dict__.get(place)
    if known is None or known[0] != key:
        known = part.__dict__[place] = (key, make())
    made: _T = known[1]
    return made
