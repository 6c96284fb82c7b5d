/**
 * The engine in a worker. It is told { id, text, seed, port } and answers with { id, result } or { id, error }; meanwhile it
 * says { id, done }, the part of the run that is over. { id, schema } and { id, rtts } are questions, answered with { id, answer }.
 * A first message { module } hands it the compiled engine.
 */

import { Engine } from "./parshall.mjs";
import { bottlenecks, recording } from "./recorded.mjs";
import { buffers, digest } from "./series.mjs";

let engine;

onmessage = ({ data }) => {
  if (data.module) engine = new Engine(data.module);
  else if (data.schema) postMessage({ id: data.id, answer: engine.schema() });
  else if (data.rtts) postMessage({ id: data.id, answer: timeouts(data.rtts) });
  else answer(data);
};

/** Filters judged on round trips; none where the engine takes these for no numbers. */
function timeouts(rtts) {
  try {
    return engine.timeouts(rtts);
  } catch {
    return [];
  }
}

function answer({ id, text, seed, port, most }) {
  try {
    const began = performance.now();
    const takes = engine.check(text);
    if (most && takes.events > most) {
      postMessage({ id, large: takes });
      return;
    }
    const network = engine.normalize(text);
    const ports = bottlenecks(network);
    const looked = ports.includes(port) ? port : ports[0];
    const found = engine.run(recording(network, looked, takes.packets), { seed, progress: progressOf(id, network.duration) });
    const result = { ...digest(found, network, looked), ports, seed, took: performance.now() - began };
    postMessage({ id, result }, buffers(result));
  } catch (error) {
    const { kind = "failure", message, path, value, expected, line } = error;
    postMessage({ id, error: { kind, message, path, value, expected, line } });
  }
}

/** Tells how far the run is, ten times a second. */
function progressOf(id, duration) {
  let last = performance.now();
  return (seconds) => {
    const now = performance.now();
    if (now - last > 100) {
      last = now;
      postMessage({ id, done: seconds / duration });
    }
    return true;
  };
}
