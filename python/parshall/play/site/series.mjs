/**
 * From the tables of a recording to lines for plots and to the numbers beside them, in units for people: milliseconds,
 * Mbit/s, packets. Pure functions, which run in the worker.
 */

import { quantileOf } from "./data.mjs";
import { linkOf } from "./recorded.mjs";

/** Flows up to which each has a line; more are put together by the group that they belong to. */
const MOST_LINES = 8;
const EVENT = { arrival: 0, departure: 1, drop: 2, loss: 3 };

const zip = (length, make) => Float64Array.from({ length }, (_, index) => make(index));
const numbers = (column) => zip(column.length, (row) => Number(column[row]));
const stem = (name) => name.replace(/\d+$/, "") || name;

/** Everything that the page shows of a run. */
export function digest(recording, network, port) {
  const packets = packetEvents(recording);
  const flows = byFlow(recording, network);
  const queue = portSeries(recording, network, port);
  if (packets) {
    addThroughput(flows, packets, network.duration);
    queue.dropped = dropsOf(packets, queue.time);
    if (!queue.delay) queue.waits = waitsOf(packets);
  }
  return {
    engine: recording.engine,
    events: recording.events,
    duration: network.duration,
    port,
    rate: linkOf(network, port).rate,
    flows: recording.flows,
    groups: grouped(flows).map(({ name, indices }) => ({ name, indices })),
    panels: panels(flows, queue, recording, packets, network),
    packets,
    numbers: { ...summary(recording, network, port, queue), rto: meanOf(flows.filter((flow) => flow.rto).map((flow) => flow.rto)), share: lastShare(recording) },
    warmUp: network.warm_up,
  };
}

/** The series of each flow that has some. */
function byFlow({ tables, flows }, network) {
  const series = tables.flow_series;
  const rows = flows.map(() => []);
  series.flow.forEach((flow, row) => rows[flow].push(row));
  return rows.flatMap((own, index) => (own.length ? [flowSeries(series, own, network.flows[index], index)] : []));
}

function flowSeries(series, rows, flow, index) {
  const pick = (name, scale = 1) => zip(rows.length, (at) => scale * Number(series[name][rows[at]]));
  const time = pick("time");
  const bits = 8 * Number(flow.transport.payload_bytes);
  // Arrivals, because a gap that closes releases at once what has arrived over a round trip or more.
  const arrived = pick("packets_arrived", bits / 1e6);
  const tcp = flow.transport.kind === "tcp";
  return {
    name: flow.name,
    index,
    tcp,
    time,
    rate: slope(time, arrived),
    ...(tcp && {
      cwnd: pick("cwnd"),
      ssthresh: pick("ssthresh").map((value) => (value > 1e6 ? NaN : value)),
      rtt: pick("rtt", 1e3),
      srtt: pick("srtt", 1e3),
      rto: known(pick("rto", 1e3), pick("srtt")),
      acked: pick("high_ack").map((value) => (value < 0 ? NaN : value)),
    }),
  };
}

/** The rate of each flow at the bottleneck, two hundred times in a run, over the last round trips, as many as take a fortieth of the run. */
function addThroughput(flows, { time, event, ack, flow, bytes }, duration) {
  const bins = 200;
  const width = duration / bins;
  const ends = zip(bins, (at) => (at + 1) * width);
  const own = new Map(flows.map((each) => [each.index, new Float64Array(bins)]));
  for (let row = 0; row < time.length; row++) {
    if (event[row] !== EVENT.departure || ack[row]) continue;
    const sums = own.get(flow[row]);
    if (sums) sums[Math.min(bins - 1, Math.floor(time[row] / width))] += (8 * bytes[row]) / width / 1e6;
  }
  for (const each of flows) {
    const sums = own.get(each.index);
    each.throughput = sums.some((value) => value > 0) ? { time: ends, value: smoothed(sums, spans(each, ends, width)) } : null;
  }
}

/** What each packet waited, by its departure, in ms: where the rate changes, a backlog does not tell. */
function waitsOf({ time, event, ack, flow, seq }) {
  const arrived = new Map();
  const departures = [];
  const waits = [];
  for (let row = 0; row < time.length; row++) {
    if (event[row] > EVENT.drop) continue;
    const key = `${flow[row]} ${seq[row]} ${ack[row]}`;
    if (event[row] === EVENT.arrival) arrived.set(key, time[row]);
    else {
      if (event[row] === EVENT.departure && arrived.has(key)) {
        departures.push(time[row]);
        waits.push(1e3 * (time[row] - arrived.get(key)));
      }
      arrived.delete(key);
    }
  }
  return { time: Float64Array.from(departures), value: Float64Array.from(waits) };
}

