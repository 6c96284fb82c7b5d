//! Go-back-N of `examples/go_back_n.c` over the interface in Rust: the same network, to the last bit.

use parshall_sim::net::{Builder, Datagram, EndpointId, Event, Network};
use parshall_sim::scenario::Scenario;
use parshall_sim::units::Time;

const WINDOW: u32 = 32;
const CHUNK: usize = 1000;
const CHUNKS: u32 = 200;
const TIMEOUT_MS: f64 = 150.0;

/// The text between quotes of lines in C.
fn scenario(source: &str) -> String {
    let lines = source.lines().skip_while(|line| !line.contains("SCENARIO[]")).skip(1);
    let quoted = lines.map_while(|line| line.trim().strip_prefix('"'));
    quoted.map(|line| line.trim_end_matches([';', '"']).replace("\\n", "\n")).collect()
}

struct Sender {
    network: Network,
    ends: [EndpointId; 2],
    first: u32,
    next: u32,
    expected: u32,
    sent: u32,
    timeouts: u32,
}

impl Sender {
    fn send(&mut self, from: usize, number: u32, bytes: usize) {
        let mut payload = number.to_le_bytes().to_vec();
        payload.resize(4 + bytes, 0);
        let now = self.network.now();
        self.network.send(self.ends[from], now, Datagram::udp(payload)).expect("a datagram that fits");
    }

    fn fill_window(&mut self) {
        while self.next < CHUNKS.min(self.first + WINDOW) {
            self.send(0, self.next, CHUNK);
            self.next += 1;
            self.sent += 1;
        }
    }

    fn start_timer(&mut self) {
        let at = if self.first == CHUNKS { Time::NEVER } else { self.network.now() + Time::ms(TIMEOUT_MS) };
        self.network.wake(self.ends[0], at).expect("an endpoint");
    }

    fn arrived(&mut self, at: EndpointId, number: u32) {
        if at == self.ends[1] {
            self.expected += u32::from(number == self.expected);
            self.send(1, self.expected, 0);
        } else if number > self.first {
            self.first = number;
            self.start_timer();
            self.fill_window();
        }
    }

    fn run(&mut self) {
        self.fill_window();
        self.start_timer();
        while self.first < CHUNKS {
            match self.network.next().expect("a run") {
                Event::Wake { .. } => {
                    self.timeouts += 1;
                    self.next = self.first;
                    self.fill_window();
                    self.start_timer();
                }
                Event::Arrival(arrival) => {
                    let number = arrival.datagram.bytes().first_chunk().expect("a number");
                    self.arrived(arrival.endpoint, u32::from_le_bytes(*number));
                }
                Event::Dropped(_) => {}
                Event::End => break,
            }
        }
    }
}

/// Runs the transfer and returns the lines that the program in C prints.
pub fn printed(source: &str) -> String {
    let scenario = Scenario::from_toml(&scenario(source)).expect("a scenario");
    let mut builder = Builder::new(scenario).seed(7).traced();
    let ends = builder.attach("transfer", "client", "server").expect("two hosts");
    let network = builder.build().expect("a network");
    let mut sender = Sender { network, ends, first: 0, next: 0, expected: 0, sent: 0, timeouts: 0 };
    sender.run();
    let whole = if sender.expected == CHUNKS { "complete" } else { "incomplete" };
    let Sender { network, sent, timeouts, .. } = sender;
    let digest = network.trace().expect("it was asked for").digest();
    let seconds = network.now().secs();
    format!("{whole} after {seconds:.6} s, {sent} packets, {timeouts} timeouts\ntrace {digest:016x}\n")
}
