// Tables as a device runs them.

import { readCoordinate } from "./coordinates.js";
import { canonical, isObject } from "./json.js";
import { drawLetter, rowsOf } from "./letters.js";
import { readEpsilon } from "./mechanisms.js";
import { Fraction } from "./numbers.js";
import { exactly, numbers, refuse, thing, whole } from "./reading.js";
import { readSpace } from "./spaces.js";
import { MOST_SHARE, narrow, running, worstStep } from "./weights.js";

const ASKED = 1 << 20; // bytes of a query, which is shown and never read

export async function table(document, where) {
  const space = await readSpace(document.space);
  const coordinate = await readCoordinate(document.coordinate, space);
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
export async function bracketTable(document, where) {
  const found = await table(document, where);
  for (const key of ["inner", "outer"]) numbers(document[key], `${where}.${key}`, document.values.length);
  return found;
}

/** A table whose letters count for other queries too, which are shown and never read: that changes no report. */
export async function vectorTable(document, where) {
  const found = await table(document, where);
  const objects = (list) => Array.isArray(list) && list.every(isObject);
  asked(document.others, `${where}.others`, objects);
  exactly(document.vectors, `${where}.vectors`, document.others.length, "lists").forEach((counted) => {
    numbers(counted, `${where}.vectors`, document.values.length);
  });
  return found;
}

/** What is asked, which is shown and never read. */
function asked(value, where, is) {
  const size = is(value) ? new TextEncoder().encode(canonical(value)).length : Infinity;
  if (size > ASKED) throw refuse(where, `of at most ${ASKED} bytes`, size);
}
