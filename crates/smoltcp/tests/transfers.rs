//! Streams arrive whole, whatever the network does to packets.

use std::sync::Arc;

use parshall_sim::scenario::{BernoulliLoss, DropTail, Jitter, Link, Loss, LossOf};
use parshall_sim::units::Time;
use parshall_smoltcp::{CongestionControl, IpVersion, Options, Transfer};

use crate::common::{link, reno, scenario};

const BYTES: u64 = 1_000_000;

fn with_loss(mut link: Link) -> Link {
    link.loss = Some(Arc::new(Loss::Bernoulli(BernoulliLoss { probability: 0.02, of: LossOf::All })));
    link
}

fn with_reordering(mut link: Link) -> Link {
    link.jitter = Some(Jitter { most: Time::ms(8.0), reorder: true });
    link
}

#[test]
fn a_stream_arrives_whole_through_loss_reordering_and_a_small_queue() {
    let networks = [
        ("loss", true, with_loss(link())),
        ("reordering", false, with_reordering(link().with_queue(DropTail::packets(1000)))),
        ("small queue", true, link().with_queue(DropTail::packets(8))),
        ("all of it", true, with_reordering(with_loss(link())).with_queue(DropTail::packets(8))),
    ];
    for (name, loses, link) in networks {
        for version in [IpVersion::V4, IpVersion::V6] {
            let transfer = Transfer::of(BYTES).with_options(Options { version, ..reno() });
            let run = transfer.run(scenario(120.0, link.clone()), ["a", "b"], 3).expect(name);
            assert_eq!(run.received(), BYTES, "{name}, {version:?}");
            let completed = run.completed_at().expect(name);
            // The link needs that long at least, and the receiver's program saw the end before the run ended.
            assert!(completed > Time::from_secs(0.8 + 0.04), "{name}: {} s", completed.secs());
            let dropped =
                run.recording().table("flows").expect("flows").u64("packets_dropped").expect("drops")[0];
            assert_eq!(dropped > 0, loses, "{name}: {dropped} drops");
        }
    }
}

#[test]
fn all_controls_deliver_and_goodput_is_what_the_program_got() {
    for control in [CongestionControl::Reno, CongestionControl::Cubic, CongestionControl::None] {
        let transfer = Transfer::of(BYTES).with_options(Options { control, ..Options::default() });
        // All that fits into the buffer can be under way without a loss.
        let run = transfer.run(scenario(60.0, link().with_queue(DropTail::packets(1000))), ["a", "b"], 1);
        let run = run.expect("a run");
        let completed = run.completed_at().expect("it arrives");
        assert_eq!(run.received(), BYTES);
        assert_eq!(run.goodput(), 8.0 * BYTES as f64 / completed.secs());
        let flows = run.recording().table("flows").expect("flows");
        assert_eq!(flows.u64("bytes_delivered").expect("bytes")[0], BYTES, "{control:?}");
        // The connection is closed, and nothing was lost that could have kept it open.
        assert!(completed < Time::from_secs(1.2), "{control:?}: {} s", completed.secs());
    }
}

#[test]
fn packets_are_as_large_as_the_mtu_and_the_window_is_the_buffer() {
    for (version, headers) in [(IpVersion::V4, 40), (IpVersion::V6, 60)] {
        let options = Options { mtu: 1280, receive_buffer: 16_000, version, ..reno() };
        let run = Transfer::endless().with_options(options).run(scenario(4.0, link()), ["a", "b"], 1);
        let run = run.expect("a run");
        let largest = run.trace().entries().iter().map(|entry| entry.wire_bytes).max();
        assert_eq!(largest, Some(1280));
        // A window of payload each round trip.
        let round_trip = 0.04 + 8.0 * 1280.0 / 10e6;
        let most = 8.0 * 16_000.0 / round_trip;
        assert!(
            run.goodput() < most && run.goodput() > 0.75 * most,
            "{headers}: {} of {most}",
            run.goodput()
        );
    }
}

#[test]
fn a_host_that_is_not_there_is_an_error_with_its_name() {
    let fault = Transfer::of(1).run(scenario(1.0, link()), ["a", "c"], 1).expect_err("no c").to_string();
    assert!(fault.contains("\"c\"") && !fault.contains('\n'), "{fault}");
}
