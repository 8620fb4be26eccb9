// From random bytes to a report, by comparing whole numbers: the published rule (docs/client.md). A number U, uniform on
// [0, 1), is an endless sequence of fair bits, of which 64 are drawn at first, then 192 in all, 448, and so on while
// they do not settle a comparison. So every comparison is with the exact threshold.

import { kept } from "./functions.js";
import { Fraction, bitLength, ceil, clip, floor } from "./numbers.js";

const FARTHEST = 1n << 50n; // steps from the origin of a grid
const GUARD = 64n; // bits with which powers are known beyond those of U
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

/** Which mechanism a person answers: the k-th with probability proportional to its share; no bytes for one alone. */
export function drawShare(shares, source) {
  if (shares.length === 1) return 0;
  const total = shares.reduce((a, b) => a + b);
  const fair = (1n << 64n) - ((1n << 64n) % total); // from there on the remainder would not be uniform
  let word;
  do word = fromBytes(source(8));
  while (word >= fair);
  let rest = word % total;
  return shares.findIndex((share) => (rest -= share) < 0n);
}

/** The rows of a table as a device chooses among them: places in whole numbers out of 2^scale, and running sums. */
export function rowsOf(lattice, sums, shares = []) {
  const places = lattice.map(Fraction.of);
  const scale = fineBits(places);
  const whole = places.map((place) => (place.top << BigInt(scale)) / place.bottom);
  const narrow = whole.slice(1).reduce((least, end, k) => Math.min(least, bitLength(end - whole[k])), Infinity);
  return { lattice: whole, scale, bits: 112 + Math.max(scale - narrow, 0), sums, shares };
}

/** With how many bits after the point floats are whole numbers. */
export const fineBits = (numbers) => Math.max(...numbers.map(({ bottom }) => bitLength(bottom) - 1));

