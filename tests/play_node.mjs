/** Answers of the playground's modules to what is asked of them, one a line: `node tests/play_node.mjs FOLDER < questions`. */

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(`${folder}/${name}.mjs`));
const modules = ["data", "edit", "lessons", "link", "own", "python", "runner", "schema"];
const [data, edit, lessons, link, own, python, runner, schema] = await Promise.all(modules.map(load));

/** The smallest module there is. */
const NOTHING = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

/** A worker that keeps what it is told until it is made to answer. */
class Told {
  static last;
  told = [];

  constructor() {
    Told.last = this;
  }

  postMessage(message) {
    if (!message.module) this.told.push(message);
  }

  terminate() {
    this.told = [];
  }

  /** Answers the newest message first; questions with what they ask, runs with their text. */
  answer() {
    for (const { id, text, schema, rtts } of this.told.splice(0).reverse()) {
      this.onmessage({ data: text === undefined ? { id, answer: rtts ?? schema } : { id, result: text } });
    }
  }
}

/** Answers that a runner gets to its questions, and texts that it runs to their end, in the order of time, by steps. */
async function heard(steps) {
  globalThis.Worker = Told;
  const found = [];
  const told = { started: () => {}, stopped: () => {}, result: (text) => found.push({ text }) };
  const own = new runner.Runner(told, Promise.resolve(new Response(NOTHING)));
  await own.ready;
  const does = {
    run: (text) => own.run({ text }),
    timeouts: (rtts) => own.timeouts(rtts).then((answer) => found.push({ asked: rtts, answer })),
    schema: () => own.schema().then((answer) => found.push({ asked: "schema", answer })),
    stop: () => own.stop(),
    answer: () => Told.last.answer(),
    late: () => (performance.now = () => 1e9),
    settle: () => new Promise((done) => setTimeout(done)),
  };
  for (const [step, value] of steps) {
    if (step === "settle") await does.settle();
    else does[step](value);
  }
  delete performance.now;
  return found;
}

/** What the worker says when it is told these one after the other, with the engine in a file. */
async function said(wasm, messages) {
  const all = [];
  Object.assign(globalThis, { onmessage: null, postMessage: (message) => all.push(message) });
  await load("worker");
  for (const each of [{ module: await WebAssembly.compile(await readFile(wasm)) }, ...messages]) globalThis.onmessage({ data: each });
  return all;
}

const answers = {
  read: ({ text }) => edit.parsed(text),
  set: ({ text, path, value }) => edit.set(text, path, value),
  remove: ({ text, path }) => edit.remove(text, path),
  append: ({ text, path, value }) => edit.append(text, path, value),
  link: async ({ shared }) => link.unpacked(await link.packed(shared)),
  unpacked: ({ fragment }) => link.unpacked(fragment),
  python: ({ text, known }) => python.program(text, new schema.Schema(known), 1),
  lessons: () => lessons.LESSONS,
  base: ({ value }) => schema.base(value),
  recognised: ({ name, text }) => data.recognised(name, text),
  own: ({ name, text, scenario }) => own.ownData(data.recognised(name, text), name, scenario),
  heard: ({ steps }) => heard(steps),
  said: ({ wasm, messages }) => said(wasm, messages),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { ask, ...rest } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ answer: await answers[ask](rest) }));
  } catch (error) {
    console.log(JSON.stringify({ fault: error.message }));
  }
}
