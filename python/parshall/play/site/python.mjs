/** A scenario as a program in Python, in the classes of the package `parshall`. */

import { parsed } from "./edit.mjs";

/** Parts that Python has under `parshall` by the title that they have in the schema. */
const ELSEWHERE = new Set([
  "Constant", "LastValue", "Ewma", "Holt", "AdaptiveEwma", "Median", "Arima", "Lmmse", "Lms", "Nlms", "Rls", "Fbm", "Farima",
  "ArimaRecursive", "ArimaRefitted", "Mixture", "UserForecaster", "UserControl", "UserRto",
]);
const WIDTH = 88;
const RUN = `recording = parshall.run(scenario, seed=SEED)
for name in recording.flows:
    print(f"{name}: {recording.flow(name).goodput / 1e6:.3f} Mbit/s")
`;

/** The program for a text in TOML, given the schema and the seed. */
export function program(text, schema, seed) {
  const { dumbbell, ...rest } = parsed(text);
  const used = new Set();
  const writer = new Writer(schema, used);
  const scenario = dumbbell ? writer.part("Dumbbell", { ...rest, ...dumbbell }, 0) : writer.part("Scenario", rest, 0);
  const names = [...used].sort().join(", ");
  const imported = `from parshall import ${names}`;
  const lines = imported.length > WIDTH ? `from parshall import (\n${[...used].sort().map((name) => `    ${name},\n`).join("")})` : imported;
  return `import parshall\n${lines}\n\nscenario = ${scenario}\n${RUN.replace("SEED", seed)}`;
}

class Writer {
  constructor(schema, used) {
    this.schema = schema;
    this.used = used;
  }

  /** A call of the class of a part. */
  part(name, value, depth) {
    this.used.add(name);
    const fields = { ...(name === "Dumbbell" && this.schema.fields("DumbbellFile")), ...this.schema.fields(name) };
    const given = Object.entries(value).filter(([key]) => key !== "kind" || !("const" in (fields.kind ?? {})));
    return this.#call(name, given.map(([key, each]) => [`${key}=`, this.field(fields[key] ?? {}, each, depth + 1)]), depth);
  }

  field(field, value, depth) {
    const list = field.items ?? field.anyOf?.find((each) => each.items)?.items;
    if (Array.isArray(value)) return this.#brackets("[", value.map((each) => ["", this.field(list ?? {}, each, depth + 1)]), "]", depth);
    if (typeof value !== "object" || value === null) return literal(value);
    const name = this.schema.part(field) ?? this.schema.kinds(field)[value.kind];
    const known = name && !ELSEWHERE.has(name) && !("mahimahi" in value);
    if (known) return this.part(name, value, depth);
    return this.#brackets("{", Object.entries(value).map(([key, each]) => [`${literal(key)}: `, this.field({}, each, depth + 1)]), "}", depth);
  }

  #call(name, items, depth) {
    return this.#brackets(`${name}(`, items, ")", depth);
  }

  #brackets(open, items, close, depth) {
    const texts = items.map(([key, text]) => key + text);
    const line = `${open}${texts.join(", ")}${close}`;
    if (line.length + 4 * depth <= WIDTH && !line.includes("\n")) return line;
    const indent = "    ".repeat(depth + 1);
    return `${open}\n${texts.map((text) => `${indent}${text},\n`).join("")}${"    ".repeat(depth)}${close}`;
  }
}

function literal(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : `float("${value > 0 ? "inf" : value < 0 ? "-inf" : "nan"}")`;
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}