/** How many of increasing numbers are not above a number, or with `strictly` are below it. */
export function count(numbers, number, strictly = false) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (strictly ? numbers[middle] < number : numbers[middle] <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first and the last cell in which a coordinate can lie, the coordinate in whole numbers, and its further bits. */
export function cellsOf(rows, coordinate) {
  const s = coordinate.to(Math.max(coordinate.bits, rows.scale));
  const shift = BigInt(s.bits - rows.scale);
  const cell = (end) => Math.min(Math.max(count(rows.lattice, end >> shift) - 1, 0), rows.lattice.length - 2);
  return { s, shift, first: cell(s.low), final: cell(s.high) };
}

/** The index of the value that a table reports at a coordinate: exactly the law of theory T5, or T5″. */
export function drawLetter(rows, enclose, source) {
  const words = source(16);
  const second = fromBytes(words.subarray(8));
  const further = rows.shares.length && !(second & 15n) ? source(24) : null;
  const coins = [words.subarray(0, 8)];
  if (further) coins.push(further.subarray(8, 16), further.subarray(16));
  const tossed = coins.map((word) => new Uniform(word, source));
  const chance = further && fromBytes(further.subarray(0, 8)) >> 24n;
  for (;;) {
    const row = rowOf(rows, enclose(rows.bits + tossed[0].bits - 64), tossed, chance);
    if (row !== null) return count(rows.sums[row], second >> 4n);
    tossed.forEach((coin) => coin.extend());
  }
}

/** The row that coins select, if it is the same one for all numbers that the coordinate and they can still be. */
function rowOf(rows, coordinate, coins, chance) {
  const { s, shift, first, final } = cellsOf(rows, coordinate);
  const found = new Set();
  for (let cell = first; cell <= Math.min(final, first + 2); cell++) {
    const tossed = chance !== null && chance < rows.shares[cell] ? coins : coins.slice(0, 1);
    found.add(inCell(rows.lattice, cell, shift, s, tossed));
  }
  return found.size === 1 ? [...found][0] : null;
}

/** The first coin tells the side; if another falls otherwise, the spare row of that side, which comes after all rows. */
function inCell(lattice, cell, shift, s, coins) {
  const start = lattice[cell] << shift;
  const width = (lattice[cell + 1] << shift) - start;
  const [least, most] = [s.low, s.high].map((end) => clip(end - start, 0n, width));
  const sides = coins.map((coin) => above(coin, width, least, most));
  if (sides[0] === null) return null;
  if (sides.includes(!sides[0])) return cell + Number(sides[0]) + lattice.length;
  return sides.includes(null) ? null : cell + Number(sides[0]);
}

/** Whether U is below the share s/width for all s from least to most; null where that depends. */
function above({ numerator, bits }, width, least, most) {
  if ((numerator + 1n) * width <= least << BigInt(bits)) return true;
  return numerator * width >= most << BigInt(bits) ? false : null;
}

/** A lattice's report: each position rounded at random, plus two-sided geometric noise (theory T8). */
export function drawCells(enclose, ratio, bits, source, axes) {
  const numbers = uniforms(2 * axes, source);
  for (;;) {
    const cells = enclose(bits + numbers[0].bits - 64).map((place, k) => {
      const [cell, moved] = [rounded(place, numbers[2 * k]), geometric(numbers[2 * k + 1], ratio)];
      return cell === null || moved === null ? null : cell + moved;
    });
    if (!cells.includes(null)) return cells;
    numbers.forEach((number) => number.extend());
  }
}

/** The cell ⌈t − U⌉ of a position t, clamped; null where what is known so far does not settle it. */
export function rounded(place, { numerator, bits }) {
  const [whole, fine] = [BigInt(place.bits), BigInt(place.bits - bits)];
  const far = FARTHEST << whole;
  // t − U lies above `least` and is at most `most`
  const least = clip(place.low, -far, far) - ((numerator + 1n) << fine);
  const most = clip(place.high, -far, far) - (numerator << fine);
  const cell = ceil(most, 1n << whole);
  return least < (cell - 1n) << whole ? null : cell;
}

/** By how many cells geometric noise moves an axis, up where the first bit is 1; null where it is not settled. */
export function geometric(noise, ratio) {
  const size = sizeOf(noise, ratio);
  if (size === null) return null;
  return noise.numerator >> BigInt(noise.bits - 1) ? size : -size;
}

/** How many k ≥ 1 have V < 2/(2 + θ)·a^(k−1), V made of all bits but the first, by W = V·(2 + θ)/2. */
function sizeOf(noise, [a, b]) {
  const bits = BigInt(noise.bits - 1);
  const numerator = noise.numerator & ((1n << bits) - 1n);
  const one = 1n << (bits + GUARD);
  const [top, bottom] = [a + b, 2n * a];
  const [least, most] = [floor((numerator << GUARD) * top, bottom), ceil(((numerator + 1n) << GUARD) * top, bottom)];
  if (least >= one) return 0n;
  const found = most <= one ? powersAbove(least, most, bits, a, b) : null;
  return found === null ? null : 1n + found;
}

/** How many j ≥ 1 have W < a^j, for all W from least to most in units of 2^-(bits + 64), found bit by bit. */
function powersAbove(least, most, bits, a, b) {
  if (least === 0n) return null;
  const scale = bits + GUARD;
  let [low, high, found] = [1n << scale, 1n << scale, 0n];
  for (const [power, down, up] of powers(a, b, bits)) {
    const [below, over] = [(low * down) >> scale, -((-high * up) >> scale)];
    if (most <= below) [low, high, found] = [below, over, found + power];
    else if (least < over) return null;
  }
  return found;
}

/** 2^j and bounds on a^(2^j), the largest first, of those that a number of so many bits can be below. */
const powers = kept((a, b, bits) => {
  const scale = bits + GUARD;
  let [down, up, power] = [(a << scale) / b, ceil(a << scale, b), 1n];
  const found = [];
  while (up > 1n << GUARD) {
    found.push([power, down, up]);
    [down, up, power] = [(down * down) >> scale, -((-up * up) >> scale), 2n * power];
  }
  return found.reverse();
});

