// Far questions in one report: one number U against all that several tables could say (theory T13).

import { MEASURED, chancesOf, holds, readSight } from "./far.js";
import { float } from "./floats.js";
import { canonical } from "./json.js";
import { cellsOf, count, rowsOf } from "./letters.js";
import { KINDS, readEpsilon, readMechanism } from "./mechanisms.js";
import { Fraction, ceil, clip, floor, max, min } from "./numbers.js";
import { parts, ratio, refuse } from "./reading.js";
import { readSpace } from "./spaces.js";
import { TOTAL, running } from "./weights.js";
import { Uniform } from "./uniform.js";

const TABLES = 64; // that share a report
const LOOKS = 30_000; // letters and corners of all tables, which a draw looks at
const BROKEN = new Fraction(10n ** 9n);

/** Tables that share a report, each verified by itself, and then how often they may be heard together. */
export async function shared(document, where) {
  const space = await readSpace(document.space);
  const documents = parts(document.tables, `${where}.tables`, TABLES);
  if (!space.point) throw refuse(`${where}.space`, "flat, for tables to share a report", space.kind);
  const epsilon = readEpsilon(document.guarantee, where, space.unit);
  const { Table, BracketTable } = KINDS;
  const tables = [];
  for (const [k, one] of documents.entries()) {
    const found = await readMechanism(one, `${where}.tables[${k}]`, { Table, BracketTable });
    if (canonical(one.space) !== canonical(document.space) || found.epsilon !== epsilon || "spare" in one) {
      throw refuse(`${where}.tables[${k}]`, "on the space of all, without spare rows, and keep the same promise", one.type);
    }
    tables.push(found);
  }
  return sharedTables(epsilon, space, tables, ratio(document.share, `${where}.share`), where);
}

/** The report that verified tables share, and whether it keeps their promise. */
function sharedTables(epsilon, space, tables, share, where) {
  if (new Fraction(1n).less(share)) throw refuse(`${where}.share`, "at most 1", float(share));
  if (!(1 / MEASURED <= epsilon && epsilon <= MEASURED)) {
    throw refuse(`${where}.guarantee.epsilon`, "between 2^-200 and 2^200, for tables to share a report", epsilon);
  }
  const rate = Fraction.of(epsilon);
  const made = tables.map(({ document, coordinate }) => {
    const { values, inner, outer, weights } = document;
    if (values.length < 2) throw refuse(where, "of two letters or more", values.length);
    const idle = idleLetter([values, inner, outer].filter(Boolean));
    const lattice = document.lattice.map(Number);
    const sight = readSight(document.coordinate, space.axes, where);
    const rows = rowsOf(lattice, weights.map((row) => running(row.filter((_, j) => j !== idle))));
    return { coordinate, rows, sight, chances: chancesOf(lattice, weights, idle, rate) };
  });
  const looks = made.reduce((sum, { sight, rows }) => sum + sight.corners + rows.sums[0].length, 0);
  if (looks > LOOKS) throw refuse(`${where}.tables`, `of at most ${LOOKS} letters and corners in all`, looks);
  const limit = new Fraction(share.bottom, share.top);
  const near = float(limit);
  const down = limit.less(Fraction.of(near)) ? near * (1 - 2 ** -52) : near;
  const spent = holds(made, epsilon, down) ? new Fraction(1n) : BROKEN;
  return { epsilon, space, spent, draw: (value, source) => [drawSaid(made, value, share, source)] };
}

/** The letter that is not said: the first of those that count least, over all that letters count for, exactly. */
function idleLetter(counted) {
  const size = (number) => Fraction.of(Math.abs(Number(number)));
  const sizes = counted[0].map((_, j) => counted.map((each) => size(each[j])).reduce((a, b) => a.plus(b)));
  return sizes.reduce((best, one, j) => (one.less(sizes[best]) ? j : best), 0);
}

/** What is said: 0 for nothing, else one more than how many numbers μ·(P_1 + … + P_k) are not above U. */
function drawSaid(tables, value, share, source) {
  const uniform = new Uniform(source(8), source);
  for (;;) {
    const found = said(tables, value, share, uniform);
    if (found !== null) return found;
    uniform.extend();
  }
}

function said(tables, value, share, { numerator, bits }) {
  const [lows, highs] = [[], []];
  for (const { rows, coordinate } of tables) {
    const [least, most] = sums(rows, coordinate(value, rows.bits + bits - 64), bits);
    const [low, high] = [lows.at(-1) ?? 0n, highs.at(-1) ?? 0n];
    lows.push(...least.map((part) => low + part));
    highs.push(...most.map((part) => high + part));
  }
  // U < T for sure if (n + 1)/2^b ≤ μ·low, and U ≥ T if n/2^b ≥ μ·high
  const at = (n) => n * TOTAL * share.bottom;
  const passed = count(highs, floor(at(numerator), share.top));
  const open = count(lows, ceil(at(numerator + 1n), share.top), true);
  if (passed !== open) return null;
  return BigInt(passed === lows.length ? 0 : passed + 1);
}

/** Bounds on the running sums at a coordinate, in whole numbers out of 2^bits of a weight: at its ends, and between. */
function sums(rows, coordinate, bits) {
  const { s, shift, first, final } = cellsOf(rows, coordinate);
  const [lows, highs] = [[], []];
  for (const [cell, end] of [[first, s.low], [final, s.high]]) {
    const width = (rows.lattice[cell + 1] - rows.lattice[cell]) << shift;
    const along = clip(end - (rows.lattice[cell] << shift), 0n, width);
    const mixed = rows.sums[cell].map((a, j) => (a * (width - along) + rows.sums[cell + 1][j] * along) << BigInt(bits));
    lows.push(mixed.map((part) => floor(part, width)));
    highs.push(mixed.map((part) => ceil(part, width)));
  }
  // a row is looked at where there is no lattice point between, too, so that time does not tell of one
  const between = rows.sums.slice(Math.min(first + 1, final), final + 1).map((row) => row.map((part) => part << BigInt(bits)));
  const within = [between, [lows[0]]][Number(first === final)];
  const over = (all, pick) => all[0].map((_, j) => all.map((one) => one[j]).reduce(pick));
  return [over([...lows, ...within], min), over([...highs, ...within], max)];
}
