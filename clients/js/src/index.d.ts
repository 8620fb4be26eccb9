/** A private value as a person holds it: a number, a whole number or a decimal text; several on a plane or a map. */
export type Part = number | bigint | string;
export type Value = Part | readonly Part[];
/** So many random bytes. */
export type Source = (count: number) => Uint8Array;

/** What the person, or the app, allows, whatever a design says. */
export interface Allowed {
  /** What one unit of distance is called, "factor 2" for ratios; null for designs without a unit. */
  unit: string | null;
  /** That one survey may cost, per unit. */
  mostEpsilon: number;
  /** That all surveys together may cost a person, per unit. */
  total: number;
  /** Of the design, as it was published; left out only with `trust`. */
  hash?: string;
  /** Answer whatever design is given. */
  trust?: boolean;
  /** The value is a latitude and a longitude; otherwise it is made of numbers in the unit. */
  degrees?: boolean;
  /** Seconds after which a report leaves, so that the time of drawing tells nothing; 1 if left out. */
  after?: number;
  /** That a person answers; 100 if left out. */
  mostSurveys?: number;
}

export class Policy implements Readonly<Allowed> {
  constructor(allowed: Allowed);
  readonly unit: string | null;
  readonly mostEpsilon: number;
  readonly total: number;
  readonly hash: string | undefined;
  readonly trust: boolean;
  readonly degrees: boolean;
  readonly after: number;
  readonly mostSurveys: number;
  /** Throws Refused for a design that is not allowed. */
  require(design: VerifiedDesign): void;
}

/** A design whose hash and whose promises were checked. */
export class VerifiedDesign {
  private constructor();
  readonly hash: string;
  readonly survey: string;
  /** That a report costs, per unit of distance. */
  readonly epsilon: number;
  readonly unit: string | null;
  readonly degrees: boolean;
  /** Of which a report tells one openly; empty where it tells none. */
  readonly groups: readonly string[];
  /** All that the file holds; whole numbers are bigints. */
  readonly document: Readonly<Record<string, unknown>>;
  toString(): string;
  /** Seconds of the longest draw at public places of the design. */
  longest(): number;
  /** The number that a report carries for a group; null where the design asks for none. Throws InvalidParameter. */
  groupNumber(group?: string | null): number | null;
  /** One line of NDJSON by the published rule. For tests: `Client.report` remembers what was spent. */
  draw(value: Value, source: Source, group?: string): string;
}

/** The design in the bytes of a design.json; throws InvalidDesign if anything in it does not hold. */
export function verify(bytes: Uint8Array, expected?: string): Promise<VerifiedDesign>;

export class Client {
  private constructor();
  /** A client under a policy; `ledger` names a database of the browser, one a unit. */
  static open(bytes: Uint8Array, policy: Allowed | Policy, ledger?: string): Promise<Client>;
  readonly design: VerifiedDesign;
  readonly policy: Policy;
  /** Seconds after which reports leave: those of the policy, or 2, 4, 8, … times as many on a slow device. */
  readonly after: number;
  /** One line of NDJSON to send: the same one whenever the person is asked again. */
  report(value: Value, options?: { person?: string; group?: string }): Promise<string>;
  close(): void;
}

/** A public parameter breaks a rule. */
export class InvalidParameter extends Error {}
/** A private value cannot be read in its space; the message never holds it. */
export class OutOfDomain extends Error {}
/** A design is malformed, or does not keep its promise. */
export class InvalidDesign extends Error {}
/** A person may not answer: they have, by another design, or it would cost more than they may spend. */
export class BudgetExhausted extends Error {}
/** A design keeps its promise, and the policy does not let it ask. */
export class Refused extends Error {}
