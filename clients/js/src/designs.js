// A design as a device runs it: its hash checked, its promises verified, then drawn from.

import { InvalidDesign, InvalidParameter } from "./errors.js";
import { canonical, hexadecimal, isObject, parseDesign } from "./json.js";
import { readEpsilon, readMechanism } from "./mechanisms.js";
import { exactly, parts, refuse, text, thing, whole } from "./reading.js";
import { readLimits, readValue } from "./spaces.js";
import { NAME } from "./texts.js";
import { drawShare } from "./uniform.js";

const KEYS = { Design: ["version", "survey", "mechanisms", "shares", "questions", "source", "guarantee", "hash"] };
const MECHANISMS = 4_096;

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
  if (documents.some((one) => isObject(one) && ("tables" in one || isObject(one.coordinate) && "rings" in one.coordinate))) {
    (await import("./crowds.js")).requireFew(documents);
  }
  const mechanisms = [];
  for (const one of documents) mechanisms.push(await readMechanism(one, `mechanism ${mechanisms.length}`));
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
  const open = "groups" in document || "counted" in document;
  const groups = open ? (await import("./groups.js")).readOpenly(document) : [];
  return new VerifiedDesign({ document, mechanisms, shares, space, epsilon, limits, groups });
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
