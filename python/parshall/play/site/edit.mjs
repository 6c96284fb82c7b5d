/**
 * Changes of a value in a text of TOML that leave the rest of the text, comments too, as it was. Each function takes a text
 * and a path, and returns the new text.
 */

import { at, plain, read } from "./toml.mjs";

const BARE = /^[A-Za-z0-9_-]+$/;
const name = (key) => (BARE.test(key) ? key : JSON.stringify(key));

/** A value as TOML, on one line. */
export function written(value) {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const inner = Object.entries(value).map(([key, each]) => `${name(key)} = ${written(each)}`);
    return inner.length ? `{ ${inner.join(", ")} }` : "{}";
  }
  if (typeof value === "number") return String(value).replace(/^(-?)Infinity$/, "$1inf").replace("NaN", "nan");
  return typeof value === "string" ? JSON.stringify(value).replaceAll("\x7f", "\\u007f") : String(value);
}

/** Puts a value at a path. A part that is named by its kind alone becomes a table when a field of it is set. */
export function set(text, path, value) {
  const root = read(text);
  const node = at(root, path);
  if (node) return replaced(text, root, path, node, value);
  const parent = at(root, path.slice(0, -1));
  const key = path.at(-1);
  if (!parent) return set(text, path.slice(0, -1), { [key]: value });
  if (parent.type === "value") return splice(text, parent.from, parent.to, written({ kind: parent.value, [key]: value }));
  if (parent.type === "array") return append(text, path.slice(0, -1), value);
  return parent.style === "inline" ? added(text, parent, key, value) : lineAdded(text, root, path, parent, value);
}

function replaced(text, root, path, node, value) {
  if (node.type === "value" || node.style === "inline") return splice(text, node.from, node.to, written(value));
  return set(remove(text, path), path, value);
}

const splice = (text, from, to, middle) => text.slice(0, from) + middle + text.slice(to);

/** Adds a key to an inline table, behind the others. */
function added(text, parent, key, value) {
  const entry = `${name(key)} = ${written(value)}`;
  if (parent.keys.size === 0) return splice(text, parent.from, parent.to, `{ ${entry} }`);
  const end = Math.max(...[...parent.keys.values()].map((each) => each.to));
  return splice(text, end, end, `, ${entry}`);
}

/** Adds a line to a table that has a header, or to one that stands for others. */
function lineAdded(text, root, path, parent, value) {
  const key = path.at(-1);
  if (parent.style === "implicit") return `${text.replace(/\n*$/, "\n")}\n[${path.slice(0, -1).map(name).join(".")}]\n${name(key)} = ${written(value)}\n`;
  const line = `${name(key)} = ${written(value)}`;
  if (parent.style === "root" && parent.end === 0) {
    const first = firstEntry(text);
    return splice(text, first, first, `${line}\n`);
  }
  const end = lineEnd(text, parent.end);
  return splice(text, end, end, `\n${line}`);
}

function lineEnd(text, from) {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** Behind the comments with which a text begins. */
function firstEntry(text) {
  return /^(?:[ \t]*(?:#[^\n]*)?\n)*/.exec(text)[0].length;
}

/** Takes what is at a path out of the text. */
export function remove(text, path) {
  const root = read(text);
  const node = at(root, path);
  const parent = at(root, path.slice(0, -1));
  if (!node) return text;
  if (parent.type === "array") return parent.style === "headers" ? cut(text, sections(text, node)) : itemRemoved(text, parent, path.at(-1));
  if (node.type === "array" && node.style === "headers") return cut(text, node.items.flatMap((each) => sections(text, each)));
  if (node.style === "header" || node.style === "implicit") return cut(text, sections(text, node));
  const entry = parent.keys.get(path.at(-1));
  if (parent.style !== "inline") return splice(text, entry.from, Math.min(lineEnd(text, entry.to) + 1, text.length), "");
  return commaRemoved(text, entry.from, entry.to);
}

function itemRemoved(text, parent, index) {
  const { from, to } = parent.items[index];
  return commaRemoved(text, from, to);
}

/** Removes an item and the comma behind it, or else the one before it. */
function commaRemoved(text, from, to) {
  const behind = /^\s*,[ \t]*/.exec(text.slice(to));
  if (behind) return splice(text, from, to + behind[0].length, "");
  const before = /,?\s*$/.exec(text.slice(0, from))[0];
  return splice(text, from - before.length, to, before.includes(",") ? "" : before);
}

/** Places of a table with a header and of the tables below it: from the comments on it to the next header. */
function sections(text, node) {
  const places = [];
  if (node.header !== undefined) places.push([commentsAbove(text, node.header), nextHeader(text, node)]);
  for (const { node: inner, from, to } of node.keys.values()) {
    if (inner.type === "array" && inner.style === "headers") places.push(...inner.items.flatMap((each) => sections(text, each)));
    else if (inner.style === "header" || inner.style === "implicit") places.push(...sections(text, inner));
    else if (node.style === "implicit") places.push([from, Math.min(lineEnd(text, to) + 1, text.length)]);
  }
  return places;
}

function commentsAbove(text, header) {
  let from = header;
  while (from > 0) {
    const line = text.lastIndexOf("\n", from - 2) + 1;
    if (!/^[ \t]*#/.test(text.slice(line, from))) break;
    from = line;
  }
  return from;
}

function nextHeader(text, node) {
  const end = lineEnd(text, node.end);
  const next = /^(?:\n|[ \t]*\n|[ \t]*#[^\n]*\n)*?(?=(?:[ \t]*#[^\n]*\n)*[ \t]*\[)/.exec(text.slice(end + 1));
  return next ? end + 1 + next[0].length : text.length;
}

function cut(text, places) {
  let left = text;
  for (const [from, to] of places.sort(([a], [b]) => b - a)) left = splice(left, from, to, "");
  return left;
}

/** Adds an item to the list at a path. */
export function append(text, path, value) {
  const root = read(text);
  const node = at(root, path);
  if (!node) return set(text, path, [value]);
  if (node.style === "headers") return sectionAdded(text, path, node, value);
  const last = node.items.at(-1);
  if (!last) return splice(text, node.from, node.to, written([value]));
  return splice(text, last.to, last.to, `, ${written(value)}`);
}

function sectionAdded(text, path, node, value) {
  const lines = Object.entries(value).map(([key, each]) => `${name(key)} = ${written(each)}`);
  const end = Math.max(...sections(text, node.items.at(-1)).map(([, to]) => to));
  const before = text.slice(0, end).replace(/\n*$/, "\n\n");
  return `${before}[[${path.map(name).join(".")}]]\n${lines.join("\n")}\n${end < text.length ? "\n" : ""}${text.slice(end)}`;
}

/** The plain value of a text. */
export const parsed = (text) => plain(read(text));
