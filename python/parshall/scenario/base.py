"""What all parts of a scenario share: frozen, closed, one-line errors, kinds, a canonical form."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, Union

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetJsonSchemaHandler, ValidationError
from typing_extensions import Self

from parshall.errors import InputError, shown
from parshall.scenario import paths
from parshall.scenario.canonical import canonical_json
from parshall.scenario.faults import scenario_error

__all__ = ["FOLDER", "PLAIN_TEXTS", "Model", "OrElse", "one_of", "remembered"]

FOLDER = "folder"
"""Key of the validation context: where the files that a scenario names are looked for."""


PLAIN_TEXTS = ContextVar("PLAIN_TEXTS", default=False)
"""Set while Pydantic asks classes for their texts: it then gets those of the source, without the fields."""

_T = TypeVar("_T")

_MOST_SHOWN = 6
"""Items of a list that a repr shows."""


class _Some(tuple[Any, ...]):
    """A long list, whose repr has its first three items and how many there are."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self[:3]))}, ... {len(self)} in all)"


# What an instance consists of, set without Model's own __setattr__, which refuses.
_set_dict, _set_fields, _set_extra, _set_private = (
    BaseModel.__dict__[name].__set__
    for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)


if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass as Described
else:

    class Described(type(BaseModel)):
        """Makes the signature and the text of a class when somebody asks, as ``help`` does: making those of
        all classes would take longer than starting the command.
        """

        @property
        def __signature__(cls):
            from parshall.scenario.described import signature_of

            return signature_of(cls)

        @__signature__.setter
        def __signature__(cls, _):
            """What Pydantic makes is not kept."""

        @property
        def __doc__(cls):
            from parshall.scenario.described import text_of

            return cls.__dict__.get("__doc__") if PLAIN_TEXTS.get() else text_of(cls)


