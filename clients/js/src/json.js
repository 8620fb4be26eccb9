// Canonical JSON and its hash. Whole numbers are BigInts and others floats, so that what is written is what was read.

import { InvalidDesign } from "./errors.js";
import { codePoints, seen } from "./texts.js";

const BYTES = 32 << 20;
const ITEMS = 1 << 21; // commas and brackets
const DIGITS = /[0-9]{401}/;
const DEPTH = 32;
const FREE = 400; // characters of any text

/** The document of a design file, if it is small and canonical, all its text is printable, and its hash is right. */
export async function parseDesign(bytes) {
  const words = printable(small(bytes));
  const document = new Parser(words).document();
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
  let items = 0;
  for (let k = 0; k < end; k++) if (bytes[k] === 44 || bytes[k] === 91 || bytes[k] === 123) items++;
  if (items > ITEMS) throw new InvalidDesign(`A design must be JSON of at most ${ITEMS} parts.`);
  return bytes.subarray(0, end);
}

function printable(bytes) {
  const words = strictly(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  if (DIGITS.test(words)) throw new InvalidDesign("A design must be JSON whose numbers have at most 400 digits.");
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

/** Reads JSON without spaces; what else there is in it makes it not canonical. */
class Parser {
  constructor(words) {
    this.words = words;
    this.at = 0;
    this.depth = 0;
    this.number = /-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?/y;
    this.text = /"((?:[^"\\]|\\["\\])*)"/y;
  }

  document() {
    const found = strictly(() => this.value());
    if (this.at !== this.words.length) strictly(() => this.fail());
    return found;
  }

  fail() {
    throw new SyntaxError();
  }

  value() {
    switch (this.words[this.at]) {
      case "{":
        return this.inside("}", Object.create(null), (into) => {
          const key = this.string();
          if (this.words[this.at++] !== ":") this.fail();
          into[key] = this.value();
        });
      case "[":
        return this.inside("]", [], (into) => into.push(this.value()));
      case '"':
        return this.string();
    }
    for (const [word, meant] of [["true", true], ["false", false], ["null", null]]) {
      if (this.words.startsWith(word, this.at)) {
        this.at += word.length;
        return meant;
      }
    }
    const [found, point, power] = this.match(this.number);
    return point || power ? Number(found) : BigInt(found);
  }

  inside(end, into, one) {
    this.at++;
    if (++this.depth > DEPTH) throw new InvalidDesign(`A design must not be nested too deep: at most ${DEPTH} levels.`);
    if (this.words[this.at] === end) this.at++;
    else {
      do one(into);
      while (this.words[this.at++] === ",");
      if (this.words[this.at - 1] !== end) this.fail();
    }
    this.depth--;
    return into;
  }

  string() {
    const found = this.match(this.text)[1].replace(/\\(.)/g, "$1");
    if (found.length > FREE && codePoints(found) > FREE) this.fail();
    return found;
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.words);
    if (!found) this.fail();
    this.at = pattern.lastIndex;
    return found;
  }
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
  const [mantissa, power] = Math.abs(number).toExponential().split("e");
  const [digits, exponent] = [mantissa.replace(".", ""), Number(power)];
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${digits.slice(exponent + 1) || "0"}`;
}
