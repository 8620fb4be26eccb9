// A design as a device runs it: its hash checked, its promises verified, then drawn from.

import { InvalidDesign, InvalidParameter } from "./errors.js";
import { canonical, hexadecimal, parseDesign } from "./json.js";
import { readEpsilon, readMechanism } from "./mechanisms.js";
import { exactly, parts, refuse, text, thing, whole } from "./reading.js";
import { readLimits, readValue } from "./spaces.js";
import { NAME } from "./texts.js";
import { now } from "./timing.js";
import { systemBytes } from "./uniform.js";

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
  const large = documents.length > 1 || documents.some((one) => one?.tables ?? one?.coordinate?.rings);
  const crowd = large ? await import("./crowds.js") : null;
  crowd?.requireFew(documents);
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
  return new VerifiedDesign({ document, mechanisms, shares, space, epsilon, limits, groups, crowd });
}

/** A design whose hash and whose promises were checked. */
export class VerifiedDesign {
  #own;

  constructor({ document, epsilon, groups, ...own }) {
    const { space } = (this.#own = own);
    Object.assign(this, { document, epsilon, groups, hash: document.hash, survey: document.survey, unit: space.unit });
    this.degrees = space.kind === "Earth" || space.kind === "LocalPlane"; // a value is a latitude and a longitude
    Object.freeze(this);
  }

  toString() {
    return `verified: design ${this.hash}: ${this.epsilon} per ${this.unit ?? "unit"}`;
  }

  /** One line of NDJSON from random bytes: the id first, since how many bytes a draw takes depends on the value. */
  draw(value, source, group) {
    const { mechanisms, shares, space, limits, crowd } = this.#own;
    const told = this.groupNumber(group);
    const id = hexadecimal(source(16));
    const which = crowd?.drawShare(shares, source) ?? 0;
    const report = mechanisms[which].draw(readValue(space, value, limits), source);
    const openly = told === null ? {} : { group: BigInt(told) };
    return canonical({ design: this.hash, ...openly, id, mechanism: BigInt(which), report });
  }

  /** Seconds of the longest draw at public places. */
  longest() {
    const { mechanisms, space, limits, crowd } = this.#own;
    const took = (place, k) => {
      const began = now();
      mechanisms[k].draw(readValue(space, place, limits), systemBytes);
      return now() - began;
    };
    const zero = Array(space.axes).fill(0);
    return crowd?.longest(this.document.mechanisms, zero, took) ?? took(zero, 0);
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
