// Which texts can be units.

import { refuse } from "./reading.js";
import { plain } from "./texts.js";

const UNIT = 40;
const PUNCTUATION = /[,;:="'`´“”‘’«»„‚‹›]/u;
const SCRIPTS = (
  "Latin Cyrillic Armenian Hebrew Arabic Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam " +
  "Sinhala Thai Lao Tibetan Myanmar Georgian Ethiopic Khmer Mongolian"
).split(" ");
const LETTERS = [/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u, ...SCRIPTS.map((s) => new RegExp(`\\p{sc=${s}}`, "u"))];
const EVERYWHERE = /[\p{sc=Greek}µ\u212a\u212b]/u; // that units of every script take

/** What one unit of distance is called; null where it has no name. "factor 2" is that of a LogLine alone. */
export function unit(value, where) {
  if (value === null || (unitLike(value) && !value.toLowerCase().startsWith("factor"))) return value;
  throw refuse(where, "null or a short text that begins with a letter, has no number and names no factor", value);
}

/** Whether it can be shown after an ε as "ε per unit": no number, no second "per", no punctuation to go on with. */
function unitLike(words) {
  if (!plain(words, UNIT) || PUNCTUATION.test(words)) return false;
  const rest = words.replace(/\((19|20)[0-9]{2}\)$/, "");
  const said = /(?<![\p{L}\p{N}_])per(?![\p{L}\p{N}_])/u.test(rest.toLowerCase());
  return !said && !counts(rest) && oneScript(words) && /^[\p{L}\p{Sc}%‰°]/u.test(words);
}

/** Whether there is a number in any script, but for one digit behind a letter. */
const counts = (words) => /\p{N}/u.test(words.replace(/(?<=\p{L})[0-9²³](?!\p{N})/gu, ""));

/** Whether all letters are of one script, beside those of every script; letters of rare scripts are not taken. */
function oneScript(words) {
  const letters = (words.match(/\p{L}/gu) ?? []).filter((letter) => !EVERYWHERE.test(letter));
  return !letters.length || LETTERS.some((script) => letters.every((letter) => script.test(letter)));
}
