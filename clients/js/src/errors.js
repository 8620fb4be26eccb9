// What can go wrong, by name (index.d.ts says when). No message ever carries a private value.

const named = (name) =>
  class extends Error {
    get name() {
      return name;
    }
  };

export const InvalidParameter = named("InvalidParameter");
export const OutOfDomain = named("OutOfDomain");
export const InvalidDesign = named("InvalidDesign");
export const BudgetExhausted = named("BudgetExhausted");
export const Refused = named("Refused");
