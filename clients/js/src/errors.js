// What can go wrong, by name. No message ever carries a private value.

class GeoprivError extends Error {
  get name() {
    return this.constructor.kind;
  }
}
/** A public parameter breaks a rule. */
export class InvalidParameter extends GeoprivError {
  static kind = "InvalidParameter";
}
/** A private value cannot be read in its space; the message never holds it. */
export class OutOfDomain extends GeoprivError {
  static kind = "OutOfDomain";
}
/** A design is malformed, or does not keep its promise. */
export class InvalidDesign extends GeoprivError {
  static kind = "InvalidDesign";
}
/** A person may not answer: they have, by another design, or it would cost more than they may spend. */
export class BudgetExhausted extends GeoprivError {
  static kind = "BudgetExhausted";
}
/** A design keeps its promise, and the policy does not let it ask. */
export class Refused extends GeoprivError {
  static kind = "Refused";
}
