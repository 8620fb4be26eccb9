// What each person has spent, in an IndexedDB database. A row is written, with the report, in one transaction that is
// committed before the report is handed out, and such transactions take turns over all tabs. Never a value; rows are
// found by person and survey, since an account kept by value would show when a value changed.

import { BudgetExhausted, InvalidParameter, Refused } from "./errors.js";
import { Fraction } from "./numbers.js";
import { NAME, plain } from "./texts.js";

const STORE = "spent";

/** The account, in one unit, of all people who use a browser. */
export class Ledger {
  constructor(database, policy) {
    Object.assign(this, policy, { database });
  }

  /** The ledger of a name, made if there is none; refused if it has rows in another unit. */
  static async open(name, policy) {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ["person", "survey"] });
    const database = await settled(request);
    database.onversionchange = () => database.close();
    return new Ledger(database, policy);
  }

  /** The report of a person to a survey: made and written now, or the one that was made before. */
  async once(person, design, make) {
    if (!plain(person, NAME)) {
      throw new InvalidParameter(`The 'person' parameter must be a text of 1 to ${NAME} printable characters.`);
    }
    const transaction = this.database.transaction(STORE, "readwrite", { durability: "strict" });
    const store = transaction.objectStore(STORE);
    return new Promise((resolve, reject) => {
      let [report, failure] = [null, null];
      transaction.oncomplete = () => resolve(report);
      transaction.onabort = () => reject(failure ?? unwritten(transaction.error));
      const request = store.getAll();
      request.onsuccess = () => {
        // all in one turn: a transaction that waits for anything else ends
        try {
          report = this.known(request.result, person, design);
          if (report !== null) return;
          this.afford(request.result, person, design.epsilon);
          report = make();
          const row = { person, survey: design.survey, design: design.hash, epsilon: design.epsilon, unit: this.unit };
          store.add({ ...row, report });
        } catch (error) {
          failure = error;
          transaction.abort();
        }
      };
    });
  }

  known(rows, person, { survey, hash }) {
    if (rows.some((row) => row.unit !== this.unit)) {
      throw new Refused("The ledger must be in one unit; it has rows in another. Take one ledger a unit.");
    }
    const found = rows.find((row) => row.person === person && row.survey === survey);
    if (found && found.design !== hash) {
      throw new BudgetExhausted("This person has answered this survey already, by another design.");
    }
    return found ? found.report : null;
  }

  /** ε of all surveys added up exactly, and how many there are. */
  afford(rows, person, epsilon) {
    const costs = rows.filter((row) => row.person === person).map((row) => row.epsilon);
    if (!costs.every((cost) => typeof cost === "number" && cost > 0)) throw new Error("The ledger holds rows that no device wrote.");
    const spent = [epsilon, ...costs].map(Fraction.of).reduce((a, b) => a.plus(b));
    if (Fraction.of(this.total).less(spent)) {
      throw new BudgetExhausted(`One more report of ${epsilon} would exceed the total of ${this.total} over all surveys.`);
    }
    if (costs.length >= this.mostSurveys) throw new BudgetExhausted(`A person may answer at most ${this.mostSurveys} surveys.`);
  }

  close() {
    this.database.close();
  }
}

/** Whatever the reason, a full disk or a page that was closed: a line that is not written is not handed out. */
function unwritten(cause) {
  return new Error("The ledger could not be written: nothing is reported.", { cause });
}

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("The ledger is held open by an older page."));
  });
}
