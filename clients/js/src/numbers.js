// Whole numbers of any size, and exact fractions.

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
}
