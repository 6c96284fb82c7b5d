/** Data of one's own: what a file is by its text, and what of it becomes part of a scenario. */

/** Seconds below which a number is a round trip, and not a damaged line. */
const MOST_RTT = 1e6;
/** Instants of a trace that stand in the text at most; more would make it hard to edit. */
const MOST_INSTANTS = 20_000;

/**
 * What a dropped file holds: { kind: "toml", text }, { kind: "trace", capacity, rate, note } or { kind: "ping", rtts }, in
 * seconds. Throws Error for anything else.
 */
export function recognised(name, text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
  if (/\.(toml|json)$/i.test(name)) return { kind: "toml", text };
  if (lines.length && lines.every((line) => /^\d+(\.\d+)?$/.test(line))) return trace(lines.map(Number));
  const rtts = lines.flatMap((line) => {
    const found = /time[=<]\s*([\d.]+)\s*ms/.exec(line) ?? /bytes, ([\d.]+) ms/.exec(line);
    const rtt = Number(found?.[1]) / 1e3;
    return rtt >= 0 && rtt < MOST_RTT ? [rtt] : [];
  });
  if (rtts.length) return { kind: "ping", rtts };
  throw new Error(`${name}: expected a scenario in TOML, a mahimahi trace (a time in ms on each line) or what ping prints`);
}

/** A mahimahi trace as a recorded capacity, in seconds; it repeats from its last time. */
function trace(times) {
  const kept = times.slice(0, MOST_INSTANTS);
  const period = kept.at(-1) / 1e3;
  if (!(period > 0) || kept.some((time, at) => at > 0 && time < kept[at - 1])) throw new Error("a mahimahi trace has times that ascend, in ms");
  const note = times.length > kept.length ? `; its first ${kept.length} of ${times.length} instants` : "";
  return { kind: "trace", capacity: { times: kept.map((time) => time / 1e3), period }, rate: (kept.length * 1500 * 8) / period, note };
}

/** Round trips in the order of time as lines of a plot: measured ones have a second between them, as ping sends. */
export function measured(rtts) {
  return { time: Float64Array.from(rtts, (_, at) => at), value: Float64Array.from(rtts, (rtt) => 1e3 * rtt) };
}

/**
 * A quantile, `part` from 0 to 1: of n values in order the one at (n - 1) * part, counted from 0, and between two neighbours
 * on the line from one to the other, as NumPy has it. NaN of no values.
 */
export function quantileOf(values, part) {
  const sorted = Float64Array.from(values).sort();
  if (!sorted.length) return NaN;
  const place = part * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return below + (place % 1) * (above - below);
}
