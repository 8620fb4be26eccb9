// From random bytes to a report, by comparing whole numbers: the published rule (docs/client.md). A number U, uniform on
// [0, 1), is an endless sequence of fair bits, of which 64 are drawn at first, then 192 in all, 448, and so on while
// they do not settle a comparison. So every comparison is with the exact threshold.

import { bitLength } from "./numbers.js";

const MOST = 1 << 17;

/** Random bytes of the browser. */
export const systemBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

/** A whole number of bytes, lowest first. */
export const fromBytes = (bytes) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** A number that is uniform on [0, 1), of which only the first bits have been drawn. */
export class Uniform {
  constructor(word, source) {
    this.numerator = fromBytes(word);
    this.bits = 64;
    this.source = source;
  }

  extend() {
    const bits = 2 * (this.bits + 64) - 64;
    if (bits > MOST) throw new RangeError("A report could not be settled; nothing was released.");
    const more = bits - this.bits;
    this.numerator = (this.numerator << BigInt(more)) | fromBytes(this.source(more / 8));
    this.bits = bits;
  }
}

/** So many numbers, of which the first eight bytes are drawn at once. */
export function uniforms(count, source) {
  const words = source(8 * count);
  return Array.from({ length: count }, (_, k) => new Uniform(words.subarray(8 * k, 8 * k + 8), source));
}

/** With how many bits after the point floats are whole numbers. */
export const fineBits = (numbers) => Math.max(...numbers.map(({ bottom }) => bitLength(bottom) - 1));
