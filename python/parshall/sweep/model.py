"""The base of the tables of a sweep file: frozen, closed, one-line errors, kinds, JSON Schema."""

from __future__ import annotations

import ast
import difflib
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.json_schema import GenerateJsonSchema, models_json_schema
from typing_extensions import Self

from parshall.errors import InputError, ScenarioError, shown
from parshall.scenario.described import signature_of, text_of
from parshall.scenario.paths import as_step, join

__all__ = ["Model", "definitions", "one_of"]

_EXPECTED = {"tuple_type": "a list", "list_type": "a list", "dict_type": "a table"}


PLAIN_TEXTS = ContextVar("PLAIN_TEXTS", default=False)
"""Set while Pydantic asks classes for their texts: it then gets those of the source, without the fields."""

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass as Described
else:

    class Described(type(BaseModel)):
        """Makes the signature and the text of a class when somebody asks, as ``help`` does."""

        @property
        def __signature__(cls):
            return signature_of(cls)

        @__signature__.setter
        def __signature__(cls, _):
            """Takes what Pydantic makes, which is not kept."""

        @property
        def __doc__(cls):
            return cls.__dict__.get("__doc__") if PLAIN_TEXTS.get() else text_of(cls)


class Model(BaseModel, metaclass=Described):
    """A table of a sweep file: a value that never changes."""

    model_config: ClassVar[ConfigDict] = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __init__(self, /, **values: Any) -> None:
        """An instance of these values, each by the name of its field. Raises ScenarioError for a value that
        does not fit.
        """
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise _scenario_error(error, type(self)) from None

    # Without this mark Pydantic would call __init__ for each nested table, and lose the table's place.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def table_schema(cls) -> dict[str, Any]:
        """The JSON Schema of its table in a file."""
        schema: dict[str, Any] = definitions(cls)[cls.__name__]
        return schema

    @classmethod
    def known(cls, **values: Any) -> Self:
        """An instance of values that are known to fit, for defaults."""
        return super().model_construct(**values)

    @classmethod
    def from_dict(cls, values: object) -> Self:
        """From the tables of a file. Raises ScenarioError."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise _scenario_error(error, cls) from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self).model_fields:
            raise AttributeError(f"a {type(self).__name__} never changes; make another one")
        super().__setattr__(name, value)

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Fields that differ from the defaults."""
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if value != field.default:
                yield name, value


def one_of(*members: type[Model]) -> Any:
    """The type of a field that holds one of several kinds.

    A table names its kind; a kind without further keys may stand as text, ``design = "grid"``.
    """
    by_kind = {member.model_fields["kind"].default: member for member in members}
    expected = " or ".join(f'"{kind}"' for kind in by_kind)

    def read(value: object) -> object:
        if isinstance(value, type):
            raise InputError("", f"the class {value.__name__}", f"one of it: {value.__name__}(...)")
        table = {"kind": value} if isinstance(value, str) else value
        if not isinstance(table, Model | Mapping):
            raise InputError("", shown(value), f"a table with kind = {expected}")
        kind = getattr(table, "kind", None) if isinstance(table, Model) else table.get("kind")
        if not isinstance(kind, str) or kind not in by_kind:
            raise InputError("" if isinstance(value, str) else "kind", shown(kind), expected)
        return table

    union: Any = Union[members]  # noqa: UP007 - made from a tuple
    return Annotated[union, Field(discriminator="kind"), BeforeValidator(read), _BareKinds(members)]


class _BareKinds:
    """Adds to a field's JSON Schema the kinds that may stand as text: those that need no further key."""

    def __init__(self, members: tuple[type[Model], ...]) -> None:
        self.members = members

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        complete = [
            member
            for member in self.members
            if not any(field.is_required() for field in member.model_fields.values())
        ]
        bare = [member.model_fields["kind"].default for member in complete]
        tables = handler(core)
        return {"anyOf": [tables, {"enum": bare}]} if bare else tables


def _scenario_error(error: ValidationError, model: type[BaseModel]) -> ScenarioError:
    """The first fault as an error, with the others attached."""
    first, *others = (_fault(detail, model) for detail in error.errors(include_url=False))
    return ScenarioError(first.path, first.value, first.expected, others=tuple(others))


def _fault(detail: Any, model: type[BaseModel]) -> ScenarioError:
    steps, owner = _follow(detail["loc"], model)
    path = join(*map(as_step, steps))
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return ScenarioError(join(path, cause.path), cause.value, cause.expected)
    if detail["type"] == "missing":
        return ScenarioError(path, "nothing", _needed(steps[-1], owner))
    if detail["type"] == "extra_forbidden":
        return ScenarioError(path, "an unknown key", _known_keys(str(steps[-1]), owner))
    return ScenarioError(path, shown(detail["input"]), _expected(detail))


