// Values as a person holds them, exactly, and the spaces of a design. A value is a list of fractions; nothing is snapped
// or rounded to a float before it is drawn from. A flat space gives points: lists of intervals.

import { OutOfDomain } from "./errors.js";
import { Fraction } from "./numbers.js";
import { AXES, number, refuse, thing } from "./reading.js";

const LONGEST = 400; // digits of a decimal
const NUMBER = /^\s*([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,6}))?\s*$/;
const KINDS = {
  Line: ["unit"],
  LogLine: ["base", "floor", "unit"],
  Plane: ["unit"],
  Euclidean: ["axes", "unit"],
  Earth: ["radius"],
  LocalPlane: ["south", "west", "north", "east", "radius"],
};

/** The space of a document: kind, axes, unit, check(value), and either point(value, bits) or the radius of a sphere. */
export async function readSpace(document) {
  const kind = thing(document, "space", KINDS);
  if (kind === "LogLine") return (await import("./ratios.js")).ratios(document);
  if (kind === "Earth") return (await import("./maps.js")).earth(document);
  if (kind === "LocalPlane") return (await import("./maps.js")).localMap(document);
  return (await import("./flat.js")).flat(document);
}

/** A private value as exact numbers: a number, whole number or decimal text on a line, a list of them elsewhere. */
export function readValue(space, value, limits) {
  const parts = Array.isArray(value) ? value : [value];
  if (parts.length !== space.axes) throw new OutOfDomain(`A value of ${space.kind} must be ${space.axes} number(s).`);
  const found = parts.map(rational);
  if (found.includes(null)) {
    const rule = `finite numbers of fewer than ${LONGEST} digits, with a point before decimals`;
    throw new OutOfDomain(`A value of ${space.kind} must be made of ${rule}.`);
  }
  return space.check(clamped(found, limits));
}

/** The value, moved into the public range of a design: refusing those outside would tell that they are outside. */
function clamped(value, { low, high }) {
  const least = low.length ? value.map((part, k) => (part.less(low[k]) ? low[k] : part)) : value;
  return high.length ? least.map((part, k) => (high[k].less(part) ? high[k] : part)) : least;
}

/** The number itself, never its nearest float; null where it is none, so that no error quotes it. */
function rational(part) {
  if (typeof part === "number") return Number.isFinite(part) ? Fraction.of(part) : null;
  if (typeof part === "bigint") return -(1n << 1024n) < part && part < 1n << 1024n ? new Fraction(part) : null;
  if (typeof part !== "string" || part.length > 4096) return null;
  const found = NUMBER.exec(part);
  if (!found || !(found[2] || found[3])) return null;
  const digits = (found[2] + found[3]).replace(/^0+(?=.)/, "");
  const exponent = Number(found[4] ?? 0) - found[3].length;
  if (digits.length >= LONGEST || Math.abs(exponent + digits.length - 1) >= LONGEST) return null;
  const top = BigInt(found[1] + digits);
  return exponent >= 0 ? new Fraction(top * 10n ** BigInt(exponent)) : new Fraction(top, 10n ** BigInt(-exponent));
}

/** The public range to which values are clamped; of no ends for none. */
export function readLimits(document, space) {
  const [low, high] = [[], []];
  if (document === null) return { low, high };
  thing(document, "design.source", { Source: ["columns", "low", "high", "person"] });
  for (const [into, key] of [[low, "low"], [high, "high"]]) {
    const ends = document[key];
    if (!Array.isArray(ends) || ends.length > AXES) throw refuse(`design.source.${key}`, "a list of numbers", typeof ends);
    into.push(...ends.map((end) => Fraction.of(number(end, `design.source.${key}`))));
  }
  if (!low.length && !high.length) return { low, high };
  if (space.kind === "Earth" || space.kind === "LocalPlane") {
    throw refuse("design.source.low", "left out on a map, which clamps to its own region", "a range");
  }
  if (low.length !== space.axes || high.length !== space.axes || low.some((end, k) => !end.less(high[k]))) {
    throw refuse("design.source", `a range of ${space.axes} axes, whose low ends are below the high ones`, "another");
  }
  return { low, high };
}