class Model(BaseModel, metaclass=Described):
    """A part of a scenario: a value that never changes. Equal values write the same canonical form.

    Python cannot keep anybody from changing it all the same, as by ``object.__setattr__``. So nothing that is
    derived from its fields is kept, unless what it was derived from is compared whenever it is asked for; see
    :func:`remembered`.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __init__(self, /, **values: Any) -> None:
        """An instance of these values, each by the name of its field. ``help`` of the class has the text of
        each, and so has an editor at its name. Raises ScenarioError for a value that does not fit.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise scenario_error(error, type(self)) from None

    # Without this mark Pydantic would call __init__ for each nested table, and lose the table's place.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def known(cls, **values: Any) -> Self:
        """An instance of values that are known to fit, for defaults: checking them would build a validator,
        which only users' values need, whenever the package is imported.
        """
        return super().model_construct(**values)

    @classmethod
    def model_construct(cls, _fields_set: set[str] | None = None, **values: Any) -> Self:
        """An instance of these values, which are checked as any other: Pydantic would take them as they are,
        and a rate as text, for one, would get no further than the engine. Raises ScenarioError.
        """
        return cls(**values)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, with other values by the names of fields in ``update``, which are checked as any other:
        ``with_(**update)``. Raises ScenarioError.
        """
        copied = super().model_copy(deep=deep)
        return type(self).from_dict({**copied.given(), **update}) if update else copied

    def copy(
        self, *, include: Any = None, exclude: Any = None, update: Any = None, deep: bool = False
    ) -> Self:
        """As :meth:`model_copy`, of which it is Pydantic's old name; with the fields to keep or to leave out
        besides. Raises ScenarioError.
        """
        copied = super().model_copy(deep=deep)
        kept = {
            name: value
            for name, value in copied.given().items()
            if (include is None or name in include) and name not in (exclude or ())
        }
        return type(self).from_dict({**kept, **(update or {})})

    def alike(self, **values: Any) -> Self:
        """A copy with other values that are known to fit: a million of them are made in a second or two."""
        made = object.__new__(type(self))
        _set_dict(made, {**self.__dict__, **values})
        _set_fields(made, self.__pydantic_fields_set__)
        _set_extra(made, None)
        _set_private(made, None)
        return made

    def given(self) -> dict[str, Any]:
        """The fields that make it: those that were given, and those that are not at their defaults."""
        values = self.__dict__
        return {
            name: values[name]
            for name, field in type(self).model_fields.items()
            if name in values and (name in self.__pydantic_fields_set__ or values[name] is not field.default)
        }

    def __iter__(self) -> Generator[tuple[str, Any], None, None]:
        """The fields and their values."""
        own = type(self).model_fields
        yield from ((name, value) for name, value in self.__dict__.items() if name in own)

    def __getstate__(self) -> dict[Any, Any]:
        """For pickles: the fields, without what was derived from them."""
        state = super().__getstate__()
        return {**state, "__dict__": dict(self)}

    @classmethod
    def from_dict(cls, values: object, *, folder: Path | None = None) -> Self:
        """From nested tables as TOML or JSON give them. Raises ScenarioError.

        Files that they name are looked for in ``folder``, or else in the current one.
        """
        try:
            return cls.model_validate(values, context={FOLDER: folder})
        except ValidationError as error:
            raise scenario_error(error, cls) from None

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

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).model_fields:
            raise AttributeError(
                f"a {type(self).__name__} never changes; replace({name!r}, ...) makes another one"
            )
        super().__setattr__(name, value)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """What differs from the defaults; of long lists the first three items."""
        for name, field in type(self).model_fields.items():
            value = self.__dict__.get(name)
            if field.repr and name in self.__dict__ and value != field.default:
                yield name, _Some(value) if isinstance(value, tuple) and len(value) > _MOST_SHOWN else value

    def canonical(self) -> dict[str, Any]:
        """Plain tables and lists without what is at its default: equal for equal values."""
        plain: dict[str, Any] = json.loads(canonical_json(self))
        return plain


def remembered(model: Model, name: str, key: Hashable, make: Callable[[], _T]) -> _T:
    """What ``make`` returns, made again once ``key`` is another one: that tells all that it was made from."""
    place = f"<{name}>"  # no name of an attribute
    known = model.__dict__.get(place)
    if known is None or known[0] != key:
        known = model.__dict__[place] = (key, make())
    made: _T = known[1]
    return made


def one_of(*members: type[Model]) -> Any:
    """The type of a field that holds one of several kinds.

    A table names its kind; a kind without further keys may stand as text, ``app = "bulk"``.
    """
    by_kind = {member.model_fields["kind"].default: member for member in members}
    expected = " or ".join(f'"{kind}"' for kind in by_kind)

    def read(value: object) -> object:
        if isinstance(value, type):
            raise InputError(
                "", f"the class {value.__name__}", f"one of it: {value.__name__}({_arguments(value)})"
            )
        if (part := getattr(type(value), "__scenario_part__", None)) is not None:
            value = part(value)
        table = {"kind": value} if isinstance(value, str) else value
        if isinstance(table, Model):
            kind = getattr(table, "kind", type(table).__name__)
        elif isinstance(table, Mapping):
            kind = table.get("kind")
        else:
            raise InputError("", shown(value), f"a table with kind = {expected}")
        if not isinstance(kind, str) or kind not in by_kind:
            raise InputError("" if isinstance(value, str) else "kind", shown(kind), expected)
        return table

    union: Any = Union[members]  # noqa: UP007 - made from a tuple
    if len(members) > 1:
        union = Annotated[union, Field(discriminator="kind")]
    return Annotated[union, BeforeValidator(read), _BareKinds(members)]


def _arguments(kind: type[Any]) -> str:
    """What stands in the brackets of a call: nothing where nothing is needed."""
    return "" if not issubclass(kind, Model) or _is_complete(kind) else "..."


def _is_complete(member: type[Model]) -> bool:
    """Whether a kind needs no further key."""
    try:
        member()
    except InputError:
        return False
    return True


class OrElse:
    """Adds to a field's JSON Schema something that may stand in place of a table."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema

    def __get_pydantic_json_schema__(self, core: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        tables = handler(core)
        return {"anyOf": [*tables.get("anyOf", [tables]), self.schema]}


class _BareKinds:
    """Adds to a field's JSON Schema the kinds that may stand as text: those that need no further key."""

    def __init__(self, members: tuple[type[Model], ...]) -> None:
        self.members = members

    def __get_pydantic_json_schema__(self, core: Any, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        bare = [member.model_fields["kind"].default for member in self.members if _is_complete(member)]
        tables = handler(core)
        return {"anyOf": [tables, {"enum": bare}]} if bare else tables
