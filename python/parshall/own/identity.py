"""Identity of the code of a part, as a hash of its bytecode and of the values that it can reach.

Any change that changes what a part does changes its hash. What counts is the code that is loaded, not the
file it came from, which may have been edited since; and whatever that code refers to: variables of enclosing
functions and of modules, attributes of the user's modules, defaults, arguments of partials, the state of
objects and of what they refer to, and the classes of all these. What is installed counts by its version. A
value whose state cannot be seen is refused.

What Python itself changes from call to call is not code: clocks, files, the environment, random numbers that
do not come from the part's own ``random()``.
"""

from __future__ import annotations

import dis
import hashlib
import importlib
import inspect
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from parshall.errors import InputError, shown
from parshall.own.origin import installed_object, installed_version, is_compiled

__all__ = ["code_hash", "compiled_helpers"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented), range)
_BORN_WITH = {
    "__abstractmethods__", "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__",
    "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__",
    "__match_args__", "__module__", "__orig_bases__", "__parameters__", "__qualname__", "__slots__",
    "__static_attributes__", "__weakref__", "_abc_impl",
}  # fmt: skip
"""Members of classes that say nothing about what they do, or that others say as well."""
_MODULES_AS_VALUES = {
    "__builtins__", "__dict__", "__globals__", "__import__", "currentframe", "eval", "exec", "f_globals",
    "getmodule", "globals", "import_module", "load_module", "locals", "locate", "modules", "reload",
    "resolve_name", "vars",
}  # fmt: skip
"""Names by which code can come to its own module, of which its variables are attributes."""


def code_hash(cls: type, last: type) -> str:
    """SHA-256 of the code of a class, in hexadecimal, down to ``last``, which does not count."""
    return hashlib.sha256("\n".join(_read(cls, last).told).encode("utf-8", "surrogatepass")).hexdigest()


def compiled_helpers(cls: type, last: type) -> list[Any]:
    """Functions under ``numba.njit`` that a class can reach, as Numba wraps them."""
    return _read(cls, last).compiled


def _read(cls: type, last: type) -> _Reader:
    reader = _Reader()
    reader.seen[id(last)] = (0, last)
    for each in cls.__mro__[: cls.__mro__.index(last)]:
        reader.take(each.__qualname__, each)
    reader.take_modules()
    return reader


