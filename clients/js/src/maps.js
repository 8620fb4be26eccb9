// Places on the globe, and the map of a region of it.

import { sineCosine } from "./angles.js";
import { OutOfDomain } from "./errors.js";
import { nearestFloat } from "./floats.js";
import { exact } from "./intervals.js";
import { kept } from "./kept.js";
import { Fraction } from "./numbers.js";
import { number, positive, refuse } from "./reading.js";

const LARGEST_RADIUS = 6.4e6; // of the Earth in metres, along its flattest meridian
const LEAST = new Fraction(1n, 1n << 300n); // metres that are taken for 0 in public places

/** The globe, whose distances are those of great circles. */
export function earth(document) {
  return { kind: "Earth", axes: 2, unit: "m", check: onGlobe, sphere: radius("Earth", document) };
}

/** An orthographic map of a region of the globe, in metres east and north of its middle, clamped to a rectangle. */
export function localMap(document) {
  const size = radius("LocalPlane", document);
  const [south, west, north, east] = ["south", "west", "north", "east"].map((key) => number(document[key], `LocalPlane.${key}`));
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
