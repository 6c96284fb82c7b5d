/**
 * Controls for fields of scenarios, made from the schema: a slider and a text for quantities, choices, ticks, and the TOML of a
 * value for all that has no control of its own. A form is told `change(path, value)`, where undefined takes the field out.
 */

import { written } from "./edit.mjs";
import { read, plain } from "./toml.mjs";
import { base, quantity } from "./schema.mjs";

/** Ends of sliders, which are logarithmic. */
const RANGES = { rate: [1e5, 1e9], duration: [1e-4, 1], size: [1e3, 1e7], packets: [1, 2000], count: [1, 50] };
/** Fields of which each part shows these at once; all others stand under "more". */
const FIRST = {
  Dumbbell: ["rate", "delay", "queue", "access_delay"],
  Link: ["rate", "delay", "queue"],
  DropTail: ["limit_packets"],
  CoDel: ["limit_packets", "target", "interval", "ecn"],
  FqCodel: ["limit_packets", "target", "ecn"],
  Pie: ["limit_packets", "target", "ecn"],
  Red: ["limit_packets", "min_threshold_packets", "max_threshold_packets", "ecn"],
  FlowGroup: ["name", "count", "transport", "app", "access_delay", "start"],
  Flow: ["name", "source", "destination", "transport", "app", "start"],
  Tcp: ["profile", "control", "recovery", "rto", "ecn"],
  Udp: ["payload_bytes"],
  Cbr: ["rate", "interval"],
  OnOff: ["rate", "on", "off", "law"],
};
const SLIDERS = { rate: "rate", delay: "duration", access_delay: "duration", limit_packets: "packets", count: "count" };
/** What a kind needs besides its name when it is chosen. */
const NEEDED = {
  red: { min_threshold_packets: 10, max_threshold_packets: 30, limit_packets: 100 },
  diffserv: { queues: [{ limit_packets: 50, precedences: [{ dscp: "DF" }] }] },
  cbr: { rate: "1 Mbit/s" },
  vbr: { rates: ["1 Mbit/s", "3 Mbit/s"], intervals: ["50 ms", "500 ms"] },
  "on-off": { law: { kind: "exponential" }, rate: "1 Mbit/s", on: "1 s", off: "1 s" },
  transfer: { packets: 100 },
  udp: { payload_bytes: 1000 },
  "self-similar": { rate: "1 Mbit/s", h: 0.8, sd: "300 kbit/s" },
  schedule: { writes: [["1 s", 10]] },
  barrier: { group: "g", packets: 10, rounds: 10 },
  "transfer-sequence": { packets: 20, think: "1 s" },
  quantile: { risk: 0.01 },
  bernoulli: { probability: 0.01 },
  "gilbert-elliott": { good_to_bad: 0.001, bad_to_good: 0.3 },
  listed: { arrivals: [20] },
};
/** Fields that keep their value when another kind is chosen. */
const KEPT = ["limit_packets", "limit_bytes", "ecn"];
/** Kinds that a page cannot run: parts of one's own are code. */
const NOT_HERE = new Set(["user"]);

export class Fields {
  #ids = 0;

  constructor(schema, change, opened) {
    this.schema = schema;
    this.change = change;
    this.opened = opened;
  }

  /** The controls of a part at a path, with the value that the text has for it. */
  part(name, value, path) {
    const box = document.createElement("div");
    box.className = "fields";
    const fields = Object.entries(this.schema.fields(name)).filter(([, field]) => !("const" in field));
    const first = FIRST[name] ?? fields.slice(0, 6).map(([key]) => key);
    const shown = ([key]) => first.includes(key);
    const order = (a, b) => first.indexOf(a[0]) - first.indexOf(b[0]);
    box.append(...fields.filter(shown).sort(order).map(([key, field]) => this.field(key, field, value[key], [...path, key])));
    const rest = fields.filter((each) => !shown(each) && !(key(each) === "flows" && name === "Dumbbell"));
    if (rest.length) box.append(this.more(rest, value, path));
    return box;
  }

  /** The fields that are seldom set, behind a fold. */
  more(fields, value, path) {
    const box = document.createElement("details");
    const set = fields.filter(([name]) => value[name] !== undefined);
    const own = path.join(".");
    const summary = document.createElement("summary");
    summary.textContent = set.length ? `more (${set.map(key).join(", ")})` : "more";
    box.append(summary);
    const fill = () => {
      if (box.open && box.childElementCount === 1) box.append(...fields.map(([name, field]) => this.field(name, field, value[name], [...path, name])));
    };
    box.open = this.opened.has(own);
    fill();
    box.addEventListener("toggle", () => {
      this.opened[box.open ? "add" : "delete"](own);
      fill();
    });
    return box;
  }

  /** The control of a field. */
  field(name, field, value, path) {
    // A list of values, one for each flow, is shown as it stands in the text.
    const kind = Array.isArray(value) ? "other" : this.schema.control(field);
    if (kind === "kinds") return this.kinds(name, field, value, path);
    if (kind === "part") return this.optional(name, field, value, path);
    const row = this.row(name, field);
    const input = { boolean: () => this.tick(field, value, path), choice: () => this.choice(field, value, path), number: () => this.number(field, value, path) }[kind]?.() ?? this.text(kind, field, value, path);
    input.id = row.dataset.for;
    input.dataset.path = path.join(".");
    row.append(input);
    if (input.readOnly) row.append(this.remover(path));
    const range = SLIDERS[name];
    const known = value !== undefined || field.default !== undefined || range === "packets";
    if (range && known && kind !== "other") row.append(this.slider(name, field, range, input, value, path));
    return row;
  }

