// Spaces whose values are their own points.

import { exact } from "./intervals.js";
import { AXES, whole } from "./reading.js";
import { unit } from "./units.js";

export function flat(document) {
  const kind = document.type;
  const axes = { Line: 1, Plane: 2 }[kind] ?? Number(whole(document.axes, "Euclidean.axes", 1n, BigInt(AXES)));
  const point = (value, bits) => value.map((part) => exact(part, bits));
  return { kind, axes, unit: unit(document.unit, `${kind}.unit`), check: (value) => value, point };
}
