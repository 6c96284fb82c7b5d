//! Retransmissions and round trips of each connection of a capture.
//!
//! `cargo run --release --example retransmissions -- FILE`; `examples/transfer.pcap` is a small file to try.

use std::error::Error;
use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;

use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::decode::decode;
use parshall_capture::result::Summary;
use parshall_capture::source::Source;

/// A line for each direction of each connection that carries data.
pub fn report(file: &Path) -> Result<String, Box<dyn Error>> {
    let mut source = Source::new(File::open(file)?, true)?;
    let mut analysis = Analysis::new(Settings::default());
    while source.next(&mut |frame| analysis.push(&decode(frame))) {}
    let mut text = String::new();
    for connection in analysis.finish().rows.connections {
        let ends = [connection.opener.port, connection.answerer.port];
        for (way, [from, to]) in connection.ways.iter().zip([ends, [ends[1], ends[0]]]) {
            if way.tally.counters().data_packets > 0 {
                writeln!(text, "{}: port {from} to {to}: {}", connection.number, line(way))?;
            }
        }
    }
    Ok(text)
}

fn line(way: &Summary) -> String {
    let counters = way.tally.counters();
    let sent =
        format!("{} packets with data, {} of them again", counters.data_packets, counters.retransmissions);
    let kinds = format!(
        "{} fast, {} after a timeout, {} needless",
        counters.fast,
        counters.timeouts + counters.after_timeouts,
        counters.needless
    );
    let rtts = match [0.5, 0.95].map(|at| way.seq.quantile(at)) {
        [Some(median), Some(high)] => {
            format!("round trips {:.1} ms, 95 % below {:.1} ms", 1e-6 * median, 1e-6 * high)
        }
        _ => "no round trips".to_string(),
    };
    format!("{sent} ({kinds}); {rtts}")
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).ok_or("expected a capture file")?;
    print!("{}", report(Path::new(&file))?);
    Ok(())
}
