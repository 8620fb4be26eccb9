// Mechanisms as a device runs them: read from a document, verified exactly, then drawn from.

import { InvalidDesign } from "./errors.js";
import { Fraction } from "./numbers.js";
import { number, positive, refuse, thing } from "./reading.js";

const ONE = new Fraction(1n);
const TABLE = ["space", "coordinate", "query", "guarantee", "lattice", "values", "weights"];
export const KINDS = {
  Table: TABLE,
  BracketTable: [...TABLE, "inner", "outer"],
  VectorTable: [...TABLE, "others", "vectors"],
  Lattice: ["space", "guarantee", "step", "theta", "origin"],
  SharedTables: ["space", "guarantee", "tables", "share"],
};
const SPARE = { Lattice: ["core"], Table: ["spare"] };
const READERS = {
  Table: async () => (await import("./table.js")).table,
  BracketTable: async () => (await import("./table.js")).bracketTable,
  VectorTable: async () => (await import("./table.js")).vectorTable,
  Lattice: async () => (await import("./lattice.js")).lattice,
  SharedTables: async () => (await import("./shared.js")).shared,
};

/** The mechanism of a document (epsilon, space, draw(value, source)), its promise verified in exact arithmetic. */
export async function readMechanism(document, where, kinds = KINDS) {
  const spare = Object.hasOwn(SPARE, document?.type) ? SPARE[document.type] : [];
  const kind = thing(document, where, kinds, spare);
  const read = await READERS[kind]();
  const mechanism = await computed(() => read(document, where), `${where}, a ${kind},`);
  if (ONE.less(mechanism.spent)) {
    const { top, bottom } = mechanism.spent;
    const spent = Math.min(Number((1000n * top) / bottom) / 1000, 1e9);
    throw new InvalidDesign(`${where}, a ${kind}, breaks its promise: ${spent} of what it allows.`);
  }
  return mechanism;
}

async function computed(read, where) {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // a number that is too large, or a distance that is 0
    throw refuse(where, "made of numbers that can be computed with", "others");
  }
}

/** ε of a guarantee, if it is pure, for all distances, and in the unit of the space. */
export function readEpsilon(document, where, unit) {
  const keys = ["epsilon", "delta", "radius", "unit", "metric", "reference"];
  thing(document, `${where}.guarantee`, { Guarantee: keys });
  const pure = number(document.delta, `${where}.guarantee.delta`) === 0 && document.radius === "inf";
  if (!pure || document.metric !== "distance" || document.unit !== unit) {
    throw refuse(`${where}.guarantee`, `pure, for all distances, per ${unit ?? "unit"}`, "another");
  }
  return positive(document.epsilon, `${where}.guarantee.epsilon`);
}
