// One device: a design that was verified and that the policy lets ask, and a ledger of what was spent.

import { verify } from "./designs.js";
import { systemBytes } from "./uniform.js";
import { Ledger } from "./ledger.js";
import { Policy } from "./policy.js";
import { leave, longEnough } from "./timing.js";

export class Client {
  constructor(design, policy, ledger, after) {
    Object.assign(this, { design, policy, ledger, after });
  }

  /** A client for the bytes of a design.json under a policy; `ledger` names a database of the browser, one a unit. */
  static async open(bytes, policy, ledger = "geopriv") {
    const allowed = policy instanceof Policy ? policy : new Policy(policy);
    const design = await verify(bytes, allowed.hash);
    allowed.require(design);
    const after = allowed.after && longEnough(allowed.after, design.longest());
    return new Client(design, allowed, await Ledger.open(ledger, allowed), after);
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
    return leave(() => this.ledger.once(person, this.design, make), this.after);
  }

  close() {
    this.ledger.close();
  }
}
