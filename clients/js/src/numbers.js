// Whole numbers of any size, exact fractions, and the floats nearest to them.

export const abs = (n) => (n < 0n ? -n : n);
export const min = (a, b) => (a < b ? a : b);
export const max = (a, b) => (a > b ? a : b);
export const clip = (n, low, high) => min(max(n, low), high);

/** The quotient by a positive number, rounded down. */
export function floor(a, b) {
  const q = a / b;
  return a < 0n && q * b !== a ? q - 1n : q;
}

/** The quotient by a positive number, rounded up. */
export const ceil = (a, b) => -floor(-a, b);

/** How many bits a whole number has, without its sign. */
export function bitLength(n) {
  const digits = abs(n).toString(16);
  return n === 0n ? 0 : 4 * digits.length - Math.clz32(parseInt(digits[0], 16)) + 28;
}

/** The square root, rounded down. */
export function isqrt(n) {
  if (n < 2n) return n;
  let x = 1n << BigInt((bitLength(n) + 1) >> 1);
  for (;;) {
    const y = (x + n / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
}

function gcd(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

const VIEW = new DataView(new ArrayBuffer(8));

/** A rational number in lowest terms, top/bottom with bottom > 0. */
export class Fraction {
  constructor(top, bottom = 1n) {
    const common = bottom === 1n ? 1n : gcd(abs(top), bottom);
    this.top = top / common;
    this.bottom = bottom / common;
  }

  /** Exactly the number that a finite float is. */
  static of(float) {
    VIEW.setFloat64(0, float);
    const bits = VIEW.getBigUint64(0);
    const exponent = Number((bits >> 52n) & 0x7ffn);
    const size = (bits & 0xfffffffffffffn) | (exponent ? 1n << 52n : 0n);
    const top = bits >> 63n ? -size : size;
    const shift = BigInt(Math.max(exponent, 1) - 1075);
    return shift >= 0n ? new Fraction(top << shift) : new Fraction(top, 1n << -shift);
  }

  plus(other) {
    return new Fraction(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom);
  }

  minus(other) {
    return new Fraction(this.top * other.bottom - other.top * this.bottom, this.bottom * other.bottom);
  }

  times(other) {
    return new Fraction(this.top * other.top, this.bottom * other.bottom);
  }

  /** The quotient by a positive number. */
  over(other) {
    return new Fraction(this.top * other.bottom, this.bottom * other.top);
  }

  less(other) {
    return this.top * other.bottom < other.top * this.bottom;
  }

  equals(other) {
    return this.top === other.top && this.bottom === other.bottom;
  }

  /** The nearest float; infinite beyond all of them. */
  float() {
    return nearest(this.top, this.bottom);
  }
}

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