/** Bins over which a rate is averaged: packets of a flow stand in clumps in a queue, which come round once in a round trip. */
function spans({ time, rtt }, ends, width) {
  let at = 0;
  return ends.map((end) => {
    while (at < time.length - 1 && time[at + 1] <= end) at++;
    const own = rtt?.[at] / 1e3 / width;
    return own > 0 ? Math.min(Math.round(Math.ceil(5 / own) * own), ends.length / 8) : 5;
  });
}

/** The mean of each value and of those before it, as many as the spans say. */
function smoothed(values, spans) {
  const sums = new Float64Array(values.length + 1);
  values.forEach((value, at) => (sums[at + 1] = sums[at] + value));
  return values.map((_, at) => {
    const from = Math.max(0, at + 1 - spans[at]);
    return (sums[at + 1] - sums[from]) / (at + 1 - from);
  });
}

/** Drops between samples, also before counters count. */
function dropsOf({ time, event }, ends) {
  const counts = new Float64Array(ends.length);
  let at = 0;
  for (let row = 0; row < time.length; row++) {
    if (event[row] < EVENT.drop) continue;
    while (at < ends.length - 1 && ends[at] < time[row]) at++;
    counts[at]++;
  }
  return counts;
}

/** Timeouts from the first sample on; before it they are the initial one, which would dwarf all others. */
const known = (rto, srtt) => rto.map((value, at) => (Number.isNaN(srtt[at]) ? NaN : value));

/** The change of a count a second, over a fortieth of the run. */
function slope(time, count) {
  const span = Math.max(1, Math.round(time.length / 40));
  return count.map((value, at) => {
    const from = Math.max(at - span, 0);
    return at === 0 ? NaN : (value - count[from]) / (time[at] - time[from]);
  });
}

function portSeries({ tables }, network, port) {
  const series = tables.port_series;
  const time = Float64Array.from(series.time);
  const link = linkOf(network, port);
  const backlog = numbers(series.backlog_packets);
  const bytes = numbers(series.backlog_bytes);
  const difference = (name) => {
    const column = numbers(series[name]);
    return column.map((value, at) => (at === 0 ? value : Math.max(0, value - column[at - 1])));
  };
  return {
    time,
    backlog,
    delay: link.capacity || link.events.length ? null : bytes.map((each) => (8e3 * each) / link.rate),
    dropped: difference("packets_dropped"),
    marked: difference("packets_marked"),
  };
}

/** Flows as the plots show them: each, or the groups of a dumbbell where they are many. */
function grouped(flows) {
  if (flows.length <= MOST_LINES) return flows.map((flow) => ({ name: flow.name, members: [flow], indices: [flow.index] }));
  const groups = Map.groupBy ? Map.groupBy(flows, (flow) => stem(flow.name)) : groupBy(flows);
  return [...groups].slice(0, MOST_LINES).map(([name, members]) => ({
    name: members.length > 1 ? `${name} (${members.length} flows)` : members[0].name,
    members,
    indices: members.map((flow) => flow.index),
  }));
}

function groupBy(flows) {
  const groups = new Map();
  for (const flow of flows) groups.set(stem(flow.name), [...(groups.get(stem(flow.name)) ?? []), flow]);
  return groups;
}

/** The sum or the mean of a series over flows, where it has values. */
function over(members, name, mean) {
  const having = members.filter((flow) => flow[name]);
  if (having.length === 0) return null;
  if (having.length === 1) return having[0][name];
  return having[0][name].map((_, at) => {
    let sum = 0;
    let count = 0;
    for (const flow of having) {
      if (Number.isNaN(flow[name][at])) continue;
      sum += flow[name][at];
      count++;
    }
    return count ? sum / (mean ? count : 1) : NaN;
  });
}

