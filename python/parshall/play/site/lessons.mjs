/** The lessons: for each a scenario, words, the one slider, variants of it, and the plots to look at. */

const flow = (at, ...rest) => ["dumbbell", "flows", at, ...rest];
const queue = ["dumbbell", "queue"];

export const LESSONS = [
  {
    id: "bufferbloat",
    title: "Bufferbloat",
    text: [
      "Three downloads fill the buffer of a slow link, and a call waits in the same queue. A large buffer gives no more goodput; it only makes everybody wait.",
      "Move the slider to the left: some 40 packets, fewer than the 48 that the path itself holds, carry as much, and half a second of delay becomes 25 ms. Or keep the buffer and let CoDel drop early.",
    ],
    slider: { label: "Buffer of the bottleneck", path: [...queue, "limit_packets"], range: [5, 1000], of: "count", unit: "packets" },
    variants: [
      { label: "Drop-tail", changes: [[queue, { kind: "droptail", limit_packets: 1000 }]] },
      { label: "CoDel", changes: [[queue, { kind: "codel", limit_packets: 1000 }]] },
      { label: "FQ-CoDel", changes: [[queue, { kind: "fq-codel", limit_packets: 1000 }]] },
      { label: "PIE", changes: [[queue, { kind: "pie", limit_packets: 1000 }]] },
    ],
    glance: ["delay", "goodput", "utilisation", "drops"],
  },
  {
    id: "bbr",
    title: "BBR over shallow buffers",
    text: [
      "BBR sends at the rate that it has measured and hardly minds a loss; CUBIC backs off at each. Over a shallow buffer BBR takes nearly all, and what it drops is dropped for both.",
      "Move the slider to the right: with some 200 packets, twice what the path holds, each has about half; with more CUBIC fills the buffer, and BBR yields.",
    ],
    slider: { label: "Buffer of the bottleneck", path: [...queue, "limit_packets"], range: [5, 1000], of: "count", unit: "packets" },
    variants: [
      { label: "BBR, version 1", changes: [[flow(0, "transport", "control"), { kind: "bbr", variant: "linux" }]] },
      { label: "bounded, as version 3", changes: [[flow(0, "transport", "control"), { kind: "bbr", bounds: true }]] },
      { label: "CUBIC instead", changes: [[flow(0, "transport", "control"), "cubic"]] },
    ],
    glance: ["flow:bbr1", "flow:cubic1", "delay", "drops"],
    panels: ["rate", "queue", "window", "drops", "rtt", "sequence"],
  },
  {
    id: "rtt-unfairness",
    title: "RTT unfairness",
    text: [
      "Two downloads share a link. The one whose server is near hears of room sooner, opens its window faster and gets more than half.",
      "Move the slider: it is how far away the second one's hosts are, each way on either side. A queue for each flow keeps the near one to its half.",
    ],
    slider: { label: "Access delay of the far flow", path: flow(1, "access_delay"), range: [5e-3, 0.1], of: "duration" },
    variants: [
      { label: "AIMD", changes: [[flow(0, "transport", "control"), "aimd"], [flow(1, "transport", "control"), "aimd"]] },
      { label: "CUBIC", changes: [[flow(0, "transport", "control"), "cubic"], [flow(1, "transport", "control"), "cubic"]] },
      { label: "Drop-tail", changes: [[queue, { kind: "droptail", limit_packets: 15 }]] },
      { label: "FQ-CoDel", changes: [[queue, { kind: "fq-codel", limit_packets: 1000 }]] },
    ],
    glance: ["flow:near1", "flow:far1", "fairness", "delay"],
    panels: ["rate", "window", "rtt", "queue", "sequence", "drops"],
  },
  {
    id: "phase",
    title: "Phase effects",
    text: [
      "Nothing is random here: two flows through a drop-tail queue, whose packets come in step with it. A fraction of a millisecond of round trip decides whose packet finds the queue full; at 7 ms the second flow has 90 %.",
      "Move the slider in small steps (arrow keys) and watch the shares jump. Delays at random in the sources, as real hosts have them, end that: the time of one packet, 10 ms, takes the worst away, and with 40 ms neither has more than some 60 %.",
    ],
    slider: { label: "Access delay of the second flow", path: flow(1, "access_delay"), range: [5e-3, 10e-3], of: "duration", linear: true },
    variants: [
      { label: "nothing random", changes: [[flow(0, "access_jitter"), null], [flow(1, "access_jitter"), null]] },
      { label: "10 ms at random", changes: [[flow(0, "access_jitter"), { most: "10 ms" }], [flow(1, "access_jitter"), { most: "10 ms" }]] },
      { label: "40 ms at random", changes: [[flow(0, "access_jitter"), { most: "40 ms" }], [flow(1, "access_jitter"), { most: "40 ms" }]] },
    ],
    glance: ["flow:first1", "flow:second1", "fairness", "drops"],
    panels: ["rate", "window", "queue", "drops", "sequence", "rtt"],
  },
  {
    id: "timeout-median",
    title: "Retransmission timeout by the median",
    text: [
      "Bursts make round trips jump. A median of the last five should shrug off what a mean carries along. Press both and compare: here they hardly differ, since the deviation, and not the mean, makes most of a timeout.",
      "What decides is the floor. Move the slider: with a low one the sender repeats what was only late (spurious timeouts), with a high one each lost packet waits.",
    ],
    slider: { label: "Least timeout (min_rto)", path: flow(0, "transport", "min_rto"), range: [0.01, 1], of: "duration" },
    variants: [
      { label: "Mean (RFC 6298)", changes: [[flow(0, "transport", "rto"), { kind: "jacobson" }]] },
      { label: "Median of 5", changes: [[flow(0, "transport", "rto"), { kind: "median" }]] },
      { label: "Weighted median", changes: [[flow(0, "transport", "rto"), { kind: "weighted-median" }]] },
      { label: "Quantile, 1 %", changes: [[flow(0, "transport", "rto"), { kind: "quantile", risk: 0.01 }]] },
    ],
    glance: ["spurious", "timeouts", "rto", "goodput"],
    panels: ["rto", "rtt", "queue", "rate"],
  },
  {
    id: "share",
    title: "The share that does not respond",
    text: [
      "TCP slows down when its packets are dropped; constant video does not. The router sees packets of flows and its own drops, and estimates from them how much of its load does not respond.",
      "Move the slider: more video, less TCP. The estimate (blue, with its bounds) follows the truth, which only a simulator knows: within a point by drops of RED and drop-tail. With PIE some seeds (the second is one) take a TCP flow for video, 5 to 10 points too much.",
    ],
    slider: { label: "Video flows of 1 Mbit/s", path: flow(1, "count"), range: [1, 16], of: "count", unit: "flows" },
    variants: [
      { label: "RED", changes: [[queue, { kind: "red", min_threshold_packets: 20, max_threshold_packets: 60, limit_packets: 120, weight: "from-rate", gentle: true }]] },
      { label: "Drop-tail", changes: [[queue, { kind: "droptail", limit_packets: 120 }]] },
      { label: "PIE", changes: [[queue, { kind: "pie", limit_packets: 1000 }]] },
    ],
    glance: ["share", "drops", "goodput", "delay"],
    panels: ["share", "rate", "queue", "drops"],
  },
  {
    id: "arima",
    title: "The next round trip by ARIMA",
    text: [
      "Vegas compares the window with the least round trip. CA-ARTT compares it with a forecast of the next one, by an ARIMA model. Does the forecast help? Pin a run as A, press the other rule, and see.",
      "In this setting it does not: with the printed rule the backlog comes out too small, the window goes on growing, and the queue is that of CUBIC. Stock Vegas keeps it short.",
    ],
    slider: { label: "Backlog above which the window shrinks (beta)", path: flow(0, "transport", "control", "beta"), range: [1, 30], of: "count", unit: "packets" },
    variants: [
      { label: "CA-ARTT", changes: [[flow(0, "transport", "control"), { kind: "arima-vegas", beta: 3 }]] },
      { label: "last value for forecast", changes: [[flow(0, "transport", "control"), { kind: "arima-vegas", beta: 3, forecaster: "last-value" }]] },
      { label: "Vegas", changes: [[flow(0, "transport", "control"), { kind: "vegas", beta: 3 }]] },
      { label: "CUBIC", changes: [[flow(0, "transport", "control"), { kind: "cubic" }]] },
    ],
    glance: ["delay", "goodput", "drops", "fairness"],
    panels: ["rtt", "window", "queue", "rate", "drops"],
  },
  {
    id: "throughput",
    title: "The next throughput, from long memory",
    text: [
      "TCP-TP measures its own throughput, forecasts the next interval as series with long memory are forecast, takes the number of connections from it, and jumps to its share of the link.",
      "Compare it with AIMD: less queue, for some goodput. Move the slider to the share of the link that others take: their traffic is self-similar.",
    ],
    slider: { label: "Mean rate of the others", path: flow(1, "app", "rate"), range: [5e5, 9e6], of: "rate", linear: true },
    variants: [
      { label: "TCP-TP", changes: [[flow(0, "transport", "control"), { kind: "tcp-tp", capacity: "10 Mbit/s" }]] },
      { label: "last value for forecast", changes: [[flow(0, "transport", "control"), { kind: "tcp-tp", capacity: "10 Mbit/s", forecaster: "last-value" }]] },
      { label: "AIMD", changes: [[flow(0, "transport", "control"), { kind: "aimd" }]] },
    ],
    glance: ["goodput", "delay", "utilisation", "fairness"],
    panels: ["rate", "queue", "window", "drops", "rtt"],
  },
  {
    id: "precedences",
    title: "Drop precedences",
    text: [
      "Two customers, each with one download, share 8 Mbit/s. Gold has paid for 6 Mbit/s: up to that its packets are marked green at the edge, and the core drops all others first. It keeps no state of flows.",
      "Move the slider down to 1 Mbit/s, what silver has paid for, and they are equal. Without precedences the mark means nothing.",
    ],
    slider: { label: "Committed rate of gold", path: ["links", 2, "conditioner", "rules", 0, "meter", "cir"], range: [5e5, 8e6], of: "rate", linear: true },
    variants: [
      { label: "with precedences", changes: [[["links", 3, "queue"], { kind: "diffserv", queues: [{ limit_packets: 120, dropper: "rio-c", precedences: [
        { dscp: "AF11", min_threshold_packets: 40, max_threshold_packets: 80, max_probability: 0.02 },
        { dscp: ["AF13", "DF"], min_threshold_packets: 10, max_threshold_packets: 40, max_probability: 0.1 },
      ] }] }]] },
      { label: "without: drop-tail", changes: [[["links", 3, "queue"], { kind: "droptail", limit_packets: 60 }]] },
    ],
    glance: ["flow:gold", "flow:silver", "delay", "drops"],
    panels: ["rate", "window", "queue", "drops", "sequence"],
  },
];

export const lessonOf = (id) => LESSONS.find((lesson) => lesson.id === id);

const texts = new Map();

/** The scenario of a lesson, in TOML. */
export async function lessonText({ id }) {
  if (!texts.has(id)) {
    const response = await fetch(new URL(`./lessons/${id}.toml`, import.meta.url));
    if (!response.ok) throw new Error(`lessons/${id}.toml: the server says ${response.status}`);
    texts.set(id, await response.text());
  }
  return texts.get(id);
}
