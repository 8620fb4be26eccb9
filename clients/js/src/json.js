// Canonical JSON and its hash. Whole numbers are BigInts and others floats, so that what is written is what was read.

import { InvalidDesign } from "./errors.js";
import { codePoints, seen } from "./texts.js";

const BYTES = 32 << 20;
const ITEMS = 1 << 21; // commas and brackets
const DIGITS = 400; // of a number
const DEPTH = 32;
const TOKEN = /"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?(?:e[+-]\d+)?/g; // a text or a number; one pass, whatever is wrong
const WHOLE = /^-?\d+$/;
const FREE = 400; // characters of any text

/** The document of a design file, if it is small and canonical, all its text is printable, and its hash is right. */
export async function parseDesign(bytes) {
  const words = printable(small(bytes));
  const document = strictly(() => parsed(words));
  if (!isObject(document)) throw new InvalidDesign("A design must be a JSON object.");
  if (canonical(document) !== words) {
    throw new InvalidDesign("A design must be canonical JSON: sorted keys, each once, no spaces, shortest decimals.");
  }
  if (document.hash !== (await digest(document))) {
    throw new InvalidDesign("The hash of the design does not fit what is in it: it was changed after it was made.");
  }
  return document;
}

export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** SHA-256 of the canonical form without the key "hash", in hexadecimal. */
async function digest(document) {
  const rest = Object.assign(Object.create(null), document);
  delete rest.hash;
  const found = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(rest)));
  return hexadecimal(new Uint8Array(found));
}

export const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

function small(bytes) {
  if (bytes.length > BYTES) throw new InvalidDesign(`A design must be a file of at most ${BYTES} bytes.`);
  const end = bytes.length - (bytes[bytes.length - 1] === 10 ? 1 : 0);
  let [items, digits, longest] = [0, 0, 0];
  for (let k = 0; k < end; k++) {
    const byte = bytes[k];
    if (byte === 44 || byte === 91 || byte === 123) items++;
    digits = byte >= 48 && byte <= 57 ? digits + 1 : 0;
    if (digits > longest) longest = digits;
  }
  if (longest > DIGITS) throw new InvalidDesign(`A design must be JSON whose numbers have at most ${DIGITS} digits.`);
  if (items > ITEMS) throw new InvalidDesign(`A design must be JSON of at most ${ITEMS} parts.`);
  return bytes.subarray(0, end);
}

function printable(bytes) {
  const words = strictly(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  // canonical JSON escapes control characters, quotes and backslashes, and nothing else
  if (!seen(words) || words.replaceAll("\\\\", "").replaceAll('\\"', "").includes("\\")) {
    throw new InvalidDesign("A design must be one line of JSON whose characters can all be printed and seen.");
  }
  return words;
}

function strictly(step) {
  try {
    return step();
  } catch {
    throw new InvalidDesign("A design must be a file of strict JSON in UTF-8.");
  }
}

/** What JSON means; what else there is in it makes it not canonical. */
function parsed(words) {
  // JSON.parse would round whole numbers, so they become texts behind a character that no text of a design has
  return meaning(JSON.parse(words.replace(TOKEN, (token) => (WHOLE.test(token) ? `"\\u0000${token}"` : token))));
}

function meaning(found, depth = 0) {
  if (typeof found === "string") {
    if (found[0] === "\0") return BigInt(found.slice(1));
    if (found.length > FREE && codePoints(found) > FREE) throw new SyntaxError();
    return found;
  }
  if (typeof found !== "object" || found === null) return found;
  if (depth === DEPTH) throw new SyntaxError();
  if (Array.isArray(found)) return found.map((one) => meaning(one, depth + 1));
  const made = Object.create(null);
  for (const key of Object.keys(found)) made[meaning(key)] = meaning(found[key], depth + 1);
  return made;
}

/** JSON in one form only: keys sorted by code points, no spaces, whole numbers as they are, floats by `decimal`. */
export function canonical(value) {
  if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
  if (typeof value === "number") return decimal(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).sort(byCodePoints);
  return `{${keys.map((key) => `${canonical(key)}:${canonical(value[key])}`).join()}}`;
}

/** UTF-16 puts surrogates, of characters beyond U+FFFF, below U+E000 to U+FFFF. */
function byCodePoints(a, b) {
  let k = 0;
  while (k < a.length && a[k] === b[k]) k++;
  const place = (words) => (words.charCodeAt(k) >= 0xd800 && words.charCodeAt(k) < 0xe000 ? 0x10000 : 0);
  if (k === a.length || k === b.length) return a.length - b.length;
  return place(a) + a.charCodeAt(k) - place(b) - b.charCodeAt(k);
}

/** The shortest decimal of a float as Python writes it: with a point or an exponent of two digits or more. */
export function decimal(number) {
  if (!Number.isFinite(number)) throw new InvalidDesign("A design must be made of finite numbers.");
  if (Object.is(number, -0)) return "-0.0";
  const [mantissa, power] = number.toExponential().split("e");
  if (power < -4 || power >= 16) return `${mantissa}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  return Number.isInteger(number) ? `${number}.0` : String(number);
}
