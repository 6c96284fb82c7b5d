//! Compiles programs in C against the libraries that belong to this test, and runs them.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// All that a compiler complains about is an error.
const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-O1"];

/// This crate's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder that the libraries lie in.
fn libraries() -> PathBuf {
    let program = env::current_exe().expect("a test has a path");
    let there = |folder: &&Path| folder.join("libparshall_net.so").exists();
    let found = program.ancestors().skip(1).take(2).find(there);
    found.unwrap_or_else(|| panic!("no libparshall_net.so near {}", program.display())).to_path_buf()
}

/// A folder of this name for what a test makes.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Tells if there is such a command.
pub fn exists(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Says why something is not tested, past what the test runner holds back.
pub fn skipped(what: &str) {
    let _ = writeln!(io::stderr(), "skipped: {what}");
}

/// Runs a command, which has to succeed.
pub fn run(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().expect("the command starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{command:?}: {status}\n{stdout}{stderr}");
    stdout.into_owned()
}

/// The library that a program is linked with.
#[derive(Clone, Copy, Debug)]
pub enum Linked {
    Shared,
    Static,
}

/// A C compiler that knows the header.
fn compiler(command: &str, standard: &str) -> Command {
    let mut compiler = Command::new(command);
    compiler.arg(format!("-std={standard}")).args(STRICT).arg("-I").arg(root().join("include"));
    compiler
}

/// Compiles a program in C11, with options behind those of all programs.
pub fn compile(source: &Path, linked: Linked, options: &[String]) -> PathBuf {
    let name = source.file_stem().expect("a file").to_string_lossy();
    let program = folder(&format!("{name}-{linked:?}")).join("program");
    let mut compiler = compiler("cc", "c11");
    compiler.arg("-o").arg(&program).arg(source);
    let libraries = libraries();
    match linked {
        Linked::Shared => {
            compiler.arg(format!("-Wl,-rpath,{}", libraries.display()));
            compiler.arg("-L").arg(&libraries).arg("-lparshall_net");
        }
        Linked::Static => {
            compiler.arg(libraries.join("libparshall_net.a")).args(["-lpthread", "-ldl", "-lm"]);
        }
    }
    run(compiler.args(options));
    program
}

/// Looks at a program in C or C++, without making one.
pub fn look_at(command: &str, standard: &str, source: &Path) {
    run(compiler(command, standard).arg("-fsyntax-only").arg(source));
}
