// One device: a design that was verified and that the policy lets ask, and a ledger of what was spent.

import { verify } from "./designs.js";
import { systemBytes } from "./uniform.js";
import { Ledger } from "./ledger.js";
import { Policy } from "./policy.js";

export class Client {
  constructor(design, policy, ledger) {
    Object.assign(this, { design, policy, ledger });
  }

  /** A client for the bytes of a design.json under a policy; `ledger` names a database of the browser, one a unit. */
  static async open(bytes, policy, ledger = "geopriv") {
    const allowed = policy instanceof Policy ? policy : new Policy(policy);
    const design = await verify(bytes, allowed.hash);
    allowed.require(design);
    return new Client(design, allowed, await Ledger.open(ledger, allowed.unit, allowed.total));
  }

  /**
   * One line of NDJSON to send: the same one whenever the person is asked again, whatever the value and group.
   *
   * Guarantee: the design's ε, once a person and survey, and the policy's total over all surveys. What is spent is
   * written before the line is returned, and it is returned at a fixed time. A group is told as it is.
   */
  async report(value, { person = "me", group } = {}) {
    this.design.groupNumber(group);
    const make = () => this.design.draw(value, systemBytes, group);
    return leave(() => this.ledger.once(person, this.design, make), this.policy.after);
  }

  close() {
    this.ledger.close();
  }
}

/** What work gives, or its error, when `after` seconds have passed, or else the first of 2, 4, 8, … times that. */
async function leave(work, after) {
  const began = performance.now();
  try {
    return await work();
  } finally {
    let waits = 1000 * after;
    const took = performance.now() - began;
    while (0 < waits && waits < took) waits *= 2;
    for (let left; (left = began + waits - performance.now()) > 0; ) await new Promise((go) => setTimeout(go, left));
  }
}
