// Whether far tables may share a report (theory T13): a bound on A + |∇A|/ε over a whole line or plane, by bounds in
// boxes that are cut until each is below the limit. Floats, each moved outwards by far more than its roundings
// (geopriv.device.far has the argument).

import { float, nearest } from "./floats.js";
import { count } from "./letters.js";
import { Fraction } from "./numbers.js";
import { number, refuse } from "./reading.js";
import { flatRegion, readRings } from "./regions.js";
import { exact } from "./intervals.js";
import { TOTAL } from "./weights.js";

const OUTWARD = 2 ** -40; // of all numbers that a result is made of
const BITS = 96; // with which a coordinate is enclosed
export const MEASURED = 2 ** 200; // squares of larger places and lengths would not be floats
const ANY = 2; // how far two directions can be apart
const WORK = 200_000; // discs that are looked at before a design is refused, or as many corners
const POINTS = 32; // of a lattice that take as long to look at as a disc
const QUIET = 2 ** -8; // tables that together say less in a box are not looked at again in its parts
const FARTHEST = 40; // times that the space around all sets is doubled

const taxi = (...places) => places.flat().reduce((sum, part) => sum + Math.abs(part), 0);
const sum = (terms) => terms.reduce((a, b) => a + b, 0);
const root = (vector) => Math.sqrt(sum(vector.map((part) => part * part)));

/** √(x² + y²) without `hypot`, whose last bit is another in each language; a tiny one is scaled. */
function length(way) {
  const scale = Math.max(...way.map(Math.abs)) < 2 ** -300 ? 2 ** 600 : 1;
  return root(way.map((part) => scale * part)) / scale;
}

/** A coordinate of a bounded set as it is seen from a box: a box around the set, its corners, what a look costs, and the look. */
export function readSight(document, axes, where) {
  const sights = { Radial: disc, Region: polygon };
  if (!Object.hasOwn(sights, document.type) || axes > 2) {
    throw refuse(where, "made of tables for discs and polygons on a line or in a plane", document.type);
  }
  const sight = sights[document.type](document);
  if (!sight.box.flat().every((part) => Math.abs(part) <= MEASURED)) {
    throw refuse(where, "around places within 2^200 of the origin", "one beyond");
  }
  return sight;
}

/** ‖x − center‖ − offset. */
function disc(document) {
  const center = document.center.map((part) => number(part, "center"));
  const offset = number(document.offset, "offset");
  if (!(Math.abs(offset) <= MEASURED)) throw refuse("offset", "at most 2^200", offset);
  const wide = Math.max(offset, 0);
  const look = (middle, within) => {
    const [way, far] = wayTo(center, middle);
    const reach = within + OUTWARD * (taxi(middle, center) + Math.abs(offset));
    const s = far - offset;
    return { low: Math.max(s - reach, -offset), high: s + reach, ...gradient(way, far, reach, far - reach) };
  };
  return { box: [center.map((part) => part - wide), center.map((part) => part + wide)], corners: 0, cost: 1, look };
}

/** The signed distance to a polygon: the way from its nearest point is that from its middle, up to its radius. */
function polygon(document) {
  const rings = document.rings.map((ring) => ring.map((corner) => corner.map((part) => number(part, "rings"))));
  const corners = rings.flat();
  const [low, high] = [Math.min, Math.max].map((end) => [0, 1].map((axis) => corners.reduce((a, c) => end(a, c[axis]), corners[0][axis])));
  const signed = flatRegion(readRings(document.rings, "rings"), "rings");
  const center = low.map((part, k) => (part + high[k]) / 2);
  const radius = length(low.map((part, k) => (high[k] - part) / 2));
  const look = (middle, within) => {
    const found = signed(middle.map((part) => exact(Fraction.of(part), BITS)));
    const s = nearest(found.low + found.high, 1n << BigInt(BITS + 1));
    const reach = within + OUTWARD * (Math.abs(s) + taxi(middle, low, high) + 1e-20) + 2 ** -90;
    const outside = s - reach;
    const seen = outside > 0 ? gradient(...wayTo(center, middle), reach + radius, outside) : { direction: null, off: ANY };
    return { low: outside, high: s + reach, ...seen };
  };
  return { box: [low, high], corners: corners.length, cost: 8 + (corners.length >> 1), look };
}

