// The exact check of what a table of integers promises (theory T5, T5″).

import { Fraction, abs, min } from "./numbers.js";

export const TOTAL = 1n << 60n; // the sum of every row of integer weights
const SHARES = 1n << 44n; // of which a cell's share is a part
export const MOST_SHARE = SHARES >> 4n; // four bits tell of most reports that no further coins are tossed
const NARROWEST = 2 ** -40; // cell of a table, in units and in 1/ε
const BROKEN = new Fraction(10n ** 9n);

/** Whether a cell is so narrow that telling where in it a coordinate lies would take long. */
export function narrow(lattice, epsilon) {
  const floor = NARROWEST * Math.max(1, 1 / epsilon);
  return lattice.slice(1).some((end, k) => !(end - lattice[k] >= floor));
}

/** The largest |∂ ln K/∂s| over ε that a table can have: the promise holds if it is at most 1. */
export function worstStep(lattice, rows, rate, spare) {
  const sums = (row) => row.reduce((a, b) => a + b) === TOTAL && row.every((weight) => weight >= 0n);
  if (![...rows, ...(spare?.rows ?? [])].every(sums)) return BROKEN;
  const places = lattice.map(Fraction.of);
  let worst = new Fraction(0n);
  for (let cell = 0; cell + 1 < rows.length; cell++) {
    const [rise, low] = spare ? bent(rows, spare, cell) : steepest(pairsOf(rows[cell], rows[cell + 1]));
    if (!rise) continue;
    if (!low) return BROKEN;
    const step = new Fraction(rise, low).over(rate.times(places[cell + 1].minus(places[cell])));
    if (worst.less(step)) worst = step;
  }
  return worst;
}

const pairsOf = (here, there) => here.map((a, j) => [abs(a - there[j]), min(a, there[j])]);

/** Rise and base of the pair for which their ratio is largest; base 0 if that is infinite. */
function steepest(pairs) {
  let [best, base] = [0n, 1n];
  for (const [rise, low] of pairs) {
    if (!low && rise) return [1n, 0n];
    if (rise * base > best * low) [best, base] = [rise, low]; // the fractions compared without dividing
  }
  return [best, base];
}

/** The same of a cell with spare rows, by the Bernstein coefficients of K and of K', cubics in t, times 3·2^44. */
function bent(rows, spare, cell) {
  const share = spare.shares[cell];
  const pairs = rows[cell].flatMap((a, j) => {
    const [b, v, w] = [rows[cell + 1][j], spare.rows[cell][j], spare.rows[cell + 1][j]];
    const [first, second] = [(SHARES - share) * a + share * v, (SHARES - share) * b + share * w];
    const [left, right] = [SHARES * a, SHARES * b];
    return [
      [abs(3n * (2n * first + second - 3n * left)), 3n * left],
      [abs(3n * (second - left)), 2n * first + second],
      [abs(3n * (right - first)), first + 2n * second],
      [abs(3n * (3n * right - first - 2n * second)), 3n * right],
    ];
  });
  return steepest(pairs);
}

/** The running sums of a row. */
export function running(row) {
  let sum = 0n;
  return row.map((weight) => (sum += weight));
}

