// Lattices as a device runs them.

import { drawCells } from "./cells.js";
import { exact } from "./intervals.js";
import { readEpsilon } from "./mechanisms.js";
import { Fraction } from "./numbers.js";
import { numbers, positive, ratio, refuse, whole } from "./reading.js";
import { readSpace } from "./spaces.js";
import { fineBits } from "./uniform.js";

const BITS = 112; // with which positions on a grid are known at first

export async function lattice(document, where) {
  const space = await readSpace(document.space);
  const step = Fraction.of(positive(document.step, `${where}.step`));
  if (!space.point) throw refuse(`${where}.space`, "flat", space.kind);
  const origin = numbers(document.origin, `${where}.origin`, space.axes).map(Fraction.of);
  const theta = ratio(document.theta, `${where}.theta`);
  if (theta.less(new Fraction(1n, 1n << 14n)) || new Fraction(1n << 10n).less(theta)) {
    throw refuse(`${where}.theta`, "between 2^-14 and 2^10", `${theta.top}/${theta.bottom}`);
  }
  const epsilon = readEpsilon(document.guarantee, where, space.unit);
  const allowed = Fraction.of(epsilon).times(step);
  const square = theta.times(theta).over(allowed.times(allowed));
  const noise = "core" in document ? await readCore(document.core, theta, space.axes, where) : null;
  const spent = noise ? noise.spent(allowed) : square.times(new Fraction(BigInt(space.axes)));
  const fine = fineBits([step, ...origin]);
  const positions = (value, bits) => {
    const point = space.point(value, bits + fine);
    return point.map((x, k) => x.minus(exact(origin[k], bits + fine)).over(exact(step, bits + fine)));
  };
  const geometric = [theta.bottom, theta.top + theta.bottom];
  const draw = (value, source) => {
    const enclose = (bits) => positions(value, bits);
    return noise ? noise.draw(enclose, BITS, source) : drawCells(enclose, geometric, BITS, source, space.axes);
  };
  return { epsilon, space, spent, draw };
}

/** Round noise, where a lattice says that it has some. */
async function readCore(core, theta, axes, where) {
  const { roundNoise } = await import("./rounds.js");
  const noise = roundNoise(theta, whole(core, `${where}.core`, 1n, 1n << 40n), axes);
  if (noise.drawable) return noise;
  throw refuse(`${where}.core`, "for two to six axes, and such that theta^2 times it is at most 16", core);
}
