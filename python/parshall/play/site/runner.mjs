/**
 * Runs of the engine, one at a time in a worker. What is asked for while one is under way waits, and only the newest of it is
 * run; a run that is in the way for long is ended with its worker.
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
  #schema;
  #timeouts;

  /** Fetches and compiles the engine. `told` has started, result, error, large and progress, which are called with what there is. */
  constructor(told, fetched = fetch("./parshall.wasm")) {
    this.told = told;
    this.#module = compiled(fetched);
    this.ready = this.#module.then((module) => this.#start(module));
  }

  #start(module) {
    const worker = new Worker(new URL("./worker.mjs", import.meta.url), { type: "module" });
    worker.postMessage({ module });
    worker.onmessage = ({ data }) => this.#hear(data);
    worker.onerror = (event) => this.#hear({ id: this.#busy?.id, error: { kind: "failure", message: event.message ?? "the worker could not be started" } });
    this.#worker = worker;
  }

  /** Asks for a run; `most` is how many events it may take, unless it is asked for by hand. */
  async run(asked) {
    this.#waiting = { ...asked, id: ++this.#last };
    await this.ready;
    if (!this.#busy) this.#next();
    else if (performance.now() - this.#busy.began > PATIENCE) await this.stop();
  }

  /** Ends the run under way. */
  async stop() {
    if (!this.#busy) return;
    this.#worker.terminate();
    this.#busy = null;
    this.#start(await this.#module);
    this.told.stopped();
    this.#next();
  }

  /** The JSON Schema of scenario files. */
  async schema() {
    await this.ready;
    return new Promise((resolve) => {
      this.#schema = resolve;
      this.#worker.postMessage({ schema: true });
    });
  }

  /** Filters of the retransmission timeout, judged on round trips in seconds. */
  async timeouts(rtts) {
    await this.ready;
    return new Promise((resolve) => {
      this.#timeouts = resolve;
      this.#worker.postMessage({ rtts });
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
    if (data.schema) return this.#schema?.(data.schema);
    if (data.timeouts) return this.#timeouts?.(data.timeouts);
    if (data.id !== this.#busy?.id) return undefined;
    if (data.done !== undefined) {
      this.told.progress(data.done);
      if (this.#waiting && performance.now() - this.#busy.began > PATIENCE) return this.stop();
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
