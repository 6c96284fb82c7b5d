//! For those who maintain the crate: `retransmissions` is the example of how to use it.
//! Prints events, samples or connections of a capture as CSV: `tables FILE events|samples|connections|totals`.

use std::fs::File;
use std::time::Instant;

use parshall_capture::analysis::{Analysis, Settings};
use parshall_capture::counters::Counters;
use parshall_capture::decode::decode;
use parshall_capture::source::Source;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(table)) = (arguments.next(), arguments.next()) else {
        return Err("expected FILE and a table: events, samples, connections or totals".into());
    };
    let began = Instant::now();
    let mut source = Source::new(File::open(file)?, false)?;
    let mut analysis = Analysis::new(Settings::default());
    while source.next(&mut |frame| analysis.push(&decode(frame))) {
        // The totals alone need no samples.
        if table == "totals" && source.frames() % 4096 == 0 {
            analysis.rows();
        }
    }
    let finished = analysis.finish();
    let found = &finished.rows;
    match table.as_str() {
        "events" => {
            println!("frame,connection,direction,kind,needless,network_copy,late,captured_again,seq,payload");
            for e in &found.events {
                let kind = e.kind.map_or("", |kind| kind.name());
                let needless = e.needless.map_or(String::new(), |needless| needless.to_string());
                println!(
                    "{},{},{},{kind},{needless},{},{},{},{},{}",
                    e.frame,
                    e.connection,
                    e.way.letter(),
                    e.network_copy,
                    e.late,
                    e.captured_again,
                    e.seq,
                    e.payload
                );
            }
        }
        "samples" => {
            println!("time,frame,connection,direction,half,method,rtt");
            for s in &found.samples {
                let (half, method) = (s.half.name(), s.method.name());
                println!(
                    "{},{},{},{},{half},{method},{}",
                    s.time,
                    s.frame,
                    s.connection,
                    s.way.letter(),
                    s.rtt
                );
            }
        }
        "connections" => {
            println!(
                "connection,aport,bport,direction,{},window_limited,seconds,rest,p25",
                Counters::NAMES.join(",")
            );
            for c in &found.connections {
                for (way, summary) in ["f", "b"].iter().zip(&c.ways) {
                    let values: Vec<String> =
                        summary.tally.counters().values().iter().map(u64::to_string).collect();
                    let limited = summary.window_limited as f64 / 1e9;
                    println!(
                        "{},{},{},{way},{},{limited},{},{:?},{:?}",
                        c.number,
                        c.opener.port,
                        c.answerer.port,
                        values.join(","),
                        (c.end - c.start) as f64 / 1e9,
                        summary.seq.least().map(|x| x / 1000),
                        summary.seq.quantile(0.25).map(|x| x / 1e3)
                    );
                }
            }
        }
        _ => {
            println!("{:?} {:?}", finished.totals, source.ending());
            let seconds = began.elapsed().as_secs_f64();
            println!("{:.2} M packets/s", finished.totals.frames as f64 / seconds / 1e6);
        }
    }
    Ok(())
}
