/**
 * The engine of Parshall in browsers and Node.
 *
 * A network is an object or JSON in SI units, as `Scenario.network_json()` of the Python package writes it. A run blocks
 * the thread that it is on: pages call it in a worker, which can be ended at any time.
 *
 *     const engine = await Engine.load(await (await fetch("parshall.wasm")).arrayBuffer());
 *     const recording = engine.run(network, { seed: 1 });
 *     recording.tables.flows.bytes_delivered   // a BigUint64Array
 */

const TYPES = {
  f64: Float64Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  i32: Int32Array,
  u8: Uint8Array,
  bool: Uint8Array,
};

/** A network that cannot be run, or a run that ended before its end. */
export class ParshallError extends Error {
  /** @param {{kind: string, message: string, path?: string, value?: string, expected?: string}} told */
  constructor(told) {
    super(told.message);
    this.name = "ParshallError";
    Object.assign(this, told);
  }
}

/** A compiled engine. Each call has an instance of its own, so that a failure of one leaves nothing behind. */
export class Engine {
  #module;

  constructor(module) {
    this.#module = module;
  }

  /** Compiles the bytes of parshall.wasm. */
  static async load(bytes) {
    return new Engine(await WebAssembly.compile(bytes));
  }

  /**
   * Runs a network. `progress` is told the simulated seconds so far, and ends the run by returning false.
   * Returns engine, events, names of flows and ports, `tables` as typed arrays by column (0 and 1 for truth values),
   * and `captures` as bytes by port. Throws ParshallError.
   */
  run(network, { seed = 1, maxEvents = 0, progress = () => true } = {}) {
    const call = this.#call(network, progress);
    const head = call("run", BigInt(seed), BigInt(maxEvents));
    const { buffer } = call.memory;
    const tables = {};
    for (const { name, rows, columns } of head.tables) {
      tables[name] = Object.fromEntries(
        columns.map((each) => [each.name, rows ? new TYPES[each.type](buffer, each.at, rows) : new TYPES[each.type](0)]),
      );
    }
    const captures = Object.fromEntries(
      head.captures.map(({ port, at, bytes }) => [port, new Uint8Array(buffer, at, bytes)]),
    );
    return { engine: head.engine, events: head.events, flows: head.flows, ports: head.ports, tables, captures };
  }

  /** What a run will take: packets, events, seconds, bytes. Throws ParshallError. */
  check(network) {
    return this.#call(network)("check");
  }

  /** The network with every default filled in. Throws ParshallError. */
  normalize(network) {
    return this.#call(network)("normalize");
  }

  /**
   * Filters of the retransmission timeout judged on round trips in seconds, as `parshall rto` does it: `filter`, `samples`, `early`,
   * `mean_rto` in seconds, and `in_rtts`, the same in round trips. No rows for fewer than 20. Throws ParshallError.
   */
  timeouts(rtts) {
    return this.#call([...rtts])("timeouts");
  }

  /** The JSON Schema of scenario files. */
  schema() {
    return this.#call("")("schema");
  }

  #call(network, progress = () => true) {
    const { exports } = new WebAssembly.Instance(this.#module, {
      parshall: { progress: (seconds) => (progress(seconds) === false ? 0 : 1) },
    });
    const text = new TextEncoder().encode(typeof network === "string" ? network : JSON.stringify(network));
    const at = exports.input(text.length);
    new Uint8Array(exports.memory.buffer, at, text.length).set(text);
    const told = () => {
      const bytes = new Uint8Array(exports.memory.buffer, exports.output(), exports.output_bytes());
      return JSON.parse(new TextDecoder().decode(bytes));
    };
    const call = (name, ...values) => {
      let failed;
      try {
        failed = exports[name](...values) !== 0;
      } catch (error) {
        if (!(error instanceof WebAssembly.RuntimeError)) throw error;
        if (exports.output_bytes() === 0) {
          throw new ParshallError({ kind: "failure", message: `the engine failed: ${error.message}` });
        }
        failed = true;
      }
      if (failed) throw new ParshallError(told());
      return told();
    };
    call.memory = exports.memory;
    return call;
  }
}