function panels(flows, queue, recording, packets, network) {
  const groups = grouped(flows);
  const time = flows[0]?.time ?? queue.time;
  const lines = (name, mean, options = {}) =>
    groups.flatMap((group, at) => {
      const value = over(group.members, name, mean);
      const title = options.kind ? `${options.kind} of ${group.name}` : group.name;
      return value ? [{ colour: at, time, value, ...options, name: title }] : [];
    });
  const all = (name, mean) => {
    const value = over(flows, name, mean);
    return value ? { time, value } : null;
  };
  const many = flows.length > groups.length;
  const mark = many ? ", mean of each group" : "";
  const delay = queue.delay ? { time: queue.time, value: queue.delay } : queue.waits;
  const backlog = { time: queue.time, value: queue.backlog };
  const waiting = panel("backlog", "Backlog of the bottleneck", "packets", [{ name: "backlog", colour: -1, ...backlog }], backlog);
  const found = [
    delay ? panel("queue", "Queueing delay at the bottleneck", "ms", [{ name: "delay", colour: -1, ...delay }], delay) : { ...waiting, id: "queue" },
    ratePanel(groups, flows, many, lines, all),
    panel("rtt", `Round-trip time${mark}`, "ms", lines("rtt", true), all("rtt", true), { together: "Round-trip time, mean of all flows" }),
    panel("window", `cwnd, and ssthresh dashed${mark}`, "packets", [...lines("cwnd", true), ...lines("ssthresh", true, { dashed: true, kind: "ssthresh", hidden: true })], all("cwnd"), { together: "cwnd, sum of all flows" }),
    panel("drops", "Drops and marks at the bottleneck", "packets", dropLines(queue), { time: queue.time, value: queue.dropped }, { together: "Drops at the bottleneck" }),
    panel("sequence", "Sequence: packets acknowledged", "packets", lines("acked"), all("acked"), { dots: sequenceDots(packets, recording), together: "Packets acknowledged, all flows" }),
    panel("rto", `Retransmission timeout${mark}, with the round-trip time thin`, "ms", [...lines("rto", true, { steps: true }), ...lines("rtt", true, { thin: true, kind: "RTT", hidden: true })], all("rto", true), { together: "Retransmission timeout, mean of all flows" }),
    ...sharePanel(recording, network),
  ];
  if (delay) found.splice(1, 0, waiting);
  return found.filter((each) => each.lines.length);
}

/** Throughput at the bottleneck where its packets were recorded, or else what receivers got in order. */
function ratePanel(groups, flows, many, lines, all) {
  const of = many ? ", sum of each group" : "";
  if (!flows.some((flow) => flow.throughput)) return panel("rate", `Goodput${of}`, "Mbit/s", lines("rate"), all("rate"), { together: "Goodput, all flows" });
  const sum = (members) => {
    const having = members.filter((flow) => flow.throughput);
    if (!having.length) return null;
    const { time } = having[0].throughput;
    return { time, value: time.map((_, at) => having.reduce((total, flow) => total + flow.throughput.value[at], 0)) };
  };
  const each = groups.flatMap(({ name, members }, colour) => {
    const total = sum(members);
    return total ? [{ name, colour, ...total }] : [];
  });
  return panel("rate", `Throughput at the bottleneck${of}`, "Mbit/s", each, sum(flows), { together: "Throughput at the bottleneck, all flows" });
}

const panel = (id, title, unit, lines, total, more = {}) => ({ id, title, unit, lines, total, ...more });

function dropLines({ time, dropped, marked }) {
  const lines = [{ name: "dropped", colour: 1, time, value: dropped, stems: true }];
  if (marked.some((value) => value > 0)) lines.push({ name: "marked", colour: 2, time, value: marked, stems: true });
  return lines;
}

/** What the router makes of the share of traffic that does not respond, beside the truth. */
function sharePanel({ tables, flows }, network) {
  const found = tables.responsiveness;
  if (!found?.time.length) return [];
  const time = Float64Array.from(found.time);
  const share = (name) => zip(time.length, (row) => 100 * Number(found[name][row]));
  const deaf = new Set(network.record.responsiveness?.deaf ?? []);
  const truth = zip(time.length, (row) => (100 * Number(found[deaf.size ? "packets_deaf" : "packets_udp"][row])) / Math.max(1, Number(found.packets[row])));
  const lines = [
    { name: "estimate", colour: 0, time, value: share("share"), },
    { name: "lower bound", colour: 0, time, value: share("share_lower"), thin: true },
    { name: "upper bound", colour: 0, time, value: share("share_upper"), thin: true },
    { name: deaf.size ? "truth" : "truth (UDP)", colour: 1, time, value: truth, dashed: true },
  ];
  return [panel("share", "Share of traffic that does not respond, as the router estimates it", "%", lines, { time, value: share("share") })];
}

