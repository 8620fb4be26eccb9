// The published vectors: what a device makes of the same design and the same bytes, in any language.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { verify } from "../src/index.js";

const FOLDER = new URL("../../../docs/vectors/", import.meta.url);
const read = (name) => new Uint8Array(readFileSync(new URL(name, FOLDER)));
const { cases } = JSON.parse(new TextDecoder().decode(read("client.json")));
const supported = (await Promise.all([...new Set(cases.map(({ design }) => design))].map(accepted))).filter(Boolean);

async function accepted(name) {
  return verify(read(name)).then((design) => [name, design], () => null);
}

for (const [name, design] of supported) {
  test(`the published reports of ${name}`, () => {
    for (const one of cases.filter((each) => each.design === name)) {
      const bytes = Buffer.from(one.bytes, "hex");
      let used = 0;
      const source = (count) => new Uint8Array(bytes.subarray(used, (used += count)));
      const line = JSON.parse(design.draw(one.value, source, one.told));
      assert.deepEqual(line.report, one.report);
      assert.deepEqual([line.mechanism, line.id, line.group, used], [one.mechanism, one.id, one.group, one.used]);
    }
  });
}

test("all designs of the vectors but walks are accepted", () => {
  const walks = cases.filter(({ design }) => design.startsWith("walk")).length ? 1 : 0;
  assert.equal(supported.length + walks, new Set(cases.map(({ design }) => design)).size);
});

test("one bit of a design that is turned is found out", async () => {
  const bytes = read("threshold.design.json");
  bytes[bytes.indexOf("7".charCodeAt(0))] = "8".charCodeAt(0);
  await assert.rejects(verify(bytes), { name: "InvalidDesign" });
});
