// Parts of a document, each read by one rule; what breaks a rule is an InvalidDesign that names it.

import { InvalidDesign } from "./errors.js";
import { isObject } from "./json.js";
import { Fraction, abs } from "./numbers.js";
import { SHORT, plain, quoted } from "./texts.js";

export const AXES = 64;
const NUMBERS = 65_535; // in a list

/** The error for a part of a design that breaks a rule. */
export function refuse(where, rule, got) {
  return new InvalidDesign(`${where} must be ${rule}. Got ${quoted(got)} instead.`);
}

/** The type of a document, if it is one of the kinds and has exactly the keys of its kind, but for spare ones. */
export function thing(document, where, kinds, spare = []) {
  const kind = isObject(document) ? document.type : undefined;
  if (typeof kind !== "string") throw refuse(where, "an object with a 'type'", typeof document);
  if (!Object.hasOwn(kinds, kind)) throw refuse(`The type of ${where}`, `one of ${Object.keys(kinds).join(", ")}`, kind);
  const keys = ["type", ...kinds[kind]];
  const odd = Object.keys(document).filter((key) => !keys.includes(key) && !spare.includes(key));
  odd.push(...keys.filter((key) => !(key in document)));
  if (odd.length) throw refuse(`${where}, a ${kind},`, `made of the keys ${keys.join(", ")}`, `a difference in ${odd}`);
  return kind;
}

/** A finite number that a float holds. */
export function number(value, where) {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "bigint" && abs(value) < 1n << 1000n && BigInt(Number(value)) === value) return Number(value);
  throw refuse(where, "a finite number that a float holds", value);
}

export function positive(value, where) {
  const found = number(value, where);
  if (!(found > 0)) throw refuse(where, "positive", value);
  return found;
}

/** A list of 1 to `most` parts. */
export function parts(value, where, most) {
  if (!Array.isArray(value)) throw refuse(where, "a list", typeof value);
  if (!value.length || value.length > most) throw refuse(where, `a list of 1 to ${most} parts`, value.length);
  return value;
}

/** A list of so many parts exactly. */
export function exactly(value, where, count, what) {
  if (!Array.isArray(value) || value.length !== count) throw refuse(where, `${count} ${what}`, typeof value);
  return value;
}

export function numbers(value, where, count) {
  const found = parts(value, where, NUMBERS).map((part) => number(part, where));
  if (count !== undefined && found.length !== count) throw refuse(where, `made of ${count} number(s)`, found.length);
  return found;
}

/** A whole number in a range, as a BigInt. */
export function whole(value, where, least, most) {
  if (typeof value === "bigint" && least <= value && value <= most) return value;
  throw refuse(where, `a whole number from ${least} to ${most}`, value);
}

/** A fraction of two positive whole numbers. */
export function ratio(value, where) {
  return new Fraction(...exactly(value, where, 2, "whole numbers").map((part) => whole(part, where, 1n, 1n << 200n)));
}

export function text(value, where, most = SHORT) {
  if (plain(value, most)) return value;
  throw refuse(where, `a text of 1 to ${most} printable characters, in NFC, without spaces at its ends`, value);
}
