// A design as a device runs it: its hash checked, its promises verified, then drawn from.

import { drawShare } from "./draws.js";
import { InvalidDesign, InvalidParameter } from "./errors.js";
import { canonical, hexadecimal, isObject, parseDesign } from "./json.js";
import { readEpsilon, readMechanism } from "./mechanisms.js";
import { exactly, parts, positive, refuse, text, thing, whole } from "./reading.js";
import { readLimits, readValue } from "./spaces.js";
import { LABEL, NAME } from "./texts.js";

const KEYS = { Design: ["version", "survey", "mechanisms", "shares", "questions", "source", "guarantee", "hash"] };
const MECHANISMS = 4_096;
const SHARED = 16; // shared reports, which take seconds each to verify
const ALL_CORNERS = 100_000; // of all polygons
const GROUPS = 1_000;
const QUOTES = /["“”„‟«»＂〝〞]/u;

/**
 * The design in the bytes of a design.json, checked before anything is reported with it.
 *
 * What is returned keeps its ε for every two values of its space, as people hold them: integers of tables (theory T5,
 * T5″), shares of reports (T13), θ and core of lattices (T8, T8′) are verified in exact arithmetic.
 */
export async function verify(bytes, expected) {
  const document = await parseDesign(bytes);
  thing(document, "design", KEYS, ["groups", "counted"]);
  if (expected !== undefined && document.hash !== expected.toLowerCase()) {
    throw new InvalidDesign(`The hash of the design must be the published one. Got ${document.hash} instead.`);
  }
  whole(document.version, "design.version", 3n, 3n);
  text(document.survey, "design.survey", NAME);
  const documents = parts(document.mechanisms, "design.mechanisms", MECHANISMS);
  if (documents.reduce((sum, one) => sum + corners(one), 0) > ALL_CORNERS) {
    throw refuse("design.mechanisms", `made of polygons of at most ${ALL_CORNERS} corners in all`, "more");
  }
  if (documents.filter((one) => isObject(one) && "tables" in one).length > SHARED) {
    throw refuse("design.mechanisms", `at most ${SHARED} shared reports`, "more");
  }
  const mechanisms = documents.map((one, k) => readMechanism(one, `mechanism ${k}`));
  const [first] = documents.map((one) => canonical(one.space));
  if (documents.some((one) => canonical(one.space) !== first)) throw refuse("design.mechanisms", "on one space", "several");
  if (!Array.isArray(document.questions)) throw refuse("design.questions", "a list", typeof document.questions);
  const shares = exactly(document.shares, "design.shares", documents.length, "whole numbers, one for each mechanism");
  shares.forEach((share) => whole(share, "design.shares", 1n, 1n << 32n));
  const { space } = mechanisms[0];
  const epsilon = readEpsilon(document.guarantee, "design", space.unit);
  if (epsilon !== Math.max(...mechanisms.map((one) => one.epsilon))) {
    throw refuse("design.guarantee", "the weakest of its mechanisms' own", epsilon);
  }
  const limits = readLimits(document.source, space);
  return new VerifiedDesign({ document, mechanisms, shares, space, epsilon, limits, groups: readOpenly(document) });
}

/** A design whose hash and whose promises were checked. */
export class VerifiedDesign {
  #mechanisms;
  #shares;
  #space;
  #limits;

  constructor({ document, mechanisms, shares, space, epsilon, limits, groups }) {
    [this.#mechanisms, this.#shares, this.#space, this.#limits] = [mechanisms, shares, space, limits];
    Object.assign(this, { document, epsilon, groups, hash: document.hash, survey: document.survey, unit: space.unit });
    this.degrees = space.kind === "Earth" || space.kind === "LocalPlane"; // a value is a latitude and a longitude
    Object.freeze(this);
  }

  toString() {
    return `verified: design ${this.hash}: ${this.epsilon} per ${this.unit ?? "unit"}`;
  }

  /** One line of NDJSON from random bytes: the id first, since how many bytes a draw takes depends on the value. */
  draw(value, source, group) {
    const told = this.groupNumber(group);
    const id = hexadecimal(source(16));
    const which = drawShare(this.#shares, source);
    const report = this.#mechanisms[which].draw(readValue(this.#space, value, this.#limits), source);
    const openly = told === null ? {} : { group: BigInt(told) };
    return canonical({ design: this.hash, ...openly, id, mechanism: BigInt(which), report });
  }

  /** The number that a report carries for a group, which is told openly; null where the design asks for none. */
  groupNumber(group) {
    if (!this.groups.length) {
      if (group === undefined || group === null) return null;
      throw new InvalidParameter("The 'group' parameter must be left out: the design asks for no group.");
    }
    const told = this.groups.indexOf(group);
    if (told >= 0) return told;
    throw new InvalidParameter("The 'group' parameter must be one of the design's groups.");
  }
}

/** The names of the groups of which a report tells one openly; what a design does not have is left out of it. */
function readOpenly(document) {
  if (document.counted === "people" || document.groups === null) {
    throw refuse("design", "without the keys groups and counted where they say nothing", "such a key");
  }
  if ("counted" in document) text(document.counted, "design.counted", LABEL);
  if (!("groups" in document)) return [];
  const { groups } = document;
  thing(groups, "design.groups", { Groups: ["column", "names", "weights"] });
  if (groups.column !== "") text(groups.column, "design.groups.column", NAME);
  const names = parts(groups.names, "design.groups.names", GROUPS).map((name) => text(name, "design.groups.names", LABEL));
  if (names.some((name) => QUOTES.test(name))) throw refuse("design.groups.names", "labels without quotation marks", "one");
  if (names.length < 2 || new Set(names).size < names.length) {
    throw refuse("design.groups.names", "two or more, each another", names.length);
  }
  const weights = Array.isArray(groups.weights) && groups.weights.length === 0 ? [] : groups.weights;
  if (!Array.isArray(weights) || ![0, names.length].includes(weights.length)) {
    throw refuse("design.groups.weights", "one number for each name, or none", typeof weights);
  }
  weights.forEach((weight) => positive(weight, "design.groups.weights"));
  return names;
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
