//! Runs of the reference endpoints.

use parshall_testkit::reference::{Receiver, Sender};
use parshall_testkit::{Kit, Report};

/// A report of a download by the reference endpoints.
pub fn download(kit: Kit, mut server: Sender) -> Report {
    let mut run = kit.build().expect("a network");
    let mut client = Receiver::new();
    run.drive(&mut client, &mut server).expect("a run");
    let mut marks = client.marks().clone();
    marks.join(server.marks());
    run.finish().expect("a report").with_marks(marks)
}

/// A report of an upload by the reference endpoints.
pub fn upload(kit: Kit, mut client: Sender) -> Report {
    let mut run = kit.upload().build().expect("a network");
    let mut server = Receiver::new();
    run.drive(&mut client, &mut server).expect("a run");
    let mut marks = server.marks().clone();
    marks.join(client.marks());
    run.finish().expect("a report").with_marks(marks)
}
