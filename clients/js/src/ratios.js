// The line of ratios, on which distances are those of logarithms.

import { decimal } from "./json.js";
import { kept } from "./kept.js";
import { logarithm } from "./logarithms.js";
import { Fraction } from "./numbers.js";
import { positive, refuse } from "./reading.js";
import { unit } from "./units.js";

/** A LogLine: the point of a value is its logarithm, to the base, of no less than the floor. */
export function ratios(document) {
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
