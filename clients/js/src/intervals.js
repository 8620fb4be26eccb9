// Real numbers between two whole ones, low/2^bits and high/2^bits. Every operation rounds outwards, and no mathematical
// library of the machine is involved, so every language that has whole numbers of any size computes the same bits.

import { ceil, floor, max, min } from "./numbers.js";

export class Interval {
  constructor(low, high, bits) {
    this.low = low;
    this.high = high;
    this.bits = bits;
  }

  plus(other) {
    return new Interval(this.low + other.low, this.high + other.high, this.bits);
  }

  minus(other) {
    return new Interval(this.low - other.high, this.high - other.low, this.bits);
  }

  negated() {
    return new Interval(-this.high, -this.low, this.bits);
  }

  times(other) {
    const ends = [this.low * other.low, this.low * other.high, this.high * other.low, this.high * other.high];
    return new Interval(ends.reduce(min) >> BigInt(this.bits), -(-ends.reduce(max) >> BigInt(this.bits)), this.bits);
  }

  /** The quotient by a number that is certainly positive; an error where it is not certain yet. */
  over(other) {
    if (other.low <= 0n) throw new RangeError("not known to be positive");
    const [low, high] = [this.low << BigInt(this.bits), this.high << BigInt(this.bits)];
    const down = floor(low, low >= 0n ? other.high : other.low);
    return new Interval(down, ceil(high, high >= 0n ? other.low : other.high), this.bits);
  }

  minimum(other) {
    return new Interval(min(this.low, other.low), min(this.high, other.high), this.bits);
  }

  maximum(other) {
    return new Interval(max(this.low, other.low), max(this.high, other.high), this.bits);
  }

  /** The same out of more bits, or of fewer. */
  to(bits) {
    const more = BigInt(bits - this.bits);
    if (more >= 0n) return new Interval(this.low << more, this.high << more, bits);
    return new Interval(this.low >> -more, -(-this.high >> -more), bits);
  }
}

/** A fraction between whole numbers out of 2^bits. */
export function exact({ top, bottom }, bits) {
  const large = top << BigInt(bits);
  return new Interval(floor(large, bottom), ceil(large, bottom), bits);
}
