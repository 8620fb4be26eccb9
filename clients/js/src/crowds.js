// Designs of several mechanisms, of polygons and of shared reports: how much a device looks at, and what takes longest.

import { canonical, isObject } from "./json.js";
import { refuse } from "./reading.js";
import { fromBytes } from "./uniform.js";

const SHARED = 16; // shared reports, which take seconds each to verify
const ALL_CORNERS = 100_000; // of all polygons

/** Refuses polygons of more corners, and more shared reports, than a device has the time for. */
export function requireFew(documents) {
  if (documents.reduce((sum, one) => sum + corners(one), 0) > ALL_CORNERS) {
    throw refuse("design.mechanisms", `made of polygons of at most ${ALL_CORNERS} corners in all`, "more");
  }
  if (documents.filter((one) => isObject(one) && "tables" in one).length > SHARED) {
    throw refuse("design.mechanisms", `at most ${SHARED} shared reports`, "more");
  }
}

/** About how many corners the polygons of a mechanism have; it was not read yet, and may be anything. */
function corners(document) {
  if (!isObject(document)) return 0;
  if (Array.isArray(document.tables)) {
    const inner = document.tables.filter((one) => isObject(one) && !("tables" in one));
    return inner.reduce((sum, one) => sum + corners(one), 0);
  }
  const rings = isObject(document.coordinate) ? document.coordinate.rings : undefined;
  return rings === undefined ? 0 : canonical(rings).split("[").length - 1;
}

/** Which mechanism a person answers: the k-th with probability proportional to its share; no bytes for one alone. */
export function drawShare(shares, source) {
  if (shares.length === 1) return 0;
  const total = shares.reduce((a, b) => a + b);
  const fair = (1n << 64n) - ((1n << 64n) % total); // from there on the remainder would not be uniform
  let word;
  do word = fromBytes(source(8));
  while (word >= fair);
  let rest = word % total;
  return shares.findIndex((share) => (rest -= share) < 0n);
}

/** Seconds of the longest draw: one of each mechanism at a public place, and more of the slowest. */
export function longest(documents, zero, took) {
  const places = documents.map((one) => [...marks(one), zero]);
  const once = places.map(([place], k) => took(place, k));
  const most = once.indexOf(Math.max(...once));
  return Math.max(...once, ...places[most].map((place) => took(place, most)));
}

/** Values at a few public places of a mechanism: on edges and at their ends, at centres, corners and origins. */
function marks({ space, tables, ...own }) {
  const some = (all) => all.filter((_, k) => k % (Math.floor(all.length / 4) + 1) === 0);
  const parts = (tables ?? [own]).map((one) => one.coordinate ?? one);
  const edges = parts.flatMap(({ rings = [] }) => rings.flatMap((ring) => ring.slice(1).map((end, k) => [ring[k], end])));
  const turned = space.type === "Earth" ? ([x, y]) => [y, x] : (corner) => corner; // corners are (longitude, latitude)
  const ends = some(edges).flatMap(([a, b]) => [a, a.map((part, k) => Number(part) / 2 + Number(b[k]) / 2)]).map(turned);
  const others = some(parts.map((one) => one.center ?? one.corner ?? one.origin).filter(Boolean));
  return [...ends, ...others].map((place) => valueAt(space, place.map(Number)));
}

/** A value about at a point of a flat space, or at a (latitude, longitude). */
function valueAt({ type, ...space }, place) {
  const within = (part, end) => Math.max(Math.min(part, end), -end);
  const around = (degrees, from) => ((((degrees - from) % 360) + 360) % 360) + from;
  const at = (key) => Number(space[key]);
  if (type === "LogLine") return [10 ** within(place[0] * Math.log10(at("base")), 300)];
  if (type === "Earth") return [place[0], around(place[1], -180)];
  if (type !== "LocalPlane") return place;
  const [x, y] = place.map((part) => within((part / at("radius")) * (180 / Math.PI), 180));
  const up = within((at("south") + at("north")) / 2 + y, 90);
  const middle = at("west") + around(at("east") - at("west"), 0) / 2;
  return [up, around(middle + x / Math.max(Math.cos((up * Math.PI) / 180), 1e-9), -180)];
}