function wayTo(start, end) {
  const way = end.map((part, k) => part - start[k]);
  return [way, length(way)];
}

/** The direction of all vectors within `off` of another, that are at least so long, and how far they may be from it. */
function gradient(way, wide, off, least) {
  if (!(wide > off) || !Number.isFinite(wide)) return { direction: null, off: ANY };
  const direction = way.map((part) => part / wide);
  if (way.length === 1) return { direction, off: 0 };
  return { direction, off: Math.min(((2 * off) / (wide + Math.max(least, 0))) * (1 + OUTWARD), ANY) + OUTWARD };
}

/** How often a table says something, along its coordinate: heights at lattice points and slopes between them. */
export function chancesOf(lattice, rows, idle, rate) {
  const places = lattice.map(Fraction.of);
  const spoken = rows.map((row) => TOTAL - row[idle]);
  const slope = (k) => new Fraction(spoken[k + 1] - spoken[k], TOTAL).over(rate.times(places[k + 1].minus(places[k])));
  const slopes = places.slice(1).map((_, k) => float(slope(k)));
  return new Chances(lattice, spoken.map((part) => nearest(part, TOTAL)), [0, ...slopes, 0]);
}

class Chances {
  constructor(lattice, heights, slopes) {
    Object.assign(this, { lattice, heights, slopes });
  }

  /** The largest P, the least and the largest slope and the largest of both for coordinates from low to high. */
  over(low, high) {
    const [first, last] = [count(this.lattice, low), count(this.lattice, high)];
    const [start, end] = [this.at(first, low), this.at(last, high)];
    const heights = [start, ...this.heights.slice(first, last), end];
    const slopes = this.slopes.slice(first, last + 1);
    const both = Math.max(...slopes.map((slope, k) => Math.max(heights[k], heights[k + 1]) + Math.abs(slope)));
    return { chance: Math.max(...heights), falling: Math.min(...slopes), rising: Math.max(...slopes), both };
  }

  points(low, high) {
    return count(this.lattice, high) - count(this.lattice, low);
  }

  beyond(low) {
    return this.over(low, Math.max(low, this.lattice.at(-1))).both;
  }

  at(cell, s) {
    if (cell === 0 || cell === this.lattice.length) return this.heights[Math.min(cell, this.heights.length - 1)];
    const [a, b] = [this.lattice[cell - 1], this.lattice[cell]];
    const share = (s / 2 - a / 2) / (b / 2 - a / 2); // halves, since the width of a cell may be beyond all floats
    return (1 - share) * this.heights[cell - 1] + share * this.heights[cell];
  }
}

/** Whether A + |∇A|/ε of tables, each with sight and chances, is at most the limit almost everywhere. */
export function holds(tables, rate, limit) {
  const search = { tables, rate, work: 0 };
  const first = firstBox(tables, rate, limit);
  const waiting = first ? [first] : [];
  while (waiting.length) {
    const [most, box] = bound(search, waiting.pop(), limit);
    if (most <= limit) continue;
    if (search.work > WORK || !Number.isFinite(most) || exceeds(search, box, limit)) return false;
    waiting.push(...halves(box));
  }
  return first !== null;
}

/** A box outside of which the bound is below the limit; null where there is none. */
function firstBox(tables, rate, limit) {
  const [low, high] = [Math.min, Math.max].map((end, side) =>
    tables[0].sight.box[0].map((_, axis) => end(...tables.map(({ sight }) => sight.box[side][axis]))),
  );
  const middle = low.map((part, k) => (part + high[k]) / 2);
  const wide = Math.max(...low.map((part, k) => high[k] - part)) / 2;
  for (let k = 0; k < FARTHEST; k++) {
    const far = (4 * 2 ** k) / rate;
    const beyond = sum(tables.map(({ chances }) => chances.beyond(far * (1 - OUTWARD))));
    if (beyond * (1 + OUTWARD) <= limit) {
      const half = (wide + far) * (1 + OUTWARD) + OUTWARD * taxi(middle);
      return { middle, half, heard: tables.map((_, j) => j), quiet: 0 };
    }
  }
  return null;
}

