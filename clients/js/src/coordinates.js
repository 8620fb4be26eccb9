// The 1-Lipschitz coordinate s of a table, of five kinds, enclosed at one value to any number of bits. Whatever finite
// numbers define it, it never stretches a distance (theory T1), so nothing in a document has to be believed.

import { Interval, exact } from "./intervals.js";
import { dot, length, root } from "./lengths.js";
import { Fraction, max, min } from "./numbers.js";
import { number, numbers, refuse, thing } from "./reading.js";

const KINDS = {
  Linear: ["direction", "shift"],
  Radial: ["center", "offset"],
  Quadrant: ["corner"],
  Region: ["rings"],
  EarthRegion: ["rings"],
};
const READERS = { Linear: linear, Radial: radial, Quadrant: quadrant, Region: region, EarthRegion: earthRegion };

/** s at a value, between whole numbers out of 2^bits, as a function of both. */
export async function readCoordinate(document, space) {
  return READERS[thing(document, "coordinate", KINDS)](document, space);
}

function flat(space, kind) {
  if (!space.point) throw refuse(`The space of a ${kind}`, "flat", space.kind);
  return space;
}

/** ⟨u, x⟩/‖u‖ + shift: divided by the length that u has; on one axis ±x + shift. */
function linear(document, space) {
  const { point, axes } = flat(space, "Linear");
  const direction = numbers(document.direction, "Linear.direction", axes).map(Fraction.of);
  const shift = Fraction.of(number(document.shift, "Linear.shift"));
  const square = direction.map((u) => u.times(u)).reduce((a, b) => a.plus(b));
  if (square.less(new Fraction(1n, 4n)) || new Fraction(4n).less(square)) {
    throw refuse("Linear.direction", "a vector whose length is about 1", document.direction);
  }
  if (axes === 1) {
    const up = direction[0].top > 0n;
    return (x, bits) => (up ? point(x, bits)[0] : point(x, bits)[0].negated()).plus(exact(shift, bits));
  }
  return (x, bits) => {
    const score = dot(direction.map((u) => exact(u, bits)), point(x, bits));
    return score.over(root(exact(square, bits))).plus(exact(shift, bits));
  };
}

/** The distance to a centre, less an offset. */
async function radial(document, space) {
  const center = numbers(document.center, "Radial.center", space.axes).map(Fraction.of);
  const offset = Fraction.of(number(document.offset, "Radial.offset"));
  if (!space.sphere) {
    const gaps = (x, bits) => space.point(x, bits).map((part, k) => part.minus(exact(center[k], bits)));
    return (x, bits) => length(gaps(x, bits)).minus(exact(offset, bits));
  }
  return (await import("./globe.js")).aroundPlace(space.sphere, center, offset);
}

/** The distance to {p ≥ corner}, inside it less the depth. */
function quadrant(document, space) {
  const { point, axes } = flat(space, "Quadrant");
  const corner = numbers(document.corner, "Quadrant.corner", axes).map(Fraction.of);
  return (x, bits) => {
    const lack = point(x, bits).map((part, k) => exact(corner[k], bits).minus(part));
    const deepest = lack.reduce((a, b) => a.maximum(b));
    const outside = length(lack.map((part) => part.maximum(new Interval(0n, 0n, bits))));
    if (deepest.high <= 0n) return deepest;
    if (deepest.low > 0n) return outside;
    return new Interval(min(outside.low, deepest.low), max(outside.high, deepest.high), bits); // both are 0 on the border
  };
}

/** The signed distance to a polygon whose corners are points of a flat space of two axes. */
async function region(document, space) {
  const { point, axes } = flat(space, "Region");
  if (axes !== 2) throw refuse("The space of a Region", "of two axes", space.kind);
  const { flatRegion, readRings } = await import("./regions.js");
  const signed = flatRegion(readRings(document.rings, "Region.rings"), "Region.rings");
  return (x, bits) => signed(point(x, bits));
}

/** The signed distance to a polygon of great-circle arcs, whose corners are in degrees. */
async function earthRegion(document, space) {
  if (!space.sphere) throw refuse("The space of an EarthRegion", "the Earth", space.kind);
  return (await import("./globe.js")).readArcs(space.sphere, document.rings);
}
