// When a report leaves: at a fixed time.

import { Refused } from "./errors.js";

const LONGEST = 15; // seconds
export const now = () => performance.now() / 1000;

/** What work gives, or its error, when `after` seconds have passed, or else the first of 2, 4, 8, … times that. */
export async function leave(work, after) {
  const began = now();
  try {
    return await work();
  } finally {
    const due = began + doubled(after, now() - began);
    for (let left; after && (left = due - now()) > 0; ) await new Promise((go) => setTimeout(go, 1000 * left));
  }
}

/** `after` seconds, or the first of 2, 4, 8, … times that: at least four times a draw. */
export function longEnough(after, draw) {
  if (draw > LONGEST) throw new Refused(`A draw of the design must take at most ${LONGEST} seconds on this device.`);
  return doubled(after, 4 * draw);
}

function doubled(after, least) {
  while (0 < after && after < least) after *= 2;
  return after;
}