def _expected(detail: Any) -> str:
    """Translates Pydantic's expectation into the words of this project where they differ."""
    kind = detail["type"]
    if kind == "literal_error":
        return str(detail["ctx"]["expected"]).replace("'", '"')
    return _EXPECTED.get(kind) or str(detail["msg"]).removeprefix("Input should be ")


def _needed(key: str | int, owner: type[BaseModel]) -> str:
    """Purpose of a required field."""
    # Marks of code are for those who read the source.
    text = _field_docs(owner).get(str(key), "").replace("`", "")
    return f"a value: {text.rstrip('.')}" if text else "a value"


def _known_keys(key: str, owner: type[BaseModel]) -> str:
    """The key that was meant, or those that there are."""
    known = list(owner.model_fields)
    close = difflib.get_close_matches(key, known, n=1)
    if close:
        return f'the key "{close[0]}"'
    return f"one of the keys {', '.join(known)}"


def _follow(location: Sequence[str | int], model: type[BaseModel]) -> tuple[list[str | int], type[BaseModel]]:
    """The location without the union tags that Pydantic puts in, and the class that its end is in."""
    steps: list[str | int] = []
    owner = model
    inside: list[type[BaseModel]] = [model]
    for step in location:
        tagged = [member for member in inside if len(inside) > 1 and _kind(member) == step]
        if tagged:
            inside = tagged
            continue
        steps.append(step)
        if isinstance(step, int):
            continue
        owner = inside[0] if inside else owner
        field = owner.model_fields.get(step)
        inside = list(_models_in(field.annotation)) if field else []
    return steps, owner


def _kind(model: type[BaseModel]) -> object:
    field = model.model_fields.get("kind")
    return field.default if field else None


def _models_in(annotation: Any) -> Iterator[type[Any]]:
    """The models that a type is made of."""
    # list[int] and its like are types on Python 3.10.
    if get_origin(annotation) is None and isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


@cache
def _field_docs(model: type) -> dict[str, str]:
    """The docstring of each field of a class, on one line; empty where the source is not at hand."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    except (OSError, TypeError):
        return {}
    definition = tree.body[0]
    return dict(_documented(definition)) if isinstance(definition, ast.ClassDef) else {}


def _documented(definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Fields that are followed by a text."""
    for field, after in pairwise(definition.body):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        text = after.value if isinstance(after, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield field.target.id, " ".join(text.value.split())


def definitions(*roots: type[Model]) -> dict[str, Any]:
    """The schema of each class that files with these at their top are made of, by its name."""
    before = PLAIN_TEXTS.set(True)
    try:
        _, made = models_json_schema([(root, "validation") for root in roots], schema_generator=_Generator)
    finally:
        PLAIN_TEXTS.reset(before)
    classes = {model.__name__: model for root in roots for model in _all_in(root)}
    return {
        name: _described(classes[name], _with_kind(_without_null(schema)))
        for name, schema in made["$defs"].items()
    }


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, with defaults as a file would have them and without made-up titles."""

    def encode_default(self, default: Any) -> Any:
        return super().encode_default(dict(default) if isinstance(default, Model) else default)

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _all_in(model: type[Model]) -> Iterator[type[Model]]:
    """A class and those that its fields hold."""
    yield model
    for field in model.model_fields.values():
        for inner in _models_in(field.annotation):
            yield from _all_in(inner)


def _described(model: type[Model], schema: dict[str, Any]) -> dict[str, Any]:
    """A table's schema with the texts under its fields."""
    docs = _field_docs(model)
    properties = {
        name: {"description": docs.get(name, ""), **field} for name, field in schema["properties"].items()
    }
    return {
        **schema,
        "description": " ".join((model.__dict__.get("__doc__") or "").split()),
        "properties": properties,
    }


def _with_kind(model: dict[str, Any]) -> dict[str, Any]:
    """A table names its kind, although Python fills it in."""
    if "kind" not in model["properties"]:
        return model
    return {**model, "required": ["kind", *model.get("required", [])]}


def _without_null(schema: Any) -> Any:
    """A TOML file has no null: a key is left out instead."""
    if isinstance(schema, list):
        return [_without_null(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {
        key: _without_null(value) for key, value in schema.items() if not (key == "default" and value is None)
    }
    options = [option for option in plain.get("anyOf", []) if option != {"type": "null"}]
    if len(options) == 1:
        return {**{key: value for key, value in plain.items() if key != "anyOf"}, **options[0]}
    return {**plain, "anyOf": options} if options else plain
