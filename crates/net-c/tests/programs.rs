//! Programs in C over the libraries: the example of the README, one with a transport of its own, and one with lwIP.

use std::fs;
use std::process::Command;

use crate::compiler::{compile, exists, folder, root, run, skipped, Linked};
use crate::same;

/// The first block of a language in the README, after some place.
fn block<'a>(readme: &'a str, language: &str, after: &str) -> &'a str {
    let rest = readme.split_once(after).expect("the place").1;
    let start = rest.split_once(&format!("```{language}\n")).expect("a block").1;
    start.split_once("```").expect("a block ends").0
}

#[test]
fn the_readme_has_a_program_and_what_it_prints() {
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let source = folder("readme").join("readme.c");
    let program = block(&readme, "c", "# parshall-net-c");
    fs::write(&source, program).expect("a file can be written");
    for linked in [Linked::Shared, Linked::Static] {
        let program = compile(&source, linked, &[]);
        assert_eq!(run(&mut Command::new(program)), block(&readme, "text", program_end(&readme)));
    }
}

/// The line that stands before what the program prints.
fn program_end(readme: &str) -> &str {
    readme.lines().find(|line| line.starts_with("It prints")).expect("the line")
}

#[test]
fn a_transport_in_c_meets_the_same_network_as_one_in_rust() {
    let path = root().join("examples/go_back_n.c");
    let program = compile(&path, Linked::Shared, &[]);
    let printed = run(&mut Command::new(&program));
    assert_eq!(printed, same::printed(&fs::read_to_string(path).expect("the example")));
    assert!(printed.starts_with("complete") && !printed.contains(" 0 timeouts"), "{printed}");
    if !exists("valgrind") {
        return skipped("valgrind is not installed, so no leak is looked for");
    }
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
    valgrind.arg("--errors-for-leak-kinds=definite,indirect,possible").arg(program);
    assert_eq!(run(&mut valgrind), printed);
}

#[test]
fn lwip_runs_in_simulated_time() {
    let flags = Command::new("pkg-config").args(["--cflags", "--libs", "lwip"]).output();
    let Some(flags) = flags.ok().filter(|output| output.status.success()) else {
        return skipped("pkg-config finds no lwip (package liblwip-dev), so examples/lwip.c is not run");
    };
    let flags = String::from_utf8(flags.stdout).expect("options");
    // Its headers are not pedantic C11.
    let options = flags.split_whitespace().map(|option| option.replace("-I", "-isystem"));
    let options: Vec<_> = options.chain(["-std=gnu11".to_string()]).collect();
    let program = compile(&root().join("examples/lwip.c"), Linked::Shared, &options);
    let printed = run(&mut Command::new(&program));
    assert_eq!(run(&mut Command::new(&program)), printed, "the same trace twice");
    let words: Vec<_> = printed.split([' ', ',']).collect();
    assert_eq!(words[0], "intact", "{printed}");
    assert!(!printed.contains(" 0 drops"), "{printed}");
    let goodput: f64 = words[2].parse().expect("a number");
    // A payload of 1460 bytes in 1500 over 8 Mbit/s is at most 7.79 Mbit/s. Losses cost some.
    assert!((4.0..7.79).contains(&goodput), "{printed}");
}