class _Reader:
    """Writes down values, and what can change only once."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.seen: dict[int, tuple[int, Any]] = {}
        """Mutable objects by id; they are held, so that no other object gets that id."""
        self.compiled: list[Any] = []
        self.names: set[str] = set()
        """Names that code asks for: variables, attributes, and texts that may be names."""
        self.modules: dict[int, tuple[types.ModuleType, set[str]]] = {}
        """Modules of the user's that code can reach, and which of their attributes have been told."""
        self.scopes: dict[int, tuple[dict[str, Any], set[str]]] = {}
        """Variables beside each function, and which of them have been told as attributes of its module."""
        self.aliased = False
        """True if code refers to a function that gives out modules, by whatever name."""

    def tell(self, text: str) -> None:
        self.told.append(text)

    def take_modules(self) -> None:
        """Writes down what code may ask of the user's modules, until nothing new turns up."""
        before = -1
        while before != len(self.told):
            before = len(self.told)
            for module, done in sorted(self.modules.values(), key=lambda each: each[0].__name__):
                there = vars(module)
                for name in sorted(self.names.intersection(there) - done):
                    done.add(name)
                    self.take(f"{module.__name__}.{name}", there[name])
            for scope, done in list(self.scopes.values()) if self.takes_modules() else []:
                for name in sorted(self.names.intersection(scope) - done):
                    done.add(name)
                    self.take(name, scope[name])

    def takes_modules(self) -> bool:
        """Returns whether code may come to a module as a value."""
        return bool(self.aliased or self.names & _MODULES_AS_VALUES)

    def take(self, name: str, value: Any) -> None:
        """Writes down a value that code refers to as ``name``."""
        kind = type(value)
        if kind in _PLAIN:
            self.tell(f"{name} = {kind.__name__} {value!r}")
        elif kind in (tuple, frozenset):
            self._take_items(name, value)
        elif isinstance(value, types.ModuleType):
            self._take_module(name, value)
        elif id(value) in self.seen:
            self.tell(f"{name} = the {self.seen[id(value)][0]}th")
        else:
            self.seen[id(value)] = (len(self.seen), value)
            self._take_new(name, value)

    def _take_module(self, name: str, module: types.ModuleType) -> None:
        version = installed_version(module.__name__)
        self.tell(f"{name} = module {module.__name__} {version}")
        if version is None:
            self.modules.setdefault(id(module), (module, set()))

    def _take_new(self, name: str, value: Any) -> None:
        kind = type(value)
        if kind in (list, dict, set, bytearray):
            self._take_items(name, value)
        elif kind is np.ndarray or isinstance(value, np.generic):
            self._take_array(name, np.asarray(value))
        elif (installed := installed_object(value)) is not None:
            self.aliased |= getattr(value, "__name__", "") in _MODULES_AS_VALUES
            self.tell(f"{name} = {installed}")
        elif inspect.isclass(value):
            self._take_class(name, value)
        elif isinstance(value, types.FunctionType):
            self._take_function(name, value)
        elif isinstance(getattr(value, "py_func", None), types.FunctionType):
            self.compiled.append(value)
            self.tell(f"{name} = compiled by {kind.__module__} {installed_version(kind.__module__)}")
            self.take(f"{name}.py_func", value.py_func)
        elif isinstance(value, types.CodeType):
            self._take_code(name, value)
        else:
            self._take_object(name, value)

    def _take_items(self, name: str, values: Any) -> None:
        self.tell(f"{name} = {type(values).__name__} of {len(values)}")
        if isinstance(values, dict):
            for index, (key, value) in enumerate(values.items()):
                self.take(f"{name} key {index}", key)
                self.take(f"{name}[{index}]", value)
        elif isinstance(values, bytearray):
            self.tell(bytes(values).hex())
        elif isinstance(values, set | frozenset):
            for index, value in enumerate(sorted(values, key=_in_short)):
                self.take(f"{name}[{index}]", value)
        else:
            for index, value in enumerate(values):
                self.take(f"{name}[{index}]", value)

    def _take_array(self, name: str, array: np.ndarray[Any, Any]) -> None:
        if array.dtype.hasobject:
            self.tell(f"{name} = objects of {array.dtype} {array.shape}")
            self.take(f"{name}[]", array.tolist())
            return
        digest = hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
        self.tell(f"{name} = {array.dtype.descr} {array.shape} {digest}")

    def _take_class(self, name: str, cls: type) -> None:
        """A class by its members, its bases and the class of itself."""
        self.tell(f"{name} = class {cls.__qualname__}")
        for member, value in vars(cls).items():
            if member not in _BORN_WITH and not isinstance(
                value, types.MemberDescriptorType | types.GetSetDescriptorType
            ):
                self.take(f"{cls.__qualname__}.{member}", value)
        self.take(f"class of {cls.__qualname__}", type(cls))
        for base in cls.__bases__:
            self.take(f"base of {cls.__qualname__}", base)

    def _take_function(self, name: str, function: types.FunctionType) -> None:
        """A function, and what it refers to."""
        self.tell(f"{name} = function")
        self._take_code(name, function.__code__)
        for place in ("__defaults__", "__kwdefaults__", "__dict__"):
            if given := getattr(function, place):
                self.take(f"{name}.{place}", given)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for variable, cell in cells:
            try:
                content = cell.cell_contents
            except ValueError:  # not set yet, as a class is inside of its own methods
                self.tell(f"{variable} is not set")
            else:
                self.take(variable, content)
        for variable in sorted(_variables(function.__code__).intersection(function.__globals__)):
            self.take(variable, function.__globals__[variable])
        for module in _imported(function.__code__, function.__globals__):
            self.take(f"import of {module.__name__}", module)
        self.scopes.setdefault(id(function.__globals__), (function.__globals__, set()))

    def _take_code(self, name: str, code: types.CodeType) -> None:
        self.names |= _names(code)
        self.tell(
            f"{name} = {code.co_name} {code.co_code.hex()} {getattr(code, 'co_exceptiontable', b'').hex()} "
            f"{code.co_flags} {code.co_argcount} {code.co_posonlyargcount} {code.co_kwonlyargcount} "
            f"{code.co_names} {code.co_varnames} {code.co_freevars} {code.co_cellvars}"
        )
        for index, constant in enumerate(code.co_consts):
            if isinstance(constant, types.CodeType):
                self._take_code(f"{name} {index}", constant)
            else:
                self.take(f"{name} constant {index}", constant)

    def _take_object(self, name: str, value: Any) -> None:
        """An object by its class and its state."""
        kind = type(value)
        self.take(f"type of {name}", kind)
        parts = _parts(value)
        if parts is None and any(map(is_compiled, kind.__mro__[:-1])):
            expected = (
                "one whose state can be seen: a number, text, an array, a function, an object that pickles"
            )
            raise InputError(name, shown(value), expected)
        if parts is None or installed_object(kind) is None:
            # What methods of the user's go by may not be in what a class of the user's pickles.
            self.take(f"attributes of {name}", _attributes(value))
        for part in parts or ():
            self.take(f"part of {name}", part)


