//! A control in C, beside the same one of `parshall_control`.

use std::path::PathBuf;
use std::process::Command;

use parshall_control::{AnyControl, Window};

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
