// The floats nearest to exact numbers.

import { Fraction, abs, bitLength, min } from "./numbers.js";

const FINEST = 1 << 12; // bits at which a number that may be 0 is given up
const DIGITS = 200n; // bits of a number itself at which one that two floats are equally near to is

/** 2^k for every k whose power is a float or overflows: in two steps, so that small ones are exact. */
const power = (k) => 2 ** Math.trunc(k / 2) * 2 ** (k - Math.trunc(k / 2));

/** The float nearest to top/bottom, as IEEE 754 rounds. */
export function nearest(top, bottom) {
  if (top < 0n) return -nearest(-top, bottom);
  if (top === 0n) return 0;
  const shift = Math.min(66 - (bitLength(top) - bitLength(bottom)), 1074);
  if (shift < -1000) return Infinity;
  const [a, b] = shift >= 0 ? [top << BigInt(shift), bottom] : [top, bottom << BigInt(-shift)];
  const quotient = a / b;
  const rest = a - quotient * b;
  if (shift === 1074 && bitLength(quotient) <= 53) {
    // near the smallest floats there are fewer bits: rounded here, ties to even
    const up = 2n * rest > b || (2n * rest === b && (quotient & 1n) === 1n);
    return Number(up ? quotient + 1n : quotient) * 2 ** -1074;
  }
  return Number(rest ? quotient | 1n : quotient) * power(-shift);
}

/** The nearest float to a fraction; infinite beyond all of them. */
export const float = ({ top, bottom }) => nearest(top, bottom);

/** The float nearest to a number that is enclosed at any precision; 0 for what is smaller than `least`. */
export function nearestFloat(enclose, least = new Fraction(0n)) {
  for (let bits = 128; ; bits *= 2) {
    const found = enclose(bits);
    const [low, high] = [found.low, found.high].map((end) => new Fraction(end, 1n << BigInt(bits)));
    if (new Fraction(-least.top, least.bottom).less(low) && high.less(least)) return 0;
    const known = min(abs(found.low), abs(found.high)) >> DIGITS > found.high - found.low;
    if (float(low) === float(high) || known || bits >= FINEST) return float(low);
  }
}