  row(name, field) {
    const row = document.createElement("div");
    row.className = "row";
    const label = document.createElement("label");
    label.textContent = name.replaceAll("_", " ");
    label.title = field.description ?? "";
    row.dataset.for = label.htmlFor = `field-${++this.#ids}`;
    row.append(label);
    return row;
  }

  tick(field, value, path) {
    const input = Object.assign(document.createElement("input"), { type: "checkbox", checked: value ?? field.default ?? false });
    input.addEventListener("change", () => this.change(path, input.checked === (field.default ?? false) ? undefined : input.checked));
    return input;
  }

  choice(field, value, path) {
    const input = document.createElement("select");
    if (value === undefined) input.add(new Option(field.default ? `${field.default}` : "as its profile", ""));
    for (const each of field.enum) input.add(new Option(each, each, false, each === value));
    input.addEventListener("change", () => this.change(path, input.value === "" ? undefined : input.value));
    return input;
  }

  number(field, value, path) {
    const input = Object.assign(document.createElement("input"), { type: "number", value: value ?? "", placeholder: field.default ?? "none", step: field.type === "integer" ? 1 : "any" });
    if (field.minimum !== undefined) input.min = field.minimum;
    input.addEventListener("input", () => this.change(path, input.value === "" ? undefined : Number(input.value), "typed"));
    return input;
  }

  /** A text: of a quantity with its unit, or the TOML of a value. */
  text(kind, field, value, path) {
    const raw = kind === "other";
    const shown = value === undefined ? "" : raw ? written(value) : String(value);
    const long = shown.length > 400;
    const preset = kind === "quantity" && typeof field.default === "number" ? quantity(field.default, this.schema.quantity(field)) : field.default;
    const input = Object.assign(document.createElement("input"), { type: "text", value: long ? `${shown.slice(0, 30)} ...` : shown, placeholder: raw ? "as TOML" : (preset ?? "none"), spellcheck: false, readOnly: long });
    input.addEventListener("change", () => {
      const given = input.value.trim();
      const found = given === "" ? undefined : raw ? fromToml(given) : kind === "quantity" && /^[\d.eE+-]+$/.test(given) ? Number(given) : given;
      this.change(path, found);
    });
    return input;
  }

  /** A button that takes out a value too long to be edited here. */
  remover(path) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "remove" });
    button.addEventListener("click", () => this.change(path, undefined, "kind"));
    return button;
  }

  slider(name, field, range, input, value, path) {
    const [from, to] = RANGES[range];
    const quantities = range === "rate" || range === "duration";
    const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: 1000, step: 1 });
    slider.setAttribute("aria-label", `${name.replaceAll("_", " ")}, slider`);
    const now = base(Array.isArray(value) ? value[0] : (value ?? field.default));
    slider.value = Number.isNaN(now) ? 1000 : (1000 * Math.log(Math.max(now, from) / from)) / Math.log(to / from);
    slider.disabled = Array.isArray(value);
    slider.addEventListener("input", () => {
      const chosen = from * (to / from) ** (slider.value / 1000);
      const found = quantities ? quantity(Number(chosen.toPrecision(2)), range) : Math.round(chosen);
      input.value = found;
      this.change(path, found, "typed");
    });
    return slider;
  }

  /** A field that takes one of several parts: which kind, and the controls of that. */
  kinds(name, field, value, path) {
    const kinds = this.schema.kinds(field);
    const given = typeof value === "string" ? { kind: value } : (value ?? {});
    const box = document.createElement("fieldset");
    box.className = "kinds";
    const row = this.row(name, field);
    const select = document.createElement("select");
    select.id = row.dataset.for;
    select.dataset.path = path.join(".");
    const preset = field.default?.kind;
    if (value === undefined) select.add(new Option(preset ?? (name === "control" || name === "rto" ? "as its profile" : "none"), ""));
    for (const kind of Object.keys(kinds)) if (!NOT_HERE.has(kind)) select.add(new Option(kind, kind, false, kind === given.kind));
    if (value !== undefined && !kinds[given.kind]) select.add(new Option(typeof value === "object" ? "its own" : String(value), "", true, true));
    if (value !== undefined && field.default === undefined && !["transport", "app"].includes(name)) select.add(new Option("(none)", "-"));
    select.addEventListener("change", () => this.change(path, select.value === "-" ? undefined : chosen(select.value, given), "kind"));
    row.append(select);
    box.append(row);
    if (kinds[given.kind]) box.append(this.part(kinds[given.kind], given, path));
    return box;
  }

  /** A field that takes one part, or nothing. */
  optional(name, field, value, path) {
    if (value !== undefined) {
      const box = document.createElement("fieldset");
      box.className = "kinds";
      const row = this.row(name, field);
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: "remove", id: row.dataset.for });
      button.addEventListener("click", () => this.change(path, undefined, "kind"));
      row.append(button);
      box.append(row, this.part(this.schema.part(field), value, path));
      return box;
    }
    const row = this.row(name, field);
    const input = this.text("other", field, value, path);
    input.id = row.dataset.for;
    row.append(input);
    return row;
  }
}

const key = ([name]) => name;

/** A kind, and those fields of the one before that are common to both; by its kind alone where it has no fields. */
function chosen(kind, before) {
  const kept = Object.fromEntries(KEPT.filter((name) => before[name] !== undefined && QUEUES.has(kind) && (name !== "ecn" || kind !== "droptail") && !(name === "limit_bytes" && kind === "red")).map((name) => [name, before[name]]));
  return { kind, ...NEEDED[kind], ...kept };
}

const QUEUES = new Set(["droptail", "codel", "fq-codel", "pie", "red"]);

/** The value of a text in TOML; a text that is none stands for itself. */
function fromToml(text) {
  try {
    return plain(read(`value = ${text}`)).value;
  } catch {
    return text;
  }
}
