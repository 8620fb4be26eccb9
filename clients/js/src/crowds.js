// How much a device looks at in one design: polygons and shared reports take long to verify.

import { canonical, isObject } from "./json.js";
import { refuse } from "./reading.js";

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
