/** What the reader's own data does to the scenario: a trace becomes the capacity of the bottleneck, a series of pings its path. */

import { shown } from "./axes.mjs";
import { measured, quantileOf } from "./data.mjs";
import { parsed, remove, set } from "./edit.mjs";
import { base, quantity } from "./schema.mjs";

/** The new text, a line for the reader, and a panel and round trips to show, if any. */
export function ownData(found, name, text) {
  if (found.kind === "toml") return { text: found.text, told: `${name} is the scenario.` };
  if (!parsed(text).dumbbell) throw new Error(`${name}: expected a scenario with a dumbbell, whose bottleneck this can be`);
  return found.kind === "trace" ? traced(found, name, text) : pinged(found, name, text);
}

function traced({ capacity, rate, note }, name, text) {
  const mean = quantity(rate, "rate");
  const changed = set(set(text, ["dumbbell", "capacity"], capacity), ["dumbbell", "rate"], mean);
  return { text: changed, told: `${name} is the capacity of the bottleneck: ${mean} on average, and it repeats after ${shown(capacity.period)} s${note}.` };
}

/**
 * Gives the path the smallest round trip, and jitter with the median of what the others took beyond it: jitter is uniform
 * from 0 to `most`, so `most` is twice that median.
 */
function pinged({ rtts }, name, text) {
  const { dumbbell } = parsed(text);
  const least = Math.min(...rtts.slice(0, 100_000));
  const median = quantileOf(rtts, 0.5);
  const access = base(dumbbell.access_delay);
  const rest = least / 2 - 2 * access;
  let changed = rest > 0 ? text : set(text, ["dumbbell", "access_delay"], quantity(least / 8, "duration"));
  changed = set(changed, ["dumbbell", "delay"], quantity(rest > 0 ? rest : least / 4, "duration"));
  const most = quantity(2 * (median - least), "duration");
  changed = median > least ? set(changed, ["dumbbell", "jitter"], { most }) : remove(changed, ["dumbbell", "jitter"]);
  const line = { name, colour: 0, ...measured(rtts) };
  const panel = { id: "own", title: `Round-trip times of ${name}, one a second`, unit: "ms", lines: [line], total: line };
  const jitter = median > least ? `jitter of 0 to ${most}, so that half of the round trips of lone packets exceed the median of ${shown(1e3 * median)} ms` : "no jitter";
  const told = `${rtts.length} round trips of ${name}: the path has the smallest of them, ${shown(1e3 * least)} ms, and ${jitter}.`;
  return { text: changed, told, panel, rtts };
}
