// Mechanisms as a device runs them: read from a document, verified exactly, then drawn from.

import { readCoordinate } from "./coordinates.js";
import { drawCells, drawLetter, fineBits, rowsOf } from "./draws.js";
import { InvalidDesign } from "./errors.js";
import { exact } from "./intervals.js";
import { canonical, isObject } from "./json.js";
import { Fraction } from "./numbers.js";
import { asked, exactly, number, numbers, parts, positive, ratio, refuse, thing, whole } from "./reading.js";
import { roundNoise } from "./rounds.js";
import { sharedTables } from "./shared.js";
import { readSpace } from "./spaces.js";
import { MOST_SHARE, narrow, running, worstStep } from "./tables.js";

const BITS = 112; // with which positions on a grid are known at first
const TABLES = 64; // that share a report
const ONE = new Fraction(1n);
const TABLE = ["space", "coordinate", "query", "guarantee", "lattice", "values", "weights"];
const KINDS = {
  Table: TABLE,
  BracketTable: [...TABLE, "inner", "outer"],
  VectorTable: [...TABLE, "others", "vectors"],
  Lattice: ["space", "guarantee", "step", "theta", "origin"],
  SharedTables: ["space", "guarantee", "tables", "share"],
};
const SPARE = { Lattice: ["core"], Table: ["spare"] };
const READERS = { Table: table, BracketTable: bracketTable, VectorTable: vectorTable, Lattice: lattice, SharedTables: shared };

/** The mechanism of a document (epsilon, space, draw(value, source)), its promise verified in exact arithmetic. */
export function readMechanism(document, where, kinds = KINDS) {
  const spare = Object.hasOwn(SPARE, document?.type) ? SPARE[document.type] : [];
  const kind = thing(document, where, kinds, spare);
  const mechanism = computed(() => READERS[kind](document, where), `${where}, a ${kind},`);
  if (ONE.less(mechanism.spent)) {
    const spent = mechanism.spent.float();
    throw new InvalidDesign(`${where}, a ${kind}, breaks its promise: ${Math.min(spent, 1e9)} of what it allows.`);
  }
  return mechanism;
}

function computed(read, where) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // a number that is too large, or a distance that is 0
    throw refuse(where, "made of numbers that can be computed with", "others");
  }
}

/** ε of a guarantee, if it is pure, for all distances, and in the unit of the space. */
export function readEpsilon(document, where, unit) {
  const keys = ["epsilon", "delta", "radius", "unit", "metric", "reference"];
  thing(document, `${where}.guarantee`, { Guarantee: keys });
  const pure = number(document.delta, `${where}.guarantee.delta`) === 0 && document.radius === "inf";
  if (!pure || document.metric !== "distance" || document.unit !== unit) {
    throw refuse(`${where}.guarantee`, `pure, for all distances, per ${unit ?? "unit"}`, "another");
  }
  return positive(document.epsilon, `${where}.guarantee.epsilon`);
}

function table(document, where) {
  const space = readSpace(document.space);
  const coordinate = readCoordinate(document.coordinate, space);
  asked(document.query, `${where}.query`, isObject);
  const places = numbers(document.lattice, `${where}.lattice`);
  const letters = numbers(document.values, `${where}.values`).length;
  if (places.length < 2 || places.slice(1).some((end, k) => !(places[k] < end))) {
    throw refuse(`${where}.lattice`, "at least two increasing coordinates", places.length);
  }
  const weights = wholeRows(document.weights, `${where}.weights`, places.length, letters);
  const spare = "spare" in document ? spareRows(document.spare, `${where}.spare`, places.length, letters) : null;
  const epsilon = readEpsilon(document.guarantee, where, space.unit);
  if (narrow(places, epsilon)) {
    throw refuse(`${where}.lattice`, "made of cells of at least 2^-40, in the unit and in 1/epsilon", "narrower ones");
  }
  const spent = worstStep(places, weights, Fraction.of(epsilon), spare);
  const rows = rowsOf(places, [...weights, ...(spare?.rows ?? [])].map(running), spare?.shares);
  const draw = (value, source) => [BigInt(drawLetter(rows, (bits) => coordinate(value, bits), source))];
  return { epsilon, space, spent, coordinate, document, draw };
}

