// Lengths of vectors of intervals, and what they are made of.

import { Interval } from "./intervals.js";
import { isqrt, max } from "./numbers.js";

const total = (terms) => terms.reduce((sum, term) => sum.plus(term));

/** The Euclidean length of a vector. */
export const length = (vector) => (vector.length === 1 ? size(vector[0]) : root(total(vector.map(square))));

export const dot = (a, b) => total(a.map((part, k) => part.times(b[k])));

function size(number) {
  if (number.low >= 0n) return number;
  return number.high <= 0n ? number.negated() : new Interval(0n, max(-number.low, number.high), number.bits);
}

function square(number) {
  const { low, high, bits } = size(number);
  return new Interval((low * low) >> BigInt(bits), -((-high * high) >> BigInt(bits)), bits);
}

/** The square root of a number that is not negative. */
export function root({ low, high, bits }) {
  const [least, most] = [max(low, 0n) << BigInt(bits), max(high, 0n) << BigInt(bits)];
  return new Interval(isqrt(least), most ? isqrt(most - 1n) + 1n : 0n, bits);
}
