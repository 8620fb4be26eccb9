// Sine, cosine and π as intervals, in whole numbers only.

import { kept } from "./kept.js";
import { abs, floor } from "./numbers.js";
import { GUARD, settled } from "./series.js";

/** The sine and the cosine of an angle in degrees. */
export function sineCosine(degrees, bits) {
  const ninety = 90n * degrees.bottom;
  let right = floor(degrees.top, ninety);
  const twice = 2n * (degrees.top - right * ninety);
  if (twice > ninety || (twice === ninety && right & 1n)) right += 1n; // the nearest, ties to even
  const work = bits + GUARD;
  const angle = floor((degrees.top - right * ninety) * pi(work), 180n * degrees.bottom);
  const square = (angle * angle) >> BigInt(work);
  const sine = settled(alternating(angle, square, work, 1n), bits);
  const cosine = settled(alternating(1n << BigInt(work), square, work, 0n), bits);
  const turns = [[sine, cosine], [cosine, sine.negated()], [sine.negated(), cosine.negated()], [cosine.negated(), sine]];
  return turns[Number(((right % 4n) + 4n) % 4n)];
}

/** first·(1 − x²/((n+1)(n+2)) + x⁴/((n+1)…(n+4)) − …): the cosine with n = 0, the sine with n = 1. */
function alternating(first, square, work, n) {
  let [result, term, sign] = [first, abs(first), first >= 0n ? -1n : 1n];
  while (term) {
    term = ((term * square) >> BigInt(work)) / ((n + 1n) * (n + 2n));
    result += sign * term;
    n += 2n;
    sign = -sign;
  }
  return result;
}

/** π·2^work, by Machin's formula, less than one unit off. */
export const pi = kept((work) => {
  const fine = work + GUARD;
  return (16n * arcOfInverse(5n, fine) - 4n * arcOfInverse(239n, fine)) >> BigInt(GUARD);
});

function arcOfInverse(n, work) {
  let term = (1n << BigInt(work)) / n;
  let [result, k, sign] = [term, 1n, 1n];
  while (term) {
    term /= n * n;
    k += 2n;
    sign = -sign;
    result += sign * (term / k);
  }
  return result;
}
