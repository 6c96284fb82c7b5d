/**
 * TOML as a tree of nodes that know where they stand in the text, so that a value can be changed and all else,
 * comments too, stays as it was. The engine judges scenarios; this reads them for the controls.
 *
 * A node is { type, value | items | keys, from, to }: a `value`, an `array` with `items`, a `table` with `keys`, a Map
 * from names to { node, from, to }, where an entry's own place holds its key and its value. Tables with a header have
 * `header` (where that line starts), `body` and `end`: behind the header, and behind the last of their own entries.
 */

/** Text that is no TOML. */
export class TomlError extends Error {
  constructor(message, line) {
    super(`line ${line}: ${message}`);
    this.line = line;
  }
}

const ESCAPES = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\", e: "\x1b" };
const table = (from = 0, style = "implicit") => ({ type: "table", style, keys: new Map(), from, to: from });

/** Reads text into the node of its top table. Throws TomlError. */
export function read(text) {
  return new Reader(text).document();
}

/** The plain value of a node: objects, arrays, strings, numbers, booleans. */
export function plain(node) {
  if (node.type === "array") return node.items.map(plain);
  if (node.type === "value") return node.value;
  return Object.fromEntries([...node.keys].map(([name, entry]) => [name, plain(entry.node)]));
}

/** The node at a path of names and indices, or undefined. */
export function at(node, path) {
  let found = node;
  for (const step of path) {
    if (found?.type === "array") found = found.items[step];
    else if (found?.type === "table") found = found.keys.get(String(step))?.node;
    else return undefined;
  }
  return found;
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(message, at = this.at) {
    throw new TomlError(message, this.text.slice(0, at).split("\n").length);
  }

  document() {
    const root = table(0, "root");
    let current = root;
    Object.assign(root, { header: 0, body: 0, end: 0 });
    for (this.blank(); this.at < this.text.length; this.blank()) {
      if (this.text[this.at] === "[") current = this.header(root);
      else {
        this.entry(current, this.lineStart());
        current.end = this.at;
        this.lineEnd();
      }
    }
    root.to = this.text.length;
    return root;
  }

  /** Skips spaces, line ends and comments. */
  blank() {
    const found = /(?:[ \t\r\n]+|#[^\n]*)*/y;
    found.lastIndex = this.at;
    found.exec(this.text);
    this.at = found.lastIndex;
  }

  spaces() {
    while (this.text[this.at] === " " || this.text[this.at] === "\t") this.at++;
  }

  lineStart() {
    return this.text.lastIndexOf("\n", this.at - 1) + 1;
  }

  lineEnd() {
    this.spaces();
    if (this.text[this.at] === "#") while (this.at < this.text.length && this.text[this.at] !== "\n") this.at++;
    if (this.text[this.at] === "\r") this.at++;
    if (this.at < this.text.length && this.text[this.at] !== "\n") this.fail(`got ${this.shown()}, expected the end of the line`);
    this.at++;
  }

  shown() {
    return this.at < this.text.length ? JSON.stringify(this.text[this.at]) : "the end of the text";
  }

  expect(mark) {
    if (!this.text.startsWith(mark, this.at)) this.fail(`got ${this.shown()}, expected ${JSON.stringify(mark)}`);
    this.at += mark.length;
  }

  header(root) {
    const from = this.lineStart();
    const many = this.text.startsWith("[[", this.at);
    this.expect(many ? "[[" : "[");
    this.spaces();
    const names = this.key();
    this.expect(many ? "]]" : "]");
    const end = this.at;
    this.lineEnd();
    const last = names.pop();
    const parent = this.walk(root, names);
    const made = Object.assign(table(from, "header"), { header: from, body: end, end });
    if (many) this.appendTable(parent, last, made, from);
    else this.newTable(parent, last, made, from);
    return parent.keys.get(last).node.type === "array" ? parent.keys.get(last).node.items.at(-1) : parent.keys.get(last).node;
  }

  appendTable(parent, name, made, from) {
    const known = parent.keys.get(name);
    if (!known) parent.keys.set(name, { node: { type: "array", style: "headers", items: [made], from, to: from }, from, to: from });
    else if (known.node.style === "headers") known.node.items.push(made);
    else this.fail(`${name} is there already`, from);
  }

  newTable(parent, name, made, from) {
    const known = parent.keys.get(name);
    if (known && known.node.style !== "implicit") this.fail(`${name} is there already`, from);
    if (known) made.keys = known.node.keys;
    parent.keys.set(name, { node: made, from, to: from });
  }

  /** The table that names lead to, made where it is missing. */
  walk(node, names) {
    let found = node;
    for (const name of names) {
      if (!found.keys.has(name)) found.keys.set(name, { node: table(this.at), from: this.at, to: this.at });
      found = found.keys.get(name).node;
      if (found.type === "array") found = found.items.at(-1);
      if (found?.type !== "table" || found.style === "inline") this.fail(`${name} is no table that may be added to`);
    }
    return found;
  }

  entry(into, from) {
    const start = this.at;
    const names = this.key();
    const last = names.pop();
    const parent = this.walk(into, names);
    this.expect("=");
    this.spaces();
    if (parent.keys.has(last)) this.fail(`${last} is there already`, start);
    const node = this.value();
    parent.keys.set(last, { node, from: from ?? start, to: this.at });
  }

  key() {
    const names = [];
    for (;;) {
      this.spaces();
      const mark = this.text[this.at];
      if (mark === '"' || mark === "'") names.push(this.string().value);
      else {
        const found = /^[A-Za-z0-9_-]+/.exec(this.text.slice(this.at, this.at + 200));
        if (!found) this.fail(`got ${this.shown()}, expected a key`);
        names.push(found[0]);
        this.at += found[0].length;
      }
      this.spaces();
      if (this.text[this.at] !== ".") return names;
      this.at++;
    }
  }

  value() {
    const mark = this.text[this.at];
    if (mark === '"' || mark === "'") return this.string();
    if (mark === "[") return this.array();
    if (mark === "{") return this.inline();
    const found = /^[^\s,\]}#]+( \d\d:[\d:.]+\S*)?/.exec(this.text.slice(this.at, this.at + 200));
    if (!found) this.fail(`got ${this.shown()}, expected a value`);
    const from = this.at;
    this.at += found[0].length;
    return { type: "value", value: this.scalar(found[0], from), from, to: this.at };
  }

  scalar(word, from) {
    if (word === "true" || word === "false") return word === "true";
    if (/^[+-]?(inf|nan)$/.test(word)) return word.endsWith("nan") ? NaN : word[0] === "-" ? -Infinity : Infinity;
    if (/^0x[\da-f_]+$|^0o[0-7_]+$|^0b[01_]+$/i.test(word)) return Number(word.replaceAll("_", ""));
    if (/^[+-]?\d[\d_]*(\.\d[\d_]*)?([eE][+-]?\d+)?$/.test(word)) return Number(word.replaceAll("_", ""));
    if (/^\d{4}-\d\d-\d\d|^\d\d:\d\d/.test(word)) return word;
    return this.fail(`got ${word}, expected a value; texts stand in quotes`, from);
  }

  string() {
    const from = this.at;
    const mark = this.text[this.at];
    const long = this.text.startsWith(mark.repeat(3), this.at);
    const value = long ? this.longString(mark.repeat(3)) : this.shortString(mark);
    return { type: "value", value, from, to: this.at };
  }

  shortString(mark) {
    const from = this.at++;
    let value = "";
    for (;;) {
      const next = this.text[this.at];
      if (next === undefined || next === "\n") this.fail("a text has no closing quote", from);
      if (next === mark) break;
      value += next === "\\" && mark === '"' ? this.escaped() : next;
      this.at++;
    }
    this.at++;
    return value;
  }

  longString(mark) {
    const from = this.at;
    this.at += 3;
    if (this.text[this.at] === "\r") this.at++;
    if (this.text[this.at] === "\n") this.at++;
    let value = "";
    while (!this.text.startsWith(mark, this.at) || this.text[this.at + 3] === mark[0]) {
      if (this.at >= this.text.length) this.fail("a text has no closing quotes", from);
      const folded = mark[0] === '"' && /^\\[ \t]*\r?\n\s*/.exec(this.text.slice(this.at));
      if (folded) this.at += folded[0].length;
      else {
        value += this.text[this.at] === "\\" && mark[0] === '"' ? this.escaped() : this.text[this.at];
        this.at++;
      }
    }
    this.at += 3;
    return value;
  }

  /** The character that an escape stands for; leaves `at` on its last. */
  escaped() {
    const letter = this.text[++this.at];
    if (letter in ESCAPES) return ESCAPES[letter];
    const length = { x: 2, u: 4, U: 8 }[letter];
    const code = parseInt(this.text.slice(this.at + 1, this.at + 1 + (length ?? 0)), 16);
    if (!length || !(code <= 0x10ffff)) this.fail(`got the escape \\${letter}, which TOML does not know`);
    this.at += length;
    return String.fromCodePoint(code);
  }

  array() {
    const node = { type: "array", style: "inline", items: [], from: this.at, to: 0 };
    this.at++;
    for (this.blank(); this.text[this.at] !== "]"; this.blank()) {
      node.items.push(this.value());
      this.blank();
      if (this.text[this.at] === ",") this.at++;
      else if (this.text[this.at] !== "]") this.fail(`got ${this.shown()}, expected "," or "]"`);
    }
    node.to = ++this.at;
    return node;
  }

  inline() {
    const node = table(this.at, "inline");
    this.at++;
    for (this.blank(); this.text[this.at] !== "}"; this.blank()) {
      this.entry(node);
      this.blank();
      if (this.text[this.at] === ",") this.at++;
      else if (this.text[this.at] !== "}") this.fail(`got ${this.shown()}, expected "," or "}"`);
    }
    node.to = ++this.at;
    return node;
  }
}
