"""The headers for compiled parts, in C and in Rust, from the engine's description of the interface.

python -m parshall.own.header        prints the folder where they are installed
python -m parshall.own.header DIR    writes them into a folder
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parshall import _core
from parshall.errors import OutputError
from parshall.own.kinds import KINDS, Event, Kind
from parshall.support.files import write_file

__all__ = ["INSTALLED", "c_header", "main", "rust_header"]

_RUST = {
    "double": "f64",
    "int64_t": "i64",
    "bool": "bool",
    "const parshall_host *": "*const Host",
    "void *": "*mut c_void",
    "const char *": "*const c_char",
}

INSTALLED = Path(__file__).parent / "include"
"""Folder of the headers in the package."""


def main(arguments: Sequence[str]) -> None:
    """See the head of this file."""
    if not arguments:
        print(INSTALLED)
        return
    if len(arguments) > 1 or arguments[0].startswith("-"):
        sys.exit(f"got {' '.join(arguments)}, expected one folder to write to, or nothing")
    folder = Path(arguments[0])
    try:
        for kind in KINDS.values():
            write_file(folder / f"{kind.symbol}.h", c_header(kind))
            write_file(folder / f"{kind.symbol}.rs", rust_header(kind))
    except OutputError as error:
        sys.exit(f"{error}, expected a folder to write to")


def _about(kind: Kind) -> str:
    by = "control" if kind.name == "control" else "own"
    return f"The interface of Parshall's compiled {kind.plural}. Made by python -m parshall.{by}.header."


def _about_table(kind: Kind) -> str:
    more = ", or what RFC 5681 asks for after a loss" if kind.name == "control" else ""
    maybe = any(event.returns == "maybe" for event in kind.events)
    verdicts = [event.name for event in kind.events if event.returns == "verdict"]
    listed = " and ".join(filter(None, [", ".join(verdicts[:-1]), *verdicts[-1:]]))
    answers = f" ({listed} {'their' if len(verdicts) > 1 else 'its'} answer)" if verdicts else ""
    none = " (of one that sets a number, 1 says that there is none yet)" if maybe else ""
    return (
        f"A {kind.noun}: what a library's function {kind.symbol}() returns. A function that is NULL does "
        f"nothing{more}. Those that return an int return 0{none}{answers}, or the number of what went wrong, "
        f"which ends the run. The functions of one {kind.owner} are called by one thread at a time; those of "
        f"several {kind.owner}{'' if kind.owner.endswith('s') else 's'} may be called by several."
    )


def _about_state(kind: Kind) -> str:
    copies = (
        " The engine may copy it byte by byte: of pointers it holds none but those that the host gave."
        if kind.is_copied
        else ""
    )
    article = "an" if kind.head[0] in "aeiou" else "a"
    return (
        f"Bytes of the state of a {kind.owner}. It begins with {article} {kind.head}, then the parameters as "
        f"doubles in the order of their list; the rest is zero before on_start. It is neither moved nor "
        f"freed by the {_short(kind)}.{copies}"
    )


def _wrapped(text: str, prefix: str) -> list[str]:
    return [f"{prefix}{line}" for line in textwrap.wrap(text.strip(), 110 - len(prefix))]


def _comment(text: str, indent: str = "") -> list[str]:
    lines = textwrap.wrap(text.strip(), 106 - len(indent))
    first, *more = lines
    return (
        [f"{indent}/* {first}", *(f"{indent} * {line}" for line in more[:-1]), *_last(indent, more)]
        if more
        else [f"{indent}/* {first} */"]
    )


def _last(indent: str, more: list[str]) -> list[str]:
    return [f"{indent} * {more[-1]} */"]


def c_header(kind: Kind) -> str:
    """The header for C and C++."""
    told = _core.part_interface(kind.name)
    capitals = kind.symbol.upper()
    lines = [
        *_comment(_about(kind)),
        "",
        f"#ifndef {capitals}_H",
        f"#define {capitals}_H",
        "",
        "#include <stdbool.h>",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"#define {capitals}_VERSION {told['version']}",
        "",
        *_c_constants(kind),
        *_c_shared(told["lent"]),
    ]
    for name, fields in told["structures"].items():
        lines += ["", *_comment(told["about"][name]), f"typedef struct parshall_{name} {{"]
        for field, type_, meaning in fields:
            lines += [*_comment(meaning, "    "), f"    {_c_field(type_, field)};"]
        lines.append(f"}} parshall_{name};")
    lines += [
        "",
        *_comment(_about_table(kind)),
        f"typedef struct {kind.symbol}_table {{",
        *_comment(f"{capitals}_VERSION.", "    "),
        "    uint32_t version;",
        *_comment(kind.flag_meaning, "    "),
        f"    uint32_t {kind.flag};",
        *_comment("Name in messages.", "    "),
        "    const char *name;",
        *_comment(_about_state(kind), "    "),
        "    size_t state_size;",
        "    const parshall_parameter *parameters;",
    ]
    for event in kind.events:
        lines += [*_comment(event.meaning, "    "), f"    {_c_function(event)};"]
    lines += [
        f"}} {kind.symbol}_table;",
        "",
        *_comment("The one function that a library has to have."),
        f"const {kind.symbol}_table *{kind.symbol}(void);",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _c_shared(lent: Sequence[tuple[str, str, str, str]]) -> list[str]:
    """The structures that all headers have; the first that is included declares them."""
    lines = [
        "#ifndef PARSHALL_PART",
        "#define PARSHALL_PART",
        "",
        *_comment("Functions that the engine lends: they give the same bits in every form of a part."),
        "typedef struct parshall_host {",
    ]
    for name, returns, arguments, meaning in lent:
        lines += [
            *_comment(meaning, "    "),
            f"    {_c_field(returns, f'(*{name})')}({_c_arguments(arguments)});",
        ]
    return [
        *lines,
        "} parshall_host;",
        "",
        *_comment("A parameter; a list of them ends with one whose name is NULL."),
        "typedef struct parshall_parameter {",
        "    const char *name;",
        *_comment("Its default.", "    "),
        "    double value;",
        "    const char *meaning;",
        "} parshall_parameter;",
        "",
        "#endif",
    ]


def _c_field(kind: str, name: str) -> str:
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"


def _c_arguments(arguments: str) -> str:
    return ", ".join(each.replace("* ", "*") for each in arguments.split(", ") if each)


def _short(kind: Kind) -> str:
    return {"rto": "filter"}.get(kind.name, kind.noun)


def _c_constants(kind: Kind) -> list[str]:
    if kind.constants is None:
        return []
    about, names = kind.constants
    values = ", ".join(f"PARSHALL_{name} = {value}" for value, name in enumerate(names))
    return [*_comment(about), f"enum {{ {values} }};", ""]


def _c_function(event: Event) -> str:
    returns = "double" if event.returns == "number" else "int32_t"
    told = [
        f", {type_} {name}" if type_ in _RUST else f", const parshall_{type_} *{name}"
        for name, type_ in event.told
    ]
    set_there = f", double *{event.name}" if event.returns == "maybe" else ""
    return f"{returns} (*{event.name})(void *state{''.join(told)}{set_there})"


def rust_header(kind: Kind) -> str:
    """The header for Rust."""
    told = _core.part_interface(kind.name)
    lines = [
        *_wrapped(_about(kind), "//! "),
        "",
        "#![allow(dead_code)]",
        "",
        "use std::ffi::{c_char, c_void};",
        "",
        "/// Version of this interface.",
        f"pub const VERSION: u32 = {told['version']};",
        "",
        *_rust_constants(kind),
        f"/// Functions that the engine lends: they give the same bits in every form of a {_short(kind)}.",
        "#[repr(C)]",
        "pub struct Host {",
    ]
    for name, returns, arguments, meaning in told["lent"]:
        kinds = ", ".join(_RUST[each.rpartition(" ")[0]] for each in arguments.split(", ") if each)
        lines += [
            *_wrapped(meaning, "    /// "),
            f'    pub {name}: extern "C" fn({kinds}) -> {_RUST[returns]},',
        ]
    lines.append("}")
    for name, fields in told["structures"].items():
        lines += [
            "",
            *_wrapped(told["about"][name], "/// "),
            "#[repr(C)]",
            f"pub struct {_rust_name(name)} {{",
        ]
        for field, type_, meaning in fields:
            lines += [*_wrapped(meaning, "    /// "), f"    pub {field}: {_RUST[type_]},"]
        lines.append("}")
    lines += _rust_table(kind)
    return "\n".join(lines) + "\n"


def _rust_name(name: str) -> str:
    return name.title().replace("_", "")


def _rust_constants(kind: Kind) -> list[str]:
    if kind.constants is None:
        return []
    about, names = kind.constants
    type_ = "i32" if any(event.returns == "verdict" for event in kind.events) else "i64"
    place = re.sub(r"parshall_(\w+)\.(\w+)", lambda match: f"[`{_rust_name(match[1])}::{match[2]}`]", about)
    return [
        f"/// {place}",
        *(f"pub const {name}: {type_} = {value};" for value, name in enumerate(names)),
        "",
    ]


def _rust_table(kind: Kind) -> list[str]:
    lines: list[Any] = [
        "",
        "/// A parameter; a list of them ends with one whose name is null.",
        "#[repr(C)]",
        "pub struct Parameter {",
        "    pub name: *const c_char,",
        "    /// Its default.",
        "    pub value: f64,",
        "    pub meaning: *const c_char,",
        "}",
        "",
        *_wrapped(_about_table(kind).replace("NULL", "None").replace("an int", "an i32"), "/// "),
        "#[repr(C)]",
        "pub struct Table {",
        "    /// [`VERSION`].",
        "    pub version: u32,",
        f"    /// {kind.flag_meaning}",
        f"    pub {kind.flag}: u32,",
        "    /// Name in messages.",
        "    pub name: *const c_char,",
        *_wrapped(_about_state(kind), "    /// "),
        "    pub state_size: usize,",
        "    pub parameters: *const Parameter,",
    ]
    for event in kind.events:
        returns = "f64" if event.returns == "number" else "i32"
        told = [
            f", {_RUST[type_]}" if type_ in _RUST else f", *const {_rust_name(type_)}"
            for _, type_ in event.told
        ]
        set_there = ", *mut f64" if event.returns == "maybe" else ""
        function = f'Option<unsafe extern "C" fn(*mut c_void{"".join(told)}{set_there}) -> {returns}>'
        lines += [*_wrapped(event.meaning, "    /// "), f"    pub {event.name}: {function},"]
    lines += [
        "}",
        "",
        "// SAFETY: a table is constant, and what it points to is.",
        "unsafe impl Sync for Table {}",
        "unsafe impl Sync for Parameter {}",
    ]
    return lines


if __name__ == "__main__":
    main(sys.argv[1:])
