// Groups, of which a report tells one openly.

import { parts, positive, refuse, text, thing } from "./reading.js";
import { LABEL, NAME } from "./texts.js";

const GROUPS = 1_000;
const QUOTES = /["“”„‟«»＂〝〞]/u;

/** The names of the groups of which a report tells one openly; what a design does not have is left out of it. */
export function readOpenly(document) {
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
