/** Digests of the runs of networks, one a line: `node tests/wasm_digests.mjs FOLDER < names and networks`. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { Engine } = await import(pathToFileURL(`${folder}/parshall.mjs`));
const engine = await Engine.load(readFileSync(`${folder}/parshall.wasm`));

function digest({ events, tables, captures }) {
  const sha = createHash("sha256");
  for (const [table, columns] of Object.entries(tables)) {
    for (const [name, values] of Object.entries(columns)) {
      sha.update(`${table}.${name}:`).update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    }
  }
  for (const port of Object.keys(captures).sort()) sha.update(`${port}:`).update(captures[port]);
  return sha.update(`events:${events}`).digest("hex");
}

for await (const line of createInterface({ input: process.stdin })) {
  const { name, network, options } = JSON.parse(line);
  let found;
  try {
    found = digest(engine.run(network, options));
  } catch (error) {
    found = `${error.name}: ${error.message}`;
  }
  console.log(JSON.stringify([name, found]));
}
