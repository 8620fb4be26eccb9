// From random bytes to the cells that a lattice reports.

import { kept } from "./kept.js";
import { ceil, clip, floor } from "./numbers.js";
import { uniforms } from "./uniform.js";

const FARTHEST = 1n << 50n; // steps from the origin of a grid
const GUARD = 64n; // bits with which powers are known beyond those of U

/** A lattice's report: each position rounded at random, plus two-sided geometric noise (theory T8). */
export function drawCells(enclose, ratio, bits, source, axes) {
  const numbers = uniforms(2 * axes, source);
  for (;;) {
    const cells = enclose(bits + numbers[0].bits - 64).map((place, k) => {
      const [cell, moved] = [rounded(place, numbers[2 * k]), geometric(numbers[2 * k + 1], ratio)];
      return cell === null || moved === null ? null : cell + moved;
    });
    if (!cells.includes(null)) return cells;
    numbers.forEach((number) => number.extend());
  }
}

/** The cell ⌈t − U⌉ of a position t, clamped; null where what is known so far does not settle it. */
export function rounded(place, { numerator, bits }) {
  const [whole, fine] = [BigInt(place.bits), BigInt(place.bits - bits)];
  const far = FARTHEST << whole;
  // t − U lies above `least` and is at most `most`
  const least = clip(place.low, -far, far) - ((numerator + 1n) << fine);
  const most = clip(place.high, -far, far) - (numerator << fine);
  const cell = ceil(most, 1n << whole);
  return least < (cell - 1n) << whole ? null : cell;
}

/** By how many cells geometric noise moves an axis, up where the first bit is 1; null where it is not settled. */
export function geometric(noise, ratio) {
  const size = sizeOf(noise, ratio);
  if (size === null) return null;
  return noise.numerator >> BigInt(noise.bits - 1) ? size : -size;
}

/** How many k ≥ 1 have V < 2/(2 + θ)·a^(k−1), V made of all bits but the first, by W = V·(2 + θ)/2. */
function sizeOf(noise, [a, b]) {
  const bits = BigInt(noise.bits - 1);
  const numerator = noise.numerator & ((1n << bits) - 1n);
  const one = 1n << (bits + GUARD);
  const [top, bottom] = [a + b, 2n * a];
  const [least, most] = [floor((numerator << GUARD) * top, bottom), ceil(((numerator + 1n) << GUARD) * top, bottom)];
  if (least >= one) return 0n;
  const found = most <= one ? powersAbove(least, most, bits, a, b) : null;
  return found === null ? null : 1n + found;
}

/** How many j ≥ 1 have W < a^j, for all W from least to most in units of 2^-(bits + 64), found bit by bit. */
function powersAbove(least, most, bits, a, b) {
  if (least === 0n) return null;
  const scale = bits + GUARD;
  let [low, high, found] = [1n << scale, 1n << scale, 0n];
  for (const [power, down, up] of powers(a, b, bits)) {
    const [below, over] = [(low * down) >> scale, -((-high * up) >> scale)];
    if (most <= below) [low, high, found] = [below, over, found + power];
    else if (least < over) return null;
  }
  return found;
}

/** 2^j and bounds on a^(2^j), the largest first, of those that a number of so many bits can be below. */
const powers = kept((a, b, bits) => {
  const scale = bits + GUARD;
  let [down, up, power] = [(a << scale) / b, ceil(a << scale, b), 1n];
  const found = [];
  while (up > 1n << GUARD) {
    found.push([power, down, up]);
    [down, up, power] = [(down * down) >> scale, -((-up * up) >> scale), 2n * power];
  }
  return found.reverse();
});
