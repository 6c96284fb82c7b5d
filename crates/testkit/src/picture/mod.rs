//! The picture of a run: goodput, time in queues and drops over time.

mod svg;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use parshall_sim::units::Time;

use crate::report::Report;
use svg::Drawing;

/// Intervals in which a picture counts.
const BINS: usize = 160;

const OWN: &str = "#1f6fb4";
const CROSS: &str = "#e08a1e";
const LINK: &str = "#999";
const LOSSES: &str = "#c22";

/// The line that an assertion draws.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    /// In bits a second.
    Goodput(f64),
    /// In queues.
    Delay(Time),
}

/// Writes the picture of a run, and returns where it is; or why there is none.
pub(crate) fn write(
    report: &Report,
    assertion: &str,
    worst: Option<Time>,
    limit: Option<Limit>,
) -> Result<PathBuf, String> {
    let folder = folder();
    let fault = |what: &Path, error: std::io::Error| format!("{}: {error}", what.display());
    fs::create_dir_all(&folder).map_err(|error| fault(&folder, error))?;
    // Tests of one name have one thread each; what else they are called by tells them apart.
    let test = std::thread::current().name().unwrap_or("thread").replace("::", "-");
    let name = format!("{test}-{}-{}-{assertion}.svg", report.name(), report.seed());
    let path = folder.join(name.replace(|letter: char| !is_plain(letter), "_"));
    fs::write(&path, drawn(report, assertion, worst, limit)).map_err(|error| fault(&path, error))?;
    Ok(path)
}

fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || "-._".contains(letter)
}

/// The folder of pictures: `$PARSHALL_TESTKIT_OUT`, or `parshall-testkit` where Cargo builds.
fn folder() -> PathBuf {
    if let Some(folder) = env::var_os("PARSHALL_TESTKIT_OUT") {
        return folder.into();
    }
    // A test's program is target/debug/deps/NAME, an example's target/debug/examples/NAME.
    let program = env::current_exe().unwrap_or_default();
    let built = program.ancestors().find(|folder| folder.ends_with("deps") || folder.ends_with("examples"));
    let target = built.and_then(|folder| folder.parent()?.parent());
    target.unwrap_or(Path::new("target")).join("parshall-testkit")
}

/// The picture.
fn drawn(report: &Report, assertion: &str, worst: Option<Time>, limit: Option<Limit>) -> String {
    let (from, end) = report.span();
    let bin = Time::from_ps((end.ps() / BINS as u64).max(1));
    let mut drawing = Drawing::new(end.secs());
    goodput(&mut drawing, report, bin, limit);
    delays(&mut drawing, report, bin, limit);
    drops(&mut drawing, report, bin);
    drawing.instant(from.secs(), "#bbb", "2 4");
    if let Some(worst) = worst {
        drawing.instant(worst.secs(), LOSSES, "");
    }
    let title = format!("{}, seed {}: {assertion}", report.name(), report.seed());
    let below = "dotted: end of the warm-up; red: the worst instant; dashed: what was expected";
    drawing.finish(&title, below)
}

fn goodput(drawing: &mut Drawing, report: &Report, bin: Time, limit: Option<Limit>) {
    let own = rates(bin, report.deliveries().into_iter().map(|(at, bytes)| (at, bytes as f64)));
    let start = |number: usize| Time::from_ps(bin.ps() * number as u64);
    let link = |number| report.setting.path.bits_between(start(number), start(number + 1)) / bin.secs() / 1e6;
    let link: Vec<_> = (0..BINS).map(|number| (start(number).secs(), link(number))).collect();
    let most = own.iter().chain(&link).map(|point| point.1).fold(0.0, f64::max);
    let title = "goodput in Mbit/s (blue); what the link can carry (grey); mean of a cross flow (orange)";
    // A burst out of a reorder buffer would make all else small.
    let carried = link.iter().map(|point| point.1).fold(0.0, f64::max);
    let panel = drawing.panel(title, most.min(1.5 * carried));
    drawing.curve(panel, &link, LINK);
    if let Some(cross) = cross(report, bin) {
        drawing.curve(panel, &cross, CROSS);
    }
    drawing.curve(panel, &own, OWN);
    if let Some(Limit::Goodput(rate)) = limit {
        drawing.limit(panel, rate / 1e6);
    }
}

fn delays(drawing: &mut Drawing, report: &Report, bin: Time, limit: Option<Limit>) {
    let mut longest = vec![f64::NAN; BINS];
    for entry in report.arrivals() {
        let place = &mut longest[place(entry.at, bin)];
        *place = place.max(report.queueing(entry).secs() * 1e3);
    }
    let limit = match limit {
        Some(Limit::Delay(most)) => Some(most.secs() * 1e3),
        _ => None,
    };
    let most = longest.iter().copied().chain(limit).fold(0.0, f64::max);
    let panel = drawing.panel("longest time in queues, in ms", most);
    let points: Vec<_> = longest.into_iter().enumerate().map(|(n, ms)| (middle(n, bin), ms)).collect();
    drawing.curve(panel, &points, OWN);
    if let Some(limit) = limit {
        drawing.limit(panel, limit);
    }
}

fn drops(drawing: &mut Drawing, report: &Report, bin: Time) {
    let mut counts = vec![0.0; BINS];
    report.drops().for_each(|entry| counts[place(entry.at, bin)] += 1.0);
    let most = counts.iter().copied().fold(0.0, f64::max);
    let panel = drawing.panel("datagrams lost, in both directions", most);
    let bars: Vec<_> =
        counts.into_iter().enumerate().map(|(n, count)| (n as f64 * bin.secs(), count)).collect();
    drawing.bars(panel, &bars, bin.secs(), LOSSES);
}

/// Mbit/s in each interval.
fn rates(bin: Time, bytes: impl Iterator<Item = (Time, f64)>) -> Vec<(f64, f64)> {
    let mut sums = vec![0.0; BINS];
    bytes.for_each(|(at, bytes)| sums[place(at, bin)] += bytes);
    let rate = |bytes: f64| 8.0 * bytes / bin.secs() / 1e6;
    sums.into_iter().enumerate().map(|(n, bytes)| (middle(n, bin), rate(bytes))).collect()
}

/// Mbit/s of the mean cross flow, by the recorded series.
fn cross(report: &Report, bin: Time) -> Option<Vec<(f64, f64)>> {
    let table = report.recording().table("flow_series").ok()?;
    let (times, flows) = (table.f64("time").ok()?, table.i32("flow").ok()?);
    let counts = table.u64("packets_delivered").ok()?;
    let setting = &report.setting.cross;
    let of = |flow: &parshall_sim::scenario::Flow| {
        let index = report.recording().flow(&flow.name)? as i32;
        Some((index, f64::from(flow.transport.payload_bytes())))
    };
    let known: Vec<_> = setting.iter().filter_map(of).collect();
    let share = known.len() as f64;
    let mut bytes = Vec::new();
    for (index, payload) in known {
        let mut before = 0;
        for row in (0..times.len()).filter(|&row| flows[row] == index) {
            let packets = counts[row] - before;
            before = counts[row];
            bytes.push((Time::from_secs(times[row]), packets as f64 * payload / share));
        }
    }
    (!bytes.is_empty()).then(|| rates(bin, bytes.into_iter()))
}

fn place(at: Time, bin: Time) -> usize {
    ((at.ps() / bin.ps()) as usize).min(BINS - 1)
}

fn middle(number: usize, bin: Time) -> f64 {
    (number as f64 + 0.5) * bin.secs()
}
