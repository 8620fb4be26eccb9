// From random bytes to the letter that a table reports.

import { Fraction, bitLength, clip } from "./numbers.js";
import { Uniform, fineBits, fromBytes } from "./uniform.js";

/** The rows of a table as a device chooses among them: places in whole numbers out of 2^scale, and running sums. */
export function rowsOf(lattice, sums, shares = []) {
  const places = lattice.map(Fraction.of);
  const scale = fineBits(places);
  const whole = places.map((place) => (place.top << BigInt(scale)) / place.bottom);
  const narrow = whole.slice(1).reduce((least, end, k) => Math.min(least, bitLength(end - whole[k])), Infinity);
  return { lattice: whole, scale, bits: 112 + Math.max(scale - narrow, 0), sums, shares };
}

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
  // twice the same cell away from lattice points, so that time does not tell of one
  const [row, other] = [first, final].map((cell) => {
    const tossed = chance !== null && chance < rows.shares[cell] ? coins : coins.slice(0, 1);
    return inCell(rows.lattice, cell, shift, s, tossed);
  });
  return row === other ? row : null;
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