def _attributes(value: Any) -> dict[str, Any]:
    found = dict(getattr(value, "__dict__", {}))
    for base in type(value).__mro__:
        for name, member in vars(base).items():
            if isinstance(member, types.MemberDescriptorType):
                try:
                    found[f"{base.__qualname__}.{name}"] = member.__get__(value)
                except AttributeError:  # a slot that is not set
                    continue
    return found


def _parts(value: Any) -> list[Any] | None:
    """Parts of an object, as its class gives them; none if it does not."""
    if isinstance(value, property):
        return [value.fget, value.fset, value.fdel]
    if isinstance(value, staticmethod | classmethod):
        return [value.__func__]
    if isinstance(value, types.MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, types.BuiltinMethodType | types.MethodWrapperType):
        return [value.__name__, value.__self__]
    if type(value).__module__ == "functools" and hasattr(value, "cache_info"):
        return [value.__wrapped__]  # what is in the cache follows from it
    try:
        made = value.__reduce_ex__(4)
    except Exception:
        return None
    if isinstance(made, str):  # the name of a global variable of an installed module
        return [made] if installed_version(getattr(value, "__module__", None) or "") else None
    return [list(each) if isinstance(each, Iterator) else each for each in made]


def _names(code: types.CodeType) -> set[str]:
    """Names that code and the functions inside of it refer to, also by a text as ``getattr`` takes it."""
    return _variables(code) | _attribute_names(code)


def _attribute_names(code: types.CodeType) -> set[str]:
    """Names by which code and the functions inside of it refer to attributes."""
    return {step.argval for step in _naming(code) if _is_attribute(step)}


def _variables(code: types.CodeType) -> set[str]:
    """Other names that code and the functions inside of it refer to, and texts that may be names."""
    found = {step.argval for step in _naming(code) if not _is_attribute(step)}
    return found.union(*(_texts(each.co_consts) for each in _nested(code)))


def _naming(code: types.CodeType) -> Iterator[dis.Instruction]:
    """Instructions with a name in code and the functions inside of it."""
    for each in _nested(code):
        yield from (step for step in dis.get_instructions(each) if step.opcode in dis.hasname)


def _is_attribute(step: dis.Instruction) -> bool:
    return "ATTR" in step.opname or "METHOD" in step.opname


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    """Code, and that of the functions inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)


def _texts(constants: Iterable[Any]) -> Iterator[str]:
    """Texts among constants that may be names."""
    for constant in constants:
        if isinstance(constant, tuple | frozenset):
            yield from _texts(constant)
        elif isinstance(constant, str) and constant.isidentifier():
            yield constant


def _imported(code: types.CodeType, scope: dict[str, Any]) -> Iterator[types.ModuleType]:
    """Modules that code imports when it runs, which are loaded for that, and the packages that they are in;
    missing ones are its own fault.
    """
    steps: Sequence[dis.Instruction] = list(dis.get_instructions(code))
    for index, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            level = next(
                (each.argval for each in steps[max(index - 2, 0) : index] if type(each.argval) is int), 0
            )
            try:
                package = scope.get("__package__") or scope.get("__name__", "").rpartition(".")[0]
                module = importlib.import_module("." * level + step.argval, package or None)
            except Exception:
                continue
            names = module.__name__.split(".")
            parents = (".".join(names[:count]) for count in range(1, len(names)))
            yield from (sys.modules[parent] for parent in parents if parent in sys.modules)
            yield module
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _imported(constant, scope)


def _in_short(value: Any) -> str:
    """Text by which the items of a set have one order, whatever their own is."""
    reader = _Reader()
    reader.take("", value)
    return "\n".join(reader.told)
