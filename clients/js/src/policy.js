// What the person, or the app, allows, whatever a design says.

import { InvalidParameter, Refused } from "./errors.js";
import { plain } from "./texts.js";

const LONGEST = 3600; // seconds

export class Policy {
  /** What is allowed, as index.d.ts has it. */
  constructor({ unit, mostEpsilon, total, hash, trust = false, degrees = false, after = 1, mostSurveys = 100 }) {
    if (unit !== null && !plain(unit, 40)) throw wrong("unit", "null or a text of 1 to 40 printable characters");
    for (const [name, value] of Object.entries({ mostEpsilon, total })) {
      if (!(typeof value === "number" && value > 0 && value < Infinity)) throw wrong(name, "a positive number");
    }
    if (!(typeof after === "number" && after >= 0 && after <= LONGEST)) throw wrong("after", `seconds from 0 to ${LONGEST}`);
    if (!(Number.isInteger(mostSurveys) && mostSurveys > 0)) throw wrong("mostSurveys", "a whole number from 1 on");
    if ((hash === undefined) !== (trust === true)) throw wrong("hash", "given, or else trust: true");
    if (hash !== undefined && !/^[0-9a-fA-F]{64}$/.test(hash)) throw wrong("hash", "64 hexadecimal digits");
    Object.assign(this, { unit, mostEpsilon, total, hash: hash?.toLowerCase(), trust, degrees, after, mostSurveys });
    Object.freeze(this);
  }

  /** Refuses another design than the published one, another unit, another reading of values, and a larger ε. */
  require(design) {
    if (this.hash !== undefined && design.hash !== this.hash) {
      throw new Refused(`The hash of the design must be the published one. Got ${design.hash} instead.`);
    }
    if (design.unit !== this.unit) {
      throw new Refused(`The unit of the design must be ${this.unit ?? "none"}. Got ${design.unit ?? "none"} instead.`);
    }
    if (design.degrees !== this.degrees) {
      const read = ["numbers in the unit", "a latitude and a longitude"];
      throw new Refused(`The design must read ${read[Number(this.degrees)]}. It reads ${read[Number(design.degrees)]}.`);
    }
    if (design.epsilon > this.mostEpsilon) {
      const most = `at most ${this.mostEpsilon} per ${this.unit ?? "unit"}`;
      throw new Refused(`The epsilon of the design must be ${most}. Got ${design.epsilon} instead.`);
    }
  }
}

function wrong(parameter, rule) {
  return new InvalidParameter(`The '${parameter}' parameter of Policy must be ${rule}.`);
}
