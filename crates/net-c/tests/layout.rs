//! Structs and numbers are the same to a C compiler as to Rust.

use std::fmt::Write;
use std::fs;
use std::mem::{offset_of, size_of};
use std::process::Command;

use parshall_net::{Datagram, Event};

use crate::compiler::{compile, exists, folder, look_at, run, skipped, Linked};
use crate::header::sources;

/// Says where each of these fields lies, and where a struct ends, in both languages: lines of C that print it, and what they have
/// to print.
macro_rules! lies {
    ($c:ident, $expected:ident, $struct:ident, $name:literal, [$($field:ident),* $(,)?]) => {
        $(
            let field = stringify!($field);
            writeln!($c, "    printf(\"{} {field} %zu\\n\", offsetof({}, {field}));", $name, $name).expect("room");
            writeln!($expected, "{} {field} {}", $name, offset_of!($struct, $field)).expect("room");
        )*
        writeln!($c, "    printf(\"{} ends %zu\\n\", sizeof({}));", $name, $name).expect("room");
        writeln!($expected, "{} ends {}", $name, size_of::<$struct>()).expect("room");
    };
}

#[test]
fn c_and_rust_agree_on_structs_and_numbers() {
    let mut c = String::from(
        "#include <inttypes.h>\n#include <stdio.h>\n#include \"parshall_net.h\"\n\nint main(void)\n{\n",
    );
    let mut expected = String::new();
    let fields = &mut (0, 0);
    lies!(
        c,
        expected,
        Datagram,
        "parshall_datagram",
        [bytes, length, key, tag, wire_bytes, payload_bytes, content, ecn, dscp, reserved,]
    );
    fields.0 = expected.lines().count() - 1;
    lies!(c, expected, Event, "parshall_event", [kind, endpoint, at, sent_at, cause, reserved, datagram]);
    fields.1 = expected.lines().count() - fields.0 - 2;
    let layout = &sources()[0];
    assert_eq!(layout.matches("    pub ").count(), fields.0 + fields.1, "fields of both structs");
    for (name, value) in layout.lines().filter_map(number) {
        writeln!(c, "    printf(\"{name} %\" PRId64 \"\\n\", (int64_t){name});").expect("room");
        writeln!(expected, "{name} {value}").expect("room");
    }
    c.push_str("    return 0;\n}\n");
    let source = folder("layout").join("layout.c");
    fs::write(&source, c).expect("a file can be written");
    assert_eq!(run(&mut Command::new(compile(&source, Linked::Shared, &[]))), expected);
}

/// Name and value of a constant, as a signed number of 64 bits.
fn number(line: &str) -> Option<(&str, i64)> {
    let (name, rest) = line.strip_prefix("pub const ")?.split_once(": ")?;
    let (_, value) = rest.trim_end_matches(';').split_once(" = ")?;
    let value = if value == "u64::MAX" { -1 } else { value.replace('_', "").parse().expect("a number") };
    Some((name, value))
}

#[test]
fn the_header_is_c_and_cplusplus() {
    for (compiler, standard, file) in
        [("cc", "c99", "alone.c"), ("cc", "c11", "alone.c"), ("c++", "c++11", "alone.cc")]
    {
        if !exists(compiler) {
            skipped(&format!("{compiler} is not installed, so the header is not compiled by it"));
            continue;
        }
        let source = folder("alone").join(file);
        fs::write(
            &source,
            "#include \"parshall_net.h\"\nint main() { parshall_net_free(parshall_net_new()); }\n",
        )
        .expect("a file can be written");
        look_at(compiler, standard, &source);
    }
}
