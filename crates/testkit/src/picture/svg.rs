//! A writer of SVG: panels over one axis of time, with lines, bars and labels.

use std::fmt::Write;

pub(super) const WIDTH: f64 = 900.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 60.0;
const PANEL: f64 = 150.0;
const GAP: f64 = 50.0;

/// A drawing under way.
#[derive(Debug)]
pub(super) struct Drawing {
    body: String,
    seconds: f64,
    panels: usize,
}

/// One panel: its place, and the greatest value on its axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    top: f64,
    most: f64,
}

impl Drawing {
    /// An empty drawing of so many seconds.
    pub fn new(seconds: f64) -> Self {
        Drawing { body: String::new(), seconds: seconds.max(1e-9), panels: 0 }
    }

    /// Adds a panel below the others whose axis goes from 0 to at least `most`.
    pub fn panel(&mut self, title: &str, most: f64) -> Panel {
        let step = step_for(most);
        let most = (most / step).ceil().max(1.0) * step;
        let panel = Panel { top: TOP + self.panels as f64 * (PANEL + GAP), most };
        self.panels += 1;
        self.text((LEFT, panel.top - 8.0), "start", "#222", title);
        let mut value = 0.0;
        while value <= most * 1.0001 {
            let y = panel.y(value);
            self.line((LEFT, y), (WIDTH - RIGHT, y), "#ddd", "");
            self.text((LEFT - 6.0, y + 4.0), "end", "#555", &shown(value));
            value += step;
        }
        let step = step_for(self.seconds);
        let mut time = 0.0;
        while time <= self.seconds * 1.0001 {
            let (x, y) = (self.x(time), panel.top + PANEL);
            self.line((x, y), (x, y + 4.0), "#555", "");
            self.text((x, y + 17.0), "middle", "#555", &shown(time));
            time += step;
        }
        panel
    }

    /// Draws a line through points of time and value; a gap where a value is NaN.
    pub fn curve(&mut self, panel: Panel, points: &[(f64, f64)], colour: &str) {
        let mut path = String::new();
        let mut pen_down = false;
        for &(time, value) in points {
            if value.is_nan() {
                pen_down = false;
                continue;
            }
            let command = if pen_down { 'L' } else { 'M' };
            let _ = write!(path, "{command}{:.1} {:.1}", self.x(time), panel.y(value));
            pen_down = true;
        }
        let style = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"");
        let _ = writeln!(self.body, "<path d=\"{path}\" {style}/>");
    }

    /// Draws bars from 0 to each value, `width` seconds wide.
    pub fn bars(&mut self, panel: Panel, bars: &[(f64, f64)], width: f64, colour: &str) {
        for &(time, value) in bars.iter().filter(|(_, value)| *value > 0.0) {
            let (x, y) = (self.x(time), panel.y(value));
            let (wide, high) = (self.x(time + width) - x, panel.top + PANEL - y);
            let place = format!("x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\"");
            let _ = writeln!(self.body, "<rect {place} fill=\"{colour}\"/>");
        }
    }

    /// Draws a dashed line at a value.
    pub fn limit(&mut self, panel: Panel, value: f64) {
        let y = panel.y(value);
        self.line((LEFT, y), (WIDTH - RIGHT, y), "#c22", "6 4");
    }

    /// Draws a line over all panels at an instant.
    pub fn instant(&mut self, seconds: f64, colour: &str, dashes: &str) {
        let x = self.x(seconds);
        self.line((x, TOP), (x, self.height() - GAP), colour, dashes);
    }

    /// The file, with a title and a line below it.
    pub fn finish(mut self, title: &str, below: &str) -> String {
        self.text((LEFT, 18.0), "start", "#000", title);
        self.text((LEFT, 34.0), "start", "#555", below);
        let height = self.height();
        self.text((WIDTH - RIGHT, height - 12.0), "end", "#555", "time in s");
        let size = format!("width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\"");
        let font = "font-family=\"sans-serif\" font-size=\"12\"";
        let ground = "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>";
        let body = &self.body;
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {size} {font}>\n{ground}\n{body}</svg>\n")
    }

    fn height(&self) -> f64 {
        TOP + self.panels as f64 * (PANEL + GAP)
    }

    fn x(&self, seconds: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * (seconds / self.seconds).clamp(0.0, 1.0)
    }

    fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, dashes: &str) {
        let ends = format!("x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"", from.0, from.1, to.0, to.1);
        let style = format!("stroke=\"{colour}\" stroke-dasharray=\"{dashes}\"");
        let _ = writeln!(self.body, "<line {ends} {style}/>");
    }

    fn text(&mut self, at: (f64, f64), anchor: &str, colour: &str, text: &str) {
        let place = format!("x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\"", at.0, at.1);
        let _ = writeln!(self.body, "<text {place}>{}</text>", escaped(text));
    }
}

impl Panel {
    fn y(self, value: f64) -> f64 {
        self.top + PANEL * (1.0 - (value / self.most).clamp(0.0, 1.0))
    }
}

/// A distance of 1, 2 or 5 times a power of ten, with about five of them up to `most`.
fn step_for(most: f64) -> f64 {
    let wanted = if most > 0.0 { most / 5.0 } else { 1.0 };
    let mut power = 1.0;
    while power > wanted {
        power /= 10.0;
    }
    while power * 10.0 <= wanted {
        power *= 10.0;
    }
    [1.0, 2.0, 5.0, 10.0].map(|times| times * power).into_iter().find(|step| *step >= wanted).unwrap_or(power)
}

/// A number on an axis.
fn shown(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        for (most, step) in [(16.0, 5.0), (1000.0, 200.0), (0.3, 0.1), (7.0, 2.0), (0.0, 1.0)] {
            assert!((step_for(most) - step).abs() < 1e-12, "{most}: {}", step_for(most));
        }
        assert_eq!([0.1 + 0.2, 20.0, 0.0].map(shown), ["0.3", "20", "0"]);
    }

    #[test]
    fn text_is_escaped_and_values_stay_inside() {
        let mut drawing = Drawing::new(10.0);
        let panel = drawing.panel("a < b & c", 4.0);
        drawing.curve(panel, &[(0.0, 1.0), (1.0, f64::NAN), (2.0, 99.0), (20.0, 2.0)], "#000");
        let text = drawing.finish("title", "below");
        assert!(text.contains("a &lt; b &amp; c"));
        assert!(text.contains("M70.0 172.5M232.0 60.0L880.0 135.0"), "{text}");
    }
}
