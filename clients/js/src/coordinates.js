// The 1-Lipschitz coordinate s of a table, of five kinds, enclosed at one value to any number of bits. Whatever finite
// numbers define it, it never stretches a distance (theory T1), so nothing in a document has to be believed.

import { Interval, dot, exact, length } from "./intervals.js";
import { Fraction } from "./numbers.js";
import { number, numbers, refuse, thing } from "./reading.js";
import { flatRegion, readEdges } from "./regions.js";
import { angleBetween, globeRegion } from "./globe.js";
import { kept } from "./functions.js";
import { onGlobe, unitVector } from "./spaces.js";

const KINDS = {
  Linear: ["direction", "shift"],
  Radial: ["center", "offset"],
  Quadrant: ["corner"],
  Region: ["rings"],
  EarthRegion: ["rings"],
};
const READERS = { Linear: linear, Radial: radial, Quadrant: quadrant, Region: region, EarthRegion: earthRegion };

/** s at a value, between whole numbers out of 2^bits, as a function of both. */
export function readCoordinate(document, space) {
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
    return score.over(exact(square, bits).root()).plus(exact(shift, bits));
  };
}

/** The distance to a centre, less an offset. */
function radial(document, space) {
  const center = numbers(document.center, "Radial.center", space.axes).map(Fraction.of);
  const offset = Fraction.of(number(document.offset, "Radial.offset"));
  if (!space.sphere) {
    const gaps = (x, bits) => space.point(x, bits).map((part, k) => part.minus(exact(center[k], bits)));
    return (x, bits) => length(gaps(x, bits)).minus(exact(offset, bits));
  }
  const place = onPublicGlobe(center);
  const radius = Fraction.of(space.sphere);
  const vector = kept((bits) => unitVector(place, bits));
  return (x, bits) => {
    const away = exact(radius, bits).times(angleBetween(unitVector(x, bits), vector(bits)));
    return away.minus(exact(offset, bits));
  };
}

function onPublicGlobe(center) {
  try {
    return onGlobe(center);
  } catch {
    throw refuse("Radial.center", "on the globe", "another place");
  }
}

/** The distance to {p ≥ corner}, inside it less the depth. */
function quadrant(document, space) {
  const { point, axes } = flat(space, "Quadrant");
  const corner = numbers(document.corner, "Quadrant.corner", axes).map(Fraction.of);
  return (x, bits) => {
    const lack = point(x, bits).map((part, k) => exact(corner[k], bits).minus(part));
    const deepest = lack.reduce((a, b) => a.maximum(b));
    if (deepest.high <= 0n) return deepest;
    const outside = length(lack.map((part) => part.maximum(new Interval(0n, 0n, bits))));
    return deepest.low > 0n ? outside : outside.hull(deepest); // both are 0 on the border
  };
}

/** The signed distance to a polygon whose corners are points of a flat space of two axes. */
function region(document, space) {
  const { point, axes } = flat(space, "Region");
  if (axes !== 2) throw refuse("The space of a Region", "of two axes", space.kind);
  const signed = flatRegion(readEdges(document.rings, "Region.rings"));
  return (x, bits) => signed(point(x, bits));
}

/** The signed distance to a polygon of great-circle arcs, whose corners are in degrees. */
function earthRegion(document, space) {
  if (!space.sphere) throw refuse("The space of an EarthRegion", "the Earth", space.kind);
  const edges = readEdges(document.rings, "EarthRegion.rings");
  if (edges.flat().some(([x, y]) => Math.abs(x) > 360 || Math.abs(y) > 90)) {
    throw refuse("EarthRegion.rings", "in degrees (longitude, latitude) on a globe", "something else");
  }
  return globeRegion(space.sphere, edges);
}
