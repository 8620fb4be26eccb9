// Which texts a device accepts: those that look like what they are (docs/client.md). A text is printable, short, in one
// form only (NFC), and every character of it is seen.

export const SHORT = 80;
export const NAME = 200; // of a survey, and of a person
export const LABEL = 60; // of a group, and of what is counted
const QUOTED = 60; // of what an error quotes
const MARKS = 3; // accents on one letter

const UNPRINTED = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const ASCII = /^[ -~]*$/;
// printable by the letter of Unicode, and yet without ink, or drawn over their neighbours
const UNSEEN = new RegExp(
  "[\\u034f\\u0334-\\u0338\\u0488\\u0489\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u1abe\\u20d2\\u20d3" +
    "\\u20d8-\\u20e6\\u20ea\\u20eb\\u2800\\u3164\\ua670-\\ua672\\ufe00-\\ufe0f\\uffa0\\ufffc\\ufffd\\u{16fe4}" +
    "\\u{1d159}\\u{e0100}-\\u{e01ef}]",
  "u",
);

export const codePoints = (words) => [...words].length;

/** Whether every character is a plain space or has ink of its own. */
export const seen = (words) => ASCII.test(words) || (!UNPRINTED.test(words) && !UNSEEN.test(words));

/** Whether it is a text of 1 to `most` characters that are seen, in NFC, without spaces at its ends. */
export function plain(words, most) {
  if (typeof words !== "string" || !words || codePoints(words) > most || !seen(words)) return false;
  return words === words.trim() && (ASCII.test(words) || composed(words));
}

/** Whether a text is in NFC and has only few marks, each on a letter. */
function composed(words) {
  const marks = /(^|[^\p{L}\p{M}])\p{M}/u.test(words) || new RegExp(`\\p{M}{${MARKS + 1}}`, "u").test(words);
  return !marks && words.normalize("NFC") === words;
}

/** What an error shows of a part of a design: escaped, in ASCII, and cut. */
export function quoted(got) {
  const escaped = (c) => `\\u{${c.codePointAt(0).toString(16)}}`;
  const words = (one) => (Array.isArray(one) ? one.map(words).join() : Object(one) === one ? "an object" : String(one));
  return words(got).slice(0, QUOTED).replace(/[^ -~]/gu, escaped).slice(0, QUOTED);
}
