// Great-circle distances on the globe, to a place and to a polygon of arcs, for unit vectors that are moved to a fine
// grid of whole numbers. The side of a polygon is told on the gnomonic map, where great circles are straight. Every arc
// is looked at, so that time tells nothing of the place.

import { sineCosine } from "./angles.js";
import { turn } from "./arcs.js";
import { nearest } from "./floats.js";
import { Interval, exact } from "./intervals.js";
import { Fraction, isqrt, max, min } from "./numbers.js";
import { kept } from "./kept.js";
import { length } from "./lengths.js";
import { onGlobe } from "./maps.js";
import { refuse } from "./reading.js";
import { FILLED, LEVEL, edgesOf, readRings } from "./regions.js";

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
  const grid = (pairs) => pairs.map((ends) => wholeArc(...ends.map((end) => corner(end, axes))));
  const [size, arcs] = [Fraction.of(radius), grid(made)];
  return (value, bits) => {
    const level = Math.max(bits, LEVEL);
    const here = corner(wholeVector(value, level), axes);
    const { angle, odd } = look(here, level === LEVEL ? arcs : grid(vectors(level)), level);
    const away = exact(size, level).times(angle);
    const inFront = dot(floatVector(here.vector, level), axes[1]) >= REACH / 2;
    // on its way to the grid the place may have crossed the border
    if (angle.low <= GRID) return new Interval(-away.high, away.high, level).to(bits);
    return (odd && inFront ? away.negated() : away).to(bits);
  };
}

/** An arc: its ends, their outer product and its square, and their inner product. */
function wholeArc(a, b) {
  const outer = cross(a.vector, b.vector);
  return { a, b, outer, size: max(dot(outer, outer), 1n), between: dot(a.vector, b.vector) };
}

/**
 * The angle to the nearest arc, to a foot between its ends or to an end, and whether a ray to the right on the gnomonic
 * map crosses an odd number. Feet are compared by the squared sine of the angle, ends by that of half the angle.
 */
function look(here, arcs, level) {
  const one = 1n << BigInt(2 * level);
  const full = 1n << BigInt(2 * (level + FILLED));
  const [up, ahead] = here.map;
  const none = here.square + 1n + full;
  let [foot, half, odd] = [none, 2n * one, false];
  for (const { a, b, outer, size, between } of arcs) {
    const [atA, atB] = [dot(here.vector, a.vector), dot(here.vector, b.vector)];
    const both = here.square + a.square;
    half = min(half, ((3n * both - 2n * atA) * one) / (2n * both));
    const height = dot(here.vector, outer);
    const on = (atB * a.square > atA * between) & (atA * b.square > atB * between);
    foot = min(foot, [none, (height * height + size * full) / size][on]);
    const [from, to] = [a, b].map(({ map: [rise, front] }) => rise * ahead > up * front);
    odd = Boolean(odd ^ ((from ^ to) & ((height <= 0n) ^ to)));
  }
  // a foot is within a right angle, an end may be farther
  const near = turned(min(foot - full, here.square), here.square, level);
  const end = turned(half - one, one, level);
  const angle = foot === none ? end.plus(end) : end.plus(end).minimum(near);
  return { angle: new Interval(max(angle.low - GRID, 0n), angle.high + GRID, level), odd };
}

/** The angle whose squared sine is between two neighbouring whole numbers out of a third. */
function turned(square, whole, level) {
  const [low, rest] = [isqrt(square), whole - square];
  const adjacent = new Interval(isqrt(max(rest - 1n, 0n)), isqrt(rest) + 1n, level);
  return turn(new Interval(low, low + 1n, level), adjacent);
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

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
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
