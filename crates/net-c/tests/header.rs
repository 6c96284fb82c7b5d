//! The header is made of the sources of this crate: names, types and documentation stand in one place.

use std::fmt::Write;
use std::fs;

use crate::compiler::root;

/// Files of the interface, in the order of the header.
const SOURCES: [&str; 5] = ["layout", "border", "building", "running", "results"];

/// Types of functions and fields in both languages.
const TYPES: [(&str, &str); 13] = [
    ("u8", "uint8_t"),
    ("u32", "uint32_t"),
    ("i32", "int32_t"),
    ("u64", "uint64_t"),
    ("i64", "int64_t"),
    ("f64", "double"),
    ("usize", "size_t"),
    ("c_char", "char"),
    ("c_void", "void"),
    ("Net", "parshall_net"),
    ("Datagram", "parshall_datagram"),
    ("Event", "parshall_event"),
    ("()", "void"),
];

const WIDTH: usize = 110;

#[test]
fn the_header_says_what_the_functions_are() {
    let path = root().join("include/parshall_net.h");
    let made = header();
    if std::env::var_os("PARSHALL_WRITE").is_some() {
        fs::write(&path, &made).expect("the header can be written");
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(there == made, "PARSHALL_WRITE=1 cargo test -p parshall-net-c header writes {}", path.display());
}

/// Sources of the interface.
pub fn sources() -> Vec<String> {
    let read = |name: &&str| fs::read_to_string(root().join(format!("src/{name}.rs"))).expect("a source");
    SOURCES.iter().map(read).collect()
}

fn header() -> String {
    let mut text = String::from(
        "/* Networks in simulated time for transports in C. Made by PARSHALL_WRITE=1 cargo test -p parshall-net-c header. */\n\n\
         #ifndef PARSHALL_NET_H\n#define PARSHALL_NET_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
    );
    comment(&mut text, "", &["A network, of which only pointers are used. One thread at a time uses it; other networks may be used by other threads meanwhile.",
        "Functions that return an int32_t return 0 or a positive number, or one of PARSHALL_ERROR_*, which are negative; parshall_net_error has the text. Texts are UTF-8 and end with a zero. What pointers lead to that functions return belongs to the network."]);
    text.push_str("typedef struct parshall_net parshall_net;\n\n");
    for source in sources() {
        let tests = source.find("#[cfg(test)]").unwrap_or(source.len());
        items(&mut text, &source[..tests]);
    }
    text.push_str("#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    text
}

/// Writes the items of one source that C needs.
fn items(text: &mut String, source: &str) {
    let mut docs: Vec<&str> = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim());
            continue;
        }
        if line.starts_with("#[") {
            continue;
        }
        let docs = std::mem::take(&mut docs).join(" ");
        if let Some(constant) = line.strip_prefix("pub const ") {
            define(text, &docs, constant);
        } else if let Some(name) = line.strip_prefix("pub struct ").filter(|_| !line.contains("Net ")) {
            let body = lines.by_ref().take_while(|line| *line != "}").collect::<Vec<_>>();
            structure(text, &docs, name.trim_end_matches(" {"), &body);
        } else if line.starts_with("pub ") && line.contains("extern \"C\" fn ") {
            let mut signature = line.to_string();
            while !signature.ends_with('{') {
                let more = lines.next().expect("a signature ends");
                write!(signature, " {}", more.trim()).expect("a string takes all");
            }
            function(text, &docs, &signature);
        }
    }
}

/// Writes `NAME: TYPE = VALUE;`.
fn define(text: &mut String, docs: &str, constant: &str) {
    let (name, rest) = constant.split_once(": ").expect("a constant has a type");
    let (kind, value) = rest.trim_end_matches(';').split_once(" = ").expect("a constant has a value");
    let value = match (kind, value.replace('_', "").as_str()) {
        ("u64", "u64::MAX") => "UINT64_MAX".to_string(),
        ("u64", digits) => format!("UINT64_C({digits})"),
        ("u32", digits) => format!("{digits}u"),
        (_, digits) if digits.starts_with('-') => format!("({digits})"),
        (_, digits) => digits.to_string(),
    };
    comment(text, "", &[docs]);
    writeln!(text, "#define {name} {value}\n").expect("a string takes all");
}

