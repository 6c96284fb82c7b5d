/** Answers of the playground's modules to what is asked of them, one a line: `node tests/play_node.mjs FOLDER < questions`. */

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(`${folder}/${name}.mjs`));
const [edit, lessons, link, python, schema] = await Promise.all(["edit", "lessons", "link", "python", "schema"].map(load));

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
};

for await (const line of createInterface({ input: process.stdin })) {
  const { ask, ...rest } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ answer: await answers[ask](rest) }));
  } catch (error) {
    console.log(JSON.stringify({ fault: error.message }));
  }
}
