export { Client } from "./client.js";
export { VerifiedDesign, verify } from "./designs.js";
export { BudgetExhausted, InvalidDesign, InvalidParameter, OutOfDomain, Refused } from "./errors.js";
export { Policy } from "./policy.js";