/** Data packets at the bottleneck by their number: what arrived, and what was dropped. */
function sequenceDots(packets, { flows }) {
  if (!packets) return null;
  const rows = [];
  packets.event.forEach((event, row) => {
    if (event !== EVENT.departure && !packets.ack[row]) rows.push(row);
  });
  return {
    time: zip(rows.length, (at) => packets.time[rows[at]]),
    value: zip(rows.length, (at) => packets.seq[rows[at]]),
    flow: Int32Array.from(rows, (row) => packets.flow[row]),
    dropped: Uint8Array.from(rows, (row) => packets.event[row] >= EVENT.drop),
    flows: flows.length,
  };
}

/** Events of packets at the bottleneck, where they were kept. */
function packetEvents({ tables }) {
  const found = tables.packets;
  if (!found?.time.length) return null;
  return {
    time: Float64Array.from(found.time),
    event: Uint8Array.from(found.event),
    ack: Uint8Array.from(found.ack),
    flow: Int32Array.from(found.flow),
    seq: numbers(found.seq),
    bytes: numbers(found.size_bytes),
  };
}

/** The flows whose fairness is told, as `parshall.recording.fairness` chooses them: the bulk TCP flows, or all flows of one kind. */
function comparedFlows({ flows }) {
  const kinds = flows.map(({ transport, app }) => `${transport.kind} ${app.kind}`);
  const compared = kinds.includes("tcp bulk") ? "tcp bulk" : kinds[0];
  if (compared !== "tcp bulk" && kinds.some((kind) => kind !== compared)) return [];
  return kinds.flatMap((kind, row) => (kind === compared ? [row] : []));
}

/** The bits that a link could have carried forward between two instants; NaN for a recorded capacity, of which the page knows no times. */
function capacityOf(link, start, end) {
  if (link.capacity) return NaN;
  const changes = link.events.filter(({ kind }) => kind === "rate-change");
  const steps = [{ at: 0, rate: link.rate }, ...changes].map(({ at, rate }) => ({ at: Math.min(Math.max(at, start), end), rate }));
  return steps.reduce((bits, { at, rate }, place) => bits + rate * ((steps[place + 1]?.at ?? end) - at), 0);
}

/** The numbers of a run, over the time that counters count. */
function summary({ tables, flows }, network, port, queue) {
  const counted = network.duration - network.warm_up;
  const link = linkOf(network, port);
  const own = (name) => Number(tables.ports[name][2 * network.links.indexOf(link)]);
  const of = (name, row) => Number(tables.flows[name][row]);
  const each = flows.map((name, row) => ({
    name,
    tcp: network.flows[row].transport.kind === "tcp",
    goodput: (8 * of("bytes_delivered", row)) / counted / 1e6,
    dropped: of("packets_dropped", row),
    retransmitted: of("packets_retransmitted", row),
    timeouts: of("timeouts", row),
    spurious: of("spurious_timeouts", row),
  }));
  const sum = (name) => each.reduce((total, flow) => total + flow[name], 0);
  const compared = comparedFlows(network).map((row) => each[row].goodput);
  const squares = compared.reduce((total, rate) => total + rate * rate, 0);
  const delays = queue.delay ? { time: queue.time, value: queue.delay } : queue.waits;
  const counting = delays?.value.filter((_, row) => delays.time[row] >= network.warm_up);
  return {
    goodput: sum("goodput"),
    delay: 1e3 * own("mean_delay"),
    delay95: quantileOf(counting ?? [], 0.95),
    utilisation: Math.min(100, (100 * 8 * own("bytes_departed")) / capacityOf(link, network.warm_up, network.duration)),
    dropRate: (100 * (own("packets_dropped") + own("packets_lost"))) / Math.max(1, own("packets_arrived")),
    marked: own("packets_marked"),
    retransmitted: sum("retransmitted"),
    timeouts: sum("timeouts"),
    spurious: sum("spurious"),
    fairness: compared.length > 1 && squares > 0 ? compared.reduce((a, b) => a + b, 0) ** 2 / (compared.length * squares) : NaN,
    flows: each.slice(0, 200),
  };
}

function meanOf(columns) {
  let sum = 0;
  let count = 0;
  for (const column of columns) {
    for (const value of column) {
      if (Number.isNaN(value)) continue;
      sum += value;
      count++;
    }
  }
  return count ? sum / count : NaN;
}

/** The last estimate of the share that does not respond, in percent, where there is one. */
function lastShare({ tables }) {
  const known = [...(tables.responsiveness?.share ?? [])].filter((share) => !Number.isNaN(share));
  return known.length ? 100 * known.at(-1) : NaN;
}

/** The buffers of a digest that can be handed over without a copy. */
export function buffers(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(value.buffer);
  else if (value && typeof value === "object") for (const each of Object.values(value)) buffers(each, found);
  return [...found];
}
