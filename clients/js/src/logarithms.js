// Logarithms and falling powers of e as intervals, in whole numbers only.

import { Interval } from "./intervals.js";
import { kept } from "./kept.js";
import { Fraction, abs, bitLength, isqrt } from "./numbers.js";
import { GUARD, HALVINGS, oddSeries, settled } from "./series.js";

/** The natural logarithm of a positive rational number. */
export function logarithm({ top, bottom }, bits) {
  if (top === bottom) return new Interval(0n, 0n, bits); // which no number of bits would tell from its neighbours
  const exponent = bitLength(top) - bitLength(bottom);
  const extra = bitLength(BigInt(exponent));
  const work = bits + GUARD + extra;
  const shift = work - exponent;
  const mantissa = (top << BigInt(Math.max(shift, 0))) / (bottom << BigInt(Math.max(-shift, 0))); // in (1/2, 2)
  const [fine, two] = [BigInt(work), 2n << BigInt(work)];
  const result = BigInt(exponent) * logOfMantissa(two, fine) + logOfMantissa(mantissa, fine);
  return settled(result >> BigInt(extra), bits);
}

/** Of a number in (1/2, 2], as eight times that of its eighth root m: ln m = 2·artanh((m−1)/(m+1)). */
function logOfMantissa(number, work) {
  const one = 1n << work;
  for (let k = 0; k < HALVINGS; k++) number = isqrt(number << work);
  const above = number - one;
  const series = oddSeries((abs(above) << work) / (number + one), work, 1n) << BigInt(HALVINGS + 1);
  return above >= 0n ? series : -series;
}

/** e^(−y), for y ≥ 0, between those of the two ends of y. */
export function exponential(power) {
  return new Interval(falling(power.high, power.bits).low, falling(power.low, power.bits).high, power.bits);
}

/** e^(−y/2^bits), as 2^−n·e^(−r) with 0 ≤ r < ln 2, by the series of e^(−r). */
function falling(y, bits) {
  const extra = bitLength(y >> BigInt(bits)) + 2;
  const work = bits + GUARD;
  const halves = (y << BigInt(GUARD + extra)) / logOfTwo(work + extra);
  if (halves > BigInt(bits)) return new Interval(0n, 1n, bits);
  const rest = (y << BigInt(GUARD)) - ((halves * logOfTwo(work + extra)) >> BigInt(extra));
  let term = 1n << BigInt(work);
  let [result, k, sign] = [term, 0n, 1n];
  while (term) {
    k += 1n;
    sign = -sign;
    term = ((term * rest) >> BigInt(work)) / k;
    result += sign * term;
  }
  return settled(result >> halves, bits);
}

/** ln 2·2^work, less than two units below. */
const logOfTwo = kept((work) => logarithm(new Fraction(2n), work + 2).low >> 2n);
