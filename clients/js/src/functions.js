// Sine, cosine, arc tangent, logarithm, falling powers of e and π as intervals, in whole numbers only. Each is a series
// on a small argument, kept with 32 bits more than are asked for; what truncation and the end of the series leave out
// stays far below 2^31 of the last of them, so that one unit on each side covers it.

import { Interval } from "./intervals.js";
import { Fraction, abs, bitLength, floor, isqrt, max, min } from "./numbers.js";

const GUARD = 32;
const SLACK = 1n << 31n;
const HALVINGS = 3;
const FINEST = 1 << 12; // bits at which a number that may be 0 is given up
const DIGITS = 200n; // bits of a number itself at which one that two floats are equally near to is

/** What a function of public whole numbers gives, kept. */
export function kept(compute) {
  const known = new Map();
  return (key, ...rest) => {
    const name = [key, ...rest].join();
    if (!known.has(name)) {
      if (known.size > 256) known.clear();
      known.set(name, compute(key, ...rest));
    }
    return known.get(name);
  };
}

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

/** A sum with its guard taken off and its error paid. */
function settled(number, bits) {
  return new Interval((number - SLACK) >> BigInt(GUARD), ((number + SLACK) >> BigInt(GUARD)) + 1n, bits);
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

/** arctan(opposite/adjacent) of two lengths that are not both 0, in [0, π/2]: π/4 + arctan((o − a)/(o + a)). */
export function turn(opposite, adjacent) {
  const bits = opposite.bits;
  const [whole, quarter] = [opposite.plus(adjacent), pi(bits + 2)];
  if (whole.low <= 0n) return new Interval(0n, quarter / 2n + 2n, bits); // not certain yet
  const one = 1n << BigInt(bits);
  const share = opposite.minus(adjacent).over(whole);
  const arc = arcTangent(new Interval(max(share.low, -one), min(share.high, one), bits));
  // π/4·2^bits is π·2^(bits + 2)/16
  const [low, high] = [arc.low + quarter / 16n, arc.high + quarter / 16n + 1n];
  return new Interval(max(low, 0n), min(high, quarter / 8n + 1n), bits);
}

/** Of a number in [−1, 1]: at the middle, give or take half the width, since the slope is at most 1. */
function arcTangent(t) {
  const work = BigInt(t.bits + GUARD);
  const [centre, reach] = [(t.low + t.high) << BigInt(GUARD - 1), ((t.high - t.low) >> 1n) + 1n];
  const one = 1n << work;
  let size = abs(centre);
  for (let k = 0; k < HALVINGS; k++) size = (size << work) / (one + isqrt((one << work) + size * size));
  const sum = oddSeries(size, work, -1n) << BigInt(HALVINGS);
  const middle = settled(centre < 0n ? -sum : sum, t.bits);
  return new Interval(middle.low - reach, middle.high + reach, t.bits);
}

/** x + s·x³/3 + x⁵/5 + s·x⁷/7 + …: the arc tangent with s = −1, the area tangent with s = 1. */
function oddSeries(x, work, sign) {
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

/** The float nearest to a number that is enclosed at any precision; 0 for what is smaller than `least`. */
export function nearestFloat(enclose, least = new Fraction(0n)) {
  for (let bits = 128; ; bits *= 2) {
    const found = enclose(bits);
    const [low, high] = [found.low, found.high].map((end) => new Fraction(end, 1n << BigInt(bits)));
    if (new Fraction(-least.top, least.bottom).less(low) && high.less(least)) return 0;
    const known = min(abs(found.low), abs(found.high)) >> DIGITS > found.high - found.low;
    if (low.float() === high.float() || known || bits >= FINEST) return low.float();
  }
}


