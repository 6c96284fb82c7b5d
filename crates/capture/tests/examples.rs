//! The example of the crate does what it says, on the capture beside it.

#[allow(dead_code)] // Its program is not called.
#[path = "../examples/retransmissions.rs"]
mod retransmissions;

use std::path::Path;

#[test]
fn what_was_sent_again_is_reported() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/transfer.pcap");
    let report = retransmissions::report(&file).expect("a capture");
    assert_eq!(report.lines().count(), 1, "{report}");
    assert!(report.contains("1 of them again (1 fast, 0 after a timeout, 0 needless)"), "{report}");
    assert!(retransmissions::report(Path::new(file!())).is_err());
}
