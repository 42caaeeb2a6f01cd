// In charge of: reading JSON text that others have written: one bound on its depth, and numbers that keep their digits.
// Not in charge of: what the values must be, or how a fault is told (the modules that read them).
export { readExactJson } from "./exact-json.ts";
export { isTooDeep, MAX_JSON_DEPTH, TOO_DEEP } from "./json-depth.ts";
export { readJson } from "./read-json.ts";
