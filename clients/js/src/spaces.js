// Values as a person holds them, exactly, and the spaces of a design. A value is a list of fractions; nothing is snapped
// or rounded to a float before it is drawn from. A flat space gives points: lists of intervals.

import { OutOfDomain } from "./errors.js";
import { kept, logarithm, nearestFloat, sineCosine } from "./functions.js";
import { exact } from "./intervals.js";
import { Fraction } from "./numbers.js";
import { AXES, number, positive, refuse, thing, unit, whole } from "./reading.js";
import { decimal } from "./json.js";

const LARGEST_RADIUS = 6.4e6; // of the Earth in metres, along its flattest meridian
const LONGEST = 400; // digits of a decimal
const NUMBER = /^\s*([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,6}))?\s*$/;
const LEAST = new Fraction(1n, 1n << 300n); // metres that are taken for 0 in public places
const KINDS = {
  Line: ["unit"],
  LogLine: ["base", "floor", "unit"],
  Plane: ["unit"],
  Euclidean: ["axes", "unit"],
  Earth: ["radius"],
  LocalPlane: ["south", "west", "north", "east", "radius"],
};

/** The space of a document: kind, axes, unit, check(value), and either point(value, bits) or the radius of a sphere. */
export function readSpace(document) {
  const kind = thing(document, "space", KINDS);
  if (kind === "LogLine") return ratios(document);
  if (kind === "Earth") return { kind, axes: 2, unit: "m", check: onGlobe, sphere: radius(kind, document) };
  if (kind === "LocalPlane") return localMap(document);
  const axes = { Line: 1, Plane: 2 }[kind] ?? Number(whole(document.axes, "Euclidean.axes", 1n, BigInt(AXES)));
  return plainSpace(kind, axes, unit(document.unit, `${kind}.unit`));
}

/** Values are their own points. */
export function plainSpace(kind, axes, name) {
  const point = (value, bits) => value.map((part) => exact(part, bits));
  return { kind, axes, unit: name, check: (value) => value, point };
}

/** A LogLine: the point of a value is its logarithm, to the base, of no less than the floor. */
function ratios(document) {
  const [base, floor] = ["base", "floor"].map((key) => positive(document[key], `LogLine.${key}`));
  if (!(base > 1)) throw refuse("LogLine.base", "greater than 1", base);
  unit(document.unit, "LogLine.unit");
  const [exactBase, least] = [Fraction.of(base), Fraction.of(floor)];
  const ofBase = kept((bits) => logarithm(exactBase, bits));
  const point = ([value], bits) => {
    for (let more = bits + 8; ; more *= 2) {
      const below = ofBase(more);
      if (below.low > 0n) return [logarithm(value, more).over(below).to(bits)];
    }
  };
  const check = ([value]) => [value.less(least) ? least : value];
  return { kind: "LogLine", axes: 1, unit: `factor ${decimal(base).replace(/\.0$/, "")}`, check, point };
}

/** An orthographic map of a region of the globe, in metres east and north of its middle, clamped to a rectangle. */
function localMap(document) {
  const size = radius("LocalPlane", document);
  const [south, west, north, east] = KINDS.LocalPlane.slice(0, 4).map((key) => number(document[key], `LocalPlane.${key}`));
  const turns = [west, east].every((longitude) => -180 <= longitude && longitude <= 360);
  const wide = modulo(east - west, 360);
  if (!(-90 <= south && south < north && north <= 90 && turns && 0 < wide && wide < 180)) {
    throw refuse("LocalPlane", "a region of the globe", [south, west, north, east]);
  }
  const middle = [(south + north) / 2, modulo(west + wide / 2 + 180, 360) - 180];
  const project = projection(size, middle);
  const [low, high] = rectangle(size, [south, west, north, east], middle[0]).map((corner) => corner.map(Fraction.of));
  const clamp = (part, k, bits) => part.maximum(exact(low[k], bits)).minimum(exact(high[k], bits));
  const point = (value, bits) => project(value, bits).map((part, k) => clamp(part, k, bits));
  return { kind: "LocalPlane", axes: 2, unit: "m", check: onGlobe, point, degrees: true };
}

/** A place (latitude, longitude) on the orthographic map at a middle: metres east and north, not clamped. */
function projection(size, middle) {
  const [radius, latitude, longitude] = [size, ...middle].map((part) => Fraction.of(part));
  const ofMiddle = kept((bits) => sineCosine(latitude, bits));
  return (value, bits) => {
    const [up, out] = sineCosine(value[0], bits);
    const [sine, cosine] = sineCosine(value[1].minus(longitude), bits);
    const [middleUp, middleOut] = ofMiddle(bits);
    const scale = exact(radius, bits);
    const north = middleOut.times(up).minus(middleUp.times(out).times(cosine));
    return [scale.times(out).times(sine), scale.times(north)];
  };
}

