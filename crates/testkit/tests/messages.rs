//! Failures: the message, the packets around the worst instant, and the picture.

use std::fs;
use std::panic::catch_unwind;

use parshall_sim::units::Time;
use parshall_testkit::reference::Sender;
use parshall_testkit::{bufferbloat, codel, one_percent_loss, Failure};

use crate::common::download;

fn failure() -> Failure {
    let report = download(one_percent_loss().seed(5), Sender::bulk());
    report.check().p95_delay_at_most(Time::ZERO).expect_err("some wait")
}

#[test]
fn a_message_has_all_that_is_asked_for_next() {
    let failure = failure();
    let text = failure.to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("p95_delay_at_most: expected at most 0.0 ms in queues"), "{text}");
    assert!(
        lines[1].starts_with(
            "  network one_percent_loss, seed 5; again by one_percent_loss().seed(5), or `cargo test"
        ),
        "{text}"
    );
    let picture = failure.picture.as_ref().expect("a picture");
    assert_eq!(lines[2], format!("  picture: {}", picture.display()));
    assert!(lines[3].starts_with("  packets around "), "{text}");
    assert_eq!(lines.len(), 4 + 21, "ten lines before and after: {text}");
    let pointed = lines.iter().find(|line| line.starts_with("  > ")).expect("an arrow");
    assert!(pointed.contains("client  received") && pointed.contains("ms in queues"), "{pointed}");
    assert_eq!(format!("{failure:?}"), text);
}

#[test]
fn assertions_panic_with_the_message() {
    let failure = failure();
    let panic = catch_unwind(|| {
        download(one_percent_loss().seed(5), Sender::bulk()).p95_delay_at_most(Time::ZERO);
    });
    let panic = panic.expect_err("it does not hold");
    let text = panic.downcast_ref::<String>().expect("a text");
    assert_eq!(text.lines().next(), failure.to_string().lines().next());
}

/// The elements of a picture, by name; panics if one does not end.
fn elements(svg: &str) -> Vec<&str> {
    let mut open = Vec::new();
    let mut names = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a tag ends");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a name");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            names.push(name);
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    names
}

#[test]
fn a_picture_shows_goodput_delays_and_losses() {
    let report = download(bufferbloat().with_linux_cubic(1).seed(3), Sender::bulk());
    let failure = report.check().p95_delay_at_most(Time::ms(50.0)).expect_err("a long queue");
    let svg = fs::read_to_string(failure.picture.expect("a picture")).expect("a file");
    let elements = elements(&svg);
    let count = |name: &str| elements.iter().filter(|element| **element == name).count();
    // What the link carries, the cross flow, the stack; and the delays.
    assert_eq!((elements[0], count("path")), ("svg", 4));
    assert!(count("rect") > 1, "losses are bars");
    assert!(svg.contains("bufferbloat, seed 3: p95_delay_at_most"));
    assert!(svg.contains("stroke-dasharray=\"6 4\""), "the limit");
}

#[test]
fn a_silent_run_has_a_picture() {
    let report = codel().build().expect("a network").finish().expect("a report");
    let failure = report.check().goodput_at_least(0.1).expect_err("nothing was sent");
    let svg = fs::read_to_string(failure.picture.expect("a picture")).expect("a file");
    assert_eq!(elements(&svg)[0], "svg");
}
