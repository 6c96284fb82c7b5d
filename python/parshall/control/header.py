"""The header for compiled controls, in C and in Rust, from the engine's description of the interface.

python -m parshall.control.header        prints the folder where both are installed
python -m parshall.control.header DIR    writes both into a folder
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from parshall import _core
from parshall.control.base import EVENTS

__all__ = ["INSTALLED", "c_header", "main", "rust_header"]

NAMES = {"window": "Window", "ack": "Ack", "loss": "Loss", "moment": "Moment"}

_RUST = {
    "double": "f64",
    "int64_t": "i64",
    "bool": "bool",
    "const parshall_host *": "*const Host",
    "void *": "*mut c_void",
    "const char *": "*const c_char",
}

_TOLD = {"on_start": None, "on_ack": "ack", "on_restart": "moment", "on_timer": "moment"}

_MEANING = {
    "on_start": "The flow begins; cwnd is its initial window.",
    "on_ack": "An ACK has come, any.",
    "on_loss": "Duplicate ACKs have shown a loss. Returns the window after it, in packets.",
    "on_mark": "A mark has been reported. Returns the window after it; without it, on_loss is asked.",
    "on_timeout": "The timer has expired. Returns where slow start shall end; without it, on_loss is asked.",
    "on_restart": "The sender is about to send after a time with nothing in flight.",
    "on_timer": "The time wake_at has come.",
}

_ABOUT_TABLE = (
    "A control: what a library's function parshall_control() returns. A function that is NULL does nothing, "
    "or what RFC 5681 asks for after a loss. Those that return an int return 0, or the number of what went "
    "wrong, which ends the run. The functions of one flow are called by one thread at a time; those of "
    "several flows may be called by several."
)

_ABOUT_STATE = (
    "Bytes of the state of a flow. It begins with a window, then the parameters as doubles in the order of "
    "their list; the rest is zero before on_start. It is neither moved nor freed by the control."
)

_ABOUT = (
    "The interface of Parshall's compiled congestion controls. Made by python -m parshall.control.header."
)

INSTALLED = Path(__file__).parent / "include"
"""Where the package has them."""


def main(arguments: Sequence[str]) -> None:
    """See the head of this file."""
    if not arguments:
        print(INSTALLED)
        return
    folder = Path(arguments[0])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "parshall_control.h").write_text(c_header())
        (folder / "parshall_control.rs").write_text(rust_header())
    except OSError as error:
        sys.exit(f"{folder}: {error.strerror or error}, expected a folder to write to")


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


def c_header() -> str:
    """The header for C and C++."""
    told = _core.control_interface()
    lines = [
        *_comment(_ABOUT),
        "",
        "#ifndef PARSHALL_CONTROL_H",
        "#define PARSHALL_CONTROL_H",
        "",
        "#include <stdbool.h>",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        f"#define PARSHALL_CONTROL_VERSION {told['version']}",
        "",
        *_comment("What an ACK is to the sender: parshall_ack.kind."),
        "enum { PARSHALL_NEW = 0, PARSHALL_PARTIAL = 1, PARSHALL_DUPLICATE = 2, PARSHALL_OLD = 3 };",
        "",
        *_comment("Functions that the engine lends: they give the same bits in every form of a control."),
        "typedef struct parshall_host {",
    ]
    for name, returns, arguments, meaning in told["lent"]:
        lines += [
            *_comment(meaning, "    "),
            f"    {_c_field(returns, f'(*{name})')}({_c_arguments(arguments)});",
        ]
    lines.append("} parshall_host;")
    for name, fields in told["structures"].items():
        lines += ["", *_comment(told["about"][name]), f"typedef struct parshall_{name} {{"]
        for field, kind, meaning in fields:
            lines += [*_comment(meaning, "    "), f"    {_c_field(kind, field)};"]
        lines.append(f"}} parshall_{name};")
    lines += [
        "",
        *_comment("A parameter; a list of them ends with one whose name is NULL."),
        "typedef struct parshall_parameter {",
        "    const char *name;",
        *_comment("Its default.", "    "),
        "    double value;",
        "    const char *meaning;",
        "} parshall_parameter;",
        "",
        *_comment(_ABOUT_TABLE),
        "typedef struct parshall_control_table {",
        *_comment("PARSHALL_CONTROL_VERSION.", "    "),
        "    uint32_t version;",
        *_comment("1 if receivers report marks packet by packet (RFC 8257, section 3.2), else 0.", "    "),
        "    uint32_t exact_echo;",
        *_comment("What messages call it.", "    "),
        "    const char *name;",
        *_comment(_ABOUT_STATE, "    "),
        "    size_t state_size;",
        "    const parshall_parameter *parameters;",
    ]
    for event in EVENTS:
        lines += [*_comment(_MEANING[event], "    "), f"    {_c_function(event)};"]
    lines += [
        "} parshall_control_table;",
        "",
        *_comment("The one function that a library has to have."),
        "const parshall_control_table *parshall_control(void);",
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _c_field(kind: str, name: str) -> str:
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"


def _c_arguments(arguments: str) -> str:
    return ", ".join(each.replace("* ", "*") for each in arguments.split(", ") if each)


def _c_function(event: str) -> str:
    told = _TOLD.get(event, "loss")
    returns = "double" if told == "loss" else "int32_t"
    second = "" if told is None else f", const parshall_{told} *{told}"
    return f"{returns} (*{event})(void *state{second})"


def rust_header() -> str:
    """The same for Rust."""
    told = _core.control_interface()
    lines = [
        f"//! {_ABOUT}",
        "",
        "#![allow(dead_code)]",
        "",
        "use std::ffi::{c_char, c_void};",
        "",
        "/// Of this interface.",
        f"pub const VERSION: u32 = {told['version']};",
        "",
        "/// What an ACK is to the sender: [`Ack::kind`].",
        "pub const NEW: i64 = 0;",
        "pub const PARTIAL: i64 = 1;",
        "pub const DUPLICATE: i64 = 2;",
        "pub const OLD: i64 = 3;",
        "",
        "/// Functions that the engine lends: they give the same bits in every form of a control.",
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
        lines += ["", *_wrapped(told["about"][name], "/// "), "#[repr(C)]", f"pub struct {NAMES[name]} {{"]
        for field, kind, meaning in fields:
            lines += [*_wrapped(meaning, "    /// "), f"    pub {field}: {_RUST[kind]},"]
        lines.append("}")
    lines += _rust_table()
    return "\n".join(lines) + "\n"


def _rust_table() -> list[str]:
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
        *_wrapped(_ABOUT_TABLE.replace("NULL", "None").replace("an int", "an i32"), "/// "),
        "#[repr(C)]",
        "pub struct Table {",
        "    /// [`VERSION`].",
        "    pub version: u32,",
        "    /// 1 if receivers report marks packet by packet (RFC 8257, section 3.2), else 0.",
        "    pub exact_echo: u32,",
        "    /// What messages call it.",
        "    pub name: *const c_char,",
        *_wrapped(_ABOUT_STATE, "    /// "),
        "    pub state_size: usize,",
        "    pub parameters: *const Parameter,",
    ]
    for event in EVENTS:
        told = _TOLD.get(event, "loss")
        returns = "f64" if told == "loss" else "i32"
        second = "" if told is None else f", *const {NAMES[told]}"
        kind = f'Option<unsafe extern "C" fn(*mut c_void{second}) -> {returns}>'
        lines += [*_wrapped(_MEANING[event], "    /// "), f"    pub {event}: {kind},"]
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