fn structure(text: &mut String, docs: &str, name: &str, body: &[&str]) {
    comment(text, "", &[docs]);
    let name = c_type(name);
    writeln!(text, "typedef struct {name} {{").expect("a string takes all");
    let mut docs = Vec::new();
    for line in body {
        if let Some(doc) = line.trim().strip_prefix("///") {
            docs.push(doc.trim());
            continue;
        }
        comment(text, "    ", &[&std::mem::take(&mut docs).join(" ")]);
        let field = line.trim().trim_start_matches("pub ").trim_end_matches(',');
        writeln!(text, "    {};", declared(field)).expect("a string takes all");
    }
    writeln!(text, "}} {name};\n").expect("a string takes all");
}

/// Writes `pub unsafe extern "C" fn NAME(ARGUMENTS) -> RESULT {`.
fn function(text: &mut String, docs: &str, signature: &str) {
    let (_, signature) = signature.split_once(" fn ").expect("a function");
    let (name, rest) = signature.split_once('(').expect("arguments");
    let (arguments, result) = rest.rsplit_once(')').expect("arguments end");
    let result = result.trim().trim_start_matches("-> ").trim_end_matches('{').trim();
    let result = c_type(if result.is_empty() { "()" } else { result });
    let arguments: Vec<_> = arguments
        .split(", ")
        .map(|one| one.trim().trim_end_matches(','))
        .filter(|one| !one.is_empty())
        .collect();
    let arguments = joined(&arguments);
    comment(text, "", &[docs]);
    let space = if result.ends_with('*') { "" } else { " " };
    let start = format!("{result}{space}{name}(");
    let on_one_line = format!("{start}{});", arguments.join(", "));
    if on_one_line.len() <= WIDTH {
        writeln!(text, "{on_one_line}\n").expect("a string takes all");
    } else {
        let between = format!(",\n{}", " ".repeat(start.len()));
        writeln!(text, "{start}{});\n", arguments.join(&between)).expect("a string takes all");
    }
}

/// Arguments in C; none are `void`.
fn joined(arguments: &[&str]) -> Vec<String> {
    match arguments {
        [] => vec!["void".to_string()],
        some => some.iter().map(|argument| declared(argument)).collect(),
    }
}

/// The declaration of `NAME: TYPE`.
fn declared(of: &str) -> String {
    let (name, kind) = of.split_once(": ").expect("a name and a type");
    // An array is handed over by its address.
    let array = kind.trim_start_matches("*mut ").strip_prefix('[').and_then(|kind| kind.strip_suffix(']'));
    if let Some((kind, count)) = array.and_then(|array| array.split_once("; ")) {
        return format!("{} {name}[{count}]", c_type(kind));
    }
    let kind = c_type(kind);
    let space = if kind.ends_with('*') { "" } else { " " };
    format!("{kind}{space}{name}")
}

fn c_type(kind: &str) -> String {
    if let Some(to) = kind.strip_prefix("*const ") {
        return format!("const {} *", c_type(to));
    }
    if let Some(to) = kind.strip_prefix("*mut ") {
        return format!("{} *", c_type(to));
    }
    let found = TYPES.iter().find(|(rust, _)| *rust == kind);
    found.unwrap_or_else(|| panic!("C has no type for {kind}")).1.to_string()
}

/// Writes paragraphs as a comment.
fn comment(text: &mut String, indent: &str, paragraphs: &[&str]) {
    let mut lines = Vec::new();
    for paragraph in paragraphs {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && indent.len() + line.len() + word.len() + 7 > WIDTH {
                lines.push(std::mem::take(&mut line));
            }
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        }
        lines.push(line);
    }
    let between = format!("\n{indent} * ");
    writeln!(text, "{indent}/* {} */", lines.join(&between)).expect("a string takes all");
}
