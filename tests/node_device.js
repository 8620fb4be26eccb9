// Answers what a device would, line by line: {design, value, bytes, told} in, {line, used} or {error} out. For tests.

import { createInterface } from "node:readline";
import { verify } from "../clients/js/src/index.js";

const designs = new Map();

async function read(encoded) {
  const bytes = new Uint8Array(Buffer.from(encoded, "base64"));
  return verify(bytes).catch((error) => ({ error: error.name, words: error.message }));
}

/** Random bytes that were given, and then zeros, as far as a test looks. */
function given(hexadecimal) {
  const bytes = Buffer.from(hexadecimal, "hex");
  let used = 0;
  const source = (count) => {
    const found = new Uint8Array(count);
    found.set(bytes.subarray(used, used + count));
    used += count;
    return found;
  };
  return { source, used: () => used };
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  if (asked.keep !== undefined) designs.set(asked.name, await read(asked.keep));
  const design = designs.get(asked.name);
  let answer = { ok: !design.error, error: design.error, words: design.words };
  if (asked.bytes !== undefined && !design.error) {
    const { source, used } = given(asked.bytes);
    try {
      answer = { line: design.draw(asked.value, source, asked.told), used: used() };
    } catch (error) {
      answer = { error: error.name, words: error.message };
    }
  }
  console.log(JSON.stringify(answer));
}