/** The corners of a region on its map, as the nearest floats (geopriv.device.maps says why these points have them). */
function rectangle(size, [south, west, north, east], middle) {
  const project = projection(size, [middle, 0]);
  const half = turned(east, west);
  const nearest = (latitude, by) => {
    const place = [Fraction.of(latitude), by];
    return [0, 1].map((k) => nearestFloat((bits) => project(place, bits)[k], LEAST));
  };
  const out = nearest(Math.max(south, Math.min(0, north)), half)[0];
  const norths = [south, north].flatMap((latitude) => [new Fraction(0n), half].map((by) => nearest(latitude, by)[1]));
  return [[-out, Math.min(...norths)], [out, Math.max(...norths)]];
}

/** Half of how far east lies from west, in floats as the document's author has it. */
const turned = (east, west) => Fraction.of(modulo(east - west, 360)).over(new Fraction(2n));

/** The remainder of floats with the sign of the divisor. */
function modulo(a, b) {
  const rest = a % b;
  return rest && rest < 0 !== b < 0 ? rest + b : Math.abs(rest);
}

function radius(kind, document) {
  const found = positive(document.radius, `${kind}.radius`);
  if (found > LARGEST_RADIUS) throw refuse(`${kind}.radius`, `at most ${LARGEST_RADIUS}, in metres`, found);
  return found;
}

/** (latitude, longitude) in degrees, longitudes in [−180, 180). */
export function onGlobe([latitude, longitude]) {
  const within = (part, low, high) => !part.less(new Fraction(low)) && !new Fraction(high).less(part);
  if (!within(latitude, -90n, 90n) || !within(longitude, -180n, 360n)) {
    throw new OutOfDomain("A place on Earth must have a latitude in [-90, 90] and a longitude in [-180, 360].");
  }
  return [latitude, within(longitude, 180n, 360n) ? longitude.minus(new Fraction(360n)) : longitude];
}

/** (latitude, longitude) in degrees as a unit vector of R³. */
export function unitVector(value, bits) {
  const [[up, out], [sine, cosine]] = value.map((degrees) => sineCosine(degrees, bits));
  return [out.times(cosine), out.times(sine), up];
}

/** A private value as exact numbers: a number, whole number or decimal text on a line, a list of them elsewhere. */
export function readValue(space, value, limits) {
  const parts = Array.isArray(value) ? value : [value];
  if (parts.length !== space.axes) throw new OutOfDomain(`A value of ${space.kind} must be ${space.axes} number(s).`);
  const found = parts.map(rational);
  if (found.includes(null)) {
    const rule = `finite numbers of fewer than ${LONGEST} digits, with a point before decimals`;
    throw new OutOfDomain(`A value of ${space.kind} must be made of ${rule}.`);
  }
  return space.check(clamped(found, limits));
}

/** The value, moved into the public range of a design: refusing those outside would tell that they are outside. */
function clamped(value, { low, high }) {
  const least = low.length ? value.map((part, k) => (part.less(low[k]) ? low[k] : part)) : value;
  return high.length ? least.map((part, k) => (high[k].less(part) ? high[k] : part)) : least;
}

/** The number itself, never its nearest float; null where it is none, so that no error quotes it. */
function rational(part) {
  if (typeof part === "number") return Number.isFinite(part) ? Fraction.of(part) : null;
  if (typeof part === "bigint") return -(1n << 1024n) < part && part < 1n << 1024n ? new Fraction(part) : null;
  if (typeof part !== "string" || part.length > 4096) return null;
  const found = NUMBER.exec(part);
  if (!found || !(found[2] || found[3])) return null;
  const digits = (found[2] + found[3]).replace(/^0+(?=.)/, "");
  const exponent = Number(found[4] ?? 0) - found[3].length;
  if (digits.length >= LONGEST || Math.abs(exponent + digits.length - 1) >= LONGEST) return null;
  const top = BigInt(found[1] + digits);
  return exponent >= 0 ? new Fraction(top * 10n ** BigInt(exponent)) : new Fraction(top, 10n ** BigInt(-exponent));
}

/** The public range of a design's source, to which values are clamped; of no ends for none. */
export function readLimits(document, space) {
  const [low, high] = [[], []];
  if (document === null) return { low, high };
  thing(document, "design.source", { Source: ["columns", "low", "high", "person"] });
  for (const [into, key] of [[low, "low"], [high, "high"]]) {
    const ends = document[key];
    if (!Array.isArray(ends) || ends.length > AXES) throw refuse(`design.source.${key}`, "a list of numbers", typeof ends);
    into.push(...ends.map((end) => Fraction.of(number(end, `design.source.${key}`))));
  }
  if (!low.length && !high.length) return { low, high };
  if (space.kind === "Earth" || space.kind === "LocalPlane") {
    throw refuse("design.source.low", "left out on a map, which clamps to its own region", "a range");
  }
  if (low.length !== space.axes || high.length !== space.axes || low.some((end, k) => !end.less(high[k]))) {
    throw refuse("design.source", `a range of ${space.axes} axes, whose low ends are below the high ones`, "another");
  }
  return { low, high };
}