/** The halves of a box along each axis, a little wider than that, since sums are rounded. */
function halves({ middle, half, ...rest }) {
  const signs = middle.reduce((all) => all.flatMap((found) => [[...found, -1], [...found, 1]]), [[]]);
  return signs.map((sign) => {
    const place = middle.map((part, k) => part + (sign[k] * half) / 2);
    return { middle: place, half: half / 2 + OUTWARD * (half / 2 + taxi(place)), ...rest };
  });
}

/** The bound in a box, and the box with only those tables that are heard there; a simple bound if it is enough. */
function bound(search, box, enough = 0) {
  const terms = box.heard.map((k) => term(search, k, box));
  const simple = (box.quiet + sum(terms.map(({ alone }) => alone))) * (1 + OUTWARD);
  if (simple <= enough || !terms.length) return [simple, box];
  const ways = ["coupled", "apart"].map((name) => terms.map((one) => one[name]));
  const loudest = terms.reduce((best, { alone }, k) => (alone > terms[best].alone ? k : best), 0);
  const mixed = ways[1].map((way, k) => (k === loudest ? ways[0][k] : way));
  const most = (box.quiet + Math.min(...[...ways, mixed].map(together))) * (1 + OUTWARD);
  const loud = terms.map(({ alone }) => alone > QUIET / search.tables.length);
  const hushed = sum(terms.filter((_, k) => !loud[k]).map(({ alone }) => alone));
  return [Math.min(simple, most), { ...box, heard: box.heard.filter((_, k) => loud[k]), quiet: box.quiet + hushed }];
}

const together = (ways) =>
  sum(ways.map(([add, , off]) => add + off)) + root(ways[0][1].map((_, axis) => sum(ways.map(([, vector]) => vector[axis]))));

const reachOf = ({ half, middle }) => half * Math.sqrt(middle.length) * (1 + OUTWARD);

/** Whether the bound is above the limit even at the middle of a small box: then no part of it is ever below. */
function exceeds(search, box, limit) {
  if (reachOf(box) * search.rate > 1) return false;
  return bound(search, { ...box, half: 0, quiet: 0 }, limit)[0] > limit;
}

/** What one table adds in a box: alone, coupled with its slope, and apart from it, each with a vector and its error. */
function term(search, k, box) {
  const { sight, chances } = search.tables[k];
  const view = sight.look(box.middle, reachOf(box));
  const known = Number.isFinite(view.low) && Number.isFinite(view.high); // else it may be anywhere
  const [low, high] = known ? [view.low, view.high] : [-Infinity, Infinity];
  search.work += sight.cost + Math.floor(chances.points(low, high) / POINTS);
  const { chance, falling, rising, both } = chances.over(low, high);
  if (!view.direction || !known) {
    const whole = [both, box.middle.map(() => 0), 0];
    return { alone: both, coupled: whole, apart: whole };
  }
  const ends = [Math.abs(falling), Math.abs(rising)];
  const [least, most] = [falling < 0 && rising > 0 ? 0 : Math.min(...ends), Math.max(...ends)];
  // of a slope of either sign the vector points either way: it is within the largest of 0
  const oneWay = rising <= 0 || falling >= 0;
  const sign = falling >= 0 ? 1 : -1;
  const [about, wide] = oneWay ? [(least + most) / 2, (most - least) / 2] : [0, most];
  const along = (size) => view.direction.map((part) => sign * size * part);
  const coupled = [both - least, along(least), least * view.off];
  return { alone: both, coupled, apart: [chance, along(about), wide + about * view.off] };
}
