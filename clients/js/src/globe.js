// Great-circle distances on the globe, to a place and to a polygon of arcs, for unit vectors that are moved to a fine
// grid of whole numbers. The side of a polygon is told on the gnomonic map, where great circles are straight. Every arc
// is looked at, so that time tells nothing of the place.

import { sineCosine } from "./angles.js";
import { turn } from "./arcs.js";
import { nearest } from "./floats.js";
import { Interval, exact } from "./intervals.js";
import { Fraction, abs, isqrt, max, min } from "./numbers.js";
import { kept } from "./kept.js";
import { length } from "./lengths.js";
import { onGlobe } from "./maps.js";
import { refuse } from "./reading.js";
import { LEVEL, edgesOf, readRings } from "./regions.js";

const REACH = Math.cos((80 * Math.PI) / 180); // farther out the gnomonic map stretches without end
const GRID = 64n; // units of the grid by which an angle between a place and an arc on it is off at most

/** (latitude, longitude) in degrees as a unit vector of R³. */
function unitVector(value, bits) {
  const [[up, out], [sine, cosine]] = value.map((degrees) => sineCosine(degrees, bits));
  return [out.times(cosine), out.times(sine), up];
}

/** The distance to a public place, less an offset. */
export function aroundPlace(sphere, center, offset) {
  const place = onPublicGlobe(center);
  const radius = Fraction.of(sphere);
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

/** The angle between two unit vectors, by Kahan's formula: accurate for close points and for antipodes. */
function angleBetween(a, b) {
  const half = turn(length(a.map((part, k) => part.minus(b[k]))), length(a.map((part, k) => part.plus(b[k]))));
  return half.plus(half);
}

/** The signed distance to a polygon whose rings are in (longitude, latitude). */
export function readArcs(radius, lists) {
  const rings = readRings(lists, "EarthRegion.rings");
  if (rings.flat().some(([x, y]) => Math.abs(x) > 360 || Math.abs(y) > 90)) {
    throw refuse("EarthRegion.rings", "in degrees (longitude, latitude) on a globe", "something else");
  }
  return globeRegion(radius, rings);
}

/** The distance to the arcs between corners in (longitude, latitude), negative inside, as a function of a value. */
function globeRegion(radius, rings) {
  const values = edgesOf(rings, "EarthRegion.rings").map((edge) => edge.map(exactPlace));
  const vectors = (level) => values.map((ends) => ends.map((end) => wholeVector(end, level)));
  const made = vectors(LEVEL);
  const inFloats = (vector) => floatVector(vector, LEVEL);
  const axes = frame(made.map(([start]) => inFloats(start)));
  // all corners, also of rings that are one point and have no edge
  const corners = rings.flat().map((corner) => inFloats(wholeVector(exactPlace(corner), LEVEL)));
  if (!axes || corners.some((vector) => !(dot(vector, axes[1]) > REACH))) {
    throw refuse("EarthRegion.rings", "within 80° of its middle on Earth", "a larger one");
  }
  const onGrid = (pairs) => pairs.map((ends) => ends.map((end) => corner(end, axes)));
  const [size, grid] = [Fraction.of(radius), onGrid(made)];
  return (value, bits) => {
    const level = Math.max(bits, LEVEL);
    const arcs = level === LEVEL ? grid : onGrid(vectors(level));
    const here = corner(wholeVector(value, level), axes);
    const angle = leastAngle(here, arcs, level);
    const away = exact(size, level).times(angle);
    const inner = inside(here, arcs) && dot(floatVector(here.vector, level), axes[1]) >= REACH / 2;
    // on its way to the grid the place may have crossed the border
    if (angle.low <= GRID) return new Interval(-away.high, away.high, level).to(bits);
    return (inner ? away.negated() : away).to(bits);
  };
}

/** The angle to the nearest arc: to a foot between its ends, or to an end, found by the least o/(o + a). */
function leastAngle(here, arcs, level) {
  const [feet, ends] = [[], []];
  for (const [a, b] of arcs) {
    const [atA, atB] = [a, b].map((end) => dot(here.vector, end.vector));
    const between = dot(a.vector, b.vector);
    if (atB * a.square > atA * between && atA * b.square > atB * between) {
      const height = abs(determinant(a.vector, b.vector, here.vector));
      const inner = isqrt(atA * atA * b.square - 2n * atA * atB * between + atB * atB * a.square);
      feet.push((height << BigInt(level)) / (height + inner));
    } else ends.push(half(here, a, atA, level), half(here, b, atB, level));
  }
  // a foot is within a right angle, an end may be farther
  const angles = feet.length ? [turned(feet.reduce(min), level)] : [];
  const halves = ends.length ? [turned(ends.reduce(min), level)] : [];
  angles.push(...halves.map((angle) => angle.plus(angle)));
  const angle = angles[0].minimum(angles.at(-1));
  return new Interval(max(angle.low - GRID, 0n), angle.high + GRID, level);
}

/** Whether a ray to the right on the gnomonic map crosses an odd number of arcs. */
function inside(here, arcs) {
  const [up, ahead] = here.map;
  let odd = false;
  for (const [a, b] of arcs) {
    const above = b.map[0] * ahead > up * b.map[1];
    if (a.map[0] * ahead > up * a.map[1] === above) continue;
    if (determinant(a.vector, b.vector, here.vector) > 0n === above) odd = !odd;
  }
  return odd;
}

const exactPlace = ([longitude, latitude]) => [latitude, longitude].map(Fraction.of);

/** A unit vector in whole numbers out of 2^level, less than two off on each axis. */
const wholeVector = (value, level) => unitVector(value, level + 8).map((part) => part.low >> 8n);
const floatVector = (vector, level) => vector.map((part) => nearest(part, 1n << BigInt(level)));

/** A corner on the grid: its vector, the square of its length, and up and ahead of the middle, in any units. */
function corner(vector, axes) {
  const along = (axis) => dot(vector, axis.map((part) => BigInt(Math.trunc(part * 2 ** 60))));
  return { vector, square: dot(vector, vector), map: axes.map(along) };
}

/** o/(o + a) of half the angle between two unit vectors: o is half their difference and a half their sum. */
function half(here, end, at, level) {
  const squares = here.square + end.square;
  const [apart, together] = [isqrt(squares - 2n * at), isqrt(squares + 2n * at)];
  return (apart << BigInt(level)) / (apart + together);
}

/** The angle with this o/(o + a). */
function turned(share, level) {
  const rest = (1n << BigInt(level)) - share;
  return turn(new Interval(share, share, level), new Interval(rest, rest, level));
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const determinant = (a, b, c) => dot(cross(a, b), c);
const scaled = (vector) => vector.map((part) => part / Math.hypot(...vector));

/** Up and ahead of the middle of some places: any directions that are nearly right. */
function frame(places) {
  const middle = [0, 1, 2].map((k) => places.reduce((sum, place) => sum + place[k], 0));
  if (!(Math.hypot(...middle) > 1e-6 * places.length)) return null;
  const ahead = scaled(middle);
  const sizes = ahead.map(Math.abs);
  const helper = [0, 0, 0];
  helper[sizes.indexOf(Math.min(...sizes))] = 1;
  return [cross(ahead, scaled(cross(helper, ahead))), ahead];
}
