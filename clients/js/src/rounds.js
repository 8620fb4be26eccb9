// Round noise on a lattice, k with probability ∝ (1 + θ)^(−√(|k|² + C)), by rejection, in whole numbers (theory T8′).

import { geometric, rounded } from "./cells.js";
import { Interval } from "./intervals.js";
import { kept } from "./kept.js";
import { exponential, logarithm } from "./logarithms.js";
import { Fraction, abs, floor, isqrt, max } from "./numbers.js";
import { uniforms } from "./uniform.js";

const GUARD = 64; // bits with which chances are known beyond those of W
const [ONE, TWO] = [new Fraction(1n), new Fraction(2n)];

/** The noise of θ, C and d axes: whether it can be drawn, what it spends of ε·step, and how it is drawn. */
export function roundNoise(theta, core, axes) {
  const wide = new Fraction(BigInt(axes));
  const square = theta.times(theta);
  const two = TWO.plus(theta);
  // d·(2 + θ)²/(4θ·(4 + 3θ)), of which C is at least one
  const bottom = new Fraction(4n).times(theta).times(new Fraction(4n).plus(new Fraction(3n).times(theta)));
  const least = wide.times(two.times(two)).over(bottom).over(new Fraction(core));
  const beta = proposed(theta, axes);
  const ratio = [beta.bottom, beta.top + beta.bottom];
  const logarithms = kept((bits) => [logarithm(ONE.plus(beta), bits), logarithm(ONE.plus(theta), bits)]);
  return {
    drawable: axes >= 2 && axes <= 6 && !new Fraction(16n).less(square.times(new Fraction(core))),
    spent(allowed) {
      const steep = square.over(allowed.times(allowed));
      return steep.less(least) ? least : steep;
    },
    draw: (enclose, bits, source) => drawRound({ axes, core, ratio, logarithms }, enclose, bits, source),
  };
}

/** β of the proposals: x + x²/2 rounded down to a multiple of 2^-32, x = 2θ/((2 + θ)·r), r ≥ √d of 16 bits. */
function proposed(theta, axes) {
  const root = new Fraction(isqrt(BigInt(axes) << 32n) + 1n, 1n << 16n);
  const x = TWO.times(theta).over(TWO.plus(theta).times(root));
  const { top, bottom } = x.plus(x.times(x).over(TWO));
  return new Fraction(floor(top << 32n, bottom), 1n << 32n);
}

/** Whether an attempt is accepted depends on the noise alone, so the number of attempts tells nothing of the position. */
function drawRound(noise, enclose, bits, source) {
  const { axes, ratio } = noise;
  for (;;) {
    const numbers = uniforms(2 * axes + 1, source);
    for (;;) {
      const moves = numbers.filter((_, k) => k % 2).map((number) => geometric(number, ratio));
      const open = moves.includes(null);
      const kept = open ? null : accepted(noise, moves, numbers.at(-1));
      if (kept === false) break;
      if (kept) {
        const places = enclose(bits + numbers[0].bits - 64);
        const cells = places.map((place, k) => rounded(place, numbers[2 * k]));
        if (!cells.includes(null)) return cells.map((cell, k) => cell + moves[k]);
      }
      numbers.forEach((number) => number.extend());
    }
  }
}

/** Whether W is below the chance of a proposal; null where what is known so far does not settle it. */
function accepted({ core, logarithms }, moves, w) {
  const bits = w.bits + GUARD;
  const [rise, fall] = logarithms(bits);
  const total = moves.reduce((sum, move) => sum + abs(move), 0n);
  const root = isqrt((moves.reduce((sum, move) => sum + move * move, 0n) + core) << BigInt(2 * bits));
  const power = new Interval(root, root + 1n, bits).times(fall);
  const [low, high] = [power.low - total * rise.high, power.high - total * rise.low];
  const chance = exponential(new Interval(max(low, 0n), max(high, 0n), bits));
  if ((w.numerator + 1n) << BigInt(GUARD) <= chance.low) return true;
  return w.numerator << BigInt(GUARD) >= chance.high ? false : null;
}
