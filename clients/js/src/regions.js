// Signed distances to polygons of the plane, for a point and corners that are moved to a fine grid of whole numbers, and
// what that costs is paid. Every edge is looked at, so that time tells nothing of the point.

import { Interval, exact } from "./intervals.js";
import { Fraction, isqrt, max, min } from "./numbers.js";
import { number, refuse } from "./reading.js";

export const LEVEL = 160; // bits after the point of the grid on which polygons are kept
export const FILLED = 32; // bits with which numbers are filled up, so that divisions take as long at a point on an edge
const CORNERS = 10_000;

/** The rings of a polygon, or of several, each closed. */
export function readRings(lists, where) {
  if (!Array.isArray(lists) || !lists.every(Array.isArray)) throw refuse(where, "a list of lists", typeof lists);
  if (lists.reduce((sum, ring) => sum + ring.length, 0) > CORNERS) throw refuse(where, `of at most ${CORNERS} corners`, "more");
  const rings = lists.map((ring) => ring.map((corner) => readCorner(corner, where)));
  const closed = (ring) => ring.length > 3 && same(ring[0], ring.at(-1));
  if (!rings.length || !rings.every(closed)) throw refuse(where, "made of closed rings", `${rings.length} ring(s)`);
  return rings;
}

/** The edges of rings; corners that stand twice in a row make none. */
export function edgesOf(rings, where) {
  const edges = rings.flatMap((ring) => ring.slice(1).map((end, k) => [ring[k], end])).filter((edge) => !same(...edge));
  if (!edges.length) throw refuse(where, "a polygon with an area", "a point");
  return edges;
}

function readCorner(corner, where) {
  if (!Array.isArray(corner) || corner.length !== 2) throw refuse(where, "made of pairs of numbers", typeof corner);
  return corner.map((part) => number(part, where));
}

const same = (a, b) => a[0] === b[0] && a[1] === b[1];

/** The distance to the edges of rings, negative inside, as a function of a point. */
export function flatRegion(rings, where) {
  const edges = edgesOf(rings, where);
  const whole = (bits) => edges.map((edge) => wholeEdge(edge.flat().map((part) => exact(Fraction.of(part), bits).low)));
  const grid = whole(LEVEL);
  return (point) => {
    const own = point[0].bits;
    const bits = Math.max(own, LEVEL);
    const box = point.map((part) => part.to(bits));
    const place = box.map((part) => (part.low + part.high) >> 1n);
    // the point moves by at most half the width of its box and one unit on each axis, every corner by less than one
    const off = 4n + box.reduce((sum, part) => sum + part.high - part.low, 0n);
    const { square, odd } = look(place, bits === LEVEL ? grid : whole(bits), BigInt(2 * (bits + FILLED)));
    const distance = isqrt(square);
    const [low, high] = [max(distance - off, 0n), distance + 1n + off];
    if (low <= off) return new Interval(-high, high, bits).to(own); // it may have crossed the border on its way
    return (odd ? new Interval(-high, -low, bits) : new Interval(low, high, bits)).to(own);
  };
}

/** An edge: its ends and direction, the inner and outer product of the first end and the direction, the squared length. */
function wholeEdge([ax, ay, bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  return { ax, ay, by, dx, dy, inner: ax * dx + ay * dy, outer: ax * dy - ay * dx, size: max(dx * dx + dy * dy, 1n) };
}

/** The squared distance to the nearest edge, rounded down, and whether a ray to the right crosses an odd number. */
function look([px, py], edges, full) {
  const ends = edges.map(({ ax, ay }) => (px - ax) * (px - ax) + (py - ay) * (py - ay)).reduce(min);
  const none = ends + (1n << full);
  let [foot, odd] = [none, false];
  for (const { ay, by, dx, dy, inner, outer, size } of edges) {
    const [along, h] = [px * dx + py * dy - inner, px * dy - py * dx - outer];
    const line = (h * h + (size << full)) / size;
    foot = min(foot, [none, line][(along > 0n) & (along < size)]);
    odd = Boolean(odd ^ (((ay > py) ^ (by > py)) & ((h < 0n) ^ (by <= py))));
  }
  return { square: min(ends, foot - (1n << full)), odd };
}
