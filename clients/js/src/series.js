// What the series of functions share: 32 bits more than are asked for. What truncation and the end of a series leave out
// stays far below 2^31 of the last of them, so that one unit on each side covers it.

import { Interval } from "./intervals.js";

export const GUARD = 32;
export const HALVINGS = 3;
const SLACK = 1n << 31n;

/** A sum with its guard taken off and its error paid. */
export function settled(number, bits) {
  return new Interval((number - SLACK) >> BigInt(GUARD), ((number + SLACK) >> BigInt(GUARD)) + 1n, bits);
}

/** x + s·x³/3 + x⁵/5 + s·x⁷/7 + …: the arc tangent with s = −1, the area tangent with s = 1. */
export function oddSeries(x, work, sign) {
  const square = (x * x) >> work;
  let [result, power, k, flip] = [x, x, 1n, 1n];
  while (power) {
    power = (power * square) >> work;
    k += 2n;
    flip *= sign;
    result += flip * (power / k);
  }
  return result;
}