function wholeRows(rows, where, points, letters) {
  exactly(rows, where, points, "rows").forEach((row) => {
    const fits = exactly(row, where, letters, "whole numbers").every((weight) => typeof weight === "bigint");
    if (!fits) throw refuse(where, `made of rows of ${letters} whole numbers`, "others");
  });
  return rows;
}

/** Spare rows, one for each lattice point, and a share for each cell. */
function spareRows(document, where, points, letters) {
  thing(document, where, { SpareRows: ["rows", "shares"] });
  const shares = exactly(document.shares, `${where}.shares`, points - 1, "whole numbers");
  shares.forEach((share) => whole(share, `${where}.shares`, 0n, MOST_SHARE));
  return { rows: wholeRows(document.rows, `${where}.rows`, points, letters), shares };
}

/** A table whose letters count for the two ends of a sharp share too: that is for analysts and changes no report. */
function bracketTable(document, where) {
  const found = table(document, where);
  for (const key of ["inner", "outer"]) numbers(document[key], `${where}.${key}`, document.values.length);
  return found;
}

/** A table whose letters count for other queries too, which are shown and never read: that changes no report. */
function vectorTable(document, where) {
  const found = table(document, where);
  const objects = (list) => Array.isArray(list) && list.every(isObject);
  asked(document.others, `${where}.others`, objects);
  exactly(document.vectors, `${where}.vectors`, document.others.length, "lists").forEach((counted) => {
    numbers(counted, `${where}.vectors`, document.values.length);
  });
  return found;
}

/** Tables that share a report, each verified by itself, and then how often they may be heard together. */
function shared(document, where) {
  const space = readSpace(document.space);
  const documents = parts(document.tables, `${where}.tables`, TABLES);
  if (!space.point) throw refuse(`${where}.space`, "flat, for tables to share a report", space.kind);
  const epsilon = readEpsilon(document.guarantee, where, space.unit);
  const { Table, BracketTable } = KINDS;
  const tables = documents.map((one, k) => {
    const found = readMechanism(one, `${where}.tables[${k}]`, { Table, BracketTable });
    if (canonical(one.space) !== canonical(document.space) || found.epsilon !== epsilon || "spare" in one) {
      throw refuse(`${where}.tables[${k}]`, "on the space of all, without spare rows, and keep the same promise", one.type);
    }
    return found;
  });
  return sharedTables(epsilon, space, tables, ratio(document.share, `${where}.share`), where);
}

function lattice(document, where) {
  const space = readSpace(document.space);
  const step = Fraction.of(positive(document.step, `${where}.step`));
  if (!space.point) throw refuse(`${where}.space`, "flat", space.kind);
  const origin = numbers(document.origin, `${where}.origin`, space.axes).map(Fraction.of);
  const theta = ratio(document.theta, `${where}.theta`);
  if (theta.less(new Fraction(1n, 1n << 14n)) || new Fraction(1n << 10n).less(theta)) {
    throw refuse(`${where}.theta`, "between 2^-14 and 2^10", theta.float());
  }
  const epsilon = readEpsilon(document.guarantee, where, space.unit);
  const allowed = Fraction.of(epsilon).times(step);
  const square = theta.times(theta).over(allowed.times(allowed));
  const noise = "core" in document ? readCore(document.core, theta, space.axes, where) : null;
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
function readCore(core, theta, axes, where) {
  const noise = roundNoise(theta, whole(core, `${where}.core`, 1n, 1n << 40n), axes);
  if (noise.drawable) return noise;
  throw refuse(`${where}.core`, "for two to six axes, and such that theta^2 times it is at most 16", core);
}
