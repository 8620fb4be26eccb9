// The arc tangent as an interval, in whole numbers only.

import { pi } from "./angles.js";
import { Interval } from "./intervals.js";
import { abs, isqrt, max, min } from "./numbers.js";
import { GUARD, HALVINGS, oddSeries, settled } from "./series.js";

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
