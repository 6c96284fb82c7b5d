/** The JSON Schema of scenario files, asked for what a control has to know. */

export class Schema {
  constructor(schema) {
    this.defs = schema.$defs;
  }

  /** The fields of a part by name. */
  fields(part) {
    return this.defs[part]?.properties ?? {};
  }

  required(part) {
    return this.defs[part]?.required ?? [];
  }

  /** The kinds of a field that takes one of several parts: from the kind's name to the part's. */
  kinds(field) {
    const union = [field, ...(field.anyOf ?? [])].find((each) => each.discriminator);
    const mapping = union?.discriminator.mapping ?? {};
    return Object.fromEntries(Object.entries(mapping).map(([kind, ref]) => [kind, partOf(ref)]));
  }

  /** The one part that a field takes, if it does. */
  part(field) {
    const ref = field.$ref ?? field.anyOf?.find((each) => each.$ref)?.$ref;
    return ref && partOf(ref);
  }

  /** The part of the items of a list, if they are parts of one kind. */
  items(field) {
    return field.items?.$ref && partOf(field.items.$ref);
  }

  /** What kind of control a field has: kinds, part, boolean, choice, number, quantity or other. */
  control(field) {
    if (Object.keys(this.kinds(field)).length) return "kinds";
    if (field.$ref) return "part";
    if (field.enum) return "choice";
    if (field.type === "boolean") return "boolean";
    if (field.type === "integer" || field.type === "number") return "number";
    if (this.quantity(field)) return "quantity";
    if (field.type === "string") return "text";
    return "other";
  }

  /** Which quantity a field is: rate, duration or size, or null. */
  quantity(field) {
    const [bare, text] = field.anyOf ?? [];
    if (!["number", "integer"].includes(bare?.type) || !text?.pattern) return null;
    if (text.pattern.includes("bit/s")) return "rate";
    return text.pattern.includes("ms") ? "duration" : "size";
  }
}

const partOf = (ref) => ref.split("/").at(-1);

const UNITS = {
  rate: [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]],
  duration: [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]],
  size: [[1e6, "MB"], [1e3, "kB"], [1, "B"]],
};

const FACTORS = {
  ps: 1e-12, ns: 1e-9, us: 1e-6, "µs": 1e-6, "μs": 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600,
  B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3,
};

/** The value of a quantity in base units, or NaN. */
export function base(value) {
  if (typeof value === "number") return value;
  const found = /^\s*\+?([\d.]+(?:[eE][+-]?\d+)?)\s*([a-zA-Zµμ/]+)\s*$/.exec(value ?? "");
  if (!found) return NaN;
  const rate = /^([kMGT]?)(bit\/s|b\/s|bps|B\/s)$/.exec(found[2]);
  if (rate) return Number(found[1]) * { "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12 }[rate[1]] * (rate[2] === "B/s" ? 8 : 1);
  return Number(found[1]) * (FACTORS[found[2]] ?? NaN);
}

/** A value in base units as people write it, in three figures. */
export function quantity(value, of) {
  const [factor, unit] = UNITS[of].find(([each]) => value >= each * 0.9995) ?? UNITS[of].at(-1);
  return `${Number((value / factor).toPrecision(3))} ${unit}`;
}
