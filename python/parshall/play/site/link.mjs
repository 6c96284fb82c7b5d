/** Links that hold a scenario: JSON, compressed, in the fragment of the address, which browsers do not send to servers. */

const FORM = 1;

/** The fragment for what is shared: { toml, seed, engine, a, b, lesson }. */
export async function packed(shared) {
  const text = JSON.stringify({ form: FORM, ...shared });
  return `#s=${encoded(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text)))}`;
}

/** What a fragment holds, or null for one that holds no scenario. Throws Error for one that is damaged. */
export async function unpacked(fragment) {
  const found = /^#s=([\w-]+)$/.exec(fragment);
  if (!found) return null;
  let shared;
  try {
    shared = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), decoded(found[1]))));
  } catch {
    throw new Error("The link is damaged: it holds no scenario.");
  }
  if (shared.form !== FORM || typeof shared.toml !== "string") throw new Error("The link is of another version of this page.");
  return shared;
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

function encoded(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function decoded(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
