//! A control in C, beside the same one of `parshall_control`.

use std::path::PathBuf;
use std::process::Command;

use parshall_control::{AnyControl, Window};

use super::header::{self, Parameter};
use super::*;

/// A library of one of the examples, for the test of this name; none without a compiler of C.
fn built(name: &str, test: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let library = std::env::temp_dir().join(format!("parshall-{name}-{test}-{}.so", std::process::id()));
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-fPIC", "-shared", "-ffp-contract=off", "-o"]).arg(&library);
    compiler.arg("-I").arg(root.join("python/parshall/own/include"));
    compiler.arg(root.join(format!("examples/controls/{name}.c")));
    let built = compiler.status().ok()?.success();
    assert!(built, "{name}.c was not compiled");
    Some(library)
}

#[test]
fn a_control_in_c_moves_the_window_as_the_native_one_does() {
    let Some(file) = built("aimd", "moves") else { return };
    let library = Library::open(&file).expect("a library");
    let start = Start { initial_window: 10.0, seed: 1, flow: "f", packet_bytes: 1500 };
    let mut windows = [Window { cwnd: 10.0, ssthresh: 30.0 }; 2];
    let native: Control = "aimd".parse().expect("a control");
    let mut controls: [AnyControl; 2] = [
        AnyControl::new(&native, &start, &mut windows[0]),
        AnyControl::new(&library.control(), &start, &mut windows[1]),
    ];
    for n in 0..100 {
        for (control, window) in controls.iter_mut().zip(&mut windows) {
            let now = Time::from_secs(f64::from(n) * 0.01);
            if n % 40 == 39 {
                let loss = Loss { now, in_use: window.cwnd };
                window.ssthresh = control.after_loss(window, &loss).max(2.0);
                window.cwnd = window.ssthresh;
            }
            control.on_ack(window, || AckSample::new(now, now, 1, i64::from(n), 1000));
        }
        assert_eq!(windows[0], windows[1]);
    }
    std::fs::remove_file(file).expect("it was there");
}

#[test]
fn what_is_no_control_is_told() {
    let told = |file: &str| Library::open(file.as_ref()).expect_err("no library").to_string();
    assert_eq!(told("none.so"), "library: got ./none.so, expected a shared library");
    // SAFETY: null is looked at before it is used.
    let null = unsafe { Library::from_table(std::ptr::null()) };
    assert!(null.expect_err("no table").to_string().contains("version 0"));
    let Some(file) = built("aimd", "told") else { return };
    let fault = Library::open(&file).expect("a library").with("gain", 1.0).expect_err("no such parameter");
    assert_eq!(fault.to_string(), "library: got gain, expected a parameter of the control");
    std::fs::remove_file(file).expect("it was there");
}

/// A control without functions, with one parameter.
fn table(name: *const c_char, state_size: usize, parameters: &[Parameter; 2]) -> Table {
    Table {
        version: VERSION,
        exact_echo: 0,
        name,
        state_size,
        parameters: parameters.as_ptr(),
        on_start: None,
        on_ack: None,
        on_loss: None,
        on_mark: None,
        on_timeout: None,
        on_restart: None,
        on_timer: None,
    }
}

#[test]
fn a_state_has_room_for_its_parameters_and_is_no_larger_than_any_needs() {
    let null = std::ptr::null();
    let parameters = [(c"gain".as_ptr(), 1.0), (null, 0.0)];
    let parameters = parameters.map(|(name, value)| Parameter { name, value, meaning: null });
    let least = size_of::<header::Window>() + 8;
    let made = |name, state_size| {
        let table = table(name, state_size, &parameters);
        // SAFETY: the table outlives the control, and has no functions.
        unsafe { Library::from_table((&raw const table).cast()) }.map(|library| library.parameters)
    };
    let name = c"none".as_ptr();
    for fits in [least, 1 << 24] {
        assert_eq!(made(name, fits).expect("it fits"), [("gain".to_owned(), 1.0)]);
    }
    for other in [0, least - 8, least - 1, (1 << 24) + 1, usize::MAX] {
        let told = made(name, other).expect_err("it does not fit").to_string();
        assert!(
            told.starts_with(&format!("library: got a state of {other} bytes with 1 parameters")),
            "{told}"
        );
    }
    let told = made(null, least).expect_err("it has no name").to_string();
    assert_eq!(told, "library: got a table without a name, expected one with a name");
}
