/**
 * Runs of the engine, one at a time in a worker. What is asked for while one is under way waits, and only the newest of it is
 * run; a run that is in the way for long is ended with its worker, and the next worker is asked again what that one left open.
 */

/** Events up to which a run starts by itself, about two seconds' work. */
export const MOST_EVENTS = 6e6;
/** Milliseconds after which a run gives way to the next. */
const PATIENCE = 1500;

export class Runner {
  #module;
  #worker;
  #busy = null;
  #waiting = null;
  #last = 0;
  /** Questions without an answer, by their ids: what the worker is told, and what takes the answer. */
  #questions = new Map();

  /** Fetches and compiles the engine. `told` has started, result, error, large and progress, which are called with what there is. */
  constructor(told, fetched = fetch("./parshall.wasm")) {
    this.told = told;
    this.ready = compiled(fetched).then((module) => {
      this.#module = module;
      this.#start();
    });
  }

  #start() {
    const worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
    worker.postMessage({ module: this.#module });
    worker.onmessage = ({ data }) => this.#hear(data);
    worker.onerror = (event) => this.#hear({ id: this.#busy?.id, error: { kind: "failure", message: event.message ?? "the worker could not be started" } });
    this.#worker = worker;
  }

  /** Asks for a run; `most` is how many events it may take, unless it is asked for by hand. */
  async run(asked) {
    this.#waiting = { ...asked, id: ++this.#last };
    await this.ready;
    if (!this.#busy) this.#next();
    else if (performance.now() - this.#busy.began > PATIENCE) this.stop();
  }

  /** Ends the run under way. */
  stop() {
    if (!this.#busy) return;
    this.#worker.terminate();
    this.#busy = null;
    this.#start();
    this.told.stopped();
    this.#next();
    for (const { message } of this.#questions.values()) this.#worker.postMessage(message);
  }

  /** The JSON Schema of scenario files. */
  schema() {
    return this.#ask({ schema: true });
  }

  /** Filters of the retransmission timeout, judged on round trips in seconds. None of them for what the engine cannot judge. */
  timeouts(rtts) {
    return this.#ask({ rtts });
  }

  async #ask(question) {
    await this.ready;
    const message = { id: ++this.#last, ...question };
    return new Promise((resolve) => {
      this.#questions.set(message.id, { message, resolve });
      this.#worker.postMessage(message);
    });
  }

  #next() {
    if (!this.#waiting) return;
    this.#busy = { ...this.#waiting, began: performance.now() };
    this.#waiting = null;
    this.told.started(this.#busy);
    this.#worker.postMessage({ most: MOST_EVENTS, ...this.#busy });
  }

  #hear(data) {
    const question = this.#questions.get(data.id);
    if (question) {
      this.#questions.delete(data.id);
      return question.resolve(data.answer);
    }
    if (data.id !== this.#busy?.id) return undefined;
    if (data.done !== undefined) {
      this.told.progress(data.done);
      if (this.#waiting && performance.now() - this.#busy.began > PATIENCE) this.stop();
      return undefined;
    }
    const asked = this.#busy;
    this.#busy = null;
    if (data.result) this.told.result(data.result, asked);
    else if (data.large) this.told.large(data.large, asked);
    else this.told.error(data.error, asked);
    return this.#next();
  }
}

/** Compiles while it loads, where the server says what it sends. */
async function compiled(fetched) {
  const response = await fetched;
  if (!response.ok) throw new Error(`parshall.wasm: the server says ${response.status}; make wasm builds it`);
  if (response.headers.get("Content-Type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
